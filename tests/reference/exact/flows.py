"""flows.py -- claims about flows that are false as printed. Each judge takes an instance, and returns COUNTEREXAMPLE,
HOLDS (or nothing was decided) or LEAVES (a hypothesis) with a sentence."""
import itertools
import math

from rationals import (Q, apply, distinct, dot, eliminate, exp, in_hull, is_edge, is_positive, mean, minus, mix, outward,
                       root, vertices)

COUNTEREXAMPLE, HOLDS, LEAVES = "counterexample", "conclusion holds", "hypothesis fails"


# ---- dynamics ----------------------------------------------------------------------------------------------------

def leaders(matrix, x, points):
    """The distinct points of largest score."""
    scores = [dot(apply(matrix, x), y) for y in points]
    return distinct([y for y, score in zip(points, scores) if score == max(scores)])


def hardmax(matrix, tokens, step):
    """step: of x and the mean of its leaders, the token after it."""
    return [step(x, mean(leaders(matrix, x, tokens))) for x in tokens]


def steps_of(case, name="gamma"):
    """A number holds for every step."""
    value = case[name]
    return value if isinstance(value, list) else [value] * int(case["steps"])


def fw_thm_3_1(case):
    """J(x_i^(t+1)) <= 2/(t+1) lambda_max(A) D^2 for A = -B > 0, gamma = 2/(t+2) and 0 in the first hull."""
    tokens, d = case["tokens"], len(case["B"])
    a = [[-e for e in row] for row in case["B"]]
    if not is_positive(a) or not in_hull(tokens, [Q(0)] * d):
        return LEAVES, "A > 0 and 0 in the hull"
    square = max(dot(minus(x, y), minus(x, y)) for x in tokens for y in tokens)
    for t in range(int(case["steps"])):
        tokens = hardmax(case["B"], tokens, lambda x, y, gamma=Q(2, t + 2): mix(gamma, x, y))
        energy = max(dot(apply(a, x), x) / 2 for x in tokens)
        # J > 2/(t+1) l D^2 exactly when c I - A > 0 for c = J (t+1) / (2 D^2).
        c = energy * (t + 1) / (2 * square) if square else Q(0)
        if is_positive([[c * (i == j) - a[i][j] for j in range(d)] for i in range(d)]):
            return COUNTEREXAMPLE, f"J = {float(energy):.6g} after step {t}"
    return HOLDS, "at every step"


def fw_lem_hull(case):
    """The hull after a hardmax layer is in the hull before, for every positive diagonal V."""
    v, tokens = case["V"], case["tokens"]
    d = len(v)
    if any(v[i][j] != 0 for i in range(d) for j in range(d) if i != j) or any(v[i][i] <= 0 for i in range(d)):
        return LEAVES, "V is diagonal and positive"
    p = [v[i][i] / (1 + v[i][i]) for i in range(d)]
    for t in range(int(case["steps"])):
        after = hardmax(case["B"], tokens, lambda x, y: [a + s * (b - a) for s, a, b in zip(p, x, y)])
        for x in after:
            if not in_hull(tokens, x):
                return COUNTEREXAMPLE, f"({', '.join(map(str, x))}) of step {t + 1} is outside"
        tokens = after
    return HOLDS, "at every step"


def cells(matrix, corners, x):
    """The vertices in whose cells x is."""
    return leaders(matrix, x, corners)


def fw_rate_exponential(case):
    """Under theorem 4.2 tokens converge to the vertices of their cells, for any gamma in (0, 1). With gamma^t =
    first ratio^t the way that is left forever is prod (1 - gamma^t) >= 1 - first/(1 - ratio) after some steps."""
    tokens, first, ratio = distinct(case["tokens"]), case["first"], case["ratio"]
    corners = vertices(tokens)
    own = all(cells(case["B"], corners, v) == [v] for v in corners)
    one = all(len(cells(case["B"], corners, x)) == 1 for x in tokens)
    if not (is_positive(case["B"]) and own and one and 0 < first < 1 and 0 < ratio <= 1):
        return LEAVES, "theorem 4.2 and gamma in (0, 1)"
    if ratio == 1:
        return HOLDS, "constant steps are exponential"
    # gamma^t <= 1/2 and a sum of the rest below 1 from some step on: the product is positive. So it always is.
    gamma, left = first, Q(1)
    while gamma / (1 - ratio) >= 1:
        left, gamma = left * (1 - gamma), gamma * ratio
    left *= 1 - gamma / (1 - ratio)
    moving = [x for x in tokens if x not in corners]
    return (COUNTEREXAMPLE if moving and left > 0 else HOLDS), f"{float(left):.6g} of the way is left forever"


