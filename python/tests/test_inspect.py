"""What the heads of a transformer select, from arrays, tensors and models.

The references are NumPy on the formulas of docs/heads.md and the command line."""

import json
import os
import pathlib
import pickle
import subprocess
from fractions import Fraction

import numpy as np
import pytest

import tropism as tr
from tropism import _stubs

PROGRAM = os.environ.get("TROPISM_PROGRAM")
STORIES = pathlib.Path(__file__).parents[2] / "tests" / "data" / "stories260K.bin"
TEXT = "Once upon a time, there was a little girl."

LAYERS, HEADS, N, D = 2, 3, 9, 5


def arrays(seed=1, shape=(LAYERS, HEADS, N, D)):
    return tuple(2 * np.random.default_rng(seed).normal(size=(3, *shape)))


class Head:
    """One head by NumPy."""

    def __init__(self, q, k, v, causal):
        n, d = q.shape
        self.q, self.k, self.v = q, k, v
        self.sees = np.tril(np.ones((n, n), bool)) if causal else np.ones((n, n), bool)
        self.scores = np.where(self.sees, q @ k.T / np.sqrt(d), -np.inf)
        self.argmax = self.scores.argmax(axis=1)
        weights = np.exp(self.scores - self.scores.max(axis=1, keepdims=True))
        self.weights = weights / weights.sum(axis=1, keepdims=True)

    def entropy(self):
        a = self.weights
        return -np.sum(a * np.log(np.where(a > 0, a, 1)), axis=1)

    def flip(self):
        """The distance of each query from the nearest plane on which another key ties."""
        radius = np.full(len(self.q), np.inf)
        for i, a in enumerate(self.argmax):
            for t in np.flatnonzero(self.sees[i]):
                if t != a:
                    apart = self.k[a] - self.k[t]
                    radius[i] = min(radius[i], self.q[i] @ apart / np.linalg.norm(apart))
        return radius

    def key_only(self):
        """The share of the variation, and of the rows that select the largest c."""
        counts = self.sees.sum(axis=1)
        means = np.where(self.sees, self.scores, 0).sum(axis=1) / counts
        r = np.where(self.sees, self.scores - means[:, None], 0)
        rows = self.sees.sum(axis=0)
        c = r.sum(axis=0) / rows
        best = np.where(self.sees, c, -np.inf).max(axis=1)
        return np.sum(rows * c**2) / np.sum(r**2), np.mean(c[self.argmax] == best)

    def distance(self):
        """|o_i - v_a| over max_j |v_j - v_a|, 0 where a row sees one value."""
        found = []
        for i, a in enumerate(self.argmax):
            spread = np.linalg.norm(self.v[self.sees[i]] - self.v[a], axis=1).max()
            off = np.linalg.norm(self.weights[i] @ self.v - self.v[a])
            found.append(off / spread if spread > 0 else 0)
        return np.mean(found)


@pytest.fixture(scope="module", params=["none", "causal"])
def both(request):
    """A result with rows, and NumPy's heads in its order."""
    q, k, v = arrays()
    heads = [Head(q[l, h], k[l, h], v[l, h], request.param == "causal")
             for l in range(LAYERS) for h in range(HEADS)]
    return tr.inspect(q, k, v, mask=request.param, rows=True), heads


# ---- arrays against NumPy ------------------------------------------------------------------------


def test_heads_are_listed_layer_by_layer(both):
    result, heads = both
    assert isinstance(result, tr.Inspection) and len(result.heads) == len(heads) == 6
    assert result.heads.layer.tolist() == [0, 0, 0, 1, 1, 1]
    assert result.heads.head.tolist() == [0, 1, 2, 0, 1, 2]
    assert (result.model.layers, result.model.heads, result.texts) == (2, 3, 1)


def test_rows_select_the_largest_score(both):
    result, heads = both
    for row, head in zip(result.heads, heads):
        assert row.argmax.tolist() == head.argmax.tolist()
        assert row.selected == len(set(head.argmax))


