"""ALMA as a scikit-learn estimator."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

from sklearn.utils._param_validation import Interval, StrOptions

from marginbook.engines.pnorm import PNormEngine
from marginbook.estimators.base import OnlineClassifier, documented, positive
from marginbook.pnorms import resolve_p
from marginbook.rules import alma


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ALMA(OnlineClassifier):
    """ALMA_p, the approximate large-margin algorithm for the p-norm, ``p >= 2``.

    On an example with ``y w.x / |x|_p <= (1 - alpha) B sqrt((p - 1) / k)`` the ``k``-th correction takes a
    step of length ``C / sqrt((p - 1) k)`` and returns ``w`` to the unit ball of the dual norm.

    Parameters
    ----------
    alpha : float, default 0.9
        In (0, 1]. After convergence on separable data the margin is at least ``1 - alpha`` of the maximum; 1
        corrects mistakes alone.
    B : float or {"theorem", "experiments"}, default "theorem"
        ``"theorem"`` is ``sqrt(8) / alpha``, for which the margin is proved; ``"experiments"`` is
        ``1 / alpha``, the choice of the paper's experiments.
    C : float, default sqrt(2)
        Scale of the learning rate, positive.
    p : float or "log", default 2
        Lengths of examples are p-norms, ``p >= 2``; ``"log"`` is ``2 ln n_features`` (at least 2), good for
        sparse targets. Above 2 the kernel must be linear and ``noise_control`` 0.
    {parameters}

    Attributes
    ----------
    {attributes}

    Notes
    -----
    Margins are of examples scaled to length 1: the guarantee is for ``min y w.x / |x|_p``. A zero score is a
    mistake in training; ``predict`` gives it the positive class ``classes_[1]``. A row of zeros admits no
    update: it counts as a mistake and is skipped (unless ``augment`` or ``noise_control`` is positive), and
    ``converged_`` stays false.

    References
    ----------
    Gentile (2000), Figure 1 and Theorem 1.

    Examples
    --------
    >>> from marginbook import ALMA
    >>> X = [[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]]
    >>> model = ALMA(shuffle=False).fit(X, [1, 1, -1, -1])
    >>> model.predict(X).tolist()
    [1, 1, -1, -1]
    """

    alpha: float = 0.9
    B: float | str = "theorem"
    C: float = math.sqrt(2.0)
    p: float | str = 2.0

    _parameter_constraints: ClassVar[dict] = {
        **OnlineClassifier._parameter_constraints,
        "alpha": [Interval(Real, 0, 1, closed="right")],
        "B": [StrOptions({"theorem", "experiments"}), positive],
        "C": [positive],
        "p": [Interval(Real, 2, math.inf, closed="left"), StrOptions({"log"})],
    }

    _threshold = staticmethod(alma.threshold)

    def _algorithm(self, X):
        p = resolve_p(self.p, X.shape[1])
        named = {"theorem": math.sqrt(8.0) / self.alpha, "experiments": 1.0 / self.alpha}
        B = named[self.B] if isinstance(self.B, str) else self.B
        rule = alma.rule if p == 2.0 else alma.correction
        return rule, alma.Params(float(self.alpha), float(B), float(self.C), p), alma.State(1)

    def _make_engine(self, X, n_problems):
        algorithm = self._algorithm(X)
        p = algorithm[1].p
        if p == 2.0:
            return super()._make_engine(X, n_problems)
        for name, only in (("kernel", "linear"), ("noise_control", 0.0)):
            if getattr(self, name) != only:
                raise ValueError(f"p={p:.4g} needs {name}={only!r}, got {name}={getattr(self, name)!r}")
        return PNormEngine(*algorithm, n_problems, X.shape[1], **self._options())

    def _kernel_scores(self, X):
        if isinstance(self._engine, PNormEngine):
            return self._engine.votes_on(X)
        return super()._kernel_scores(X)
