"""Ways of running that several tables share."""

import numpy as np

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
    estimator.set_params(record_trace=True).fit(sample.data, sample.target)
    stops = len(sample.target) * np.arange(1, estimator.n_iter_ + 1)
    if (estimator._engine.trials != stops[-1]).any():
        raise ValueError("mini-epochs present other examples besides those of the epoch")
    history = estimator.history_
    counts = {
        "mistakes": np.cumsum([row.mistakes for row in history]),
        "updates": np.cumsum([row.updates for row in history]),
        **_errors(estimator, sample.data_test, sample.target_test, tuple(hypotheses), stops),
    }
    short = estimator.max_iter - len(history)
    return {series: np.pad(numbers, (0, short), "edge").tolist() for series, numbers in counts.items()}


def _errors(estimator, X, y, hypotheses, stops):
    """Test errors of each hypothesis at each stop: the kernel of the test set is computed once for all."""
    run, trace, support = estimator._engine, estimator.trace_, estimator.support_
    n_problems = len(run.hyp)
    linear = [
        (trace, n_problems, stop, kind, run.fades)  # in the examples, as the vote is not
        for kind in hypotheses
        if kind != "voted"
        for stop in stops
    ]
    coef = [dual_coefficients(trace, support, *moment[1:]) for moment in linear]
    coef = np.concatenate([np.empty((0, len(support))), *coef])
    bias = np.concatenate([np.empty(0), *(biases(*moment) for moment in linear)])
    errors = {kind: np.zeros(len(stops), int) for kind in hypotheses}
    length = max(1, BLOCK_BYTES // (8 * len(support)))
    for first in range(0, len(y), length):
        rows = slice(first, first + length)
        K = estimator._kernel(X[rows], estimator.support_vectors_)
        scores = (K @ coef.T + bias).reshape(len(K), -1, n_problems).swapaxes(0, 1)
        for kind in hypotheses:
            if kind == "voted":
                moments = votes_at(K, trace, support, n_problems, stops)
            else:
                moments, scores = scores[: len(stops)], scores[len(stops) :]
            winner = moments.argmax(axis=2) if n_problems > 1 else (moments[..., 0] >= 0).astype(int)
            errors[kind] += np.count_nonzero(estimator.classes_[winner] != y[rows], axis=1)
    return errors


def kernel_run(seed, *, algorithm, data, hypotheses, **options):
    """One run of a part: an estimator by name, its options, and :func:`kernel_epochs`."""
    estimator = getattr(marginbook, algorithm)(**options, random_state=seed)
    return kernel_epochs(estimator, data, hypotheses)
