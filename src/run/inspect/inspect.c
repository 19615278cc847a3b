/* inspect.c -- the noun of the verb inspect: texts through a model, head by head. */
#include "run/inspect/inspect.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "run/job.h"
#include "run/proof/proof.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

static void release(void *numbers)
{
    struct trop_inspect *i = numbers;

    if (!i) {
        return;
    }
    for (int64_t t = 0; i->text && t < i->texts; t++) {
        trop_inspect_text_free(i->text + t);
    }
    for (int64_t h = 0; i->head && h < i->heads; h++) {
        trop_head_free(i->head[h].rows);
        trop_head_frozen_close(&i->head[h].frozen);
        trop_alloc_free(i->head[h].value);
    }
    for (int64_t l = 0; i->layer && l < i->layers; l++) {
        trop_alloc_free(i->layer[l].value);
    }
    trop_inspect_free_inputs(i);
    trop_array_free(&i->q);
    trop_array_free(&i->k);
    trop_array_free(&i->v);
    trop_transformer_close(i->model);
    TROP_FREE(i->path, i->wanted_layer, i->wanted_head, i->text, i->head, i->layer, i->fields, i);
}

static enum trop_status no_memory(const struct trop_inspect *i)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for %lld heads", (long long)i->heads);
}

/* A model, its texts in its tokens. */
static enum trop_status open_model(struct trop_inspect *i, const struct trop_setup *setup)
{
    const char *path = i->options.model;
    enum trop_status status =
        trop_transformer_open_named(&i->model, path, i->options.names, i->options.threads);

    if (status != TROP_OK) {
        return status;
    }
    i->layer_total = trop_transformer_config(i->model)->layers;
    i->head_total = trop_transformer_config(i->model)->heads;
    i->path = trop_alloc((int64_t)strlen(path) + 1, 1);
    if (!i->path) {
        return no_memory(i);
    }
    strcpy(i->path, path);
    /* Beside a file is the folder of the file. */
    char *folder = trop_alloc((int64_t)strlen(path) + 2, 1);
    if (!folder) {
        return no_memory(i);
    }
    strcpy(folder, path);
    if (trop_setup_ends(path, ".bin") || trop_setup_ends(path, ".safetensors")) {
        char *slash = strrchr(folder, '/');
        strcpy(slash ? slash : folder, slash ? "" : ".");
    }
    status = trop_inspect_read(i, setup, folder);
    trop_alloc_free(folder);
    return status;
}

/* (n, d), (heads, n, d) and (layers, heads, n, d) become the last. */
static enum trop_status widen(struct trop_array *array, const char *name)
{
    const int64_t missing = TROP_ARRAY_RANK - array->rank;

    if (array->rank < 2) {
        return trop_fail(TROP_ERR_IO, "%s: must be (layers, heads, n, d), (heads, n, d) or (n, d)",
                         name);
    }
    for (int64_t k = TROP_ARRAY_RANK - 1; k >= 0; k--) {
        array->shape[k] = k >= missing ? array->shape[k - missing] : 1;
    }
    array->rank = TROP_ARRAY_RANK;
    return TROP_OK;
}

static enum trop_status take_arrays(struct trop_inspect *i, struct trop_setup *setup,
                                    const struct trop_job_options *files)
{
    struct trop_array *const arrays[] = { &i->q, &i->k, &i->v };
    const char *const names[] = { "q", "k", "v" }, *const paths[] = { files->q, files->k,
                                                                      files->v };
    enum trop_status status = TROP_OK;

    for (int a = 0; a < 3 && status == TROP_OK; a++) {
        status = paths[a] ? trop_setup_read_array(arrays[a], setup, names[a], paths[a])
                          : trop_fail(TROP_ERR_ARG, "q, k and v: %s is missing", names[a]);
        status = status == TROP_OK ? widen(arrays[a], names[a]) : status;
        if (status == TROP_OK && memcmp(arrays[a]->shape, i->q.shape, sizeof i->q.shape) != 0) {
            char one[96], other[96];
            trop_array_words(one, &i->q);
            trop_array_words(other, arrays[a]);
            const int is_grouped = arrays[a]->shape[1] > 0 && arrays[a]->shape[1] < i->q.shape[1] &&
                                   i->q.shape[1] % arrays[a]->shape[1] == 0;
            status = trop_fail(TROP_ERR_IO, "q is %s, %s is %s: must be of one shape%s", one,
                               names[a], other,
                               is_grouped ? "; of grouped queries repeat keys and values for each "
                                            "head (repeat_interleave)"
                                          : "");
        }
    }
    if (status == TROP_OK && trop_array_count(i->q.rank, i->q.shape) < 1) {
        status = trop_fail(TROP_ERR_IO, "q: is empty");
    }
    if (status != TROP_OK) {
        return status;
    }
    i->layer_total = i->q.shape[0];
    i->head_total = i->q.shape[1];
    i->text = trop_alloc(1, sizeof *i->text);
    if (!i->text) {
        return no_memory(i);
    }
    i->texts = 1;
    i->text->n = i->q.shape[2];
    return TROP_OK;
}

