"""Margins of a fitted estimator on data, and the maximum margin of a data set.

All start from ``y f(x)``, positive where the sign of the score is right, and divide it by:

=============  ============================================================================================
functional     1: in units of the score
geometric      ``|w|_2``: the distance of ``x`` from the hyperplane, with a sign
p-norm         ``|w|_q`` with ``1/p + 1/q = 1``: the same when distances are measured in the p-norm
directional    ``|(w, b / rho)|_2``: the distance in the space with a constant feature ``rho``
=============  ============================================================================================

They work for any object with ``decision_function``, ``classes_``, ``intercept_`` and either ``coef_`` or
``support_vectors_`` and ``dual_coef_``: also for scikit-learn's ``LinearSVC`` and ``SVC``.
They see the rows of ``X`` as given, without the private coordinates of ``noise_control``;
:func:`extended_margin` sees those of the training examples.
"""

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_X_y

from marginbook.maximum import MaximumMargin, maximum_margin, signs
from marginbook.solvers import dual_exponent

__all__ = [
    "MaximumMargin",
    "directional_margin",
    "dual_exponent",
    "extended_margin",
    "functional_margin",
    "geometric_margin",
    "maximum_margin",
    "p_norm_margin",
    "soft_margin_bounds",
]


def functional_margin(estimator, X, y, *, reduce=np.min):
    """Functional margin ``min y f(x)``.

    Parameters
    ----------
    estimator : fitted classifier
    X : array or CSR matrix, shape (n_samples, n_features)
    y : array-like, shape (n_samples,)
        Labels among ``estimator.classes_``. With more than two classes every one-vs-rest problem has its own
        margin, with ``y = 1`` for its class.
    reduce : callable or None
        What becomes of the margins: one number by default; ``None`` keeps them all.

    Returns
    -------
    float, or array of shape (n_samples,) or (n_samples, n_problems)
        In units of the score.

    Raises
    ------
    ValueError
        If ``y`` has another length than ``X`` or labels outside ``estimator.classes_``.
    sklearn.exceptions.NotFittedError
        If the estimator is not fitted.

    Examples
    --------
    >>> from marginbook import Perceptron
    >>> X, y = [[3.0, 4.0], [-1.0, 0.0]], [1, -1]
    >>> model = Perceptron(shuffle=False).fit(X, y)
    >>> functional_margin(model, X, y)
    3.0
    >>> functional_margin(model, X, y, reduce=None)
    array([25.,  3.])
    """
    return _reduced(_signed_scores(estimator, X, y), reduce)


def geometric_margin(estimator, X, y, *, reduce=np.min):
    """Geometric margin ``min y f(x) / |w|_2``; the bias and its coordinate do not count in ``w``.

    Parameters
    ----------
    estimator, X, y, reduce
        As in :func:`functional_margin`. With a precomputed kernel ``X`` is the training matrix.

    Returns
    -------
    float, or array of shape (n_samples,) or (n_samples, n_problems)
        In units of ``|x|`` (of ``sqrt(K(x, x))`` with a kernel).

    Raises
    ------
    ValueError
        As :func:`functional_margin`; if ``w = 0``; for a hypothesis without one ``w``, as a voted one.

    Examples
    --------
    >>> from marginbook import Perceptron
    >>> X, y = [[3.0, 4.0], [-1.0, 0.0]], [1, -1]
    >>> geometric_margin(Perceptron(shuffle=False).fit(X, y), X, y)
    0.6
    """
    return _reduced(_signed_scores(estimator, X, y) / _norm(estimator, X), reduce)


