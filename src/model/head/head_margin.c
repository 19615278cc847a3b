/* head_margin.c -- the share of the attainable margin of a head, and of random heads like it.
 *
 * |W_mm| is bounded by the judge of max-margin problems from the tokens as they were given
 * (margin_check.h): lower from the multipliers, upper from a W that satisfies every constraint. In
 * l2 the solver is head_margin_solve.c, in the nuclear norm that of src/margin. The Frobenius
 * product of W with W_mm = sum_j lambda_j A_j is sum_j lambda_j <A_j, W>.
 */
#include "model/head/head_margin_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 1e-8 /* proved gap of a solution */
#define OUTWARDS 0x1p-50
#define SENTENCE 200

struct trop_head_margin_options trop_head_margin_options_default(void)
{
    return (struct trop_head_margin_options){ .norm = TROP_MARGIN_L2, .nulls = 20, .seed = 1 };
}

static enum trop_status options_check(const struct trop_head_margin_options *options,
                                      const struct trop_head_input *input)
{
    if (options->norm != TROP_MARGIN_L2 && options->norm != TROP_MARGIN_NUCLEAR) {
        return trop_fail(TROP_ERR_ARG, "norm: the margin of a head is computed in l2 or nuclear");
    }
    if (options->nulls < 0 || options->nulls > TROP_HEAD_MARGIN_NULLS) {
        return trop_fail(TROP_ERR_ARG, "nulls = %lld: must be from 0 to %d",
                         (long long)options->nulls, TROP_HEAD_MARGIN_NULLS);
    }
    const enum trop_status status = trop_head_margin_task_check(input);
    if (status != TROP_OK) {
        return status;
    }
    if (input->window > 0 && input->window < input->n) {
        return trop_fail(TROP_ERR_UNSUPPORTED,
                         "margin: a window of %lld hides some of the %lld tokens: the "
                         "part of W that the constraints see is then not known",
                         (long long)input->window, (long long)input->n);
    }
    if (options->norm == TROP_MARGIN_NUCLEAR && input->causal) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "margin: the nuclear norm of the part of W that the "
                                               "constraints see is known only without a mask");
    }
    return TROP_OK;
}

/* ---- W_mm ------------------------------------------------------------------------------------ */

/* In l2; w is scaled to a least margin of 1. */
static enum trop_status solve_l2(struct trop_margin_proof *out, double *w, double *lambda,
                                 const struct trop_head_margin_task *task)
{
    const struct trop_margin_claim claim = {
        .norm = TROP_MARGIN_CHECK_LP, .p = 2, .w = w, .lambda = lambda
    };
    enum trop_status status = trop_head_margin_solve(lambda, task);

    if (status == TROP_OK) {
        status = trop_head_margin_combine(w, lambda, task);
    }
    return status == TROP_OK ? trop_margin_check_scaling(out, &task->told, &claim, w, NULL)
                             : status;
}

