"""Plots of the book: one style, and functions that draw on given axes and return the numbers they drew.

Matplotlib is imported inside the functions, so importing this module stays cheap.
"""

import numpy as np

# Colours safe for colour-blind readers, told apart in greyscale with the help of line style and marker shape.
BLUE, ORANGE, GREEN, BLACK, GREY = "#0b5394", "#d55e00", "#4fb293", "#1a1a1a", "#767676"
PALETTE = (BLUE, ORANGE, GREEN, BLACK)
MARKERS = ("o", "s", "^", "D")

STYLE = {
    "axes.axisbelow": True,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.labelsize": 11,
    "axes.prop_cycle": f"cycler('color', {list(PALETTE)}) + cycler('linestyle', ['-', '--', '-.', ':'])",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "errorbar.capsize": 3,
    "figure.constrained_layout.use": True,
    "figure.dpi": 120,  # 5.2 inches make 624 pixels: sharp on a phone, no wider than the text column
    "figure.facecolor": "white",  # an opaque card reads the same in light pages, dark pages and print
    "figure.figsize": (5.2, 3.6),
    "font.size": 10,
    "grid.color": "#e2e2e2",
    "grid.linewidth": 0.7,
    "legend.fontsize": 10,
    "legend.framealpha": 0.9,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    "svg.hashsalt": "marginbook",
}


def style():
    """Return a context in which Matplotlib draws in the book's style.

    A notebook that wants the style in all its cells says ``plt.rcParams.update(figures.STYLE)`` once.

    Returns
    -------
    contextlib.AbstractContextManager
        Restores the previous settings on exit.

    Examples
    --------
    >>> import matplotlib
    >>> with style():
    ...     matplotlib.rcParams["figure.dpi"]
    120.0
    """
    import matplotlib

    return matplotlib.rc_context(STYLE)


