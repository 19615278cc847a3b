"""peers_gpu.py [small] -- one step of attention by PyTorch on a GPU: what bench_gpu times.

    y_i = sum_j a_ij x_j,   a_i = softmax(<x_i, x_.>), the argmax, or the mean of all within 1 of it,

for standard Gaussian tokens, rows in chunks, so that no n x n matrix is kept; the fastest of the chunk sizes
counts, and of it the median of five. In single precision also scaled_dot_product_attention. Every form is
checked against the plain formula on a few rows before it is timed. A line a case:
`peer=NAME rule=R precision=P n=N d=D seconds=S`. Where there is no device it says so and ends with 1.
"""
import sys
import time

CASES = [("softmax", "double", 131072, 2), ("softmax", "double", 131072, 3), ("softmax", "double", 131072, 64),
         ("softmax", "double", 16384, 2), ("softmax", "double", 16384, 3), ("softmax", "double", 16384, 64),
         ("hardmax", "double", 131072, 2), ("hardmax", "double", 131072, 3), ("hardmax", "double", 16384, 2),
         ("hardmax", "double", 131072, 64), ("localmax", "double", 131072, 2), ("localmax", "double", 16384, 2),
         ("softmax", "single", 131072, 2), ("softmax", "single", 131072, 64), ("sdpa", "single", 131072, 2),
         ("sdpa", "single", 131072, 64)]
CHUNKS = (512, 2048, 8192)
TIMES = 5


def rows(torch, rule, x, keys, first, last):
    s = x[first:last] @ keys
    if rule == "hardmax":
        return x[s.argmax(1)]
    if rule == "localmax":
        near = (s >= s.max(1, keepdim=True).values - 1).to(x.dtype)
        return near @ x / near.sum(1, keepdim=True)
    return torch.softmax(s, 1) @ x


def chunked(torch, rule, x, chunk):
    keys = x.T.contiguous()
    return torch.cat([rows(torch, rule, x, keys, k, min(k + chunk, len(x))) for k in range(0, len(x), chunk)])


def sdpa(torch, x):
    y = x[None, None]
    return torch.nn.functional.scaled_dot_product_attention(y, y, y, scale=1.0)[0, 0]


def right(torch, rule, x, y):
    """A few rows by the plain formula, in double."""
    some = torch.arange(0, len(x), max(1, len(x) // 16), device=x.device)
    s = x[some].double() @ x.double().T
    if rule == "hardmax":
        best = s.max(1).values
        return bool(((x[some].double() * y[some].double()).sum(1) >= best - 1e-9 * best.abs()).all())
    near = (s >= s.max(1, keepdim=True).values - 1).double()
    wanted = near @ x.double() / near.sum(1, keepdim=True) if rule == "localmax" else torch.softmax(s, 1) @ x.double()
    return bool(((y[some].double() - wanted).abs() < (1e-9 if x.dtype == torch.float64 else 1e-2)).all())


def timed(wait, step):
    step()
    wait()
    seconds = []
    for _ in range(TIMES):
        begin = time.perf_counter()
        step()
        wait()
        seconds.append(time.perf_counter() - begin)
    return sorted(seconds)[TIMES // 2]


def main(words):
    try:
        import torch
    except ImportError:
        sys.exit("peers_gpu: PyTorch is not installed")
    device, wait = ("cuda", torch.cuda.synchronize) if torch.cuda.is_available() else ("cpu", lambda: None)
    if device == "cpu" and "small" not in words:
        sys.exit("peers_gpu: PyTorch finds no device")
    torch.set_grad_enabled(False)
    print("peer torch", torch.__version__, torch.cuda.get_device_name(0) if device == "cuda" else "cpu", flush=True)
    for rule, precision, n, d in CASES:
        n = 100 + n // 1024 if "small" in words else n
        generator = torch.Generator(device=device).manual_seed(1)
        x = torch.randn(n, d, generator=generator, device=device, dtype=getattr(torch, {"double": "float64", "single": "float32"}[precision]))
        forms = [lambda: sdpa(torch, x)] if rule == "sdpa" else [
            lambda chunk=chunk: chunked(torch, rule, x, chunk) for chunk in CHUNKS]
        best = None
        for form in forms:
            try:
                if not right(torch, "softmax" if rule == "sdpa" else rule, x, form()):
                    sys.exit(f"peers_gpu: {rule} {precision} n={n} d={d}: PyTorch's answer is not that of the formula")
                seconds = timed(wait, form)
                best = seconds if best is None else min(best, seconds)
            except torch.OutOfMemoryError if hasattr(torch, "OutOfMemoryError") else RuntimeError:
                continue
        if best is not None:
            print(f"peer=torch rule={rule} precision={precision} n={n} d={d} seconds={best:.6g}", flush=True)


main(sys.argv[1:])
