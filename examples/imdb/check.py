"""Is the packed encoder the published one, and how long does a step take?

    python check.py --data imdb.npz

Compares, with and without a device: reviews in a batch against reviews alone; the last block at the
first tokens against the whole block; on a GPU also the fast attention against the plain one, values
and gradients. Then times a step and its update with each optimiser.
"""

from __future__ import annotations

import argparse
import time

import torch
from torch import Tensor

from model import Encoder, attend_flash, attend_plain, pack
from plan import PUBLISHED, Run
from train import Data, Net, make_optimizer, train_step


def error(x: Tensor, reference: Tensor) -> float:
    x, reference = x.detach().double(), reference.detach().double()
    return float((x - reference).norm() / reference.norm())


@torch.no_grad()
def check_packing(device: torch.device) -> None:
    torch.manual_seed(1)
    model = Encoder(50, 40, 48, 3, 3).to(device).eval()
    lengths = torch.tensor([7, 1, 40, 13, 2])
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)]).to(device)
    tokens = torch.randint(50, (int(lengths.sum()),), device=device)
    which = torch.arange(5, device=device)
    ids, places, cu = pack(tokens, starts, which, int(lengths.sum()))
    together = model(ids, places, cu)
    alone = [model(*pack(tokens, starts, which[i : i + 1], int(lengths[i]))) for i in range(5)]
    x = model.before_last(ids, places, cu)
    whole = model.head(model.blocks[-1](x, cu, 40)[cu[:-1].long()]).squeeze(-1)
    rows = model.look(ids, places, cu)["attention"].sum(1)
    errors = error(torch.cat(alone), together), error(whole, together), error(rows, rows * 0 + 1)
    print(f"reviews alone {errors[0]:.1e}, whole last block {errors[1]:.1e}, sums {errors[2]:.1e}")
    assert max(errors) < 1e-5  # float32 sums in another order


def check_flash(device: torch.device) -> None:
    """bfloat16 has 8 bits: 2^-9 for each rounding, and a few of them."""
    torch.manual_seed(1)
    lengths = torch.tensor([512, 1, 77, 300], device=device)
    cu = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).int()
    one = torch.arange(5, dtype=torch.int32, device=device)
    total = int(cu[-1])
    for cu_q, most in ((cu, (512, 512)), (one, (1, 512))):
        parts = [torch.randn(n, 3, 128, device=device) for n in (int(cu_q[-1]), total, total)]
        slow = [x.clone().requires_grad_() for x in parts]
        fast = [x.bfloat16().requires_grad_() for x in parts]
        a = attend_plain(*slow, cu_q, cu, most, 0.0)
        b = attend_flash(*fast, cu_q, cu, most, 0.0)
        direction = torch.randn_like(a)
        (a * direction).sum().backward()
        (b * direction).sum().backward()
        errors = [error(b, a)] + [error(y.grad, x.grad) for x, y in zip(slow, fast)]
        print("fast attention", " ".join(f"{e:.1e}" for e in errors))
        assert max(errors) < 2e-2
        dropped = attend_flash(*fast, cu_q, cu, most, 0.2)
        assert error(dropped, a) > 0.05, "no dropout"


def wait(device: torch.device) -> float:
    if device.type == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def speed(options: argparse.Namespace, device: torch.device) -> None:
    data = Data(options.data, device, options.reviews, options.length)
    net = Net(data, options)
    batches = list(data.batches(data.train[: 60 * options.batch], options.batch))
    runs = [Run("speed", "mirror", p, lr, 0) for p, lr in PUBLISHED.items()]
    runs.append(Run("speed", "adamw", 2.0, 1e-4, 0))
    for run in runs:
        net.restart(0)
        net.module.train()
        optimizer = make_optimizer(run, net)
        began = wait(device)
        for batch in batches:  # a batch of a new size is slower the first time
            train_step(net, optimizer, batch)
        ready = wait(device)
        for batch in batches:
            train_step(net, optimizer, batch)
        stepped = wait(device)
        for _ in range(20):
            optimizer.step()
        updated = wait(device)
        print(
            f"{run.optimizer} p = {run.p:g}: {1e3 * (ready - began) / len(batches):.2f} ms a step on "
            f"new sizes, then {1e3 * (stepped - ready) / len(batches):.2f} ms, of which the update "
            f"{1e3 * (updated - stepped) / 20:.2f} ms",
            flush=True,
        )
    began = wait(device)
    for _ in range(2):
        net.predict(data, data.tests)
        ended = wait(device)
        print(f"test reviews {ended - began:.2f} s", flush=True)
        began = ended


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", help="imdb.npz, for the times")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--eager", action="store_true")
    for name, value in (("reviews", 0), ("length", 512), ("width", 384), ("heads", 3)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--batch", type=int, default=100)
    options = parser.parse_args()
    device = torch.device(options.device)
    check_packing(device)
    if device.type == "cuda":
        check_flash(device)
    if options.data:
        speed(options, device)


if __name__ == "__main__":
    main()