def test_weights_have_numpys_perplexity_and_top(both):
    result, heads = both
    for row, head in zip(result.heads, heads):
        np.testing.assert_allclose(row.perplexity, np.exp(head.entropy()), rtol=1e-12)
        deviation = [np.std(s[seen]) for s, seen in zip(head.scores, head.sees)]
        np.testing.assert_allclose(row.score_deviation, deviation, atol=1e-13)
        np.testing.assert_allclose(row.top_weight, head.weights.max(axis=1), rtol=1e-12)
        assert row.max_logit == pytest.approx(head.scores.max(), rel=1e-13)


def test_the_gap_is_entropy_less_min_entropy(both):
    result, heads = both
    for row, head in zip(result.heads, heads):
        np.testing.assert_allclose(row.gap, head.entropy() + np.log(head.weights.max(axis=1)), atol=1e-12)
        np.testing.assert_allclose(row.gap, np.log(row.perplexity * row.top_weight), atol=1e-12)


def test_flip_is_the_distance_of_the_nearest_tie(both):
    result, heads = both
    for row, head in zip(result.heads, heads):
        np.testing.assert_allclose(row.flip, head.flip(), rtol=1e-12)


def test_key_only_is_the_share_of_column_means(both):
    result, heads = both
    for row, head in zip(result.heads, heads):
        share, rows = head.key_only()
        assert row.key_only == pytest.approx(share, rel=1e-11)
        assert row.key_only_rows == pytest.approx(rows)


def test_kappa_brings_the_selected_token_to_99_per_cent(both):
    result, heads = both
    for row, head in zip(result.heads, heads):
        for i, (kappa, a) in enumerate(zip(row.kappa, head.argmax)):
            s = head.scores[i, head.sees[i]] - head.scores[i, a]
            if len(s) == 1:
                assert kappa == 0
            else:
                assert 1 / np.exp(kappa * s).sum() == pytest.approx(0.99, rel=1e-9)
        assert row.hard_rows == np.mean(head.weights.max(axis=1) >= 0.99)
        assert row.hardmax_distance == pytest.approx(head.distance(), rel=1e-11)


def test_sinks_are_the_tokens_that_most_rows_select(both):
    result, heads = both
    for row, head in zip(result.heads, heads):
        degree = np.bincount(head.argmax, minlength=N)
        assert row.sinks.degree.tolist() == degree.tolist()
        order = sorted(range(N), key=lambda t: (-degree[t], t))[: min(5, int(row.selected))]
        assert row.sinks.token.tolist() == order
        assert row.sinks.rows.tolist() == degree[order].tolist()
        assert row.sinks.share == pytest.approx(degree.max() / N)
        assert row.sinks.first == pytest.approx(degree[0] / N)


def test_rho_agrees_with_a_linear_program():
    linprog = pytest.importorskip("scipy.optimize").linprog
    q, k, v = arrays(shape=(N, D))
    row = tr.inspect(q, k, v, measure="reach", rows=True).heads[0]
    scores = Head(q, k, v, False).scores
    for j in range(N):
        # max t: sum_i c_i (s_ij - s_it) >= t for t != j, c a mixture
        others = [t for t in range(N) if t != j]
        bounds = [(0, None)] * N + [(None, None)]
        above = np.hstack([-(scores[:, [j]] - scores[:, others]).T, np.ones((N - 1, 1))])
        found = linprog(np.r_[np.zeros(N), -1], above, np.zeros(N - 1),
                        np.r_[np.ones(N), 0][None], [1], bounds)
        assert row.rho_low[j] <= -found.fun + 1e-8 and -found.fun - 1e-8 <= row.rho_high[j]
        assert row.rho[j] == pytest.approx(-found.fun, abs=1e-8)
    assert row.reachable >= row.selected


# ---- shapes, tensors, choices --------------------------------------------------------------------


