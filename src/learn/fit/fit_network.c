/* fit_network.c -- batches of fit_network.h: items shared among workers, and the sums over them. */
#include "learn/fit/fit_network.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/parallel.h"
#include "kernel/kernel_linear.h"
#include "kernel/kernel_sequence.h"

#include <math.h>
#include <string.h>

/* Products that are worth a worker: some 30 microseconds, several times what starting one costs. */
#define WORTH 262144.0

/* ---- weights --------------------------------------------------------------------------------- */

void trop_fit_network_set(struct trop_fit_network *n, double *const value[TROP_FIT_LETTERS])
{
    const int64_t d = n->shape.d, width = n->shape.width;

    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        n->value[k] = value[k];
    }
    n->gain =
        value[TROP_FIT_LETTER_A] ? *value[TROP_FIT_LETTER_A] / (1 + *value[TROP_FIT_LETTER_A]) : 0;
    if (value[TROP_FIT_LETTER_Z]) {
        memcpy(n->prompt, value[TROP_FIT_LETTER_Z], (size_t)d * sizeof(double));
    }
    for (int64_t r = 0; r < n->shape.heads * d; r++) {
        double *row = n->w + r * n->stride;
        if (width == 0) {
            memcpy(row, value[TROP_FIT_LETTER_W] + r * d, (size_t)d * sizeof(double));
        } else { /* row r of K_h Q_h' */
            n->kernel->linear->dots(row, value[TROP_FIT_LETTER_Q] + r / d * d * width, width, d,
                                    value[TROP_FIT_LETTER_K] + r * width, width);
        }
        for (int64_t c = 0; c < d; c++) {
            n->turned[(r / d * d + c) * n->stride + r % d] = row[c];
        }
    }
    for (int64_t h = 0; h < n->shape.heads && value[TROP_FIT_LETTER_Z]; h++) {
        trop_fit_network_query(n->u + h * n->stride, n, n->prompt, h);
    }
}

/* ---- which rows a batch moves ---------------------------------------------------------------- */

/* Rows in the order of their first token, and the tokens of each, ascending: by counting. key: of
 * each token its row, and then the row's place in out; slot: (rows) -1, and again so at the end. */
static void group(struct trop_fit_rows *out, int32_t *key, int64_t tokens, int64_t *slot)
{
    out->count = 0;
    for (int64_t t = 0; t < tokens; t++) {
        if (slot[key[t]] < 0) {
            slot[key[t]] = out->count;
            out->row[out->count] = key[t];
            out->start[out->count++] = 0;
        }
        out->start[slot[key[t]]]++;
    }
    int64_t sum = 0;
    for (int64_t k = 0; k < out->count; k++) {
        const int64_t count = out->start[k];
        out->start[k] = sum;
        sum += count;
    }
    for (int64_t t = 0; t < tokens; t++) {
        key[t] = (int32_t)slot[key[t]];
        out->token[out->start[key[t]]++] = t;
    }
    for (int64_t k = out->count; k > 0; k--) { /* starts are ends now */
        out->start[k] = out->start[k - 1];
    }
    out->start[0] = 0;
    for (int64_t k = 0; k < out->count; k++) {
        slot[out->row[k]] = -1;
    }
}

/* The same of places, which are 0, 1, ... in every item. */
static void group_places(struct trop_fit_rows *out, const int64_t *at, int64_t count)
{
    int64_t longest = 0, sum = 0;

    for (int64_t q = 0; q < count; q++) {
        longest = at[q + 1] - at[q] > longest ? at[q + 1] - at[q] : longest;
    }
    out->count = longest;
    for (int64_t t = 0; t < longest; t++) {
        out->row[t] = t;
        out->start[t] = sum;
        for (int64_t q = 0; q < count; q++) {
            if (at[q] + t < at[q + 1]) {
                out->token[sum++] = at[q] + t;
            }
        }
    }
    out->start[longest] = sum;
}

