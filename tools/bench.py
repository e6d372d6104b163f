"""Measure the engines against scikit-learn and against the matrix product: ``make bench``.

Times are ratios within one run: absolute times say nothing about another machine. Each measurement has a
process of its own, so that its peak memory is its own. Prints a table and writes it to ``_build/bench.json``.
MNIST, w8a and a9a must be at hand; the whole takes some minutes, most of them in ``SVC``.

``--store`` writes what the book shows to ``book/results/bench.json``, with its provenance: the measurements
called "core", in seconds of one processor, to which other programs at work matter less.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

RESULTS, STORED = Path("_build/bench.json"), Path("book/results/bench.json")
# A virtual machine pays its host for the first touch of a page, some seconds a GiB, and again after the page
# was freed: not a cost of the engine. So the C library keeps what is freed, and maps no block by itself.
KEEP = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**60)}
GIB = 2**30


def best(function, repeat=3, clock=perf_counter):
    """Shortest of some times, in seconds, and the last value."""
    times = []
    for _ in range(repeat):
        began = clock()
        value = function()
        times.append(clock() - began)
    return min(times), value


def gemm_rate(dtype=np.float64, clock=perf_counter):
    """Floating-point operations a second of a large matrix product, all cores of this process."""
    A, B = (np.random.default_rng(0).random((n, 784)).astype(dtype) for n in (2000, 8000))
    seconds, _ = best(lambda: A @ B.T, 5, clock)
    return 2 * A.shape[0] * B.shape[0] * A.shape[1] / seconds


def mnist_kernel(budget_gib):
    """Ten one-vs-rest perceptrons, degree 4, four epochs, in units of the time of 2 N S d operations."""
    from marginbook import Perceptron, data

    mnist = data.load("mnist")
    model = Perceptron(
        kernel="poly", gamma=1 / 255**2, degree=4, max_iter=4, shuffle="once", random_state=0,
        cache_size=1024 * budget_gib,
    )  # fmt: skip
    model.fit(mnist.data[:600], mnist.target[:600])  # compile
    # Touched once, and kept by the allocator (KEEP): no page of the timed run is new.
    np.empty(int(budget_gib * GIB) // 8)[::512] = 0.0
    rate = gemm_rate()
    began = perf_counter()
    model.fit(mnist.data, mnist.target)
    seconds = perf_counter() - began
    operations = 2 * len(mnist.data) * len(model.support_) * mnist.data.shape[1]
    return {
        "seconds": seconds,
        "supports": len(model.support_),
        "updates": model.n_updates_,
        "gemm GFlop/s": rate / 1e9,
        "times the product": seconds * rate / operations,
    }


def mnist_svc():
    """LIBSVM on the same kernel, one-vs-one, C = 1000."""
    from sklearn.svm import SVC

    from marginbook import data

    mnist = data.load("mnist")
    model = SVC(C=1000, kernel="poly", gamma=1 / 255**2, degree=4, coef0=1.0, cache_size=2000)
    began = perf_counter()
    model.fit(mnist.data, mnist.target)
    return {"seconds": perf_counter() - began}


CORE_KERNEL = {"kernel": "poly", "gamma": 1 / 255**2, "degree": 4, "coef0": 1.0}


def core_kernel(budget_gib):
    """As ``mnist_kernel``, in seconds of one processor, with its parts and the error on new digits."""
    from marginbook import Perceptron, data, kernels

    mnist, spent, product = data.load("mnist"), [], kernels._products

    def timed(X, Y, whole):
        began = process_time()
        K = product(X, Y, whole)
        spent.append((K.size, process_time() - began))
        return K

    model = Perceptron(
        **CORE_KERNEL, max_iter=4, shuffle="once", random_state=0, cache_size=1024 * budget_gib
    )
    model.fit(mnist.data[:600], mnist.target[:600])  # compile
    np.empty(int(budget_gib * GIB) // 8 + 1)[::512] = 0.0
    rates = {kind: [gemm_rate(kind, process_time)] for kind in ("float64", "float32")}
    kernels._products = timed
    began = process_time()
    model.fit(mnist.data, mnist.target)
    seconds = process_time() - began
    kernels._products = product
    for kind, found in rates.items():
        found.append(gemm_rate(kind, process_time))
    return {
        "seconds": seconds,
        "seconds in products": sum(part for _, part in spent),
        "kernel values": sum(size for size, _ in spent),
        "examples": mnist.data.shape[0],
        "features": mnist.data.shape[1],
        "supports": len(model.support_),
        "epochs": model.n_iter_,
        "updates": model.n_updates_,
        "error, %": 100 * (1 - model.score(mnist.data_test, mnist.target_test)),
        "gemm Flop/s": max(rates["float64"]),
        "gemm Flop/s, single": max(rates["float32"]),
    }


def core_svc():
    """LIBSVM on the same kernel, one-vs-one, C = 1000, in seconds of one processor."""
    from sklearn.svm import SVC

    from marginbook import data

    mnist = data.load("mnist")
    model = SVC(C=1000, **CORE_KERNEL, cache_size=2000)
    seconds, _ = best(lambda: model.fit(mnist.data, mnist.target), 1, process_time)
    predicting, score = best(lambda: model.score(mnist.data_test, mnist.target_test), 1, process_time)
    return {
        "seconds": seconds,
        "predicting": predicting,
        "supports": len(model.support_),
        "error, %": 100 * (1 - score),
    }


def core_textbook(n):
    """One epoch over ``n`` digits, one example at a time, against the engine; seconds of one processor."""
    from marginbook import Perceptron, data
    from marginbook.kernels import Kernel

    mnist = data.load("mnist")
    X, Y = mnist.data[:n], np.where(mnist.target[:n, None] == np.arange(10), 1.0, -1.0)
    kernel, rows, coef = Kernel("poly", 1 / 255**2, 4, 1.0), np.empty_like(X), np.zeros((n, 10))

    def textbook():
        found = updates = 0
        for x, y in zip(X, Y, strict=True):
            score = kernel(x[None], rows[:found])[0] @ coef[:found]
            wrong = y * score <= 0
            if wrong.any():
                rows[found], coef[found] = x, np.where(wrong, y, 0.0)
                found, updates = found + 1, updates + wrong.sum()
        return found, int(updates)

    seconds, (supports, updates) = best(textbook, 1, process_time)
    model = Perceptron(**CORE_KERNEL, max_iter=1, shuffle=False)
    model.fit(X[:600], mnist.target[:600])  # compile
    ours, _ = best(lambda: model.fit(X, mnist.target[:n]), 2, process_time)
    return {
        "seconds": seconds,
        "engine, seconds": ours,
        "examples": n,
        "supports": supports,
        "updates": updates,
        "engine, updates": model.n_updates_,
    }


def linear(name):
    """Five epochs in the order given against scikit-learn's perceptron, one core."""
    from sklearn.linear_model import Perceptron as Peer

    from marginbook import Perceptron, data

    sample = data.load(name)
    X, y = sample.data, sample.target
    ours = Perceptron(shuffle=False, max_iter=5)
    peer = Peer(shuffle=False, tol=None, max_iter=5, fit_intercept=False)
    ours.fit(X[::97], y[::97])  # compile
    seconds, _ = best(lambda: ours.fit(X, y))
    peer_seconds, _ = best(lambda: peer.fit(X, y), 2)
    return {
        "seconds": seconds,
        "scikit-learn / ours": peer_seconds / seconds,
        "largest difference of weights": float(abs(ours.coef_ - peer.coef_).max()),
    }


