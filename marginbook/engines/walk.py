"""The walk: present examples one after another to a rule, and move the weights as it says.

Every engine runs this one loop. It sees a block of rows through three readers,

    dot(rows, at, i, v)      the value of ``v`` on the block's row ``at``, which is example ``i``
    add(rows, at, i, a, v)   v += a * that row

    own(at, i)               where ``dual`` has the private coordinate of that example

so a row may be a dense vector, a sparse one, or a row of a kernel matrix (then ``v`` holds the values of the
hypothesis on the block). The weights are ``w = scale * v``: shrinking them costs nothing.
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


@cache
def walker(rule, dot, add, own, fades=False):
    """Compile the walk for one rule and one kind of row.

    A rule that ``fades`` shrinks the weights at every trial: its scale counts even where it does not fire,
    and a zero row is an ordinary one.
    """
    rule, dot, add, own = njit(rule), njit(dot), njit(add), njit(own)

    @njit
    def walk(params, state, hyp, v, dual, rows, index, xx, y, noise, rho, fired, where, log, logged):
        h = hyp[0]
        s, ww, bias, margin, trial = h["scale"], h["ww"], h["bias"], h["margin"], h["trial"]
        updates, mistakes, faded = h["updates"], h["mistakes"], h["faded"]
        for at in range(index.shape[0]):
            i = index[at]
            trial += 1
            if xx[i] == 0.0 and not fades:  # a zero row: w.x = 0 whatever w is, and no step can change that
                mistakes += 1
                margin = min(margin, 0.0)
                continue
            score = s * (dot(rows, at, i, v) + rho * bias)
            if noise > 0.0:
                score += s * noise * dual[own(at, i)]
            margin = min(margin, y[i] * score)
            if y[i] * score <= 0.0:
                mistakes += 1
            fires, scale, step, state = rule(params, state, y[i], score, xx[i], ww)
            if not (fires or fades):
                continue
            ww = scale * (scale * ww + step * score) + step * (scale * score + step * xx[i])
            if not ww < np.inf:
                h["overflows"] += 1
            if ww < 0.0:  # by rounding
                ww = 0.0
            s *= scale
            if not SMALLEST < abs(s) < LARGEST:
                for k in range(v.shape[0]):
                    v[k] *= s
                for k in range(dual.shape[0]):
                    dual[k] *= s
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
            add(rows, at, i, a, v)
            bias += a * rho
            if dual.shape[0] > 0:
                dual[own(at, i)] += a
            fired[at] = True
            if log.shape[0] > 0:
                log["epoch"][logged] = where[0]
                log["problem"][logged] = where[1]
                log["trial"][logged] = trial
                log["index"][logged] = where[2] + i
                log["score"][logged] = score
                log["scale"][logged] = faded if fades else scale
                log["step"][logged] = step
                log["ww"][logged] = ww
                log["bias"][logged] = s * rho * bias
                logged += 1
            faded = 1.0
        h["scale"], h["ww"], h["bias"], h["margin"], h["trial"] = s, ww, bias, margin, trial
        h["updates"], h["mistakes"], h["faded"] = updates, mistakes, faded
        return state, logged

    return walk


@cache
def repeater(walk):
    """Compile rounds of a walk over the same rows: as many as asked for, or until one makes no update.

    ``fired`` then tells of the last round alone.
    """

    @njit
    def repeat(
        params, state, rounds, hyp, v, dual, rows, index, xx, y, noise, rho, fired, where, log, logged
    ):
        for _ in range(rounds):
            before = hyp[0]["updates"]
            for at in range(fired.shape[0]):
                fired[at] = False
            state, logged = walk(
                params, state, hyp, v, dual, rows, index, xx, y, noise, rho, fired, where, log, logged
            )
            if hyp[0]["updates"] == before:
                break
        return state, logged

    return repeat


@cache
def entry(walk, *kinds):
    """Compile a walk whose first arguments, NamedTuples of these ``kinds``, come as plain tuples.

    When it looks up what it has compiled, numba takes two NamedTuples with fields of the same types for one,
    then finds that they are not, and starts again slowly: at each call, from the second such rule of a
    process on.
    """
    if len(kinds) == 1:
        Params = kinds[0]

        @njit
        def enter(params, *rest):
            return walk(Params(*params), *rest)
    else:
        Params, State = kinds

        @njit
        def enter(params, state, *rest):
            return walk(Params(*params), State(*state), *rest)

    return enter
