"""peers_fit.py FOLDER [CASE-QUERY-OPTIMIZER...] -- epochs of PyTorch, beside bench_fit.c.

The same model, items, start, batches and optimisers, from what bench_fit left in FOLDER. A line each:

    torch-fit case=mr query=prompt optimizer=gd precision=double form=flat-rows seconds=... loss=...

The loss of all items after the first epoch must be that of bench_fit to 1e-10, or the line says
missing. seconds is an epoch: every batch once, gradient and step, from tensors of the batches that
were made before. Every form is tried on some batches by one core (lines torch-trial), and the fastest of
each optimiser is timed on whole epochs, by one core and by all, so that this is PyTorch at its best:

    padded     items padded to the longest of their batch, -inf in the logits of what is not there
    bucketed   the same with batches of items of like lengths: other batches, so it is a trial only, which
               counts, scaled to the epoch, when it is the fastest
    flat       tokens of a batch one after the other; only logits and values are padded
    -compiled  the same through torch.compile, its compilation not counted

with the gradient of the embeddings

    dense      as autograd gives it; gd alone: of the others a step of all rows takes several times as long
    sparse     sparse=True, a step of the rows that it has
    rows       the tokens' vectors are the leaves of autograd, and their gradients are added to the rows

f is computed from <x, u> and <x, v>, in one product where u is the same for all tokens: the average of
the tokens is never made, which is less work than the formula has.
"""
import functools
import os
import sys
import time

import numpy as np
import torch
from torch.nn import functional

P, BETA1, BETA2, EPSILON = 1.1, 0.9, 0.999, 1e-8
ETA = {"gd": 1.0, "mirror": 0.001, "adam": 0.001}
LONG = (64, 100, 8, 2)
SIZE = {"mr": (32, 32, 60, 5), "imdb": LONG, "imdb-like": LONG, "imdb-part": LONG, "imdb-like-part": LONG}  # d, batch, batches of a trial, epochs
CORES = int(os.environ.get("BENCH_THREADS", 2))

# ---- items and batches ------------------------------------------------------------------------------


class Items:
    def __init__(self, folder, case, query):
        def read(name, kind):
            return np.fromfile(os.path.join(folder, name), dtype=kind)

        self.offsets, self.ids = read(case + ".offsets", np.int64), read(case + ".ids", np.int32)
        self.labels, self.order = read(case + ".labels", np.int64), read(f"{case}-{query}.order", np.int64)
        self.d, self.size, self.trial, self.epochs = SIZE[case]
        self.start = {k: read(f"{case}-{query}.{k}", np.float64) for k in ("E", "z", "W", "v") if k != "z" or query == "prompt"}
        self.words = self.start["E"].size // self.d

    def batches(self, dtype, bucketed=False):
        order = self.order
        if bucketed:
            order = order[np.argsort(np.diff(self.offsets)[order], kind="stable")]
            groups = [order[k:k + self.size] for k in range(0, len(order), self.size)]
            groups = [groups[k] for k in np.random.default_rng(0).permutation(len(groups))]
        else:
            groups = [order[k:k + self.size] for k in range(0, len(order), self.size)]
        return [Batch(self, g, dtype) for g in groups]


class Batch:
    def __init__(self, items, group, dtype):
        lengths = np.diff(items.offsets)[group]
        flat = np.concatenate([items.ids[items.offsets[i]:items.offsets[i + 1]] for i in group]).astype(np.int64)
        there = np.arange(lengths.max())[None, :] < lengths[:, None]
        place = np.full(there.shape, len(flat))
        place[there] = np.arange(len(flat))
        self.flat, self.place = torch.from_numpy(flat), torch.from_numpy(place)
        # What pads is a row of E of its own, which nothing else reads.
        self.padded = torch.from_numpy(np.append(flat, items.words)[place])
        self.mask = torch.where(torch.from_numpy(there), 0.0, -torch.inf).to(dtype)
        self.share = torch.from_numpy(there / lengths[:, None]).to(dtype)
        self.item = torch.from_numpy(np.repeat(np.arange(len(group)), lengths))
        self.first = torch.from_numpy(np.cumsum(lengths) - lengths)
        self.y = torch.from_numpy(2.0 * items.labels[group] - 1).to(dtype)


# ---- the model: f of the tokens of a batch ----------------------------------------------------------


def loss_of(logits, values, y):
    return functional.softplus(-y * (torch.softmax(logits, -1) * values).sum(-1)).mean()


def padded_prompt(x, W, v, z, mask, share, y):
    both = x @ torch.stack((W @ z, v), 1)
    return loss_of(both[..., 0] + mask, both[..., 1], y)


def padded_first(x, W, v, z, mask, share, y):
    both = x @ torch.stack((x[:, 0] @ W.T, v.expand(len(x), -1)), 2)
    return loss_of(both[..., 0] + mask, both[..., 1], y)


