#!/usr/bin/python3
"""forward.py -- transformers in NumPy and double precision, written from the papers and the models' own
descriptions, without a look at src/: what the forward pass in C is compared with.

  forward.py --write FILE.npy       numbers of the small models below, for tests/model/test_transformer.c
  forward.py --check FILE.npy       whether FILE still is what --write gives
  forward.py --story MODEL.bin TOKENIZER.bin [COUNT]   greedy ids after "Once upon a time"
  forward.py --dump MODEL IDS OUT.npy   every number of one text; MODEL: a folder, or a llama2.c file

The weights of the small models come from a formula that the test in C has as well: element k of tensor NAME is
(z mod 128 - 64) / 128, z the k-th number of splitmix64 from the FNV-1a hash of NAME, shifted by 33 bits; norms
have 1 added to their gains. Every type of number that files have holds these exactly.
"""
import json
import math
import os
import struct
import sys

import numpy as np

# ---- files ----------------------------------------------------------------------------------------------------


def bfloat16(raw):
    return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)


TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U8": "u1"}


def safetensors(path):
    """{name: array} of one file."""
    raw = open(path, "rb").read()
    (length,) = struct.unpack("<Q", raw[:8])
    found = {}
    for name, about in json.loads(raw[8 : 8 + length]).items():
        if name == "__metadata__":
            continue
        part = raw[8 + length + about["data_offsets"][0] : 8 + length + about["data_offsets"][1]]
        flat = bfloat16(part) if about["dtype"] == "BF16" else np.frombuffer(part, TYPES[about["dtype"]])
        found[name] = flat.astype(np.float64).reshape(about["shape"])
    return found


def llama2(path):
    """A llama2.c file as the tensors and the config of a Llama."""
    raw = open(path, "rb").read()
    dim, hidden, layers, heads, kv, vocab, seq = struct.unpack("<7i", raw[:28])
    flat = np.frombuffer(raw[28:], "<f4").astype(np.float64)
    at = 0

    def take(*shape):
        nonlocal at
        at += math.prod(shape)
        return flat[at - math.prod(shape) : at].reshape(shape)

    head = dim // heads
    t = {"model.embed_tokens.weight": take(abs(vocab), dim)}
    for name, shape in (
        ("input_layernorm", (dim,)), ("self_attn.q_proj", (dim, dim)), ("self_attn.k_proj", (kv * head, dim)),
        ("self_attn.v_proj", (kv * head, dim)), ("self_attn.o_proj", (dim, dim)), ("post_attention_layernorm", (dim,)),
        ("mlp.gate_proj", (hidden, dim)), ("mlp.down_proj", (dim, hidden)), ("mlp.up_proj", (hidden, dim)),
    ):
        for l, one in enumerate(take(layers, *shape)):
            t[f"model.layers.{l}.{name}.weight"] = one
    t["model.norm.weight"] = take(dim)
    take(seq, head // 2), take(seq, head // 2)
    if vocab < 0:
        t["lm_head.weight"] = take(-vocab, dim)
    assert at == len(flat)
    config = {"model_type": "llama", "hidden_size": dim, "intermediate_size": hidden, "num_hidden_layers": layers,
              "num_attention_heads": heads, "num_key_value_heads": kv, "vocab_size": abs(vocab),
              "max_position_embeddings": seq, "rms_norm_eps": 1e-5, "tie_word_embeddings": vocab > 0,
              "neighbours": True}
    return t, config


def opened(path):
    if path.endswith(".bin"):
        return llama2(path)
    return safetensors(os.path.join(path, "model.safetensors")), json.load(open(os.path.join(path, "config.json")))


# ---- pieces ---------------------------------------------------------------------------------------------------


def gelu(x):
    return x * 0.5 * np.vectorize(lambda v: math.erfc(-v / math.sqrt(2.0)))(x)


def gelu_new(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def silu(x):
    return x / (1 + np.exp(-x))


def layer_norm(x, eps):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)


def rms_norm(x, eps):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps)