static enum trop_status solve_nuclear(struct trop_margin_proof *out, double *w,
                                      const struct trop_head_margin_task *task, int64_t threads)
{
    struct trop_margin_options options = trop_margin_options_default();
    struct trop_margin *margin = NULL;

    options.problem = &task->told;
    options.norm = TROP_MARGIN_NUCLEAR;
    options.threads = threads;
    enum trop_status status = trop_margin_create(&margin, &options);
    if (status == TROP_OK) {
        status = trop_margin_run(margin, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = trop_margin_number(&out->lower, margin, "lower");
    }
    if (status == TROP_OK) {
        status = trop_margin_number(&out->upper, margin, "upper");
    }
    if (status == TROP_OK) {
        memcpy(w, trop_margin_weights(margin),
               (size_t)(task->width * (task->width + 1)) * sizeof *w);
    }
    trop_margin_free(margin);
    return status;
}

/* ---- what is told ---------------------------------------------------------------------------- */

/* <W, V> for W = key' query. */
static double product_of(const struct trop_head_margin_pair *pair, const double *v, double *scratch)
{
    const int64_t w = pair->width;
    double sum = 0;

    for (int64_t a = 0; a < pair->d; a++) {
        for (int64_t c = 0; c < w; c++) {
            scratch[c] = trop_linalg_dot(v + c * (w + 1), pair->query + a * (w + 1), w + 1);
        }
        sum += trop_linalg_dot(scratch, pair->key + a * w, w);
    }
    return sum;
}

static int ascending(const void *context, int64_t a, int64_t b)
{
    const double *values = context;

    return values[a] < values[b];
}

/* g_i times factor of every row to each, their quantiles, and the least. order, each: (n). */
static double rows_tell(double *quantiles, double *each, int64_t *order,
                        const struct trop_head_margin_task *task, double factor)
{
    int64_t rows = 0;

    for (int64_t i = 0; i < task->tokens; i++) {
        double least = INFINITY;
        for (int64_t j = task->from[i]; j < task->from[i + 1]; j++) {
            least = fmin(least, task->value[j]);
        }
        each[i] = isfinite(least) ? least * factor : NAN;
        if (isfinite(least)) {
            order[rows++] = i;
        }
    }
    trop_sort(order, rows, ascending, each);
    for (int64_t k = 0; k < TROP_HEAD_MARGIN_QUANTILES; k++) {
        const int64_t last = TROP_HEAD_MARGIN_QUANTILES - 1, at = k * (rows - 1) / last;
        const double part = (double)(k * (rows - 1) % last) / (double)last;
        const double low = each[order[at]], high = part > 0 ? each[order[at + 1]] : low;
        quantiles[k] = fma(part, high - low, low);
    }
    return quantiles[0];
}

/* min_i g_i from both sides. <A_j, W> is a product of d pairs of products with key and query, of
 * which the first comes from both tokens. */
static enum trop_status least_bound(double bounds[2], const struct trop_head_margin_task *task,
                                    const struct trop_head_margin_pair *pair)
{
    const int64_t w = task->width;
    const double unit = 3 * trop_head_margin_error(w + pair->d + 16) * trop_head_margin_size(pair);
    double *length = trop_alloc(task->tokens, sizeof *length);

    if (!length) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)task->tokens);
    }
    for (int64_t t = 0; t < task->tokens; t++) {
        length[t] = trop_linalg_norm(task->x + t * w, w);
    }
    bounds[0] = bounds[1] = INFINITY;
    for (int64_t j = 0; j < task->count; j++) {
        const double error =
            unit * (length[task->plus[j]] + length[task->minus[j]]) * (length[task->asked[j]] + 1);
        bounds[0] = fmin(bounds[0], task->value[j] - error);
        bounds[1] = fmin(bounds[1], task->value[j] + error);
    }
    trop_alloc_free(length);
    return TROP_OK;
}

/* Quotients are off by a few roundings at most, which OUTWARDS covers. */
static void bounds_tell(struct trop_head_margin *out, const struct trop_margin_proof *proof,
                        const struct trop_head_margin_seen *seen, const double least[2])
{
    const double short_one = least[0] < 0 ? proof->upper / seen->lower : proof->lower / seen->upper;
    const double long_one = least[1] < 0 ? proof->lower / seen->upper : proof->upper / seen->lower;

    out->lower = proof->lower;
    out->upper = proof->upper;
    out->outcome =
        proof->upper <= proof->lower * (1 + TOLERANCE) ? TROP_OUTCOME_SOLVED : TROP_OUTCOME_STALLED;
    out->length = seen->value;
    out->length_lower = seen->lower;
    out->length_upper = seen->upper;
    out->share_lower = least[0] * short_one;
    out->share_lower -= fabs(out->share_lower) * OUTWARDS;
    out->share_upper = least[1] * long_one;
    out->share_upper += fabs(out->share_upper) * OUTWARDS;
}

