"""Zhao and Huang: Figures 2, 3a and 3b, margins and updates on synthetic data."""

from math import log

import numpy as np

from marginbook.experiments.record import DERIVED, Part, Published, Record
from marginbook.experiments.zhao_huang.boxes import boxes_run
from marginbook.experiments.zhao_huang.pictures import draw_margins, draw_shares, draw_updates

GAP = 0.3  # units of the box whose side is 10
COMMON = {"augment": 1.0, "shuffle": False}
LONG = {"max_iter": 1_000_000}  # epochs: until convergence
GRID = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]  # eps of Figure 3
ALIKE = 0.1  # difference of mean margins that "almost the same" allows

DISTRIBUTION = {
    "Perceptron": ["Perceptron", LONG],
    "Pegasos": ["Pegasos", {"lam": 1e-4, "project": True, "max_iter": 100}],
    **{f"AMIRA({eps:g})": ["AMIRA", {"epsilon": eps, **LONG}] for eps in (1.0, 0.9, 0.5, 0.1)},
}
AMIRA = {f"{eps:g}": ["AMIRA", {"epsilon": eps, **LONG}] for eps in GRID}
ROMMA = {f"{eps:g}": ["ROMMA", {"delta": eps, **LONG}] for eps in GRID}
PA = {"0": ["AMIRA", {"epsilon": 0.0, "max_iter": 20_000}]}


def _part(runs, boxes, seconds, algorithms, gap=GAP, **options):
    box = {"n_samples": 10_000, "n_features": 10, "side": 10.0, "gap": gap}
    parameters = {"boxes": boxes, "box": box, "algorithms": algorithms, "common": COMMON, **options}
    return Part(boxes_run, parameters, (), runs, seconds, 0.5)


DATA = (
    "10,000 points uniform in [0, 10]^10, labelled by a random plane through the centre, no point nearer to "
    f"it than {GAP}. The online algorithms get a constant feature 1, start from 0 and run until an epoch "
    "makes no update. A margin is that of the points as they are, divided by the maximum margin with bias."
)
CHOICES = {
    "distribution": "Not stated; uniform.",
    "gap": "Not stated, but without one the margin is nearly 0. Figure 2 is run for gaps of 1, 0.5, 0.3 and "
    f"0.2: at {GAP} no number of the text differs, and it is used everywhere. The others are stored as "
    "readings.",
    "order": "A shuffle is not mentioned for these data: the random points are presented in the order drawn, "
    "in every epoch.",
    "maximum margin": "The paper's LIBSVM is replaced by an exact solver with a certificate.",
}


def distribution(values):
    """Margins of all boxes at one gap, algorithm by algorithm."""
    derived = {}
    for part in PARTS_2:
        shares = {label: values[part, f"margin {label}"].ravel() for label in DISTRIBUTION}
        derived[part] = np.column_stack(list(shares.values()))
        small = shares["Pegasos"].mean() < shares["AMIRA(0.1)"].mean()
        derived[f"{part}, Pegasos"] = np.array([[float(small)]])
    return derived


def distribution_drawn(values, figure=None):
    """Figure 2."""
    columns = values[DERIVED, f"gap {GAP}"].T
    return draw_shares(dict(zip(DISTRIBUTION, columns, strict=True)), figure)


PARTS_2 = {
    f"gap {GAP}": _part(25, 20, 20, DISTRIBUTION),
    **{
        f"gap {gap}": _part(1, 20, seconds, DISTRIBUTION, gap)
        for gap, seconds in ((1.0, 10), (0.5, 15), (0.2, 30))
    },
}
STATED_2 = {"Perceptron": "0.1", "AMIRA(1)": "0.1", "AMIRA(0.9)": "0.4", "AMIRA(0.1)": "0.95"}


def _cells_2(part):
    for label, value in STATED_2.items():
        place = list(DISTRIBUTION).index(label)
        yield Published(label, "mean margin", value, "about", DERIVED, part, place)
    claim = "below AMIRA(0.1)'s"
    yield Published("Pegasos", f"mean margin {claim}", "holds", "claim", DERIVED, f"{part}, Pegasos")


FIGURE_2 = Record(
    id="zhao-huang-figure-2",
    paper="zhaohuang2013",
    title="Zhao and Huang, Figure 2: distribution of the margin on synthetic data",
    protocol=f"{DATA} 500 random sets; the numbers of the text are means.",
    choices={
        **CHOICES,
        "Pegasos": "lambda = 1e-4 is the paper's. It does not stop by itself: 100 epochs, with projection. "
        "A point on the wrong side gives a margin below 0.",
        "eps": "The paper does not list all values of the figure; those of the text, and 0.5.",
    },
    parts=PARTS_2,
    cells=tuple(_cells_2(f"gap {GAP}")),
    readings=tuple(
        cell._replace(column=f"{cell.column}, {part}")
        for part in PARTS_2
        if part != f"gap {GAP}"
        for cell in _cells_2(part)
    ),
    derive=distribution,
    draw=distribution_drawn,
)


def margins(values):
    """Margins of all boxes by eps, and the statements about their means."""
    amira, romma = (_columns(values, part, "margin") for part in ("AMIRA", "ROMMA"))
    eps, mean = np.array(GRID), amira.mean(axis=0)
    return {
        "AMIRA margin": amira,
        "ROMMA margin": romma,
        "at least 1 - eps": _claim(mean >= 1.0 - eps),
        "above the theorem": _claim(mean > (1.0 - eps) / (2.0 - eps)),
        "as ROMMA": _claim(np.abs(mean - romma.mean(axis=0)) <= ALIKE),
    }


