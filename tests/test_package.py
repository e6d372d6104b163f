"""The import is light, the public names are there, and interpreted code gives what compiled code gives."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

import marginbook


def python(code, **env):
    """Run code in a fresh interpreter and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_import_loads_no_heavy_library():
    heavy = ("matplotlib", "pandas", "ipywidgets", "IPython", "numba", "sklearn")
    out = python(f"import sys, marginbook; print([n for n in {heavy!r} if n in sys.modules])")
    assert out.strip() == "[]"


def test_public_names_are_there():
    assert set(dir(marginbook)) == set(marginbook.__all__)
    for name in marginbook.__all__:
        assert getattr(marginbook, name) is not None
        assert find_spec(f"marginbook.{name}") is None, (
            "a module would hide the public name once it is imported"
        )
    with pytest.raises(AttributeError, match="no attribute 'Winnow'"):
        marginbook.Winnow  # noqa: B018


RUNS = """
import json
import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from marginbook import Perceptron

results = []
for load in (load_iris, load_digits):
    X, y = load(return_X_y=True)
    X, y = X[::7], y[::7]
    for options in (
        dict(),
        dict(hypothesis="averaged", augment=1.0, noise_control=0.5, margin=0.5, eta=0.25),
        dict(kernel="poly", degree=3, gamma=0.01, noise_control=1.0),
        dict(kernel="rbf", hypothesis="voted", margin=0.1),
    ):
        for rows in (X, sparse.csr_matrix(X)):
            model = Perceptron(max_iter=2, random_state=0, record_trace=True, **options).fit(rows, y)
            scores = model.decision_function(X[:5])
            results.append([model.trace_.tolist(), [v.hex() for v in scores.ravel().tolist()]])
print(json.dumps(results))
"""


def test_interpreted_and_compiled_code_agree_to_the_last_bit():
    compiled, plain = (json.loads(python(RUNS, NUMBA_DISABLE_JIT=flag)) for flag in ("0", "1"))
    assert len(compiled) == 16 and compiled == plain
