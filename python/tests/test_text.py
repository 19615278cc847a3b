"""Texts, images and vectors: corpora, what attention learns from them, and what it says of others.

The references are the command line, NumPy with the weights that a result tells, and plain Python."""

import collections
import gc
import json
import os
import pathlib
import pickle
import re
import subprocess
import threading
import weakref

import numpy as np
import pytest

import tropism as tr
from tropism._values import plain

PROGRAM = os.environ.get("TROPISM_PROGRAM")

GOOD, BAD = "fine warm funny bright".split(), "dull cold slow grim".split()


OPTIONS = dict(embed=6, epochs=20, eta=0.05, validation=0, show=3)


def texts(n=60):
    """Texts of two classes that one word decides, and their classes."""
    draw = np.random.default_rng(7)
    found = []
    for i in range(n):
        words = [(GOOD, BAD)[i % 2][draw.integers(4)], *draw.choice(["a", "the", "film", "it", "is", "was"], 5)]
        found.append(" ".join(draw.permutation(words)))
    return found, ["good" if i % 2 == 0 else "bad" for i in range(n)]


@pytest.fixture(scope="module")
def corpus():
    return tr.data.text(*texts())


@pytest.fixture(scope="module")
def fit(corpus):
    return tr.train(corpus, **OPTIONS)


def same(table, other):
    """NaN is NaN: there are no items to validate on."""
    np.testing.assert_equal(plain(table), plain(other))
    return True


# ---- corpora -------------------------------------------------------------------------------------


def test_a_corpus_has_what_the_lists_had(corpus):
    items, labels = texts()
    assert len(corpus) == 60 and corpus.texts == items and corpus.name == "texts"
    assert corpus.classes == ["bad", "good"]
    assert [corpus.classes[k] for k in corpus.labels] == labels
    counts = collections.Counter(word for item in items for word in item.split())
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    assert corpus.words == ["[UNK]", *ranked]
    assert corpus.offsets.tolist() == [6 * i for i in range(61)]
    assert [corpus.words[k] for k in corpus.ids] == " ".join(items).split()
    assert corpus.splits is None and corpus.lexicon is None and corpus.vectors is None
    assert "60 items, 360 tokens" in repr(corpus) and "bad, good" in repr(corpus)


def test_labels_may_be_numbers_and_splits_names():
    made = tr.data.text(["a", "b", "c", "d"], [10, np.int64(9), "10", True],
                        splits=["train", "test", "validation", 0])
    assert made.classes == ["1", "9", "10"] and made.labels.tolist() == [2, 1, 2, 0]
    assert made.splits.tolist() == [0, 2, 1, 0]


def test_any_language_and_a_series_of_pandas():
    made = tr.data.text(("Ein schöner Film", "映画 は 長い"), ("+", "-"))
    assert made.texts == ["Ein schöner Film", "映画 は 長い"]
    assert "schöner" in made.words
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"text": ["one two", "three"], "label": [0, 1]})
    assert tr.data.text(table.text, table.label).words[1:] == ["one", "three", "two"]


def test_encode_knows_words_and_says_what_it_does_not():
    made = tr.data.text(["a fine film", "a dull film"], [1, 0], vocabulary=4)
    assert made.words == ["[UNK]", "a", "film", "dull"]
    assert made.encode("A FILM, fine").tolist() == [1, 2, 0, 0]
    assert made.split("A FILM, fine") == ["a", "film", ",", "fine"]
    assert made.encode("dull").dtype == np.int32


def test_the_shipped_reviews_by_name_and_a_file(tmp_path):
    made = tr.data.text("mr", vocabulary=5000, lexicon="opinion")
    assert len(made) == 10662 and made.classes == ["neg", "pos"] and len(made.words) == 5000
    assert made.lexicon[made.words.index("dull")] == 1 and made.lexicon[made.words.index("film")] == 0
    path = tmp_path / "two.tsv"
    path.write_text("neg\tbad film\npos\tgood film\n")
    made = tr.data.text(path)
    assert made.texts == ["bad film", "good film"] and made.name == str(path)


