"""Trains the hardmax encoder of Alcalde, Fantuzzi and Zuazua on reviews, run after run.

    python train.py --data afz.npz --out runs [--dimensions 2,4] [--rules softmax,hardmax]

Words are points of R^d, without places. Each of eight layers, all with one trained alpha, moves

    x_i <- x_i + alpha / (1 + alpha) (sum_j A_ij x_j - x_i),

A the weights of a rule of tropism.torch from the scores <x_i, x_j>. The decoder is the logistic function
of <v, mean x> + b. With the rule softmax at beta = 1000 this is what the authors trained; with hardmax
the forward pass is exact and the gradient that of softmax at the same beta. As theirs, padding is a
word like others; --mask leaves it out of the sums instead.

A run writes DIMENSION-RULE-SEED.json after every tenth epoch. One that was cut by --minutes goes on from
its checkpoint when the program is called again.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "imdb"))
from tropism_torch import load

attention_rule = load().attention_rule
BETA, DEPTH = 1000.0, 8
TOP = 300  # words of leaders that a record keeps


class Encoder(nn.Module):
    def __init__(self, words: int, d: int, mask: bool) -> None:
        super().__init__()
        self.words = nn.Embedding(words, d)
        self.alpha = nn.Parameter(torch.rand(()))
        self.decoder = nn.Linear(d, 1)
        self.mask = mask

    def seen(self, ids: Tensor) -> Tensor:
        return (ids != 0) if self.mask else torch.ones_like(ids, dtype=torch.bool)

    def layer(self, x: Tensor, seen: Tensor, rule: str) -> Tensor:
        scores = x @ x.transpose(1, 2)
        weights = attention_rule(scores, rule, beta=BETA, mask=seen[:, None] if self.mask else None)
        return x + self.alpha / (1 + self.alpha) * (weights @ x - x)

    def decode(self, x: Tensor, seen: Tensor) -> Tensor:
        share = seen / seen.sum(1, keepdim=True).clamp_min(1)
        return self.decoder((x * share[:, :, None]).sum(1)).squeeze(-1)

    def forward(self, ids: Tensor, rule: str) -> Tensor:
        x, seen = self.words(ids), self.seen(ids)
        for _ in range(DEPTH):
            x = self.layer(x, seen, rule)
        return self.decode(x, seen)

    @torch.no_grad()
    def leaders(self, ids: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Which tokens become leaders, where they are in the end, and the logits. A leader is alone
        in its argmax set in some layer; copies of one word, which are one point, count as one.
        """
        x, seen = self.words(ids), self.seen(ids)
        ever = torch.zeros_like(seen)
        for _ in range(DEPTH):
            scores = (x @ x.transpose(1, 2)).masked_fill(~seen[:, None], -torch.inf)
            at_top = scores == scores.amax(-1, keepdim=True)
            same = (x[:, :, None] == x[:, None]).all(-1)
            ever |= (at_top & same).any(-1) & ~(at_top & ~same).any(-1)
            x = self.layer(x, seen, "hardmax")
        return ever & (ids != 0), x, self.decode(x, seen)


