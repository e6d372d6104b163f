"""The table of cases: every algorithm in the settings that all common tests run it in.

A new algorithm adds its rows here; ``test_cases.py`` and ``test_estimators_sklearn.py`` do the rest.
"""

from typing import Any, NamedTuple

from marginbook import ALMA, AMIRA, MICRA, PUMMA, ROMMA, IdealMargin, Pegasos, Perceptron


class Case(NamedTuple):
    """An estimator and its parameters, and what it can do."""

    make: type  # the estimator's class
    options: dict[str, Any] = {}
    two_norm: bool = True  # has a kernel form, noise_control, and weights w <- scale w + step x
    augment: bool = True  # has a constant feature, and no bias of its own
    hypotheses: tuple[str, ...] = ("last", "averaged", "voted")

    def __call__(self, **options):
        """The estimator, in the order given unless told otherwise."""
        return self.make(**{"shuffle": False, "max_iter": 4, **self.options, **options})


CASES = {
    "perceptron": Case(Perceptron),
    "perceptron with margin": Case(Perceptron, {"margin": 2.5, "eta": 0.5}),
    # Two epochs: the samples are inseparable, |w|^2 grows, and the kernel form never computes it anew.
    "romma": Case(ROMMA, {"max_iter": 2}),
    "aggressive romma": Case(ROMMA, {"delta": 0.0, "max_iter": 2}),
    "romma with delta": Case(ROMMA, {"delta": 0.3, "max_iter": 2}),
    "alma": Case(ALMA),
    "alma experiments": Case(ALMA, {"alpha": 0.5, "B": "experiments"}),
    "alma, p = 4": Case(ALMA, {"p": 4.0}, two_norm=False),
    # A constant feature is one feature more, and another p.
    "alma, p = log": Case(ALMA, {"p": "log", "alpha": 0.5, "B": 3.0}, two_norm=False, augment=False),
    "micra": Case(MICRA),
    "micra reduced": Case(MICRA, {"eta": 3.0, "beta": 0.2, "mini_epochs": 3}),
    "amira mira": Case(AMIRA, {"epsilon": 1.0}),
    "amira": Case(AMIRA, {"epsilon": 0.5}),
    "amira passive-aggressive": Case(AMIRA, {"epsilon": 0.0}),
    "amira 1-best": Case(AMIRA, {"epsilon": 0.5, "multiclass": "1-best"}),
    "amira k-best": Case(AMIRA, {"epsilon": 0.8, "multiclass": "k-best", "k": 9}),
    "pegasos": Case(Pegasos, {"lam": 0.01}),
    "pegasos projected": Case(Pegasos, {"lam": 0.1, "project": True}),
    # As for ROMMA: the samples are inseparable.
    "pumma": Case(PUMMA, {"delta": 0.3, "max_iter": 2}, augment=False),
    "pumma on mistakes": Case(PUMMA, {"delta": 1.0, "max_iter": 2}, augment=False),
    "pumma, p = 4": Case(PUMMA, {"p": 4.0, "max_iter": 2}, False, False),
    "pumma, p = log": Case(PUMMA, {"p": "log", "max_iter": 2}, False, False),
}

# Settings that must keep all of scikit-learn's contract.
FORMS = [
    Perceptron(),
    Perceptron(hypothesis="averaged", augment=1.0),
    Perceptron(hypothesis="voted"),
    Perceptron(kernel="rbf"),
    Perceptron(kernel="poly", degree=2, hypothesis="voted", noise_control=1.0),
    Perceptron(kernel="linear", margin=1.0, noise_control=1.0),
    Perceptron(kernel="precomputed"),
    ROMMA(),
    ROMMA(kernel="poly", delta=0.1, start="bias", hypothesis="voted"),
    ROMMA(kernel="rbf", delta=0.0, noise_control=1.0, hypothesis="averaged"),
    ALMA(),
    ALMA(kernel="poly", degree=2, hypothesis="averaged", B="experiments"),
    ALMA(p="log", hypothesis="voted", augment=1.0),
    MICRA(mini_epochs=5, augment=1.0),
    MICRA(kernel="rbf", hypothesis="voted"),
    AMIRA(),
    AMIRA(epsilon=0.0, kernel="rbf"),
    AMIRA(multiclass="k-best", hypothesis="voted"),
    AMIRA(multiclass="1-best", kernel="rbf", hypothesis="averaged"),
    Pegasos(hypothesis="averaged"),
    Pegasos(kernel="rbf", project=True),
    IdealMargin(noise_control=1.0, augment=1.0),  # of inseparable data there is no maximum margin
    IdealMargin(kernel="rbf", noise_control=1.0),
    PUMMA(hypothesis="voted"),
    PUMMA(p=4.0),
    PUMMA(p="log", hypothesis="averaged"),
    PUMMA(kernel="rbf", noise_control=1.0, hypothesis="averaged"),
    PUMMA(kernel="precomputed", noise_control=1.0),  # of inseparable data scores are mostly rounding
]
