"""The table of data sets: how each is loaded, its files, licence and citation."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from . import covertype, mnist, mushroom, platt, sonar, tictactoe, uci, usps


class Dataset(NamedTuple):
    """One data set of the catalogue."""

    load: Callable[..., dict]  # its keyword arguments are the options of `load`
    files: tuple[str, ...]  # keys of the registry
    licence: str
    citation: str


_CC_BY = "CC BY 4.0, as stated by the UCI repository"
_USPS = (
    "none stated; free for research by custom",
    "J. J. Hull (1994), A database for handwritten text recognition research, IEEE PAMI 16; "
    "T. Hastie, R. Tibshirani, J. Friedman, The Elements of Statistical Learning",
)
_TIC_TAC_TOE = (_CC_BY, "D. W. Aha (1991), Tic-Tac-Toe Endgame, UCI repository")
_PLATT = (
    "J. Platt (1998), Fast training of support vector machines using sequential minimal optimization; "
    "C.-C. Chang, C.-J. Lin (2011), LIBSVM: a library for support vector machines, ACM TIST 2"
)
_PLATT_NAMES = [f"{family}{k}a" for family, last in (("a", 9), ("w", 8)) for k in range(1, last + 1)]

CATALOGUE: dict[str, Dataset] = {
    "mnist": Dataset(
        mnist.load,
        mnist.FILES,
        "CC BY-SA 3.0, as commonly stated",
        "Y. LeCun, L. Bottou, Y. Bengio, P. Haffner (1998), Gradient-based learning applied to document "
        "recognition, Proc. IEEE 86",
    ),
    "usps": Dataset(usps.load_raw, usps.RAW, *_USPS),
    "usps-smoothed": Dataset(usps.load_smoothed, usps.SMOOTHED, *_USPS),
    "sonar": Dataset(
        sonar.load,
        sonar.FILES,
        _CC_BY,
        "R. P. Gorman, T. J. Sejnowski (1988), Analysis of hidden units in a layered network trained to "
        "classify sonar targets, Neural Networks 1",
    ),
    "ionosphere": Dataset(
        uci.load_ionosphere,
        (uci.IONOSPHERE,),
        _CC_BY,
        "V. G. Sigillito, S. P. Wing, L. V. Hutton, K. B. Baker (1989), Classification of radar returns from "
        "the ionosphere using neural networks, Johns Hopkins APL Technical Digest 10",
    ),
    "house-votes": Dataset(
        uci.load_votes,
        (uci.VOTES,),
        _CC_BY,
        "J. C. Schlimmer (1987), Concept acquisition through representational adjustment",
    ),
    "wbc": Dataset(
        uci.load_wbc,
        (uci.WBC,),
        _CC_BY,
        "W. H. Wolberg, O. L. Mangasarian (1990), Multisurface method of pattern separation for medical "
        "diagnosis applied to breast cytology, PNAS 87",
    ),
    "tic-tac-toe": Dataset(tictactoe.load, (), *_TIC_TAC_TOE),
    "tic-tac-toe-uci": Dataset(tictactoe.load_uci, (tictactoe.UCI,), *_TIC_TAC_TOE),
    "german": Dataset(
        uci.load_german,
        (uci.GERMAN,),
        _CC_BY,
        "H. Hofmann (1994), Statlog (German Credit Data), UCI repository",
    ),
    "mushroom": Dataset(
        mushroom.load,
        (mushroom.UCI, mushroom.LIBSVM),
        _CC_BY,
        "J. C. Schlimmer (1987), Concept acquisition through representational adjustment",
    ),
    **{
        name: Dataset(
            partial(platt.load, name),
            platt.files(name),
            "CC BY 4.0 for Adult, as stated by the UCI repository" if name[0] == "a" else "none stated",
            _PLATT,
        )
        for name in _PLATT_NAMES
    },
    "covertype": Dataset(
        covertype.load,
        (covertype.FILE,),
        _CC_BY,
        "J. A. Blackard, D. J. Dean (1999), Comparative accuracies of artificial neural networks and "
        "discriminant analysis in predicting forest cover types, Computers and Electronics in Agriculture 24",
    ),
}
