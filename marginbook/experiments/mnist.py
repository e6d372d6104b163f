"""What the chapter on MNIST asks and no paper prints: the images missed, other kernels, other readings."""

import numpy as np

import marginbook
from marginbook.experiments import gentile, li_long
from marginbook.experiments.protocols import kernel_run
from marginbook.experiments.record import Part, Record
from marginbook.experiments.zhao_huang import images

WIDTH = (
    400  # of the lists of missed images: they are filled up with -1, so that those of all runs make an array
)


def missed_run(seed, *, algorithm, data, hypotheses, **options):
    """Which test images the hypotheses miss after the last epoch, and the digits they give instead.

    Returns
    -------
    dict
        ``updates`` and ``supports``, an integer each; for each hypothesis ``missed ...``, numbers of test
        images, and ``given ...``, digits, both filled up with -1 to ``WIDTH``.

    Raises
    ------
    ValueError
        If a hypothesis misses more images than ``WIDTH``.
    """
    sample = marginbook.data.load(data)
    estimator = getattr(marginbook, algorithm)(**options, hypothesis=hypotheses[-1], random_state=seed)
    estimator.fit(sample.data, sample.target)
    found = {"updates": [estimator.n_updates_], "supports": [len(estimator.support_)]}
    for kind in hypotheses:
        given = estimator.set_params(hypothesis=kind).predict(sample.data_test)
        missed = np.flatnonzero(given != sample.target_test)
        found |= {f"missed {kind}": _filled(missed), f"given {kind}": _filled(given[missed])}
    return found


def _filled(numbers):
    if len(numbers) > WIDTH:
        raise ValueError(f"{len(numbers)} images are missed: no room for more than {WIDTH}")
    return [*map(int, numbers)] + [-1] * (WIDTH - len(numbers))


def _missed(part, *hypotheses):
    options = {**part.parameters, "hypotheses": list(hypotheses)}  # an averaged one must stand alone
    return part._replace(run=missed_run, parameters=options, runs=2)


def _other(part, runs, seconds, **changes):
    return part._replace(parameters={**part.parameters, **changes}, runs=runs, seconds=seconds)


LI_LONG, GENTILE, ZHAO_HUANG = li_long.PARTS, gentile.PARTS, images.PARTS_3
ALMA = ("ALMA_2(1.0)", "ALMA_2(0.9)", "ALMA_2(0.8)")
PLAIN = Part(
    kernel_run,
    {
        **ZHAO_HUANG["Perceptron"].parameters,
        "algorithm": "Perceptron",
        "noise_control": 0.0,
        "hypotheses": ["last", "voted"],
    },
    ("mnist",),
    2,
    20,
    6,
)

PARTS = {
    "missed: percep": _missed(LI_LONG["percep"], "last", "voted"),
    **{f"missed: {name}": _missed(LI_LONG[name], "last") for name in ("ROMMA", "agg-ROMMA", "agg-ROMMA(NC)")},
    **{f"missed: {name}": _missed(GENTILE[name], "last", "voted") for name in ALMA},
    "missed: Avg. Perceptron": _missed(ZHAO_HUANG["Perceptron"], "averaged"),
    **{
        f"missed: {name}": _missed(ZHAO_HUANG[name], "last")
        for name in ("Pegasos", "bin MIRA", "bin AMIRA(0.9)")
    },
    **{f"{name}, pixels / 255": _other(GENTILE[name], 5, 16, gamma=1 / 255**2) for name in ALMA},
    **{f"degree {degree}": _other(PLAIN, 2, 20, degree=degree) for degree in (1, 2, 3, 4, 5, 6)},
    "file order": _other(LI_LONG["percep"], 1, 15, shuffle=False),
    **{
        f"agg-ROMMA(NC), lambda {lam:g}": _other(LI_LONG["agg-ROMMA(NC)"], 2, 35, noise_control=float(lam))
        for lam in (3, 300)
    },
    **{
        f"bin AMIRA(0.9), lambda {lam:g}": _other(ZHAO_HUANG["bin AMIRA(0.9)"], 2, 20, noise_control=lam)
        for lam in (0.0, 5e6)
    },
}

DETAIL = Record(
    id="mnist-detail",
    paper="lecun1998",
    title="MNIST: what the tables do not show",
    protocol=(
        "The settings of Li and Long's Table 1, Gentile's Table 1 and Zhao and Huang's Table 3 once more, "
        "with the test images that are missed after the last epoch; and settings that these papers do not "
        "have: the kernel (1 + x.y / 255^2)^d with d from 1 to 6 for the perceptron, ALMA on pixels divided "
        "by 255, the perceptron in the order of the file, and other lambdas."
    ),
    choices={
        "order": "As in the tables: run r has the permutation of random_state = r, in all its epochs.",
        "runs": "Two, where nothing is compared with a printed number.",
    },
    parts=PARTS,
    cells=(),
)

RECORDS = (DETAIL,)
