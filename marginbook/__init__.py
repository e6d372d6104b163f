"""Online maximum-margin learning: numba-jitted algorithms behind scikit-learn estimators."""

from importlib import import_module

__version__ = "0.1.0"

# Public names and the modules they live in; loaded when first asked for, so that the import is quick.
_HOME = {
    "ALMA": "marginbook.estimators.alma",
    "AMIRA": "marginbook.estimators.amira",
    "IdealMargin": "marginbook.estimators.ideal",
    "MICRA": "marginbook.estimators.micra",
    "Pegasos": "marginbook.estimators.pegasos",
    "PUMMA": "marginbook.estimators.pumma",
    "Perceptron": "marginbook.estimators.perceptron",
    "ROMMA": "marginbook.estimators.romma",
    "adatron": "marginbook.ascent",
    "maximum_margin": "marginbook.margins",
}

__all__ = [*_HOME, "__version__"]


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module 'marginbook' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__():
    return sorted(__all__)
