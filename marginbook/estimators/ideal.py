"""The ideal online algorithm as a scikit-learn estimator."""

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

from sklearn.utils._param_validation import Interval

from marginbook.engines.ideal import IdealEngine
from marginbook.estimators.base import OnlineClassifier, documented


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class IdealMargin(OnlineClassifier):
    """The ideal online algorithm: on trial ``t``, the shortest ``w`` with ``y_s w.x_s >= 1``, all ``s < t``.

    That is the maximum-margin separator of all earlier examples, through the origin of the feature space.
    ROMMA is its cheap relaxation. Linear and kernel form; soft margin; one-vs-rest.

    Parameters
    ----------
    tol : float, default 1e-6
        Before every trial the margin of ``w`` is at least ``1 - tol`` times the largest margin, as a dual
        bound proves. An example that keeps that true changes nothing.
    max_iter : int, default 1
        Largest number of epochs. In a second one every example is an earlier one, and nothing changes.
    {parameters}

    Attributes
    ----------
    support_ : array, shape (n_supports,)
        Rows of ``X`` with a positive dual weight after the last trial; kernel form. ``support_vectors_`` are
        the rows themselves.
    {attributes}

    Raises
    ------
    ValueError
        From ``fit`` and ``partial_fit``, when the examples met are inseparable or their margin is below 1e-7
        of the radius: the hypothesis does not exist. Any data are separable with ``noise_control``.
    RuntimeError
        When rounding keeps the margin from ``tol``: for a very small ``tol`` or margin.

    Notes
    -----
    ``n_updates_`` counts the trials that changed the hypothesis. The hypothesis after the last trial
    predicts: the maximum-margin separator of all examples. ``history_`` has its margin. A row of zeros counts
    as a mistake and is not among the constraints (unless ``augment`` or ``noise_control`` is positive). Time
    and memory grow with the number of examples times the number that ever had a dual weight.

    References
    ----------
    Li and Long (2000), section 2.1, with the constraints of the trials before ``t`` (not of ``t`` itself).
    Hildreth (1957) for the solver; Friess, Cristianini and Campbell (1998), the kernel Adatron.

    Examples
    --------
    >>> from marginbook import IdealMargin
    >>> X, y = [[2.0, 0.0], [1.0, 0.1], [-1.0, 1.0]], [1, 1, -1]
    >>> model = IdealMargin(shuffle=False).fit(X, y)
    >>> model.n_mistakes_, model.n_updates_, (X @ model.coef_[0]).round(5).tolist()
    (1, 3, [2.0, 1.0, -1.0])
    """

    max_iter: int = 1
    tol: float = 1e-6
    # The hypothesis is the last one, moved by no rule and kept with all examples: nothing to choose here.
    hypothesis: ClassVar[str] = "last"  # type: ignore[misc]
    cache_size: ClassVar[float] = 0.0  # type: ignore[misc]
    record_trace: ClassVar[bool] = False  # type: ignore[misc]

    _parameter_constraints: ClassVar[dict] = {
        **OnlineClassifier._parameter_constraints,
        "tol": [Interval(Real, 0, 1, closed="neither")],
    }

    def _make_engine(self, X, n_problems):
        return IdealEngine(
            n_problems, kernel=self._kernel, tol=self.tol, noise=self.noise_control, rho=self.augment
        )
