"""pieces.py -- the hardmax ODE dx_i/dt = x_l(i) - x_i, piece by piece (docs/flow.md).

While leaders stay the system is linear with a functional graph i -> l(i), so that

    x_i(tau) = e^-tau sum_k tau^k/k! x_{l^k(i)},

summed here with 50 digits (where the chain of leaders ends in a token that leads itself, from that token on). Leaders of
the first state are exact: scores are whole numbers. A piece from one recorded state to the next is judged so:

  states    the formula at the recorded time, within 16 (depth + 4) u of the largest coordinate and u t of the speed
  inside    no other token scores higher than the leader, at 15 times inside the piece
  its end   some token is on a wall: the lead over another token is zero up to what rounding of state and time makes of
            it, and falls. Had that token already followed the other one, the lead would fall all the same: it crosses.
            Where it would rise the wall pushes back from both sides: the outcome is `sliding`, with token and wall

A token of the first state that scores two different points highest is on a wall at once; with `--ties first`, which chooses a side,
such a start is not judged, nor one that is on a wall up to rounding.
Where two tokens arrive at walls together, or rounding hides which, the rest of the run is not judged.
"""
from decimal import Decimal as D, localcontext
from fractions import Fraction

from harness import Difference, close, equal

UNIT = D(2) ** -53


class System:
    def __init__(self, n, B, causal):
        self.n, self.causal = n, causal
        self.B = None if B is None else [[D(c) for c in row] for row in B]

    def sees(self, i):
        return range(i + 1) if self.causal else range(self.n)

    def query(self, p):
        return p if self.B is None else [sum(b * c for b, c in zip(row, p)) for row in self.B]

    def lead(self, x, i, a, j):
        """<B x_i, x_a - x_j>"""
        return sum(q * (u - v) for q, u, v in zip(self.query(x[i]), x[a], x[j]))

    def slack(self, x, i, a, j):
        """What rounding can make of a lead: of its sums, and of the state, 16 u of the largest coordinate."""
        d = len(x[i])
        q = [abs(c) for c in x[i]]
        if self.B is not None:
            q = [sum(abs(b) * c for b, c in zip(row, q)) for row in self.B]
        size = max(abs(c) for row in x for c in row)
        apart = [abs(u - v) for u, v in zip(x[a], x[j])]
        if self.B is not None:
            apart = [sum(abs(self.B[r][c]) * apart[r] for r in range(d)) for c in range(d)]
        moved = size * (sum(apart) + 2 * sum(q))
        return UNIT * (8 * (2 * d + 8) * sum(y * (abs(u) + abs(v)) for y, u, v in zip(q, x[a], x[j])) + 16 * moved)

    def rate(self, x, leader, i, a, j):
        """d/dt of the lead when tokens follow their leaders."""
        v = lambda p: [u - c for u, c in zip(x[leader[p]], x[p])]
        one = sum(q * (u - w) for q, u, w in zip(self.query(v(i)), x[a], x[j]))
        two = sum(q * (u - w) for q, u, w in zip(self.query(x[i]), v(a), v(j)))
        return one + two


def top(rows, B, causal):
    """For each token the list of those it scores highest, exactly."""
    x = [[Fraction(c) for c in row] for row in rows]
    m = None if B is None else [[Fraction(c) for c in row] for row in B]
    found = []
    for i, p in enumerate(x):
        q = p if m is None else [sum(b * c for b, c in zip(row, p)) for row in m]
        s = [sum(a * b for a, b in zip(q, r)) for r in x[: i + 1 if causal else None]]
        best = max(s)
        found.append([j for j, v in enumerate(s) if v == best])
    return found


def chain(leader, i):
    """i, l(i), l(l(i)), ... up to a token that leads itself (or None when it never comes)."""
    path = [i]
    while leader[path[-1]] != path[-1]:
        if leader[path[-1]] in path:
            return path, None
        path.append(leader[path[-1]])
    return path, path[-1]


def at(x, leader, tau):
    """The state after a time tau."""
    decay, states = (-tau).exp(), []
    for i in range(len(x)):
        path, root = chain(leader, i)
        total, term, k, p = [D(0)] * len(x[i]), decay, 0, i
        base = x[root] if root is not None else [D(0)] * len(x[i])
        while (root is None and k < 60 + 4 * tau) or (root is not None and k < len(path)):
            total = [t + term * (c - b) for t, c, b in zip(total, x[p], base)]
            k, p = k + 1, leader[p]
            term = term * tau / k
        states.append([t + b for t, b in zip(total, base)])
    return states


def start(rows, B, causal, ties):
    """(leaders, None), or (None, tokens on walls) at the first state."""
    sets = top(rows, B, causal)
    walls = [i for i, s in enumerate(sets) if any(rows[j] != rows[s[0]] for j in s)]
    if walls:
        return sets, walls
    return [s[0] for s in sets], None


def judge(case, answer, states, times):
    with localcontext() as context:
        context.prec = 50
        context.Emax, context.Emin = 999999, -999999
        return walk(case, answer, states, times)


