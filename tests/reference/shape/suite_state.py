"""suite_state.py -- what `tropism flow` says of its last state, from the tokens that it printed and recorded.

Clusters (clusters.py), the hull (hulls.py), the neighbour graph (graph.py), certificates, limits and closed forms (certificates.py), and of
every record vertices, contains_origin, origin_distance, volume and outside. Steps themselves are the matter of suite_step.py: here
tokens are taken as they are. Long runs (1e18, inf) are recorded at step 0 only; their certificates are tested when they are of step 0.

Bounds: origin_distance and outside 16 u of the farthest token (docs/geometry.md), volume as in hull_measures.py.
"""
import math
from fractions import Fraction

import certificates
import cells
import clouds
import clusters
import graph
import hull_measures
import hulls
import leaders
import schedules
from cells import U, near, show, value
from harness import Case, Difference, equal, number
from rational import dot, integers, minus, power, root

CLOUDS = {"plain": ("gaussian", "sphere"), "ties": ("lattice", "dyadic", "axes"), "same": ("duplicates", "equal"), "line": ("collinear",),
          "symmetric": ("polygon", "antipodal"), "near": ("near",), "scale": ("huge", "tiny", "outlier"), "pairs": ("pairs",)}
RULES = {"hardmax points": {"rule": "hardmax"}, "hardmax indices": {"rule": "hardmax", "ties": "indices"}, "hardmax first": {"rule": "hardmax", "ties": "first"},
         "additive": {"rule": "localmax"}, "relative": {"rule": "localmax", "form": "relative"}, "cosine": {"rule": "localmax", "form": "cosine"},
         "probability": {"rule": "localmax", "form": "probability"}, "softmax": {"rule": "softmax", "beta": "4"}, "uniform": {"rule": "uniform"},
         "confidence": {"rule": "confidence", "confidence": "0.5"}, "topk": {"rule": "topk", "k": "2"}}
GAMMAS = {"half": {}, "tenth": {"gamma": "0.1"}, "one": {"gamma": "1"}, "fw": {"gamma": "fw"}, "harmonic": {"gamma": "harmonic"},
          "superexp": {"gamma": "superexp:0.3"}, "alpha": {"alpha": "3"}, "list": {"gamma": "@g.csv"}, "geometric": {"gamma": "geometric:0.5,0.5"}}
EPSILONS = {"0": "0", "small": "0.03125", "some": "0.5", "large": "4", "geometric": "geometric:0.5,0.75", "power": "power:0.5,1"}
MATRICES = {"identity": None, "-1": "-1", "0.75": "0.75", "positive": [2, 1], "skew": [1, 2]}
RECORD = ("tokens", "vertices", "contains_origin", "origin_distance", "volume", "outside", "clusters")


def make_cloud(kind, n, d, rng):
    if kind != "pairs":
        return clouds.make(kind, n, d, rng)
    places = [[rng.choice((-2.0, 2.0, 0.0)) for _ in range(d)] for _ in range(3)]
    return [[c + rng.randint(-2, 2) / 32 for c in rng.choice(places)] for _ in range(n)]


