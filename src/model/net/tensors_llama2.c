/* tensors_llama2.c -- the .bin files of llama2.c: 7 int32, then float32 without names.
 *
 *   dim, hidden, layers, heads, kv heads, vocab, seq      vocab < 0: the classifier is its own
 *   embeddings (vocab, dim)
 *   norm before attention (layers, dim)
 *   query (layers, dim, dim), key and value (layers, kv, dim), output (layers, dim, dim)
 *   norm before the MLP (layers, dim)
 *   gate (layers, hidden, dim), down (layers, dim, hidden), up (layers, hidden, dim)
 *   last norm (dim)
 *   cosines and sines of the rotation (seq, dim / heads / 2), which nobody reads any more
 *   classifier (vocab, dim), where it is its own
 *
 * with kv = dim / heads times kv heads. A. Karpathy, llama2.c, version 0 of its format. Nothing in
 * the file says what it is, so its size must be to the byte the one that its seven numbers need.
 */
#include "model/net/tensors_internal.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"

#define HEAD 28
#define SIZE_MOST ((int64_t)1 << 24) /* of one of the seven numbers */

/* One row of the list above. */
struct stack {
    const char *name;      /* %lld: the layer */
    int64_t layers;        /* 0: there is one, of no layer */
    int64_t rows, columns; /* columns = 0: a vector */
};

#define STACKS 14

/* The list above, for these sizes; names that are NULL are passed over. */
static int64_t list_stacks(struct stack out[STACKS], const struct trop_tensors_sizes *s)
{
    const int64_t n = s->layers, d = s->width, head = d / s->heads, kv = head * s->kv_heads;
    const struct stack all[STACKS] = {
        { "model.embed_tokens.weight", 0, s->vocab, d },
        { "model.layers.%lld.input_layernorm.weight", n, d, 0 },
        { "model.layers.%lld.self_attn.q_proj.weight", n, d, d },
        { "model.layers.%lld.self_attn.k_proj.weight", n, kv, d },
        { "model.layers.%lld.self_attn.v_proj.weight", n, kv, d },
        { "model.layers.%lld.self_attn.o_proj.weight", n, d, d },
        { "model.layers.%lld.post_attention_layernorm.weight", n, d, 0 },
        { "model.layers.%lld.mlp.gate_proj.weight", n, s->hidden, d },
        { "model.layers.%lld.mlp.down_proj.weight", n, d, s->hidden },
        { "model.layers.%lld.mlp.up_proj.weight", n, s->hidden, d },
        { "model.norm.weight", 0, d, 0 },
        { NULL, 0, s->positions, head / 2 },
        { NULL, 0, s->positions, head / 2 },
        { "lm_head.weight", 0, s->vocab, d },
    };

    memcpy(out, all, sizeof all);
    return s->tied ? STACKS - 1 : STACKS;
}

/* Numbers of a stack; below 2^24 each, so that a product of three leaves 64 bits only beyond any
 * file: -1. */
static int64_t stack_size(const struct stack *stack)
{
    const int64_t one =
        trop_alloc_product(stack->rows, stack->columns > 0 || !stack->name ? stack->columns : 1);
    return trop_alloc_product(one, stack->layers > 0 ? stack->layers : 1);
}

