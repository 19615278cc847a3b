"""graph.py -- the neighbour graph of a state (docs/flow.md, The neighbour graph): i -> j when j is in C_i, the set that i averages over.

Sets are exact, for queries y = B x as they are in double; when y is not known to the last bit (a full B), a set that could be another
within (d + 1) u of the terms of y ends the comparison.
"""
from fractions import Fraction

from cells import near
from harness import Difference, equal
from rational import dot, integers, power


def sets(tokens, queries, epsilon, causal, doubt):
    """C_i for every i and the scores; None where a doubtful query could decide."""
    e, x, y = integers(tokens, queries)
    limit = Fraction(epsilon) / power(2 * e)
    found, rows = [], []
    for i in range(len(x)):
        seen = range(i + 1) if causal else range(len(x))
        s = {j: dot(y[i], x[j]) for j in seen}
        top = max(s.values())
        found.append(frozenset(j for j in seen if s[j] >= top - limit))
        rows.append(s)
        if doubt[i] is not None:
            slack = 2 * sum(Fraction(w) for w in doubt[i]) * max(abs(Fraction(c)) for row in tokens for c in row) / power(2 * e)
            if any(0 < abs(s[j] - top + limit) <= slack for j in seen if s[j] != top or limit) or \
                    any(j != k and tokens[j] != tokens[k] and top - s[j] <= slack and top - s[k] <= slack for j in seen for k in seen):
                return None, None
    return found, rows


def components(sets_):
    """Strongly connected components as sorted lists: Tarjan's, by reachability (small graphs)."""
    n = len(sets_)
    reach = []
    for i in range(n):
        seen, queue = {i}, [i]
        while queue:
            for j in sets_[queue.pop()]:
                if j not in seen:
                    seen.add(j)
                    queue.append(j)
        reach.append(seen)
    done, found = set(), []
    for i in range(n):
        if i not in done:
            group = sorted(j for j in reach[i] if i in reach[j])
            done.update(group)
            found.append(group)
    return found, reach


def check(sets_, scores, vertices, got):
    """Members of graph; captured needs the hull's vertices (None: every aligned token counts)."""
    n = len(sets_)
    groups, reach = components(sets_)
    found = equal("graph.components", len(groups), got["graph.components"])
    theirs = got["graph.component"]
    partition = sorted([i for i in range(n) if theirs[i] == g] for g in set(theirs))
    found += equal("graph.component", sorted(groups), partition)
    sinks = [g for g in groups if reach[g[0]] == set(g)]
    found += equal("graph.sinks", len(sinks), got["graph.sinks"])
    found += equal("graph.classes[].members", sorted(sinks), sorted(c["members"] for c in got["graph.classes"]))
    arcs = [(i, j) for i in range(n) for j in sets_[i] if j != i]
    found += equal("graph.arcs", len(arcs), got["graph.arcs"])
    found += equal("graph.one_way", sum(i not in sets_[j] for i, j in arcs), got["graph.one_way"])
    aligned = [scores[i][i] == max(scores[i].values()) for i in range(n)]
    found += equal("graph.aligned", aligned, got["graph.aligned"])
    if vertices is None:
        vertices = [i for i in range(n) if aligned[i]]
    captured = []
    for i in range(n):
        by = [v for v in vertices if v in sets_[v] and i in sets_[v] and sets_[i] <= sets_[v]]
        captured.append(by[0] if by else -1)
    found += equal("graph.captured", captured, got["graph.captured"])
    found += equal("graph.remaining", captured.count(-1), got["graph.remaining"])
    acting = {j for i in range(n) if captured[i] >= 0 for j in sets_[i] if captured[j] < 0}
    found += equal("graph.acting", len(acting), got["graph.acting"])
    return found


def classes(tokens, masses, got, reach, u):
    found = []
    for g, group in enumerate(got["graph.classes"]):
        members = group["members"]
        mass = sum(masses[i] for i in members)
        found += near(f"graph.classes[{g}].mass", mass, group["mass"], len(members) * u * mass)
        for c in range(len(tokens[0])):
            centre = sum(masses[i] * Fraction(tokens[i][c]) for i in members) / mass
            found += near(f"graph.classes[{g}].centre", centre, group["centre"][c], 2 * (len(members) + 4) * u * reach)
    return found