/* Everything but the random heads. */
static enum trop_status tell(struct trop_head_margin *out, double *each,
                             const struct trop_head_margin_pair *pair,
                             const struct trop_head_margin_task *task,
                             const struct trop_head_input *input,
                             const struct trop_head_margin_options *options)
{
    const int nuclear = options->norm == TROP_MARGIN_NUCLEAR;
    const int64_t size = trop_alloc_product(task->width, task->width + 1);
    struct trop_margin_proof proof = { 0 };
    struct trop_head_margin_seen seen = { 0 };
    double *w = NULL, *lambda = NULL, *scratch = NULL, *share = NULL;
    double least[2] = { 0 };
    int64_t *order = NULL;
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(w, size), TROP_PART(lambda, task->count),
                    TROP_PART(scratch, task->width), TROP_PART(share, task->tokens),
                    TROP_PART(order, task->tokens))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for W of %lld x %lld",
                           (long long)task->width, (long long)task->width + 1);
        goto done;
    }
    status = nuclear ? solve_nuclear(&proof, w, task, options->threads)
                     : solve_l2(&proof, w, lambda, task);
    if (status == TROP_OK) {
        status = trop_head_margin_seen(&seen, pair, input, options->norm);
    }
    if (status == TROP_OK) {
        status = least_bound(least, task, pair);
    }
    if (status != TROP_OK) {
        goto done;
    }
    for (int64_t j = 0; j < task->count; j++) {
        out->support += lambda[j] > 0;
    }
    bounds_tell(out, &proof, &seen, least);
    out->constraints = task->count;
    out->rows = task->rows;
    out->share = rows_tell(out->quantiles, share, order, task, proof.lower / seen.value);
    out->cosine = product_of(pair, w, scratch) / seen.l2 / trop_linalg_norm(w, size);
    if (each) {
        memcpy(each, share, (size_t)task->tokens * sizeof *each);
    }
done:
    TROP_FREE(w, lambda, scratch, share, order);
    return status;
}

static void nothing(struct trop_head_margin *out)
{
    *out = (struct trop_head_margin){
        .outcome = TROP_OUTCOME_NONE,
        .lower = NAN,
        .upper = NAN,
        .length = NAN,
        .length_lower = NAN,
        .length_upper = NAN,
        .share = NAN,
        .share_lower = NAN,
        .share_upper = NAN,
        .cosine = NAN,
    };
    for (int64_t k = 0; k < TROP_HEAD_MARGIN_QUANTILES; k++) {
        out->quantiles[k] = NAN;
    }
}

/* One head, its own or a random one. */
static enum trop_status measure(struct trop_head_margin *out, double *each,
                                const struct trop_head_margin_pair *pair,
                                const struct trop_head_input *input,
                                const struct trop_head_margin_options *options)
{
    struct trop_head_margin_task task = { 0 };
    enum trop_status status = trop_head_margin_task_open(&task, input, 1, pair);

    nothing(out);
    for (int64_t i = 0; each && i < input->n; i++) {
        each[i] = NAN;
    }
    if (status == TROP_OK && task.count > 0) {
        status = tell(out, each, pair, &task, input, options);
    }
    trop_head_margin_task_close(&task);
    return status;
}

/* ---- the calls ------------------------------------------------------------------------------- */

/* Random heads, shared among workers: each is measured by one. */
struct nulls {
    struct trop_head_margin *out;
    const struct trop_head_margin_pair *pair;
    const struct trop_head_input *input;
    struct trop_head_margin_options options;
    double *values; /* (d) singular values */
    enum trop_status status[TROP_HEAD_MARGIN_NULLS];
    char sentence[TROP_HEAD_MARGIN_NULLS][SENTENCE]; /* a worker's own is lost with it */
};

static void nulls_measure(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct nulls *nulls = context;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        struct trop_head_margin_pair drawn = { 0 };
        struct trop_head_margin one = { 0 };
        enum trop_status status = trop_head_margin_pair_random(
            &drawn, nulls->values, nulls->pair->d, nulls->pair->width, nulls->options.seed, k);
        if (status == TROP_OK) {
            status = measure(&one, NULL, &drawn, nulls->input, &nulls->options);
        }
        if (status != TROP_OK) {
            snprintf(nulls->sentence[k], SENTENCE, "%s", trop_error());
        }
        nulls->out->null_share[k] = one.share;
        nulls->out->null_cosine[k] = one.cosine;
        nulls->status[k] = status;
        trop_head_margin_pair_close(&drawn);
    }
}

