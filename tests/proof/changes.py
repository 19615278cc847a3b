"""Changes to a proof, one at a time: a number by one unit in its last place, an index by one, a sign, an operator or a
function of a formula, a member that is absent, there twice or of another type."""
import copy
import json
import math
import random
import re

HEX = re.compile(r"-?0x[01](\.[0-9a-f]+)?p[+-]\d+\Z")
RATIONAL = re.compile(r"-?\d+/\d+\Z")
WHOLE = re.compile(r"-?\d+\Z")
OPERATORS = {"<": ["<=", ">", "!="], "<=": ["<", ">"], ">": [">=", "<"], ">=": [">", "<="], "==": ["!=", "<"],
             "!=": ["==", "<"], "+": ["-", "*"], "-": ["+"], "*": ["+", "/"], "/": ["*"], "and": ["or"], "or": ["and"]}
FUNCTIONS = {"all": "any", "any": "all", "max": "min", "min": "max", "sum": "max", "top": "sum", "exp": "abs"}


def hexadecimal(value):
    """As C's %a: no zeros at the end of the digits."""
    head, power = value.hex().split("p")
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return head + "p" + power


def neighbours(word):
    """Texts of numbers that are as near to this one as can be, and its opposite."""
    if HEX.match(word):
        value = float.fromhex(word)
        near = [math.nextafter(value, math.inf), math.nextafter(value, -math.inf), -value]
        return [hexadecimal(other) for other in near if math.isfinite(other) and other != value]
    if RATIONAL.match(word):
        top, below = map(int, word.split("/"))
        return ["%d/%d" % pair for pair in ((top + 1, below), (top - 1, below), (top, below + 1), (-top, below))]
    if WHOLE.match(word):
        return [str(int(word) + by) for by in (1, -1)]
    other = re.sub(r"\b(all|any|max|min|sum|top|exp)(?=\()", lambda found: FUNCTIONS[found.group()], word)
    return OPERATORS.get(word, []) + ([other] if other != word else [])


def places(value, path=()):
    """The paths of all members and items, and of the numbers inside texts: (path, number of the word)."""
    if isinstance(value, dict):
        for key in value:
            yield (path + (key,), None)
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for k, item in enumerate(value):
            yield (path + (k,), None)
            yield from places(item, path + (k,))
    elif isinstance(value, str) and path[-1] not in ("says", "symbols", "kind", "written_by", "sha256", "file"):
        for k, word in enumerate(value.split(" ")):
            if neighbours(word):
                yield (path, k)


def holder(proof, path):
    for key in path[:-1]:
        proof = proof[key]
    return proof


WRONG = [None, True, -1, 0, 10**30, "", "nan", "inf", "0x1p+99999", "1/0", "1e999999999", [], {}, [[]], {"shape": [0]}]


def changed(proof, draw):
    """A copy of the proof with one change, and what was changed."""
    proof = copy.deepcopy(proof)
    path, word = draw.choice([place for place in places(proof) if place[0][0] in ("claims", "inputs")])
    at, key = holder(proof, path), path[-1]
    if word is not None:
        words = at[key].split(" ")
        words[word] = draw.choice(neighbours(words[word]))
        at[key] = " ".join(words)
        return proof, (path, word, words[word])
    how = draw.choice(["drop", "wrong", "near", "swap"])
    if how == "near" and type(at[key]) is int:
        at[key] += draw.choice([1, -1])
    elif how == "near" and type(at[key]) is bool:
        at[key] = not at[key]
    elif how == "swap" and isinstance(at[key], str) and " " in at[key]:
        words = at[key].split(" ")
        one, two = draw.randrange(len(words)), draw.randrange(len(words))
        words[one], words[two] = words[two], words[one]
        at[key] = " ".join(words)
    elif how == "drop":
        del at[key]
    else:
        at[key] = draw.choice(WRONG)
    return proof, (path, how)