/* The heads and layers that are looked at, and room for their numbers. */
static enum trop_status make_heads(struct trop_inspect *i)
{
    const struct trop_inspect_options *o = &i->options;
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(i->wanted_layer, i->layer_total),
                    TROP_PART(i->wanted_head, i->head_total),
                    TROP_PART(i->head, i->layer_total * i->head_total),
                    TROP_PART(i->layer, i->layer_total + 1))) {
        return no_memory(i);
    }
    status = trop_inspect_list(i->wanted_layer, i->layer_total, o->layers, "layers");
    if (status == TROP_OK) {
        status = trop_inspect_list(i->wanted_head, i->head_total, o->heads, "heads");
    }
    for (int64_t l = 0; l < i->layer_total && status == TROP_OK; l++) {
        for (int64_t h = 0; h < i->head_total && i->wanted_layer[l]; h++) {
            if (i->wanted_head[h]) {
                struct trop_inspect_head *head = i->head + i->heads++;
                head->layer = l;
                head->head = h;
                head->value = trop_alloc(TROP_INSPECT_NUMBERS * i->texts, sizeof *head->value);
                status = head->value ? status : no_memory(i);
            }
        }
    }
    for (int64_t l = 0; l <= i->layer_total && status == TROP_OK; l++) {
        const int wanted = l == i->layer_total || i->wanted_layer[l];
        if (wanted && (i->measures & TROP_INSPECT_DEPTH || i->options.inputs)) {
            struct trop_inspect_layer *layer = i->layer + i->layers++;
            layer->layer = l;
            layer->value = trop_alloc(TROP_INSPECT_LAYER_NUMBERS * i->texts, sizeof *layer->value);
            status = layer->value ? status : no_memory(i);
        }
    }
    if (status == TROP_OK && i->options.inputs) {
        return trop_inspect_open_inputs(i);
    }
    return status == TROP_OK && i->proves && i->model ? trop_inspect_open_heads(i) : status;
}

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    const struct trop_job_options *files = trop_setup_job(setup);
    struct trop_inspect *i = trop_alloc(1, sizeof *i);

    (void)job;
    if (!i) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for heads");
    }
    i->options = *trop_setup_inspect(setup);
    const int arrays = files->q || files->k || files->v;
    enum trop_status status = trop_option_check(&i->options, trop_inspect_option_table());
    if (status == TROP_OK && !i->options.model == !arrays) {
        status = trop_fail(TROP_ERR_ARG, "which model? A folder or file, or q, k and v");
    }
    if (status == TROP_OK) {
        i->options.threads = i->options.threads > 0 ? i->options.threads : trop_parallel_cores();
        status = trop_inspect_which(&i->measures, &i->options);
    }
    if (status == TROP_OK) {
        status = arrays ? take_arrays(i, setup, files) : open_model(i, setup);
    }
    if (status == TROP_OK && i->options.rows && i->texts > 1) {
        status = trop_fail(TROP_ERR_ARG, "rows: are of one text, and there are %lld",
                           (long long)i->texts);
    }
    if (status == TROP_OK && i->options.inputs && i->texts > 1) {
        status = trop_fail(TROP_ERR_ARG, "inputs: are of one text, and there are %lld",
                           (long long)i->texts);
    }
    if (status == TROP_OK && files->proof && i->texts > 1) {
        status = trop_fail(TROP_ERR_ARG, "proof: is of one text, and there are %lld",
                           (long long)i->texts);
    }
    i->proves = files->proof || setup->proves;
    i->keeps_rows = i->options.rows || ((files->report || i->proves) && i->texts == 1);
    status = status == TROP_OK ? make_heads(i) : status;
    if (status == TROP_OK) {
        status = trop_inspect_tell(i);
    }
    if (status != TROP_OK) {
        release(i);
        return status;
    }
    *out = i;
    return TROP_OK;
}

/* ---- the heads of one layer ------------------------------------------------------------------ */

