"""AMIRA as a scikit-learn estimator."""

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

from sklearn.utils._param_validation import Interval

from marginbook.estimators.base import OnlineClassifier, documented, positive
from marginbook.rules import amira


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class AMIRA(OnlineClassifier):
    """AMIRA, the aggressive margin-infused relaxed algorithm; MIRA and passive-aggressive are special cases.

    On an example with ``y w.x <= 1 - epsilon`` the weights move as little as possible to reach ``y w.x = 1``:
    ``w <- w + (y - w.x) x / |x|^2``.

    Parameters
    ----------
    epsilon : float, default 0.9
        In [0, 1]. 1 is MIRA, which updates on mistakes alone; 0 is the passive-aggressive algorithm. On
        separable data the margin after convergence is more than ``(1 - epsilon) / (2 - epsilon)`` of the
        maximum.
    tol : float, default 1e-9
        Positive. With ``epsilon = 0`` an example updates the weights when ``y w.x < 1 - tol``; without it,
        updates of vanishing length would never end.
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    A zero score is a mistake in training; ``predict`` gives it the positive class ``classes_[1]``. A row of
    zeros admits no update: it counts as a mistake and is skipped (unless ``augment`` or ``noise_control`` is
    positive), and ``converged_`` stays false.

    References
    ----------
    Zhao and Huang (2013), Algorithms 1 to 3; Crammer and Singer (2003) for MIRA; Crammer et al. (2006) for
    PA.

    Examples
    --------
    >>> from marginbook import AMIRA
    >>> X = [[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]]
    >>> model = AMIRA(shuffle=False).fit(X, [1, 1, -1, -1])
    >>> model.predict(X).tolist()
    [1, 1, -1, -1]
    """

    epsilon: float = 0.9
    tol: float = 1e-9

    _parameter_constraints: ClassVar[dict] = {
        **OnlineClassifier._parameter_constraints,
        "epsilon": [Interval(Real, 0, 1, closed="both")],
        "tol": [positive],
    }

    def _algorithm(self, X):
        return amira.rule, amira.Params(float(self.epsilon), float(self.tol)), amira.State()
