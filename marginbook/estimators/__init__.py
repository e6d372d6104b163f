"""scikit-learn estimators, one file an algorithm: thin shells that choose a rule and its parameters."""
