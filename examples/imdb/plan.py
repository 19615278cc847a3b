"""Which runs there are, in which order, and by which rules they end.

Validation is one half of the test reviews, drawn once; it chooses step and epoch. Nothing is chosen
by the other half.

tune    p = 1.1 and p = 2 at half, once and twice the published step, seed 0. If the best of them is at
        an end of its grid, the grid grows by a factor of 2 on that side, up to five steps for each p.
final   the chosen step of each p with fresh initialisations, seeds 1, 2, 3 and so on. A seed fixes the
        start, the order of the reviews and dropout, and both p use the same.
p3      p = 3 at its published step, until the paper's stopping rule.
adamw   AdamW at three steps, seed 0, then seeds 1, 2 and 3 at the best.

A run ends when its train accuracy (with dropout, over the epoch) is at least .995, which is the paper's
rule; or when validation has not improved for PATIENCE epochs; or after MOST epochs. All are the same
for every p, but the one run of p = 3 may take LONG epochs and patience does not end it.

What was run so far departs from this; bench/results/imdb/README.md says where.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from pathlib import Path

PUBLISHED = {1.1: 8e-4, 2.0: 4e-4, 3.0: 4e-6}  # steps for three blocks
PATIENCE, MOST, LONG, ENOUGH = 12, 80, 200, 0.995
GRID = 5  # steps of one p at most
ADAMW = (1e-4, 5e-5, 2e-4)


@dataclass(frozen=True)
class Run:
    stage: str
    optimizer: str  # mirror or adamw
    p: float
    lr: float
    seed: int
    patience: int = PATIENCE
    most: int = MOST

    @property
    def name(self) -> str:
        kind = f"p{self.p:g}" if self.optimizer == "mirror" else self.optimizer
        return f"{self.stage}-{kind}-lr{self.lr:g}-seed{self.seed}"

    def described(self) -> dict:
        return asdict(self) | {"name": self.name}


def load_records(folder: Path) -> dict[str, dict]:
    """The records of runs that have ended."""
    records = {}
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        if record.get("stopped"):
            records[record["run"]["name"]] = record
    return records


def validation_of(record: dict) -> float:
    return max((e["validation"] for e in record["epochs"]), default=0.0)


def tuning(p: float, records: dict[str, dict]) -> tuple[list[Run], Run | None]:
    """Runs of the grid of p, as far as it is known; and the chosen one, once all have ended and the
    best is inside the grid, or the grid is full.
    """
    factors = [1.0, 0.5, 2.0]
    while True:
        runs = [Run("tune", "mirror", p, PUBLISHED[p] * f, 0) for f in factors]
        if any(r.name not in records for r in runs):
            return runs, None
        best = max(range(len(runs)), key=lambda i: validation_of(records[runs[i].name]))
        inside = min(factors) < factors[best] < max(factors)
        if inside or len(factors) == GRID:
            return runs, runs[best]
        factors.append(factors[best] * (2.0 if factors[best] == max(factors) else 0.5))


def at_seed(run: Run, seed: int, stage: str) -> Run:
    return replace(run, stage=stage, seed=seed)


def runs_to_do(records: dict[str, dict], stages: list[str], seeds: int) -> list[Run]:
    """What can be started now, the most important first."""
    grids, chosen = [], []
    todo: dict[str, list[Run]] = {stage: [] for stage in ("tune", "final", "p3", "adamw")}
    for p in (1.1, 2.0):
        runs, best = tuning(p, records)
        grids.append(runs)
        chosen += [best] if best else []
    # One step for both p before the next, so that an early end leaves a comparison.
    todo["tune"] = [r for rung in zip_longest(*grids) for r in rung if r]
    if len(chosen) == 2:
        todo["final"] = [at_seed(r, s, "final") for s in range(1, seeds + 1) for r in chosen]
    todo["p3"] = [Run("p3", "mirror", 3.0, PUBLISHED[3.0], 1, LONG, LONG)]
    grid = [Run("adamw", "adamw", 2.0, lr, 0) for lr in ADAMW]
    todo["adamw"] = grid
    if all(r.name in records for r in grid):
        best = max(grid, key=lambda r: validation_of(records[r.name]))
        todo["adamw"] = [at_seed(best, s, "adamw") for s in (1, 2, 3)]
    return [r for stage in stages for r in todo[stage] if r.name not in records]
