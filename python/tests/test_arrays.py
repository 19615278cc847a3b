"""Arrays of every shape, type and layout: the result depends on the numbers alone.

A layout is how the same numbers lie in memory: order, strides (negative, zero, of a slice),
writable or not. What cannot be taken is refused in a sentence.
"""

import ctypes

import hypothesis.extra.numpy as arrays_of
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tropism as tr

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass")

few = settings(max_examples=60, deadline=None, derandomize=True)

shapes = arrays_of.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=7)
reals = st.floats(-100, 100, width=16)  # exact in every type of float
clouds = arrays_of.arrays(np.float64, shapes, elements=reals)


def layouts(x):
    """The same numbers in other places."""
    yield np.asfortranarray(x)
    yield x[::-1].copy()[::-1]
    yield x[:, ::-1].copy()[:, ::-1]
    wide = np.full((2 * x.shape[0] + 1, 3 * x.shape[1] + 2), np.nan)
    wide[1::2, 2::3] = x
    yield wide[1::2, 2::3]
    yield x.T.copy().T
    odd = np.empty(x.nbytes + 1, dtype=np.uint8)[1:].view(np.float64)  # not aligned
    odd = odd.reshape(x.shape)
    odd[...] = x
    yield odd
    still = x.copy()
    still.flags.writeable = False
    yield still
    yield x.astype(">f8")  # the bytes of another machine
    yield x.tolist()
    yield tuple(map(tuple, x.tolist()))
    yield np.matrix(x)
    yield memoryview(x)


def moved(x):
    run = tr.flow(x, steps=3, tolerance=0, closed_form="never").run()
    return run.tokens.tobytes(), run.clusters, run.diameter


@few
@given(clouds)
def test_flows_do_not_depend_on_layout(x):
    wanted = moved(x)
    for other in layouts(x):
        if isinstance(other, memoryview):
            other = np.asarray(other)
        assert moved(other) == wanted


@few
@given(clouds)
def test_hulls_and_cells_do_not_depend_on_layout(x):
    hull, cells = tr.hull(x), tr.cells(x)
    for other in layouts(x):
        again = tr.hull(other)
        assert np.array_equal(again.vertices, hull.vertices)
        assert again.volume == hull.volume or np.isnan(hull.volume)
        if not isinstance(other, memoryview):
            assert np.array_equal(tr.cells(other).labels, cells.labels)


@few
@given(clouds, st.sampled_from([np.float16, np.float32, np.float64]))
def test_a_narrow_float_is_its_double(x, kind):
    assert moved(x.astype(kind)) == moved(x)


@few
@given(
    arrays_of.arrays(
        st.sampled_from([np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64, np.bool_]),
        shapes,
        elements=st.integers(0, 1),
    )
)
def test_whole_numbers_and_truths_are_their_doubles(x):
    assert moved(x) == moved(x.astype(np.float64))


@few
@given(st.integers(1, 6), st.integers(1, 5), st.lists(reals, min_size=5, max_size=5))
def test_strides_of_zero(n, d, row):
    row = np.array(row[:d])
    x = np.broadcast_to(row, (n, d))
    assert moved(x) == moved(np.array(x))
    run = tr.flow(x, steps=3).run()
    assert run.clusters == 1 and run.diameter == 0
    assert np.array_equal(run.tokens, x)  # equal tokens attend to themselves


@few
@given(clouds)
def test_what_is_given_is_not_changed(x):
    before = x.copy()
    run = tr.flow(x, steps=2).run()
    tr.cells(x), tr.hull(x)
    assert np.array_equal(x, before) and not np.shares_memory(run.tokens, x)


OTHERS = [np.complex64, np.complex128, np.longdouble, object, "U3", "S3", "M8[s]", "m8[s]", [("a", float)]]


@pytest.mark.parametrize("shape", [(1,), (2, 2), (0, 2), (2, 3, 2)])
@pytest.mark.parametrize("kind", OTHERS, ids=str)
def test_other_types_are_refused_by_name(kind, shape):
    x = np.zeros(shape, kind)
    for refused in (lambda: tr.flow(x), lambda: tr.hull(x), lambda: tr.data.Dataset(X=x)):
        with pytest.raises(tr.Error, match="must be an array of real numbers") as caught:
            refused()
        assert caught.value.status == "arg"


@few
@given(arrays_of.arrays(np.float64, arrays_of.array_shapes(min_dims=0, max_dims=6, min_side=0, max_side=3)))
def test_a_shape_is_taken_or_refused_in_a_sentence(x):
    x = np.zeros_like(x)
    takes = x.ndim == 2 and x.size > 0
    for call in (tr.hull, tr.cells, lambda y: tr.flow(y, steps=1).run(), lambda y: tr.flow(n=3, masses=y)):
        try:
            result = call(x)
            assert takes or x.shape == (3,) or x.ndim == 0
            del result
        except tr.Error as error:
            assert len(str(error)) > 15


@few
@given(clouds, st.data())
def test_numbers_that_are_none_are_refused_with_their_place(x, data):
    i = data.draw(st.integers(0, x.shape[0] - 1))
    j = data.draw(st.integers(0, x.shape[1] - 1))
    x = x.copy()
    x[i, j] = data.draw(st.sampled_from([np.nan, np.inf, -np.inf]))
    with pytest.raises(tr.Error, match=f"row {i}, column {j}"):
        tr.flow(x)
    with pytest.raises(tr.Error, match=f"row {i}, column {j}"):
        tr.cells(x)
    with pytest.raises(tr.Error, match="finite"):
        tr.hull(x)
    masses = np.ones(x.shape[0])
    masses[i] = np.nan
    with pytest.raises(tr.Error, match="masses"):
        tr.flow(np.zeros_like(x), masses=masses)