def test_images_are_sequences_of_vectors():
    made = tr.data.sequences("digits", patch=2)
    assert made.vectors.shape == (1797 * 16, 4) and made.ids is None and made.words is None
    assert made.texts is None and made.classes == list("0123456789")
    assert made.offsets[-1] == 1797 * 16 and made.labels.shape == (1797,)
    assert "vectors of width 4" in repr(made)


def test_lists_of_arrays_are_sequences():
    draw = np.random.default_rng(1)
    items = [draw.normal(size=(1 + i % 4, 3)).astype(np.float32) for i in range(40)]
    for i, item in enumerate(items):
        item[0, 0] = 3 * (-1) ** i  # one coordinate decides
    made = tr.data.sequences(items, [5 + 2 * (i % 2) for i in range(40)], ["train"] * 30 + ["test"] * 10)
    assert np.array_equal(made.vectors, np.concatenate(items)) and made.classes == ["5", "7"]
    assert np.array_equal(np.diff(made.offsets), [len(item) for item in items])
    assert made.splits.tolist() == [0] * 30 + [2] * 10
    assert np.array_equal(pickle.loads(pickle.dumps(made)).vectors, made.vectors)
    fit = tr.train(made, epochs=30, eta=0.05)
    assert fit.splits[2]["items"] == 10 and fit.splits[2].chosen_accuracy == 1.0
    assert fit.predict(tr.data.sequences(items[:2], [0, 1])) == ["5", "7"]
    cube = tr.data.sequences(np.zeros((4, 6, 2)), [0, 1, 0, 1])
    assert cube.vectors.shape == (24, 2) and cube.offsets.tolist() == [0, 6, 12, 18, 24]
    ids = tr.data.sequences([[0, 2], [1]], [0, 1], words=9)
    assert ids.ids.tolist() == [0, 2, 1] and ids.words is None and "words without names" in repr(ids)


def test_arrays_are_views_that_keep_the_corpus_alive():
    made = tr.data.text(*texts())
    handle, views = weakref.ref(made._handle), (made.ids, made.offsets, made.labels)
    words = [view.copy() for view in views]
    for view in views:
        assert not view.flags.owndata and not view.flags.writeable
        with pytest.raises(ValueError):
            view[0] = 1
    del made
    gc.collect()
    assert handle() is not None and all(np.array_equal(v, w) for v, w in zip(views, words))
    del views, view
    gc.collect()
    assert handle() is None


def test_a_corpus_can_be_pickled(corpus):
    for made in (tr.data.text(["a b", "c"], ["x", 1], splits=["train", "test"], vocabulary=3),
                 tr.data.sequences("digits", patch=4)):
        again = pickle.loads(pickle.dumps(made))
        for name in ("name", "classes", "texts", "words"):
            assert getattr(again, name) == getattr(made, name)
        for name in ("ids", "vectors", "offsets", "labels", "splits"):
            assert np.array_equal(getattr(again, name), getattr(made, name))


