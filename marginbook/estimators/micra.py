"""MICRA as a scikit-learn estimator."""

from dataclasses import dataclass
from numbers import Integral, Real
from typing import ClassVar

from sklearn.utils._param_validation import Interval

from marginbook.estimators.base import OnlineClassifier, documented, not_negative, positive
from marginbook.rules import micra


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class MICRA(OnlineClassifier):
    """MICRA: threshold ``beta t^-epsilon`` and effective learning rate ``eta t^-zeta`` after ``t - 1``
    updates.

    On an example with ``y w.x <= |w| beta t^-epsilon`` the weights, kept at length 1, move by
    ``eta t^-zeta y x / R``. With ``mini_epochs`` the reduced form, which goes over the last epoch's updates
    again. ``zeta = 0`` is CRAMMA.

    Parameters
    ----------
    epsilon : float, default 0.05
        Positive: exponent of the threshold.
    zeta : float, default 0.9
        Not negative: exponent of the learning rate. The algorithm ends on separable data where ``zeta <= 1``.
    eta : float, default 10
        Positive, at most 1e100: effective learning rate at ``t = 1``.
    beta : float, default 0.05
        Positive: threshold at ``t = 1`` in units of ``R``, the largest ``|x|``, with the constant feature and
        the private coordinate. Later calls of ``partial_fit`` keep the ``R`` of the first.
    mini_epochs : int, default 0
        After each epoch, the examples that caused an update in it are presented again, in the same order, up
        to so many times, or until one such round makes no update. Updates and mistakes of these rounds count.
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    The first example sets the weights, ``w = y x / |x|``, which is no update: ``trace_`` has it as epoch 0,
    and ``n_updates_`` does not count it: it is ``t - 1``. The first example is tested like all others. A step
    that cancels the weights, which happens on inseparable data only, starts them again from its example.

    ``history_`` holds the directional margin, ``min y w.x / |w|``, of an epoch without update;
    :func:`marginbook.margins.extended_margin` gives the geometric one. Both see the private coordinates of
    ``noise_control``. How soon ``beta t^-epsilon`` falls below the largest margin depends on ``beta``: after
    about ``t_0`` updates, :func:`marginbook.rules.micra.earliest`, and not before.

    A zero score is a mistake in training; ``predict`` gives it the positive class ``classes_[1]``. A row of
    zeros admits no update: it counts as a mistake and is skipped (unless ``augment`` or ``noise_control`` is
    positive), and ``converged_`` stays false.

    References
    ----------
    Tsampouka and Shawe-Taylor (2007), Algorithm 1, with weights of constant length.

    Examples
    --------
    >>> from marginbook import MICRA
    >>> X = [[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]]
    >>> model = MICRA(shuffle=False).fit(X, [1, 1, -1, -1])
    >>> model.predict(X).tolist()
    [1, 1, -1, -1]
    """

    epsilon: float = 0.05
    zeta: float = 0.9
    eta: float = 10.0
    beta: float = 0.05
    mini_epochs: int = 0

    _parameter_constraints: ClassVar[dict] = {
        **OnlineClassifier._parameter_constraints,
        "epsilon": [positive],
        "zeta": [not_negative],
        "eta": [Interval(Real, 0, 1e100, closed="right")],  # its square is no overflow
        "beta": [positive],
        "mini_epochs": [Interval(Integral, 0, None, closed="left")],
    }

    _threshold = staticmethod(micra.threshold)

    def _algorithm(self, X):
        radius = self._radius(X) or 1.0  # rows of zeros alone: no update will ask for it
        params = micra.Params(
            float(self.epsilon), float(self.zeta), float(self.eta), float(self.beta) * radius, radius
        )
        return micra.rule, params, micra.start(params)

    def _options(self):
        return {**super()._options(), "mini_epochs": self.mini_epochs}

    def _begin(self, order):
        self._engine.start_at_first(order)
