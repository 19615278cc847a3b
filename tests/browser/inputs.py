"""inputs.py -- what the commands of pages.py read, in a folder: texts, a tokenizer whose tokens are what one likes, a
small BERT, arrays. The small model is that of tests/model/forward.py."""
import json
import pathlib
import struct

import forward
import numpy as np

STORY = ("Once upon a time, there was a little girl named Lily. She loved to play outside in the park with her big red "
         "ball. One day the ball rolled under a tree and she was sad. A small dog came and found it, and they were "
         "happy and played until the sun went down. ")  # five times: 482 tokens of stories260K
SENTENCE = "Once upon a time, there was a little girl. She had a red ball and a big dog, and they went to the park. "
HOSTILE = ["</script><img src=x onerror=hostile=1>", "<b>\"'&amp;&lt;", "<!--", "]]>", "${hostile}\\",
           "👩‍👩‍👧", "שלום", "مرحبا",
           "\u202eback", "e\u0301", "\x01", "w" * 44]


def tokenizer(path, words, size=512):
    """A file of llama2.c: each of the words becomes one token, since all its beginnings are tokens."""
    pieces = {"<unk>": 0, "<s>": 0, "</s>": 0}
    pieces.update((f"<0x{k:02X}>", 0) for k in range(256))
    pieces[" "] = 0
    for word in words:
        pieces.update((c, 0) for c in word if c not in pieces)
    for word in words:
        pieces.update((word[:k], 1) for k in range(2, len(word) + 1))
    assert len(pieces) <= size, len(pieces)
    pieces.update((f"~{k}", -1) for k in range(size - len(pieces)))
    data = struct.pack("<i", 64)
    for piece, score in pieces.items():
        raw = piece.encode()
        data += struct.pack("<fi", score, len(raw)) + raw
    path.write_bytes(data)


def bert(folder):
    """Two layers of three heads, eleven words."""
    folder.mkdir()
    tensors = {name: t.astype("<f4") for name, t in forward.small_bert("", ("weight", "bias")).items()}
    header, at = {}, 0
    for name, t in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + t.nbytes]}
        at += t.nbytes
    head = json.dumps(header).encode()
    data = b"".join(t.tobytes() for t in tensors.values())
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + data)
    (folder / "config.json").write_text(json.dumps({
        "model_type": "bert", "layer_norm_eps": 1e-12, "hidden_size": forward.WIDTH, "intermediate_size": forward.HIDDEN,
        "num_hidden_layers": 2, "num_attention_heads": 3, "vocab_size": forward.VOCAB, "type_vocab_size": 2,
        "max_position_embeddings": forward.POSITIONS, "hidden_act": "gelu"}))
    return folder


def write(folder):
    folder = pathlib.Path(folder)
    (folder / "long.txt").write_text(STORY * 5)
    (folder / "turned.txt").write_text(SENTENCE)
    (folder / "hostile.txt").write_text("".join(HOSTILE))
    tokenizer(folder / "hostile.bin", HOSTILE)
    lines = [f"good\tA fine film with a warm heart {k}\nbad\tA dull and empty film {k}\n" for k in range(6)]
    (folder / "films.tsv").write_text("label\ttext\n" + "".join(lines))
    bert(folder / "numbers")
    words = bert(folder / "words")
    (words / "vocab.txt").write_text("\n".join("[PAD] [UNK] [CLS] [SEP] once upon a time ##s . ,".split()) + "\n")
    rng = np.random.default_rng(7)
    for name in "qkv":
        few = rng.normal(size=(2, 3, 9, 4))
        if name == "q":
            few[0, 1] = 0  # whose keys tie
        np.save(folder / f"few-{name}.npy", few)
        np.save(folder / f"many-{name}.npy", rng.normal(size=(2, 70, 8)))