def directional_margin(estimator, X, y, *, rho=None, reduce=np.min):
    """Directional margin ``min y a.(x, rho) / |a|_2`` of the augmented weights ``a = (w, b / rho)``.

    It is at most the geometric margin, and equal to it without a bias.

    Parameters
    ----------
    estimator, X, y, reduce
        As in :func:`geometric_margin`.
    rho : float, optional
        The constant feature; by default the estimator's ``augment``.

    Returns
    -------
    float, or array of shape (n_samples,) or (n_samples, n_problems)
        In units of ``|x|``.

    Raises
    ------
    ValueError
        As :func:`geometric_margin`; if there is a bias and no positive ``rho``.

    References
    ----------
    Tsampouka and Shawe-Taylor (2007), section 2.

    Examples
    --------
    >>> from marginbook import Perceptron
    >>> X, y = [[1.0], [-1.0]], [1, -1]
    >>> model = Perceptron(augment=1.0, shuffle=False).fit(X, y)
    >>> model.coef_, model.intercept_
    (array([[2.]]), array([0.]))
    >>> directional_margin(model, X, y), geometric_margin(model, X, y)
    (1.0, 1.0)
    """
    margins = _signed_scores(estimator, X, y)
    bias = np.ravel(estimator.intercept_)
    rho = getattr(estimator, "augment", 0.0) if rho is None else rho
    if not rho > 0 and bias.any():
        raise ValueError(f"rho must be positive for an estimator with a bias, got {rho!r}")
    norm = np.hypot(_norm(estimator, X), bias / rho) if bias.any() else _norm(estimator, X)
    return _reduced(margins / norm, reduce)


def extended_margin(estimator):
    """Geometric margin of the last weights on the training data in the space that ``noise_control`` extends.

    There each training example has a private coordinate ``sqrt(lambda)``, and so have the weights: the hard
    margin in that space is a 2-norm soft margin. The constant feature's coordinate does not count in ``w``.

    Parameters
    ----------
    estimator : fitted online classifier of this package
        The last epoch made no update.

    Returns
    -------
    float
        ``min y f(x) / |w|_2`` over the examples of the last epoch and over problems, in units of ``|x|``.
        Without ``noise_control`` it is :func:`geometric_margin` on them.

    Raises
    ------
    ValueError
        If the last epoch moved the weights, or ``hypothesis`` is not ``"last"``.

    References
    ----------
    Cristianini and Shawe-Taylor (2000); Tsampouka and Shawe-Taylor (2007), section 4, Tables 5 to 8.

    Examples
    --------
    >>> from marginbook import Perceptron
    >>> X, y = [[1.0], [-1.0]], [1, -1]
    >>> extended_margin(Perceptron(noise_control=1.0, shuffle=False).fit(X, y))  # w = (1, 1, 0)
    0.7071067811865475
    """
    if not hasattr(estimator, "history_"):
        raise NotFittedError(f"this {type(estimator).__name__} is not fitted: it has no history_")
    if np.isnan(estimator.history_[-1].margin) or estimator.hypothesis != "last":
        raise ValueError("the last weights alone have this margin, after an epoch that did not move them")
    hyp = estimator._engine.hyp
    squared = hyp["ww"] - (hyp["scale"] * hyp["bias"]) ** 2
    return float((hyp["margin"] / _nonzero(np.sqrt(np.maximum(squared, 0.0)))).min())


def p_norm_margin(estimator, X, y, p, *, reduce=np.min):
    """Margin ``min y f(x) / |w|_q``, ``1/p + 1/q = 1``, of instances measured in the p-norm.

    Parameters
    ----------
    estimator, X, y, reduce
        As in :func:`functional_margin`; the estimator has ``coef_``.
    p : float
        At least one, or ``np.inf``; ``p = 2`` gives the geometric margin.

    Returns
    -------
    float, or array of shape (n_samples,) or (n_samples, n_problems)
        In units of ``|x|_p``.

    Raises
    ------
    ValueError
        As :func:`geometric_margin`; if ``p < 1``; if the estimator has no ``coef_``.

    References
    ----------
    Gentile (2000); Ishibashi, Hatano and Takeda (2008).

    Examples
    --------
    >>> from marginbook import Perceptron
    >>> X, y = [[3.0, 4.0], [-1.0, 0.0]], [1, -1]
    >>> p_norm_margin(Perceptron(shuffle=False).fit(X, y), X, y, p=1)
    0.75
    """
    q, margins = dual_exponent(p), _signed_scores(estimator, X, y)
    if not hasattr(estimator, "coef_"):
        raise ValueError(f"a p-norm margin needs coef_, which {type(estimator).__name__} does not have")
    return _reduced(margins / _nonzero(_linear_norm(estimator, q)), reduce)