@pytest.mark.parametrize("call, sentence", [
    (lambda: tr.data.text(["a", "b"]), "labels: which are the classes of the texts?"),
    (lambda: tr.data.text(["a", "b"], [1]), "labels: there are 1, must be 2, one for each item"),
    (lambda: tr.data.text(["a", 7], [1, 2]), "texts: item 1: int: must be a text"),
    (lambda: tr.data.text(["a", "b\0"], [1, 2]), "texts: item 1: a text must not hold the character 0"),
    (lambda: tr.data.text(["a", "b"], [1, 2.5]), "labels: item 1: 2.5: must be a text or a whole number"),
    (lambda: tr.data.text(["a", "b"], [1, 2], ["train", "dev"]),
     "splits: item 1: 'dev': must be one of train, validation, test"),
    (lambda: tr.data.text(["a", "b"], [1, 2], [0, 3]), "texts: item 1: split 3: must be 0 (train), 1 or 2"),
    (lambda: tr.data.text(["a", " "], [1, 2]), "texts: item 1: the text has no token"),
    (lambda: tr.data.text(["a", "b"], [1, 1]), "texts: every item has the label 1: there must be two classes"),
    (lambda: tr.data.text([], []), "texts: there must be one at least, and a label of each"),
    (lambda: tr.data.text(5, [1]), "texts: int: must be a list of texts"),
    (lambda: tr.data.sequences([[0], [[1]]], [0, 1]),
     "items: must be arrays of vectors (T, width) each, or of words (T) each"),
    (lambda: tr.data.sequences([np.ones((2, 3)), np.ones((2, 4))], [0, 1]), "items: their vectors must have one width"),
    (lambda: tr.data.sequences([[0.5], [1.0]], [0, 1]), "items: words must be whole numbers"),
    (lambda: tr.data.sequences([[0], [1]], [0, "x"]), "labels: item 1 = 'x': not a whole number"),
    (lambda: tr.data.sequences([[0], [4]], [0, 1], words=3), "arrays: ids[1] is 4: must be a whole number from 0 to 2"),
    (lambda: tr.data.sequences([[0], []], [0, 1]),
     "arrays: offsets[2] is 1 after 1: must ascend, an item has a token"),
    (lambda: tr.data.sequences([[0], [1]]), "data: must be a file, a name, or a list of arrays with labels"),
    (lambda: tr.data.sequences("mr", [1]), "labels, splits and words: those of a file are in the file"),
    (lambda: tr.data.text("mr", [1]), "labels and splits: those of a file are in the file"),
    (lambda: tr.data.text("digits"), "digits: has no texts; tropism.data.sequences reads it"),
    (lambda: tr.data.text("mr", vocabulari=5), "vocabulari: unknown option, did you mean vocabulary?"),
    (lambda: tr.data.text("mr", patch=2), "patch = 2: is for images, mr has none"),
])
def test_what_is_wrong_is_named(call, sentence):
    with pytest.raises(tr.Error) as caught:
        call()
    assert str(caught.value) == sentence


# ---- fits ----------------------------------------------------------------------------------------


@pytest.mark.skipif(not PROGRAM, reason="TROPISM_PROGRAM does not name the command line program")
def test_a_corpus_a_name_and_the_command_line_give_the_same_bits():
    options = {"vocabulary": 300, "lexicon": "opinion"}
    of_corpus = tr.train(tr.data.text("mr", **options), embed=4, epochs=2)
    of_name = tr.train("mr", embed=4, epochs=2, **options)
    words = [PROGRAM, "train", "--data", "mr", "--embed", "4", "--epochs", "2", "--json"]
    words += [word for k, v in options.items() for word in (f"--{k}", str(v))]
    of_program = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    assert isinstance(of_corpus, tr.Fit) and isinstance(of_name, tr.Fit)
    assert of_corpus.splits == of_name.splits and of_corpus.words == of_name.words
    for row, told in zip(of_name.splits, of_program["splits"]):
        assert row.loss.tolist() == told["loss"] and row.chosen_accuracy == told["chosen_accuracy"]
    assert of_name.lexicon.auc == of_program["lexicon"]["auc"]
    assert of_name.options["vocabulary"] == 300
    assert "vocabulary" not in of_corpus.options  # the corpus was read before


def test_train_of_other_data_is_as_before():
    assert type(tr.train(tr.data.attsvm(), steps=5)) is tr.Train


def test_it_learns_and_attends_to_the_words_that_decide(fit):
    assert fit.splits[2].split == "test" and fit.splits[2].chosen_accuracy == 1.0
    assert {row.word for row in fit.words} <= set(fit.given["data"].words)
    deciding = [weight for item in fit.attention(fit.given["data"]) for word, weight in item if word in GOOD + BAD]
    assert len(deciding) == 60 and min(deciding) > 0.99  # in every text
    assert fit.predict("it was a grim film") == "bad"
    assert fit.predict(["it was a grim film", "the film is bright"]) == ["bad", "good"]
    found = fit.attention("it was a grim film")
    assert found.words[np.argmax(found.weights)] == "grim"


def test_attention_and_scores_are_the_formula_of_the_weights(fit, corpus):
    sentence = "The film, which is grim, was unheard-of"
    found = fit.attention(sentence)
    E, z, W, v = (fit.weights[name] for name in "EzWv")
    x = E[corpus.encode(sentence)]
    s = np.exp(x @ W @ z[0])
    s /= s.sum()
    assert found.words == corpus.split(sentence)
    assert np.allclose(found.weights, s, rtol=0, atol=1e-13)  # sums of 36 products, rounded
    assert np.isclose(found.scores, v[0] @ (s @ x), rtol=0, atol=1e-12)
    assert found.predicted == corpus.classes[int(found.scores > 0)]
    assert fit.predict(sentence, scores=True) == found.scores