void trop_fit_network_index(struct trop_fit_network *n, const struct trop_sequences *sequences,
                            const int64_t *list, int64_t count)
{
    n->at[0] = 0;
    for (int64_t q = 0; q < count; q++) {
        const int64_t from = sequences->offsets[list[q]];
        const int64_t T = sequences->offsets[list[q] + 1] - from;
        n->at[q + 1] = n->at[q] + T;
        for (int64_t t = n->at[q]; t < n->at[q + 1]; t++) {
            n->owner[t] = (int32_t)q;
        }
        if (n->shape.words > 0) {
            memcpy(n->id + n->at[q], sequences->ids + from, (size_t)T * sizeof *n->id);
        }
    }
    if (n->shape.words > 0) {
        group(&n->words, n->id, n->at[count], n->slot);
    }
    if (n->shape.places > 0) {
        group_places(&n->spots, n->at, count);
    }
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* Cross entropy log sum_r e^f_r - f_y; its slopes are softmax(f) less 1 at y. */
static double cross_entropy(double *slope, const double *f, int64_t outputs, int64_t y)
{
    double top = f[0], sum = 0;

    for (int64_t r = 1; r < outputs; r++) {
        top = f[r] > top ? f[r] : top;
    }
    for (int64_t r = 0; r < outputs; r++) {
        sum += trop_exp(f[r] - top);
    }
    for (int64_t r = 0; slope && r < outputs; r++) {
        slope[r] = trop_exp(f[r] - top) / sum - (r == y);
    }
    return trop_log(sum) + (top - f[y]);
}

double trop_fit_network_loss(double *slope, const struct trop_fit_network *n, const double *f,
                             int64_t y)
{
    if (n->shape.outputs > 1) {
        return cross_entropy(slope, f, n->shape.outputs, y);
    }
    const double sign = y == 1 ? 1 : -1;
    if (slope) {
        *slope = -sign * trop_exp(n->shape.loss->log_slope(sign * f[0]));
    }
    return n->shape.loss->value(sign * f[0]);
}

int64_t trop_fit_network_class(const double *f, int64_t outputs)
{
    int64_t best = outputs > 1 ? 0 : f[0] > 0;

    for (int64_t r = 1; r < outputs; r++) {
        best = f[r] > f[best] ? r : best;
    }
    return best;
}

/* ---- a batch --------------------------------------------------------------------------------- */

struct batch {
    struct trop_fit_network *network;
    const struct trop_sequences *sequences;
    const int64_t *list; /* NULL: 0, 1, ... */
    int64_t count;
    double *outputs;   /* of read: (count, outputs) */
    double *attention; /* of read */
};

static struct trop_fit_item item_of(const struct batch *b, int64_t q)
{
    const struct trop_sequences *s = b->sequences;
    const int64_t i = b->list ? b->list[q] : q, from = s->offsets[i];

    return (struct trop_fit_item){
        .e = b->network->value[TROP_FIT_LETTER_E],
        .id = s->ids ? s->ids + from : NULL,
        .vectors = s->ids ? NULL : s->vectors + from * s->width,
        .T = s->offsets[i + 1] - from,
        .label = s->labels ? s->labels[i] : 0,
        .share = 1 / (double)b->count,
    };
}

/* A batch meets its words several times, and E may be larger than the caches. */
static void bring_near(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_fit_network *n = ((const struct batch *)context)->network;
    const int64_t d = n->shape.d;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        memcpy(n->near + k * d, n->value[TROP_FIT_LETTER_E] + n->words.row[k] * d,
               (size_t)d * sizeof *n->near);
    }
}

/* Groups first to last - 1 of the items: each of them in order. */
static void learn_groups(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct batch *b = context;
    struct trop_fit_network *n = b->network;
    const int64_t square = n->shape.heads * n->shape.d * n->stride;

    for (int64_t g = first; g < last; g++) {
        double *part = n->parts + g * square;
        if (n->shape.query == TROP_FIT_EACH && n->shape.heads > 0) {
            memset(part, 0, (size_t)square * sizeof *part);
        }
        for (int64_t q = g * b->count / n->groups; q < (g + 1) * b->count / n->groups; q++) {
            struct trop_fit_item item = item_of(b, q);
            item.outputs = n->room[worker].f;
            if (n->shape.words > 0) {
                item.e = n->near;
                item.id = n->id + n->at[q];
            }
            trop_fit_network_item(n, n->room + worker, &item, q, part);
        }
    }
}

/* As many workers as there is work for, which changes no bit. */
static void share(struct batch *b, int64_t count, double products,
                  void (*work)(void *context, int64_t first, int64_t last, int64_t worker))
{
    const double most = ceil(products / WORTH);

    trop_parallel((double)b->network->workers < most ? b->network->workers : (int64_t)most, count,
                  work, b);
}

/* ---- sums over a batch ----------------------------------------------------------------------- */

static void collect_rows(double *out, const struct trop_fit_network *n,
                         const struct trop_fit_rows *rows, int64_t first, int64_t last)
{
    const int64_t d = n->shape.d;

    for (int64_t k = first; k < last; k++) {
        const int64_t *list = rows->token + rows->start[k];
        const int64_t count = rows->start[k + 1] - rows->start[k];
        if (n->terms > 0) {
            n->kernel->sequence->combine(out + k * d, n->factor, n->term, n->terms, n->stride,
                                         n->owner, list, count, d);
        } else {
            n->kernel->sequence->collect(out + k * d, n->dx, n->stride, list, count, d);
        }
    }
}

