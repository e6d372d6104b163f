"""Ishibashi, Hatano and Takeda: Table 1, real data with a 2-norm soft margin."""

from time import process_time

import numpy as np
from scipy import sparse
from sklearn.svm import SVC
from sklearn.utils.extmath import row_norms

import marginbook
from marginbook import data
from marginbook.experiments.record import DERIVED, Part, Published, Record, printed
from marginbook.margins import extended_margin

TABLE = "ishibashi-table-1"
SETS = tuple(dict.fromkeys(row["dataset"] for row in printed(TABLE)))
SUBSETS = {f"adult-{m}k": 1000 * m for m in (1, 2, 4, 8, 16)}  # rows
FULL_VOTES = "house-votes without its empty row"
GAIN = [73, 74]  # columns of a9a, from 0: the attribute of two values that is capital gain


def run(seed, name, n_rows, noise_control, svm, algorithms, empty=True):
    """Margin in the extended space, updates and CPU seconds by algorithm; ``empty``: rows of zeros stay."""
    sample = data.load(name)
    X, y = sample.data[:n_rows], sample.target[:n_rows]
    if not empty:
        kept = row_norms(X) > 0
        X, y = X[kept], y[kept]
    radius = float(np.sqrt(row_norms(X, squared=True).max()))
    values = {"maximum": [marginbook.maximum_margin(X, y, noise_control=noise_control).margin]}
    if svm:
        values |= _libsvm(X, y, noise_control, **svm)
    for label, options in algorithms.items():
        options = dict(options)
        make = getattr(marginbook, options.pop("algorithm"))
        if options.get("augment") == "R":
            options["augment"] = radius
        if "designed" in options:  # the threshold beta is that of R with another constant feature
            length = [np.sqrt(radius**2 + noise_control + c**2) for c in (options.pop("designed"), radius)]
            options["beta"] *= length[0] / length[1]
        model = make(**options, noise_control=noise_control, shuffle=False)
        cap = model.max_iter
        model.set_params(max_iter=2).fit(X, y)  # compiles
        began = process_time()
        model.set_params(max_iter=cap).fit(X, y)
        values[f"seconds {label}"] = [process_time() - began]
        values[f"{label} margin"] = [extended_margin(model)] if model.converged_ else [float("nan")]
        values[f"{label} updates"] = [model.n_updates_]
        values[f"{label} epochs"] = [model.n_iter_]
    return values


def _libsvm(X, y, noise_control, C, tol, cache_size):
    """LIBSVM on rows with their private coordinates."""
    longer = sparse.hstack([sparse.csr_matrix(X), np.sqrt(noise_control) * sparse.identity(len(y))], "csr")
    began = process_time()
    model = SVC(kernel="linear", C=C, tol=tol, cache_size=cache_size).fit(longer, y)
    seconds = process_time() - began
    least = float((y * model.decision_function(longer)).min())
    return {
        "LIBSVM margin": [least / float(sparse.linalg.norm(model.coef_.copy()))],
        "seconds LIBSVM": [seconds],
    }


def run_maxima(seed, sizes, noise_control, shuffled, without):
    """Maximum margins of other subsets of Adult."""
    sample = data.load("a9a")
    n, d = sample.data.shape
    order = np.random.default_rng(seed).permutation(n) if shuffled else np.arange(n)
    X = sample.data[:, np.setdiff1d(np.arange(d), without)]
    chosen = [order[: size or n] for size in sizes]
    found = [marginbook.maximum_margin(X[i], sample.target[i], noise_control=noise_control) for i in chosen]
    return {"maximum": [each.margin for each in found]}


def _micra():
    """Tsampouka and Shawe-Taylor's parameters; for a subset of Adult those of their next larger one."""
    rows = [*printed("tsampouka-table-5"), *printed("tsampouka-table-6")]
    rows = [row for row in rows if row["algorithm"] == "red-MICRA"]
    sizes = {int(row["subset_size"]): row for row in rows if "subset_size" in row}
    of = {row["dataset"]: row for row in rows}
    for name in SETS:
        if name.startswith("adult"):
            row = sizes[min(size for size in sizes if size >= SUBSETS.get(name, max(sizes)))]
        else:
            row = of[name.removeprefix("house-")]
        eta, beta, rho = (float(row[key] or 0) for key in ("eta", "beta_over_R", "rho"))
        shared = {"algorithm": "MICRA", "epsilon": 0.05, "zeta": 0.9, "eta": eta, "beta": beta}
        shared |= {"mini_epochs": int(row["N"]), "max_iter": 100_000}
        yield (
            name,
            {
                "MICRA": {**shared, "augment": "R", "designed": rho},
                "MICRA with its own constant": {**shared, "augment": rho},
            },
        )