struct batch {
    struct trop_inspect *i;
    int64_t text, first;                        /* the first head of the layer in i->head */
    const struct trop_transformer_layer *layer; /* NULL: arrays alone */
    enum trop_status *status;                   /* of each head */
    char (*error)[256];
};

static void input_of(struct trop_head_input *out, const struct batch *b,
                     const struct trop_inspect_head *head)
{
    const struct trop_inspect *i = b->i;

    if (b->layer) {
        trop_transformer_head(out, b->layer, head->head);
        return;
    }
    const int64_t n = i->q.shape[2], d = i->q.shape[3];
    const int64_t at = (head->layer * i->head_total + head->head) * n * d;
    *out = (struct trop_head_input){
        .n = n,
        .d = d,
        .q = i->q.data + at,
        .k = i->k.data + at,
        .v = i->v.data + at,
        .scale = i->options.scale > 0 ? i->options.scale : 1 / sqrt((double)d),
        .causal = i->options.mask == TROP_INSPECT_CAUSAL,
    };
}

static void measure(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct batch *b = context;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        struct trop_head_input input;
        input_of(&input, b, b->i->head + b->first + k);
        trop_inspect_keep_input(b->i->head + b->first + k, &input, !b->layer);
        b->status[k] = trop_inspect_head(b->i, b->first + k, b->text, &input);
        if (b->status[k] != TROP_OK) {
            snprintf(b->error[k], sizeof b->error[k], "%s", trop_error());
        }
    }
}

static enum trop_status measure_layer(struct trop_inspect *i, int64_t text, int64_t first,
                                      int64_t heads, const struct trop_transformer_layer *layer)
{
    struct batch b = { .i = i, .text = text, .first = first, .layer = layer };
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(b.status, heads), TROP_PART(b.error, heads))) {
        status = no_memory(i);
    } else {
        trop_parallel(i->options.threads, heads, measure, &b);
    }
    for (int64_t k = 0; k < heads && status == TROP_OK; k++) {
        status = b.status[k] == TROP_OK ? TROP_OK : trop_fail(b.status[k], "%s", b.error[k]);
    }
    TROP_FREE(b.status, b.error);
    return status;
}

/* ---- through depth --------------------------------------------------------------------------- */

static enum trop_status measure_depths(struct trop_inspect *i, int64_t text,
                                       const struct trop_transformer_pass *pass)
{
    const int64_t n = i->text[text].n, width = trop_transformer_config(i->model)->width;
    struct trop_depth *depth = NULL;
    enum trop_status status = trop_depth_create(&depth, n, width);

    for (int64_t l = 0; l < i->layers && status == TROP_OK; l++) {
        double *value = i->layer[l].value;
        status = trop_depth_measure(depth, trop_transformer_stream(pass, i->layer[l].layer),
                                    i->options.tolerance);
        const double told[TROP_INSPECT_LAYER_NUMBERS] = {
            [TROP_INSPECT_COSINE] = depth->cosine,
            [TROP_INSPECT_COSINE_CENTRED] = depth->cosine_centred,
            [TROP_INSPECT_COSINE_ORDINARY] = depth->cosine_ordinary,
            [TROP_INSPECT_EFFECTIVE_RANK] = depth->effective_rank,
            [TROP_INSPECT_CLUSTERS] = (double)depth->clusters,
            [TROP_INSPECT_MASSIVE] = (double)depth->massive,
        };
        for (int k = 0; k < TROP_INSPECT_LAYER_NUMBERS && status == TROP_OK; k++) {
            value[k * i->texts + text] = told[k];
        }
    }
    trop_depth_free(depth);
    return status;
}

/* ---- running --------------------------------------------------------------------------------- */

int64_t trop_inspect_heads_of_layer(const struct trop_inspect *i, int64_t first)
{
    int64_t count = 1;

    while (first + count < i->heads && i->head[first + count].layer == i->head[first].layer) {
        count++;
    }
    return count;
}

static enum trop_status inspect_layer(struct trop_inspect *i, int64_t text, int64_t first,
                                      int64_t count, struct trop_inspect_patches *patches)
{
    struct trop_transformer_layer *layer = NULL;
    enum trop_status status =
        i->model ? trop_transformer_layer(&layer, patches->pass, i->head[first].layer) : TROP_OK;

    if (status == TROP_OK) {
        status = measure_layer(i, text, first, count, layer);
    }
    for (int64_t k = 0; k < count && status == TROP_OK && i->measures & TROP_INSPECT_PATCH; k++) {
        status = trop_inspect_patch_head(i, patches, first + k, text, layer);
    }
    trop_transformer_layer_free(layer);
    return status;
}

