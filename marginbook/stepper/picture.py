"""The still picture: axes and examples, which the player keeps, and the last hypothesis, which it redraws."""

from html import escape

import numpy as np

SIDE = 300  # of a picture, in SVG units


def square(points, pad=0.08):
    """Centre and half-side of a square view that holds all points: ``[cx, cy, half]``."""
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    half = (1 + pad) * (high - low).max() / 2
    return [*((low + high) / 2).tolist(), float(half) or 1.0]


def instance_view(X):
    """View of the examples and, round the origin, room for the arrow of the weights."""
    room = 0.4 * np.abs(X).max()
    return square(np.vstack([X, [[-room, -room], [room, room]]]))


def arrow_scale(view, w):
    """Largest factor (to 90 %) that brings all weights, drawn from the origin, inside the view."""
    centre, half = np.array(view[:2]), view[2]
    reach = np.where(w > 0, centre + half, half - centre)  # room between the origin and the border
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(w != 0, reach / np.abs(w), np.inf)
    return float(0.9 * factors.min()) if np.isfinite(factors).any() else 1.0


def place(view, p):
    """Point of the plane to SVG coordinates."""
    k = SIDE / (2 * view[2])
    return SIDE / 2 + (p[0] - view[0]) * k, SIDE / 2 - (p[1] - view[1]) * k


def path(view, *points):
    """SVG path through points of the plane."""
    return "M" + "L".join("{:.1f} {:.1f}".format(*place(view, p)) for p in points)


def line(n, c, view):
    """Two points, outside the view, of the line ``n.p = c``."""
    norm = np.hypot(*n)
    foot = np.asarray(n) * c / norm**2
    far = 4 * (np.abs(view).sum() + np.hypot(*foot))
    along = np.array([-n[1], n[0]]) * far / norm
    return foot - along, foot + along


def frame(view, names, kind):
    """Grid, tick labels and axis names of one of the two spaces."""
    marks = []
    for axis in (0, 1):
        for v in _ticks(view[axis] - view[2], view[axis] + view[2]):
            a, b = [view[0] - view[2], view[1] - view[2]], [view[0] + view[2], view[1] + view[2]]
            a[axis] = b[axis] = v
            at = place(view, a)
            x, y = (at[0], SIDE - 4) if axis == 0 else (4, at[1] + 3)
            marks.append(f'<path class="mb-grid{" mb-zero" if v == 0 else ""}" d="{path(view, a, b)}"/>')
            if 20 < at[axis] < SIDE - 20:
                anchor, text = ("middle", "start")[axis], f"{v:.4g}".replace("-", "−")
                marks.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>')
    marks.append(f'<text x="{SIDE - 4}" y="{SIDE - 4}" text-anchor="end">{names[0]}</text>')
    marks.append(f'<text x="4" y="12">{names[1]}</text>')
    return f'<g class="mb-{kind}">{"".join(marks)}</g>'


def examples(view, X, y):
    """Circles for the positive class, squares for the negative."""
    marks = []
    for p, label in zip(X, y, strict=True):
        cx, cy = place(view, p)
        if label > 0:
            marks.append(f'<circle class="mb-pos" cx="{cx:.1f}" cy="{cy:.1f}" r="4.5"/>')
        else:
            marks.append(f'<rect class="mb-neg" x="{cx - 4:.1f}" y="{cy - 4:.1f}" width="8" height="8"/>')
    return f'<g class="mb-x">{"".join(marks)}</g>'


def last(view, row, arrow, ident, q=2):
    """The hypothesis after a trial: line, margin, threshold and arrow of the weights."""
    w, b, norm = row["w"], row["b"], np.linalg.norm(row["w"], q)
    if norm == 0:
        return ""
    parts = []
    if row["margin"] > 0:
        (p, q), (r, s) = (line(w, side * row["margin"] * norm - b, view) for side in (1, -1))
        parts.append(f'<path class="mb-band" d="{path(view, p, q, s, r)}Z"/>')
    if row["threshold"] > 0:
        for side in (1, -1):
            edge = path(view, *line(w, side * row["threshold"] - b, view))
            parts.append(f'<path class="mb-threshold" d="{edge}"/>')
    parts.append(f'<path class="mb-line" d="{path(view, *line(w, -b, view))}"/>')
    tip = path(view, (0, 0), arrow * w)
    parts.append(f'<path class="mb-w" d="{tip}" marker-end="url(#{ident}-w)"/>')
    return "".join(parts)


def rings(view, X, rows):
    """A thin ring round each of some examples."""
    spots = [place(view, X[i]) for i in rows]
    return "".join(f'<circle class="mb-pair" cx="{x:.1f}" cy="{y:.1f}" r="7"/>' for x, y in spots)


def picture(view, weight_view, X, y, row, arrow, ident, alt, q=2, pair=()):
    """The SVG of one run, as it stands after the trial ``row``: with margins in the dual of the q-norm."""
    heads = "".join(
        f'<marker id="{ident}-{name}" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto" '
        f'markerUnits="userSpaceOnUse"><path class="mb-head-{name}" d="M0 0L8 4L0 8Z"/></marker>'
        for name in ("w", "u")
    )
    return (
        f'<svg viewBox="0 0 {SIDE} {SIDE}" role="img" aria-label="{escape(alt)}"><defs>{heads}</defs>'
        f"{frame(view, ('x₁', 'x₂'), 'x')}{frame(weight_view, ('w₁', 'w₂'), 'v')}"
        f'<g class="mb-live">{last(view, row, arrow, ident, q)}</g>{examples(view, X, y)}'
        f'<g class="mb-mark">{rings(view, X, pair)}</g></svg>'
    )


def _ticks(low, high):
    """Multiples of 1, 2 or 5 times a power of ten: three to six of them."""
    step = 10.0 ** np.floor(np.log10((high - low) / 3))
    step *= max(m for m in (1, 2, 5) if (high - low) / (m * step) >= 3)
    return [k * step for k in range(int(np.ceil(low / step)), int(np.floor(high / step)) + 1)]
