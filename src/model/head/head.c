/* head.c -- one attention head on one text: memory, what is refused, the loop over its rows.
 *
 * A row is made once (head_scores.c) and shown to every measurement that was asked for, so that
 * nothing of n x n numbers is kept but for the reach and hypothetical sets. */
#include "model/head/head_internal.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>

static const struct trop_head_measurement *const measurements[] = {
    &trop_head_flip, &trop_head_round, &trop_head_kappa, &trop_head_hardmax, &trop_head_leaders,
    &trop_head_heat, &trop_head_keys,  &trop_head_reach, &trop_head_quiet,
};
#define MEASUREMENTS (int64_t)(sizeof measurements / sizeof *measurements)

/* ---- memory ---------------------------------------------------------------------------------- */

static void scratch_free(struct trop_head_scratch *s)
{
    if (!s) {
        return;
    }
    TROP_FREE(s->row.high, s->row.low, s->row.size, s->row.lead, s->row.drop, s->row.weight,
              s->reach, s->dots, s->column, s->part, s->wide, s->gram, s->turn, s->rounded[0],
              s->rounded[1], s->ceiling[0], s->ceiling[1], s->beyond[0], s->beyond[1], s->moduli,
              s->out, s->value, s->value_size, s->seen, s->order, s->mark, s->query, s->size,
              s->drops, s->stack, s->next, s->done);
    trop_game_free(s->game);
    trop_alloc_free(s);
}

void trop_head_free(struct trop_head_result *head)
{
    if (!head) {
        return;
    }
    scratch_free(head->scratch);
    TROP_FREE(head->argmax, head->flip, head->flip_relative, head->safe, head->distance,
              head->distance_bound, head->spread, head->kappa, head->kappa_low, head->kappa_high,
              head->degree, head->sink, head->score_deviation, head->perplexity, head->entropy,
              head->min_entropy, head->top_weight, head->gap, head->row_logit, head->key_mean,
              head->rho, head->rho_low, head->rho_high, head->reach_query, head->reach_key,
              head->reach_query_mix, head->reach_key_mix);
    trop_alloc_free(head);
}

static int scratch_common(struct trop_head_scratch *s, int64_t n, int64_t d, int64_t width)
{
    const int64_t row = n + TROP_LANES;

    return TROP_ALLOC(TROP_PART(s->row.high, row), TROP_PART(s->row.low, row),
                      TROP_PART(s->row.size, row), TROP_PART(s->row.lead, row),
                      TROP_PART(s->row.drop, row), TROP_PART(s->row.weight, row),
                      TROP_PART(s->reach, d), TROP_PART(s->dots, row), TROP_PART(s->column, row),
                      TROP_PART(s->part, 2 * d), TROP_PART(s->wide, width > d ? width : d),
                      TROP_PART(s->order, n), TROP_PART(s->mark, n));
}

static int make_flip(struct trop_head_result *head, struct trop_head_scratch *s)
{
    const int64_t n = head->n, d = head->d, cells = trop_alloc_product(n, d);

    return TROP_ALLOC(TROP_PART(head->flip, n), TROP_PART(head->flip_relative, n),
                      TROP_PART(head->safe, n), TROP_PART(s->gram, trop_alloc_product(d, d)),
                      TROP_PART(s->turn, 2 * d), TROP_PART(s->rounded[0], cells),
                      TROP_PART(s->rounded[1], cells), TROP_PART(s->ceiling[0], d),
                      TROP_PART(s->ceiling[1], d), TROP_PART(s->beyond[0], n + 1),
                      TROP_PART(s->beyond[1], n + 1), TROP_PART(s->moduli, n));
}

static int make_hardmax(struct trop_head_result *head, struct trop_head_scratch *s)
{
    const int64_t n = head->n, wide = head->width > head->d ? head->width : head->d;

    return TROP_ALLOC(
        TROP_PART(head->distance, n), TROP_PART(head->distance_bound, n),
        TROP_PART(head->spread, n), TROP_PART(head->kappa, n), TROP_PART(head->kappa_low, n),
        TROP_PART(head->kappa_high, n), TROP_PART(s->out, trop_alloc_product(n, head->d)),
        TROP_PART(s->value, trop_alloc_product(n, wide)), TROP_PART(s->value_size, n));
}