def test_one_text_a_list_and_a_corpus_are_read_alike(fit, corpus):
    items = corpus.texts
    assert fit.predict(corpus) == fit.predict(items) == [fit.predict(item) for item in items]
    scores = fit.predict(corpus, scores=True)
    assert scores.shape == (60,) and np.array_equal(scores, fit.predict(items, scores=True))
    assert fit.attention(corpus) == fit.attention(items)
    other = tr.data.text(items[::-1], ["x", "y"] * 30)  # its own ids
    assert fit.predict(other) == fit.predict(items[::-1])


def test_what_was_shown_is_what_is_read(fit, corpus):
    for row in fit.shown:
        found = fit.attention(corpus.texts[row.item])
        assert np.array_equal(found.weights, row.attention) and " ".join(found.words) == row.text
        assert corpus.classes.index(found.predicted) == row.predicted


def test_images_have_a_score_for_each_class():
    made = tr.data.sequences("digits", patch=4)
    fit = tr.train(made, epochs=3, embed=8)
    scores, classes = fit.predict(made, scores=True), fit.predict(made)
    assert scores.shape == (1797, 10)
    assert classes == [made.classes[k] for k in scores.argmax(axis=1)]
    right = np.mean([made.classes[k] == c for k, c in zip(made.labels, classes)])
    told = np.average(fit.splits.chosen_accuracy, weights=fit.splits["items"])
    assert np.isclose(right, told, rtol=0, atol=1e-12)
    one = fit.attention(made)[0]
    assert one.words is None and np.isclose(one.weights.sum(), 1) and [k for k, _ in one] == [0, 1, 2, 3]


@pytest.mark.parametrize("items, sentence", [
    (["fine", " "], "item 1: text: has no token"),
    ([], "items: there must be one at least"),
    (7, "items: int: must be a text, a list of texts, or a Corpus"),
    ([7], "items: item 0: int: must be a text"),
])
def test_what_cannot_be_read_is_named(fit, items, sentence):
    for call in (fit.predict, fit.attention):
        with pytest.raises(tr.Error) as caught:
            call(items)
        assert str(caught.value) == sentence


def test_options_of_reading_are_the_corpus_s(corpus):
    with pytest.raises(tr.Error, match="vocabulary: is for data that are read; these are made"):
        tr.train(corpus, vocabulary=5)
    with pytest.raises(tr.Error, match="list: must be a Dataset, a Corpus"):
        tr.train(["a text"])
    with pytest.raises(tr.Error, match="margin does not learn from sequences"):
        tr.margin(corpus)


# ---- life ----------------------------------------------------------------------------------------


def test_a_result_keeps_its_corpus_alive():
    made = tr.data.text(*texts())
    handle = weakref.ref(made._handle)
    fit = tr.train(made, embed=4, epochs=2)
    view = fit.weights.E
    fit._settings.clear()  # the handle of the result alone keeps it
    del made
    gc.collect()
    assert handle() is not None and fit.predict("a fine film") in ("bad", "good")
    del fit
    gc.collect()
    assert handle() is not None and np.isfinite(view).all()
    del view
    gc.collect()
    assert handle() is None