def soft_margin_bounds(X, y, noise_control):
    """Two numbers that enclose the maximum soft margin of any data.

    With ``n+`` and ``n-`` examples of the classes, whose means are ``m+`` and ``m-``,

        lambda n / (4 n+ n-)  <=  gamma^2  <=  lambda n / (4 n+ n-) + |m+ - m-|^2 / 4.

    On the left is the margin of a hyperplane with ``w = 0`` on the examples themselves, on the right the
    certificate that gives the examples of a class equal weights. The two agree where the means do.

    Parameters
    ----------
    X : array or CSR matrix, shape (n_samples, n_features)
    y : array, shape (n_samples,)
        Two classes.
    noise_control : float
        ``lambda > 0``, added to the diagonal of the kernel matrix.

    Returns
    -------
    least, most : float
        In units of ``|x|``. :func:`maximum_margin` with this ``noise_control`` lies between them.

    Raises
    ------
    ValueError
        If ``noise_control`` is not positive, or ``y`` has not two classes.

    References
    ----------
    The proof is in the book's chapter on UCI, Adult and Web.

    Examples
    --------
    >>> soft_margin_bounds([[0.0], [0.0], [3.0], [3.0]], [-1, 1, -1, 1], noise_control=1.0)
    (0.5, 0.5)
    """
    if not 0 < noise_control < np.inf:
        raise ValueError(f"noise_control must be positive and finite, got {noise_control!r}")
    X, y = check_X_y(X, y, accept_sparse="csr", dtype=np.float64)
    positive = signs(y) > 0
    n, n_plus = len(y), positive.sum()
    least = noise_control * n / (4.0 * n_plus * (n - n_plus))
    apart = np.ravel(X[positive].mean(axis=0) - X[~positive].mean(axis=0))
    return float(np.sqrt(least)), float(np.sqrt(least + apart @ apart / 4.0))


def _signed_scores(estimator, X, y):
    """``y f(x)``, shape (n,) for two classes and (n, n_classes) for more."""
    if not hasattr(estimator, "classes_"):
        raise NotFittedError(f"this {type(estimator).__name__} is not fitted: it has no classes_")
    scores, y = estimator.decision_function(X), np.asarray(y)
    classes = estimator.classes_
    if y.shape != scores.shape[:1]:
        raise ValueError(f"y has shape {y.shape}, X has {len(scores)} rows")
    unknown = np.setdiff1d(y, classes)
    if unknown.size:
        raise ValueError(f"y has labels {unknown[:5]}, the estimator knows {classes}")
    positive = y == classes[1] if len(classes) == 2 else y[:, None] == classes
    return np.where(positive, scores, -scores)


def _norm(estimator, X):
    """``|w|_2`` of every problem, shape (n_problems,)."""
    if getattr(estimator, "hypothesis", None) == "voted":
        raise ValueError("a voted hypothesis has no weight vector, so no norm to divide by")
    if hasattr(estimator, "coef_"):
        return _nonzero(_linear_norm(estimator, 2))
    supports = getattr(estimator, "support_vectors_", None)
    if estimator.kernel == "precomputed":
        if X.shape[0] != X.shape[1]:
            raise ValueError(f"with a precomputed kernel X must be the training matrix, got shape {X.shape}")
        supports = X[estimator.support_]
    scores = estimator.decision_function(supports).reshape(supports.shape[0], -1)
    coef = estimator.dual_coef_
    if scores.shape != coef.T.shape:
        raise ValueError(f"{scores.shape[1]} problems but {len(coef)} rows of dual_coef_: not one-vs-rest")
    # w = sum_j c_j Phi(x_j), so |w|^2 = sum_j c_j w.Phi(x_j), and the scores of the supports give w.Phi(x_j).
    coef = coef.toarray() if hasattr(coef, "toarray") else coef
    squared = np.einsum("pj,jp->p", coef, scores - estimator.intercept_)
    return _nonzero(np.sqrt(np.maximum(squared, 0.0)))


def _linear_norm(estimator, q):
    coef = estimator.coef_
    return np.linalg.norm(coef.toarray() if hasattr(coef, "toarray") else coef, q, axis=-1).ravel()


def _nonzero(norm):
    if not norm.all():
        raise ValueError("the weights are zero: they define no hyperplane and no margin")
    return norm


def _reduced(margins, reduce):
    return margins if reduce is None else float(reduce(margins))