# The 2-norm soft margin of Adult with Delta = 1: the hard margin where each example has its own coordinate.
# scikit-learn's SVC cannot add to the diagonal of a kernel, so it gets those coordinates as columns; its
# tolerance is the paper's for a margin a little below MICRA's. LinearSVC with squared hinge and C = 1/2
# solves MICRA's problem, without a bias; it is dual coordinate descent, made for linear kernels alone.


def micra_a9a():
    """Reduced MICRA with the parameters of Tsampouka and Shawe-Taylor's Table 6, and LinearSVC."""
    from sklearn.svm import LinearSVC

    from marginbook import MICRA, data
    from marginbook.margins import extended_margin

    adult = data.load("a9a")
    X, y = adult.data, adult.target
    model = MICRA(eta=105, beta=0.00492, mini_epochs=600, noise_control=1.0, shuffle=False, max_iter=10**4)
    model.fit(X[::97], y[::97])  # compile
    seconds, _ = best(lambda: model.fit(X, y), 1)
    peer = LinearSVC(loss="squared_hinge", dual=True, C=0.5, fit_intercept=False, max_iter=10**5)
    peer_seconds, _ = best(lambda: peer.fit(X, y))
    slack = np.maximum(0.0, 1.0 - y * (X @ peer.coef_[0]))
    return {
        "seconds": seconds,
        "updates": model.n_updates_,
        "trials": int(model._engine.trials[0]),
        "10^2 margin": 100 * extended_margin(model),
        "LinearSVC seconds": peer_seconds,
        "LinearSVC 10^2 margin": 100 / np.hypot(np.linalg.norm(peer.coef_), np.linalg.norm(slack)),
    }


