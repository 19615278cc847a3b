"""test_rules.py -- the reference itself, where a page or a paper gives numbers: python3 -m unittest tests/reference/test_rules.py

rules.md's table of nine rules; by-hand examples of rules.md, flow.md and quiescence.md; two tokens +-1 of the
line, whose softmax step is tanh(beta) and whose sparsemax step is min(2 beta, 1); limits of one rule that are another.
"""
from fractions import Fraction
import math
import os
import random
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import clouds  # noqa: E402
import harness  # noqa: E402
import rules  # noqa: E402
import schedules  # noqa: E402
from attention import State  # noqa: E402
from setting import Setting  # noqa: E402


def state(rows, **options):
    files = {"x.csv": clouds.text(rows)}
    return State(rows, Setting(harness.Case("flow", dict(options, steps="1"), files)), 0)


def moves(rows, **options):
    """avg_i - x_i of every row."""
    made = state(rows, **options)
    return [made.average(row)[0] for row in made.rows]


class Table(unittest.TestCase):
    """docs/rules.md: the first row of nine rules on 1, 0.9, 0.5, -1, as averages."""

    tokens = [[1.0], [0.9], [0.5], [-1.0]]
    printed = {"softmax": (.4535, .3713, .1668, .0083), "hardmax": (1, 0, 0, 0), "localmax": (.5, .5, 0, 0),
               "minp": (.5498, .4502, 0, 0), "topk": (.5498, .4502, 0, 0), "sparsemax": (.6, .4, 0, 0),
               "entmax": (.5408, .4037, .0554, 0), "uniform": (.25,) * 4, "confidence": (.5, .5, 0, 0)}

    def test_weights(self):
        for rule, weights in self.printed.items():
            made = state(self.tokens, rule=rule, beta="2", epsilon="0.2", k="2", a="1.5", confidence="0.3")
            p = made.weights(made.rows[0])[0]
            if isinstance(p, dict):
                p = [p.get(j, 0) / sum(p.values()) for j in range(4)]
            for got, expected in zip(p, weights):
                self.assertAlmostEqual(float(got), expected, delta=5e-5, msg=rule)

    def test_rules_by_themselves(self):
        whole, shift = clouds.scaled(self.tokens)
        s, unit, ones = [whole[0][0] * x[0] for x in whole], Fraction(1, 4 ** shift), [Fraction(1)] * 4
        for name, p in (("softmax", rules.softmax(s, unit, ones, 2)), ("sparsemax", rules.sparsemax(s, unit, ones, 2)[0]),
                        ("entmax", rules.entmax(s, unit, ones, 2, 1.5)[0]),
                        ("topk", rules.softmax(s, unit, ones, 2, rules.largest(s, ones, 2)))):
            self.assertAlmostEqual(float(sum(p)), 1, delta=1e-15)
            for got, expected in zip(p, self.printed[name]):
                self.assertAlmostEqual(float(got), expected, delta=5e-5, msg=name)


class TwoTokens(unittest.TestCase):
    def test_softmax(self):
        """The average of 1 is (e^b - e^-b)/(e^b + e^-b)."""
        for beta in (0.1, 1.0, 5.0):
            self.assertAlmostEqual(moves([[1.0], [-1.0]], beta=str(beta))[0][0], math.tanh(beta) - 1, delta=1e-15)

    def test_sparsemax(self):
        """p = (1/2 + b, 1/2 - b) until it is (1, 0)."""
        for beta in (0.125, 0.25, 0.5, 2.0):
            self.assertEqual(moves([[1.0], [-1.0]], rule="sparsemax", beta=str(beta))[0][0], min(2 * beta, 1) - 1)

    def test_entmax(self):
        """a = 1.5: L^2 + (L - b)^2 = 1 with t = (0, b), b = beta (1 - -1)/2."""
        b = 0.5
        level = (b + math.sqrt(2 - b * b)) / 2
        self.assertAlmostEqual(moves([[1.0], [-1.0]], rule="entmax", a="1.5", beta=str(b))[0][0],
                               level ** 2 - (level - b) ** 2 - 1, delta=1e-15)

    def test_close(self):
        """rules.md: 1e-300 apart, beta = 1e300; hardmax tells them apart in row 1 alone."""
        rows = [[1.0, 0.0], [1.0, 1e-300], [-1.0, 0.0]]
        self.assertEqual([m[1] for m in moves(rows, beta="1e300")][:2], [5e-301, -5e-301])
        self.assertEqual([m[1] for m in moves(rows, rule="hardmax", ties="indices")][:2], [5e-301, 0.0])