static enum trop_status read_sizes(struct trop_tensors_sizes *out, const unsigned char *bytes,
                                   const char *path)
{
    static const char *const words[] = { "dim",      "hidden", "layers", "heads",
                                         "kv heads", "vocab",  "seq" };
    double v[7];

    trop_number_copy(v, bytes, TROP_NUMBER_I32, 7);
    out->tied = v[5] > 0;
    v[5] = v[5] < 0 ? -v[5] : v[5];
    for (int k = 0; k < 7; k++) {
        if (!(v[k] >= 1 && v[k] <= (double)SIZE_MOST)) {
            return trop_fail(TROP_ERR_IO,
                             "%s: not a file of llama2.c: %s = %.0f: must be from 1 to %lld", path,
                             words[k], v[k], (long long)SIZE_MOST);
        }
    }
    *out = (struct trop_tensors_sizes){
        .width = (int64_t)v[0],
        .hidden = (int64_t)v[1],
        .layers = (int64_t)v[2],
        .heads = (int64_t)v[3],
        .kv_heads = (int64_t)v[4],
        .vocab = (int64_t)v[5],
        .positions = (int64_t)v[6],
        .tied = out->tied,
    };
    if (out->width % out->heads != 0 || out->heads % out->kv_heads != 0 ||
        out->width / out->heads % 2 != 0) {
        return trop_fail(TROP_ERR_IO,
                         "%s: not a file of llama2.c: dim %lld, heads %lld, kv heads %lld: the "
                         "second must divide the first into even parts, and the third the second",
                         path, (long long)out->width, (long long)out->heads,
                         (long long)out->kv_heads);
    }
    return TROP_OK;
}

/* Refuses a file of another size; *tensors is how many have names. */
static enum trop_status check_size(int64_t *tensors, const struct stack *stack, int64_t stacks,
                                   int64_t size, const char *path)
{
    int64_t numbers = 0;

    *tensors = 0;
    for (int64_t k = 0; k < stacks; k++) {
        const int64_t more = stack_size(&stack[k]);
        if (more < 0 || more > size) { /* a file has fewer numbers than bytes */
            numbers = -1;
            break;
        }
        numbers += more;
        *tensors += !stack[k].name ? 0 : stack[k].layers > 0 ? stack[k].layers : 1;
    }
    if (numbers < 0 || numbers > INT64_MAX / 8 || HEAD + 4 * numbers != size) {
        return trop_fail(TROP_ERR_IO,
                         "%s: not a file of llama2.c: has %lld bytes, and its first seven numbers "
                         "need %s%lld",
                         path, (long long)size, numbers < 0 ? "more than " : "",
                         (long long)(numbers < 0 ? size : HEAD + 4 * numbers));
    }
    return TROP_OK;
}

static void name_tensors(struct trop_tensors *w, const struct stack *stack, int64_t stacks)
{
    const unsigned char *at = w->mapping.bytes + HEAD;

    for (int64_t k = 0; k < stacks; k++) {
        const int64_t layers = stack[k].layers > 0 ? stack[k].layers : 1;
        const int64_t each = stack_size(&stack[k]) / layers;
        for (int64_t l = 0; l < layers; l++, at += 4 * each) {
            if (!stack[k].name) {
                continue;
            }
            char *name = w->name[w->count];
            snprintf(name, TROP_WEIGHTS_NAME, stack[k].name, (long long)l);
            w->entry[w->count++] = (struct trop_safetensors_entry){
                .name = name,
                .file = w->file,
                .type = TROP_NUMBER_F32,
                .rank = stack[k].columns > 0 ? 2 : 1,
                .shape = { stack[k].rows, stack[k].columns },
                .count = each,
                .bytes = at,
            };
        }
    }
}

enum trop_status trop_tensors_llama2(struct trop_tensors *w, const char *path)
{
    struct stack stack[STACKS];
    int64_t tensors = 0;
    enum trop_status status = trop_mapping_open(&w->mapping, path);

    if (status == TROP_OK && w->mapping.size < HEAD) {
        status =
            trop_fail(TROP_ERR_IO, "%s: not a file of llama2.c: is shorter than its head", path);
    }
    if (status == TROP_OK) {
        status = read_sizes(&w->sizes, w->mapping.bytes, path);
    }
    if (status != TROP_OK) {
        return status;
    }
    const int64_t stacks = list_stacks(stack, &w->sizes);
    status = check_size(&tensors, stack, stacks, w->mapping.size, path);
    if (status != TROP_OK) {
        return status;
    }
    if (!TROP_ALLOC(TROP_PART(w->file, (int64_t)strlen(path) + 1), TROP_PART(w->entry, tensors),
                    TROP_PART(w->name, tensors))) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for its names", path);
    }
    memcpy(w->file, path, strlen(path));
    name_tensors(w, stack, stacks);
    return TROP_OK;
}
