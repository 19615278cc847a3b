/* inspect_margin.c -- does the max-margin matrix of some texts know what a head selects in others?
 *
 * W_mm is fitted to the selections of a head on every other text, the first among them, and asked
 * for the selections on the rest: the share of rows in which it agrees with the head. A head whose
 * matrix is the max-margin one for what it selects is found again from its selections alone.
 */
#include "run/inspect/inspect.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>

/* All texts at one layer. */
struct stage {
    struct trop_inspect *i;
    struct trop_transformer_pass **pass;   /* (texts) */
    struct trop_transformer_layer **layer; /* (texts) */
    int64_t first;                         /* head of i->head */
    enum trop_status *status;              /* of each head */
    char (*error)[256];
};

static enum trop_status judge_head(struct trop_inspect *i, int64_t h, const struct stage *s,
                                   struct trop_head_input *inputs, double *w)
{
    const int64_t fitted = (i->texts + 1) / 2;
    struct trop_head_margin_bounds bounds;
    double sum = 0, count = 0;

    for (int64_t t = 0; t < i->texts; t++) { /* those that are fitted come first */
        const int64_t place = t % 2 == 0 ? t / 2 : fitted + t / 2;
        trop_transformer_head(inputs + place, s->layer[t], i->head[h].head);
    }
    enum trop_status status = trop_head_margin_fit(w, &bounds, inputs, fitted);
    for (int64_t t = fitted; t < i->texts && status == TROP_OK; t++) {
        double agreement = NAN;
        status = trop_head_margin_agreement(&agreement, inputs + t, w);
        sum += isnan(agreement) ? 0 : agreement;
        count += !isnan(agreement);
    }
    i->head[h].held_out = isnan(bounds.lower) ? NAN : sum / count; /* NaN without a row */
    return status;
}

static void judge_heads(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct stage *s = context;
    const int64_t width = trop_transformer_config(s->i->model)->width;
    struct trop_head_input *inputs = NULL;
    double *w = NULL;
    const int whole = TROP_ALLOC(TROP_PART(inputs, s->i->texts),
                                 TROP_PART(w, trop_alloc_product(width, width + 1)));

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        s->status[k] = whole ? judge_head(s->i, s->first + k, s, inputs, w)
                             : trop_fail(TROP_ERR_MEMORY, "no memory for the margin of a head");
        if (s->status[k] != TROP_OK) {
            snprintf(s->error[k], sizeof s->error[k], "layer %lld, head %lld: %s",
                     (long long)s->i->head[s->first + k].layer,
                     (long long)s->i->head[s->first + k].head, trop_error());
        }
    }
    TROP_FREE(inputs, w);
}

/* The heads first to first + count - 1, which are of one layer. */
static enum trop_status judge_layer(struct stage *s, int64_t count)
{
    struct trop_inspect *i = s->i;
    enum trop_status status = TROP_OK;

    for (int64_t t = 0; t < i->texts && status == TROP_OK; t++) {
        status = trop_transformer_layer(s->layer + t, s->pass[t], i->head[s->first].layer);
    }
    if (status == TROP_OK) {
        trop_parallel(i->options.threads, count, judge_heads, s);
    }
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = s->status[k] == TROP_OK ? TROP_OK : trop_fail(s->status[k], "%s", s->error[k]);
    }
    for (int64_t t = 0; t < i->texts; t++) {
        trop_transformer_layer_free(s->layer[t]);
        s->layer[t] = NULL;
    }
    return status;
}

/* 1 where W_mm is defined. */
static int is_defined(const struct trop_inspect *i)
{
    const struct trop_architecture_config *config = trop_transformer_config(i->model);
    int window = 0;

    for (int64_t l = 0; l < config->layers; l++) {
        window |= config->window[l] > 0;
    }
    return config->rotation.theta == 0 && !window;
}

enum trop_status trop_inspect_held_out(struct trop_inspect *i, trop_progress *progress,
                                       void *context)
{
    struct stage s = { .i = i };
    enum trop_status status = TROP_OK;

    for (int64_t h = 0; h < i->heads; h++) {
        i->head[h].held_out = NAN;
    }
    if (i->texts < 2 || !(i->measures & TROP_INSPECT_MARGIN) || !is_defined(i)) {
        return TROP_OK;
    }
    if (!TROP_ALLOC(TROP_PART(s.pass, i->texts), TROP_PART(s.layer, i->texts),
                    TROP_PART(s.status, i->heads), TROP_PART(s.error, i->heads))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for %lld texts", (long long)i->texts);
    }
    for (int64_t t = 0; t < i->texts && status == TROP_OK; t++) {
        status = trop_transformer_run(s.pass + t, i->model, i->text[t].ids, NULL, i->text[t].n);
    }
    while (s.first < i->heads && status == TROP_OK) {
        const int64_t count = trop_inspect_heads_of_layer(i, s.first);
        status = progress && progress(context, i->texts * i->heads, i->texts * i->heads)
                     ? trop_fail(TROP_ERR_STOPPED, "stopped before margins were compared")
                     : judge_layer(&s, count);
        s.first += count;
    }
    for (int64_t t = 0; s.pass && t < i->texts; t++) {
        trop_transformer_free(s.pass[t]);
    }
    TROP_FREE(s.pass, s.layer, s.status, s.error);
    return status;
}
