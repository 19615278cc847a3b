/* fit_measure.c -- what is told of the chosen weights beside their accuracy.
 *
 * Sparsity without scale, of each tensor and of its start: rows of E that no item of train has are
 * left out, since they are the start. Accuracy when only the largest entries of the attention are
 * kept. How far attention has come to choose: the mean of the largest weights. Words are in
 * fit_words.c.
 */
#include "learn/fit/fit.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "learn/measure.h"

#include <math.h>
#include <string.h>

#define CARRIED 0.9 /* of the l1 norm */

static const double kept_shares[TROP_FIT_PRUNED] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.5 };

int trop_fit_looks(const struct trop_fit *fit, int64_t item)
{
    return fit->split[TROP_SPLIT_TEST].items == 0 || fit->part[item] == TROP_SPLIT_TEST;
}

/* ---- sparsity -------------------------------------------------------------------------------- */

/* The rows that could move, one after the other; how many numbers. */
static int64_t gather(double *out, const struct trop_fit *fit, const struct trop_fit_tensor *t,
                      const double *values)
{
    int64_t count = 0;

    for (int64_t r = 0; r < t->rows; r++) {
        if (t != fit->tensor + TROP_FIT_LETTER_E || fit->touched[r]) {
            memcpy(out + count, values + r * t->columns, (size_t)t->columns * sizeof *out);
            count += t->columns;
        }
    }
    return count;
}

static enum trop_status measure_sparsity(struct trop_fit *fit)
{
    fit->sparsity_count = 0;
    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        const struct trop_fit_tensor *t = fit->tensor + k;
        if (!t->trained || t->rows * t->columns < 2) { /* one number is neither */
            continue;
        }
        double *x = trop_alloc(t->rows * t->columns, sizeof *x);
        if (!x) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for %s", t->name);
        }
        struct trop_fit_sparsity *s = fit->sparsity + fit->sparsity_count++;
        int64_t count = gather(x, fit, t, t->values);
        s->name = t->name;
        s->hoyer = trop_measure_hoyer(x, count);
        s->share = trop_measure_share(x, count, CARRIED);
        count = gather(x, fit, t, t->start);
        s->hoyer_start = trop_measure_hoyer(x, count);
        s->share_start = trop_measure_share(x, count, CARRIED);
        trop_alloc_free(x);
    }
    return TROP_OK;
}

/* ---- pruning --------------------------------------------------------------------------------- */

static int larger(const void *context, int64_t a, int64_t b)
{
    const double *x = context;

    return fabs(x[a]) > fabs(x[b]) || (fabs(x[a]) == fabs(x[b]) && a < b);
}

/* The accuracy of the items that are looked at with the weights that the network has. */
static double accuracy(struct trop_fit *fit)
{
    const struct trop_fit_split *test = fit->split + TROP_SPLIT_TEST;
    const struct trop_fit_split *split = test->items > 0 ? test : fit->split;
    const int64_t outputs = fit->shape.outputs;
    int64_t right = 0;

    trop_fit_network_read(fit->outputs, NULL, fit->network, fit->sequences, split->list,
                          split->items);
    for (int64_t j = 0; j < split->items; j++) {
        right += trop_fit_network_class(fit->outputs + j * outputs, outputs) ==
                 fit->sequences->labels[split->list[j]];
    }
    return (double)right / (double)split->items;
}

/* Only the largest share of W, or of K and Q each, is kept; they are put back. */
static enum trop_status prune(struct trop_fit *fit, const int *letters, int64_t **order)
{
    double *spare[2] = { NULL, NULL };
    enum trop_status status = TROP_OK;