def points(ax, X, y, *, size=36, labels=("$y=+1$", "$y=-1$")):
    """Draw the examples of two classes in the plane: filled circles for +1, open squares for -1.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    X : array, shape (n, 2)
    y : array, shape (n,)
        Positive where the example belongs to the class +1.
    size : float, default=36
        Area of a marker, points squared.
    labels : pair of str
        Legend entries of the positive and the negative class.

    Returns
    -------
    pair of array, shape (n_positive, 2) and (n_negative, 2)
        The points drawn.

    Raises
    ------
    ValueError
        If X does not have two columns.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> positive, negative = points(Figure().subplots(), [[0, 1], [2, 3]], [1, -1])
    >>> negative.tolist()
    [[2.0, 3.0]]
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != 2:
        raise ValueError(f"X must have shape (n, 2) to be drawn in the plane, got {X.shape}")
    positive, negative = X[y > 0], X[y <= 0]
    ax.scatter(*positive.T, s=size, c=BLUE, marker="o", label=labels[0], zorder=3)
    ax.scatter(
        *negative.T,
        s=size,
        c="white",
        edgecolors=ORANGE,
        linewidths=1.6,
        marker="s",
        label=labels[1],
        zorder=3,
    )
    return positive, negative


def plane(ax, w, b=0.0, *, margin=0.0, color=BLACK, linestyle="-", label=None):
    """Draw the line ``w.x + b = 0`` and the band of points nearer to it than ``margin``.

    Set the limits of the axes first: neither line nor band changes them.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    w : array, shape (2,)
        Normal of the line, not zero.
    b : float, default=0.0
        Bias.
    margin : float, default=0.0
        Half-width of the band, in units of x (a geometric margin); no band when it is not positive.
    color, linestyle, label
        As in Matplotlib.

    Returns
    -------
    dict
        ``foot``, the point of the line nearest to the origin; ``normal``, the unit normal; both shape (2,);
        ``margin``, the half-width drawn.

    Raises
    ------
    ValueError
        If w is zero.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> drawn = plane(Figure().subplots(), [0, 2], -2, margin=0.5)
    >>> drawn["foot"].tolist(), drawn["normal"].tolist(), drawn["margin"]
    ([0.0, 1.0], [0.0, 1.0], 0.5)
    """
    w = np.asarray(w, dtype=float)
    norm = float(np.hypot(*w))
    if norm == 0:
        raise ValueError("w = (0, 0) is the normal of no line")
    normal, foot = w / norm, -b * w / norm**2 + 0.0
    along = np.array([-normal[1], normal[0]])
    ax.axline(foot, foot + along, color=color, linestyle=linestyle, label=label, zorder=2)
    margin = float(margin) if margin > 0 else 0.0  # also where it is nan
    if margin:
        reach = 2 * (np.abs([ax.get_xlim(), ax.get_ylim()]).max() + np.abs(foot).max())
        corners = [
            foot + s * margin * normal + e * reach * along for s, e in ((1, -1), (1, 1), (-1, 1), (-1, -1))
        ]
        limits = ax.axis()
        ax.fill(*np.transpose(corners), color=color, alpha=0.12, linewidth=0, zorder=1)
        for side in (-1, 1):
            edge = foot + side * margin * normal
            ax.axline(edge, edge + along, color=color, linestyle=":", linewidth=1.0, zorder=2)
        ax.axis(limits)
    return {"foot": foot, "normal": normal, "margin": margin}


def bound_against_observed(ax, hardness, observed, bound, *, xlabel=r"$(R/\gamma)^2$", ylabel="updates"):
    """Draw the updates observed on a family of streams under the curve of their bound, both axes logarithmic.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    hardness : array, shape (m,)
        What the streams differ in, positive; need not be sorted.
    observed, bound : array, shape (m,)
        Counts observed and their bounds, positive. A broken bound is drawn as it is: the reader shall see it.
    xlabel, ylabel : str

    Returns
    -------
    dict
        ``hardness``, ``observed`` and ``bound`` sorted by hardness; ``ratio``, observed over bound; each
        shape (m,).

    Raises
    ------
    ValueError
        If the arrays differ in shape or hold a number that is not positive.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> bound_against_observed(Figure().subplots(), [9, 4], [6, 1], [9, 4])["ratio"].round(2).tolist()
    [0.25, 0.67]
    """
    drawn = {"hardness": hardness, "observed": observed, "bound": bound}
    drawn = {name: np.asarray(values, dtype=float) for name, values in drawn.items()}
    if len({values.shape for values in drawn.values()}) > 1:
        raise ValueError(f"the shapes differ: {[(name, values.shape) for name, values in drawn.items()]}")
    for name, values in drawn.items():
        if not (values > 0).all():
            raise ValueError(f"{name} must be positive on logarithmic axes, got {values.min()}")
    order = np.argsort(drawn["hardness"], kind="stable")
    drawn = {name: values[order] for name, values in drawn.items()}
    ax.plot(drawn["hardness"], drawn["bound"], color=ORANGE, linestyle="--", label="bound")
    ax.plot(drawn["hardness"], drawn["observed"], color=BLUE, linestyle="none", marker="o", label="observed")
    ax.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    ax.legend()
    return {**drawn, "ratio": drawn["observed"] / drawn["bound"]}


def epochs(ax, ours, published=None, *, label="ours", rank=0, ylabel="test error (%)"):
    """Draw a quantity per epoch: mean and standard deviation over our runs, and the published numbers.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    ours : array, shape (n_runs, n_epochs)
        Our runs.
    published : array, shape (n_epochs,), optional
        The published means; NaN where the paper prints none.
    label : str
        Name of the curve in the legend.
    rank : int, default=0
        Which colour and marker to use, where several curves share the axes.
    ylabel : str

    Returns
    -------
    dict
        ``epoch``, ``mean``, ``std`` (divisor n_runs - 1, zero for one run); where numbers are published also
        ``published`` and ``difference``, ours minus published; each shape (n_epochs,).

    Raises
    ------
    ValueError
        If ``ours`` is not two-dimensional or ``published`` has another number of epochs.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> epochs(Figure().subplots(), [[2.8, 2.2], [3.0, 2.4]], [2.84, 2.27])["difference"].round(2).tolist()
    [0.06, 0.03]
    """
    ours = np.asarray(ours, dtype=float)
    if ours.ndim != 2:
        raise ValueError(f"ours must have shape (n_runs, n_epochs), got {ours.shape}")
    epoch, mean = np.arange(1, ours.shape[1] + 1), ours.mean(axis=0)
    std = ours.std(axis=0, ddof=1) if len(ours) > 1 else np.zeros_like(mean)
    drawn = {"epoch": epoch, "mean": mean, "std": std}
    look = {"color": PALETTE[rank % len(PALETTE)], "marker": MARKERS[rank % len(MARKERS)]}
    ax.errorbar(epoch, mean, yerr=std, linestyle="-", label=label, **look)
    if published is not None:
        published = np.asarray(published, dtype=float)
        if published.shape != mean.shape:
            raise ValueError(f"published has shape {published.shape}, ours has {len(mean)} epochs")
        ax.plot(epoch, published, linestyle=":", markerfacecolor="white", label=f"{label}, published", **look)
        drawn |= {"published": published, "difference": mean - published}
    ax.set(xlabel="epoch", ylabel=ylabel, xticks=epoch)
    ax.legend()
    return drawn
