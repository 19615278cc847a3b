"""What the runs say: losses by either rule, accuracies, and whether the words of leaders decide.

    python report.py --data afz.npz --runs runs --out table.json

The expected rating of a word comes with the reviews: 0 where the word says nothing, positive where it
stands in good ones. The controls of a leader's word are the MATCHES words whose counts are nearest
to its own among those that are not in the record's list of leaders. Intervals are 95%, by bootstrap
over the words.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

MATCHES = 20
ROUNDS = 10_000


def against_controls(leaders: list, words: dict[str, int], counts, rating, top: int) -> dict:
    """Mean |expected rating| of the most frequent leaders' words less that of their controls; by
    words, and with each word weighted by how often it leads.
    """
    known = [(words[w], n) for w, n in leaders if not np.isnan(rating[words[w]])][:top]
    taken = {words[w] for w, _ in leaders}
    free = np.array(
        [i for i in range(2, len(counts)) if i not in taken and not np.isnan(rating[i])]
    )
    own, other, weight = [], [], []
    for i, times in known:
        nearest = np.argsort(np.abs(counts[free] - counts[i]), kind="stable")[:MATCHES]
        own.append(abs(rating[i]))
        other.append(np.abs(rating[free[nearest]]).mean())
        weight.append(times)
    own, other, weight = (np.array(x, dtype=float) for x in (own, other, weight))
    rng = np.random.default_rng(1)
    difference = own - other
    draws = rng.integers(len(own), size=(ROUNDS, len(own)))
    plain = difference[draws].mean(1)
    weighted = (difference * weight)[draws].sum(1) / weight[draws].sum(1)
    return {
        "words": len(own),
        "leaders": round(float(own.mean()), 4),
        "controls": round(float(other.mean()), 4),
        "difference": round(float(difference.mean()), 4),
        "interval": [round(float(x), 4) for x in np.quantile(plain, (0.025, 0.975))],
        "difference, weighted": round(float((difference * weight).sum() / weight.sum()), 4),
        "interval, weighted": [round(float(x), 4) for x in np.quantile(weighted, (0.025, 0.975))],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True, help="afz.npz, of prepare.py")
    parser.add_argument("--runs", required=True, type=Path, help="folder of the records")
    parser.add_argument("--out", required=True, type=Path, help="file of the table")
    parser.add_argument("--top", type=int, default=100, help="words of leaders that are looked at")
    options = parser.parse_args()
    file = np.load(options.data)
    names = file["words"].item().decode().split("\n")
    words = {w: i for i, w in enumerate(names)}
    rows = []
    for path in sorted(options.runs.glob("d*.json")):
        r = json.loads(path.read_text())
        tests = [e["test"] for e in r["epochs"]]
        gaps = [abs(x["train loss softmax"] - x["train loss hardmax"]) for x in r["losses"]]
        row = {
            "run": path.stem,
            "epochs": len(tests),
            "ended": r["ended"],
            "train losses": r["losses"][-1],
            "largest gap of the losses": round(max(gaps), 6),
            "best test": max(tests),
            "best epoch": tests.index(max(tests)) + 1,
            "last test": tests[-1],
            "alpha": r["epochs"][-1]["alpha"],
            "leaders in a review": r["leaders in a review"],
            "first words": [w for w, _ in r["leaders decisive"][:20]],
        }
        for kind in ("all", "decisive"):
            row[f"|expected rating|, leaders {kind}"] = against_controls(
                r[f"leaders {kind}"], words, file["counts"], file["rating"], options.top
            )
        rows.append(row)
        print(json.dumps(row, indent=1))
    options.out.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
