"""margins.py -- claims about selections and descent that are false as printed, as in flows.py."""
import itertools

from flows import COUNTEREXAMPLE, HOLDS, LEAVES
from rationals import Q, dot, exp, minus, shortest, solve


def tf_lem_5(case):
    """A selection with a solution is locally optimal if and only if its W_mm is in the separating cone."""
    X, z = case["X"], case["z"]
    n, T = len(X), len(X[0])
    score = [[case["y"][i] * dot(case["v"], x) for x in X[i]] for i in range(n)]
    feature = [[[a * b for a in x for b in z[i]] for x in X[i]] for i in range(n)]
    for alpha in itertools.product(range(T), repeat=n):
        lead = {(i, t): minus(feature[i][alpha[i]], feature[i][t]) for i in range(n) for t in range(T) if t != alpha[i]}
        w = shortest(list(lead.values()))
        if w is None:
            continue
        local = all(score[i][t] < score[i][alpha[i]] for (i, t), a in lead.items() if dot(a, w) == 1)
        cone = True
        for i in range(n):
            low = [t for t in range(T) if score[i][t] < score[i][alpha[i]]]
            high = [t for t in range(T) if t != alpha[i] and score[i][t] >= score[i][alpha[i]]]
            if high:
                cone = cone and any(all(dot(minus(feature[i][t], feature[i][s]), w) > 0 for s in high) for t in low)
        if local != cone:
            return COUNTEREXAMPLE, f"selection {alpha} is {'' if local else 'not '}locally optimal, {'' if cone else 'not '}in the cone"
    return HOLDS, "for every selection"


def tf_thm_4(case):
    """With other scores equal, descent of the logistic loss goes to the direction of W_mm from every start.

    Decided for two inputs of two tokens with one query z and W(0) = p z'. With u_i the best token less the other, g_i
    the gap of their scores and a_i = <p, u_i>, a step of any size, normalised or not, moves p along

        c_0 g_0 w(a_0) u_0 + c_1 g_1 w(a_1) u_1,   w(a) = e^a / (1 + e^a)^2 = w(-a),   c_i = 1/(1 + e^f_i),

    f_i between the scores of input i. Let k = a_0 > 0 at the start and b = -a_1 >= k + m, m >= 0. As long as a_0 >= k
    and b - a_0 >= m, w(a_1)/w(a_0) = e^(a_0 - b) ((1 + e^-a_0)/(1 + e^-b))^2 <= e^-m (1 + e^-k)^2, so the second
    coefficient is at most r times the first. Then a_0 and b - a_0 grow when they do for both u_0 and u_0 + r u_1, so
    this remains, and p stays in the cone of u_0 and u_0 + r u_1, if it starts there. W_mm is not in it."""
    X, z, w0 = case["X"], case["z"], case["W0"]
    n = len(X)
    score = [[case["y"][i] * dot(case["v"], x) for x in X[i]] for i in range(n)]
    best = [row.index(max(row)) for row in score]
    features = [minus([a * b for a in X[i][best[i]] for b in z[i]], [a * b for a in X[i][t] for b in z[i]])
                for i in range(n) for t in range(len(X[i])) if t != best[i]]
    others = [{s for t, s in enumerate(row) if t != b} for row, b in zip(score, best)]
    if any(max(row) in rest or len(rest) > 1 for row, rest in zip(score, others)) or shortest(features) is None:
        return LEAVES, "one best token, others equal, and W_mm"
    if n == 1:
        return HOLDS, "n = 1"
    if n != 2 or len(X[0]) != 2 or z[0] != z[1]:
        return HOLDS, "not decided"
    square = dot(z[0], z[0])
    p = [dot(row, z[0]) / square for row in w0]
    if any(w0[i][j] != p[i] * z[0][j] for i in range(len(p)) for j in range(len(p))):
        return HOLDS, "not decided"
    # <x, W z> = |z|^2 <x, p>, and W moves along (...) z'.
    u = [[a * square for a in minus(X[i][best[i]], X[i][1 - best[i]])] for i in range(2)]
    for first in (0, 1):
        u0, u1, gap = u[first], u[1 - first], [max(score[i]) - min(score[i]) for i in (first, 1 - first)]
        k, b = dot(p, u0), -dot(p, u1)
        if k <= 0 or b < k:
            continue
        c = (1 + exp(max(score[first]))[1]) / (1 + exp(min(score[1 - first]))[0])
        r = c * gap[1] / gap[0] * exp(k - b)[1] * (1 + exp(-k)[1]) ** 2
        far = [a + r * e for a, e in zip(u0, u1)]
        grows = all(dot(v, u0) > 0 and -dot(v, u1) - dot(v, u0) > 0 for v in (u0, far))

        def is_inside(x):
            """x = a u_0 + e (u_0 + r u_1) with a, e >= 0: their equations by least squares, checked."""
            gram = [[dot(v, o) for o in (u0, far)] for v in (u0, far)]
            a, e = solve(gram, [dot(v, x) for v in (u0, far)])
            return a >= 0 and e >= 0 and [a * i + e * j for i, j in zip(u0, far)] == x

        w = shortest(features)
        d = len(p)
        target = [dot(w[i * d:(i + 1) * d], z[0]) for i in range(d)]
        if grows and is_inside(p) and not is_inside(target):
            return COUNTEREXAMPLE, f"descent stays in the cone of ({', '.join(map(str, u0))}) and ({', '.join(f'{float(e):.4g}' for e in far)}), W_mm z is ({', '.join(map(str, target))})"
    return HOLDS, "not decided"