    for (int j = 0; j < 2 && letters[j] >= 0; j++) {
        const struct trop_fit_tensor *t = fit->tensor + letters[j];
        spare[j] = trop_alloc(t->rows * t->columns, sizeof(double));
        if (!spare[j]) {
            status = trop_fail(TROP_ERR_MEMORY, "no memory for %s", t->name);
        }
    }
    for (int64_t p = 0; p < TROP_FIT_PRUNED && status == TROP_OK; p++) {
        double *value[TROP_FIT_LETTERS];
        memcpy(value, fit->value, sizeof value);
        for (int j = 0; j < 2 && letters[j] >= 0; j++) {
            const struct trop_fit_tensor *t = fit->tensor + letters[j];
            const int64_t size = t->rows * t->columns;
            const int64_t keep = (int64_t)ceil(kept_shares[p] * (double)size);
            memset(spare[j], 0, (size_t)size * sizeof(double));
            for (int64_t e = 0; e < keep; e++) {
                spare[j][order[j][e]] = t->values[order[j][e]];
            }
            value[letters[j]] = spare[j];
        }
        trop_fit_network_set(fit->network, value);
        fit->pruned[p].share = kept_shares[p];
        fit->pruned[p].accuracy = accuracy(fit);
    }
    fit->pruned_count = status == TROP_OK ? TROP_FIT_PRUNED : 0;
    trop_fit_network_set(fit->network, fit->value);
    TROP_FREE(spare[0], spare[1]);
    return status;
}

static enum trop_status measure_pruned(struct trop_fit *fit)
{
    const int is_kq = fit->tensor[TROP_FIT_LETTER_K].name != NULL;
    const int letters[2] = { is_kq ? TROP_FIT_LETTER_K : TROP_FIT_LETTER_W,
                             is_kq ? TROP_FIT_LETTER_Q : -1 };
    int64_t *order[2] = { NULL, NULL };
    enum trop_status status = TROP_OK;

    fit->pruned_count = 0;
    if (fit->shape.heads == 0) {
        return TROP_OK;
    }
    for (int j = 0; j < 2 && letters[j] >= 0 && status == TROP_OK; j++) {
        const struct trop_fit_tensor *t = fit->tensor + letters[j];
        order[j] = trop_alloc(t->rows * t->columns, sizeof *order[j]);
        for (int64_t e = 0; order[j] && e < t->rows * t->columns; e++) {
            order[j][e] = e;
        }
        if (order[j]) {
            trop_sort(order[j], t->rows * t->columns, larger, t->values);
        } else {
            status = trop_fail(TROP_ERR_MEMORY, "no memory for %s", t->name);
        }
    }
    if (status == TROP_OK) {
        status = prune(fit, letters, order);
    }
    TROP_FREE(order[0], order[1]);
    return status;
}

/* ---- attention ------------------------------------------------------------------------------- */

static void measure_saturation(struct trop_fit *fit)
{
    const struct trop_sequences *s = fit->sequences;
    double sum = 0;

    fit->decided = fit->looked = 0;
    for (int64_t i = 0; i < s->n; i++) {
        double most = 0;
        if (!trop_fit_looks(fit, i)) {
            continue;
        }
        for (int64_t t = s->offsets[i]; t < s->offsets[i + 1]; t++) {
            most = fit->attention[t] > most ? fit->attention[t] : most;
        }
        fit->decided += most > 0.5;
        fit->looked++;
        sum += most;
    }
    fit->saturation = sum / (double)fit->looked;
}

enum trop_status trop_fit_measure(struct trop_fit *fit)
{
    const struct trop_sequences *s = fit->sequences;
    enum trop_status status = measure_sparsity(fit);

    if (status == TROP_OK) {
        status = measure_pruned(fit);
    }
    if (status == TROP_OK && !fit->attention) {
        fit->attention = trop_alloc(s->offsets[s->n], sizeof *fit->attention);
        status = fit->attention ? TROP_OK
                                : trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens",
                                            (long long)s->offsets[s->n]);
    }
    if (status != TROP_OK) {
        return status;
    }
    trop_fit_network_read(fit->outputs, fit->attention, fit->network, s, NULL, s->n);
    measure_saturation(fit);
    status = trop_fit_words(fit);
    return status == TROP_OK ? trop_fit_theory(fit) : status;
}
