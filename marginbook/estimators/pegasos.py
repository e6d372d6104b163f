"""Pegasos as a scikit-learn estimator."""

from dataclasses import dataclass
from typing import ClassVar

from marginbook.estimators.base import OnlineClassifier, documented, positive
from marginbook.rules import pegasos


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class Pegasos(OnlineClassifier):
    """Pegasos: subgradient steps on ``lam/2 |w|^2 + mean of max(0, 1 - y w.x)``, one example at a time.

    Trial ``t`` sets ``w <- (1 - 1/t) w``, and adds ``y x / (lam t)`` where ``y w.x < 1`` before.

    Parameters
    ----------
    lam : float, default 1e-4
        ``lambda``, positive: weight of the regulariser.
    project : bool, default False
        Return to the ball of radius ``1 / sqrt(lam)`` after each step, as the first version of the paper
        does.
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    ``fit`` makes ``max_iter`` epochs whatever happens: the weights shrink at every trial, so an epoch without
    violations is not the last one to have any. ``converged_`` says that the last epoch had none; of the
    objective's optimum it says nothing, and the averaged weights come nearer to that than the last
    (:func:`marginbook.rules.pegasos.bound_objective`). Updates are violations. A row of zeros is an ordinary
    trial, and always a violation. ``history_`` has no margin. A zero score is a mistake in training;
    ``predict`` gives it the positive class ``classes_[1]``.

    References
    ----------
    Shalev-Shwartz, Singer and Srebro (2007), with a mini-batch of one.

    Examples
    --------
    >>> from marginbook import Pegasos
    >>> X = [[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]]
    >>> model = Pegasos(shuffle=False).fit(X, [1, 1, -1, -1])
    >>> model.predict(X).tolist()
    [1, 1, -1, -1]
    """

    lam: float = 1e-4
    project: bool = False

    _parameter_constraints: ClassVar[dict] = {
        **OnlineClassifier._parameter_constraints,
        "lam": [positive],
        "project": ["boolean"],
    }

    _threshold = staticmethod(pegasos.threshold)

    def _algorithm(self, X):
        return pegasos.rule, pegasos.Params(float(self.lam), bool(self.project)), pegasos.State(0)

    def _options(self):
        return {**super()._options(), "fades": True}
