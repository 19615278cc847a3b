/* head_margin_task.c -- what a head selects on texts, and the constraints of it. */
#include "model/head/head_margin_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define TOKENS 4096 /* of all texts: the solver holds two (tokens, tokens) kernels */
#define CONSTRAINTS 4000000

enum trop_status trop_head_margin_task_check(const struct trop_head_input *input)
{
    if (!input->hat || !input->wq || !input->wk || input->width < 1) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "margin: is about the matrix of a model's head, and "
                                               "arrays of queries and keys have none");
    }
    if (input->angle) {
        return trop_fail(TROP_ERR_UNSUPPORTED,
                         "margin: is not defined for a head that rotates its queries and keys, "
                         "whose matrix differs from pair to pair of tokens");
    }
    if (input->n < 1 || input->d < 1 || !(input->scale > 0 && isfinite(input->scale))) {
        return trop_fail(TROP_ERR_ARG, "margin: n = %lld, d = %lld, scale = %g: must be positive",
                         (long long)input->n, (long long)input->d, input->scale);
    }
    return TROP_OK;
}

void trop_head_margin_task_close(struct trop_head_margin_task *task)
{
    TROP_FREE(task->x, task->z, task->start, task->low, task->high, task->best, task->from,
              task->plus, task->minus, task->asked, task->equal, task->token, task->right,
              task->value);
    *task = (struct trop_head_margin_task){ 0 };
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static enum trop_status tokens_count(struct trop_head_margin_task *task,
                                     const struct trop_head_input *inputs)
{
    task->width = inputs[0].width;
    for (int64_t b = 0; b < task->texts; b++) {
        const enum trop_status status = trop_head_margin_task_check(inputs + b);
        if (status != TROP_OK) {
            return status;
        }
        if (inputs[b].width != task->width || inputs[b].d != inputs[0].d) {
            return trop_fail(TROP_ERR_ARG,
                             "margin: text %lld has width %lld and d = %lld, the first %lld and "
                             "%lld: must be of the same head",
                             (long long)b, (long long)inputs[b].width, (long long)inputs[b].d,
                             (long long)task->width, (long long)inputs[0].d);
        }
        task->tokens += inputs[b].n < TOKENS ? inputs[b].n : TOKENS + 1;
        if (task->tokens > TOKENS) {
            return trop_fail(TROP_ERR_ARG, "margin: the texts have more than %d tokens: take fewer",
                             TOKENS);
        }
    }
    return TROP_OK;
}

/* Copies of the tokens, and which of them a row sees. */
static void tokens_fill(struct trop_head_margin_task *task, const struct trop_head_input *inputs)
{
    const int64_t w = task->width;

    for (int64_t b = 0; b < task->texts; b++) {
        const struct trop_head_input *input = inputs + b;
        const int64_t start = task->start[b], end = start + input->n;
        task->start[b + 1] = end;
        memcpy(task->x + start * w, input->hat, (size_t)(input->n * w) * sizeof *task->x);
        for (int64_t i = start; i < end; i++) {
            const int64_t low = input->window > 0 ? i - input->window + 1 : start;
            const int64_t high = input->causal                                  ? i + 1
                                 : input->window > 0 && input->window < end - i ? i + input->window
                                                                                : end;
            task->low[i] = low > start ? low : start;
            task->high[i] = high;
            memcpy(task->z + i * (w + 1), task->x + i * w, (size_t)w * sizeof *task->z);
            task->z[i * (w + 1) + w] = 1;
        }
    }
}

static int is_finite(const double *x, int64_t n)
{
    int finite = 1;

    for (int64_t k = 0; k < n; k++) {
        finite &= isfinite(x[k]) != 0;
    }
    return finite;
}

/* ---- constraints ----------------------------------------------------------------------------- */

/* The token of row i with the highest score, the first of several. k: (tokens, d), q: (d). */
static int64_t best_of(const struct trop_head_margin_task *task, int64_t i, const double *k,
                       const double *q, int64_t d)
{
    double most = -INFINITY;
    int64_t best = task->low[i];

    for (int64_t t = task->low[i]; t < task->high[i]; t++) {
        const double score = trop_linalg_dot(k + t * d, q, d);
        if (score > most) {
            most = score;
            best = t;
        }
    }
    return best;
}

static int is_same(const struct trop_head_margin_task *task, int64_t s, int64_t t)
{
    const double *x = task->x + s * task->width, *y = task->x + t * task->width;
    int64_t c = 0;

    while (c < task->width && x[c] == y[c]) {
        c++;
    }
    return c == task->width;
}

int64_t trop_head_margin_agreed(const struct trop_head_margin_task *task, const double *image)
{
    const int64_t w = task->width;
    int64_t agreed = 0;

    for (int64_t i = 0; i < task->tokens; i++) {
        if (task->from[i + 1] > task->from[i]) {
            const int64_t best = best_of(task, i, task->x, image + i * w, w);
            agreed += is_same(task, task->best[i], best);
        }
    }
    return agreed;
}

/* The constraints of row i, counted where there is no room yet. */
static int64_t row_list(struct trop_head_margin_task *task, int64_t i, int64_t count)
{
    int64_t text = 0;

    for (int64_t t = task->low[i]; t < task->high[i]; t++) {
        if (is_same(task, task->best[i], t)) {
            continue;
        }
        if (task->plus) {
            for (; task->start[text + 1] <= i; text++) {
            }
            task->plus[count] = task->best[i];
            task->minus[count] = t;
            task->asked[count] = i;
            task->token[count] = t - task->start[text];
            task->right[count] = 1;
        }
        count++;
    }
    return count;
}

static enum trop_status constraints_make(struct trop_head_margin_task *task)
{
    const int64_t n = task->tokens;

    for (int64_t i = 0; i < n; i++) {
        task->from[i + 1] = row_list(task, i, task->from[i]);
        task->rows += task->from[i + 1] > task->from[i];
    }
    task->count = task->from[n];
    if (task->count > CONSTRAINTS) {
        return trop_fail(TROP_ERR_ARG,
                         "margin: %lld constraints, must be at most %d: take fewer "
                         "tokens",
                         (long long)task->count, CONSTRAINTS);
    }
    if (!TROP_ALLOC(TROP_PART(task->plus, task->count), TROP_PART(task->minus, task->count),
                    TROP_PART(task->asked, task->count), TROP_PART(task->equal, task->count),
                    TROP_PART(task->token, task->count), TROP_PART(task->right, task->count),
                    TROP_PART(task->value, task->count))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld constraints", (long long)task->count);
    }
    for (int64_t i = 0; i < n; i++) {
        row_list(task, i, task->from[i]);
    }
    return TROP_OK;
}

/* <A_j, W>, from differences of keys. */
static void values_make(struct trop_head_margin_task *task, const double *k, const double *q,
                        double *scratch, int64_t d)
{
    for (int64_t j = 0; j < task->count; j++) {
        const double *plus = k + task->plus[j] * d, *minus = k + task->minus[j] * d;
        for (int64_t a = 0; a < d; a++) {
            scratch[a] = plus[a] - minus[a];
        }
        task->value[j] = trop_linalg_dot(scratch, q + task->asked[j] * d, d);
    }
}

static void problem_tell(struct trop_head_margin_task *task)
{
    task->told = (struct trop_problem){
        .rows = task->width,
        .columns = task->width + 1,
        .points = task->tokens,
        .queries = task->tokens,
        .count = task->count,
        .point = task->x,
        .query = task->z,
        .plus = task->plus,
        .minus = task->minus,
        .asked = task->asked,
        .equal = task->equal,
        .right = task->right,
        .input = task->asked,
        .token = task->token,
    };
}

static enum trop_status task_fill(struct trop_head_margin_task *task,
                                  const struct trop_head_input *inputs,
                                  const struct trop_head_margin_pair *pair)
{
    const int64_t n = task->tokens, w = task->width, d = pair->d;
    double *k = NULL, *q = NULL, *scratch = NULL;
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(k, trop_alloc_product(n, d)), TROP_PART(q, trop_alloc_product(n, d)),
                    TROP_PART(scratch, d))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)n);
        goto done;
    }
    tokens_fill(task, inputs);
    trop_head_margin_coordinates(k, task->x, pair->key, n, w, d);
    trop_head_margin_coordinates(q, task->z, pair->query, n, w + 1, d);
    if (!is_finite(task->x, n * w) || !is_finite(k, n * d) || !is_finite(q, n * d)) {
        status = trop_fail(TROP_ERR_NUMERIC, "margin: a token, key or query is not finite");
        goto done;
    }
    for (int64_t i = 0; i < n; i++) {
        task->best[i] = best_of(task, i, k, q + i * d, d);
    }
    status = constraints_make(task);
    if (status == TROP_OK) {
        values_make(task, k, q, scratch, d);
        problem_tell(task);
    }
done:
    TROP_FREE(k, q, scratch);
    return status;
}

enum trop_status trop_head_margin_task_open(struct trop_head_margin_task *out,
                                            const struct trop_head_input *inputs, int64_t texts,
                                            const struct trop_head_margin_pair *pair)
{
    struct trop_head_margin_task task = { .texts = texts };
    enum trop_status status = tokens_count(&task, inputs);

    if (status != TROP_OK) {
        return status;
    }
    if (!TROP_ALLOC(TROP_PART(task.x, trop_alloc_product(task.tokens, task.width)),
                    TROP_PART(task.z, trop_alloc_product(task.tokens, task.width + 1)),
                    TROP_PART(task.start, texts + 1), TROP_PART(task.low, task.tokens),
                    TROP_PART(task.high, task.tokens), TROP_PART(task.best, task.tokens),
                    TROP_PART(task.from, task.tokens + 1))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)task.tokens);
    } else {
        status = task_fill(&task, inputs, pair);
    }
    if (status != TROP_OK) {
        trop_head_margin_task_close(&task);
        return status;
    }
    *out = task;
    return TROP_OK;
}
