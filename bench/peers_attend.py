"""peers_attend.py numpy|torch|keops [rule=RULE] [precision=P] [d=D] -- one step of attention by others.

    y_i = sum_j a_ij x_j,   a_i = softmax(beta <x_i, x_.>), the argmax, or the mean of all within
                            epsilon of the maximum (localmax),

for n = 16384 standard Gaussian tokens, beta = epsilon = 1, in each precision and dimension: what
bench_attend times. No n x n matrix is kept: rows go in chunks, whose size is tuned on a part of them.
Every form is checked against the plain formula on a few rows before it is timed.

numpy    rows in chunks of scores, one Python thread a core with BLAS in each: exp and the comparisons
         of numpy know no threads of their own. The sum of the weights is one more column of the
         second product. Two forms: the row's maximum is found and subtracted, or an upper bound
         |x_i| max |x_j| takes its place, one more column of the first product, which saves two passes
         where the bound is not far off.
torch    the same in chunks, with its own threads; torch.softmax; the chunk compiled; and
         scaled_dot_product_attention, all tokens as one head.
keops    LazyTensor, on a part of the rows where d is large, and scaled: its cost is a row's.
"""
import itertools
import os
import sys

from peers_line import best, missing, tell, threads

N = int(os.environ.get("BENCH_N", 16384))
CHUNKS = (16, 64, 256, 1024)
COMPILED = (64, 256)  # every size is a compilation
EPSILON = 1.0  # of localmax
RULES = ("softmax", "hardmax", "localmax")
PRECISIONS = ("double", "single")
DIMENSIONS = (2, 3, 16, 64, 128)


def tokens(d, precision):
    import numpy as np

    x = np.random.default_rng(1).standard_normal((N, d))
    return x if precision == "double" else x.astype(np.float32)