static enum trop_status inspect_text(struct trop_inspect *i, int64_t text, trop_progress *progress,
                                     void *context)
{
    const struct trop_inspect_text *told = i->text + text;
    struct trop_transformer_pass *pass = NULL;
    struct trop_inspect_patches patches = { 0 };
    enum trop_status status =
        i->model ? trop_transformer_run(&pass, i->model, told->ids, NULL, told->n) : TROP_OK;

    patches.pass = pass;
    if (status == TROP_OK && i->measures & TROP_INSPECT_DEPTH) {
        status = measure_depths(i, text, pass);
    }
    if (status == TROP_OK && i->options.inputs) {
        trop_inspect_keep_streams(i, pass);
    }
    if (status == TROP_OK && i->model) {
        status = trop_inspect_open_patches(&patches, i, text);
    }
    for (int64_t first = 0; first < i->heads && status == TROP_OK;) {
        const int64_t count = trop_inspect_heads_of_layer(i, first);
        status = progress && progress(context, text * i->heads + first, i->texts * i->heads)
                     ? trop_fail(TROP_ERR_STOPPED, "stopped after %lld of %lld texts",
                                 (long long)text, (long long)i->texts)
                     : inspect_layer(i, text, first, count, &patches);
        first += count;
    }
    TROP_FREE(patches.hidden, patches.logits, patches.patched);
    trop_transformer_free(pass);
    return status;
}

static void sum_up(struct trop_inspect_mean *out, const double *value, int64_t count)
{
    double sum = 0, squares = 0, known = 0;

    for (int64_t t = 0; t < count; t++) {
        sum += isnan(value[t]) ? 0 : value[t];
        known += !isnan(value[t]);
    }
    out->mean = known > 0 ? sum / known : NAN;
    for (int64_t t = 0; t < count; t++) {
        const double off = isnan(value[t]) ? 0 : value[t] - out->mean;
        squares = fma(off, off, squares);
    }
    out->deviation = known > 1 ? sqrt(squares / (known - 1)) : NAN;
}

/* Of several texts those that are done count, also when the rest was stopped. */
static enum trop_status run(void *numbers, trop_progress *progress, void *context)
{
    struct trop_inspect *i = numbers;
    enum trop_status status = TROP_OK;

    for (; i->done < i->texts && status == TROP_OK; i->done += status == TROP_OK) {
        status = inspect_text(i, i->done, progress, context);
    }
    status = status == TROP_OK && i->model ? trop_inspect_held_out(i, progress, context) : status;
    for (int64_t h = 0; h < i->heads; h++) {
        for (int k = 0; k < TROP_INSPECT_NUMBERS; k++) {
            sum_up(i->head[h].number + k, i->head[h].value + k * i->texts, i->done);
        }
    }
    for (int64_t l = 0; l < i->layers; l++) {
        for (int k = 0; k < TROP_INSPECT_LAYER_NUMBERS; k++) {
            sum_up(i->layer[l].number + k, i->layer[l].value + k * i->texts, i->done);
        }
    }
    return status;
}

/* Margins of heads whose positions are rotations have no meaning. */
static const char *notice(const void *numbers)
{
    const struct trop_inspect *i = numbers;
    const int asked = i->model && i->measures & TROP_INSPECT_MARGIN;

    return asked && trop_transformer_config(i->model)->rotation.theta != 0
               ? "margin: is not defined with rotated positions, and absent"
               : "";
}

/* Flips in q, 16 bits and reach have claims, of one text; flips in x^, margins and merges have
 * none.
 */
static int stands(const void *numbers)
{
    const struct trop_inspect *i = numbers;
    const int64_t flip = i->measures & TROP_INSPECT_FLIP, reach = i->measures & TROP_INSPECT_REACH;
    const int64_t others = i->measures & (TROP_INSPECT_MARGIN | TROP_INSPECT_HYPOTHETICAL);

    return !(flip || reach || others) ? -1 : i->texts == 1 && !others && !(flip && i->model);
}

static const struct trop_field *chosen(const void *numbers)
{
    return ((const struct trop_inspect *)numbers)->fields;
}

const struct trop_noun trop_inspect_noun = {
    .format = "tropism inspect",
    .endings = { ".h5", ".json", ".csv" },
    .proofs = trop_proof_inspect,
    .stands = stands,
    .csv = "heads",
    .create = create,
    .free = release,
    .run = run,
    .fields = trop_inspect_field_table,
    .chosen = chosen,
    .notice = notice,
    .html = trop_inspect_html,
};
