"""The walk: present examples one after another to a rule, and move the weights as it says.

Every engine runs this one loop. It sees a block of rows through two readers,

    dot(rows, place, v)      the value of ``v`` on the row there
    add(rows, place, a, v)   v += a * that row

so a row may be a dense vector, a sparse one, or a row of a kernel matrix (then ``v`` holds the values of the
hypothesis on the block). Example ``index[at]`` has its row, and its private coordinate in ``dual``, at
``places[at]``. The weights are ``w = scale * v``: shrinking them costs nothing.

``dual`` is None where there are no private coordinates, ``log`` where nobody asks for a trace: numba then
leaves out what they need, and a first call is faster.
"""

from functools import cache

import numpy as np
from numba import njit

# One row per problem: all that the walk must remember of a hypothesis besides ``v``.
HYPOTHESIS = np.dtype(
    [
        ("scale", "f8"),  # s in w = s v
        ("ww", "f8"),  # |w|^2, private coordinates and constant feature included
        ("bias", "f8"),  # coordinate of v on the constant feature rho
        ("past", "f8"),  # sum of squares of v's private coordinates for examples of earlier calls
        ("folded", "f8"),  # product of the scales folded into v since the engine last looked
        (
            "faded",
            "f8",
        ),  # product of the scales since the last update, where the rule fades
        ("since", "i8"),  # trial at which the hypothesis was made, where the walk sums hypotheses
        ("margin", "f8"),  # smallest y w.x seen in this epoch
        ("trial", "i8"),  # examples presented so far
        ("updates", "i8"),
        ("mistakes", "i8"),  # y w.x <= 0, and zero rows
        ("overflows", "i8"),  # updates whose |w|^2 was beyond the range of a float
    ]
)

# One row per update.
TRACE = np.dtype(
    [
        ("epoch", "i8"),  # from 1; 0 for a hypothesis that the run started from
        ("trial", "i8"),  # from 1, counts every example presented to the problem
        ("index", "i8"),  # row of X (of all X so far, after partial_fit)
        ("problem", "i8"),  # which one-vs-rest problem
        ("score", "f8"),  # of x before the update, bias included
        ("scale", "f8"),  # w <- scale w + step x, from the w that the last update left
        ("step", "f8"),
        ("ww", "f8"),  # |w|^2 after the update
        ("bias", "f8"),  # what is added to w.x after the update; 0 where there is no bias
    ]
)

SMALLEST, LARGEST = 1e-100, 1e100  # the lazy scale is folded into v when it leaves this range


# Compilation is most of a first call. What is inlined is compiled once, with its caller. A division by zero
# gives inf or nan, not an exception: less code, and an engine refuses weights that are not finite.
inlined, compiled = njit(inline="always"), njit(error_model="numpy")


@inlined
def note(row, where, trial, index, score, scale, step, ww, bias):
    """Fill a row of a trace."""
    row["epoch"], row["problem"], row["trial"], row["index"] = where[0], where[1], trial, index
    row["score"], row["scale"], row["step"], row["ww"], row["bias"] = score, scale, step, ww, bias


@cache
def walker(rule, dot, add, Params, State, fades=False):
    """Compile the walk for one rule and one kind of row.

    Parameters and state come as plain tuples: when it looks up what it has compiled, numba takes two
    NamedTuples with fields of the same types for one, then finds that they are not, and starts again slowly:
    at each call, from the second such rule of a process on.

    A rule that ``fades`` shrinks the weights at every trial: its scale counts even where it does not fire,
    and a zero row is an ordinary one.
    """
    rule, dot, add = inlined(rule), inlined(dot), inlined(add)

    @compiled
    def walk(
        params, state, rounds, hyp, v, dual, rows, index, places, xx, y, noise, rho, fired, where, log, logged
    ):
        params, state, h = Params(*params), State(*state), hyp[0]
        s, ww, bias, margin, trial = h["scale"], h["ww"], h["bias"], h["margin"], h["trial"]
        updates, mistakes, faded = h["updates"], h["mistakes"], h["faded"]
        for _ in range(rounds):
            before = updates
            for at in range(index.shape[0]):
                i, place = index[at], places[at]
                label, square, fired[at] = y[i], xx[i], False
                trial += 1
                if square == 0.0 and not fades:  # w.x = 0 whatever w is, and no step can change that
                    mistakes += 1
                    if margin > 0.0:
                        margin = 0.0
                    continue
                score = s * (dot(rows, place, v) + rho * bias)
                if dual is not None and noise > 0.0:
                    score += s * noise * dual[place]
                k = label * score
                if k < margin:
                    margin = k
                if k <= 0.0:
                    mistakes += 1
                fires, scale, step, state = rule(params, state, label, score, square, ww)
                if not (fires or fades):
                    continue
                ww = scale * (scale * ww + step * score) + step * (scale * score + step * square)
                if not ww < np.inf:
                    h["overflows"] += 1
                if ww < 0.0:  # by rounding
                    ww = 0.0
                s *= scale
                if not SMALLEST < abs(s) < LARGEST:
                    for j in range(v.shape[0]):
                        v[j] *= s
                    if dual is not None:
                        for j in range(dual.shape[0]):
                            dual[j] *= s
                    bias *= s
                    h["past"] *= s * s
                    h["folded"] *= s
                    s = 1.0
                if fades:
                    faded *= scale
                    if not fires:
                        continue
                updates += 1
                a = step / s
                add(rows, place, a, v)
                bias += a * rho
                if dual is not None:
                    dual[place] += a
                fired[at] = True
                if log is not None:
                    number, total, now = where[2] + i, faded if fades else scale, s * rho * bias
                    note(log[logged], where, trial, number, score, total, step, ww, now)
                    logged += 1
                faded = 1.0
            if updates == before:
                break
        h["scale"], h["ww"], h["bias"], h["margin"], h["trial"] = s, ww, bias, margin, trial
        h["updates"], h["mistakes"], h["faded"] = updates, mistakes, faded
        return state, logged

    return walk
