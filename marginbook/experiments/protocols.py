"""Ways of running that several tables share."""

import numpy as np

from marginbook import data, hypotheses
from marginbook.kernels import Kernel

TEST_ROWS = 1000  # whose kernel values are held at a time


def kernel_epochs(estimator, name):
    """Train on a data set and read off the last and the voted hypothesis after every epoch.

    Parameters
    ----------
    estimator : OnlineClassifier
        With a kernel and ``record_trace=True``.
    name : str
        A data set with a test set.

    Returns
    -------
    dict
        Lists with an integer an epoch: ``mistakes`` (cumulative, all problems), and the test errors of the
        ``last`` and of the ``voted`` hypothesis.
    """
    sample = data.load(name)
    estimator.fit(sample.data, sample.target)
    kernel = Kernel(estimator.kernel, estimator.gamma, estimator.degree, estimator.coef0)
    n_problems, trace, support = len(estimator.dual_coef_), estimator.trace_, estimator.support_
    stops = [len(sample.data) * (epoch + 1) for epoch in range(estimator.max_iter)]
    lasts = [hypotheses.dual_coefficients(trace, support, n_problems, stop) for stop in stops]
    errors = {"last": np.zeros(len(stops), int), "voted": np.zeros(len(stops), int)}
    for first in range(0, len(sample.data_test), TEST_ROWS):
        K = kernel(sample.data_test[first : first + TEST_ROWS], estimator.support_vectors_)
        target = sample.target_test[first : first + TEST_ROWS]
        for epoch, stop in enumerate(stops):
            votes = hypotheses.votes(K, trace, support, n_problems, stop)
            for kind, scores in ("last", K @ lasts[epoch].T), ("voted", votes):
                winner = estimator.classes_[scores.argmax(axis=1)]
                errors[kind][epoch] += np.count_nonzero(winner != target)
    mistakes = np.cumsum([row.mistakes for row in estimator.history_])
    mistakes = np.append(mistakes, np.repeat(mistakes[-1], len(stops) - len(mistakes)))  # it may stop early
    return {"mistakes": mistakes.tolist()} | {kind: counts.tolist() for kind, counts in errors.items()}
