"""How Zhao and Huang's figures are drawn anew."""

import numpy as np

from marginbook.figures import BLACK, GREY, MARKERS, PALETTE, style

BINS = np.round(np.arange(-0.1, 1.01, 0.05), 2)  # of the margin; what lies outside joins the outermost


def _axes(figure):
    import matplotlib.pyplot as plt

    return (plt.figure() if figure is None else figure).subplots()


def draw_shares(margins, figure=None):
    """Distribution of the margin: the share of the sets in each bin, within two standard errors.

    Parameters
    ----------
    margins : dict
        By label, the margins reached, shape (n_sets,).
    figure : matplotlib.figure.Figure, optional

    Returns
    -------
    dict
        ``middle`` of the bins, and for each label the ``share`` and its standard ``error``.
    """
    with style():
        ax = _axes(figure)
        middle = (BINS[1:] + BINS[:-1]) / 2
        drawn = {"middle": middle}
        for rank, (label, reached) in enumerate(margins.items()):
            counts = np.histogram(np.clip(reached, BINS[0], BINS[-1] - 1e-9), BINS)[0]
            share = counts / len(reached)
            error = np.sqrt(share * (1.0 - share) / len(reached))
            look = {
                "color": PALETTE[rank % len(PALETTE)],
                "linestyle": "--" if rank >= len(PALETTE) else "-",
                "marker": (*MARKERS, "v", "P")[rank % 6],
                "markersize": 4,
            }
            ax.plot(middle, share, label=label, **look)
            band = np.maximum(share - 2 * error, 0.0), share + 2 * error
            ax.fill_between(middle, *band, color=look["color"], alpha=0.15, linewidth=0)
            drawn |= {f"share {label}": share, f"error {label}": error}
        ax.set(xlabel=r"margin / maximum margin $\gamma$", ylabel="share of the sets", ylim=(0.0, None))
        ax.legend()
    return drawn


def draw_margins(curves, eps, figure=None):
    """Mean margin against ``1 - eps``; bars from the smallest to the largest, and the theorem's bound.

    Parameters
    ----------
    curves : dict
        By label, the margins reached, shape (n_sets, n_eps).
    eps : sequence of float
    figure : matplotlib.figure.Figure, optional

    Returns
    -------
    dict
        ``aggressiveness``, the ``bound``, and for each label ``mean``, ``smallest`` and ``largest``.
    """
    with style():
        ax = _axes(figure)
        eps = np.array(eps)
        drawn = {"aggressiveness": 1.0 - eps, "bound": (1.0 - eps) / (2.0 - eps)}
        for rank, (label, reached) in enumerate(curves.items()):
            mean, low, high = reached.mean(axis=0), reached.min(axis=0), reached.max(axis=0)
            ax.errorbar(
                1.0 - eps + 0.006 * (2 * rank - 1),  # side by side, or the bars would hide each other
                mean,
                yerr=[mean - low, high - mean],
                color=PALETTE[rank],
                marker=MARKERS[rank],
                linestyle="--" if rank else "-",
                elinewidth=1.0,
                label=label,
            )
            drawn |= {f"mean {label}": mean, f"smallest {label}": low, f"largest {label}": high}
        ax.plot(1.0 - eps, drawn["bound"], color=BLACK, linestyle=":", label="Theorem 3, AMIRA")
        ax.set(xlabel=r"aggressiveness $1-\epsilon$", ylabel=r"margin / maximum margin $\gamma$")
        ax.legend()
    return drawn


def draw_updates(curves, eps, figure=None):
    """Mean number of updates against ``1 - eps``, within two standard errors.

    Parameters
    ----------
    curves : dict
        By label, the updates made, shape (n_sets, n_eps).
    eps : sequence of float
    figure : matplotlib.figure.Figure, optional

    Returns
    -------
    dict
        ``aggressiveness``, and for each label the ``mean`` and its standard ``error``.
    """
    with style():
        ax = _axes(figure)
        drawn = {"aggressiveness": 1.0 - np.array(eps)}
        for rank, (label, counts) in enumerate(curves.items()):
            mean, error = counts.mean(axis=0), counts.std(axis=0, ddof=1) / np.sqrt(len(counts))
            look = {"color": PALETTE[rank], "marker": MARKERS[rank], "linestyle": "--" if rank else "-"}
            ax.plot(drawn["aggressiveness"], mean, label=label, **look)
            band = np.maximum(mean - 2 * error, 1.0), mean + 2 * error
            ax.fill_between(drawn["aggressiveness"], *band, color=PALETTE[rank], alpha=0.2, linewidth=0)
            drawn |= {f"mean {label}": mean, f"error {label}": error}
        ax.set(xlabel=r"aggressiveness $1-\epsilon$", ylabel="updates until convergence", yscale="log")
        ax.legend()
    return drawn


def draw_rates(deficits, counts, figure=None):
    """Updates against what the achieved margin lacks: a line an algorithm, means over the sets.

    Parameters
    ----------
    deficits, counts : dict
        By label, ``1 - margin / gamma`` and the updates, shape (n_sets, n_eps).
    figure : matplotlib.figure.Figure, optional

    Returns
    -------
    dict
        For each label ``deficit`` and ``updates``, geometric means over the sets.
    """
    with style():
        ax, drawn = _axes(figure), {}
        for rank, label in enumerate(counts):
            look = {
                "color": PALETTE[rank],
                "marker": MARKERS[rank],
                "linestyle": ("-", "--", "-.", ":")[rank],
            }
            ax.plot(deficits[label].T, counts[label].T, color=GREY, linewidth=0.5, linestyle="-", alpha=0.4)
            deficit, updates = (np.exp(np.log(n[label]).mean(axis=0)) for n in (deficits, counts))
            ax.plot(deficit, updates, label=label, **look)
            drawn |= {f"deficit {label}": deficit, f"updates {label}": updates}
        ax.set(xlabel=r"what the margin lacks, $1-\gamma'/\gamma$", ylabel="updates until convergence")
        ax.set(xscale="log", yscale="log")
        ax.invert_xaxis()
        ax.legend()
    return drawn
