"""Ways of running that several tables share."""

import numpy as np
from sklearn.base import clone

import marginbook
from marginbook import data
from marginbook.hypotheses import biases, dual_coefficients, votes_at

BLOCK_BYTES = 1 << 24  # of kernel values held at a time: what the allocator keeps and hands out again


def kernel_epochs(estimator, name, hypotheses=("last", "voted"), **load_options):
    """Train on a data set and read off, after every epoch, the counts and the test errors.

    Parameters
    ----------
    estimator : OnlineClassifier
        With a kernel; it is fitted.
    name : str
        A data set with a test set.
    hypotheses : sequence of {"last", "averaged", "voted"}
        Those whose test errors are counted.
    **load_options
        Of the data set.

    Returns
    -------
    dict
        Lists with an integer an epoch: ``mistakes`` and ``updates`` so far, over all problems, and for each
        hypothesis the number of test examples it gets wrong. Where training stops before ``max_iter``
        epochs, the last integers are repeated.
    """
    return sample_epochs(estimator, data.load(name, **load_options), hypotheses)


def sample_epochs(estimator, sample, hypotheses):
    """The same for data at hand: ``data``, ``target``, ``data_test`` and ``target_test`` of ``sample``."""
    counts, scores = _run(estimator, sample, sample.target, hypotheses)
    return _listed(counts, scores, estimator.classes_, sample.target_test)


def own_orders(estimator, sample, hypotheses):
    """The same where each of the one-vs-rest problems has an order of its own.

    Problem ``k`` of the estimator with ``random_state = r`` has the order of ``random_state = 1000 r + k``.
    """
    classes, parts = np.unique(sample.target), []
    for rank, label in enumerate(classes):
        problem = clone(estimator).set_params(random_state=1000 * estimator.random_state + rank)
        parts.append(_run(problem, sample, np.where(sample.target == label, 1, -1), hypotheses))
    counts = {series: sum(part[series] for part, _ in parts) for series in parts[0][0]}
    scores = {kind: np.concatenate([part[kind] for _, part in parts], axis=2) for kind in hypotheses}
    return _listed(counts, scores, classes, sample.target_test)


def kernel_run(seed, *, algorithm, data, hypotheses, orders="shared", **options):
    """One run of a part: an estimator by name, and its options.

    ``orders`` says whether all one-vs-rest problems have one order or each has its own.
    """
    estimator = getattr(marginbook, algorithm)(**options, random_state=seed)
    if orders == "shared":
        return kernel_epochs(estimator, data, hypotheses)
    return own_orders(estimator, marginbook.data.load(data), hypotheses)


def _listed(counts, scores, classes, target):
    """Counts and numbers of errors, as lists."""
    errors = {}
    for kind, moments in scores.items():
        winner = moments.argmax(axis=2) if moments.shape[2] > 1 else (moments[..., -1] >= 0).astype(int)
        errors[kind] = np.count_nonzero(classes[winner] != target, axis=1)
    return {series: numbers.tolist() for series, numbers in (counts | errors).items()}


def _run(estimator, sample, y, hypotheses):
    """Fit; mistakes and updates so far, and scores of the test set, after each of ``max_iter`` epochs.

    Scores are by hypothesis, of shape (max_iter, n_samples, n_problems).
    """
    estimator.set_params(record_trace=True).fit(sample.data, y)
    stops = len(y) * np.arange(1, estimator.n_iter_ + 1)
    if (estimator._engine.trials != stops[-1]).any():
        raise ValueError("mini-epochs present other examples besides those of the epoch")
    if "voted" in hypotheses and getattr(estimator, "multiclass", "ovr") != "ovr":
        raise ValueError("hypotheses of all classes together vote for a class: that is not counted here")
    counts = {
        "mistakes": np.cumsum([row.mistakes for row in estimator.history_]),
        "updates": np.cumsum([row.updates for row in estimator.history_]),
    }
    scores = _scores(estimator, sample.data_test, hypotheses, stops)
    short = estimator.max_iter - len(stops)  # where training stopped early, nothing changes any more

    def padded(numbers):
        return np.pad(numbers, [(0, short)] + [(0, 0)] * (numbers.ndim - 1), "edge")

    return tuple({series: padded(numbers) for series, numbers in some.items()} for some in (counts, scores))


def _scores(estimator, X, hypotheses, stops):
    """Scores of each hypothesis at each stop: the kernel of the test set is computed once for all."""
    run, trace, support = estimator._engine, estimator.trace_, estimator.support_
    n_problems = len(run.hyp)
    linear = [kind for kind in hypotheses if kind != "voted"]  # in the examples, as the vote is not
    moments = [(n_problems, stop, kind, run.fades) for kind in linear for stop in stops]
    coef = [dual_coefficients(trace, support, *moment) for moment in moments]
    coef = np.concatenate([np.empty((0, len(support))), *coef])
    bias = np.concatenate([np.empty(0), *(biases(trace, *moment) for moment in moments)])
    scores = {kind: np.empty((len(stops), X.shape[0], n_problems)) for kind in hypotheses}
    length = max(1, BLOCK_BYTES // (8 * len(support)))
    for first in range(0, X.shape[0], length):
        rows = slice(first, first + length)
        K = estimator._kernel(X[rows], estimator.support_vectors_)
        values = (K @ coef.T + bias).reshape(len(K), len(linear), len(stops), n_problems)
        for place, kind in enumerate(linear):
            scores[kind][:, rows] = values[:, place].swapaxes(0, 1)
        if "voted" in hypotheses:
            scores["voted"][:, rows] = votes_at(K, trace, support, n_problems, stops)
    return scores