def test_two_threads_ask_one_corpus(fit, corpus):
    """The corpus has one place for its answers: each thread gets its own."""
    wanted = {item: (fit.predict(item), corpus.split(item)) for item in corpus.texts[:8]}
    wrong = []

    def ask(item):
        for _ in range(200):
            if (fit.predict(item), corpus.split(item)) != wanted[item]:
                wrong.append(item)

    threads = [threading.Thread(target=ask, args=(item,)) for item in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_pickled_fit_has_its_fields_and_says_what_it_lacks(fit):
    again = pickle.loads(pickle.dumps(fit))
    assert type(again) is tr.Fit and same(again.splits, fit.splits) and again.words == fit.words
    assert np.array_equal(again.weights.E, fit.weights.E) and again.options == fit.options
    assert again.given["data"].texts == fit.given["data"].texts
    assert "shown" in again._repr_html_() or "fine" in again._repr_html_()
    for call in (again.predict, again.attention):
        with pytest.raises(tr.Error, match="a fit that was pickled has its numbers alone; train it again"):
            call("fine")
    with pytest.raises(tr.Error, match="does not go on"):
        again.run()


def test_a_stopped_fit_goes_on_to_the_same_bits(fit, corpus):
    with pytest.warns(tr.Stopped, match="stopped after epoch 5"):
        half = tr.train(corpus, **OPTIONS, progress=lambda done, total: done >= 5)
    assert half.epochs == 5 and half.stopped and half.saturation is None
    before = half.weights.E
    assert before.flags.owndata  # it can go on, so what was read is a copy
    assert half.predict("fine") in corpus.classes
    half.run()
    assert half.stopped is None and same(half.splits, fit.splits)
    assert np.array_equal(half.weights.E, fit.weights.E) and not np.array_equal(before, fit.weights.E)


def test_ctrl_c_leaves_what_there_is(corpus):
    def interrupt(done, total):
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        tr.train(corpus, epochs=9, progress=interrupt)
    assert caught.value.result.epochs == 3
    assert caught.value.result.run().epochs == 9


def test_a_file_is_resumed_with_the_data_given_again(fit, corpus, tmp_path):
    out = tmp_path / "fit.h5"
    with pytest.warns(tr.Stopped):
        tr.train(corpus, **OPTIONS, out=out, progress=lambda done, total: done >= 5)
    with pytest.raises(tr.Error, match="those of the run were in memory: give them again"):
        tr.train(resume=out)
    other = tr.data.text(["a b", "c d"], [0, 1])
    with pytest.raises(tr.Error):
        tr.train(other, resume=out)
    again = tr.train(corpus, resume=out)
    assert same(again.splits, fit.splits) and np.array_equal(again.weights.E, fit.weights.E)
    assert out.exists() and not pathlib.Path(f"{out}.parts").exists()


# ---- showing -------------------------------------------------------------------------------------


def test_attention_shows_itself():
    shown = tr.Attention(["<b>", "dull", "film"], np.array([0.1, 0.75, 0.15]), "neg", -1.5)
    assert str(shown) == "<b> dull[0.75] film" and repr(shown) == "neg: <b> dull[0.75] film"
    html = shown._repr_html_()
    assert "&lt;b&gt;" in html and "<b>neg</b>" in html
    grounds = [float(share) for share in re.findall(r"rgba\(178,24,43,([\d.]+)\)", html)]
    assert grounds == [0.13, 1.0, 0.2]  # shares of the largest weight
    assert list(shown) == [("<b>", 0.1), ("dull", 0.75), ("film", 0.15)] and len(shown) == 3
    long = tr.Attention(["word"] * 40, np.full(40, 1 / 40), "a", 0.0)
    assert max(map(len, str(long).splitlines())) <= 79 and str(long).split() == ["word"] * 40
    assert "\033[48;5;237m" in shown._shaded() and "\033[48;5;255m" not in shown._shaded().split("film")[0][:20]


def test_attention_as_a_table_and_a_pickle(fit):
    found = fit.attention("a fine film")
    assert pickle.loads(pickle.dumps(found)) == found
    pandas = pytest.importorskip("pandas")
    table = found.to_pandas()
    assert isinstance(table, pandas.DataFrame) and table.word.tolist() == ["a", "fine", "film"]


def test_a_fit_shows_itself(fit):
    assert "splits" in repr(fit) and "3 rows" in repr(fit)
    html = fit._repr_html_()
    names = [fit.given["data"].classes[row.predicted] for row in fit.shown]
    assert re.findall(r"<b>(\w+)</b>", html) == names and "data:image/svg+xml" in html
    assert html.count("rgba(178,24,43") == sum(len(row.attention) for row in fit.shown) == 18
    table = fit.words._repr_html_()
    assert table.startswith("<table>") and "<th>attention</th>" in table
    pandas = pytest.importorskip("pandas")
    frame = fit.splits.to_pandas()
    assert frame.split.tolist() == ["train", "validation", "test"] and frame["items"].sum() == 60
    assert fit.to_pandas("words").columns.tolist() == ["word", "id", "count", "attention", "value"]
    assert isinstance(frame, pandas.DataFrame)