def own_cells(case, passes):
    """Whether "passes" says which vertices own their cells."""
    corners = vertices(case["tokens"])
    for v in corners:
        owns = all(dot(apply(case["B"], v), minus(v, w)) > 0 for w in corners if w != v)
        near = [w for w in corners if w != v and is_edge(corners, v, w)]
        if passes(apply(case["B"], v), v, near) != owns:
            return COUNTEREXAMPLE, f"vertex ({', '.join(map(str, v))}) {'owns' if owns else 'does not own'} its cell"
    return HOLDS, "at every vertex"


def fw_rem_own_cell(case):
    return own_cells(case, lambda b, v, near: all(dot(b, minus(w, v)) < 0 for w in near + [[Q(0)] * len(v)]))


def fw_rem_own_cell_weak(case):
    return own_cells(case, lambda b, v, near: all(dot(b, minus(w, v)) <= 0 for w in near))


def soft_step(tokens, beta, gamma):
    """Of tokens as boxes, pairs (low, high) of lists: a box around each token after the step."""
    def product(x, y):
        terms = [[a * b for a in (x[0][k], x[1][k]) for b in (y[0][k], y[1][k])] for k in range(len(x[0]))]
        return sum(map(min, terms)), sum(map(max, terms))

    after = []
    for x in tokens:
        scores = [product(x, y) for y in tokens]
        weights = [(exp(beta * low)[0], exp(beta * high)[1]) for low, high in scores]
        low, high = [], []
        for k in range(len(x[0])):
            # A share is least when its own weight is least and all others are largest.
            shares = [(w[0] / (w[0] + sum(u[1] for u in weights) - w[1]), w[1] / (w[1] + sum(u[0] for u in weights) - w[0]))
                      for w in weights]
            parts = [[s * c for s in share for c in (y[0][k], y[1][k])] for share, y in zip(shares, tokens)]
            one = outward((1 - gamma) * x[0][k] + gamma * sum(map(min, parts)),
                          (1 - gamma) * x[1][k] + gamma * sum(map(max, parts)))
            low.append(one[0])
            high.append(one[1])
        after.append((low, high))
    return after


def fw_prop_collapse_origin(case):
    """From a cloud around the origin the softmax flow goes to the origin. The hull only shrinks: when some direction
    has every token on its positive side, the origin is left for good."""
    tokens, beta, gamma = case["tokens"], case["beta"], case["gamma"]
    d = len(tokens[0])
    if not (beta > 0 and 0 < gamma <= 1 and in_hull(tokens, [Q(0)] * d)):
        return LEAVES, "beta > 0, gamma in (0, 1] and 0 in the hull"
    boxes = [(list(x), list(x)) for x in tokens]
    for t in range(int(case["steps"])):
        boxes = soft_step(boxes, beta, gamma)
        centre = mean([low for low, _ in boxes])
        for u in [centre] + [[Q(int(k == a) * s) for k in range(d)] for a in range(d) for s in (1, -1)]:
            if all(sum(min(e * a, e * b) for e, a, b in zip(u, low, high)) > 0 for low, high in boxes):
                return COUNTEREXAMPLE, f"the origin is outside after {t + 1} steps"
    return HOLDS, "the origin was not seen to be left"


