"""Every estimator keeps scikit-learn's contract, in linear and kernel form."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from marginbook import Perceptron

FORMS = [
    {},
    {"hypothesis": "averaged", "augment": 1.0},
    {"hypothesis": "voted"},
    {"kernel": "rbf"},
    {"kernel": "poly", "degree": 2, "hypothesis": "voted", "noise_control": 1.0},
    {"kernel": "linear", "margin": 1.0, "noise_control": 1.0},
    {"kernel": "precomputed"},
]


@parametrize_with_checks([Perceptron(**form) for form in FORMS])
def test_scikit_learn_check_passes(estimator, check):
    check(estimator)
