r"""A soft-margin dual whose Gram matrix is at hand, from the inside: Mehrotra's interior point.

Problem     as in `box_newton`; x = β − low and s = high − β are positive, and so are the
            multipliers z, w of their bounds; b is that of the equation, if there is one
Optimal     v − Kd − b + z − w = 0,   Σ d_t = 0,   x_t z_t = 0,   s_t w_t = 0
Step        Newton's on these with x_t z_t = s_t w_t = μ, μ as small as a trial step with μ = 0
            shows to be possible: one factor of K + diag(z/x + w/s) serves both
Why         an active set crosses bounds one by one; where thousands must be crossed, some twenty
            of these steps are far cheaper. What is not quite at its bound in the end is put there

Reference   Mehrotra (1992), On the implementation of a primal-dual interior point method
"""

from __future__ import annotations

from contextlib import nullcontext

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from certo.blas import few_threads
from certo.compiled.threads import one_thread
from certo.solvers.box_newton import box_newton
from certo.solvers.nearest_point import ONE_THREAD_BELOW_ROWS
from certo.stop import Asked, go_on

MAX_ACTIVE_SET_STEPS = 30  # Steps of the active set, after which it goes on from the inside.
LAST_STEPS_WORK = 3e10  # Multiplications of its last steps, about.
MAX_INTERIOR_STEPS = 60  # Steps from the inside.
MIN_DISTANCE = 1e-30  # Distance from a bound, relative to the box, that is kept inside.
STEP_SHARE = 0.995  # Share of the way to the nearest bound that a step takes.
ROUND_TO_BOUND = 1e-5  # Distance, relative to the furthest inside, that is put at a bound.


def solve_box(gram, beta, low, high, slopes, *, free: bool, eps: float, asked) -> np.ndarray:
    """The best β from this one on: by an active set, if few bounds are wrong; else from the inside,
    and then by an active set."""
    found = box_newton(
        gram, beta, low, high, slopes, free=free, eps=eps, most=MAX_ACTIVE_SET_STEPS, asked=asked
    )
    now = slopes - gram @ (found - beta)
    if asked() or _violation(found, low, high, now, free) <= eps:
        return found
    with one_thread() if beta.size <= ONE_THREAD_BELOW_ROWS else nullcontext():
        inner = box_interior(gram, found, low, high, now, free=free, eps=0.01 * eps, asked=asked)
    then = now - gram @ (inner - found)
    if float((inner - found) @ (now + then)) > 0:  # The dual objective rose.
        found, now = inner, then
    inside = np.count_nonzero((found > low) & (found < high))
    most = int(LAST_STEPS_WORK / (inside**3 + 10.0 * beta.size**2)) + MAX_ACTIVE_SET_STEPS // 4
    return box_newton(
        gram, found, low, high, now, free=free, eps=eps, most=min(most, 300), asked=asked
    )


def _violation(beta, low, high, slopes, free: bool) -> float:
    most = float(np.max(slopes, where=beta < high, initial=-np.inf))
    least = float(np.min(slopes, where=beta > low, initial=np.inf))
    return most - least if free else max(most, -least)


def box_interior(
    gram: np.ndarray,
    beta: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    slopes: np.ndarray,
    *,
    free: bool,
    eps: float,
    asked: Asked = go_on,
) -> np.ndarray:
    """β near the best one, until slopes violate optimality by about eps; `slopes` are those of the
    β given. `free`: Σ β_t stays, up to rounding."""
    some = np.flatnonzero(low < high)
    K, box = gram[np.ix_(some, some)], (high - low)[some]
    if not some.size or not np.any(K):
        return beta
    first, origin = slopes[some] + K @ (beta - low)[some], (beta - low)[some]
    away = np.minimum(0.1 * box, 1 / np.mean(K.diagonal()))
    x = np.clip(origin, away, box - away)
    s, slope = np.maximum(box - x, MIN_DISTANCE * box), first - K @ x
    b = float(np.median(slope)) if free else 0.0
    z = np.full(x.size, max(float(np.max(np.abs(slope - b))), 1e-12))
    w = z.copy()
    for _ in range(MAX_INTERIOR_STEPS):
        slope = first - K @ x
        wrong, missing = slope - b + z - w, float(np.sum(origin - x)) if free else 0.0
        mu = float(x @ z + s @ w) / (2 * x.size)
        done = np.max(np.abs(wrong)) <= eps and mu <= 0.05 * eps * np.max(box)
        if (done and abs(missing) <= 1e-10 * np.max(box)) or asked():
            break
        M = K.copy()
        with np.errstate(over="ignore"):
            M.flat[:: x.size + 1] += z / x + w / s
        if not np.all(np.isfinite(M.diagonal())):
            break
        try:
            with few_threads(len(M)):
                factor = cho_factor(M, lower=True, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:  # Rounding hides any further progress.
            break
        even = cho_solve(factor, np.ones(x.size), check_finite=False) if free else np.zeros(0)

        def direction(to_low, to_high, z=z, w=w, x=x, s=s, wrong=wrong, missing=missing,
                      factor=factor, even=even):  # fmt: skip
            """With x z and s w aimed at these numbers."""
            aim = wrong + (to_low / x - z) - (to_high / s - w)
            dx, db = cho_solve(factor, aim, check_finite=False), 0.0
            if free:
                db = (float(np.sum(dx)) - missing) / float(np.sum(even))
                dx = dx - db * even
            return dx, db, (to_low - z * dx) / x - z, (to_high + w * dx) / s - w

        dx, db, dz, dw = direction(0.0, 0.0)
        reach = min(_reach(x, dx), _reach(s, -dx)), min(_reach(z, dz), _reach(w, dw))
        left = (x + reach[0] * dx) @ (z + reach[1] * dz) + (s - reach[0] * dx) @ (w + reach[1] * dw)
        goal = mu * (float(left) / (2 * x.size * mu)) ** 3 if mu > 0 else 0.0
        dx, db, dz, dw = direction(goal - dx * dz, goal + dx * dw)
        step = STEP_SHARE * min(_reach(x, dx), _reach(s, -dx), _reach(z, dz), _reach(w, dw))
        x, z, w, b = x + step * dx, z + step * dz, w + step * dw, b + step * db
        x = np.clip(x, MIN_DISTANCE * box, box)
        s = np.maximum(box - x, MIN_DISTANCE * box)
    near = ROUND_TO_BOUND * float(np.max(np.minimum(x, s)))
    x = np.where(x < near, 0.0, np.where(s < near, box, x))
    if free:  # The missing sum goes to the coordinate with most room.
        most = int(np.argmax(np.minimum(x, box - x)))
        x[most] = np.clip(x[most] + np.sum(origin - x), 0.0, box[most])
    found = beta.copy()
    found[some] = np.clip(low[some] + x, low[some], high[some])
    return found


def _reach(values: np.ndarray, move: np.ndarray) -> float:
    """How much of the move, at most all, keeps the values positive."""
    falling = move < -values  # The other coordinates allow the whole step.
    return float(np.min(values[falling] / -move[falling], initial=1.0))
