"""Trains the encoder by l_p mirror descent, run after run of the plan, and writes a JSON for each.

    python train.py --data imdb.npz --out runs [--minutes 9] [--workers 1]

Stop it whenever you like, and call it again: runs that have ended are kept, and one that was cut goes
on from its checkpoint in the folder. Several workers share one device. plan.py says which runs there
are and by which rules they end.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

import measure
from model import Encoder, pack
from plan import ENOUGH, Run, load_records, runs_to_do
from tropism_torch import load

SPLIT_SEED = 20241018  # of the halves of the test reviews
PIVOT_REVIEWS = 500
KEPT = (0.05, 0.1, 0.2, 0.5)  # shares of W_Q, W_K, W_V that are kept when the rest is set to 0


class Data:
    """Reviews on the device. Training reviews come first, test reviews after them."""

    def __init__(self, path: str, device: torch.device, reviews: int, length: int) -> None:
        file = np.load(path)
        starts, ids, flags = file["starts"], file["ids"], file["flags"]
        labels, train = file["labels"], int(file["train"])
        self.length = min(length, int(file["length"]))
        self.vocabulary = int(file["vocabulary"])
        which = np.arange(len(labels))
        if reviews:  # a slice for tests: as many of each class of each split
            key = labels + 2 * (which >= train)
            which = np.concatenate([which[key == k][: reviews // 2] for k in range(4)])
            which.sort()
            train = int((which < train).sum())
        lengths = np.minimum(starts[which + 1] - starts[which], self.length)
        taken = np.concatenate([np.arange(s, s + n) for s, n in zip(starts[which], lengths)])
        self.lengths = lengths
        self.starts = torch.from_numpy(np.concatenate([[0], np.cumsum(lengths)])).to(device)
        self.tokens = torch.from_numpy(ids[taken].astype(np.int32)).to(device)
        self.flags = torch.from_numpy(flags[taken].astype(np.int32)).to(device)
        self.labels = torch.from_numpy(labels[which].astype(np.float32)).to(device)
        self.words = torch.from_numpy(file["pivots"]).to(device)
        self.carriers = torch.from_numpy(file["carriers"]).to(device)
        self.train = np.arange(train)
        self.tests = np.arange(train, len(which))
        shuffled = np.random.default_rng(SPLIT_SEED).permutation(self.tests)
        self.validation = np.sort(shuffled[: len(shuffled) // 2])
        self.test = np.sort(shuffled[len(shuffled) // 2 :])
        self.pivots = shuffled[-PIVOT_REVIEWS:].copy()
        self.device = device

    def batches(self, which: np.ndarray, size: int) -> Iterator[tuple[Tensor, ...]]:
        """Packed tokens, places, beginnings and labels of ``size`` reviews after the other. The
        device gets the whole order at once, so that no batch waits for it.
        """
        order = torch.from_numpy(which).to(self.device)
        for at in range(0, len(which), size):
            part = order[at : at + size]
            total = int(self.lengths[which[at : at + size]].sum())
            yield *pack(self.tokens, self.starts, part, total), self.labels[part]


class Net:
    """The module, its compiled form, and how to start it anew: the compiled code outlives a run."""

    def __init__(self, data: Data, options: argparse.Namespace) -> None:
        self.shape = (data.vocabulary, data.length, options.width, options.heads, options.blocks)
        self.module = Encoder(*self.shape).to(data.device)
        self.cuda = data.device.type == "cuda"
        compiled = self.cuda and not options.eager
        self.call = torch.compile(self.module, dynamic=True) if compiled else self.module

    def restart(self, seed: int) -> None:
        """The weights of this seed, drawn on the CPU, so that every device starts from the same."""
        torch.manual_seed(seed)
        self.module.load_state_dict(Encoder(*self.shape).state_dict())

    def logits(self, ids: Tensor, places: Tensor, cu: Tensor) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16, enabled=self.cuda):
            return self.call(ids, places, cu).float()

    @torch.no_grad()
    def predict(self, data: Data, which: np.ndarray, size: int = 500) -> Tensor:
        """True where a review is classified as it should be."""
        self.module.eval()
        right = []
        for *batch, labels in data.batches(which, size):
            right.append((self.logits(*batch) > 0) == (labels > 0.5))
        return torch.cat(right)


def make_optimizer(run: Run, net: Net) -> torch.optim.Optimizer:
    if run.optimizer == "adamw":
        return torch.optim.AdamW(net.module.parameters(), lr=run.lr, fused=net.cuda)
    return load().MirrorDescent(net.module.parameters(), lr=run.lr, p=run.p)


def train_step(net: Net, optimizer: torch.optim.Optimizer, batch: tuple[Tensor, ...]) -> Tensor:
    """One step on the summed loss; the loss and the number of reviews that were right."""
    *tokens, labels = batch
    logits = net.logits(*tokens)
    loss = F.binary_cross_entropy_with_logits(logits, labels, reduction="sum")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return torch.stack([loss.detach(), ((logits > 0) == (labels > 0.5)).sum()])


def train_epoch(
    net: Net, optimizer: torch.optim.Optimizer, data: Data, seed: int, epoch: int, size: int
) -> tuple[float, float]:
    """Mean loss and accuracy over the epoch, as it was trained. Order and dropout depend on seed and
    epoch alone, so that a resumed run needs no state of a generator.
    """
    net.module.train()
    torch.manual_seed(1_000_003 * seed + epoch)
    order = np.random.default_rng([seed, epoch]).permutation(data.train)
    sums = torch.zeros(2, device=data.device)
    for batch in data.batches(order, size):
        sums += train_step(net, optimizer, batch)
    loss, right = sums.tolist()
    return loss / len(order), right / len(order)


def bits(right: Tensor) -> str:
    """True and False as hexadecimal digits, first item in the highest bit."""
    return np.packbits(right.cpu().numpy()).tobytes().hex()


def measure_pivots(net: Net, data: Data) -> dict:
    """Which words the weights as they are attend to. The lists are review by review."""
    net.module.eval()
    which = torch.from_numpy(data.pivots).to(data.device)
    found = measure.pivots(net.module, data.tokens, data.flags, data.starts, which)
    score = measure.short_sentences(net.module, data.words, data.carriers)
    return {
        "mean": {name: round(float(np.nanmean(values)), 4) for name, values in found.items()},
        "attention lexicon": found["attention lexicon"],
        "attention fake": found["attention fake"],
        "short sentences": round(score, 4),
    }


def measure_now(net: Net, data: Data) -> dict:
    """What is measured of the weights as they are."""
    right = net.predict(data, data.test)
    return {
        "test": round(float(right.float().mean()), 6),
        "test_right": bits(right),
        "sparsity": measure.sparsity(net.module),
        "pivots": measure_pivots(net, data),
    }


def measure_chosen(net: Net, data: Data, best: dict[str, Tensor]) -> dict:
    """What is measured of the chosen epoch; the weights are left as they were."""
    kept = {k: v.clone() for k, v in net.module.state_dict().items()}
    net.module.load_state_dict(best)
    result = measure_now(net, data)
    result["test_of_largest"] = {}
    for share in KEPT:
        net.module.load_state_dict(best)
        measure.keep_largest(net.module, share)
        right = net.predict(data, data.test)
        result["test_of_largest"][f"{share:g}"] = round(float(right.float().mean()), 6)
    net.module.load_state_dict(kept)
    return result


class Trainer:
    """One run: its record, its best weights so far, its checkpoint."""

    def __init__(self, run: Run, net: Net, data: Data, options: argparse.Namespace) -> None:
        self.run, self.net, self.data, self.options = run, net, data, options
        self.record_path = options.out / f"{run.name}.json"
        self.checkpoint = options.out / f"{run.name}.pt"
        self.net.restart(run.seed)
        self.optimizer = make_optimizer(run, net)
        self.best: dict[str, Tensor] = {}
        self.record: dict = {
            "run": run.described(),
            "model": dict(zip(("vocabulary", "length", "width", "heads", "blocks"), net.shape)),
            "batch": options.batch,
            "machine": machine(data.device),
            "commit": options.commit or commit(),
            "start": {"sparsity": measure.sparsity(net.module)},
            "epochs": [],
            "stopped": None,
        }
        if self.checkpoint.exists():
            state = torch.load(self.checkpoint, map_location=data.device)
            self.net.module.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.best, self.record = state["best"], state["record"]
        else:
            # The untrained model is a control of the measures of pivots.
            start = measure_pivots(net, data)
            self.record["start"]["pivots"] = start["mean"]
            self.record["start"]["short sentences"] = start["short sentences"]

    def save_checkpoint(self) -> None:
        state = {
            "model": self.net.module.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "best": self.best,
            "record": self.record,
        }
        torch.save(state, self.checkpoint.with_suffix(".part"))
        os.replace(self.checkpoint.with_suffix(".part"), self.checkpoint)

    def write(self) -> None:
        part = self.record_path.with_suffix(".part")
        part.write_text(json.dumps(finite(self.record)) + "\n")
        os.replace(part, self.record_path)

    def epoch(self) -> None:
        began = time.perf_counter()
        number = len(self.record["epochs"]) + 1
        loss, accuracy = train_epoch(
            self.net, self.optimizer, self.data, self.run.seed, number, self.options.batch
        )
        trained = time.perf_counter() - began
        right = self.net.predict(self.data, self.data.tests).cpu().numpy()
        first = len(self.data.train)
        validation = float(right[self.data.validation - first].mean())
        if validation > max((e["validation"] for e in self.record["epochs"]), default=0.0):
            self.best = {k: v.clone() for k, v in self.net.module.state_dict().items()}
            self.record["chosen_epoch"] = number
        self.record["epochs"].append(
            {
                "train_loss": round(loss, 6),
                "train_accuracy": round(accuracy, 6),
                "validation": round(validation, 6),
                "test": round(float(right[self.data.test - first].mean()), 6),
                "both": round(float(right.mean()), 6),
                "seconds": [round(trained, 3), round(time.perf_counter() - began, 3)],
                "sparsity": measure.sparsity(self.net.module),
            }
        )

    def why_stop(self) -> str | None:
        epochs = self.record["epochs"]
        last = epochs[-1]
        if not math.isfinite(last["train_loss"]):
            return "the loss is not finite"
        if last["train_accuracy"] >= ENOUGH:
            return f"train accuracy {ENOUGH}"
        if len(epochs) - self.record.get("chosen_epoch", 0) >= self.run.patience:
            return f"no better validation for {self.run.patience} epochs"
        if len(epochs) >= min(self.run.most, self.options.epochs or self.run.most):
            return "enough epochs"
        return None

    def go(self, deadline: float) -> bool:
        """Trains until the run ends or time does; whether the run has ended."""
        while True:
            self.epoch()
            reason = self.why_stop()
            late = time.time() > deadline
            if reason or late:
                break
            self.write()
            tell(self.run.name, self.record["epochs"])
        tell(self.run.name, self.record["epochs"])
        if not reason:
            self.save_checkpoint()
        if self.best:
            self.record["chosen"] = measure_chosen(self.net, self.data, self.best)
        self.record["last"] = measure_now(self.net, self.data)
        self.record["last"]["pivots"] = self.record["last"]["pivots"]["mean"]
        self.record["stopped"] = reason
        self.write()
        if reason:
            self.checkpoint.unlink(missing_ok=True)
        return bool(reason)


def finite(value):
    """The same with None for what JSON cannot say."""
    if isinstance(value, dict):
        return {k: finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [finite(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def tell(name: str, epochs: list[dict]) -> None:
    last = epochs[-1]
    print(
        f"{name} {len(epochs)}: loss {last['train_loss']:.4f}, train {last['train_accuracy']:.4f}, "
        f"validation {last['validation']:.4f}, {last['seconds'][1]:.2f} s",
        flush=True,
    )


def machine(device: torch.device) -> str:
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    return f"{name}, torch {torch.__version__}"


def commit() -> str:
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "unknown"
    return asked.stdout.strip() or "unknown"


def claim(run: Run, folder: Path) -> bool:
    """Takes the run for this worker, unless another has it."""
    try:
        (folder / f"{run.name}.lock").touch(exist_ok=False)
        return True
    except FileExistsError:
        return False


def work(options: argparse.Namespace) -> None:
    """One worker: takes the next run that nobody has, until there is none or time is up."""
    device = torch.device(options.device)
    data = Data(options.data, device, options.reviews, options.length)
    net = Net(data, options)
    while time.time() < options.deadline:
        todo = runs_to_do(load_records(options.out), options.stages, options.seeds)
        run = next((r for r in todo if claim(r, options.out)), None)
        if run is None:
            if not todo or options.workers == 1:
                break
            time.sleep(0.5)  # another worker's result may open the next stage
            continue
        Trainer(run, net, data, options).go(options.deadline)
        (options.out / f"{run.name}.lock").unlink()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True, help="imdb.npz, of prepare.py")
    parser.add_argument("--out", required=True, type=Path, help="folder of the records")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop and save after that time")
    parser.add_argument("--deadline", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, default=1, help="processes that share the device")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--stages", default="p3,tune,final,adamw", help="in this order")
    parser.add_argument("--seeds", type=int, default=3, help="fresh seeds at the chosen steps")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--commit", default="", help="what the records call the sources")
    parser.add_argument("--eager", action="store_true", help="do not compile the model")
    small = parser.add_argument_group("smaller, for tests")
    small.add_argument("--reviews", type=int, default=0, help="of each split; 0: all")
    small.add_argument("--length", type=int, default=512)
    small.add_argument("--width", type=int, default=384)
    small.add_argument("--heads", type=int, default=3)
    small.add_argument("--blocks", type=int, default=3)
    small.add_argument("--batch", type=int, default=100)
    small.add_argument("--epochs", type=int, default=0, help="at most; 0: as planned")
    options = parser.parse_args()
    options.deadline = options.deadline or time.time() + 60 * options.minutes
    options.stages = options.stages.split(",")
    return options


def main() -> None:
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    if options.worker:
        work(options)
        return
    for lock in options.out.glob("*.lock"):
        lock.unlink()  # of a call that was killed
    if options.workers == 1:
        work(options)
        return
    command = [sys.executable, *sys.argv, "--worker", "--deadline", str(options.deadline)]
    workers = [subprocess.Popen(command) for _ in range(options.workers)]
    sys.exit(max(worker.wait() for worker in workers))


if __name__ == "__main__":
    main()
