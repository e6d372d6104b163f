"""A panel for live notebooks: sliders that run an algorithm again and show the run in a player."""

from html import escape

REPOSITORY = "gh/margin-book/margin-book/main"
WIDGET = "application/vnd.jupyter.widget-view+json"


def panel(run, *, page, **controls):
    """Show what ``run`` returns, and run it again when the reader moves a control.

    Without a kernel, as on a page of the built book, a sentence with a link to Binder stands in its place.

    Parameters
    ----------
    run : callable
        Takes the values of the controls by name, and returns the player: what
        :func:`marginbook.stepper.stepper` returns, or anything that a notebook can show.
    page : str
        Name of the notebook in the book, without its suffix: where the link leads.
    **controls
        A control for each argument of ``run``, as ``ipywidgets.interactive`` takes them: a tuple
        ``(low, high, step)`` gives a slider, a list a menu.

    Returns
    -------
    Panel

    Raises
    ------
    ValueError
        If an argument of ``run`` has no control.

    Examples
    --------
    >>> import contextlib, io
    >>> from marginbook import Perceptron
    >>> from marginbook.stepper import stepper
    >>> X, y = [[1.0, 2.0], [2.0, 1.0]], [1, -1]
    >>> def run(b):
    ...     model = Perceptron(margin=b, shuffle=False, record_trace=True, max_iter=5).fit(X, y)
    ...     return stepper(model, X, y, ident="two-points")
    >>> with contextlib.redirect_stdout(io.StringIO()):  # what a notebook shows
    ...     made = panel(run, page="perceptron", b=(0.0, 2.0, 0.5))
    >>> made
    <Panel of perceptron: b>
    """
    from ipywidgets import interactive

    box = interactive(run, {"auto_display": True}, **controls)
    for widget in box.kwargs_widgets:
        if hasattr(widget, "continuous_update"):
            widget.continuous_update = False  # one run for a move, not one for each step of it
    return Panel(box, page)


class Panel:
    """Controls with a player below them; in place of both, where there is no kernel, a link."""

    def __init__(self, box, page):
        self.box, self.page = box, page

    def __repr__(self):
        return f"<Panel of {self.page}: {', '.join(w._kwarg for w in self.box.kwargs_widgets)}>"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {
            "text/plain": repr(self),
            WIDGET: self.box._repr_mimebundle_()[WIDGET],
            "text/html": self.link(),
        }

    def link(self):
        """The sentence that stands for the panel."""
        address = f"https://mybinder.org/v2/{REPOSITORY}?urlpath=lab/tree/book/{self.page}.ipynb"
        return (
            f'<p class="mb-panel"><a href="{escape(address)}">Open in Binder to change the data</a>, '
            "or run this cell in a notebook of your own.</p>"
        )