static int make_heat(struct trop_head_result *head)
{
    const int64_t n = head->n;

    return TROP_ALLOC(TROP_PART(head->score_deviation, n), TROP_PART(head->perplexity, n),
                      TROP_PART(head->entropy, n), TROP_PART(head->min_entropy, n),
                      TROP_PART(head->top_weight, n), TROP_PART(head->gap, n),
                      TROP_PART(head->row_logit, n));
}

static int make_reach(struct trop_head_result *head, struct trop_head_scratch *s)
{
    const int64_t n = head->n, cells = trop_alloc_product(n, head->d);

    /* No basis has more members than the rank of the scores and 1. */
    head->reach_most = n < head->d + 1 ? n : head->d + 1;
    const int64_t members = trop_alloc_product(n, head->reach_most);
    return TROP_ALLOC(
               TROP_PART(head->rho, n), TROP_PART(head->rho_low, n), TROP_PART(head->rho_high, n),
               TROP_PART(head->reach_query, members), TROP_PART(head->reach_key, members),
               TROP_PART(head->reach_query_mix, members), TROP_PART(head->reach_key_mix, members),
               TROP_PART(s->query, cells), TROP_PART(s->size, n + TROP_LANES)) &&
           trop_game_create(&s->game, n, n, head->reach_most) == TROP_OK;
}

static int make(struct trop_head_result *head)
{
    const int64_t n = head->n, which = head->which;
    struct trop_head_scratch *s = trop_alloc(1, sizeof *s);

    head->scratch = s;
    if (!s || !scratch_common(s, n, head->d, head->width)) {
        return 0;
    }
    return TROP_ALLOC(TROP_PART(head->argmax, n)) &&
           (!(which & TROP_HEAD_MEASURE_FLIP) || make_flip(head, s)) &&
           (!(which & TROP_HEAD_MEASURE_HARDMAX) || make_hardmax(head, s)) &&
           (!(which & TROP_HEAD_MEASURE_LEADERS) ||
            TROP_ALLOC(TROP_PART(head->degree, n), TROP_PART(head->sink, n))) &&
           (!(which & TROP_HEAD_MEASURE_HEAT) || make_heat(head)) &&
           (!(which & TROP_HEAD_MEASURE_KEYS) ||
            TROP_ALLOC(TROP_PART(head->key_mean, n), TROP_PART(s->seen, n))) &&
           (!(which & TROP_HEAD_MEASURE_QUIET) ||
            TROP_ALLOC(TROP_PART(s->drops, trop_alloc_product(n, n)), TROP_PART(s->stack, n),
                       TROP_PART(s->next, n), TROP_PART(s->done, n))) &&
           (!(which & TROP_HEAD_MEASURE_REACH) || make_reach(head, s));
}

enum trop_status trop_head_create(struct trop_head_result **out, int64_t n, int64_t d,
                                  int64_t width, int64_t which)
{
    if (n < 1 || d < 1 || width < 0 || n > INT64_MAX / 64 || d > INT64_MAX / 64) {
        return trop_fail(TROP_ERR_ARG,
                         "a head of %lld tokens, dimension %lld and width %lld: tokens and "
                         "dimension must be at least 1, the width not negative",
                         (long long)n, (long long)d, (long long)width);
    }
    const struct trop_kernel *kernel = trop_kernel_choose(0);
    if (!kernel) {
        return TROP_ERR_UNSUPPORTED;
    }
    struct trop_head_result *head = trop_alloc(1, sizeof *head);
    if (head) {
        head->n = n;
        head->d = d;
        head->width = width;
        head->which = which;
        head->at = -1;
    }
    if (!head || !make(head)) {
        trop_head_free(head);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a head of %lld tokens, dimension %lld",
                         (long long)n, (long long)d);
    }
    head->scratch->kernel = kernel;
    *out = head;
    return TROP_OK;
}

/* ---- what is refused ------------------------------------------------------------------------- */

static enum trop_status finite(const struct trop_kernel *kernel, const char *name,
                               const double *values, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; values && i < rows; i++) {
        const double *row = values + i * columns;
        for (int64_t c = 0; !kernel->linear->is_finite(row, columns) && c < columns; c++) {
            if (!isfinite(row[c])) {
                return trop_fail(TROP_ERR_ARG,
                                 "%s: row %lld, column %lld (from 0) is not a finite number", name,
                                 (long long)i, (long long)c);
            }
        }
    }
    return TROP_OK;
}

