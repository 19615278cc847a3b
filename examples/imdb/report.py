"""The table of all runs and what they say about p = 1.1 against p = 2.

    python report.py --runs runs --out table.json

Intervals are 95%, by bootstrap over test reviews and over seeds, both p always on the same seeds. A
run that time cut before its rule ended it is listed, and left out of all comparisons.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

KINDS = ("query", "key", "value")
TEST_REVIEWS = 12_500
LEVELS = (0.45, 0.4, 0.35, 0.3)  # train losses at which sparsity is compared
ROUNDS = 4000
BEST = "paper's rule: best on all 25000"


def unpacked(record: dict, where: str = "chosen") -> np.ndarray:
    """1 where a test review was right."""
    raw = np.frombuffer(bytes.fromhex(record[where]["test_right"]), dtype=np.uint8)
    return np.unpackbits(raw)[:TEST_REVIEWS].astype(float)


def gained(record: dict, sparsity: dict, which: int) -> float:
    """A measure of sparsity less its value at the start, averaged over W_Q, W_K and W_V."""
    start = record["start"]["sparsity"]
    return float(np.mean([sparsity[k][which] - start[k][which] for k in KINDS]))


def at_loss(record: dict, level: float, which: int) -> float | None:
    """The same where the train loss first falls below a level, linear between epochs."""
    epochs = record["epochs"]
    for before, after in zip(epochs, epochs[1:]):
        if after["train_loss"] <= level < before["train_loss"]:
            t = (before["train_loss"] - level) / (before["train_loss"] - after["train_loss"])
            values = [gained(record, e["sparsity"], which) for e in (before, after)]
            return (1 - t) * values[0] + t * values[1]
    return None


def row(record: dict) -> dict:
    run, epochs, chosen = record["run"], record["epochs"], record.get("chosen", {})
    pivots = chosen["pivots"]["mean"]
    both = [e["both"] for e in epochs]
    return {
        "run": run["name"],
        "stage": run["stage"],
        "optimizer": run["optimizer"],
        "p": run["p"],
        "lr": run["lr"],
        "seed": run["seed"],
        "epochs": len(epochs),
        "ended": record["stopped"] or "cut: out of time",
        "chosen epoch": record["chosen_epoch"],
        "validation": max(e["validation"] for e in epochs),
        "test": chosen["test"],
        "test, last epoch": epochs[-1]["test"],
        BEST: max(both),
        "paper's rule: last": both[-1],
        "train accuracy, last": epochs[-1]["train_accuracy"],
        "Hoyer less start": round(gained(record, chosen["sparsity"], 0), 5),
        "share of 90% less start": round(gained(record, chosen["sparsity"], 1), 5),
        "share above .06": {k: chosen["sparsity"][k][2] for k in KINDS},
        "share above .06, last": {k: epochs[-1]["sparsity"][k][2] for k in KINDS},
        "test of largest": chosen["test_of_largest"],
        "AUC attention": pivots["attention lexicon"],
        "AUC attention, fake lexicon": pivots["attention fake"],
        "AUC value": pivots["value lexicon"],
        "AUC word": pivots["word lexicon"],
        "lift": pivots["lift lexicon"],
        "lift, fake lexicon": pivots["lift fake"],
        "short sentences": chosen["pivots"]["short sentences"],
        "Hoyer less start at loss": {f"{x:g}": rounded(at_loss(record, x, 0)) for x in LEVELS},
        "above .06 less start at loss": {f"{x:g}": rounded(at_loss(record, x, 2)) for x in LEVELS},
    }


def rounded(x: float | None) -> float | None:
    return None if x is None else round(x, 5)


def bootstrap(differences: np.ndarray, seed: int = 1) -> dict:
    """Of an array (seeds, items): mean, and 95% intervals over items alone and over both."""
    rng = np.random.default_rng(seed)
    seeds, items = differences.shape
    over_items, over_both = np.empty(ROUNDS), np.empty(ROUNDS)
    for i in range(ROUNDS):
        weights = rng.multinomial(items, np.full(items, 1 / items)) / items
        means = differences @ weights
        over_items[i] = means.mean()
        over_both[i] = means[rng.integers(seeds, size=seeds)].mean()
    tail = min((over_both <= 0).mean(), (over_both >= 0).mean())
    return {
        "mean": round(float(differences.mean()), 5),
        "each seed": [round(float(x), 5) for x in differences.mean(1)],
        "interval, items": [round(float(x), 5) for x in np.quantile(over_items, (0.025, 0.975))],
        "interval, items and seeds": [
            round(float(x), 5) for x in np.quantile(over_both, (0.025, 0.975))
        ],
        "p-value": round(float(min(1.0, 2 * max(tail, 1 / ROUNDS))), 5),
    }


def pivot_lists(record: dict) -> np.ndarray:
    """Within each review, AUC against the lexicon and against the fake one; NaN where there is none."""
    pivots = record["chosen"]["pivots"]
    names = ("attention lexicon", "attention fake")
    return np.array([[np.nan if x is None else x for x in pivots[n]] for n in names])


def compare(pairs: list[tuple[dict, dict]]) -> dict:
    """p = 1.1 less p = 2 over pairs of runs."""
    right = np.array([unpacked(a) - unpacked(b) for a, b in pairs])
    last = np.array([unpacked(a, "last") - unpacked(b, "last") for a, b in pairs])
    aucs = np.array([pivot_lists(a) - pivot_lists(b) for a, b in pairs])
    plain = aucs[:, 0][:, ~np.isnan(aucs[:, 0]).any(0)]
    net = aucs[:, 0] - aucs[:, 1]
    net = net[:, ~np.isnan(net).any(0)]
    hoyer = {
        f"{x:g}": [rounded_difference(at_loss(a, x, 0), at_loss(b, x, 0)) for a, b in pairs]
        for x in LEVELS
    }
    return {
        "pairs": [[a["run"]["name"], b["run"]["name"]] for a, b in pairs],
        "test accuracy": bootstrap(right),
        "test accuracy, last epoch": bootstrap(last),
        "AUC of attention": bootstrap(plain),
        "AUC of attention less that of the fake lexicon": bootstrap(net),
        "Hoyer less start at train loss": hoyer,
    }


def rounded_difference(x: float | None, y: float | None) -> float | None:
    return None if x is None or y is None else round(x - y, 5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", required=True, type=Path, help="folder of the records")
    parser.add_argument("--out", required=True, type=Path, help="file of the table")
    options = parser.parse_args()
    records = [json.loads(p.read_text()) for p in sorted(options.runs.glob("*-seed*.json"))]
    rows = [row(r) for r in records]
    ended = {r["run"]["name"]: r for r in records if r["stopped"]}

    def pairs(stage: str) -> list[tuple[dict, dict]]:
        """Runs of a stage by seed, both p there."""
        found: dict[int, dict[float, dict]] = {}
        for r in ended.values():
            if r["run"]["stage"] == stage:
                found.setdefault(r["run"]["seed"], {})[r["run"]["p"]] = r
        return [(x[1.1], x[2.0]) for _, x in sorted(found.items()) if 1.1 in x and 2.0 in x]

    def named(a: str, b: str) -> list[tuple[dict, dict]]:
        names = f"tune-p1.1-lr{a}-seed0", f"tune-p2-lr{b}-seed0"
        return [tuple(ended[n] for n in names)] if all(n in ended for n in names) else []

    final = pairs("final")
    comparisons = {}
    beside = {}
    if final:
        comparisons["chosen steps, fresh seeds"] = compare(final)
        chosen = named(*(f"{r['run']['lr']:g}" for r in final[0]))
        if chosen:
            comparisons["chosen steps, with the seed that chose them"] = compare(chosen + final)
            beside = others(records, options.runs / "bag.json", chosen[0][0])
    if named("0.0008", "0.0004"):
        comparisons["published steps, seed 0"] = compare(named("0.0008", "0.0004"))
    table = {"rows": rows, "comparisons": comparisons, "test accuracy less that of p = 1.1": beside}
    options.out.write_text(json.dumps(table, indent=1) + "\n")
    show(table)


def others(records: list[dict], bag: Path, base: dict) -> dict:
    """AdamW and the bag of words against p = 1.1 at its chosen step, seed 0."""
    beside = {}
    for r in records:
        if r["run"]["optimizer"] == "adamw" and r["run"]["seed"] == base["run"]["seed"]:
            beside[r["run"]["name"]] = bootstrap((unpacked(r) - unpacked(base))[None])
    if bag.exists():
        right = unpacked({"chosen": json.loads(bag.read_text())})
        beside["bag of words"] = bootstrap((right - unpacked(base))[None])
        beside["bag of words"]["test"] = round(float(right.mean()), 6)
    return beside


def show(table: dict) -> None:
    for r in table["rows"]:
        print(
            f"{r['run']:28s} {r['epochs']:3d} epochs, chosen {r['chosen epoch']:3d}: validation "
            f"{r['validation']:.4f}, test {r['test']:.4f}, last {r['test, last epoch']:.4f}, best on "
            f"all {r[BEST]:.4f}; Hoyer {r['Hoyer less start']:+.4f}; AUC {r['AUC attention']:.3f}, "
            f"fake {r['AUC attention, fake lexicon']:.3f}; {r['ended']}"
        )
    for name in ("comparisons", "test accuracy less that of p = 1.1"):
        for which, numbers in table[name].items():
            print(which)
            for what, value in numbers.items():
                print("   ", what, value)


if __name__ == "__main__":
    main()
