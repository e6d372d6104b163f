"""The walk of a pair algorithm: the weights move along the half difference of two examples, one of each class.

Such an algorithm remembers a pair, the last example of either class that caused an update, and tests each
example with a bias that puts the hyperplane midway between the pair: ``b = -(w.x+ + w.x-) / 2``. When the
example fires, it takes its class's place in the pair and the weights move by ``w <- scale w + step z`` with
``z = (x+ - x-) / 2``, so that ``w.z = 1``: then ``w.x+ + b = 1`` and ``w.x- + b = -1``.

The first pair is the first example of either class. Until it is complete ``w = 0`` and ``b = 0``, every score
is a mistake, and no example is tested again when it is complete.

Rows have places: the block's examples, and where the pair's rows are if they are not among these. Readers are

    dot(rows, place, v)      the value of ``v`` on the row there
    add(rows, place, a, v)   v += a * that row
    apart(rows, a, b)        |x_a - x_b|^2 / 4
"""

from functools import cache

import numpy as np
from numba import njit
from numba.extending import register_jitable

from marginbook.engines.linear import csr_add, csr_dot, dense_add, dense_dot
from marginbook.engines.walk import LARGEST, SMALLEST
from marginbook.pnorms import link

COINCIDE = 1e-14  # part of |x|^2 below which |x_a - x_b|^2 is the rounding of kernel values


def dense_pair_dot(rows, place, v):
    """``x . v`` for dense rows, and behind them the pair's rows of an earlier call."""
    n = rows[0].shape[0]
    return dense_dot(rows, 0, place, v) if place < n else dense_dot(rows[1:], 0, place - n, v)


@register_jitable
def dense_pair_add(rows, place, a, v):
    """``v += a x`` for the same rows."""
    n = rows[0].shape[0]
    if place < n:
        dense_add(rows, 0, place, a, v)
    else:
        dense_add(rows[1:], 0, place - n, a, v)


def dense_pair_apart(rows, a, b):
    """``|x_a - x_b|^2 / 4`` by the difference: kernel values would lose it where the rows are far from 0."""
    z = rows[-1]
    z[:] = 0.0
    dense_pair_add(rows, a, 0.5, z)
    dense_pair_add(rows, b, -0.5, z)
    return np.dot(z, z)


def csr_pair_dot(rows, place, v):
    """``x . v`` for CSR rows, and behind them the pair's rows, dense, of an earlier call."""
    n = rows[2].shape[0] - 1
    return csr_dot(rows[:3], 0, place, v) if place < n else dense_dot(rows[3:], 0, place - n, v)


@register_jitable
def csr_pair_add(rows, place, a, v):
    """``v += a x`` for the same rows."""
    n = rows[2].shape[0] - 1
    if place < n:
        csr_add(rows[:3], 0, place, a, v)
    else:
        dense_add(rows[3:], 0, place - n, a, v)


def csr_pair_apart(rows, a, b):
    """``|x_a - x_b|^2 / 4``, in a time that grows with the nonzeros; ``z`` is zero before and after."""
    data, indices, indptr, _, z = rows
    n = indptr.shape[0] - 1
    csr_pair_add(rows, a, 0.5, z)
    csr_pair_add(rows, b, -0.5, z)
    total = 0.0
    for place in (a, b):
        if place < n:
            for k in range(indptr[place], indptr[place + 1]):
                j = indices[k]
                total += z[j] * z[j]
                z[j] = 0.0
        else:
            total += np.dot(z, z)
            z[:] = 0.0
    return total


def kernel_pair_dot(rows, place, v):
    """Score of the row: already there."""
    return v[place]


def kernel_pair_add(rows, place, a, v):
    """Correct all scores of the block: the pair may be anywhere in it."""
    row = rows[0][place]
    for k in range(v.shape[0]):
        v[k] += a * row[k]


def kernel_pair_apart(rows, a, b):
    """``|x_a - x_b|^2 / 4`` from kernel values."""
    K = rows[0]
    total = (K[a, a] - K[a, b]) + (K[b, b] - K[a, b])
    return 0.25 * total if total > COINCIDE * (K[a, a] + K[b, b]) else 0.0


