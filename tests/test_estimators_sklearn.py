"""Every estimator keeps scikit-learn's contract, in linear and kernel form."""

from cases import FORMS
from sklearn.utils.estimator_checks import parametrize_with_checks


@parametrize_with_checks(FORMS)
def test_scikit_learn_check_passes(estimator, check):
    check(estimator)
