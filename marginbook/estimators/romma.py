"""ROMMA as a scikit-learn estimator."""

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from marginbook.estimators.base import OnlineClassifier, documented
from marginbook.rules import romma


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ROMMA(OnlineClassifier):
    """ROMMA, the relaxed online maximum-margin algorithm, mistake-driven and aggressive.

    On an example with ``y w.x < 1 - delta``, or a mistake, the weights move to the smallest ``w'`` with
    ``w'.w >= |w|^2`` and ``y w'.x >= 1``. Last, averaged and voted hypotheses; linear and kernel form;
    one-vs-rest.

    Parameters
    ----------
    delta : float, default 1
        In [0, 1]. 1 updates on mistakes alone; less is aggressive, and after convergence on separable data
        the margin is at least ``1 - delta`` of the maximum. Values below 1e-9 count as 1e-9.
    start : {"origin", "bias"}, default "origin"
        The first weights: 0, or the image of the zero vector. ``"bias"`` is there for the published runs on
        MNIST alone: no theorem holds for it, and on ``K(x, x') = 1 + x x'`` with the examples 1 (negative)
        and 3 (positive) it errs for ever.
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    A zero score is a mistake in training; ``predict`` gives it the positive class ``classes_[1]``. A row of
    zeros admits no update: it counts as a mistake and is skipped (unless ``augment`` or ``noise_control`` is
    positive), and ``converged_`` stays false. On inseparable data the weights grow without bound; use
    ``noise_control``.

    References
    ----------
    Li and Long (1999), with the case of a slack old constraint, which their formula (5) for aggressive
    updates lacks.

    Examples
    --------
    >>> from marginbook import ROMMA
    >>> X = [[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]]
    >>> model = ROMMA(shuffle=False).fit(X, [1, 1, -1, -1])
    >>> model.predict(X).tolist()
    [1, 1, -1, -1]
    """

    delta: float = 1.0
    start: str = "origin"

    _parameter_constraints: ClassVar[dict] = {
        **OnlineClassifier._parameter_constraints,
        "delta": [Interval(Real, 0, 1, closed="both")],
        "start": [StrOptions({"origin", "bias"})],
    }

    def _algorithm(self, X):
        return romma.rule, romma.Params(float(self.delta)), romma.State()

    def _begin(self, order):
        if self.start == "origin":
            return
        if self.kernel == "precomputed":
            raise ValueError('start="bias" needs the image of the zero vector: not with kernel="precomputed"')
        self._engine.start(np.ones(len(self._engine.hyp)))