class State:
    name = "state"
    axes = {"rule": tuple(RULES), "cloud": tuple(CLOUDS), "n": ("1", "2", "few", "some"), "d": (1, 2, 3, 5), "mask": ("full", "causal"),
            "B": tuple(MATRICES), "gamma": tuple(GAMMAS), "epsilon": tuple(EPSILONS), "masses": ("none", "whole", "ratios"),
            "until": ("steps", "converged"), "tolerance": ("1e-12", "0", "0.01", "1"), "steps": ("0", "1", "5", "50", "1e18", "inf"),
            "closed-form": ("auto", "never", "only"), "cluster": ("1e-6", "0", "0.1", "1")}
    options = {"gamma": ("gamma", "alpha"), "B": ("key-query",)}

    def make(self, chosen, rng):
        d = chosen["d"]
        n = {"1": 1, "2": 2, "few": rng.randint(3, 6), "some": rng.randint(8, 14)}[chosen["n"]]
        rows = make_cloud(rng.choice(CLOUDS[chosen["cloud"]]), n, d, rng)
        options, files = {"tokens": "x.csv", **RULES[chosen["rule"]], **GAMMAS[chosen["gamma"]]}, {"x.csv": clouds.text(rows)}
        if options.get("gamma", "")[:1] == "@":
            files["g.csv"] = "0.5\n0.25\n0.75\n0.5\n"
        if options["rule"] == "localmax":
            options["epsilon"] = EPSILONS[chosen["epsilon"]]
            if options.get("form") == "probability":
                options.update(beta="2", epsilon=rng.choice(("0.5", "0.9", "1")))
            elif options.get("form") == "relative":
                options["epsilon"] = rng.choice(("0", "0.25", "1"))
        entry = MATRICES[chosen["B"]]
        B = [[float(i == j) for j in range(d)] for i in range(d)]
        if isinstance(entry, list):
            a, b = entry
            B = [[float(a if i == j else 1 if j == i + 1 else (1 if a == 2 else -b) if i == j + 1 else 0) for j in range(d)] for i in range(d)]
            options["key-query"], files["B.csv"] = "B.csv", clouds.text(B)
        elif entry:
            options["key-query"] = entry
            B = [[c * float(entry) for c in row] for row in B]
        masses = [1.0] * n
        if chosen["masses"] != "none":
            masses = [rng.choice((1.0, 2.0, 3.0) if chosen["masses"] == "whole" else (0.5, 1.5, 1e-3, 10.0)) for _ in range(n)]
            options["masses"], files["m.csv"] = "m.csv", clouds.text([[m] for m in masses])
        for name in ("mask", "until", "tolerance", "steps", "closed-form", "cluster"):
            options[name] = chosen[name]
        options["record"] = ",".join(RECORD)
        if chosen["steps"] in ("1e18", "inf"):
            options.update({"time-limit": "0.06"})
            options.pop("record")
        return Case("flow", options, files, given={"rows": rows, "B": B, "masses": masses})

    def refusal(self, case):
        if float(case.options.get("gamma", 0.5) if schedules.constant(case.options.get("gamma", "0.5")) else 0.5) > 1:
            return "gamma above 1"
        return None

    def silent(self, case, answer):
        """A run with --closed-form only whose first state has none; not where it must have one."""
        if case.options.get("form") in ("relative", "cosine") and "form = " in answer.words and self.negative(case):
            return []
        if case.options.get("closed-form") != "only" or not answer.words.startswith("tropism: closed_form = only"):
            return [Difference("exit", 0, answer.exit, answer.words[-300:])]
        option = {"mask": "full", "form": "additive", **case.options}
        if option["mask"] != "full":
            return []
        answer.json = {"certificate": {"kind": "none"}}
        return self.missed(case, option, [[float(c) for c in row] for row in case.given["B"]], [Fraction(m) for m in case.given["masses"]], answer)

    def negative(self, case):
        """Whether <Bx, x> can fall below 0, or below u of its terms: the relative and cosine forms need it above (docs/rules.md)."""
        B = case.given["B"]
        return case.options.get("key-query") not in (None, "0.75") and (B[0][0] < 0 or any(abs(B[i][j] + B[j][i]) > 0 for i in range(len(B)) for j in range(i)))

    def judge(self, case, got):
        rows, B, masses = case.given["rows"], case.given["B"], [Fraction(m) for m in case.given["masses"]]
        option = {"mask": "full", "tolerance": "1e-12", "cluster": "1e-6", "until": "steps", "steps": "10000", "form": "additive", "closed-form": "auto", **case.options}
        last = [[float(c) for c in row] for row in got["tokens"]]
        found = clusters.check(rows, last, masses, float(option["cluster"]), got)
        view = cells.View(last, B, [], list(range(len(last))))
        hull = self.hull(view.x)
        if hull and hull_measures.sure(hull.cloud, hull.k) and hull.k in (0, 1, 2, len(last[0])):
            mine, theirs = hull.vertices, got["hull_vertices"]
            if hull.k == len(last[0]) or hull.k < 2:
                found += equal("hull_vertices", mine, theirs)
        found += self.records(case, got, rows)
        found += self.graph(option, B, masses, last, got) + self.lead(option, B, got)
        found += near("diameter", clusters.diameter(view.x) * view.unit, got["diameter"], (view.d + 6) * U * clusters.diameter(view.x) * view.unit)
        if got["steps"]:
            found += near("log10_steps", Fraction(math.log10(got["steps"])), got["log10_steps"], 4 * U * Fraction(math.log10(got["steps"]) + 1))
        return found + self.verdict(case, option, B, masses, got, rows, last)

    def lead(self, option, B, got):
        """Leaders and targets from the states up to the proof, when all of them are recorded."""
        record, until = got["record"] or {}, got["certificate.step"]
        if got["steps"] is None or record.get("step") != list(range(got["steps"] + 1)):
            return [] if option["steps"] in ("1e18", "inf") or option["until"] != "steps" else equal("record.step", "every step", record.get("step"))
        states = [[[float(c) for c in row] for row in state] for state in record["tokens"]]
        if states[-1] != [[float(c) for c in row] for row in got["tokens"]]:
            return [Difference("record.tokens", "the last state", states[-1], "")]
        if option["rule"] == "localmax" and option["form"] in ("relative", "cosine"):
            return []
        hard = option["rule"] not in ("hardmax", "localmax")
        if option["rule"] in ("topk", "confidence"):
            return []
        states = states[:until + 1] if until is not None else states
        # consensus, a diameter within the tolerance, keeps leaders and targets as well
        spans = [clusters.diameter(x) * power(e) for e, x in map(integers, states)]
        bound = Fraction(float(option["tolerance"])) * spans[0]
        if any(abs(span - bound) <= 64 * U * bound and span for span in spans[:1]) and bound != spans[0]:
            return []
        met = next((t for t, span in enumerate(spans) if span <= bound), None)
        states = states[:met + 1] if met is not None else states

        def sets_of(state, t):
            epsilon = Fraction(0) if hard else self.epsilon(option, t)
            return self.sets(option, B, state, epsilon, True) if epsilon is not None else (None, None)
        return leaders.check(states, sets_of, got)

    def hull(self, x):
        try:
            return hulls.Hull(x, 8000)
        except hulls.TooLarge:
            return None

    def records(self, case, got, rows):
        record = got["record"] or {}
        if "vertices" not in record:
            return []
        found = []
        e, x0 = integers(rows)
        picks = {0, len(record["step"]) - 1, len(record["step"]) // 2}
        for k in sorted(picks):
            state = [[float(c) for c in row] for row in record["tokens"][k]]
            view = cells.View(state, [[1.0] * len(rows[0])] * len(rows[0]), rows, [0])
            hull, reach = self.hull(view.x), hull_measures.cover(view)
            link = Fraction(float(case.options.get("cluster", "1e-6"))) * clusters.diameter(view.q)
            labels = clusters.expected(view.x, link)
            if labels is not None:
                found += equal(f"record.clusters[{k}]", max(labels) + 1, record["clusters"][k])
            square, _ = hulls.nearest(view.x, None)
            distance = root(square) * view.unit
            found += near(f"record.origin_distance[{k}]", distance, record["origin_distance"][k], 16 * U * reach)
            side = record["contains_origin"][k]
            if (side == 1 and square) or (side == 0 and not square):
                found.append(Difference(f"record.contains_origin[{k}]", int(not square), side, f"distance {show(distance)}" + (", flat" if hull and hull.k < view.d else "")))
            far = max(root(hulls.nearest([minus(x, q) for x in view.q], None)[0]) for q in view.x) * view.unit
            spread = max(clusters.diameter(view.q) * view.unit, far)
            found += near(f"record.outside[{k}]", far, record["outside"][k], 32 * U * spread + 16 * U * reach)
            if hull and hull_measures.sure(hull.cloud, hull.k):
                if hull.k == view.d or hull.k < 2:
                    found += equal(f"record.vertices[{k}]", len(hull.vertices), record["vertices"][k])
                if hull.k < view.d:
                    found += equal(f"record.volume[{k}]", 0, record["volume"][k])
                else:
                    diameter = root(hull.diameter2()) * view.unit
                    allowed = 256 * view.d ** 2 * U * (diameter + reach) * diameter ** (view.d - 1)
                    found += near(f"record.volume[{k}]", hull.volume() * view.unit ** hull.k, record["volume"][k], allowed)
        return found

    def epsilon(self, option, t):
        """The tolerance at step t as a fraction (additive), or None where it is not known to the last bit."""
        if option["rule"] == "hardmax":
            return Fraction(0)
        if option["rule"] != "localmax" or option["form"] not in ("additive", "probability"):
            return None
        if option["form"] == "probability":
            return Fraction(-math.log(float(option["epsilon"])) / float(option["beta"])) if option["epsilon"] == "1" else None
        text = option["epsilon"]
        if t is None and not schedules.constant(text):
            return None
        number_, error = schedules.value(text, t or 0)
        return number_ if not error else None

    def sets(self, option, B, tokens, epsilon, first=False):
        """first: with --ties first a token averages over the first of its best alone; proofs are about all of them."""
        scalar = "key-query" not in option or option["key-query"] != "B.csv"
        y = [[sum(Fraction(b) * Fraction(c) for b, c in zip(row, x)) for row in B] for x in tokens]
        y = [[float(c) if abs(c) < 2 ** 1023 else 0.0 for c in row] for row in y]
        doubt = [None if scalar else [float(sum(abs(b * c) for b, c in zip(row, x))) * (len(x) + 1) * 2.0 ** -53 for row in B] for x in tokens]
        if not scalar and all(Fraction(sum(map(abs, row))) * 2 ** 40 % 1 == 0 and sum(map(abs, row)) < 1000 and
                              all(Fraction(c) * 2 ** 40 % 1 == 0 for c in row) for row in tokens):
            doubt = [None] * len(tokens)
        found, scores = graph.sets(tokens, y, epsilon, option["mask"] == "causal", doubt)
        if first and found is not None and option.get("ties") == "first" and option["rule"] == "hardmax":
            found = [frozenset({min(own)}) for own in found]
        return found, scores

    def graph(self, option, B, masses, last, got):
        if option["rule"] not in ("hardmax", "localmax") or option["form"] not in ("additive", "probability") and option["rule"] == "localmax":
            return equal("graph", None, got["graph"])
        epsilon = self.epsilon(option, got["steps"])
        if epsilon is None:
            return []
        sets_, scores = self.sets(option, B, last, epsilon, True)
        if sets_ is None:
            return []
        found = graph.check(sets_, scores, got["hull_vertices"], got)
        reach = max((abs(Fraction(c)) for row in last for c in row), default=Fraction(0)) * len(last[0])
        return found or graph.classes(last, masses, got, reach, U)

    def verdict(self, case, option, B, masses, got, rows, last):
        found = []
        kind = got["certificate.kind"]
        e, x0 = integers(rows)
        diameter = clusters.diameter(x0) * power(e)
        bound = Fraction(float(option["tolerance"])) * diameter
        residual = value(got["residual"])
        if kind in certificates.PROVED and (residual <= bound * (1 - 16 * U) or residual > bound * (1 + 16 * U) or not residual):
            found += equal("converged", residual <= bound, got["converged"])
        elif kind not in certificates.PROVED:
            found += equal("converged", False, got["converged"])
        if got["outcome"] == "running":  # --time-limit; the state is what it is
            found += equal("time-limit", True, "time-limit" in option)
        elif option["until"] == "steps":
            found += equal("outcome", "steps", got["outcome"])
            if option["steps"] not in ("1e18", "inf"):
                found += equal("steps", int(option["steps"]), got["steps"])
        elif got["outcome"] == "converged":
            found += equal("converged", True, got["converged"])
        if kind == "consensus" and clusters.diameter(integers(last)[1]) * power(integers(last)[0]) > bound * (1 + 64 * U):
            found.append(Difference("certificate.kind", "not consensus", kind, "the diameter is above the tolerance"))
        if option["mask"] == "full" and option["rule"] in ("hardmax", "localmax"):
            found += self.proof(case, option, B, masses, got, bound)
        elif kind == "theorem-4.2" and got["certificate.step"] == 0 and got["limits"]:
            sets_, _ = self.sets(option, B, rows, Fraction(0))
            if sets_ is not None and not certificates.causal_leaders(rows, sets_, got["limits"], [[Fraction(c) for c in row] for row in B]):
                found.append(Difference("certificate.kind", "no proof", kind, "causal mask, step 0"))
        return found

    def proof(self, case, option, B, masses, got, bound):
        """The certificate tested on the tokens of its step; and none missed at step 0."""
        kind, step, record = got["certificate.kind"], got["certificate.step"], got["record"] or {}
        found = []
        if step is None and kind in ("theorem-4.2", "quiescence") and got["steps"] is not None:
            start, step = [[float(c) for c in row] for row in got["tokens"]], got["steps"]  # a proof of the last state
        elif step is None:
            return self.missed(case, option, B, masses, got)
        elif step == 0:
            start = case.given["rows"]
        elif step not in record.get("step", []):
            return []
        else:
            start = [[float(c) for c in row] for row in record["tokens"][record["step"].index(step)]]
        epsilon = self.epsilon(option, step)
        if epsilon is None or not (option["rule"] == "hardmax" or schedules.constant(option["epsilon"])):
            return []
        sets_, _ = self.sets(option, B, start, epsilon)
        if sets_ is None:
            return []
        groups = certificates.grouped(sets_)
        if groups is None:
            return [Difference("certificate.kind", "no proof: a token follows one that moves", kind, f"step {step}")]
        found += equal("certificate.groups", len(groups[0]), got["certificate.groups"])
        stored = [[float(c) for c in row] for row in got["limits"]] if got["limits"] else None
        if stored is None:  # steps with a finite sum end on the way
            return found if option.get("gamma", "")[:9] == "geometric" else found + equal("limits", "a list", None)
        reach = root(max(dot(r, r) for r in ([Fraction(c) for c in row] for row in start)))
        points = option["rule"] == "hardmax" and option.get("ties", "points") == "points"
        for i, place in enumerate(certificates.limits(start, groups, masses, points)):
            for c, x in enumerate(place):
                found += near(f"limits[{i}]", x, stored[i][c], 16 * U * reach)
        if found:
            return found
        holds, q1, q2 = certificates.conditions(start, groups, stored, [[Fraction(c) for c in row] for row in B], epsilon)
        if not holds:
            found.append(Difference("certificate.kind", "no proof", kind, f"Q1 {show(q1)}, Q2 {'-' if q2 is None else show(q2)} at step {step}"))
        size = max(sum(abs(c) for c in row) for row in B)
        slack = 16 * (len(start[0]) + 4) * U * (Fraction(size) * reach * reach * len(start[0]) + epsilon)
        for name, mine in (("q1", q1), ("q2", q2)):
            if got["certificate." + name] is not None and mine is not None:
                found += near("certificate." + name, mine, got["certificate." + name], slack)
        return found + self.motion(case, option, got, start, stored, groups, step, bound, reach)

    def motion(self, case, option, got, start, stored, groups, step, bound, reach):
        found = []
        own = any(members & frozenset(N) for members, N in groups[1])  # an open group that hears itself has another rate
        far = max(root(dot(e, e)) for e in (minus([Fraction(float(c)) for c in a], [Fraction(c) for c in b]) for a, b in zip(got["tokens"], stored)))
        found += near("certificate.distance", far, got["certificate.distance"], (len(start[0]) + 8) * U * far + 4 * U * reach)
        gamma = Fraction(3, 4) if "alpha" in option else None
        if gamma is None and schedules.constant(option.get("gamma", "0.5")):
            gamma = Fraction(float(option.get("gamma", "0.5")))
        if gamma is not None and not own:
            found += near("certificate.rate", 1 - gamma, got["certificate.rate"], 4 * U)
        if gamma is not None and not own and got["certificate.still"] is not None:
            between = certificates.still(start, stored, step, gamma, bound)
            said = number(got["certificate.still"])
            if between is not None and not between[0] <= said <= between[1]:
                found.append(Difference("certificate.still", between, said, f"step {step}"))
        if got["method"] == "closed-form" and got["steps"] is not None and not own:
            steps = range(step, got["steps"])
            if gamma is not None:
                left, error = (1 - gamma) ** len(steps) if len(steps) < 4000 else Fraction(0), Fraction(0)
            elif len(steps) < 400:
                left, error = certificates.product([schedules.value(option["gamma"], s, case.files) for s in steps])
            else:
                return found
            found += certificates.closed_form(start, stored, left, error, got["tokens"], reach)
        elif got["method"] == "closed-form" and option["steps"] == "inf" and option.get("gamma", "") not in ("geometric:0.5,0.5",):
            found += equal("tokens at inf", got["limits"], got["tokens"])
        return found

    def missed(self, case, option, B, masses, got):
        """With closed-form auto a proof is looked for at step 0; where the conditions hold there it must be found."""
        epsilon = self.epsilon(option, 0)
        if option["closed-form"] == "never" or epsilon is None or option.get("ties") == "first" or got["certificate.kind"] == "consensus":
            return []
        if option["rule"] == "localmax" and not schedules.constant(option["epsilon"]):
            return []
        gamma = option.get("gamma", "0.5")
        if gamma == "1" or gamma in ("fw", "harmonic"):  # a first step of 1: docs give no proof for open tokens
            return []
        sets_, _ = self.sets(option, B, case.given["rows"], epsilon)
        groups = certificates.grouped(sets_) if sets_ is not None else None
        if groups is None or groups[1]:
            return []
        points = option["rule"] == "hardmax" and option.get("ties", "points") == "points"
        if points and any(len({tuple(case.given["rows"][i]) for i in g}) > 1 for g in groups[0]):
            return []
        exact = certificates.limits(case.given["rows"], groups, masses, points)
        holds, q1, q2 = certificates.conditions(case.given["rows"], groups, exact, [[Fraction(c) for c in row] for row in B], epsilon)
        if holds:
            return [Difference("certificate.kind", "a proof at step 0", got["certificate.kind"], f"groups {[sorted(g) for g in groups[0]]}")]
        return []

    def smaller(self, case):
        for name in ("mask", "until", "tolerance", "cluster", "closed-form", "key-query", "masses", "gamma", "alpha", "ties"):
            if name in case.options:
                given = {"masses": [1.0] * len(case.given["rows"])} if name == "masses" else {}
                if name == "key-query":
                    d = len(case.given["rows"][0])
                    given = {"B": [[float(i == j) for j in range(d)] for i in range(d)]}
                file = {"masses": "m.csv", "key-query": "B.csv"}.get(name)
                yield case.changed(options={name: ...}, given=given, files={file: ...} if file else {})
        rows, masses = case.given["rows"], case.given["masses"]
        if case.options.get("steps") in ("5", "50"):
            yield case.changed(options={"steps": {"50": "5", "5": "1"}[case.options["steps"]]})
        for keep in clouds.dropped(rows):
            fewer = [rows[i] for i in keep]
            files = {"x.csv": clouds.text(fewer)}
            if "masses" in case.options:
                files["m.csv"] = clouds.text([[masses[i]] for i in keep])
            yield case.changed(files=files, given={"rows": fewer, "masses": [masses[i] for i in keep]})
        for plain in clouds.simpler(rows):
            yield case.changed(files={"x.csv": clouds.text(plain)}, given={"rows": plain})


SUITE = State()