static void collect_words(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct batch *b = context;

    (void)worker;
    collect_rows(b->network->gradient[TROP_FIT_LETTER_E], b->network, &b->network->words, first,
                 last);
}

/* Rows first to last - 1 of E of vectors: sum over tokens of coordinate r times dx. */
static void collect_inputs(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct batch *b = context;
    struct trop_fit_network *n = b->network;
    const int64_t d = n->shape.d, inputs = n->shape.inputs;

    (void)worker;
    for (int64_t r = first; r < last; r++) {
        double *to = n->gradient[TROP_FIT_LETTER_E] + r * d;
        memset(to, 0, (size_t)d * sizeof *to);
        for (int64_t q = 0; q < b->count; q++) {
            const double *vectors = item_of(b, q).vectors;
            for (int64_t t = n->at[q]; t < n->at[q + 1]; t++) {
                n->kernel->linear->grow(to, vectors[(t - n->at[q]) * inputs + r],
                                        n->dx + t * n->stride, d);
            }
        }
    }
}

/* dW of each, rows first to last - 1: the sums of the groups, in order. */
static void collect_groups(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_fit_network *n = ((const struct batch *)context)->network;
    const int64_t square = n->shape.heads * n->shape.d * n->stride;
    double *to = n->dw + first * n->stride;

    (void)worker;
    memcpy(to, n->parts + first * n->stride, (size_t)((last - first) * n->stride) * sizeof *to);
    for (int64_t g = 1; g < n->groups; g++) {
        n->kernel->linear->grow(to, 1, n->parts + g * square + first * n->stride,
                                (last - first) * n->stride);
    }
}

/* dW of one query an item: the outer products of pulls and queries, in the order of the items. */
static void collect_w(struct trop_fit_network *n, const double *pull, const double *z,
                      int64_t count)
{
    const int64_t d = n->shape.d, heads = n->shape.heads;

    for (int64_t h = 0; h < heads; h++) {
        n->kernel->sequence->product(&(struct trop_kernel_sequence_product){
            .c = n->dw + h * d * n->stride,
            .c_stride = n->stride,
            .a = pull + h * n->stride,
            .a_row = 1,
            .a_column = heads * n->stride,
            .b = z,
            .b_stride = n->stride,
            .m = d,
            .n = n->stride,
            .inner = count,
        });
    }
}

/* dW and dz of the prompt, from the sum of the pulls. */
static void collect_prompt(struct trop_fit_network *n, int64_t count)
{
    const int64_t d = n->shape.d, heads = n->shape.heads;
    double *prompt = n->gradient[TROP_FIT_LETTER_Z];

    memcpy(n->sum, n->pull, (size_t)(heads * n->stride) * sizeof *n->sum);
    for (int64_t q = 1; q < count; q++) {
        n->kernel->linear->grow(n->sum, 1, n->pull + q * heads * n->stride, heads * n->stride);
    }
    collect_w(n, n->sum, n->prompt, 1);
    memset(prompt, 0, (size_t)d * sizeof *prompt);
    for (int64_t r = 0; r < heads * d; r++) {
        n->kernel->linear->grow(prompt, n->sum[r / d * n->stride + r % d], n->w + r * n->stride, d);
    }
}

/* dK_h = dW_h Q_h, dQ_h = dW_h' K_h. */
static void split_w(struct trop_fit_network *n)
{
    const int64_t d = n->shape.d, width = n->shape.width;
    const double *k = n->value[TROP_FIT_LETTER_K], *q = n->value[TROP_FIT_LETTER_Q];
    double *dk = n->gradient[TROP_FIT_LETTER_K], *dq = n->gradient[TROP_FIT_LETTER_Q];

    memset(dq, 0, (size_t)(n->shape.heads * d * width) * sizeof *dq);
    for (int64_t r = 0; r < n->shape.heads * d; r++) {
        const int64_t head = r / d * d;
        const double *dw = n->dw + r * n->stride;
        n->kernel->linear->gather(dk + r * width, dw, q + head * width, width, d, width);
        n->kernel->linear->rank_one(dq + head * width, width, dw, d, k + r * width, width);
    }
}

