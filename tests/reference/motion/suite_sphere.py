"""suite_sphere.py -- the step of the sphere that is not projected first, x <- unit(x + dt V avg), beside integrators.py."""
from suite_time import Time


class Sphere(Time):
    name = "sphere"
    axes = {name: values for name, values in Time.axes.items() if name not in ("integrator", "accuracy", "usa", "ties")}
    axes["dynamics"] = ("sa-step",)
    axes["rule"] = ("softmax", "sparsemax", "entmax", "uniform", "jump")

    def make(self, chosen, rng):
        return super().make({**chosen, "integrator": "euler", "accuracy": "1e-6", "usa": "survey", "ties": "points"}, rng)


SUITE = Sphere()
