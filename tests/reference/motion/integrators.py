"""integrators.py -- one step of a tokens' ODE: Euler, the classical Runge-Kutta method, and the flow itself.

    euler    x + h f(x, t)
    rk4      x + h/6 (k1 + 2 k2 + 2 k3 + k4), k at t, t + h/2, t + h/2, t + h
    flow     the solution, by Dormand and Prince's pair of orders 8, 5, 3 (scipy)

On the sphere a step ends by bringing every token to unit length; stages are not. Each of the first two comes with a
bound of what double may do to it: u|x| from forming a stage, errors of velocities (fields.py), and those
errors carried through the later stages by a Lipschitz constant of the field. The step h is known to 3 u t.
"""
import numpy as np
from scipy.integrate import solve_ivp

from fields import L, U


def unit(x):
    return x / np.sqrt((x * x).sum(axis=1, keepdims=True))


def finish(field, x, move, e, t, h):
    """The state after the move with its error bound; on the sphere at unit length."""
    end = x + h * move
    slip = 3 * U * (abs(L(t)) + abs(h)) * np.abs(move)
    e = h * e + slip + 3 * U * (np.abs(end) + np.abs(x)) + L(2) ** -1070
    if not field.sphere:
        return end, e
    d = x.shape[1]
    length = np.sqrt((end * end).sum(axis=1, keepdims=True))
    ahead = np.sqrt((e * e).sum(axis=1, keepdims=True)) / length
    return end / length, e / length + np.abs(end) / length * (ahead + (d + 6) * U)


def euler(field, x, t, h):
    x, h = np.asarray(x, dtype=L), L(h)
    f, e = field.parts(x, t)
    return finish(field, x, f, e, t, h)


def rk4(field, x, t, h):
    x, h, t = np.asarray(x, dtype=L), L(h), L(t)
    k1, e1 = field.parts(x, t)
    stages, errors = [k1], [e1]
    for part in (L(0.5), L(0.5), L(1)):
        y = x + part * h * stages[-1]
        k, e = field.parts(y, t + part * h)
        moved = part * h * errors[-1].max() + 2 * U * np.abs(y).max() + 3 * U * (abs(t) + h) * np.abs(k).max()
        stages.append(k)
        errors.append(e + field.lipschitz(y, t + part * h) * moved)
    mix = lambda a: (a[0] + 2 * a[1] + 2 * a[2] + a[3]) / 6
    move = mix(stages)
    size = mix([np.abs(k) for k in stages])
    return finish(field, x, move, mix(errors) + 8 * U * size, t, h)


class Slow(Exception):
    pass


def flow(field, x, t, h, tolerance, most=3000):
    """The state that the ODE reaches from x, in double, to the tolerance (of the radius); None when that takes too long."""
    x = np.asarray(x, dtype=float)
    size = float(np.abs(x).max()) or 1.0
    plain, calls = field.double(), 0

    def f(s, flat):
        nonlocal calls
        calls += 1
        if calls > most:
            raise Slow
        y = flat.reshape(x.shape) * size
        return (plain(unit(y) if field.sphere else y, s) / size).ravel()

    try:
        done = solve_ivp(f, (float(t), float(t + h)), (x / size).ravel(), method="DOP853", rtol=tolerance, atol=tolerance)
    except Slow:
        return None
    y = done.y[:, -1].reshape(x.shape) * size
    return unit(y) if field.sphere else y