/* What the first tokens get as queries. */
static void collect_first(struct trop_fit_network *n, int64_t count)
{
    const int64_t d = n->shape.d;

    for (int64_t q = 0; q < count && n->terms > 0; q++) {
        n->kernel->linear->grow(n->gradient[TROP_FIT_LETTER_E] + n->id[n->at[q]] * d, 1,
                                n->dz + q * n->stride, d);
        if (n->shape.places > 0) {
            n->kernel->linear->grow(n->gradient[TROP_FIT_LETTER_P], 1, n->dz + q * n->stride, d);
        }
    }
}

static void collect_small(struct trop_fit_network *n, int64_t count)
{
    const int64_t columns = n->columns[TROP_FIT_LETTER_V];
    double *dv = n->gradient[TROP_FIT_LETTER_V];

    memset(dv, 0, (size_t)(n->shape.outputs * columns) * sizeof *dv);
    for (int64_t q = 0; q < count; q++) {
        n->kernel->linear->rank_one(dv, columns, n->slope + q * n->shape.outputs, n->shape.outputs,
                                    n->o + q * columns, columns);
    }
    if (n->shape.places > 0) {
        collect_rows(n->gradient[TROP_FIT_LETTER_P], n, &n->spots, 0, n->spots.count);
    }
    for (int64_t r = 0; r < n->shape.outputs && n->shape.bias; r++) {
        double *db = n->gradient[TROP_FIT_LETTER_B] + r;
        *db = 0;
        for (int64_t q = 0; q < count; q++) {
            *db += n->slope[q * n->shape.outputs + r];
        }
    }
    if (n->shape.layers > 0) {
        const double whole = 1 + *n->value[TROP_FIT_LETTER_A]; /* dg/da = 1/(1 + a)^2 */
        double sum = 0;
        for (int64_t q = 0; q < count; q++) {
            sum += n->gained[q];
        }
        *n->gradient[TROP_FIT_LETTER_A] = sum / (whole * whole);
    }
}

double trop_fit_network_learn(struct trop_fit_network *n, const struct trop_sequences *sequences,
                              const int64_t *list, int64_t count)
{
    struct batch b = { .network = n, .sequences = sequences, .list = list, .count = count };
    const int64_t d = n->shape.d, heads = n->shape.heads;
    const int each = n->shape.query == TROP_FIT_EACH && heads > 0;
    const double numbers = (double)(n->at[count] * d) * (double)(heads > 0 ? heads : 1);
    double sum = 0;

    if (n->shape.words > 0) {
        share(&b, n->words.count, (double)(n->words.count * d), bring_near);
    }
    const double pairs = (double)(each + 2 * n->shape.layers) * (double)n->shape.longest;
    share(&b, n->groups, (8 + 4 * pairs) * numbers, learn_groups);
    for (int64_t q = 0; q < count; q++) {
        sum += n->loss_of[q];
    }
    if (n->shape.words > 0) {
        share(&b, n->words.count, 2 * numbers, collect_words);
    } else if (n->shape.embeds) {
        share(&b, n->shape.inputs, numbers * (double)n->shape.inputs, collect_inputs);
    }
    if (each) {
        share(&b, heads * d, (double)(n->groups * heads * d * d), collect_groups);
    } else if (n->shape.query == TROP_FIT_PROMPT && heads > 0) {
        collect_prompt(n, count);
    } else if (heads > 0) {
        collect_w(n, n->pull, n->z, count);
    }
    collect_small(n, count);
    if (heads > 0 && n->shape.query == TROP_FIT_FIRST) {
        collect_first(n, count);
    }
    if (n->shape.width > 0 && heads > 0) {
        split_w(n);
    }
    for (int64_t r = 0; r < heads * d && n->shape.width == 0; r++) {
        memcpy(n->gradient[TROP_FIT_LETTER_W] + r * d, n->dw + r * n->stride,
               (size_t)d * sizeof(double));
    }
    return sum / (double)count;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void read_items(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct batch *b = context;
    int64_t from = 0;

    for (int64_t q = 0; b->attention && q < first; q++) {
        from += item_of(b, q).T;
    }
    for (int64_t q = first; q < last; q++) {
        struct trop_fit_item item = item_of(b, q);
        item.outputs = b->outputs + q * b->network->shape.outputs;
        item.attention = b->attention ? b->attention + from : NULL;
        trop_fit_network_item(b->network, b->network->room + worker, &item, -1, NULL);
        from += item.T;
    }
}

void trop_fit_network_read(double *outputs, double *attention, struct trop_fit_network *n,
                           const struct trop_sequences *sequences, const int64_t *list,
                           int64_t count)
{
    struct batch b = {
        .network = n,
        .sequences = sequences,
        .list = list,
        .count = count,
        .outputs = outputs,
        .attention = attention,
    };

    trop_parallel(n->workers, count, read_items, &b);
}