def fw_thm_5_4(case):
    """P[T_2 < t] <= exp(E), E = (1 + a) log(t n/a) - beta c0 a/2 and a = eps/gamma >= 2 d(K), for tokens near the
    vertices of an acute set of equal norms.

    Decided for three tokens at the corners of a regular triangle of side d and equal norms R, a <= (sqrt 7 - 18 gamma)
    d. Until the exit tokens are within 3 gamma d of their corners. A crossing moves a token by gamma d along one of
    two sides that meet at 60 degrees, up to 6 gamma^2 d: two by less than 2 gamma d <= eps, three by at least
    (sqrt 7 - 18 gamma) gamma d >= eps. So the third crossing of a token is its exit. Its chance to cross is q = p
    e^(-2 z) at least, p = 2 w/(1 + 2 w), w = e^(-beta d^2/2), z = 3 beta gamma d (d + 2 R + 6 gamma d): exponents are
    off by z at most. So P[T_2 < t] >= 1 - P[Bin(t - 1, q) <= 2]^3."""
    x, beta, gamma, epsilon = case["tokens"], case["beta"], case["gamma"], case["radius"]
    sides = {dot(minus(v, w), minus(v, w)) for v in x for w in x if v != w}
    norms = {dot(v, v) for v in x}
    if len(x) != 3 or len(sides) != 1 or len(norms) != 1:
        return LEAVES, "a regular triangle of equal norms"
    square, norm = sides.pop(), norms.pop()
    (_, side), (_, radius), seven = root(square), root(norm), root(Q(7))[0]
    a, c0 = epsilon / gamma, square / 2
    if not (beta > 0 and 0 < gamma <= 1 and a >= 2 * side and a <= (seven - 18 * gamma) * root(square)[0]):
        return LEAVES, "2 d <= eps/gamma <= (sqrt 7 - 18 gamma) d"
    w = exp(-beta * square / 2)[0]
    q = 2 * w / (1 + 2 * w) * exp(-6 * beta * gamma * side * (side + 2 * radius + 6 * gamma * side))[0]
    for t in (4, 8, 16, 32):
        few = sum(math.comb(t - 1, k) * q ** k * (1 - q) ** (t - 1 - k) for k in range(3))
        # log(t n/a) <= -k when t n/a <= e^-k.
        k = max((k for k in range(30) if 3 * t / a <= exp(Q(-k))[0]), default=None)
        if k is not None and exp(-min(Q(80), (1 + a) * k + beta * c0 * a / 2))[1] < 1 - few ** 3:
            return COUNTEREXAMPLE, f"P[T_2 < {t}] is {float(1 - few ** 3):.4g} at least, printed: e^-{float((1 + a) * k):.5g} at most"
    return HOLDS, "not decided"


def fw_rem_universal_constant(case):
    """Of theorem 5.2, with this C for every cloud: at step T_1 tokens are within C tau of their vertices, with
    probability 1 - beta^(-1/8) at least. Decided where T_1 = 1, in the plane, for three vertices: when all the places
    that a token may be at after a step are too far the probability is 0."""
    x, beta, gamma, C = case["tokens"], case["beta"], case["gamma"], case["C"]
    v, rest = x[:3], x[3:]
    pairs = list(itertools.permutations(range(3), 2))

    def square(a, b):
        return dot(minus(a, b), minus(a, b))

    c0 = min(dot(v[i], minus(v[i], v[j])) for i, j in pairs)
    acute = all(dot(minus(v[j], v[i]), minus(v[k], v[i])) > 0 for i, j, k in itertools.permutations(range(3)))
    if not (case["kappa"] == 3 and acute and len({dot(e, e) for e in v}) == 1 and c0 > 0 and 0 < gamma < 1 < beta and C > 1):
        return LEAVES, "an acute triangle of equal norms, gamma in (0, 1) and C > 1"
    delta = root(root(1 / beta)[1])[1]
    eta, own = root(delta)[1], []
    for e in rest:
        s = max(range(3), key=lambda j: dot(v[j], e))
        own.append(v[s])
        for i, j in pairs:
            a, b, c = minus(v[j], v[i]), minus(e, v[i]), minus(v[3 - i - j], v[i])
            depth = (a[0] * b[1] - a[1] * b[0]) * (1 if a[0] * c[1] > a[1] * c[0] else -1)
            lead = dot(minus(v[s], v[j]), e) - eta - delta * root(square(v[s], v[j]))[1]
            if depth < delta * root(dot(a, a))[1] or j != s and lead < 0:
                return LEAVES, "tokens in their eroded cones"
    near = root(min(square(e, o) for e, o in zip(rest, own)))
    tau = min(min(c0 / (2 * root(square(v[i], v[j]))[1]) for i, j in pairs), root(2 * c0)[0] / 2)
    # Then tau is (1 - gamma) m, and T_1 = floor(1).
    if tau <= (1 - gamma) * near[1]:
        return HOLDS, "not decided"
    far = (C * (1 - gamma) * near[1]) ** 2
    for e, o in zip(rest, own):
        least = min(square(mix(gamma, e, y), o) for y in x)
        if least > far:
            return COUNTEREXAMPLE, f"a token is {float(root(least)[0]):.4g} away at T_1 = 1, C tau = {float(C * (1 - gamma) * near[1]):.4g}"
    return HOLDS, "not decided"