def softmax(s):
    e = np.exp(s - s.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def frequencies(d, config):
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    f = rope.get("rope_theta", config.get("rope_theta", 10000.0)) ** (-np.arange(0, d, 2) / d)
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "linear":
        f = f / rope["factor"]
    if kind == "llama3":
        low, high, length = rope["low_freq_factor"], rope["high_freq_factor"], rope["original_max_position_embeddings"]
        turns = length * f / (2 * math.pi)
        share = np.clip((turns - low) / (high - low), 0, 1)
        f = (1 - share) * f / rope["factor"] + share * f
    return f


def rotate(x, f, neighbours):
    """x (heads, n, d): the pairs as complex numbers, times e^(i position f)."""
    d = x.shape[-1]
    pairs = x[..., 0::2] + 1j * x[..., 1::2] if neighbours else x[..., : d // 2] + 1j * x[..., d // 2 :]
    pairs = pairs * np.exp(1j * np.arange(x.shape[1])[:, None] * f)
    if not neighbours:
        return np.concatenate([pairs.real, pairs.imag], axis=-1)
    return np.stack([pairs.real, pairs.imag], axis=-1).reshape(x.shape)


def by_head(x, heads):
    return x.reshape(x.shape[0], heads, -1).transpose(1, 0, 2)


def heads_of(q, k, v, scale, causal, window, hard):
    """Scores (heads, n, n), 0 where a row does not see, and outputs (n, heads d); hard: a head that takes its best."""
    n = q.shape[1]
    share = q.shape[0] // k.shape[0]
    s = scale * np.einsum("hid,hjd->hij", q, np.repeat(k, share, axis=0))
    behind = np.arange(n)[:, None] - np.arange(n)[None, :]
    seen = (behind >= 0) if causal else np.ones((n, n), bool)
    if window:
        seen = seen & (behind < window)
    masked = np.where(seen, s, -np.inf)
    a = softmax(masked)
    if hard is not None:
        a[hard] = np.eye(n)[masked[hard].argmax(axis=1)]
    out = np.einsum("hij,hjd->hid", a, np.repeat(v, share, axis=0))
    return np.where(seen, s, 0), out.transpose(1, 0, 2).reshape(n, -1)


# ---- families -------------------------------------------------------------------------------------------------
# Each: (tensors, config, ids, hard) -> streams, per layer (q, k, v, scores, hat), hidden, logits or None.
# hard: None or (layer, head).


def bert(t, config, ids, hard):
    p = next(p for p in ("", "bert.", "roberta.") if p + "embeddings.word_embeddings.weight" in t)
    eps, heads = config.get("layer_norm_eps", 1e-12), config["num_attention_heads"]
    dense = lambda x, name: x @ t[p + name + ".weight"].T + t[p + name + ".bias"]

    def normed(x, name):
        hat = layer_norm(x, eps)
        gain = t.get(p + name + ".weight", t.get(p + name + ".gamma"))
        return hat, hat * gain + t.get(p + name + ".bias", t.get(p + name + ".beta"))

    positions = np.arange(len(ids))
    if config["model_type"] == "roberta":
        pad = config["pad_token_id"]
        real = np.array(ids) != pad
        positions = np.where(real, np.cumsum(real) + pad, pad)
    e = p + "embeddings."
    x = t[e + "word_embeddings.weight"][ids] + t[e + "position_embeddings.weight"][positions]
    hat, x = normed(x + t[e + "token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    streams, layers = [x], []
    for l in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{l}."
        q, k, v = (by_head(dense(x, at + "attention.self." + w), heads) for w in ("query", "key", "value"))
        s, o = heads_of(q, k, v, q.shape[-1] ** -0.5, False, 0, hard[1] if hard and hard[0] == l else None)
        layers.append((q, k, v, s, hat))
        _, x = normed(x + dense(o, at + "attention.output.dense"), at + "attention.output.LayerNorm")
        inner = gelu(dense(x, at + "intermediate.dense"))
        hat, x = normed(x + dense(inner, at + "output.dense"), at + "output.LayerNorm")
        streams.append(x)
    return streams, layers, x, None


def gpt2(t, config, ids, hard):
    p = "transformer." if "transformer.wte.weight" in t else ""
    heads, width = config["n_head"], config["n_embd"]
    conv = lambda x, name: x @ t[p + name + ".weight"] + t[p + name + ".bias"]

    def normed(x, name):
        hat = layer_norm(x, config["layer_norm_epsilon"])
        return hat, hat * t[p + name + ".weight"] + t[p + name + ".bias"]

    x = t[p + "wte.weight"][ids] + t[p + "wpe.weight"][: len(ids)]
    streams, layers = [x], []
    for l in range(config["n_layer"]):
        at = f"h.{l}."
        hat, fed = normed(x, at + "ln_1")
        q, k, v = (by_head(w, heads) for w in np.split(conv(fed, at + "attn.c_attn"), 3, axis=1))
        scale = (width // heads) ** -0.5
        if config.get("scale_attn_by_inverse_layer_idx"):
            scale /= l + 1
        s, o = heads_of(q, k, v, scale, True, 0, hard[1] if hard and hard[0] == l else None)
        layers.append((q, k, v, s, hat))
        x = x + conv(o, at + "attn.c_proj")
        x = x + conv(gelu_new(conv(normed(x, at + "ln_2")[1], at + "mlp.c_fc")), at + "mlp.c_proj")
        streams.append(x)
    hidden = normed(x, "ln_f")[1]
    return streams, layers, hidden, hidden @ t[p + "wte.weight"].T


def llama(t, config, ids, hard):
    p = "model." if "model.embed_tokens.weight" in t else ""
    heads, kv, eps = config["num_attention_heads"], config.get("num_key_value_heads"), config["rms_norm_eps"]
    d = config.get("head_dim", config["hidden_size"] // heads)
    f, neighbours = frequencies(d, config), config.get("neighbours", False)
    dense = lambda x, name: x @ t[p + name + ".weight"].T + t.get(p + name + ".bias", 0.0)
    x = t[p + "embed_tokens.weight"][ids]
    streams, layers = [x], []
    for l in range(config["num_hidden_layers"]):
        at = f"layers.{l}."
        hat = rms_norm(x, eps)
        fed = hat * t[p + at + "input_layernorm.weight"]
        q = rotate(by_head(dense(fed, at + "self_attn.q_proj"), heads), f, neighbours)
        k = rotate(by_head(dense(fed, at + "self_attn.k_proj"), kv), f, neighbours)
        v = by_head(dense(fed, at + "self_attn.v_proj"), kv)
        window = config.get("sliding_window") or 0
        if config["model_type"] == "qwen2" and not (config["use_sliding_window"] and l >= config["max_window_layers"]):
            window = 0
        s, o = heads_of(q, k, v, d**-0.5, True, window, hard[1] if hard and hard[0] == l else None)
        layers.append((q, k, v, s, hat))
        x = x + dense(o, at + "self_attn.o_proj")
        fed = rms_norm(x, eps) * t[p + at + "post_attention_layernorm.weight"]
        x = x + dense(silu(dense(fed, at + "mlp.gate_proj")) * dense(fed, at + "mlp.up_proj"), at + "mlp.down_proj")
        streams.append(x)
    hidden = rms_norm(x, eps) * t[p + "norm.weight"]
    words = t[p + "embed_tokens.weight"] if config["tie_word_embeddings"] else t["lm_head.weight"]
    return streams, layers, hidden, hidden @ words.T


FAMILY = {"bert": bert, "roberta": bert, "gpt2": gpt2, "llama": llama, "mistral": llama, "qwen2": llama}


def forward(t, config, ids, hard=None):
    return FAMILY[config["model_type"]](t, config, ids, hard)


def flat(t, config, ids, hard):
    """Everything in the order in which the test in C asks for it; hard (layer, head) is patched at the end."""
    streams, layers, hidden, logits = forward(t, config, ids)
    parts = list(streams)
    for layer in layers:
        parts += layer
    parts += [hidden] + ([] if logits is None else [logits])
    parts.append(forward(t, config, ids, hard)[2])
    return np.concatenate([np.ravel(part) for part in parts])


# ---- small models ---------------------------------------------------------------------------------------------

IDS = [3, 7, 1, 0, 10]
WIDTH, HIDDEN, VOCAB, POSITIONS = 12, 20, 11, 9


def tensor(name, *shape):
    z = np.uint64(0xCBF29CE484222325)
    with np.errstate(over="ignore"):
        for byte in name.encode():
            z = (z ^ np.uint64(byte)) * np.uint64(0x100000001B3)
        s = z + np.arange(1, math.prod(shape) + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        s = (s ^ (s >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        s = (s ^ (s >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        s = s ^ (s >> np.uint64(31))
    value = ((s >> np.uint64(33)) % np.uint64(128)).astype(np.float64)
    return ((value - 64) / 128 + (1 if "norm" in name.lower() or "ln_" in name else 0) * ("bias" not in name and
            "beta" not in name)).reshape(shape)


def made(names):
    return {name: tensor(name, *shape) for name, shape in names}


def small_bert(prefix, norm):
    names = [("embeddings.word_embeddings.weight", (VOCAB, WIDTH)),
             ("embeddings.position_embeddings.weight", (POSITIONS, WIDTH)),
             ("embeddings.token_type_embeddings.weight", (2, WIDTH)),
             ("embeddings.LayerNorm." + norm[0], (WIDTH,)), ("embeddings.LayerNorm." + norm[1], (WIDTH,))]
    for l in range(2):
        for name, rows, columns in (("attention.self.query", WIDTH, WIDTH), ("attention.self.key", WIDTH, WIDTH),
                                    ("attention.self.value", WIDTH, WIDTH),
                                    ("attention.output.dense", WIDTH, WIDTH),
                                    ("intermediate.dense", HIDDEN, WIDTH), ("output.dense", WIDTH, HIDDEN)):
            names += [(f"encoder.layer.{l}.{name}.weight", (rows, columns)), (f"encoder.layer.{l}.{name}.bias", (rows,))]
        for name in ("attention.output.LayerNorm.", "output.LayerNorm."):
            names += [(f"encoder.layer.{l}.{name}{norm[k]}", (WIDTH,)) for k in range(2)]
    return made([(prefix + name, shape) for name, shape in names])


def small_gpt2():
    names = [("wte.weight", (VOCAB, WIDTH)), ("wpe.weight", (POSITIONS, WIDTH)), ("ln_f.weight", (WIDTH,)),
             ("ln_f.bias", (WIDTH,))]
    for l in range(2):
        for name, rows, columns in (("attn.c_attn", WIDTH, 3 * WIDTH), ("attn.c_proj", WIDTH, WIDTH),
                                    ("mlp.c_fc", WIDTH, HIDDEN), ("mlp.c_proj", HIDDEN, WIDTH)):
            names += [(f"h.{l}.{name}.weight", (rows, columns)), (f"h.{l}.{name}.bias", (columns,))]
        names += [(f"h.{l}.{name}", (WIDTH,)) for name in ("ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias")]
    return made([("transformer." + name, shape) for name, shape in names])


def small_llama(prefix, q, kv, biases, tied):
    names = [("embed_tokens.weight", (VOCAB, WIDTH)), ("norm.weight", (WIDTH,))]
    for l in range(2):
        for name, rows, columns in (("self_attn.q_proj", q, WIDTH), ("self_attn.k_proj", kv, WIDTH),
                                    ("self_attn.v_proj", kv, WIDTH), ("self_attn.o_proj", WIDTH, q),
                                    ("mlp.gate_proj", HIDDEN, WIDTH), ("mlp.up_proj", HIDDEN, WIDTH),
                                    ("mlp.down_proj", WIDTH, HIDDEN)):
            names.append((f"layers.{l}.{name}.weight", (rows, columns)))
            if any(part in name for part in biases):
                names.append((f"layers.{l}.{name}.bias", (rows,)))
        names += [(f"layers.{l}.{name}.weight", (WIDTH,)) for name in ("input_layernorm", "post_attention_layernorm")]
    names = [(prefix + name, shape) for name, shape in names]
    return made(names + ([] if tied else [("lm_head.weight", (VOCAB, WIDTH))]))


BERT = {"hidden_size": WIDTH, "intermediate_size": HIDDEN, "num_hidden_layers": 2, "num_attention_heads": 3,
        "vocab_size": VOCAB, "max_position_embeddings": POSITIONS, "type_vocab_size": 2, "hidden_act": "gelu"}
LLAMA = {"hidden_size": WIDTH, "intermediate_size": HIDDEN, "num_hidden_layers": 2, "vocab_size": VOCAB,
         "max_position_embeddings": POSITIONS, "hidden_act": "silu", "rms_norm_eps": 1e-5}
SMALL = [
    (small_bert("", ("weight", "bias")), dict(BERT, model_type="bert", layer_norm_eps=1e-12)),
    (small_bert("roberta.", ("gamma", "beta")), dict(BERT, model_type="roberta", layer_norm_eps=1e-5, pad_token_id=1)),
    (small_gpt2(), {"model_type": "gpt2", "n_embd": WIDTH, "n_head": 2, "n_layer": 2, "n_inner": HIDDEN,
                    "vocab_size": VOCAB, "n_positions": POSITIONS, "layer_norm_epsilon": 1e-5,
                    "activation_function": "gelu_new", "scale_attn_by_inverse_layer_idx": True}),
    (small_llama("model.", 24, 12, ("attn", "mlp"), False),
     dict(LLAMA, model_type="llama", num_attention_heads=4, num_key_value_heads=2, head_dim=6, attention_bias=True,
          mlp_bias=True, tie_word_embeddings=False, rope_theta=100.0,
          rope_scaling={"rope_type": "llama3", "factor": 4.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                        "original_max_position_embeddings": 24})),
    (small_llama("", 12, 6, (), True),
     dict(LLAMA, model_type="mistral", num_attention_heads=2, num_key_value_heads=1, sliding_window=3,
          tie_word_embeddings=True, rope_scaling={"type": "linear", "factor": 2.0})),
    (small_llama("model.", 12, 12, ("q_proj", "k_proj", "v_proj"), False),
     dict(LLAMA, model_type="qwen2", num_attention_heads=3, num_key_value_heads=3, sliding_window=2,
          use_sliding_window=True, max_window_layers=1, tie_word_embeddings=False,
          rope_parameters={"rope_theta": 500.0, "rope_type": "default"})),
    (small_llama("model.", 12, 6, (), False),
     dict(LLAMA, model_type="llama", num_attention_heads=2, num_key_value_heads=1, tie_word_embeddings=False,
          neighbours=True)),
]


def small():
    return np.concatenate([flat(t, config, IDS, (0, 1)) for t, config in SMALL])


# ---- a story --------------------------------------------------------------------------------------------------


def vocabulary(path, size):
    raw = open(path, "rb").read()
    at, words, scores = 4, [], []
    for _ in range(size):
        score, length = struct.unpack("<fi", raw[at : at + 8])
        words.append(raw[at + 8 : at + 8 + length])
        scores.append(score)
        at += 8 + length
    return words, scores


def encoded(text, words, scores):
    """1, a blank, and the characters; then the pair with the best score becomes one, until none is a word."""
    ids = [1] + [words.index(bytes([b])) for b in b" " + text.encode()]
    while True:
        pairs = [(scores[words.index(words[a] + words[b])], -i) for i, (a, b) in enumerate(zip(ids, ids[1:]))
                 if words[a] + words[b] in words]
        if not pairs:
            return ids
        i = -max(pairs)[1]
        ids[i : i + 2] = [words.index(words[ids[i]] + words[ids[i + 1]])]


def story(model, tokenizer, count):
    t, config = opened(model)
    words, scores = vocabulary(tokenizer, config["vocab_size"])
    ids = encoded("Once upon a time", words, scores)
    prompt = len(ids)
    while len(ids) < prompt + count:
        ids.append(int(forward(t, config, ids)[3][-1].argmax()))
    print(f"prompt of {prompt}:", ", ".join(map(str, ids)))
    print(b"".join(words[i] for i in ids[1:]).decode(errors="replace"))


def main():
    command, rest = sys.argv[1], sys.argv[2:]
    if command == "--write":
        np.save(rest[0], small())
    elif command == "--check":
        off = np.abs(np.load(rest[0]) - small()).max()
        print(f"{rest[0]}: off by {off:.3g}")
        sys.exit(0 if off < 1e-12 else 1)
    elif command == "--story":
        story(rest[0], rest[1], int(rest[2]) if len(rest) > 2 else 120)
    elif command == "--dump":
        t, config = opened(rest[0])
        np.save(rest[2], flat(t, config, [int(k) for k in rest[1].split(",")], (0, 1)))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
