"""A training step of a small transformer with tropism's optimisers against torch.optim.SGD.

    python python/bench/bench_torch.py [--rounds 30] [--threads 1] [--device cpu] [--clock wall]

A step is forward, backward, update. All optimisers run in one process, one step each in turn, each
on its own copy of the model, so that a slow moment of the machine meets them alike. Printed: the
median time of a step; the median over rounds of its ratio to SGD's step of the same round, with the
quartiles; and the median time of the update alone. With --clock cpu the time is the processor's (of
all threads), which other programs on the machine disturb less.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time

import torch
from torch import nn

from tropism.torch import Hypentropy, MirrorDescent, NormalizedMirrorDescent

OPTIMIZERS = {
    "SGD": lambda p: torch.optim.SGD(p, lr=1e-3),
    "SGD again": lambda p: torch.optim.SGD(p, lr=1e-3),
    "SGD momentum": lambda p: torch.optim.SGD(p, lr=1e-3, momentum=0.9),
    "AdamW": lambda p: torch.optim.AdamW(p, lr=1e-4),
    "mirror p=2": lambda p: MirrorDescent(p, lr=1e-3, p=2),
    "mirror p=3": lambda p: MirrorDescent(p, lr=1e-5, p=3),
    "mirror p=1.75": lambda p: MirrorDescent(p, lr=1e-3, p=1.75),
    "mirror p=1.1": lambda p: MirrorDescent(p, lr=1e-3, p=1.1),
    "mirror p=1.1 f32": lambda p: MirrorDescent(p, lr=1e-3, p=1.1, master_dtype=torch.float32),
    "nmirror p=3": lambda p: NormalizedMirrorDescent(p, lr=1e-5, p=3),
    "nmirror p=1.75": lambda p: NormalizedMirrorDescent(p, lr=1e-3, p=1.75),
    "hypentropy": lambda p: Hypentropy(p, lr=1e-5),
}


def model(layers: int, d: int, vocabulary: int) -> nn.Module:
    layer = nn.TransformerEncoderLayer(d, 4, 4 * d, dropout=0.0, batch_first=True, norm_first=True)
    return nn.Sequential(
        nn.Embedding(vocabulary, d),
        nn.TransformerEncoder(layer, layers, enable_nested_tensor=False),
        nn.Linear(d, vocabulary),
    )


def now(device: torch.device, clock: str) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.process_time() if clock == "cpu" else time.perf_counter()


def step(
    net: nn.Module, optimizer: torch.optim.Optimizer, tokens: torch.Tensor, clock: str
) -> tuple[float, float]:
    """Seconds of the whole step and of the update."""
    start = now(tokens.device, clock)
    optimizer.zero_grad()
    logits = net(tokens[:, :-1])
    nn.functional.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten()).backward()
    middle = now(tokens.device, clock)
    optimizer.step()
    end = now(tokens.device, clock)
    return end - start, end - middle


def quartiles(values: list[float]) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--clock", default="wall", choices=["wall", "cpu"])
    parser.add_argument("--only", default="", help="names to measure beside SGD, by commas")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    device = torch.device(options.device)
    base = model(4, 256, 512).to(device)
    tokens = torch.randint(512, (8, 129), device=device)
    names = [
        n for n in OPTIMIZERS if not options.only or n == "SGD" or n in options.only.split(",")
    ]
    runs = {n: copy.deepcopy(base) for n in names}
    optimizers = {n: OPTIMIZERS[n](list(runs[n].parameters())) for n in names}
    times: dict[str, list[tuple[float, float]]] = {n: [] for n in names}
    for round_ in range(-2, options.rounds):  # two to warm up
        for n in names[round_ % len(names) :] + names[: round_ % len(names)]:
            seconds = step(runs[n], optimizers[n], tokens, options.clock)
            if round_ >= 0:
                times[n].append(seconds)
    count = sum(p.numel() for p in base.parameters())
    print(
        f"torch {torch.__version__}, {device}, {options.threads} threads, "
        f"{count} parameters, {options.rounds} rounds, {options.clock} time"
    )
    print(f"{'optimiser':<18} {'step ms':>9}  {'step / SGD step':<26} {'update ms':>9}")
    for n in names:
        ratios = [a[0] / b[0] for a, b in zip(times[n], times["SGD"])]
        whole, update = (1e3 * statistics.median(t[k] for t in times[n]) for k in (0, 1))
        print(f"{n:<18} {whole:9.2f}  {quartiles(ratios):<26} {update:9.2f}")


if __name__ == "__main__":
    main()