@few
@given(st.integers(1, 5), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32))
def test_data_sets_do_not_depend_on_layout(n, T, d, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, T, d)), rng.choice([-1, 1], size=n)
    z, v = rng.normal(size=(n, d)), rng.normal(size=d)
    data = tr.data.Dataset(X=X, y=y, z=z, v=v)
    assert np.array_equal(data.X, X) and np.array_equal(data.z, z) and np.array_equal(data.v, v)
    assert np.array_equal(data.y.ravel(), y)
    fit = tr.train(data, steps=5, compare="none")
    turned = dict(X=np.asfortranarray(X), y=y.astype(np.int8), z=z[::-1].copy()[::-1], v=v.tolist())
    again = tr.train(turned, steps=5, compare="none")
    assert fit.weights.W.tobytes() == again.weights.W.tobytes()


# ---- the smallest and the largest ----------------------------------------------------------------


def test_one_token_and_one_dimension():
    run = tr.flow([[2.5]], steps=5).run()
    assert run.tokens.tolist() == [[2.5]] and run.converged and run.clusters == 1
    line = tr.flow([[-1.0], [1.0], [3.0]], rule="hardmax", gamma=0.5, steps=1).run()
    # Scores x_i x_j: the negative token follows the least, the others the greatest.
    assert line.tokens.tolist() == [[-1.0], [2.0], [3.0]]
    hull = tr.hull([[3.0], [1.0], [2.0]])
    assert hull.vertices.tolist() == [0, 1] and hull.volume == 2 and hull.dimension == 1
    point = tr.hull(np.zeros((4, 3)))
    assert point.dimension == 0 and point.vertices.tolist() == [0] and point.diameter == 0
    assert point.edges.shape == (0, 2) and point.edges.dtype == np.int64
    assert tr.cells([[1.0, 2.0]]).labels.tolist() == [0]


@pytest.mark.parametrize("shape", [(2**40, 2), (2**20, 2**20), (2, 2**44), (2**61, 2)])
def test_arrays_that_do_not_fit_are_refused(shape):
    # A view without memory of its own.
    huge = np.lib.stride_tricks.as_strided(np.ones(1), (2**40, 2), (0, 0))
    if int(np.prod(shape, dtype=object)) * 8 < 2**63:
        huge = np.broadcast_to(1.0, shape)
    for call in (tr.flow, tr.cells, tr.hull, lambda x: tr.data.Dataset(X=x[None])):
        with pytest.raises(tr.Error) as caught:
            call(huge)
        assert caught.value.status in ("memory", "arg") and len(str(caught.value)) > 15


def test_sizes_that_do_not_fit_are_refused():
    for options in (dict(n=10**13), dict(n=-1), dict(d=2**63), dict(n=10**400), dict(n=0)):
        with pytest.raises(tr.Error) as caught:
            tr.flow(**options)
        assert next(iter(options)) + " = " in str(caught.value)


def test_empty_arrays_with_large_sides_are_refused():
    for shape in ((2**40, 0), (0, 2**50), (0, 0)):
        for call in (tr.flow, tr.cells, tr.hull):
            with pytest.raises(tr.Error):
                call(np.zeros(shape))


def test_masked_entries_are_refused_and_none_are_fine():
    x = np.arange(6.0).reshape(3, 2)
    with pytest.raises(tr.Error, match="masked"):
        tr.flow(np.ma.array(x, mask=x == 3))
    assert moved(np.ma.array(x)) == moved(x)


def test_others_that_are_arrays():
    pandas = pytest.importorskip("pandas")
    xarray = pytest.importorskip("xarray")
    x = np.random.default_rng(1).normal(size=(5, 3))
    assert moved(pandas.DataFrame(x)) == moved(x)
    assert moved(xarray.DataArray(x)) == moved(x)

    class Mine:
        def __array__(self, dtype=None, copy=None):
            return x

    class Sub(np.ndarray):
        pass

    assert moved(Mine()) == moved(x)
    assert moved(x.view(Sub)) == moved(x)
    shared = (ctypes.c_double * 15)(*x.ravel())
    assert moved(np.ctypeslib.as_array(shared).reshape(5, 3)) == moved(x)


def test_no_copy_where_the_layout_allows_it():
    from tropism._setup import as_array

    x = np.ones((4, 3))
    assert as_array(x, "x") is x or np.shares_memory(as_array(x, "x"), x)
    assert not np.shares_memory(as_array(x.T, "x"), x)
    data = tr.data.Dataset(X=np.ones((2, 3, 4)), y=[1, -1])
    assert data.X.__array_interface__["data"] == data.X.__array_interface__["data"]


@few
@given(
    st.one_of(
        st.integers(), st.floats(), st.text(max_size=5), st.binary(max_size=5), st.booleans(),
        st.none(), st.complex_numbers(), st.lists(st.integers(), max_size=3), st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
        st.fractions(), st.decimals(), st.sets(st.integers(), max_size=2),
    ),
    st.sampled_from("n d rule beta gamma epsilon steps key_query value mask ties masses merge seed until kernel".split()),
)
def test_any_value_of_an_option_is_taken_or_refused_in_a_sentence(value, name):
    small = dict(n=3, d=2, steps=2, threads=1)
    if name in ("n", "d") and isinstance(value, (int, float)) and value > 1000:
        return
    try:
        tr.flow(**{**small, name: value})
    except tr.Error as error:
        assert len(str(error)) > 5 and error.status in ("arg", "io", "memory", "unsupported")
