"""What the chapter on MNIST asks and no paper prints: the images missed, other kernels, other readings."""

import numpy as np

import marginbook
from marginbook.experiments import gentile, li_long
from marginbook.experiments.record import Record
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
    return part._replace(run=missed_run, parameters=options, runs=1)


def _other(part, runs, seconds, **changes):
    return part._replace(parameters={**part.parameters, **changes}, runs=runs, seconds=seconds)


LI_LONG, GENTILE, ZHAO_HUANG = li_long.PARTS, gentile.PARTS, images.PARTS_3
PLAIN = {"hypotheses": ["last", "voted"], "noise_control": 0.0, "max_iter": 2}
PARTS = {
    "missed: percep": _missed(LI_LONG["percep"], "last", "voted"),
    "missed: ROMMA": _missed(LI_LONG["ROMMA"], "last"),
    "missed: agg-ROMMA(NC)": _missed(LI_LONG["agg-ROMMA(NC)"], "last"),
    "missed: ALMA_2(1.0)": _missed(GENTILE["ALMA_2(1.0)"], "last", "voted"),
    "missed: ALMA_2(0.8)": _missed(GENTILE["ALMA_2(0.8)"], "last", "voted"),
    "missed: Avg. Perceptron": _missed(ZHAO_HUANG["Perceptron"], "averaged"),
    "missed: bin AMIRA(0.9)": _missed(ZHAO_HUANG["bin AMIRA(0.9)"], "last"),
    **{
        f"{name}, pixels / 255": _other(GENTILE[name], 3, 6, gamma=1 / 255**2, max_iter=1)
        for name in ("ALMA_2(1.0)", "ALMA_2(0.8)")
    },
    **{f"degree {d}": _other(ZHAO_HUANG["Perceptron"], 2, 12, degree=d, **PLAIN) for d in (1, 2, 3, 4, 5)},
    "file order": _other(LI_LONG["percep"], 1, 6, shuffle=False, max_iter=1),
    "agg-ROMMA(NC), lambda 300": _other(LI_LONG["agg-ROMMA(NC)"], 2, 25, noise_control=300.0, max_iter=2),
    **{
        f"bin AMIRA(0.9), lambda {lam:g}": _other(
            ZHAO_HUANG["bin AMIRA(0.9)"], 2, 12, noise_control=lam, max_iter=2
        )
        for lam in (0.0, 5e6)
    },
}

DETAIL = Record(
    id="mnist-detail",
    paper="lecun1998",
    title="MNIST: what the tables do not show",
    protocol=(
        "Settings of Li and Long's Table 1, Gentile's Table 1 and Zhao and Huang's Table 3 once more, with "
        "the test images that are missed after the last epoch; and settings that these papers do not have: "
        "the perceptron with the kernel (1 + x.y / 255^2)^d for d from 1 to 5, and in the order of the file, "
        "ALMA with pixels divided by 255, and other lambdas."
    ),
    choices={
        "order": "As in the tables: run r has the permutation of random_state = r, in all its epochs. So a "
        "run differs from the table's of the same number in what was changed, and in nothing else.",
        "runs": "Few, because they are compared in pairs of the same permutation; and one or two epochs.",
    },
    parts=PARTS,
    cells=(),
)

RECORDS = (DETAIL,)
