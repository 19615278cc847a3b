"""Convex hulls of points, with proofs."""

import ctypes as c

import numpy as np

from ._library import Error, Handle, as_whole, check, library
from ._result import Result
from ._setup import as_array
from ._values import Group, fields, read_field


class Hull(Result):
    """The convex hull of points, in any dimension."""

    __slots__ = ("_n", "_d")
    _verb = "hull"
    _tables = (("trop_hull_field_table", None),)
    _saves = False

    def __init__(self, points, threads=0):
        points = as_array(points, "points")
        if points.ndim != 2:
            raise Error(f"points: has {points.ndim} dimensions, must be n x d with a point in each row")
        if not np.isfinite(points).all():
            raise Error("points: must be finite", "io")
        n, d = points.shape
        handle = Handle(
            library.trop_hull_create,
            library.trop_hull_free,
            points.ctypes.data,
            n,
            d,
            as_whole(threads, "threads"),
        )
        super().__init__(handle, {"points": points})
        self._n, self._d = n, d

    def _point(self, values, name):
        point = as_array(values, name)
        if point.shape != (self._d,):
            raise Error(f"{name}: must be {self._d} numbers, as the points have")
        if not np.isfinite(point).all():
            raise Error(f"{name}: must be finite")
        return point

    def support(self, direction):
        """max <direction, x> over the hull, and the first vertex that attains it."""
        direction = self._point(direction, "direction")
        vertex = c.c_int64()
        with self._handle.lock:
            value = library.trop_hull_support(
                c.byref(vertex), self._handle.address, direction.ctypes.data
            )
        return value, vertex.value

    def place(self, query):
        """Where a point stands: side, distance, proved lower bound, depth, the nearest point of the
        hull, the direction from there, and the weights of the combination."""
        query = self._point(query, "query")
        nearest, direction = np.empty(self._d), np.empty(self._d)
        weights = np.empty(self._n)
        place = c.create_string_buffer(library.trop_hull_position_size())
        with self._handle.lock:
            check(
                library.trop_hull_place(
                    place,
                    nearest.ctypes.data,
                    direction.ctypes.data,
                    weights.ctypes.data,
                    self._handle.address,
                    query.ctypes.data,
                )
            )
        address = c.addressof(place)
        table = fields(library.trop_hull_position_table())
        found = {field.name: read_field(field, address)[0] for field in table}
        return Group({**found, "nearest": nearest, "direction": direction, "weights": weights})

    @property
    def options(self):
        """The points."""
        return self.given

    def plot(self, *arguments, **options):
        raise Error("plot: there is no picture of a hull; cells(points).plot() draws one")

    def __reduce__(self):
        return Hull, (self._settings["points"],)


def hull(points, *, threads=0):
    """The convex hull of points (n, d), any n and d."""
    return Hull(points, threads)
