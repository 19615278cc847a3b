"""leaders.py -- who leads and who follows whom, from recorded states (docs/flow.md, The result).

A leader is a token that was ever alone in its own set, of hardmax's maximisers for rules without sets: {i} = C_i. The target of a token is
the point that it scores highest; -1 when there are several points. Both are kept from the step on at which the sets are proved to last.
Of tokens at one place the target may be any; the program names one of them.
"""
from harness import Difference, equal


def alone(sets_):
    return {i for i, own in enumerate(sets_) if own == {i}}


def targets(tokens, scores):
    """For each token the maximisers when they are one point, else none."""
    found = []
    for row in scores:
        best = [j for j in row if row[j] == max(row.values())]
        found.append(best if len({tuple(tokens[j]) for j in best}) == 1 else [])
    return found


def check(states, sets_of, got):
    """states: all that count, the first to the last; sets_of(state, t, hard) -> (sets, scores) or (None, None)."""
    leaders, last = set(), None
    for t, state in enumerate(states):
        own, scores = sets_of(state, t)
        if own is None:
            return []
        leaders |= alone(own)
        last = targets(state, scores)
    found = equal("leaders", sorted(leaders), got["leaders"])
    for i, best in enumerate(last):
        said = got["target"][i]
        if (said not in best) if best else said != -1:
            found.append(Difference(f"target[{i}]", best or -1, said, ""))
    return found
