"""How many clusters localmax leaves, over epsilon and alpha: a study of 450 runs on two processes.

    python examples/study.py [FOLDER]

What is done is in FOLDER (default: study): stop it with Ctrl-C, start it again, and it goes on.
"""

import sys

import tropism as tr

study = tr.study(
    verb="flow",
    rule="localmax",
    epsilon=[0.02, 0.1, 0.5, 1.0, 2.0],
    alpha=[0.5, 1.0, 2.0],
    n=24,
    seed="1..30",
    until="converged",
    keep=["clusters", "converged", "certificate.kind"],
)
folder = sys.argv[1] if len(sys.argv) > 1 else "study"

try:
    from joblib import Parallel, delayed

    Parallel(2)(delayed(study.run)(block, out=folder, threads=1) for block in study.blocks(6))
except ImportError:
    pass  # one process does it as well
study.run(folder)  # what is left: here nothing, after a stop the rest

means = {}
for point, clusters in zip(study.points(), study.rows()["clusters"]):
    means.setdefault((point["epsilon"], point["alpha"]), []).append(clusters)
print(study)
print("epsilon  " + "".join(f"alpha {alpha:<6g}" for alpha in study.axes[1]["alpha"]))
for epsilon in study.axes[0]["epsilon"]:
    cells = [means[epsilon, alpha] for alpha in study.axes[1]["alpha"]]
    print(f"{epsilon:<9g}" + "".join(f"{sum(c) / len(c):<12.2f}" for c in cells))
