"""The perceptron as a scikit-learn estimator."""

from dataclasses import dataclass
from typing import ClassVar

from marginbook.estimators.base import OnlineClassifier, documented, not_negative, positive
from marginbook.rules import perceptron


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class Perceptron(OnlineClassifier):
    """The perceptron: on an example with ``y w.x <= b``, ``w <- w + eta y x``.

    With margin ``b``; last, averaged and voted hypotheses; linear and kernel form; one-vs-rest.

    Parameters
    ----------
    margin : float, default 0
        ``b >= 0``, in units of the score ``w.x``: an example updates the weights when ``y w.x <= b``.
    eta : float, default 1
        Learning rate, positive. Only ``b / eta`` matters for the directions of the weights.
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
    Rosenblatt (1958); Freund and Schapire (1999) for voting; Krauth and Mezard (1987) for the margin.

    Examples
    --------
    >>> from marginbook import Perceptron
    >>> X = [[2.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-2.0, -1.0]]
    >>> model = Perceptron(shuffle=False).fit(X, [1, 1, -1, -1])
    >>> model.coef_, model.n_updates_
    (array([[2., 1.]]), 1)
    """

    margin: float = 0.0
    eta: float = 1.0

    _parameter_constraints: ClassVar[dict] = {
        **OnlineClassifier._parameter_constraints,
        "margin": [not_negative],
        "eta": [positive],
    }

    _threshold = staticmethod(perceptron.threshold)

    def _algorithm(self, X):
        return perceptron.rule, perceptron.Params(float(self.margin), float(self.eta)), perceptron.State()
