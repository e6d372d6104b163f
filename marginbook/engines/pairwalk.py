"""The walk of a pair algorithm: the weights move along half the difference of two examples, a class each.

Such an algorithm remembers a pair, the last example of each class that caused an update, and tests each
example with a bias that puts the hyperplane midway between the pair: ``b = -(w.x+ + w.x-) / 2``. When the
example fires, it takes its class's place in the pair and the weights move by ``w <- scale w + step z`` with
``z = (x+ - x-) / 2``, so that ``w.z = 1``: then ``w.x+ + b = 1`` and ``w.x- + b = -1``.

The first pair is the first example of each class. Until it is complete ``w = 0`` and ``b = 0``, every score
is a mistake, and no example is tested again when it is complete.

Rows have places: the block's examples, and where the pair's rows are if they are not among these. Readers are

    dot(rows, place, v)      the value of ``v`` on the row there
    apart(rows, a, b)        |z|^2 for the rows a and b
    along(rows, a, b, c, v)  v += c z for the same two rows, after ``apart``

Linear readers get the pair's rows of an earlier call, dense, and a buffer that holds ``z``.
"""

from functools import cache

import numpy as np
from numba import njit
from numba.extending import register_jitable

from marginbook.engines.linear import csr_add, csr_dot
from marginbook.engines.walk import LARGEST, SMALLEST, compiled, inlined, note
from marginbook.pnorms import write_link

COINCIDE = 1e-14  # part of |x|^2 below which |x_a - x_b|^2 is the rounding of kernel values


@inlined
def dense_row(rows, place):
    """A dense row, or behind them one of the pair's."""
    X, kept, _ = rows
    return X[place] if place < X.shape[0] else kept[place - X.shape[0]]


@register_jitable
def dense_plus(rows, place, a, v):
    """``v += a x`` for dense rows."""
    row = dense_row(rows, place)
    for j in range(v.shape[0]):
        v[j] += a * row[j]


def dense_pair_dot(rows, place, v):
    """``x . v`` for dense rows."""
    return np.dot(dense_row(rows, place), v)


def dense_apart(rows, a, b):
    """``|z|^2`` from ``z`` itself: inner products would lose it where the rows are far from 0."""
    z = rows[2]
    for j in range(z.shape[0]):
        z[j] = 0.0
    dense_plus(rows, a, 0.5, z)
    dense_plus(rows, b, -0.5, z)
    return np.dot(z, z)


def buffer_along(rows, a, b, c, v):
    """``v += c z`` with the ``z`` that stands in the buffer."""
    z = rows[-1]
    for j in range(z.shape[0]):
        v[j] += c * z[j]


@register_jitable
def csr_plus(rows, place, a, v):
    """``v += a x`` for CSR rows, and behind them those of the pair."""
    n = rows[2].shape[0] - 1
    if place < n:
        csr_add(rows[:3], place, a, v)
    else:
        row = rows[3][place - n]
        for j in range(v.shape[0]):
            v[j] += a * row[j]


def csr_pair_dot(rows, place, v):
    """``x . v`` for CSR rows."""
    n = rows[2].shape[0] - 1
    return csr_dot(rows[:3], place, v) if place < n else np.dot(rows[3][place - n], v)


def csr_apart(rows, a, b):
    """``|z|^2`` in a time that grows with the nonzeros: the buffer is zero before and after."""
    _, indices, indptr, _, z = rows
    csr_plus(rows, a, 0.5, z)
    csr_plus(rows, b, -0.5, z)
    total = 0.0
    for place in (a, b):
        if place < indptr.shape[0] - 1:
            for k in range(indptr[place], indptr[place + 1]):
                j = indices[k]
                total += z[j] * z[j]
                z[j] = 0.0
        else:
            for j in range(z.shape[0]):
                total += z[j] * z[j]
                z[j] = 0.0
    return total


def csr_along(rows, a, b, c, v):
    """``v += c z`` for CSR rows."""
    csr_plus(rows, a, 0.5 * c, v)
    csr_plus(rows, b, -0.5 * c, v)


def kernel_pair_dot(rows, place, v):
    """Score of the row: already there."""
    return v[place]


def kernel_apart(rows, a, b):
    """``|z|^2`` from kernel values."""
    K = rows[0]
    total = (K[a, a] - K[a, b]) + (K[b, b] - K[a, b])
    return 0.25 * total if total > COINCIDE * (K[a, a] + K[b, b]) else 0.0


def kernel_along(rows, a, b, c, v):
    """Correct all scores of the block: the pair may be anywhere in it."""
    K = rows[0]
    for k in range(v.shape[0]):
        v[k] += 0.5 * c * (K[a, k] - K[b, k])


