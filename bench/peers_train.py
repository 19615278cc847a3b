"""peers_train.py -- training steps of PyTorch's eager loop, beside bench_train.c.

The same model, data, weights and optimisers: cross-attention with queries z and a fixed decoder v,
logistic loss, float64, gradients by autograd. Data are a Weyl sequence, so that both programs have
the same bits, and the loss after the last step is printed: it must agree with bench_train's to
1e-9. Seconds are of the processor with one thread, of the clock with more. A line for each case and
form, the fastest of three runs:

    torch-train case=small form=scores optimizer=nmirror p=3 seconds_per_step=... threads=1 loss=...

Forms of the forward pass: "plain", as the papers' scripts write it (attended token, then decoder);
"scores", with X v computed once before the run, which is less work; each with "matmul" or "einsum"
for the batched product. The best of them is what a user would run.

    python peers_train.py [small | large | large-one]
"""
import sys
import time

import torch

CASES = {"small": (6, 8, 10, 400, (1,)), "large-one": (1000, 64, 64, 60, (1,)),
         "large": (1000, 64, 64, 60, (2,))}
ETA = 0.1


def weyl(first, *shape):
    count = 1
    for size in shape:
        count *= size
    k = torch.arange(first + 1, first + count + 1, dtype=torch.float64)
    return (2 * torch.fmod(k * 0.7548776662466927, 1.0) - 1).reshape(shape)


def data_of(n, T, d):
    x, z, v = weyl(0, n, T, d), weyl(n * T * d, n, d), weyl(n * T * d + n * d, d)
    return x, z, v, torch.tensor([1.0 if i % 2 == 0 else -1.0 for i in range(n)]).double()


def forward_plain_matmul(w, x, z, v, y, scores):
    a = torch.matmul(x, (z @ w.T).unsqueeze(2)).squeeze(2)
    o = torch.matmul(torch.softmax(a, 1).unsqueeze(1), x).squeeze(1)
    return torch.nn.functional.softplus(-y * (o @ v)).mean()


def forward_plain_einsum(w, x, z, v, y, scores):
    s = torch.softmax(torch.einsum("ntd,nd->nt", x, z @ w.T), 1)
    return torch.nn.functional.softplus(-y * (torch.einsum("nt,ntd->nd", s, x) @ v)).mean()


def forward_scores_matmul(w, x, z, v, y, scores):
    a = torch.matmul(x, (z @ w.T).unsqueeze(2)).squeeze(2)
    return torch.nn.functional.softplus(-y * (torch.softmax(a, 1) * scores).sum(1)).mean()


def forward_scores_einsum(w, x, z, v, y, scores):
    a = torch.einsum("ntd,nd->nt", x, z @ w.T)
    return torch.nn.functional.softplus(-y * (torch.softmax(a, 1) * scores).sum(1)).mean()


def forward_scores_sum(w, x, z, v, y, scores):
    a = (x * (z @ w.T).unsqueeze(1)).sum(2)
    return torch.nn.functional.softplus(-y * (torch.softmax(a, 1) * scores).sum(1)).mean()


FORMS = {
    "plain-matmul": forward_plain_matmul,
    "plain-einsum": forward_plain_einsum,
    "scores-matmul": forward_scores_matmul,
    "scores-einsum": forward_scores_einsum,
    "scores-sum": forward_scores_sum,
}


def move(w, dual, gradient, optimizer, p):
    """One step, in place, without autograd."""
    if optimizer == "gd":
        w.sub_(gradient, alpha=ETA)
        return
    q = p / (p - 1)
    norm = gradient.abs().pow(q).sum().pow(1 / q)
    dual.sub_(gradient * (ETA / norm))
    w.copy_(dual.sign() * dual.abs().pow(1 / (p - 1)))


def run(form, optimizer, p, steps, n, T, d, clock):
    x, z, v, y = data_of(n, T, d)
    scores = x @ v
    w = torch.zeros(d, d, dtype=torch.float64, requires_grad=True)
    dual = torch.zeros(d, d, dtype=torch.float64)
    start = clock()
    for _ in range(steps):
        (gradient,) = torch.autograd.grad(FORMS[form](w, x, z, v, y, scores), w)
        with torch.no_grad():
            move(w, dual, gradient, optimizer, p)
    seconds = (clock() - start) / steps
    with torch.no_grad():
        return seconds, FORMS[form](w, x, z, v, y, scores).item()


def main():
    for case in sys.argv[1:] or CASES:
        n, T, d, steps, threads = CASES[case]
        for workers in threads:
            torch.set_num_threads(workers)
            clock = time.process_time if workers == 1 else time.perf_counter
            for optimizer in ("gd", "nmirror"):
                for form in FORMS:
                    run(form, optimizer, 3, 2, n, T, d, clock)
                    seconds, loss = min(run(form, optimizer, 3, steps, n, T, d, clock)
                                        for _ in range(3))
                    print(f"torch-train case={case} form={form} optimizer={optimizer} p=3 n={n} "
                          f"T={T} d={d} steps={steps} threads={workers} "
                          f"seconds_per_step={seconds:.4g} loss={loss:.12g}", flush=True)


main()
