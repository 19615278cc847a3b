"""options.py -- a command line with one option more: refused by its name where it does not apply (applies.py), not for that reason elsewhere.

A case is a line all of whose options apply. Other options of the verb that have conditions are given beside it, one at a time, with one or each of their
values. Where it is idle: exit 2, a sentence with its name. Where it applies, or its value turns it off, the program may still refuse the
value, but does not say that it applies elsewhere.
"""
import applies
import harness
from harness import Difference


def beside(case, values, program):
    """values: {option: (value, ...)}; None for a flag."""
    found = []
    for name, texts in values.items():
        if name in case.options:
            continue
        for text in texts:
            more = case.changed(options={name: text})
            answer = harness.run(more, program)
            said = answer.words.split("\n")[0]
            idle = applies.idle(more)
            if answer.exit is None or answer.exit < 0 or answer.exit > 2:
                found.append(Difference(name, "an answer", answer.exit, more.command()))
            elif name in idle and (answer.exit != 2 or not applies.is_named(name, said)):
                found.append(Difference(name, "2, idle", answer.exit, f"{said[:200]} <- {more.command()}"))
            elif name not in idle and said.startswith(f"tropism: {name.replace('-', '_')}: applies "):
                found.append(Difference(name, "applies", answer.exit, f"{said[:200]} <- {more.command()}"))
    return found


class Suite:
    """make() and values() are of the suite; the line itself may end for want of a file, with exit 1, or be refused for another reason than ours."""

    def refusal(self, case):
        return None

    def judge(self, case, answer):
        return beside(case, self.values(case), self.program)

    def silent(self, case, answer):
        missing = answer.exit == 1 and "No such file" in answer.words
        return self.judge(case, answer) if missing else [Difference("exit", 0, answer.exit, answer.words[:300])]

    def smaller(self, case):
        for name in list(case.options):
            if name not in ("data", "problem", "claim", "file", "instance", "n", "steps", "time", "radius", "tokens"):
                yield case.changed(options={name: ...})