def padded_each(x, W, v, z, mask, share, y):
    s = torch.softmax((x @ W.T) @ x.transpose(1, 2) + mask[:, None, :], 2)
    mean = (share[:, None, :] @ s).squeeze(1)
    return functional.softplus(-y * (mean * (x @ v)).sum(1)).mean()


def spread(columns, place):
    """Numbers of the tokens as those of padded items; what is not there has logit -inf, value 0."""
    pad = columns.new_tensor([[-torch.inf, 0.0]])
    both = torch.cat((columns, pad))[place]
    return both[..., 0], both[..., 1]


def flat_prompt(x, W, v, z, place, item, first, y):
    return loss_of(*spread(x @ torch.stack((W @ z, v), 1), place), y)


def flat_first(x, W, v, z, place, item, first, y):
    u = x[first] @ W.T
    return loss_of(*spread(torch.stack(((x * u[item]).sum(1), x @ v), 1), place), y)


MODELS = {f.__name__: f for f in (padded_prompt, padded_first, padded_each, flat_prompt, flat_first)}
COMPILED = {name: torch.compile(f, dynamic=True) for name, f in MODELS.items()}


def arguments(batch, flat):
    return (batch.place, batch.item, batch.first, batch.y) if flat else (batch.mask, batch.share, batch.y)


# ---- optimisers, in place ---------------------------------------------------------------------------


def to_dual(w):
    return w.sign() * w.abs().pow(P - 1)


def to_weight(u):
    return u.sign() * u.abs().pow(1 / (P - 1))


def adam_move(w, m, r, g, k, eta):
    m.mul_(BETA1).add_(g, alpha=1 - BETA1)
    r.mul_(BETA2).addcmul_(g, g, value=1 - BETA2)
    return w.sub_(m / ((r / (1 - BETA2**k)).sqrt_().add_(EPSILON)), alpha=eta / (1 - BETA1**k))


class Run:
    def __init__(self, items, query, optimizer, shape, gradient, dtype, compiled):
        self.optimizer, self.shape, self.gradient, self.eta, self.k = optimizer, shape, gradient, ETA[optimizer], 0
        self.model = (COMPILED if compiled else MODELS)[f"{shape}_{query}"]
        d = items.d
        E = np.concatenate((items.start["E"].reshape(-1, d), np.zeros((1, d))))
        self.E = torch.from_numpy(E).to(dtype).requires_grad_(gradient != "rows")
        small = {"W": (d, d), "v": (d,), "z": (d,)}
        self.small = {k: torch.from_numpy(items.start[k].reshape(small[k]).copy()).to(dtype).requires_grad_() for k in small if k in items.start}
        all_of = [self.E, *self.small.values()]
        with torch.no_grad():
            self.dual = [to_dual(w) for w in all_of] if optimizer == "mirror" else None
            self.means = [(torch.zeros_like(w), torch.zeros_like(w)) for w in all_of] if optimizer == "adam" else None

    def loss(self, batch, x):
        flat = self.shape == "flat"
        return self.model(x, self.small["W"], self.small["v"], self.small.get("z"), *arguments(batch, flat))

    def step(self, batch):
        ids = batch.flat if self.shape == "flat" else batch.padded
        small = list(self.small.values())
        self.k += 1
        if self.gradient == "rows":
            x = self.E[ids].requires_grad_()
            gx, *gradients = torch.autograd.grad(self.loss(batch, x), [x, *small])
        else:
            x = functional.embedding(ids, self.E, sparse=self.gradient == "sparse")
            gx, *gradients = torch.autograd.grad(self.loss(batch, x), [self.E, *small])
        with torch.no_grad():
            for k, (w, g) in enumerate(zip(small, gradients)):
                self.move(k + 1, w, g)
            if self.gradient == "dense":
                self.move(0, self.E, gx)
            else:
                self.move_rows(ids.reshape(-1), gx)

    def move(self, k, w, g):
        if self.optimizer == "gd":
            w.sub_(g, alpha=self.eta)
        elif self.optimizer == "mirror":
            w.copy_(to_weight(self.dual[k].sub_(g, alpha=self.eta)))
        else:
            adam_move(w, *self.means[k], g, self.k, self.eta)

    def move_rows(self, ids, g):
        """ids, g: of tokens (rows), or g sparse."""
        E = self.E
        if self.optimizer == "gd":
            if self.gradient == "sparse":
                E.add_(g, alpha=-self.eta)
            else:
                E.index_add_(0, ids, g.reshape(len(ids), -1), alpha=-self.eta)
            return
        if self.optimizer == "mirror" and self.gradient == "rows":
            self.dual[0].index_add_(0, ids, g.reshape(len(ids), -1), alpha=-self.eta)
            E[ids] = to_weight(self.dual[0][ids])  # twice the same where a word is there twice
            return
        if self.gradient == "sparse":
            g = g.coalesce()
            rows, g = g.indices()[0], g.values()
        else:
            rows, inverse = torch.unique(ids, return_inverse=True)
            g = torch.zeros(len(rows), E.shape[1], dtype=E.dtype).index_add_(0, inverse, g.reshape(len(ids), -1))
        if self.optimizer == "mirror":
            u = self.dual[0][rows].sub_(g, alpha=self.eta)
            self.dual[0][rows], E[rows] = u, to_weight(u)
        else:
            m, r = (mean[rows] for mean in self.means[0])
            E[rows] = adam_move(E[rows], m, r, g, self.k, self.eta)
            self.means[0][0][rows], self.means[0][1][rows] = m, r

    def loss_of_all(self, batches):
        with torch.no_grad():
            sums = [self.loss(b, self.E[b.flat if self.shape == "flat" else b.padded]) * len(b.y) for b in batches]
            return (sum(sums) / sum(len(b.y) for b in batches)).item()