def check(rule, y, x, precision):
    """A few rows by the plain formula, in double."""
    import numpy as np

    x = x.astype(np.float64)
    rows = np.arange(0, len(y), max(1, len(y) // 16))
    s = x[rows] @ x.T
    if rule == "softmax":
        a = np.exp(s - s.max(1, keepdims=True))
    elif rule == "hardmax":
        a = s == s.max(1, keepdims=True)
    else:
        a = s >= s.max(1, keepdims=True) - EPSILON
    expected = (a @ x) / a.sum(1, keepdims=True)
    error = np.abs(np.asarray(y)[rows] - expected).max()
    if error > (1e-11 if precision == "double" else 1e-2 if rule == "localmax" else 1e-4):
        raise ValueError(f"wrong by {error:.2g}")


def tuned(make, sizes):
    """The chunk size that does a part of the rows in the least time."""
    return min(sizes, key=lambda size: best(lambda: make(size)(max(N // 16, size)), 1, 0.1))


# ---- numpy ------------------------------------------------------------------------------------------


def numpy_forms(rule, x):
    import concurrent.futures
    import numpy as np

    d = x.shape[1]
    ones = np.ones((N, 1), x.dtype)
    wide = np.ascontiguousarray(np.hstack([x, ones]))  # the sum comes with the average
    keys = np.ascontiguousarray(x.T)
    queries = x
    norms = np.sqrt((x.astype(np.float64) ** 2).sum(1))
    lowered = np.hstack([queries, (-norms * norms.max()).astype(x.dtype)[:, None]])
    taller = np.ascontiguousarray(np.vstack([keys, ones.T]))
    y = np.empty_like(x)
    pool = concurrent.futures.ThreadPoolExecutor(threads())

    def softmax(first, last, s):
        np.matmul(queries[first:last], keys, out=s)
        s -= s.max(1, keepdims=True)
        np.exp(s, out=s)
        r = s @ wide
        np.divide(r[:, :d], r[:, d:], out=y[first:last])

    def softmax_bound(first, last, s):
        np.matmul(lowered[first:last], taller, out=s)
        np.exp(s, out=s)
        r = s @ wide
        np.divide(r[:, :d], r[:, d:], out=y[first:last])

    def hardmax(first, last, s):
        np.matmul(queries[first:last], keys, out=s)
        np.take(x, s.argmax(1), 0, out=y[first:last])

    def localmax(first, last, s):
        np.matmul(queries[first:last], keys, out=s)
        np.greater_equal(s, s.max(1, keepdims=True) - x.dtype.type(EPSILON), out=s)
        r = s @ wide
        np.divide(r[:, :d], r[:, d:], out=y[first:last])

    def make(step):
        def sized(chunk):
            scratch = [np.empty((chunk, N), x.dtype) for _ in range(threads())]

            def work(rows=N):
                def part(k):
                    for first in range(k * chunk, rows, chunk * threads()):
                        last = min(first + chunk, rows)
                        step(first, last, scratch[k][: last - first])

                list(pool.map(part, range(threads())))
                return y

            return work

        return sized

    forms = {"softmax": {"numpy": softmax, "numpy-bound": softmax_bound}, "hardmax": {"numpy": hardmax},
             "localmax": {"numpy": localmax}}[rule]
    for name, step in forms.items():
        yield name, make(step), CHUNKS


# ---- torch ------------------------------------------------------------------------------------------


def torch_forms(rule, x):
    import torch

    torch.set_num_threads(threads())
    torch.set_grad_enabled(False)
    torch.set_flush_denormal(True)  # weights below 1e-38 in single precision are slow otherwise
    n, d = x.shape
    t = torch.from_numpy(x)
    queries, keys = t, t.T.contiguous()
    wide = torch.cat([t, torch.ones(n, 1, dtype=t.dtype)], 1)
    y = torch.empty_like(t)

    def softmax(q, s):
        torch.mm(q, keys, out=s)
        s.sub_(s.amax(1, keepdim=True)).exp_()
        r = s @ wide
        return r[:, :d] / r[:, d:]

    def library(q, s):
        return torch.softmax(torch.mm(q, keys, out=s), 1) @ t

    def fused(q, s):
        s = q @ keys
        s = torch.exp(s - s.amax(1, keepdim=True))
        return (s @ t) / s.sum(1, keepdim=True)

    def hardmax(q, s):
        return t[torch.mm(q, keys, out=s).argmax(1)]

    def hardmax_fused(q, s):
        return t[(q @ keys).argmax(1)]

    def localmax(q, s):
        torch.mm(q, keys, out=s)
        r = (s >= s.amax(1, keepdim=True) - EPSILON).to(t.dtype) @ wide
        return r[:, :d] / r[:, d:]

    def localmax_fused(q, s):
        s = q @ keys
        r = (s >= s.amax(1, keepdim=True) - EPSILON).to(t.dtype) @ wide
        return r[:, :d] / r[:, d:]

    def make(step):
        def sized(chunk):
            s = torch.empty(chunk, n, dtype=t.dtype)

            def work(rows=N):
                for first in range(0, rows, chunk):
                    y[first : first + chunk] = step(queries[first : first + chunk], s)
                return y

            return work

        return sized

    def sdpa(_):
        head = t[None, None]

        def work(rows=N):
            out = torch.nn.functional.scaled_dot_product_attention(head[:, :, :rows], head, head, scale=1.0)
            return out[0, 0]

        return work

    if rule == "softmax":
        yield "torch-sdpa", sdpa, ()
    forms = {"softmax": {"torch": softmax, "torch-softmax": library}, "hardmax": {"torch": hardmax},
             "localmax": {"torch": localmax}}[rule]
    for name, step in forms.items():
        yield name, make(step), CHUNKS
    compiled = {"softmax": fused, "hardmax": hardmax_fused, "localmax": localmax_fused}[rule]
    yield "torch-compile", make(torch.compile(compiled, dynamic=False)), COMPILED


# ---- keops ------------------------------------------------------------------------------------------


def keops_forms(rule, x):
    import pykeops

    pykeops.set_verbose(False)
    from pykeops.numpy import LazyTensor

    def sized(_):
        def work(rows=N):
            queries, keys = LazyTensor(x[:rows, None, :]), LazyTensor(x[None, :, :])
            scores = (queries | keys)
            if rule == "softmax":
                return scores.sumsoftmaxweight(keys, axis=1)
            return x[scores.argmax(axis=1).ravel()]

        return work

    if rule != "localmax":
        yield "keops", sized, ()


# ---- all cases --------------------------------------------------------------------------------------

LIBRARIES = {"numpy": numpy_forms, "torch": torch_forms, "keops": keops_forms}


def measure(library, rule, d, precision):
    pairs = dict(rule=rule, n=N, d=d, precision=precision)
    more = {"core": os.environ["OPENBLAS_CORETYPE"]} if "OPENBLAS_CORETYPE" in os.environ else {}
    # KeOps takes minutes where the dimension is large: a row costs what a row costs.
    rows = N // 32 if library == "keops" and d > 3 else N
    try:
        x = tokens(d, precision)
        forms = iter(LIBRARIES[library](rule, x))
        while (form := next(forms, None)) is not None:
            name, make, sizes = form
            try:
                chunk = tuned(make, sizes) if sizes else 0
                work = make(chunk)
                check(rule, work(rows), x, precision)
                seconds = best(lambda: work(rows), 2, 1.5, warm=False)
                extra = {"chunk": chunk} if sizes else {"rows": rows} if rows < N else {}
                tell(name, pairs, seconds * N / rows, **extra, **more)
            except Exception as why:
                missing(name, pairs, why)
    except Exception as why:
        missing(library, pairs, why)


def main(library, *chosen):
    wanted = dict(word.split("=") for word in chosen)
    for rule, precision, d in itertools.product(RULES, PRECISIONS, DIMENSIONS):
        if rule == "localmax" and (precision == "single" or d in (3, 128)):
            continue  # it costs what hardmax does and a product: some cases are enough
        pairs = {"rule": rule, "precision": precision, "d": str(d)}
        if all(wanted.get(key, value) == value for key, value in pairs.items()):
            measure(library, rule, d, precision)


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in LIBRARIES:
        sys.exit(__doc__)
    main(*sys.argv[1:])