def test_a_head_alone_is_the_head_among_others():
    q, k, v = arrays()
    all_, one = tr.inspect(q, k, v), tr.inspect(q[1, 2], k[1, 2], v[1, 2])
    layer = tr.inspect(q[1], k[1], v[1])
    assert one.heads[0].flip == layer.heads[2].flip == all_.heads[5].flip
    assert (layer.model.layers, layer.model.heads) == (1, 3)
    assert (one.model.layers, one.model.heads) == (1, 1)
    by_name = tr.inspect(q=q, k=k, v=v, layers=[1], heads="2")
    assert len(by_name.heads) == 1 and by_name.heads[0].flip == one.heads[0].flip
    assert tr.inspect(*(x.tolist() for x in (q, k, v))).heads == all_.heads


def test_tensors_are_arrays():
    torch = pytest.importorskip("torch")
    q, k, v = (torch.tensor(x, dtype=torch.float32, requires_grad=True) for x in arrays())
    found = tr.inspect(q, k, v, mask="causal", rows=True)
    plain = tr.inspect(*(x.detach().double().numpy() for x in (q, k, v)), mask="causal", rows=True)
    assert found.heads == plain.heads
    layers = [list(x) for x in (q, k, v)]  # a tensor a layer, as hooks leave them
    assert tr.inspect(*layers, mask="causal", rows=True).heads == plain.heads
    halves = [x.detach().bfloat16() for x in (q, k, v)]
    rounded = tr.inspect(*halves)
    assert rounded.heads == tr.inspect(*(x.double().numpy() for x in halves)).heads
    assert rounded.heads == tr.inspect(*(tuple(x) for x in halves)).heads
    assert (rounded.heads["bfloat16.flipped"] == 0).all()  # they are rounded already


def test_a_cache_has_a_batch_of_one():
    q, k, v = arrays()
    plain = tr.inspect(q, k, v).heads
    for kind in (list, tuple):
        assert tr.inspect(*(kind(layer[None] for layer in x) for x in (q, k, v))).heads == plain
    assert tr.inspect(q[:, None], k[:, None], v[:, None]).heads == plain
    for batch in ([np.stack([layer, layer]) for layer in q], np.stack([q, q], axis=1)):
        with pytest.raises(tr.Error, match="q: a batch of 2: must be one text at a time"):
            tr.inspect(batch, batch, batch)


def test_complex_tensors_are_refused():
    torch = pytest.importorskip("torch")
    x = torch.ones(9, 5, dtype=torch.complex64)
    with pytest.raises(tr.Error, match="q: complex64: must be an array of real numbers"):
        tr.inspect(x, x, x)


@pytest.mark.parametrize("rows", [False, True])
def test_what_is_printed_has_the_table(rows):
    found = tr.inspect(*arrays(), rows=rows)
    lines = repr(found).split("\n")
    (top,) = [k for k, line in enumerate(lines) if line.split()[:3] == ["layer", "head", "distinct"]]
    table = [dict(zip(lines[top].split(), line.split())) for line in lines[top + 1 :]]
    assert len(table) == 6 and [int(row["distinct"]) for row in table] == found.heads.selected.tolist()
    for row, head in zip(table, found.heads):
        assert row["gap"] == f"{np.mean(head.gap):.2f}" and row["kappa"] == f"{np.median(head.kappa):.1f}"
        assert row["keys"] == f"{head.key_only:.2f}"


def test_the_scale_is_an_option():
    q, k, v = arrays()
    one = tr.inspect(q, k, v, scale=1 / np.sqrt(D)).array("gap")
    assert np.array_equal(one, tr.inspect(q, k, v).array("gap"))
    assert (tr.inspect(q, k, v, scale=1.0).array("top_weight") > tr.inspect(q, k, v).array("top_weight")).all()


def test_what_was_not_measured_is_absent():
    q, k, v = arrays()
    found = tr.inspect(q, k, v, measure=["keys", "flip"])
    assert found.heads.keys()[:3] == ["layer", "head", "selected"]
    assert {"flip", "key_only"} <= set(found.heads.keys()) and "gap" not in found.heads.keys()
    assert found.layers is None and found.tokens is None and "layers" not in found
    heads = tr.inspect(q, k, v).heads
    assert "flip_relative" not in heads.keys()
    with pytest.raises(KeyError, match="flip_relative: must be one of layer, head"):
        heads["flip_relative"]
    with pytest.raises(AttributeError):
        found.flips


