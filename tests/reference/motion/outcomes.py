"""outcomes.py -- what a run of tokens in continuous time says at its end, from its recorded states (docs/flow.md).

Leaders were ever alone in their own set, targets are the last best scorers, switches their changes. A consensus says that the diameter
is at most the tolerance times the first one; it is given in R^d, where steps of at most 1 keep hulls.
"""
from fields import L
from harness import Difference, equal, number


def followed(answer, views):
    """Targets and leaders, where every one of them is clear at every step (a consensus may end their account)."""
    targets = [view.targets() for view in views]
    if any(not isinstance(t, int) for row in targets for t in row):
        return []
    changes = [k for k in range(1, len(targets)) for a, b in zip(targets[k - 1], targets[k]) if a != b]
    found = equal("leaders", sorted({i for row in targets for i, t in enumerate(row) if i == t}), answer["leaders"])
    found += equal("target", targets[-1], answer["target"]) + equal("switches", len(changes), answer["switches"])
    return found + equal("last_switch", changes[-1] if changes else -1, answer["last_switch"])


def converged(case, field, answer, views):
    """What a certificate of consensus says, and that it is given in R^d where steps keep hulls."""
    o, kind = case.options, answer["certificate.kind"]
    limit = L(float(o.get("tolerance", "1e-12"))) * views[0].diameter()[0]
    residual, diameter = L(number(answer["residual"])), views[-1].diameter()[0]
    small = lambda value: value <= limit * (1 + L(1e-12))
    found = []
    if answer["converged"] and not small(residual):
        found.append(Difference("converged", False, True, f"residual {float(residual)} above {float(limit)}"))
    if answer["converged"] and kind == "consensus" and not small(diameter):
        found.append(Difference("certificate.kind", "no consensus", kind, f"diameter {float(diameter)} above {float(limit)}"))
    keeps = not field.sphere and o["rule"] != "hardmax" and (o.get("integrator", "auto") not in ("euler", "rk4", "cvode") or float(o["dt"]) <= 1)
    if keeps and max(residual, diameter) < limit * (1 - L(1e-12)) and not answer["converged"]:
        found.append(Difference("converged", True, False, f"diameter {float(diameter)} below {float(limit)}"))
    return found