def svc_a9a():
    """LIBSVM, with a bias, on the same rows with their own coordinates as columns; C = 1e5, tol = 0.03."""
    from scipy import sparse
    from sklearn.svm import SVC

    from marginbook import data

    adult = data.load("a9a")
    X = sparse.hstack([adult.data, sparse.eye(adult.data.shape[0])], format="csr")
    model = SVC(kernel="linear", C=1e5, tol=0.03, cache_size=1000)
    seconds, _ = best(lambda: model.fit(X, adult.target), 1)
    scores = adult.target * model.decision_function(X)
    return {"seconds": seconds, "10^2 margin": 100 * scores.min() / sparse.linalg.norm(model.coef_)}


def steps():
    """One epoch of each rule over dense rows of 784, in units of the perceptron's for as many updates.

    An epoch of the perceptron with some updates and one with an update an example give both parts of that.
    """
    from marginbook import ALMA, AMIRA, MICRA, ROMMA, Pegasos, Perceptron

    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 784))
    y = np.sign(X @ rng.standard_normal(784) + 20.0 * rng.standard_normal(20_000))

    def epoch(model):
        model.set_params(shuffle=False, max_iter=1).fit(X[:300], y[:300])  # compile
        return min(model.fit(X, y).history_[0].seconds for _ in range(5)), model.n_updates_

    always, _ = epoch(Perceptron(margin=1e300))
    some, updates = epoch(Perceptron())
    check = (some - always * updates / len(X)) / (1.0 - updates / len(X))
    ratios = {}
    for model in ROMMA(delta=0.1), ALMA(), MICRA(), AMIRA(epsilon=0.0), Pegasos():
        seconds, updates = epoch(model)
        share = updates / len(X)
        ratios[type(model).__name__] = seconds / (share * always + (1.0 - share) * check)
    return ratios


def first_call():
    """Compilation included, in a fresh interpreter that has loaded the package and compiled nothing of it.

    What numba itself needs for the first function of a process, however small, is a row of its own.
    """
    models = [
        "Perceptron()", "ROMMA()", "ALMA()", "ALMA(p=3.0)", "PUMMA()", "PUMMA(p=3.0)", "MICRA()", "AMIRA()",
        "AMIRA(multiclass='k-best')", "Pegasos()", "IdealMargin()", "Perceptron(kernel='rbf')",
    ]  # fmt: skip
    seconds, starts = {}, []
    for model in models:
        code = (
            "import time, numpy as np, numba; from marginbook import *;"
            "X = np.random.default_rng(0).standard_normal((40, 3)); y = (X[:, 0] > 0) * 1;"
            "t = time.perf_counter(); numba.njit(lambda x: x + 1)(1.0); print(time.perf_counter() - t);"
            f"m = {model}; t = time.perf_counter(); m.fit(X, y); print(time.perf_counter() - t)"
        )
        start, first = subprocess.check_output([sys.executable, "-c", code], text=True).split()
        starts.append(float(start))
        seconds[model] = float(first)
    return {"numba's own first call": min(starts), **seconds}


def csr_checks():
    """The CSR loop over a9a where no example updates, beside a pass over the same arrays."""
    from numba import njit

    from marginbook import data
    from marginbook.engines.linear import LinearEngine
    from marginbook.rules import perceptron

    X, y = data.load("a9a").data, data.load("a9a").target.astype(float)
    engine = LinearEngine(perceptron.rule, perceptron.Params(-1e300, 1.0), perceptron.State(), 1, X.shape[1])
    engine.bind(X, y[None])
    order = np.arange(X.shape[0])
    seconds = min(engine.epoch(order).seconds for _ in range(50))

    @njit
    def stream(values, indices):
        total = 0.0
        for k in range(values.shape[0]):
            total += values[k] * indices[k]
        return total

    stream(X.data, X.indices)
    streamed, _ = best(lambda: stream(X.data, X.indices), 50)
    return {"ns a value": seconds / X.nnz * 1e9, "streaming, ns a value": streamed / X.nnz * 1e9}