# ---- measuring --------------------------------------------------------------------------------------


def forms(query, optimizer):
    for shape in ("padded", "bucketed", "flat"):
        if shape == "flat" and query == "each":
            continue
        for gradient in ("dense", "sparse", "rows") if optimizer == "gd" else ("sparse", "rows"):
            for compiled in (False, True) if gradient == "sparse" else (False,):
                yield shape, gradient, compiled


@functools.cache
def batches_of(folder, case, query, dtype, bucketed):
    return Items(folder, case, query).batches(dtype, bucketed)


def seconds_of(run, batches, clock):
    start = clock()
    for batch in batches:
        run.step(batch)
    return clock() - start


def epochs_of(run, batches, clock, most):
    """Seconds of an epoch: the smallest of most, of fewer where they take long."""
    times = []
    while len(times) < most and sum(times) < 10:
        times.append(seconds_of(run, batches, clock))
    return min(times)


def measure(folder, case, query, optimizer, dtype, threads, chosen=None):
    """chosen: forms to try, None: all. Returns those that were the fastest, too."""
    items = Items(folder, case, query)
    torch.set_num_threads(threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    made = {b: batches_of(folder, case, query, dtype, b) for b in (False, True)}
    tokens = {b: sum(x.padded.numel() for x in made[b]) for b in made}
    head = f"case={case} query={query} optimizer={optimizer} precision={'double' if dtype == torch.float64 else 'single'} threads={threads}"
    best = []
    for shape, gradient, compiled in forms(query, optimizer):
        bucketed = shape == "bucketed"
        batches = made[bucketed]
        form = f"{shape}-{gradient}{'-compiled' if compiled else ''}"
        if chosen and form not in chosen:
            continue
        make = lambda: Run(items, query, optimizer, "flat" if shape == "flat" else "padded", gradient, dtype, compiled)
        run, some = make(), batches[:items.trial]
        seconds_of(run, some if compiled else some[:2], clock)
        part = sum(x.padded.numel() for x in some) / tokens[bucketed] if shape != "flat" else \
            sum(len(x.flat) for x in some) / items.offsets[-1]
        seconds = min(seconds_of(run, some, clock) for _ in range(3)) / part
        print(f"torch-trial {head} form={form} seconds={seconds:.4g}", flush=True)
        best.append((seconds, form, make, bucketed))
    best.sort(key=lambda row: row[0])
    if best[0][3]:
        print(f"torch-fit {head} form={best[0][1]} seconds={best[0][0]:.4g}", flush=True)
    exact = [row for row in best if not row[3]]
    _, form, make, _ = exact[0]
    run = make()
    first = seconds_of(run, made[False], clock)
    loss = run.loss_of_all(made[False])
    seconds = min(first, epochs_of(run, made[False], clock, items.epochs - 1))
    return head, form, seconds, loss, {best[0][1], form}


def main():
    folder, wanted = sys.argv[1], sys.argv[2:]
    for name in sorted(file[:-len(".loss")] for file in os.listdir(folder) if file.endswith(".loss")):
        if wanted and not any(name.startswith(word) for word in wanted):
            continue
        loss = np.fromfile(os.path.join(folder, name + ".loss"))[0]
        case, query, optimizer = name.rsplit("-", 2)
        chosen = None
        for dtype, threads in ((torch.float64, 1), (torch.float64, CORES), (torch.float32, 1)):
            if dtype == torch.float32 and optimizer != "gd":
                continue
            head, form, seconds, found, chosen = measure(folder, case, query, optimizer, dtype, threads, chosen)
            near = abs(found - loss) <= (1e-10 if dtype == torch.float64 else 1e-4) * abs(loss)
            print(f"torch-fit {head} form={form} " + (f"seconds={seconds:.4g}" if near else f"missing=another_loss_than_{loss:.15g}")
                  + f" loss={found:.15g}", flush=True)


if __name__ == "__main__":
    main()
