"""The stepper: a player that shows a run trial by trial, in instance space and in weight space.

One HTML output holds the data (trials rebuilt from ``trace_``), a still picture after the last trial, and a
short script. The script draws; all numbers are computed here. Every output carries its own copy of the
script, so each works alone, in whatever order cells run; the first copy on a page serves all its players.
"""

import json
import re
from html import escape
from importlib.resources import files

import numpy as np

from marginbook.stepper.live import panel
from marginbook.stepper.picture import arrow_scale, instance_view, picture, square
from marginbook.stepper.trials import rebuild, replay

__all__ = ["panel", "replay", "stepper"]

FIELDS = ("score f", "y f", "threshold", "update", "scale", "step", "bias", "|w|", "margin", "updates")
PAIR = "pair"  # of runs along pairs: rows of X, the positive example first
LEGEND = {
    "x": "Filled circle: y = +1; open square: y = −1; ring: the example presented. Solid line: f = 0 after "
    "the trial, dashed: before. Shaded: the margin. Dotted: |f| = threshold. Arrows from the origin: the "
    "weights, all to one scale; between their tips: the update.",
    "v": "Each shaded half-plane of weights is forbidden by one example; coloured: by the example presented, "
    "y f ≤ threshold. With a bias: the slice at the present bias. Thin line: the weights so far; arrows: the "
    "weights now, and the update.",
}
PAIRS = {
    "x": "Thin rings: the pair, the last example of each class that caused an update. An update moves the "
    "weights along half the difference of its new pair, and the hyperplane midway between the two.",
    "v": "Of a run along pairs, an update colours the half-plane of half the difference: w.z ≤ 1.",
}
STILL = "The run after its last trial. To step through it, allow JavaScript; in a notebook, run the cell."
MAX_DATA = 30_000  # bytes
ROUNDING = 1e-12  # below this a number is what rounding left of a zero, and differs between machines


def stepper(
    runs, X, y, *, ident, threshold=None, max_trials=None, alt="Examples of two classes in the plane"
):
    """Show runs of one or several algorithms on the same stream, side by side, as a player for the notebook.

    Parameters
    ----------
    runs : estimator or dict of str to estimator
        Fitted on X and y with ``record_trace=True``, as :func:`marginbook.stepper.trials.replay` requires.
        Several runs must have seen the examples in the same order.
    X : array, shape (n, 2)
    y : array, shape (n,)
    ident : str
        Identifier of the player on its page: letters, digits, hyphens. Fixed, so that the output repeats.
    threshold : float, callable, or dict of str to these, optional
        See :func:`marginbook.stepper.trials.replay`; a dict gives each run its own. By default that of the
        estimator's rule.
    max_trials : int, optional
        Show the first so many trials only.
    alt : str
        What a reader who cannot see the picture should know about the stream.

    Returns
    -------
    IPython.display.HTML

    Raises
    ------
    ValueError
        If a run cannot be shown, the runs saw different orders, or the data exceed 30 kB.

    Examples
    --------
    >>> from marginbook import Perceptron
    >>> X, y = [[1.0, 2.0], [2.0, 1.0]], [1, -1]
    >>> stepper(Perceptron(shuffle=False, record_trace=True).fit(X, y), X, y, ident="two-points")
    <IPython.core.display.HTML object>
    """
    from IPython.display import HTML

    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", ident):
        raise ValueError(f"ident must be a letter followed by letters, digits and hyphens, got {ident!r}")
    if not isinstance(runs, dict):
        runs = {type(runs).__name__: runs}
    limits = threshold if isinstance(threshold, dict) else dict.fromkeys(runs, threshold)
    last = None if max_trials is None else max_trials + 1
    tables = {name: rebuild(est, X, y, limits.get(name))[:last] for name, est in runs.items()}
    stream = max((rows[["epoch", "index"]][1:] for rows in tables.values()), key=len)
    for name, rows in tables.items():
        if not np.array_equal(rows["index"][1:], stream["index"][: len(rows) - 1]):
            raise ValueError(f"{name} saw the examples in another order: side by side needs the same stream")
    classes = next(iter(runs.values())).classes_
    X, signs = np.asarray(X, dtype=float), np.where(np.asarray(y) == classes[1], 1, -1)
    powers = {name: getattr(est._engine.params, "p", 2.0) for name, est in runs.items()}
    return HTML(_page(tables, X, signs, stream, powers, ident, alt))