static enum trop_status check_sizes(const struct trop_head_result *head,
                                    const struct trop_head_input *input)
{
    if (input->n != head->n || input->d != head->d) {
        return trop_fail(TROP_ERR_ARG,
                         "a head of %lld tokens and dimension %lld: there is memory for one of "
                         "%lld and %lld",
                         (long long)input->n, (long long)input->d, (long long)head->n,
                         (long long)head->d);
    }
    if ((input->hat || input->wq || input->wo) && input->width != head->width) {
        return trop_fail(TROP_ERR_ARG, "width = %lld: there is memory for %lld",
                         (long long)input->width, (long long)head->width);
    }
    if (!(input->scale > 0 && input->scale < INFINITY)) {
        return trop_fail(TROP_ERR_ARG, "scale = %g: must be positive and finite", input->scale);
    }
    if ((input->causal != 0 && input->causal != 1) || input->window < 0) {
        return trop_fail(TROP_ERR_ARG,
                         "causal = %lld, window = %lld: must be 0 or 1, and not negative",
                         (long long)input->causal, (long long)input->window);
    }
    if (input->angle && input->d % 2 != 0) {
        return trop_fail(TROP_ERR_ARG, "d = %lld: must be even where there is a rotation",
                         (long long)input->d);
    }
    if (head->at < -1 || head->at >= head->n) {
        return trop_fail(TROP_ERR_ARG, "at = %lld: must be a token, 0 to %lld", (long long)head->at,
                         (long long)(head->n - 1));
    }
    if (!input->q || !input->k || ((head->which & TROP_HEAD_MEASURE_HARDMAX) && !input->v)) {
        return trop_fail(TROP_ERR_ARG, "%s is missing", !input->q ? "q" : !input->k ? "k" : "v");
    }
    return TROP_OK;
}

static enum trop_status check(const struct trop_head_result *head,
                              const struct trop_head_input *input)
{
    const int64_t n = input->n, d = input->d, width = input->width;
    const struct {
        const char *name;
        const double *values;
        int64_t rows, columns;
    } arrays[] = {
        { "q", input->q, n, d },
        { "k", input->k, n, d },
        { "v", input->v, n, d },
        { "hat", input->hat, n, width },
        { "wq", input->wq, d, width },
        { "wo", input->wo, width, d },
        { "angle", input->angle, n, d / 2 },
    };
    enum trop_status status = check_sizes(head, input);

    for (size_t a = 0; status == TROP_OK && a < sizeof arrays / sizeof *arrays; a++) {
        status = finite(head->scratch->kernel, arrays[a].name, arrays[a].values, arrays[a].rows,
                        arrays[a].columns);
    }
    return status;
}

/* ---- the rows -------------------------------------------------------------------------------- */

static void start(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct trop_head_scratch *s = head->scratch;

    for (int64_t c = 0; c < input->d; c++) {
        s->reach[c] = 0;
    }
    for (int64_t t = 0; t < input->n; t++) {
        for (int64_t c = 0; c < input->d; c++) {
            s->reach[c] = fmax(s->reach[c], fabs(input->k[t * input->d + c]));
        }
    }
    for (int64_t m = 0; m < MEASUREMENTS; m++) {
        if ((head->which & measurements[m]->which) && measurements[m]->start) {
            measurements[m]->start(head, input);
        }
    }
}

static void finish(struct trop_head_result *head, const struct trop_head_input *input)
{
    int64_t *mark = head->scratch->mark;

    for (int64_t t = 0; t < head->n; t++) {
        mark[t] = 0;
    }
    head->selected = 0;
    for (int64_t i = 0; i < head->n; i++) {
        head->selected += mark[head->argmax[i]]++ == 0;
    }
    for (int64_t m = 0; m < MEASUREMENTS; m++) {
        if ((head->which & measurements[m]->which) && measurements[m]->end) {
            measurements[m]->end(head, input);
        }
    }
}

enum trop_status trop_head_measure(struct trop_head_result *head,
                                   const struct trop_head_input *input)
{
    enum trop_status status = check(head, input);

    if (status != TROP_OK) {
        return status;
    }
    start(head, input);
    for (int64_t i = 0; i < head->n; i++) {
        status = trop_head_row(head->scratch, input, i);
        if (status != TROP_OK) {
            return status;
        }
        head->argmax[i] = head->scratch->row.first + head->scratch->row.best;
        for (int64_t m = 0; m < MEASUREMENTS; m++) {
            if ((head->which & measurements[m]->which) && measurements[m]->row) {
                measurements[m]->row(head, input);
            }
        }
    }
    finish(head, input);
    return TROP_OK;
}
