"""peers_copies.py torch|numpy -- the phase diagram of self-attention on the circle, by others.

    x_i <- unit(x_i + dt (avg_i - <avg_i, x_i> x_i)),   avg_i = sum_j softmax_j(beta <x_i, x_j>) x_j,

90 values of beta in [0.1, 9], 2048 copies of n = 32 tokens in d = 2, 300 Euler steps with dt = 0.1, in
double (Geshkovski, Letrouit, Polyanskiy, Rigollet, "A mathematical perspective on transformers", fig. 3:
their own script is the first form below). Timed for three values of beta and some of the steps, and
scaled: every step of every copy costs the same here. The copies go in blocks, whose size is tuned.

torch      bmm, softmax, bmm, as the script has it, and with everything in place
torch-sdpa scaled_dot_product_attention, a copy as one of many in the batch
torch-compile  the step compiled, scores written out over the two coordinates
*-pool     the same with one Python thread a core instead of threads inside every operation, where
           OMP_NUM_THREADS=1 says that there are none
numpy      written out over the two coordinates, one Python thread a core
"""
import concurrent.futures
import os
import sys

from peers_line import best, missing, tell, threads

N, D, COPIES, BETAS, STEPS, DT = 32, 2, 2048, 90, 300, 0.1
TIMED_BETAS, TIMED_STEPS = (0.1, 4.55, 9.0), 8
BLOCKS = (16, 64, 256, 2048)


def start():
    import numpy as np

    x = np.random.default_rng(1).standard_normal((COPIES, N, D))
    return x / np.linalg.norm(x, axis=2, keepdims=True)


def check(y, x, beta):
    """One step of a few copies by the plain formula."""
    import numpy as np

    for c in range(0, COPIES, COPIES // 4):
        a = np.exp(beta * (x[c] @ x[c].T - 1))
        avg = a @ x[c] / a.sum(1, keepdims=True)
        z = x[c] + DT * (avg - (avg * x[c]).sum(1, keepdims=True) * x[c])
        error = np.abs(y[c] - z / np.linalg.norm(z, axis=1, keepdims=True)).max()
        if not error < 1e-13:
            raise ValueError(f"wrong by {error:.2g}")


def torch_forms():
    import torch

    pooled = os.environ.get("OMP_NUM_THREADS") == "1" and threads() > 1
    torch.set_num_threads(1 if pooled else threads())
    pool = concurrent.futures.ThreadPoolExecutor(threads()) if pooled else None
    over = pool.map if pooled else map
    mark = "-pool" if pooled else ""

    def move(x, avg):
        z = x + DT * (avg - (avg * x).sum(-1, keepdim=True) * x)
        return z / z.norm(dim=-1, keepdim=True)

    def plain(x, beta):
        return move(x, torch.softmax(beta * torch.bmm(x, x.mT), -1) @ x)

    def in_place(x, beta):
        s = torch.bmm(beta * x, x.mT).exp_()  # |score| <= 9: nothing to subtract
        avg = torch.bmm(s, x).div_(s.sum(-1, keepdim=True))
        avg.addcmul_((avg * x).sum(-1, keepdim=True), x, value=-1).mul_(DT).add_(x)
        return avg.div_(torch.linalg.vector_norm(avg, dim=-1, keepdim=True))

    def sdpa(x, beta):
        h = x[:, None]
        return move(x, torch.nn.functional.scaled_dot_product_attention(h, h, h, scale=beta)[:, 0])

    def written(x, y, beta):
        s = torch.exp(beta * (x[:, :, None] * x[:, None, :] + y[:, :, None] * y[:, None, :]))
        sums = s.sum(-1)
        u, v = (s * x[:, None, :]).sum(-1) / sums, (s * y[:, None, :]).sum(-1) / sums
        along = u * x + v * y
        u, v = x + DT * (u - along * x), y + DT * (v - along * y)
        length = torch.sqrt(u * u + v * v)
        return u / length, v / length

    def make(step):
        def sized(block):
            def work(x, beta, steps):
                @torch.no_grad()
                def run(part):
                    for _ in range(steps):
                        part = step(part, beta)
                    return part

                return torch.cat(list(over(run, torch.from_numpy(x).split(block)))).numpy()

            return work

        return sized

    def make_written(step):
        def sized(block):
            def work(x, beta, steps):
                scale = torch.tensor(beta, dtype=torch.float64)

                @torch.no_grad()
                def run(part):
                    u, v = part[:, :, 0].contiguous(), part[:, :, 1].contiguous()
                    for _ in range(steps):
                        u, v = step(u, v, scale)
                    return torch.stack([u, v], -1)

                return torch.cat(list(over(run, torch.from_numpy(x).split(block)))).numpy()

            return work

        return sized

    yield "torch" + mark, make(plain)
    yield "torch-in-place" + mark, make(in_place)
    yield "torch-sdpa" + mark, make(sdpa)
    yield "torch-compile" + mark, make_written(torch.compile(written, dynamic=False))


def numpy_forms():
    import numpy as np

    pool = concurrent.futures.ThreadPoolExecutor(threads())

    def run(x, y, beta, steps):
        s, p = np.empty(x.shape + (N,)), np.empty(x.shape + (N,))
        for _ in range(steps):
            np.multiply((beta * x)[:, :, None], x[:, None, :], out=s)
            np.multiply((beta * y)[:, :, None], y[:, None, :], out=p)
            s += p
            np.exp(s, out=s)
            xyz = s @ np.stack([x, y, np.ones_like(x)], -1)
            u, v = xyz[..., 0] / xyz[..., 2], xyz[..., 1] / xyz[..., 2]
            along = u * x + v * y
            u, v = x + DT * (u - along * x), y + DT * (v - along * y)
            length = np.sqrt(u * u + v * v)
            x, y = u / length, v / length
        return np.stack([x, y], -1)

    def sized(block):
        def work(x, beta, steps):
            parts = [x[k : k + block] for k in range(0, COPIES, block)]
            done = pool.map(lambda p: run(p[:, :, 0].copy(), p[:, :, 1].copy(), beta, steps), parts)
            return np.concatenate(list(done))

        return work

    yield "numpy", sized


LIBRARIES = {"torch": torch_forms, "numpy": numpy_forms}


def main(library):
    pairs = dict(rule="phase-diagram", n=N, d=D, copies=COPIES, betas=BETAS, steps=STEPS, precision="double")
    try:
        x = start()
        forms = iter(LIBRARIES[library]())
        while (form := next(forms, None)) is not None:
            name, sized = form
            try:
                block = min(BLOCKS, key=lambda b: best(lambda: sized(b)(x, 1.0, 1), 2, 0.2))
                work = sized(block)
                check(work(x, 4.55, 1), x, 4.55)
                seconds = sum(best(lambda: work(x, beta, TIMED_STEPS), 2, 1) for beta in TIMED_BETAS)
                whole = seconds * (BETAS / len(TIMED_BETAS)) * (STEPS / TIMED_STEPS)
                tell(name, pairs, whole, block=block)
            except Exception as why:
                missing(name, pairs, why)
    except Exception as why:
        missing(library, pairs, why)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in LIBRARIES:
        sys.exit(__doc__)
    main(sys.argv[1])
