"""PUMMA as a scikit-learn estimator."""

from dataclasses import dataclass, field
from numbers import Real
from typing import ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from marginbook.engines.pair import KernelPairEngine, LinearPairEngine, PNormPairEngine
from marginbook.estimators.base import OnlineClassifier, documented
from marginbook.pnorms import resolve_p
from marginbook.rules import pumma


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class PUMMA(OnlineClassifier):
    """PUMMA: nearly the maximum p-norm margin of hyperplanes ``w.x + b = 0`` with a bias, ``p >= 2``.

    On a trial with ``y (w.x + b) < 1 - delta`` or ``y (w.x + b) <= 0``: the least ``|v|_q`` with
    ``v.x+ + b >= 1``, ``v.x- + b <= -1`` for the last example of each class that caused an update, and
    ``v.theta >= |w|_q^2``.
    Linear and kernel form, soft margin (``p = 2``); one-vs-rest.

    Parameters
    ----------
    delta : float, default 0.1
        In [0, 1]. On separable data the margin after convergence is at least ``1 - delta`` times the maximum
        p-norm margin. 1 updates on mistakes alone. With 0 the margin reaches the maximum only in the limit;
        margins within 1e-9 of 1 then count as 1.
    p : float or "log", default 2
        Distances of instances are measured in the p-norm, ``p >= 2``. ``"log"`` is ``2 ln n_features`` (at
        least 2). Above 2 the weights tend to be sparse; the kernel must then be linear and ``noise_control``
        0, and averaged weights are computed from a record of all updates.
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    The bias is not part of the weights that are kept short, so there is no ``augment``.

    The first pair is the first example of each class. Completing it is one update; every example until then
    is a mistake, and none of them is tested again in that epoch. A row of zeros is an ordinary row. Two equal
    rows with opposite labels admit no update: such a trial is a mistake, and ``converged_`` stays false.

    On inseparable data ``|w|`` grows without bound. Where it would prove that no margin exceeds ``1e-7``
    times the distance of the pair, the weights start again from the pair alone.

    An update moves the weights along two examples: ``trace_`` has two rows for it, the example that fired and
    then the other one of the pair with ``scale = 1``. For ``p > 2`` they move ``theta``, the gradient of
    ``|w|_q^2 / 2`` at ``w``, and ``ww`` is ``|w|_q^2``; so is the norm in ``history_`` the q-norm.

    References
    ----------
    Ishibashi, Hatano and Takeda (2008); the corrected solution and bounds are derived in the book's chapter
    on PUMMA.

    Examples
    --------
    >>> from marginbook import PUMMA
    >>> X, y = [[100.0], [101.0], [102.0], [103.0]], [-1, -1, 1, 1]
    >>> model = PUMMA(delta=0.01, shuffle=False).fit(X, y)
    >>> model.coef_, model.intercept_, model.converged_
    (array([[2.]]), array([-203.]), True)
    """

    delta: float = 0.1
    p: float | str = 2.0
    augment: float = field(default=0.0, init=False)

    _parameter_constraints: ClassVar[dict] = {
        **OnlineClassifier._parameter_constraints,
        "delta": [Interval(Real, 0, 1, closed="both")],
        "p": [Interval(Real, 2, float("inf"), closed="left"), StrOptions({"log"})],
    }
    del _parameter_constraints["augment"]

    _threshold = staticmethod(pumma.threshold)

    def _algorithm(self, X):
        p = resolve_p(self.p, X.shape[1])
        step = pumma.minimiser if p == 2.0 else pumma.solve
        return (pumma.fires, step), pumma.Params(float(self.delta), p), pumma.State()

    def _make_engine(self, X, n_problems):
        algorithm, options = self._algorithm(X), self._options()
        p = algorithm[1].p
        if p > 2.0:
            for name, only in (("kernel", "linear"), ("noise_control", 0.0)):
                if getattr(self, name) != only:
                    raise ValueError(f"p={p:.4g} needs {name}={only!r}, got {name}={getattr(self, name)!r}")
            return PNormPairEngine(*algorithm, n_problems, X.shape[1], **options)
        if self.kernel == "linear":
            return LinearPairEngine(*algorithm, n_problems, X.shape[1], **options)
        cache = self.cache_size * 2**20
        return KernelPairEngine(*algorithm, n_problems, kernel=self._kernel, cache_bytes=cache, **options)

    def _kernel_scores(self, X):
        if isinstance(self._engine, PNormPairEngine):
            return self._engine.votes_on(X)
        return super()._kernel_scores(X)