class Sets(unittest.TestCase):
    def test_pairs(self):
        """quiescence.md: 2, 1.9, -2, -1.9 with epsilon 1 are two groups."""
        made = state([[2.0, 0.0], [1.9, 0.0], [-2.0, 0.0], [-1.9, 0.0]], rule="localmax", epsilon="1")
        self.assertEqual([row.members for row in made.rows], [[0, 1], [0, 1], [2, 3], [2, 3]])

    def test_tie(self):
        """quiescence.md: the origin ties, the smallest double does not."""
        for x, best in ((0.0, [0, 1, 2]), (5e-324, [0])):
            made = state([[1.0, 0.0], [-1.0, 0.0], [x, 0.0]], rule="hardmax")
            self.assertEqual(made.rows[2].best, best)

    def test_masses_are_copies(self):
        """A token of mass m counts as m tokens at its place, in every rule but hardmax by points."""
        rng = random.Random(1)
        rows = clouds.dyadic(6, 2, rng)
        masses = [rng.randint(1, 3) for _ in rows]
        copies = [row for row, m in zip(rows, masses) for _ in range(m)]
        first = [sum(masses[:i]) for i in range(6)]
        files = {"x.csv": clouds.text(rows), "m.csv": clouds.text([[float(m)] for m in masses])}
        for rule in ("softmax", "hardmax", "localmax", "minp", "topk", "sparsemax", "entmax", "uniform", "confidence"):
            options = dict(rule=rule, ties="indices", k="4", steps="1", beta="0.5", epsilon="0.5")
            heavy = State(rows, Setting(harness.Case("flow", dict(options, masses="m.csv"), files)), 0)
            light = moves(copies, **{k: v for k, v in options.items() if k != "steps"})
            for i in range(6):
                for a, b in zip(heavy.average(heavy.rows[i])[0], light[first[i]]):
                    self.assertAlmostEqual(a, b, delta=1e-14, msg=rule)

    def test_limits_of_rules(self):
        """entmax at 1 is softmax, at 2 sparsemax; topk of all and minp of all are softmax; softmax at a large beta is
        hardmax by indices; localmax at 0 too."""
        rows = clouds.gaussian(7, 3, random.Random(2))
        for one, other in (({"rule": "entmax", "a": "1"}, {}), ({"rule": "entmax", "a": "2"}, {"rule": "sparsemax"}),
                           ({"rule": "topk", "k": "7"}, {}), ({"rule": "minp", "epsilon": "1e9"}, {}),
                           ({"beta": "1e9"}, {"rule": "hardmax"}), ({"rule": "localmax", "epsilon": "0"}, {"rule": "hardmax"})):
            for a, b in zip(moves(rows, **one), moves(rows, **other)):
                for p, q in zip(a, b):
                    self.assertAlmostEqual(p, q, delta=1e-14, msg=str(one))


class Schedules(unittest.TestCase):
    def test_values(self):
        for text, t, expected in (("fw", 0, 1), ("fw", 2, 0.5), ("harmonic", 3, 0.25), ("superexp:1", 0, 1 - math.exp(-1)),
                                  ("geometric:2,0.5", 3, 0.25), ("power:3,2", 1, 0.75), ("cosine:1,2", 3, 1 + 2 * math.cos(3)),
                                  ("linear:1,0.5", 4, 3), ("0.3", 9, 0.3), ("@s", 7, 0.25)):
            value, error = schedules.value(text, t, {"s": "1\n0.5\n0.25\n"})
            self.assertAlmostEqual(float(value), expected, delta=1e-15, msg=text)
            self.assertLessEqual(float(error), 2e-14)


if __name__ == "__main__":
    unittest.main()