def _parts():
    seconds = {"adult-8k": 40, "adult-16k": 90, "adult-full": 140}
    for name, micra in _micra():
        source = "a9a" if name.startswith("adult") else name
        algorithms = {
            "PUMMA": {"algorithm": "PUMMA", "delta": 0.01, "max_iter": 1_000_000},
            "ROMMA": {"algorithm": "ROMMA", "delta": 0.01, "augment": "R", "max_iter": 1_000_000},
            **micra,
            "PUMMA, delta = 0.1": {"algorithm": "PUMMA", "delta": 0.1, "max_iter": 1_000_000},
        }
        svm = {"C": 1e10, "tol": 1e-3, "cache_size": 1200} if name != "adult-full" else None
        parameters = {"name": source, "n_rows": SUBSETS.get(name), "noise_control": 1.0, "svm": svm}
        parameters["algorithms"] = algorithms
        yield name, Part(run, parameters, (source,), 1, seconds.get(name, 15))
        if name == "house-votes":
            yield FULL_VOTES, Part(run, {**parameters, "empty": False}, (source,), 1, 15)
    sizes = {"sizes": [*SUBSETS.values(), None], "noise_control": 1.0}
    random = {**sizes, "shuffled": True, "without": []}
    yield "Adult, random rows", Part(run_maxima, random, ("a9a",), 10, 5)
    random = {**sizes, "shuffled": True, "without": GAIN}
    yield "Adult without capital gain, random rows", Part(run_maxima, random, ("a9a",), 10, 5)


OTHER_DATA = "The maximum margin depends on the data alone, so these are of other data: see the choices."
SAME = (
    "Both take so little, most of it in Python between the epochs, that which is less changes from run to "
    "run."
)
MISPRINT = (
    "delta = 0.01 guarantees 0.99 of the maximum, as all other printed margins of PUMMA have beside "
    "SVM^light's. This one does not: probably a misprint, of 4.50 for 4.90."
)
NOT_PRINTED = (
    "MICRA's parameters are not printed. With those of Tsampouka and Shawe-Taylor it gets the margins listed "
    "among the readings."
)


def _share(margin, maximum):
    """A quotient of two printed numbers, to the digits of the second."""
    digits = len(maximum.replace(".", "").lstrip("0"))
    return f"{float(margin) / float(maximum):.{digits}f}"


def _cells():
    for row in printed(TABLE):
        name, label = row["dataset"], row["algorithm"]
        slow, adult = name == "adult-full", name.startswith("adult")
        timed = "LIBSVM" if label == "SVMlight" else label
        note = "SVM^light's seconds, LIBSVM's here" if timed == "LIBSVM" else ""
        if slow and timed == "LIBSVM":
            note = "SVM^light's seconds; LIBSVM is not run on the full set"
        yield Published(
            label, f"{name}, seconds", row["seconds"], "quoted" if slow and timed == "LIBSVM" else "seconds",
            name, f"seconds {timed}", peer="" if slow or timed == "LIBSVM" else "SVMlight", reason=note,
        )  # fmt: skip
        series = "maximum" if label == "SVMlight" else f"{label} margin"
        kind, reason = "margin", OTHER_DATA if adult or name == "house-votes" else ""
        if label == "MICRA":
            kind, reason = "quoted", NOT_PRINTED
        elif (name, label) == ("adult-1k", "PUMMA"):
            reason = MISPRINT
        column, value = f"{name}, 100 margin", row["margin_printed"]
        yield Published(label, column, value, kind, name, series, scale=100, reason=reason)


def _statements():
    for name in SETS:
        reason = "" if name.startswith("adult") else SAME
        for label in ("PUMMA converges faster than ROMMA", "PUMMA converges slower than MICRA"):
            yield Published(label, name, "holds", "claim", DERIVED, f"{name}: {label}", reason=reason)
        label = "PUMMA with delta = 0.1 is faster, at a lower margin"
        yield Published(label, name, "holds", "claim", DERIVED, f"{name}: {label}")


def _readings():
    maxima = {r["dataset"]: r["margin_printed"] for r in printed(TABLE) if r["algorithm"] == "SVMlight"}
    for row in printed(TABLE):
        name, label, value = row["dataset"], row["algorithm"], row["margin_printed"]
        column = f"{name}, 100 margin"
        if name == "house-votes" and label != "MICRA":
            series = "maximum" if label == "SVMlight" else f"{label} margin"
            yield Published(
                label, f"{FULL_VOTES}, 100 margin", value, "margin", FULL_VOTES, series, scale=100
            )
        if label == "SVMlight":
            if name.startswith("adult"):
                for part in ("Adult, random rows", "Adult without capital gain, random rows"):
                    place = [*SUBSETS, "adult-full"].index(name)
                    yield Published(part, column, value, "margin", part, "maximum", place, scale=100)
            continue
        owns = ("MICRA", "MICRA with its own constant") if label == "MICRA" else (label,)
        for own in owns:
            share = _share(value, maxima[name])
            yield Published(own, f"{name}, margin / maximum", share, "margin", DERIVED, f"{name}: {own}")
            if label == "MICRA":
                yield Published(own, column, value, "margin", name, f"{own} margin", scale=100)
    for name, source, table in ("house-votes", "votes", "5"), ("adult-full", "Adult", "6"):
        rows = [row for row in printed(f"tsampouka-table-{table}") if row["dataset"] == source]
        row = [row for row in rows if (row["algorithm"], row["accuracy_epsilon"]) == ("SVMlight", "0.001")][
            -1
        ]
        where, value = f"{name}, {row['margin_scaling']}", row["margin_printed"]
        scale = 10.0 ** int(row["margin_scaling"][3])
        label = f"SVMlight, Tsampouka and Shawe-Taylor's Table {table}"
        yield Published(label, where, value, "margin", name, "maximum", scale=scale)