def _page(tables, X, y, stream, powers, ident, alt):
    view, shown, figures = instance_view(X), [], []
    for j, (name, rows) in enumerate(tables.items()):
        run = _run(name, rows, view, y, powers[name])
        shown.append(run)
        svg = picture(
            view, run["view"], X, y, rows[-1], run["arrow"], f"{ident}-{j}", f"{alt}. {name}, last trial.",
            run.get("q", 2), run["pair"][-1] if "pair" in run else (),
        )  # fmt: skip
        fields = (*FIELDS, PAIR) if "pair" in run else FIELDS
        values = zip(fields, _numbers(rows[-1], y, int(rows["update"].sum()), run.get("pair")), strict=True)
        table = "".join(f"<div><dt>{field}</dt><dd>{value}</dd></div>" for field, value in values)
        figures.append(f"<figure><figcaption>{escape(name)}</figcaption>{svg}<dl>{table}</dl></figure>")
    data = {
        "alt": alt,
        "view": _short(view),
        "x": _short(X),
        "y": y.tolist(),
        "order": stream["index"].tolist(),
        "epochs": (np.flatnonzero(np.diff(stream["epoch"], prepend=0)) + 1).tolist(),
        "runs": shown,
    }
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    if len(text.encode()) > MAX_DATA:
        raise ValueError(f"{len(stream)} trials take over {MAX_DATA} bytes: pass a smaller max_trials")
    words = [*LEGEND.items(), *(PAIRS.items() if any("pair" in run for run in shown) else ())]
    legend = " ".join(f'<span class="mb-{space}">{sentence}</span>' for space, sentence in words)
    style, script = ((files(__package__) / f"player.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return (
        f"<style>{style}</style>\n"
        f'<div class="mb-stepper" id="{ident}" role="group" aria-label="{escape(alt)}">\n'
        f'<p class="mb-say" role="status">After {len(stream)} trials</p>\n<p class="mb-still">{STILL}</p>\n'
        f'<div class="mb-runs">{"".join(figures)}</div>\n<p class="mb-legend">{legend}</p>\n'
        f'<script type="application/json">{text}</script>\n</div>\n<script>{script}</script>\n'
    )


def _run(name, rows, view, y, p):
    """What the player must know of one run: a number per trial, two per update, five per hypothesis."""
    trials, fired = rows[1:], rows[rows["update"]]
    moves = rows[rows["update"] | (rows["scale"] != 1.0)]  # some rules shrink the weights at every trial
    hypotheses = np.concatenate([rows[:1], moves])
    limits = _short(trials["threshold"])
    run = {
        "name": name,
        "view": _short(square(np.vstack([np.zeros(2), hypotheses["w"]]), pad=0.2)),
        "arrow": _short(arrow_scale(view, hypotheses["w"])),
        "threshold": limits[0] if len(set(limits)) == 1 else limits,
        "score": _short(trials["score"]),
        "at": fired["trial"].tolist(),
        "scale": _short(moves["scale"]),
        "step": _short(moves["step"]),
        "w": _short(np.column_stack([hypotheses[field] for field in ("w", "b", "norm", "margin")])),
    }
    if len(moves) > len(fired):
        run["moves"] = moves["trial"].tolist()
    if (fired["other"] >= 0).any():
        pairs = [(int(i), int(j)) for i, j in fired[["index", "other"]]]
        run["pair"] = [[]] + [sorted(pair, key=lambda i: -y[i]) for pair in pairs]
    if p > 2.0:
        run["q"] = p / (p - 1.0)
    return run


def _numbers(row, y, updates, pairs=None):
    """The values of ``FIELDS`` at one trial, as text, and the pair in a run that has one."""
    fired = "yes" if row["update"] else "no"
    trial = _short([row["score"], y[row["index"]] * row["score"], row["threshold"]])
    after = _short([row[field] for field in ("scale", "step", "b", "norm", "margin")])
    pair = [] if pairs is None else [", ".join(map(str, pairs[-1])) or None]
    values = [*trial, fired, *after, updates, *pair]
    return [("–" if v is None else str(v).replace("-", "−")) for v in values]


def _short(values):
    """Numbers with four significant digits, as JSON carries them: integers where they are, null for nan."""
    if np.ndim(values):
        return [_short(v) for v in values]
    value = float(f"{float(values):.4g}")
    if np.isnan(value):
        return None
    if abs(value) < ROUNDING:
        return 0
    return int(value) if value.is_integer() and abs(value) < 1e9 else value