@cache
def euclidean(dot, apart, along, minimiser):
    """What the walk needs for ``p = 2``: readers, and a step that knows inner products alone."""
    apart, minimiser = inlined(apart), inlined(minimiser)

    @inlined
    def step(params, rows, a, b, v, s, k, ww, noise):
        zz = apart(rows, a, b) + 0.5 * noise  # two different examples, two private coordinates
        if zz == 0.0:
            return False, 1.0, 0.0
        scale, length = minimiser(1.0, k, zz, ww)
        return True, scale, length

    @inlined
    def settle(params, v):
        pass

    return dot, along, step, settle


@cache
def p_norm(dot, plus, solve):
    """The same for ``p > 2``, from vectors: ``v`` is ``theta``, and behind it ``w = link(theta)``."""
    dot, solve = inlined(dot), njit(solve)

    def dot_w(rows, place, v):
        return dot(rows, place, v[v.shape[0] // 2 :])

    @inlined
    def settle(params, v):
        d = v.shape[0] // 2
        write_link(v[:d], params.p, v[d:])

    @inlined
    def step(params, rows, a, b, v, s, k, ww, noise):
        z, d = rows[-1], v.shape[0] // 2
        for j in range(d):
            z[j] = 0.0
        plus(rows, a, 0.5, z)
        plus(rows, b, -0.5, z)
        largest = 0.0
        for j in range(d):
            largest = max(largest, abs(z[j]))
        if largest == 0.0:
            return False, 1.0, 0.0
        theta = v[d:]  # of no use before the weights settle
        for j in range(d):
            theta[j] = s * v[j]
        scale, length = solve(theta, z, params.p)
        return True, scale, length

    return dot_w, buffer_along, step, settle


@cache
def pair_walker(fires, dot, along, step, settle, Params):
    """Compile the walk for one rule, one kind of row and one norm."""
    # Inside the walk, along's loop is not vectorised: it stays a function of its own.
    fires, dot, along = inlined(fires), inlined(dot), njit(along)

    @compiled
    def walk(
        params, hyp, place, member, value, v, dual, rows, index, places, y, noise, fired, where, log, logged
    ):
        params, h = Params(*params), hyp[0]
        s, ww, margin, trial = h["scale"], h["ww"], h["margin"], h["trial"]
        updates, mistakes = h["updates"], h["mistakes"]
        for at in range(index.shape[0]):
            i, here = index[at], places[at]
            label = y[i]
            side = 0 if label > 0.0 else 1
            other = 1 - side
            trial += 1
            score = s * dot(rows, here, v)
            if dual is not None and noise > 0.0:
                score += s * noise * dual[here]
            bias = -0.5 * (value[0] + value[1])
            if label * (score + bias) < margin:
                margin = label * (score + bias)
            if label * (score + bias) <= 0.0:
                mistakes += 1
            if not fires(params, label, score + bias):
                continue
            if place[other] < 0:  # no pair yet: the first example of a class waits for the other class
                if place[side] < 0:
                    place[side], member[side], fired[at] = here, where[2] + i, True
                continue
            a, b = (here, place[other]) if side == 0 else (place[other], here)
            k = 0.5 * label * (score - value[other])
            moves, scale, length = step(params, rows, a, b, v, s, k, ww, noise)
            if not moves:  # the two coincide: no hyperplane separates them
                continue
            ww = scale * ww + length  # w'.w', from w'.z = 1 and, unless scale is 0, w'.w = w.w
            if not ww < np.inf:
                h["overflows"] += 1
            s *= scale
            if not SMALLEST < abs(s) < LARGEST:
                for j in range(v.shape[0]):
                    v[j] *= s
                if dual is not None:
                    for j in range(dual.shape[0]):
                        dual[j] *= s
                h["past"] *= s * s
                h["folded"] *= s
                s = 1.0
            along(rows, a, b, length / s, v)
            settle(params, v)
            if dual is not None:
                dual[a] += 0.5 * length / s
                dual[b] -= 0.5 * length / s
            found = value[other] + bias
            place[side], member[side], fired[at] = here, where[2] + i, True
            for j in range(2):
                value[j] = s * dot(rows, place[j], v)
                if dual is not None and noise > 0.0:
                    value[j] += s * noise * dual[place[j]]
            updates += 1
            if log is not None:  # two rows; the hypothesis between the two steps lives no trial
                half, now = 0.5 * length * label, -0.5 * (value[0] + value[1])
                note(log[logged], where, trial, member[side], score + bias, scale, half, ww, now)
                note(log[logged + 1], where, trial, member[other], found, 1.0, -half, ww, now)
                logged += 2
        h["scale"], h["ww"], h["margin"], h["trial"] = s, ww, margin, trial
        h["updates"], h["mistakes"] = updates, mistakes
        return logged

    return walk