def derive(values):
    """Margins as shares of the maximum, and the statements of the text."""
    found = {}
    for name in SETS:
        if (name, "maximum") not in values:
            continue
        maximum = values[name, "maximum"][:, 0]
        margins = {
            label: values[name, f"{label} margin"][:, 0]
            for label in ("PUMMA", "ROMMA", "MICRA", "MICRA with its own constant", "PUMMA, delta = 0.1")
        }
        for label, margin in margins.items():
            found[f"{name}: {label}"] = margin / maximum
        time = {label: values[name, f"seconds {label}"][:, 0] for label in margins}
        found[f"{name}: PUMMA converges faster than ROMMA"] = time["PUMMA"] < time["ROMMA"]
        found[f"{name}: PUMMA converges slower than MICRA"] = time["PUMMA"] > time["MICRA"]
        easy = "PUMMA, delta = 0.1"
        held = (time[easy] < time["PUMMA"]) & (margins[easy] < margins["PUMMA"])
        found[f"{name}: PUMMA with delta = 0.1 is faster, at a lower margin"] = held
    return {name: numbers.astype(float)[:, None] for name, numbers in found.items()}


TABLE_1 = Record(
    id=TABLE,
    paper="ishibashi2008",
    title="Ishibashi, Hatano and Takeda, Table 1: real data",
    protocol=(
        "Linear data with the inner product x.x' + lambda [i = j], lambda = 1, which gives each example a "
        "private coordinate. PUMMA with its bias and ROMMA with a constant feature R = max |x|, both with "
        "delta = 0.01, and MICRA run until an epoch makes no update. The margin is that in the space with "
        "private coordinates, without division by R, and with the bias free: the constant feature does not "
        "count in |w|. One run, examples in the order of the file; CPU seconds without compilation."
    ),
    choices={
        "subsets": "How the subsets of Adult were chosen is not said. Here adult-mk is the first 1000 m rows "
        "of a9a. Maximum margins of random subsets are among the readings.",
        "data": "Where the printed maximum margin is not that of our data set, the printed margins of the "
        "algorithms cannot be ours either. The readings list each as a share of the maximum of the same "
        "data: theirs of SVM^light's printed margin, ours of the exact one.",
        "house-votes": "With y, n, ? as 1, -1, 0 the maximum margin is that of Tsampouka and Shawe-Taylor's "
        "Table 5, listed among the readings. One row has ? in all its places, so it is a row of zeros, which "
        "a sparse file can lose. Without it all printed margins are reached: see the readings. No other "
        "coding of ? that was tried (0.5, -0.5, 2, the more frequent vote, the three values in another "
        "order, two or three binary attributes a vote, complete rows alone) gives them.",
        "Adult": "The maximum margin of all rows is that of Tsampouka and Shawe-Taylor's Table 6, among the "
        "readings. The one printed here is of another coding of the attributes, or of other rows, and so "
        "may the subsets' be. Random rows do not explain it: see the readings. Their other entry was found "
        "by leaving out each of the 14 attributes in turn. Without capital gain the full set has the "
        "printed margin: a hint of what another coding can do, not its proof.",
        "SVM^light": "Its margins are compared with the exact maximum margin, certified by its dual value. "
        "Its seconds stand beside those of LIBSVM on rows with explicit private coordinates (C = 1e10, "
        "tolerance 0.001, a cache for the whole kernel matrix). LIBSVM is not run on the "
        "32,561 rows of the full set: its time grows with the square of the rows, and so does its cache.",
        "MICRA": "Its parameters were set for each data set as in Tsampouka and Shawe-Taylor and are not "
        "printed, nor is whether it was reduced. Here it is their reduced form with epsilon = 0.05, zeta = "
        "0.9 and their eta, N and beta: for a subset of Adult those of their next larger one. The constant "
        "feature is R, as the paper says; beta, a length, stays theirs although R is longer with it. Of nine "
        "ways tried this one came nearest to the printed margins. A choice made so is no test: MICRA's "
        "margins are among the readings and not counted.",
        "constant feature": "The paper's is -R, ours is R: the sign of one weight, no margin and no update.",
    },
    parts=dict(_parts()),
    cells=(*_cells(), *_statements()),
    readings=tuple(_readings()),
    derive=derive,
)