def adatron_adult():
    """Dual coordinate ascent on a9a to a gap of 1e-4, against LIBLINEAR at the tolerance for that gap."""
    from sklearn.svm import LinearSVC

    from marginbook import adatron, data

    X, y = data.load("a9a").data, data.load("a9a").target
    adatron(X[:300], y[:300], noise_control=1.0)  # compile
    optimum = adatron(X, y, noise_control=1.0, tol=1e-9).dual
    seconds, solution = best(lambda: adatron(X, y, noise_control=1.0, tol=1e-4))
    for tol in (0.3, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01):
        peer = LinearSVC(C=0.5, dual=True, fit_intercept=False, tol=tol, max_iter=10**5, random_state=0)
        peer_seconds, _ = best(lambda peer=peer: peer.fit(X, y))
        w = peer.coef_[0]
        primal = w @ w / 2 + 0.5 * (np.maximum(0.0, 1.0 - y * (X @ w)) ** 2).sum()
        if primal / optimum - 1.0 <= 1e-4:
            break
    return {
        "seconds": seconds,
        "gap": solution.gap,
        "LIBLINEAR tol": tol,
        "ours / LIBLINEAR": seconds / peer_seconds,
    }


def kbest_usps():
    """k-best AMIRA on USPS, Gaussian kernel, five epochs."""
    from marginbook import AMIRA, data

    usps = data.load("usps")
    model = AMIRA(
        multiclass="k-best",
        k=9,
        epsilon=0.85,
        kernel="rbf",
        gamma=1 / (2 * 3.5**2),
        max_iter=5,
        random_state=0,
    )
    model.fit(usps.data[:300], usps.target[:300])  # compile
    seconds, _ = best(lambda: model.fit(usps.data, usps.target))
    return {"seconds": seconds, "updates": model.n_updates_}


def import_time():
    """Warm imports in a fresh interpreter."""
    seconds = {}
    for statement in "import marginbook", "from marginbook import Perceptron":
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        command = [sys.executable, "-c", code]
        seconds[statement] = min(float(subprocess.check_output(command, text=True)) for _ in range(3))
    return seconds


def measured(function, *args):
    """Run in the process of its own: the result with the peak of its memory."""
    result = function(*args)
    result["peak GiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIB
    return result


MEASUREMENTS = {
    "import": (import_time,),
    "first call": (first_call,),
    "linear steps": (steps,),
    "linear CSR checks, a9a": (csr_checks,),
    "linear adatron, a9a": (adatron_adult,),
    "k-best AMIRA, usps": (kbest_usps,),
    "linear dense, mnist": (linear, "mnist"),
    "linear CSR, w8a": (linear, "w8a"),
    "linear CSR, micra a9a": (micra_a9a,),
    "SVC a9a": (svc_a9a,),
    "kernel mnist, 6 GiB": (mnist_kernel, 6),
    "kernel mnist, 1 GiB": (mnist_kernel, 1),
    "SVC mnist": (mnist_svc,),
    "core kernel mnist, 6 GiB": (core_kernel, 6),
    "core kernel mnist, 1 GiB": (core_kernel, 1),
    "core kernel mnist, none kept": (core_kernel, 0),
    "core SVC mnist": (core_svc,),
    "core textbook mnist": (core_textbook, 20_000),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    core = [name for name in MEASUREMENTS if name.startswith("core")]
    others = [name for name in MEASUREMENTS if name not in core]
    parser.add_argument("--only", nargs="+", choices=MEASUREMENTS, default=others)
    parser.add_argument("--store", action="store_true", help=f"the book's measurements, to {STORED}")
    options = parser.parse_args()
    chosen = core if options.store else options.only
    results = {}
    for name in chosen:
        threads = "1" if name.startswith(("linear", "core")) else str(os.cpu_count())
        os.environ.update(KEEP, OPENBLAS_NUM_THREADS=threads)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            results[name] = pool.submit(measured, *MEASUREMENTS[name]).result()
        print(name, flush=True)
        for key, value in results[name].items():
            print(f"    {key:32} {value:.4g}", flush=True)
    for ours, svc in ("kernel mnist, 6 GiB", "SVC mnist"), ("linear CSR, micra a9a", "SVC a9a"):
        if ours in results and svc in results:
            results[f"{svc} / ours, fit"] = results[svc]["seconds"] / results[ours]["seconds"]
            print(f"{svc + ' / ours, fit':36} {results[f'{svc} / ours, fit']:.4g}")
    file = STORED if options.store else RESULTS
    if options.store:
        from marginbook.experiments import store

        session = store.session(["mnist"], "python tools/bench.py --store")
        results = {"measurements": results, "provenance": {k: v for k, v in session.items() if k != "runs"}}
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
