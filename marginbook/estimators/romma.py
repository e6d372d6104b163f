"""ROMMA as a scikit-learn estimator."""

from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from marginbook.estimators.base import OnlineClassifier, documented
from marginbook.rules import romma


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ROMMA(OnlineClassifier):
    """ROMMA: on a trial with ``y w.x < 1 - delta`` or ``y w.x <= 0``, the shortest ``v`` with
    ``v.w >= |w|^2`` and ``y v.x >= 1``.

    Mistake-driven (``delta = 1``) or aggressive; linear and kernel form; soft margin; one-vs-rest.

    Parameters
    ----------
    delta : float, default 1
        In [0, 1]. An example updates the weights when its margin ``y w.x`` is below ``1 - delta`` or not
        positive. 1 is the mistake-driven algorithm. On separable data with ``delta < 1`` the margin after
        convergence is at least ``1 - delta`` times the maximum margin of hyperplanes through the origin. With
        0 the margin reaches the maximum only in the limit; margins within 1e-9 of 1 then count as 1.
    start : {"origin", "bias"}, default "origin"
        ``"bias"`` starts from ``w_1 = Phi(0)``, the image of the zero row (with ``augment``, its constant
        feature), as in the published MNIST runs. No bound holds from there: see the notes.
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    A zero score is a mistake in training; ``predict`` gives it the positive class ``classes_[1]``. A row of
    zeros admits no update: it counts as a mistake and is skipped (unless ``augment`` or ``noise_control`` is
    positive), and ``converged_`` stays false.

    On inseparable data ``|w|`` grows without bound. Where it would prove that no margin exceeds ``1e-7 |x|``,
    the weights start again from the last example.

    With ``start="bias"`` the first update requires ``v.Phi(0) >= |Phi(0)|^2``, which a separator need not
    satisfy. On the two examples below every trial is then a mistake and ``|w|`` grows geometrically (until
    the restart above ends it, after 120 updates), while two updates suffice from the origin. The start is row
    -1 of ``support_``, a zero row of ``support_vectors_`` and a row of ``trace_`` with epoch 0.

    References
    ----------
    Li and Long (2000); the step with a slack old constraint is derived in the book's chapter on ROMMA.

    Examples
    --------
    >>> from marginbook import ROMMA
    >>> X, y = [[1.0], [3.0]], [-1, 1]
    >>> model = ROMMA(kernel="poly", degree=1, gamma=1.0, shuffle=False)  # K = 1 + x x'
    >>> model.fit(X, y).n_updates_, model.converged_
    (2, True)
    >>> model.set_params(start="bias", max_iter=50).fit(X, y).n_mistakes_, model.history_[-1].norm > 1e5
    (100, True)
    """

    delta: float = 1.0
    start: str = "origin"

    _parameter_constraints: ClassVar[dict] = {
        **OnlineClassifier._parameter_constraints,
        "delta": [Interval(Real, 0, 1, closed="both")],
        "start": [StrOptions({"origin", "bias"})],
    }

    _threshold = staticmethod(romma.threshold)

    def _algorithm(self, X):
        return romma.rule, romma.Params(float(self.delta)), romma.State()

    def _begin(self, order):
        if self.start == "origin":
            return
        if self.kernel == "precomputed":
            raise ValueError("start='bias' needs the image of the zero row, which a precomputed kernel lacks")
        if self._kernel.diagonal(np.zeros((1, 1)))[0] + self.augment**2 == 0.0:
            raise ValueError("start='bias' needs a bias: augment, or a kernel with K(0, 0) > 0")
        self._engine.start(np.ones(len(self._engine.hyp)))
