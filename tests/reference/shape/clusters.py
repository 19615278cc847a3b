"""clusters.py -- clusters of a state (docs/flow.md, The result): tokens joined by steps of at most `--cluster` times the first diameter.

The linking distance is a product of two rounded numbers, and a distance is rounded too: a pair whose distance is within 8 (d + 4) u of
the link may or may not be joined. When the two ways differ nothing is said (None).
"""
from fractions import Fraction

import hulls
from cells import LEAST, U, near, value
from harness import Difference, equal
from rational import dot, integers, minus, power, root


def diameter(x):
    """The largest distance of rows of integers."""
    return root(max(dot(e, e) for e in (minus(a, b) for a in x for b in x)))


def joined(x, link2):
    """Classes of tokens by single linkage, in the order of their first members."""
    label = [None] * len(x)
    count = 0
    for start in range(len(x)):
        if label[start] is not None:
            continue
        label[start], queue = count, [start]
        while queue:
            i = queue.pop()
            for j in range(len(x)):
                if label[j] is None:
                    e = minus(x[i], x[j])
                    if dot(e, e) <= link2:
                        label[j] = count
                        queue.append(j)
        count += 1
    return label


def expected(x, link):
    """Labels; None where rounding decides."""
    slack = 8 * (len(x[0]) + 4) * U
    low, high = (joined(x, (link * (1 + s)) ** 2) for s in (-slack, slack))
    return low if low == high else None


def check(first, last, masses, share, got):
    """clusters, labels and cluster_list of a result. first, last: rows of doubles."""
    e, x0, x = integers(first, last)
    unit = power(e)
    link = Fraction(share) * diameter(x0)
    found = []
    listed = got["cluster_list"]
    labels = expected(x, link)
    if labels is not None:
        groups = [[i for i in range(len(x)) if labels[i] == g] for g in range(max(labels) + 1)]
        if sorted(groups) != sorted(c["members"] for c in listed):
            found.append(Difference("cluster_list[].members", groups, [c["members"] for c in listed], ""))
    found += equal("clusters", len(listed), got["clusters"])
    for g, cluster in enumerate(listed):
        if any(got["labels"][i] != g for i in cluster["members"]):
            found.append(Difference("labels", g, got["labels"], f"members {cluster['members']}"))
    if found:
        return found
    reach = root(max(dot(row, row) for row in x + x0)) * unit
    centres = []
    for g, cluster in enumerate(listed):
        members = cluster["members"]
        mass = sum(masses[i] for i in members)
        found += near(f"cluster_list[{g}].mass", mass, cluster["mass"], len(members) * U * mass)
        centre = [sum(masses[i] * x[i][c] for i in members) / mass for c in range(len(x[0]))]
        for c, value_ in enumerate(centre):
            found += near(f"cluster_list[{g}].centre", value_ * unit, cluster["centre"][c], 2 * (len(members) + 4) * U * reach)
        centres.append([float(c) for c in cluster["centre"]])
    if found:
        return found
    f, y0, y = integers(first, centres)
    unit, link = power(f), link * power(e) / power(f)
    for g, cluster in enumerate(listed):
        distances = [root(dot(d, d)) for d in (minus(y[g], z) for z in y0)]
        best, mine = min(distances), distances[cluster["nearest"]]
        if mine > best + 8 * (len(y[0]) + 4) * U * reach / unit:
            found.append(Difference(f"cluster_list[{g}].nearest", distances.index(best), cluster["nearest"], ""))
        found += near(f"cluster_list[{g}].moved", mine * unit, cluster["moved"], (len(y[0]) + 8) * U * mine * unit + 2 * U * reach)
        if cluster["vertex"] is not None and len(y) <= 24:
            others = [minus(z, y[g]) for h, z in enumerate(y) if h != g]
            far = root(hulls.nearest(others, None)[0]) if others else None
            if far is None or abs(far - link) > 64 * (len(y[0]) + 4) * U * (reach / unit):
                found += equal(f"cluster_list[{g}].vertex", far is None or far > link, cluster["vertex"])
    return found