def fw_rem_sparsity(case):
    """After t layers a token is a combination of t + 1 initial tokens at most; of independent ones it is unique."""
    tokens, gammas = case["tokens"], steps_of(case)
    n = len(tokens)
    independent = len(eliminate([minus(x, tokens[0]) for x in tokens[1:]])) == n - 1
    if not independent or any(not 0 < gamma < 1 for gamma in gammas):
        return LEAVES, "independent tokens and gamma in (0, 1)"
    weights = [[Q(int(i == j)) for j in range(n)] for i in range(n)]
    for t, gamma in enumerate(gammas[:int(case["steps"])]):
        heads = []
        for x in tokens:
            scores = [dot(apply(case["B"], x), y) for y in tokens]
            # Tokens at one point are one leader, and the same combination.
            if len(leaders(case["B"], x, tokens)) > 1:
                return LEAVES, "one leader for every token"
            heads.append(scores.index(max(scores)))
        weights = [mix(gamma, weights[i], weights[heads[i]]) for i in range(n)]
        tokens = [mix(gamma, tokens[i], tokens[heads[i]]) for i in range(n)]
        most = max(sum(w != 0 for w in row) for row in weights)
        if most > t + 2:
            return COUNTEREXAMPLE, f"{most} initial tokens after {t + 1} steps"
    return HOLDS, "at every step"


def fw_rem_limit(case):
    """Softmax tends to the mean of the distinct points of largest score: its limit counts equal tokens."""
    tokens = case["tokens"]
    for x in tokens:
        scores = [dot(apply(case["B"], x), y) for y in tokens]
        tied = [y for y, score in zip(tokens, scores) if score == max(scores)]
        if mean(tied) != mean(distinct(tied)):
            return COUNTEREXAMPLE, f"({', '.join(map(str, mean(tied)))}), not ({', '.join(map(str, mean(distinct(tied))))})"
    return HOLDS, "for every token"


def lm_rem_lyapunov(case):
    """sum min(|x_i - x_j|^2, 2 eps) never rises along a localmax flow."""
    tokens, epsilon, gamma = case["tokens"], case["epsilon"], case["gamma"]
    d = len(tokens[0])
    matrix = case.get("A", [[Q(int(i == j)) for j in range(d)] for i in range(d)])
    if not (0 < gamma <= 1 and epsilon > 0):
        return LEAVES, "gamma in (0, 1] and eps > 0"

    def potential(points):
        return sum(min(dot(minus(x, y), minus(x, y)), 2 * epsilon) for x in points for y in points)

    for t in range(int(case["steps"])):
        after = []
        for x in tokens:
            scores = [dot(apply(matrix, x), y) for y in tokens]
            after.append(mix(gamma, x, mean([y for y, s in zip(tokens, scores) if s >= max(scores) - epsilon])))
        if potential(after) > potential(tokens):
            return COUNTEREXAMPLE, f"from {float(potential(tokens)):.6g} to {float(potential(after)):.6g} in step {t}"
        tokens = after
    return HOLDS, "at every step"
