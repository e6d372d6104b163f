"""What all estimators share: validate, encode, choose the engine, name the results."""

import inspect
import re
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from marginbook.engines.kernel import KernelEngine
from marginbook.engines.linear import LinearEngine
from marginbook.estimators.shared import ATTRIBUTES, PARAMETERS
from marginbook.kernels import Kernel, resolve_gamma, summed

PREDICT_BYTES = 1 << 26  # of kernel values held at a time when predicting
VALIDATED = {"n_features_in_", "feature_names_in_"}  # fitted names that validation sets itself
positive = Interval(Real, 0, None, closed="neither")
not_negative = Interval(Real, 0, None, closed="left")


def documented(cls):
    """Write the shared parameters and attributes into an estimator's docstring: those that it has.

    What the docstring already describes is left out.
    """
    if cls.__doc__:
        cls.__doc__, known = inspect.cleandoc(cls.__doc__), inspect.signature(cls).parameters
        for place, shared in ("{parameters}", PARAMETERS), ("{attributes}", ATTRIBUTES):
            entries = {entry.split(" :")[0]: entry for entry in re.split(r"\n(?=\S)", shared)}
            lacking = {name for name in vars(OnlineClassifier) if name not in known}
            if "record_trace" not in known:
                lacking.add("trace_")
            kept = [e for n, e in entries.items() if n not in lacking and f"\n{n} :" not in cls.__doc__]
            cls.__doc__ = cls.__doc__.replace(place, "\n".join(kept))
    return cls