@cache
def shortest(dot, add, apart, minimiser):
    """Readers and step for ``p = 2``: the step needs inner products alone."""
    dot, add, apart, minimiser = njit(dot), njit(add), njit(apart), njit(minimiser)

    @njit
    def step(params, rows, a, b, v, s, k, ww, noise):
        zz = apart(rows, a, b) + 0.5 * noise  # two different examples, two private coordinates
        if zz == 0.0:
            return False, 1.0, 0.0
        scale, length = minimiser(1.0, k, zz, ww)
        return True, scale, length

    @njit
    def settle(params, v):
        pass

    return dot, add, step, settle


@cache
def shortest_q(dot, add, solve):
    """The same for ``p > 2``: ``v`` holds ``theta`` and behind it ``w = link(theta)``."""
    dot, add, solve = njit(dot), njit(add), njit(solve)

    @njit
    def dot_w(rows, place, v):
        return dot(rows, place, v[v.shape[0] // 2 :])

    @njit
    def add_theta(rows, place, a, v):
        add(rows, place, a, v[: v.shape[0] // 2])

    @njit
    def step(params, rows, a, b, v, s, k, ww, noise):
        d = v.shape[0] // 2
        z = np.zeros(d)
        add(rows, a, 0.5, z)
        add(rows, b, -0.5, z)
        if not z.any():
            return False, 1.0, 0.0
        scale, length = solve(s * v[:d], z, params.p)
        return True, scale, length

    @njit
    def settle(params, v):
        d = v.shape[0] // 2
        v[d:] = link(v[:d], params.p)

    return dot_w, add_theta, step, settle


@cache
def pair_walker(fires, dot, add, step, settle):
    """Compile the walk for one rule, one kind of row and one norm."""
    fires = njit(fires)

    @njit
    def walk(
        params, hyp, place, member, value, v, dual, rows, index, places, y, noise, fired, where, log, logged
    ):
        h = hyp[0]
        s, ww, margin, trial = h["scale"], h["ww"], h["margin"], h["trial"]
        updates, mistakes = h["updates"], h["mistakes"]
        for at in range(index.shape[0]):
            i, here = index[at], places[at]
            side = 0 if y[i] > 0.0 else 1
            other = 1 - side
            trial += 1
            score = s * dot(rows, here, v)
            if noise > 0.0:
                score += s * noise * dual[here]
            bias = -0.5 * (value[0] + value[1])
            margin = min(margin, y[i] * (score + bias))
            if y[i] * (score + bias) <= 0.0:
                mistakes += 1
            if not fires(params, y[i], score + bias):
                continue
            if place[other] < 0:  # no pair yet: the first example of a class waits for the other class
                if place[side] < 0:
                    place[side], member[side], fired[at] = here, where[2] + i, True
                continue
            a, b = (here, place[other]) if side == 0 else (place[other], here)
            k = 0.5 * y[i] * (score - value[other])
            moves, scale, length = step(params, rows, a, b, v, s, k, ww, noise)
            if not moves:  # the two coincide: no hyperplane separates them
                continue
            ww = scale * ww + length  # w'.w', from w'.z = 1 and, unless scale is 0, w'.w = w.w
            s *= scale
            if not SMALLEST < abs(s) < LARGEST:
                for j in range(v.shape[0]):
                    v[j] *= s
                for j in range(dual.shape[0]):
                    dual[j] *= s
                h["past"] *= s * s
                h["folded"] *= s
                s = 1.0
            half = 0.5 * length / s
            add(rows, a, half, v)
            add(rows, b, -half, v)
            settle(params, v)
            if dual.shape[0] > 0:
                dual[a] += half
                dual[b] -= half
            found = value[other] + bias
            place[side], member[side], fired[at] = here, where[2] + i, True
            for j in range(2):
                value[j] = s * dot(rows, place[j], v)
                if noise > 0.0:
                    value[j] += s * noise * dual[place[j]]
            updates += 1
            if log.shape[0] > 0:  # the other example's row follows: a second step, which lives no trial less
                for j in range(2):
                    log["epoch"][logged] = where[0]
                    log["problem"][logged] = where[1]
                    log["trial"][logged] = trial
                    log["index"][logged] = member[side if j == 0 else other]
                    log["score"][logged] = score + bias if j == 0 else found
                    log["scale"][logged] = scale if j == 0 else 1.0
                    log["step"][logged] = 0.5 * length * (y[i] if j == 0 else -y[i])
                    log["ww"][logged] = ww
                    log["bias"][logged] = -0.5 * (value[0] + value[1])
                    logged += 1
        h["scale"], h["ww"], h["margin"], h["trial"] = s, ww, margin, trial
        h["updates"], h["mistakes"] = updates, mistakes
        return logged

    return walk