def updates(values):
    """Updates of all boxes by eps, their exponents in 1/eps, and the statements about them."""
    amira, romma = (_columns(values, part, "updates") for part in ("AMIRA", "ROMMA"))
    eps, hardness = np.array(GRID), values["AMIRA", "hardness"].reshape(-1, 1)
    half = eps <= 0.5
    return {
        "AMIRA updates": amira,
        "ROMMA updates": romma,
        "AMIRA exponent": _exponent(eps[half], amira[:, half]),
        "ROMMA exponent": _exponent(eps[half], romma[:, half]),
        "fewer": (amira.mean(axis=0) < romma.mean(axis=0))[None].astype(float),
        "fewer at all": _claim(amira.mean(axis=0) < romma.mean(axis=0)),
        "AMIRA bound": (amira <= hardness / eps).all(axis=1, keepdims=True).astype(float),
        "ROMMA bound": (romma <= hardness / eps**2).all(axis=1, keepdims=True).astype(float),
        "PA": 1.0 - values["PA", "converged 0"].reshape(-1, 1),
    }


def margins_drawn(values, figure=None):
    """Figure 3 (a)."""
    return draw_margins(
        {part: values[DERIVED, f"{part} margin"] for part in ("AMIRA", "ROMMA")}, GRID, figure
    )


def updates_drawn(values, figure=None):
    """Figure 3 (b)."""
    curves = {part: values[DERIVED, f"{part} updates"] for part in ("AMIRA", "ROMMA")}
    return draw_updates(curves, GRID, figure)


def _columns(values, part, kind):
    """Shape (boxes, eps)."""
    return np.column_stack([values[part, f"{kind} {eps:g}"].ravel() for eps in GRID])


def _claim(holds):
    return np.array([[float(np.all(holds))]])


def _exponent(eps, counts):
    """Slope of the logarithm of the mean count against that of 1/eps."""
    slope = np.polyfit([log(1.0 / e) for e in eps], np.log(counts.mean(axis=0)), 1)[0]
    return np.array([[slope]])


def _statement(row, column, series, place=0, reason=""):
    return Published(row, column, "holds", "claim", DERIVED, series, place, reason=reason)


FIGURE_3A = Record(
    id="zhao-huang-figure-3a",
    paper="zhaohuang2013",
    title="Zhao and Huang, Figure 3 (a): margin against aggressiveness on synthetic data",
    protocol=f"{DATA} Means over 100 random sets; error bars are the smallest and the largest margin. ROMMA "
    "updates where the margin is below 1 - eps; eps = 1 is the mistake-driven algorithm.",
    choices={
        **CHOICES,
        "eps": "The paper's grid is not stated: 0.1, 0.2, ..., 1. At eps = 0 AMIRA does not stop.",
        "almost the same": f"Mean margins that differ by no more than {ALIKE} at any eps.",
    },
    parts={
        "AMIRA": _part(10, 10, 20, AMIRA, augmented=True),
        "ROMMA": _part(25, 4, 30, ROMMA),
    },
    cells=(
        Published(
            "AMIRA", "mean margin at eps = 0.4", "0.9", "about", DERIVED, "AMIRA margin", GRID.index(0.4)
        ),
        _statement("AMIRA", "mean margin at least 1 - eps", "at least 1 - eps"),
        _statement("AMIRA", "mean margin above (1 - eps) / (2 - eps)", "above the theorem"),
        _statement("AMIRA", "almost the margin of ROMMA", "as ROMMA"),
    ),
    derive=margins,
    draw=margins_drawn,
)

FEWER = (
    "It holds where the update is aggressive. Near eps = 1, where both update on little else than mistakes, "
    "ROMMA needs fewer: the readings have each eps."
)
ENDS = (
    "The weights of PA converge, so a test with any tolerance ends: here in some sets within 20,000 epochs. "
    "With the printed test no run could end."
)

FIGURE_3B = Record(
    id="zhao-huang-figure-3b",
    paper="zhaohuang2013",
    title="Zhao and Huang, Figure 3 (b): updates against aggressiveness on synthetic data",
    protocol=f"{DATA} The runs of Figure 3 (a): mean number of updates until convergence.",
    choices={
        **CHOICES,
        "exponents": "Slope of the logarithm of the mean count against that of 1 / eps, eps from 0.1 to 0.5.",
        "bounds": "R and gamma are of the points with their constant feature, which the theorems are about.",
        "PA": "eps = 0 with a strict test: an example updates where its margin is below 1 - 1e-9. With the "
        "printed test, a margin of exactly 1 calls for an update of length 0, and no run could end. "
        "At most 20,000 epochs.",
    },
    parts={"PA": _part(10, 1, 4, PA)},
    borrows={part: ("zhao-huang-figure-3a", part) for part in ("AMIRA", "ROMMA")},
    cells=(
        _statement("AMIRA", "fewer updates than ROMMA, eps = 0.1", "fewer", GRID.index(0.1)),
        _statement("AMIRA", "fewer updates than ROMMA at every eps", "fewer at all", reason=FEWER),
        Published("AMIRA", "exponent of 1 / eps", "1.0", "bound", DERIVED, "AMIRA exponent"),
        Published("ROMMA", "exponent of 1 / eps", "2.0", "bound", DERIVED, "ROMMA exponent"),
        _statement("AMIRA", "updates at most R^2 / (eps gamma^2)", "AMIRA bound"),
        _statement("ROMMA", "updates at most R^2 / (eps^2 gamma^2)", "ROMMA bound"),
        _statement("PA", "does not converge", "PA", reason=ENDS),
    ),
    readings=tuple(
        _statement("AMIRA", f"fewer updates than ROMMA, eps = {eps:g}", "fewer", place)
        for place, eps in enumerate(GRID)
    ),
    derive=updates,
    draw=updates_drawn,
)