class Trainer:
    def __init__(
        self, d: int, rule: str, seed: int, data: dict, options: argparse.Namespace
    ) -> None:
        self.rule, self.data, self.options = rule, data, options
        self.device = torch.device(options.device)
        torch.manual_seed(seed)
        self.model = Encoder(len(data["words"]), d, options.mask).to(self.device)
        cuda = self.device.type == "cuda"
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3, fused=cuda)
        mode = "reduce-overhead" if cuda else "default"
        self.call = self.model if options.eager else torch.compile(self.model, mode=mode)
        self.seed = seed
        self.name = f"d{d}-{rule}{'-mask' if options.mask else ''}-seed{seed}"
        self.checkpoint = options.out / f"{self.name}.pt"
        gpu = torch.cuda.get_device_name() if cuda else platform.machine()
        self.record: dict = {
            "d": d,
            "rule": rule,
            "mask": options.mask,
            "seed": seed,
            "machine": f"{gpu}, torch {torch.__version__}",
            "commit": options.commit,
            "epochs": [],
            "losses": [],
            "ended": False,
        }

    def epoch(self) -> None:
        began = time.perf_counter()
        train, size = self.data["train"], self.options.batch
        rng = np.random.default_rng([self.seed, len(self.record["epochs"])])
        order = torch.from_numpy(rng.permutation(train)).to(self.device)
        total = torch.zeros((), device=self.device)
        # The last batch is left out when it is not full: the compiled code keeps one shape.
        for part in order[: train // size * size].split(size):
            ids, labels = self.data["ids"][part], self.data["labels"][part]
            loss = F.binary_cross_entropy_with_logits(self.call(ids, self.rule), labels)
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
            self.optimizer.step()
            total += loss.detach()
        loss = float(total) / (train // size)
        test = self.evaluate(slice(train, None), self.rule)
        self.record["epochs"].append(
            {
                "loss": round(loss, 6),
                "test": round(test[1], 6),
                "alpha": round(self.model.alpha.item(), 5),
                "seconds": round(time.perf_counter() - began, 3),
            }
        )

    @torch.no_grad()
    def evaluate(self, which: slice, rule: str) -> tuple[float, float]:
        """Loss and accuracy."""
        loss, right = 0.0, 0.0
        ids, labels = self.data["ids"][which], self.data["labels"][which]
        for part, truth in zip(ids.split(1000), labels.split(1000)):
            logits = self.model(part, rule)
            loss += F.binary_cross_entropy_with_logits(logits, truth, reduction="sum")
            right += ((logits > 0) == (truth > 0.5)).sum()
        return float(loss) / len(ids), float(right) / len(ids)

    def compare(self) -> None:
        """The loss of the same weights on the training reviews, by either rule, and the accuracies
        on the test reviews.
        """
        train = self.data["train"]
        row = {"epoch": len(self.record["epochs"])}
        for rule in ("softmax", "hardmax"):
            row[f"train loss {rule}"] = round(self.evaluate(slice(0, train), rule)[0], 6)
            row[f"test {rule}"] = round(self.evaluate(slice(train, None), rule)[1], 6)
        self.record["losses"].append(row)

    @torch.no_grad()
    def find_leaders(self) -> None:
        """The words of leaders over the test reviews that are classified rightly with confidence of
        at least .95, all of them, and those whose own place decides: |<v, x> + b| > 2.
        """
        words = len(self.data["words"])
        counts = {"all": torch.zeros(words), "decisive": torch.zeros(words)}
        per_review = []
        start = self.data["train"]
        ids, labels = self.data["ids"][start:], self.data["labels"][start:]
        for part, truth in zip(ids.split(250), labels.split(250)):
            ever, x, logits = self.model.leaders(part)
            sure = torch.sigmoid(torch.where(truth > 0.5, logits, -logits)) > 0.95
            pull = self.model.decoder(x).squeeze(-1).abs() > 2
            per_review.append(ever.sum(1).float())
            for name, which in (("all", ever), ("decisive", ever & pull)):
                found = part[which & sure[:, None]]
                counts[name] += torch.bincount(found.cpu(), minlength=words)
        self.record["leaders in a review"] = round(float(torch.cat(per_review).mean()), 3)
        for name, count in counts.items():
            best = count.argsort(descending=True)[:TOP]
            self.record[f"leaders {name}"] = [
                [self.data["words"][i], int(count[i])] for i in best.tolist() if count[i] > 0
            ]

    def write(self) -> None:
        path = self.options.out / f"{self.name}.json"
        path.with_suffix(".part").write_text(json.dumps(self.record) + "\n")
        os.replace(path.with_suffix(".part"), path)

    def resume(self) -> None:
        if self.checkpoint.exists():
            state = torch.load(self.checkpoint, map_location=self.device)
            self.model.load_state_dict(state["model"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.record = state["record"]

    def pause(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "record": self.record,
        }
        torch.save(state, self.checkpoint)

    def go(self) -> None:
        self.resume()
        if self.record["ended"]:
            return
        late = False
        while not self.record["ended"] and not late:
            self.epoch()
            number = len(self.record["epochs"])
            late = time.time() > self.options.deadline
            self.record["ended"] = number == self.options.epochs
            if number == 1 or number % 10 == 0 or self.record["ended"]:
                self.compare()
                last = self.record["epochs"][-1]
                print(self.name, number, last, self.record["losses"][-1], flush=True)
                self.write()
        self.pause()
        weight, bias = self.model.decoder.weight[0].tolist(), self.model.decoder.bias.item()
        self.record["decoder"] = [*weight, bias]
        self.find_leaders()
        self.write()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True, help="afz.npz, of prepare.py")
    parser.add_argument("--out", required=True, type=Path, help="folder of the records")
    parser.add_argument("--dimensions", default="2,4")
    parser.add_argument("--rules", default="softmax,hardmax")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--mask", action="store_true", help="padding is not a token")
    parser.add_argument("--epochs", type=int, default=101)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--reviews", type=int, default=0, help="use only so many; 0: all")
    parser.add_argument("--minutes", type=float, default=1e6, help="cut the run in hand then")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--eager", action="store_true", help="do not compile")
    parser.add_argument("--commit", default="unknown", help="what the records call the sources")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    options.deadline = time.time() + 60 * options.minutes
    file = np.load(options.data)
    ids, labels, train = file["ids"].astype(np.int64), file["labels"], int(file["train"])
    if options.reviews:
        train = int(0.7 * options.reviews)
        ids, labels = ids[: options.reviews], labels[: options.reviews]
    data = {
        "ids": torch.from_numpy(ids).to(options.device),
        "labels": torch.from_numpy(labels.astype(np.float32)).to(options.device),
        "train": train,
        "words": file["words"].item().decode().split("\n"),
    }
    for seed in map(int, options.seeds.split(",")):
        for d in map(int, options.dimensions.split(",")):
            for rule in options.rules.split(","):
                if time.time() < options.deadline:
                    Trainer(d, rule, seed, data, options).go()


if __name__ == "__main__":
    main()
