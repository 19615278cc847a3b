/* tf_selections.c -- the max-margin problems of all T^n selections of one token per input. */
#include "claim/tf/tf.h"

#include "base/status.h"
#include "claim/examples.h"

#include <math.h>
#include <string.h>

enum trop_status trop_tf_selections_solve(struct trop_case *c)
{
    struct trop_data data;
    double *w = NULL, *outcome = NULL, *local = NULL;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    const int64_t count = trop_tf_count(data.n, data.T), size = data.d * data.d;
    if (count > TROP_TF_SELECTIONS) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "T^n: this claim takes at most %d selections",
                         TROP_TF_SELECTIONS);
    }
    enum trop_status status = trop_case_make(&w, c, "all", count, data.d, data.d);
    if (status == TROP_OK) {
        status = trop_case_make(&outcome, c, "all_outcome", count, 0, 0);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&local, c, "all_local", count, 0, 0);
    }
    for (int64_t k = 0; status == TROP_OK && k < count; k++) {
        trop_tf_digits(alpha, k, data.n, data.T);
        status = trop_tf_solve(c, alpha, TROP_MARGIN_L2, "one");
        if (status == TROP_OK) {
            memcpy(w + k * size, trop_case_array(c, "one"), (size_t)size * sizeof *w);
            outcome[k] = trop_case_number(c, "one_outcome");
            local[k] = trop_case_number(c, "one_local");
        }
    }
    return status;
}

enum trop_status trop_tf_selections_pick(struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64], best[64], picked[64];
    double widest = 0;
    enum trop_status status = TROP_OK;

    trop_examples_data(&data, c);
    trop_examples_optimal(best, c);
    memcpy(picked, best, sizeof picked);
    if (trop_case_has(c, "alpha")) {
        return TROP_OK;
    }
    for (int64_t k = 0; status == TROP_OK && k < trop_tf_count(data.n, data.T); k++) {
        trop_tf_digits(alpha, k, data.n, data.T);
        status = trop_tf_solve(c, alpha, TROP_MARGIN_L2, "one");
        const double mu = trop_case_number(c, "one_mu");
        const int is_best = memcmp(alpha, best, (size_t)data.n * sizeof *best) == 0;
        if (trop_case_number(c, "one_local") == 1 && !is_best && mu > widest) {
            widest = mu;
            memcpy(picked, alpha, sizeof picked);
        }
    }
    double *out = NULL;
    if (status == TROP_OK) {
        status = trop_case_make(&out, c, "alpha", data.n, 0, 0);
    }
    for (int64_t i = 0; status == TROP_OK && i < data.n; i++) {
        out[i] = (double)picked[i];
    }
    return status;
}

double trop_tf_selections_cone(const struct trop_data *data, const double *w, const int64_t *alpha)
{
    double least = INFINITY;

    for (int64_t i = 0; i < data->n; i++) {
        const double own = trop_tf_score(data, i, alpha[i]);
        double low = -INFINITY, high = -INFINITY; /* largest logits, less that of alpha */
        for (int64_t t = 0; t < data->T; t++) {
            const double logit = -trop_tf_lead(data, w, i, alpha[i], t);
            const int is_low = trop_tf_score(data, i, t) < own;
            low = t != alpha[i] && is_low ? fmax(low, logit) : low;
            high = t != alpha[i] && !is_low ? fmax(high, logit) : high;
        }
        least = high > -INFINITY ? fmin(least, low - high) : least;
    }
    return least;
}
