"""AMIRA as a scikit-learn estimator."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from marginbook.engines.multiclass import KernelMulticlass, LinearMulticlass
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
    multiclass : {"ovr", "1-best", "k-best"}, default "ovr"
        Several classes as one-vs-rest problems, or as one problem with a weight vector a class: an update
        then gives the right class a margin of 1 over the best wrong class, or over the ``k`` best.
    k : int, default 5
        Wrong classes that an update of ``"k-best"`` looks at; more than there are count as all.
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

    With ``"1-best"`` and ``"k-best"`` the score of a class is ``w_m.x``, an update has a row of ``trace_``
    for each class that it moves, and the margin of ``history_`` is ``min (w_y - w_z).x / |w|`` with ``|w|^2``
    summed over the classes. With two classes ``coef_`` is ``w_1 - w_0``, which makes the very updates of the
    binary algorithm.

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
    multiclass: str = "ovr"
    k: int = 5
    tol: float = 1e-9

    _parameter_constraints: ClassVar[dict] = {
        **OnlineClassifier._parameter_constraints,
        "epsilon": [Interval(Real, 0, 1, closed="both")],
        "multiclass": [StrOptions({"ovr", "1-best", "k-best"})],
        "k": [Interval(Integral, 1, None, closed="left")],
        "tol": [positive],
    }

    _threshold = staticmethod(amira.threshold)

    def _algorithm(self, X):
        k = self.k if self.multiclass == "k-best" else 1
        rule = amira.rule if self.multiclass == "ovr" else amira.multiclass_step
        return rule, amira.Params(float(self.epsilon), float(self.tol), int(k)), amira.State()

    def _engines(self):
        if self.multiclass == "ovr":
            return super()._engines()
        return LinearMulticlass, KernelMulticlass

    def _n_problems(self):
        return super()._n_problems() if self.multiclass == "ovr" else len(self.classes_)

    def _targets(self, y):
        if self.multiclass == "ovr":
            return super()._targets(y)
        return np.searchsorted(self.classes_, y)[None].astype(float)