def _has_features(estimator):
    if estimator.kernel == "precomputed":
        raise AttributeError("a precomputed kernel cannot grow: partial_fit needs rows of features")
    return True


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineClassifier(ClassifierMixin, BaseEstimator):
    """What all online classifiers share; a subclass names its rule in ``_algorithm``."""

    kernel: str = "linear"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    noise_control: float = 0.0
    augment: float = 0.0
    hypothesis: str = "last"
    max_iter: int = 100
    shuffle: bool | str = True
    random_state: Any = None
    cache_size: float = 1024.0
    verbose: int = 0
    record_trace: bool = False

    _parameter_constraints: ClassVar[dict] = {
        "kernel": [StrOptions({"linear", "poly", "rbf", "precomputed"})],
        "gamma": [StrOptions({"scale", "auto"}), positive],
        "degree": [Interval(Integral, 1, None, closed="left")],
        "coef0": [not_negative],
        "noise_control": [not_negative],
        "augment": [not_negative],
        "hypothesis": [StrOptions({"last", "averaged", "voted"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "shuffle": ["boolean", StrOptions({"once"})],
        "random_state": ["random_state", np.random.Generator],
        "cache_size": [not_negative],
        "verbose": ["verbose"],
        "record_trace": ["boolean"],
    }

    def _algorithm(self, X):
        """The rule, its parameters and its first state."""
        raise NotImplementedError

    @staticmethod
    def _threshold(params, updates, xx, ww):
        """The rule fires where ``y score`` is at most this, after so many updates."""
        raise NotImplementedError("this rule tells no threshold: pass threshold to the stepper")

    def _options(self):
        """What the engine does besides running the rule."""
        return {
            "noise": self.noise_control,
            "rho": self.augment,
            "record": self.record_trace or self.hypothesis == "voted",
            "average": self.hypothesis == "averaged",
        }

    def _engines(self):
        """Engines for linear data and for a kernel."""
        return LinearEngine, KernelEngine

    def _make_engine(self, X, n_problems):
        """The engine that runs the rule over rows like ``X``."""
        algorithm, options = self._algorithm(X), self._options()
        linear, dual = self._engines()
        if self.kernel == "linear":
            return linear(*algorithm, n_problems, X.shape[1], **options)
        cache = self.cache_size * 2**20
        return dual(*algorithm, n_problems, kernel=self._kernel, cache_bytes=cache, **options)

    def _begin(self, order):
        """Set the hypotheses that the first epoch, in ``order``, starts from: 0 if an algorithm has none."""

    def _radius(self, X):
        """``R = max |x|``, constant feature and private coordinate included."""
        return float(np.sqrt(self._kernel.diagonal(X).max() + self.noise_control + self.augment**2))

    def fit(self, X: ArrayLike, y: ArrayLike):
        """Present the examples in epochs, until one makes no update or ``max_iter`` is reached.

        Parameters
        ----------
        X : array, CSR matrix or DataFrame, shape (n_samples, n_features)
            With ``kernel="precomputed"`` the symmetric kernel matrix, dense, shape (n_samples, n_samples).
        y : array-like, shape (n_samples,)
            Class labels; more than two classes give one one-vs-rest problem a class.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For parameters out of range, and for data that are empty, not finite, not numeric, of unequal
            lengths or of one class only. A failed fit leaves the estimator as it was.
        """
        with self._unchanged_on_error():
            self._validate_params()
            rows, labels = self._validate(X, y, reset=True)
            self._start(rows, np.unique(labels))
            self._engine.bind(rows, self._targets(labels), once=self.max_iter == 1)
            for order in self._orders(rows.shape[0]):
                if not self.history_:
                    self._begin(order)
                row = self._engine.epoch(order)
                self.history_.append(row)
                if self.verbose:
                    print(f"epoch {row.epoch}: {row.updates} updates, {row.mistakes} mistakes")
                if row.updates == 0 and not self._engine.fades:
                    break
            self.converged_ = row.updates == 0 and row.mistakes == 0
            self._finish()
        return self

    @available_if(_has_features)
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None):
        """Present the examples once more, in the order given: the next part of a stream.

        Parameters
        ----------
        X, y
            As for :meth:`fit`.
        classes : array-like, shape (n_classes,), optional
            All labels of the stream; needed in the first call unless ``y`` has them all.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            As :meth:`fit`, and for labels not among ``classes``.

        Notes
        -----
        Not there with ``kernel="precomputed"``: new rows have no kernel values against the old supports.
        """
        with self._unchanged_on_error():
            self._validate_params()
            first = not hasattr(self, "_engine")
            rows, labels = self._validate(X, y, reset=first)
            if first:
                self._start(rows, np.unique(labels if classes is None else classes))
            unknown = np.setdiff1d(labels, self.classes_)
            if len(unknown):
                raise ValueError(f"y has labels {unknown.tolist()} that are not in classes")
            self._engine.bind(rows, self._targets(labels), once=True)
            order = np.arange(rows.shape[0])
            if first:
                self._begin(order)
            row = self._engine.epoch(order)
            self.history_.append(row)
            self.converged_ = row.updates == 0 and row.mistakes == 0
            self._finish()
        return self

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Scores of the hypothesis: ``w.x`` (last, averaged), or the signed share of the votes in [-1, 1].

        Parameters
        ----------
        X : array, CSR matrix or DataFrame, shape (n_samples, n_features)
            With ``kernel="precomputed"`` kernel values against the training examples,
            shape (n_samples, n_training_samples).

        Returns
        -------
        array, shape (n_samples,) for two classes, else (n_samples, n_classes)
        """
        check_is_fitted(self)
        rows = summed(validate_data(self, X, **self._format(), reset=False))
        if self.hypothesis != "voted" and self.kernel == "linear":
            scores = np.asarray(rows @ self.coef_.T) + self.intercept_
        else:
            block = max(1, PREDICT_BYTES // (8 * max(1, len(self.support_))))
            parts = [self._kernel_scores(rows[a : a + block]) for a in range(0, rows.shape[0], block)]
            scores = np.concatenate(parts)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Class of the largest score; ties go to the smallest label, a zero score to ``classes_[1]`` of two.

        Parameters
        ----------
        X
            As for :meth:`decision_function`.

        Returns
        -------
        array, shape (n_samples,)
        """
        scores = self.decision_function(X)
        winner = (scores >= 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[winner]

    def _kernel_scores(self, X):
        K = X[:, self.support_] if self.kernel == "precomputed" else self._kernel(X, self.support_vectors_)
        if self.hypothesis != "voted":
            return K @ self.dual_coef_.T + self.intercept_
        return self._engine.votes(np.ascontiguousarray(K))

    def _format(self):
        """The arrays that the engines read."""
        sparse = "csr" if self.kernel != "precomputed" else False
        return {"accept_sparse": sparse, "dtype": np.float64, "order": "C"}

    def _validate(self, X, y, reset):
        X, y = validate_data(self, X, y, **self._format(), reset=reset)
        check_classification_targets(y)
        if self.kernel == "precomputed":
            _check_gram(X)
        return summed(X), y

    def _start(self, X, classes):
        """Drop what an earlier fit left and build the engine."""
        if len(classes) < 2:
            raise ValueError(f"y must have two classes or more, got one class only: {classes.tolist()}")
        for name in [name for name in vars(self) if name.endswith("_") and name not in VALIDATED]:
            delattr(self, name)
        self.classes_, self.history_ = classes, []
        gamma = resolve_gamma(self.gamma, X) if self.kernel in ("poly", "rbf") else 1.0
        self._kernel = Kernel(self.kernel, gamma, self.degree, self.coef0)
        self._engine = self._make_engine(X, self._n_problems())

    def _n_problems(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _targets(self, y):
        """Labels +-1, one row a problem."""
        positive_classes = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        return np.where(y == positive_classes[:, None], 1.0, -1.0)

    def _orders(self, n_samples):
        """The order of each epoch."""
        rng = np.random.default_rng(self.random_state)
        order = np.arange(n_samples) if self.shuffle is False else rng.permutation(n_samples)
        for _ in range(self.max_iter):
            yield order
            if self.shuffle is True:
                order = rng.permutation(n_samples)

    def _finish(self):
        """Name the results of the run."""
        run = self._engine
        run.release()
        weights, self.intercept_ = run.averaged_weights() if self.hypothesis == "averaged" else run.weights()
        if self.kernel != "linear":
            self.dual_coef_ = weights
        elif self.hypothesis != "voted":
            self.coef_ = weights
        if self.kernel != "linear" or self.hypothesis == "voted":
            self.support_ = run.supports.index.copy()
            if self.kernel != "precomputed":
                self.support_vectors_ = run.supports[:]
        if self.record_trace:
            self.trace_ = run.trace
        self.n_iter_ = run.epochs
        self.n_updates_ = sum(row.updates for row in self.history_)
        self.n_mistakes_ = sum(row.mistakes for row in self.history_)

    @contextmanager
    def _unchanged_on_error(self):
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def _check_gram(K):
    """A training kernel must be square and symmetric."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"a precomputed kernel must be square, got X of shape {K.shape}")
    if abs(K - K.T).max() > 1e-8 * abs(K).max():
        raise ValueError("a precomputed kernel must be symmetric, got X with X[i, j] != X[j, i]")