@pytest.mark.parametrize(
    "change, sentence",
    [
        (dict(q=np.ones(4)), r"q: must be \(layers, heads, n, d\), \(heads, n, d\) or \(n, d\)"),
        (dict(q=np.ones((1, 2, 2, 9, 5))), "q"),
        (dict(q=np.ones((8, 9, 5)), k=np.ones((2, 9, 5))), "of one shape; of grouped queries .*repeat_interleave"),
        (dict(k=np.ones((9, 4))), "k is .*: must be of one shape"),
        (dict(v=np.ones((8, 5))), "v is .*: must be of one shape"),
        (dict(v=None), "q, k and v: v is missing"),
        (dict(q=np.full((9, 5), np.nan)), "q"),
        (dict(q=np.ones((9, 5)) * 1j), "q: complex128: must be an array of real numbers"),
        (dict(q=np.ones((0, 5)), k=np.ones((0, 5)), v=np.ones((0, 5))), "q"),
        (dict(mask="left"), "mask"),
        (dict(layers="1"), "layers = 1: must be numbers from 0 to 0"),
        (dict(measure="warmth"), "measure: warmth is none of"),
        (dict(text="a film"), "text"),
        (dict(inputs=True), "inputs: applies with model"),
        (dict(model=STORIES), "model"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(change, sentence):
    q, k, v = arrays(shape=(N, D))
    with pytest.raises(tr.Error, match=sentence):
        tr.inspect(**{"q": q, "k": k, "v": v, **change})


def test_a_call_without_sense_is_a_type_error():
    q, k, v = arrays()
    for arguments in ((q,), (q, k), (q, k, v, v), ("model", "text")):
        with pytest.raises(TypeError, match="one argument without a name, model, or three arrays"):
            tr.inspect(*arguments)
    with pytest.raises(TypeError, match="two values for q"):
        tr.inspect(q, k, v, q=q)
    with pytest.raises(TypeError, match="two values for model"):
        tr.inspect("a", model="b")
    with pytest.raises(tr.Error, match="model: object: must be a folder or file; a model in memory"):
        tr.inspect(object(), text="a film")
    with pytest.raises(tr.Error, match="which model"):
        tr.inspect()


# ---- tables of others ----------------------------------------------------------------------------


def test_numbers_by_layer_and_head(both):
    result, heads = both
    argmax, share = result.array("argmax"), result.array("sinks.share")
    assert argmax.shape == (LAYERS, HEADS, N) and argmax.dtype.kind == "i"
    assert share.shape == (LAYERS, HEADS)
    assert argmax[1, 2].tolist() == heads[5].argmax.tolist() and share[1, 0] == result.heads[3].sinks.share
    with pytest.raises(AttributeError, match="nothing: must be one of"):
        result.array("nothing")
    some = tr.inspect(*arrays(), layers=1, heads="0,2").array("gap")
    assert np.array_equal(some, tr.inspect(*arrays()).array("gap")[1:, [0, 2]])


def test_pandas_and_xarray(both):
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    result, heads = both
    frame = result.to_pandas()
    assert len(frame) == 6 and frame.key_only[4] == result.heads[4].key_only
    data = tr.inspect(*arrays(), layers=1, rows=True).to_xarray()
    assert data["argmax"].dims == ("layer", "head", "token")
    assert data["key_only"].sel(layer=1, head=2) == tr.inspect(*arrays()).heads[5].key_only
    assert data.attrs["texts"] == 1


def test_tables_are_read_once_and_only_read(both):
    result, _ = both
    assert result.heads is result.heads
    with pytest.raises(ValueError, match="read-only"):
        result.heads[0].flip[0] = 1
    result.array("flip")[0] = 1  # an array of its own
    assert result.heads[0].flip[0] != 1


def test_results_outlive_each_other():
    """The tables of fields are the results' own: an address that is freed may come again."""
    q, k, v = arrays(shape=(N, D))
    for _ in range(20):
        for measure, has in (("flip", "flip"), ("keys", "key_only"), ("temperature", "gap")):
            keys = tr.inspect(q, k, v, measure=measure).heads.keys()
            assert has in keys and not ({"flip", "key_only", "gap"} - {has}) & set(keys)


def test_a_pickle_has_the_same_values(both):
    result, _ = both
    again = pickle.loads(pickle.dumps(result))
    assert again.heads == result.heads and again.to_json() == result.to_json() and again.layers is None
    assert np.array_equal(again.array("flip"), result.array("flip"))
    assert "key_only" in repr(result.heads) and "heads" in repr(again)


# ---- models --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stories():
    if not STORIES.exists():
        pytest.skip("the model is not beside the tests")
    return tr.inspect(STORIES, text=TEXT)


def test_a_story_has_its_tokens_and_heads(stories):
    assert stories.model.family == "llama" and len(stories.heads) == 40
    assert stories.tokens[0] == "<s>" and "".join(stories.tokens[1:]) == " " + TEXT
    assert len(stories.ids) == len(stories.tokens) == 14
    assert stories.array("gap").shape == (5, 8)
    assert set(stories.heads["sinks.kind"]) <= {"first", "separator", "ordinary"}
    for name in ("sinks.kind", "sinks.token"):  # texts; lists of different lengths
        with pytest.raises(KeyError, match="is not a number of each head"):
            stories.array(name)
    assert [row.layer for row in stories.layers] == list(range(6))
    assert (stories.array("selected") >= 1).all() and (stories.array("patch.kl") >= 0).all()


def test_rows_of_a_story_sum_up(stories):
    rows = tr.inspect(STORIES, text=TEXT, rows=True)
    argmax = rows.array("argmax")
    assert argmax.shape == (5, 8, 14) and (argmax <= np.arange(14)).all()
    np.testing.assert_allclose(rows.array("gap").mean(axis=2), stories.array("gap"), rtol=1e-12)
    flip = rows.array("flip")
    assert np.isinf(flip[:, :, 0]).all() and np.isfinite(flip[:, :, 1:]).all()
    np.testing.assert_allclose(flip[:, :, 1:].mean(axis=2), stories.array("flip"), rtol=1e-12)
    kappa = np.median(rows.array("kappa"), axis=2)
    np.testing.assert_allclose(kappa, stories.array("kappa"), rtol=1e-12)


def test_streams_are_beside_the_heads_in_xarray(stories):
    pytest.importorskip("xarray")
    data = stories.to_xarray()
    assert data["flip_relative"].dims == ("layer", "head")
    assert data["layers.cosine"].sel(stream=5) == stories.layers[5].cosine
    assert data.attrs["model.family"] == "llama"


def test_inputs_of_a_model_are_arrays_for_whoever_computes(stories):
    found = tr.inspect(STORIES, text=TEXT, inputs=True, measure=["flip", "temperature"], rows=True)
    q, k, v = (found.array(name) for name in "qkv")
    n, d, width = 14, 8, 64
    assert q.shape == k.shape == v.shape == (5, 8, n, d)
    for l, h in ((0, 3), (4, 4)):
        head = Head(q[l, h], k[l, h], v[l, h], True)
        assert found.array("argmax")[l, h].tolist() == head.argmax.tolist()
        np.testing.assert_allclose(found.array("top_weight")[l, h], head.weights.max(axis=1), rtol=1e-12)
    again = tr.inspect(q, k, v, mask="causal", rows=True, measure="flip")  # the same head by its arrays
    assert np.array_equal(again.array("flip"), found.array("flip"))
    # Keys and values of grouped queries are those of their group.
    assert np.array_equal(k[:, ::2], k[:, 1::2]) and not np.array_equal(k[:, :1], k[:, 2:3])
    streams = found.layers.stream
    assert [x.shape for x in streams] == [(n, width)] * 6 and found.hidden.shape == (n, width)
    lengths = np.linalg.norm(streams[3], axis=1)
    unit = streams[3] / lengths[:, None]
    pairs = (unit @ unit.T)[~np.eye(n, dtype=bool)]
    assert stories.layers[3].cosine == pytest.approx(pairs.mean(), rel=1e-12)
    # RMSNorm is all that stands between the last stream and the hidden states.
    gains = found.hidden * np.sqrt((streams[5]**2).mean(axis=1, keepdims=True) + 1e-5) / streams[5]
    np.testing.assert_allclose(gains, np.tile(gains[0], (n, 1)), rtol=1e-10)
    assert stories.hidden is None and "q" not in stories.heads.keys()


def test_inputs_have_axes_in_xarray_and_outlive_pickles(tmp_path):
    pytest.importorskip("xarray")
    found = tr.inspect(STORIES, text="A cat sat.", inputs=True, measure=["reach", "depth"], rows=True, layers=[1, 4])
    data = found.to_xarray()
    assert data["q"].dims == ("layer", "head", "token", "coordinate")
    assert data["certificate.key"].dims == ("layer", "head", "token", "member")
    assert data["layers.stream"].dims == ("stream", "token", "channel") and data.stream.values.tolist() == [1, 4, 5]
    assert data["hidden"].dims == ("token", "channel") and "hidden" not in data.attrs
    assert np.array_equal(data["k"].sel(layer=4, head=2), found.heads[10].k)
    again = pickle.loads(pickle.dumps(found))
    assert again.to_xarray().identical(data) and np.array_equal(again.hidden, found.hidden)
    assert json.loads(found.to_json())["heads"][3]["q"] == found.heads[3].q.tolist()


def test_certificates_of_reach_are_exact_proofs():
    """In fractions: the mixture of keys beats a token for every query, that of queries selects it."""
    q, k, v = arrays(shape=(N, D))
    q[:, 0] += 4  # all queries look one way, three keys lie the other
    k[::3, 0] -= 4
    row = tr.inspect(q, k, v, measure="reach", rows=True).heads[0]
    s = [[sum(Fraction(a) * Fraction(b) for a, b in zip(x, y)) for y in k.tolist()] for x in q.tolist()]
    out = 0
    for j in range(N):
        key = [(t, Fraction(w)) for t, w in zip(row.certificate.key[j].tolist(), row.certificate.key_weight[j].tolist())]
        query = [(i, Fraction(w)) for i, w in
                 zip(row.certificate.query[j].tolist(), row.certificate.query_weight[j].tolist())]
        assert all(w >= 0 for _, w in key + query)
        assert abs(sum(w for _, w in key) - 1) < 1e-15 and abs(sum(w for _, w in query) - 1) < 1e-15
        assert all(t != j for t, w in key if w > 0)
        worst = max(sum(w * (s[i][j] - s[i][t]) for t, w in key) for i in range(N))
        best = min(sum(w * (s[i][j] - s[i][t]) for i, w in query) for t in range(N) if t != j)
        scale = Fraction(1 / np.sqrt(D))
        assert best * scale >= Fraction(row.rho_low[j]) - Fraction(1e-15)  # weights add up to 1 but for rounding
        assert worst * scale <= Fraction(row.rho_high[j]) + Fraction(1e-15)
        assert worst < 0 if row.rho_high[j] < 0 else row.rho_low[j] < 0 or best >= 0
        out += worst < 0
    assert out == np.sum(row.rho_high < 0) > 0


def test_ids_are_a_text(stories):
    again = tr.inspect(STORIES, ids=stories.ids)
    assert again.tokens is None and np.array_equal(again.array("flip"), stories.array("flip"))


def test_many_texts_have_means_and_deviations(stories, tmp_path):
    file = tmp_path / "texts.tsv"
    file.write_text(f"label\ttext\na\t{TEXT}\nb\tThe dog ran.\n")
    found = tr.inspect(STORIES, file=file, layers=2)
    one = tr.inspect(STORIES, text="The dog ran.", layers=2).array("gap")
    both = np.stack([stories.array("gap")[2:3], one])
    assert found.texts == 2 and found.tokens is None
    np.testing.assert_allclose(found.array("gap.mean"), both.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(found.array("gap.deviation"), both.std(axis=0, ddof=1), rtol=1e-12)
    assert found.heads[0].gap.mean == found.array("gap.mean")[0, 0]
    with pytest.raises(tr.Error, match="rows: are of one text"):
        tr.inspect(STORIES, file=file, rows=True)


def test_a_list_of_texts_is_a_file_of_them(stories, tmp_path):
    texts = [TEXT, "The dog ran, and the cat."]
    file = tmp_path / "texts.tsv"
    file.write_text("label\ttext\n" + "".join(f"{k}\t{text}\n" for k, text in enumerate(texts)))
    listed, read = (tr.inspect(STORIES, layers=2, **given) for given in (dict(text=texts), dict(file=file)))
    assert listed.texts == 2 and listed.heads == read.heads and listed.given["text"] == texts
    assert tr.inspect(STORIES, text=np.array(texts), layers=2).heads == read.heads
    one = tr.inspect(STORIES, text=[TEXT])
    assert one.texts == 1 and one.tokens == stories.tokens and one.heads == stories.heads
    assert pickle.loads(pickle.dumps(listed)).heads == read.heads


def test_a_story_is_kept_in_files_and_pickles(stories, tmp_path):
    again = pickle.loads(pickle.dumps(stories))
    assert again.tokens == stories.tokens and again.layers == stories.layers
    assert np.array_equal(again.array("patch.kl"), stories.array("patch.kl"))
    again.save(tmp_path / "again.h5")
    stories.save(tmp_path / "heads.h5")
    assert (tmp_path / "again.h5").read_bytes() == (tmp_path / "heads.h5").read_bytes()
    rows = tr.inspect(STORIES, text=TEXT, rows=True, measure="all", layers=0)
    assert pickle.loads(pickle.dumps(rows)).heads[3].rho.tolist() == rows.heads[3].rho.tolist()


def test_python_says_what_the_program_says(stories):
    if not PROGRAM:
        pytest.skip("the program is not there")
    out = subprocess.run([PROGRAM, "inspect", STORIES, "--text", TEXT, "--json"],
                         capture_output=True, check=True)
    program, ours = json.loads(out.stdout), json.loads(stories.to_json())
    for told in (program, ours):
        del told["seconds"]
    assert program == ours


@pytest.mark.parametrize(
    "options, sentence",
    [
        (dict(), "text, file, ids: one of them must be given"),
        (dict(text="a", ids="1"), "text, file, ids: one of them"),
        (dict(ids="1,512"), "id 512"),
        (dict(text="a " * 600), "the model takes 512"),
        (dict(text="a", layers="5"), "layers = 5: must be numbers from 0 to 4"),
        (dict(text="a", q=np.ones((2, 2))), "q|model"),
        (dict(text="a", tokenizer="nowhere"), "nowhere"),
        (dict(text=[]), "text: there is no text"),
        (dict(text=["a", ""]), r"text: text 1 \(from 0\) is empty"),
        (dict(text=["a", 3]), "text: int: must be a text or a list of texts"),
        (dict(text=["a", "a " * 600]), r"text 1 \(from 0\): has 602 tokens, the model takes 512"),
        (dict(text=["a", "b"], rows=True), "rows: are of one text, and there are 2"),
        (dict(text=["a", "b"], ids="1"), "text, file, ids: one of them"),
        (dict(file="mr", texts=2, inputs=True), "inputs: are of one text, and there are 2"),
    ],
)
def test_a_model_refuses_with_a_sentence(stories, options, sentence):
    with pytest.raises(tr.Error, match=sentence):
        tr.inspect(STORIES, **options)


def test_a_model_that_is_not_there(tmp_path):
    with pytest.raises(tr.Error, match="nowhere"):
        tr.inspect(tmp_path / "nowhere", text="a")
    with pytest.raises(tr.Error, match="without model.safetensors"):
        tr.inspect(tmp_path, text="a")


def test_the_small_model_of_the_stubs_reads(tmp_path):
    found = tr.inspect(**_stubs.small_model(tmp_path), text="a bad cab", measure="all")
    assert found.tokens[0] == "<s>" and len(found.heads) == 2