def walk(case, answer, states, times):
    o = case.options
    B = case.given["B"] if "key-query" in o else None
    causal, end = o.get("mask") == "causal", float(o["time"])
    leader, walls = start(states[0], B, causal, o.get("ties", "points"))
    outcome = answer["outcome"]
    if outcome not in ("steps", "sliding"):
        return equal("outcome", "steps or sliding", outcome)
    if walls is not None:
        if end == 0 or o.get("ties") == "first":
            return []
        found = equal("outcome", "sliding", outcome, f"tokens {walls} start on walls")
        found += equal("times", [0, 0], times, "a token starts on a wall: a piece of length 0")
        if outcome == "sliding":
            found += wall_of(answer, states[0], {i: leader[i] for i in walls})
        return found
    if outcome == "steps" and times[-1] != end and len(times) - 1 < int(o["steps"]):
        return [Difference("time", end, times[-1], "the run did not end")]
    system = System(len(states[0]), B, causal)
    x = [[D(c) for c in row] for row in states[0]]
    if causal and any(x[i] == x[j] and leader[i] != leader[j] for i in range(len(x)) for j in range(i)):
        return []
    if any(x[j] != x[leader[i]] and system.lead(x, i, leader[i], j) <= system.slack(x, i, leader[i], j)
           for i in range(len(x)) for j in system.sees(i)):
        return []
    first = answer["record.residual"][0]
    speed = [sum((u - c) ** 2 for u, c in zip(x[leader[i]], x[i])).sqrt() for i in range(len(x))]
    found = close("residual", max(speed), first, float(max(speed) * (len(x[0]) + 6) * UNIT))
    for k in range(len(times) - 1):
        tau = D(times[k + 1]) - D(times[k])
        found += piece(system, x, leader, tau, D(times[k + 1]), states[k + 1], k)
        if found:
            return found
        y = [[D(c) for c in row] for row in states[k + 1]]
        last = k == len(times) - 2
        if last and outcome == "steps" and times[-1] == end:
            return found + limits(answer, leader, x)
        crossed = switch(system, y, leader, D(times[k + 1]))
        if crossed is None:
            return found
        if not crossed:
            return [Difference("pieces", "a wall at the end of the piece", times[k + 1], f"piece {k + 1}")]
        new, doubtful, slides, i, a, j = crossed
        if last and outcome == "sliding":
            if not slides and not doubtful:
                found.append(Difference("outcome", "crosses the wall", "sliding", f"token {i} from {a} to {j}"))
            return found + wall_of(answer, states[-1], {i: [a, j]})
        if slides and not doubtful:
            return [Difference("outcome", "sliding", outcome, f"token {i} between {a} and {j} at {times[k + 1]}")]
        if doubtful:
            return found
        x, leader = y, new
    return found


def piece(system, x, leader, tau, t, got, k):
    """Differences of one piece."""
    size = max(abs(c) for row in x for c in row)
    want = at(x, leader, tau)
    depth = max(len(chain(leader, i)[0]) for i in range(len(x)))
    found = []
    for i, row in enumerate(want):
        for c, value in enumerate(row):
            speed = 2 * size * (-tau).exp() if depth <= 2 else 2 * size
            allowed = 16 * (depth + 4) * UNIT * size + 4 * UNIT * t * speed
            found += close("piece", value, got[i][c], float(allowed) + 1e-322, f"piece {k + 1}, token {i}, allowed {allowed:.3g}")
    for part in range(1, 16):
        y = at(x, leader, tau * part / 16)
        for i in range(len(x)):
            for j in system.sees(i):
                a = leader[i]
                if j != a and system.lead(y, i, a, j) < -system.slack(y, i, a, j) * (depth + 4):
                    found.append(Difference("pieces", f"token {i} leaves {a} for {j}", "one piece", f"piece {k + 1}"))
    return found[:3]


def switch(system, y, leader, t):
    """Who is on a wall at the end of a piece: () nobody, None when that is not clear, else
    (new leaders, doubtful, slides, token, old leader, new one)."""
    on = []
    for i in range(len(y)):
        a = leader[i]
        for j in system.sees(i):
            if j == a or y[j] == y[a]:
                continue
            rate = system.rate(y, leader, i, a, j)
            slack = 4 * system.slack(y, i, a, j) + 8 * UNIT * t * abs(rate)
            if abs(system.lead(y, i, a, j)) <= slack:
                on.append((i, a, j, rate))
    if not on:
        return ()
    falling = [w for w in on if w[3] < 0]
    places = {(tuple(y[i]), tuple(y[j])) for i, a, j, rate in falling}
    if len(places) != 1:
        return None
    i, a, j, rate = falling[0]
    new = list(leader)
    for other, _, k, _ in reversed(falling):
        new[other] = k
    after = system.rate(y, new, i, a, j)
    size = max(abs(rate), abs(after))
    return new, abs(after) <= D("1e-9") * size, after > 0, i, a, j


def wall_of(answer, state, tied):
    """The certificate names a token on a wall and two different points of it."""
    token, wall = answer["certificate.token"], answer["certificate.wall"]
    same = [i for i in tied if token is not None and state[i] == state[token]]
    found = equal("certificate.kind", "sliding", answer["certificate.kind"])
    if not same:
        return found + [Difference("certificate.token", sorted(tied), token, "")]
    points = [state[j] for j in tied[same[0]]]
    if len(wall) != 2 or any(state[j] not in points for j in wall) or state[wall[0]] == state[wall[1]]:
        found.append(Difference("certificate.wall", sorted(tied[same[0]]), wall, "two points that tie"))
    return found


def limits(answer, leader, x):
    """Where the limits are proved they are the tokens at the ends of the chains."""
    if answer["certificate.kind"] != "theorem-4.2" or answer["limits"] is None:
        return []
    want = [x[chain(leader, i)[1]] if chain(leader, i)[1] is not None else None for i in range(len(x))]
    got = [[D(c) for c in row] for row in answer["limits"]]
    return equal("limits", want, got)