static enum trop_status measure_random(struct trop_head_margin *out,
                                       const struct trop_head_margin_pair *pair,
                                       const struct trop_head_input *input,
                                       const struct trop_head_margin_options *options)
{
    const int64_t workers = options->threads > 0 ? options->threads : trop_parallel_cores();
    struct nulls *nulls = trop_alloc(1, sizeof *nulls);
    double *values = trop_alloc(pair->d, sizeof *values);
    enum trop_status status = TROP_OK;

    if (!nulls || !values) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for random heads");
        goto done;
    }
    status = trop_head_margin_pair_values(values, pair);
    if (status != TROP_OK) {
        goto done;
    }
    *nulls = (struct nulls){
        .out = out, .pair = pair, .input = input, .options = *options, .values = values
    };
    nulls->options.threads = 1;
    trop_parallel(workers, options->nulls, nulls_measure, nulls);
    for (int64_t k = 0; k < options->nulls && status == TROP_OK; k++) {
        status = nulls->status[k];
        if (status != TROP_OK) {
            trop_fail(status, "random head %lld: %s", (long long)k, nulls->sentence[k]);
        }
    }
    out->nulls = options->nulls;
done:
    TROP_FREE(nulls, values);
    return status;
}

enum trop_status trop_head_margin(struct trop_head_margin *out, double *each,
                                  const struct trop_head_input *input,
                                  const struct trop_head_margin_options *options)
{
    struct trop_head_margin_pair pair = { 0 };
    struct trop_head_margin told;
    enum trop_status status = options_check(options, input);

    if (status == TROP_OK) {
        status = trop_head_margin_pair_open(&pair, input);
    }
    if (status == TROP_OK) {
        status = measure(&told, each, &pair, input, options);
    }
    if (status == TROP_OK && told.constraints > 0) {
        status = measure_random(&told, &pair, input, options);
    }
    trop_head_margin_pair_close(&pair);
    if (status == TROP_OK) {
        *out = told;
    }
    return status;
}

enum trop_status trop_head_margin_fit(double *w, struct trop_head_margin_bounds *out,
                                      const struct trop_head_input *inputs, int64_t count)
{
    struct trop_head_margin_pair pair = { 0 };
    struct trop_head_margin_task task = { 0 };
    struct trop_margin_proof proof = { .lower = NAN, .upper = NAN };
    double *lambda = NULL;

    if (count < 1) {
        return trop_fail(TROP_ERR_ARG, "margin: a fit needs a text");
    }
    enum trop_status status = trop_head_margin_task_check(inputs);
    if (status == TROP_OK) {
        status = trop_head_margin_pair_open(&pair, inputs);
    }
    if (status == TROP_OK) {
        status = trop_head_margin_task_open(&task, inputs, count, &pair);
    }
    if (status == TROP_OK && task.count == 0) {
        memset(w, 0, (size_t)(task.width * (task.width + 1)) * sizeof *w);
    } else if (status == TROP_OK) {
        lambda = trop_alloc(task.count, sizeof *lambda);
        status = lambda ? solve_l2(&proof, w, lambda, &task)
                        : trop_fail(TROP_ERR_MEMORY, "no memory for multipliers");
    }
    trop_alloc_free(lambda);
    trop_head_margin_task_close(&task);
    trop_head_margin_pair_close(&pair);
    if (status == TROP_OK) {
        *out = (struct trop_head_margin_bounds){ proof.lower, proof.upper };
    }
    return status;
}

enum trop_status trop_head_margin_agreement(double *out, const struct trop_head_input *input,
                                            const double *w)
{
    struct trop_head_margin_pair pair = { 0 };
    struct trop_head_margin_task task = { 0 };
    double *image = NULL;
    int64_t agreed = 0;
    enum trop_status status = trop_head_margin_task_check(input);

    if (status == TROP_OK) {
        status = trop_head_margin_pair_open(&pair, input);
    }
    if (status == TROP_OK) {
        status = trop_head_margin_task_open(&task, input, 1, &pair);
    }
    if (status == TROP_OK) {
        image = trop_alloc(trop_alloc_product(task.tokens, task.width), sizeof *image);
        status = image ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for scores of a text");
    }
    if (status == TROP_OK) {
        trop_head_margin_coordinates(image, task.z, w, task.tokens, task.width + 1, task.width);
        agreed = trop_head_margin_agreed(&task, image);
        *out = task.rows > 0 ? (double)agreed / (double)task.rows : NAN;
    }
    trop_alloc_free(image);
    trop_head_margin_task_close(&task);
    trop_head_margin_pair_close(&pair);
    return status;
}
