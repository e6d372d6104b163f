"""The parameters and attributes that all estimators share, as their docstrings tell them."""

PARAMETERS = """\
kernel : {"linear", "poly", "rbf", "precomputed"}, default "linear"
    ``x.y``, ``(gamma x.y + coef0)^degree``, ``exp(-gamma |x - y|^2)``, or kernel values given as ``X``.
gamma : float or {"scale", "auto"}, default "scale"
    Kernel coefficient; ``"scale"`` is ``1 / (n_features X.var())``, ``"auto"`` is ``1 / n_features``.
degree : int, default 3
    Degree of the polynomial kernel, at least 1.
coef0 : float, default 1
    Constant of the polynomial kernel, not negative.
noise_control : float, default 0
    ``lambda >= 0``: each training example gets a private coordinate ``sqrt(lambda)``, which adds
    ``lambda`` to its kernel value with itself (a 2-norm soft margin).
augment : float, default 0
    ``rho >= 0``: a constant feature added to every example; its weight times ``rho`` is ``intercept_``.
hypothesis : {"last", "averaged", "voted"}, default "last"
    What predicts: the last weights, their mean over all trials, or the vote of all hypotheses, each
    weighted by the number of trials it survived.
max_iter : int, default 100
    Largest number of epochs of ``fit``; it stops after an epoch without update.
shuffle : bool or "once", default True
    ``True``: epoch ``e`` uses the ``e``-th ``rng.permutation(n_samples)`` of
    ``np.random.default_rng(random_state)``; ``"once"``: the first of them in all epochs; ``False``: the
    order given.
random_state : int, Generator, RandomState or None
    Seed of the permutations.
cache_size : float, default 1024
    Memory in MB for kernel columns kept between epochs; the rest is computed again.
verbose : int, default 0
    Print a line an epoch.
record_trace : bool, default False
    Keep ``trace_``."""

ATTRIBUTES = """\
classes_ : array, shape (n_classes,)
coef_ : array, shape (n_problems, n_features)
    Weights, ``n_problems = 1`` for two classes; linear kernel, last or averaged hypothesis.
intercept_ : array, shape (n_problems,)
support_ : array, shape (n_supports,)
    Rows of ``X`` that caused an update, in the order in which they first did (numbers in the stream after
    ``partial_fit``); kernel form or voted hypothesis. ``support_vectors_`` are the rows themselves.
dual_coef_ : array, shape (n_problems, n_supports)
    Kernel form: ``f(x) = sum_j dual_coef_[j] K(support_vectors_[j], x) + intercept_``.
n_iter_, n_updates_, n_mistakes_ : int
    Epochs, updates, mistakes (``y w.x <= 0`` when presented), summed over problems.
converged_ : bool
    Whether the last epoch made no update and no mistake.
history_ : list of Epoch
    Epoch, updates, mistakes, margin, norm, seconds.
trace_ : structured array
    A row an update: epoch, trial, index, problem, score, scale, step, ww, bias."""
