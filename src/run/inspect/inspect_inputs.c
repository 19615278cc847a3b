/* inspect_inputs.c -- what heads and layers were given, kept for whoever wants to compute with it:
 * queries, keys and values of every head, the residual streams, the last hidden states. */
#include "run/inspect/inspect.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

static enum trop_status judge(const struct trop_inspect *i, int is_whole)
{
    return is_whole ? TROP_OK
                    : trop_fail(TROP_ERR_MEMORY, "inputs: no memory for those of %lld heads",
                                (long long)i->heads);
}

enum trop_status trop_inspect_open_heads(struct trop_inspect *i)
{
    const int64_t head = trop_transformer_config(i->model)->head;
    const int64_t of_head = trop_alloc_product(3 * i->text->n, head);
    int whole = 1;

    for (int64_t h = 0; h < i->heads && whole; h++) {
        whole = (i->head[h].input = trop_alloc(of_head, sizeof *i->head[h].input)) != NULL;
    }
    return judge(i, whole);
}

enum trop_status trop_inspect_open_inputs(struct trop_inspect *i)
{
    const int64_t width = trop_transformer_config(i->model)->width;
    const int64_t of_stream = trop_alloc_product(i->text->n, width);
    int whole = trop_inspect_open_heads(i) == TROP_OK &&
                (i->hidden = trop_alloc(of_stream, sizeof *i->hidden)) != NULL;

    for (int64_t l = 0; l < i->layers && whole; l++) {
        whole = (i->layer[l].stream = trop_alloc(of_stream, sizeof *i->layer[l].stream)) != NULL;
    }
    return judge(i, whole);
}

void trop_inspect_free_inputs(struct trop_inspect *i)
{
    for (int64_t h = 0; i->head && h < i->heads; h++) {
        trop_alloc_free(i->head[h].input);
    }
    for (int64_t l = 0; i->layer && l < i->layers; l++) {
        trop_alloc_free(i->layer[l].stream);
    }
    trop_alloc_free(i->hidden);
}

void trop_inspect_keep_streams(struct trop_inspect *i, const struct trop_transformer_pass *pass)
{
    const size_t bytes =
        (size_t)(i->text->n * trop_transformer_config(i->model)->width) * sizeof(double);

    for (int64_t l = 0; l < i->layers; l++) {
        memcpy(i->layer[l].stream, trop_transformer_stream(pass, i->layer[l].layer), bytes);
    }
    memcpy(i->hidden, trop_transformer_hidden(pass), bytes);
}

/* is_array: the numbers outlive the run. */
void trop_inspect_keep_input(struct trop_inspect_head *head, const struct trop_head_input *input,
                             int is_array)
{
    const double *const parts[] = { input->q, input->k, input->v };
    const int64_t size = input->n * input->d;

    for (int64_t p = 0; head->input && p < 3; p++) {
        memcpy(head->input + p * size, parts[p], (size_t)size * sizeof **parts);
    }
    head->given = (struct trop_head_input){
        .n = input->n,
        .d = input->d,
        .q = head->input ? head->input
             : is_array  ? input->q
                         : NULL,
        .k = head->input ? head->input + size
             : is_array  ? input->k
                         : NULL,
        .scale = input->scale,
        .causal = input->causal,
        .window = input->window,
    };
}
