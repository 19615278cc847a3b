/* tf_selections.c -- the max-margin problems of all T^n selections of one token per input. */
#include "claim/tf/tf.h"

#include <math.h>
#include <string.h>

/* T^n, as far as it is at most one more than this. */
static int64_t count_of(const struct trop_tf *m, const struct trop_case *c)
{
    int64_t count = 1;

    for (int64_t i = 0; i < m->n && count <= TROP_TF_SELECTIONS; i++) {
        count *= m->T;
    }
    if (count > TROP_TF_SELECTIONS) {
        trop_case_refuse(c, "T^n: this claim takes at most %d selections", TROP_TF_SELECTIONS);
    }
    return count;
}

void trop_tf_select(struct trop_tf *m, int64_t k)
{
    for (int64_t i = 0; i < m->n; i++, k /= m->T) {
        m->alpha[i] = k % m->T;
    }
}

void trop_tf_selections_solve(struct trop_case *c)
{
    struct trop_tf m = trop_tf_of(c);
    const int64_t count = count_of(&m, c);
    double *w = trop_case_zeros(c, "all", count, m.d, m.d);
    double *outcome = trop_case_zeros(c, "all_outcome", count, 0, 0);
    double *local = trop_case_zeros(c, "all_local", count, 0, 0);

    for (int64_t k = 0; k < count; k++) {
        void *mark = trop_case_mark(c);
        trop_tf_select(&m, k);
        trop_tf_solution(c, "one", m.alpha, "l2");
        memcpy(w + k * m.size, trop_case_array(c, "one"), (size_t)m.size * sizeof *w);
        outcome[k] = trop_case_number(c, "one_outcome");
        local[k] = trop_case_number(c, "one_local");
        trop_case_release(c, mark);
    }
}

void trop_tf_selections_pick(struct trop_case *c)
{
    struct trop_tf m = trop_tf_of(c);
    const size_t bytes = (size_t)m.n * sizeof *m.alpha;
    int64_t picked[TROP_TF_MOST];
    double widest = 0;

    if (trop_case_has(c, "alpha")) {
        return;
    }
    memcpy(picked, m.best, bytes);
    for (int64_t k = 0; k < count_of(&m, c); k++) {
        void *mark = trop_case_mark(c);
        trop_tf_select(&m, k);
        trop_tf_solution(c, "one", m.alpha, "l2");
        const double mu = trop_case_number(c, "one_mu");
        if (trop_case_number(c, "one_local") == 1 && memcmp(m.alpha, m.best, bytes) != 0 &&
            mu > widest) {
            widest = mu;
            memcpy(picked, m.alpha, bytes);
        }
        trop_case_release(c, mark);
    }
    double *out = trop_case_zeros(c, "alpha", m.n, 0, 0);
    for (int64_t i = 0; i < m.n; i++) {
        out[i] = (double)picked[i];
    }
}

double trop_tf_selections_cone(const struct trop_tf *m, const double *w)
{
    double least = INFINITY;

    for (int64_t i = 0; i < m->n; i++) {
        const double own = trop_tf_score(&m->data, i, m->alpha[i]);
        double low = -INFINITY, high = -INFINITY; /* largest logits, less that of alpha */
        for (int64_t t = 0; t < m->T; t++) {
            const double logit = -trop_tf_lead_over(m, w, i, t);
            const int is_low = trop_tf_score(&m->data, i, t) < own;
            low = t != m->alpha[i] && is_low ? fmax(low, logit) : low;
            high = t != m->alpha[i] && !is_low ? fmax(high, logit) : high;
        }
        least = high > -INFINITY ? fmin(least, low - high) : least;
    }
    return least;
}

void trop_tf_has_rivals(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view all = trop_case_view(c, "all");
    const double *outcome = trop_case_array(c, "all_outcome");
    struct trop_tf m = trop_tf_of(c);

    for (int64_t k = 0; k < all.rows; k++) {
        double nearest = INFINITY;
        trop_tf_select(&m, k);
        for (int64_t i = 0; i < m.n; i++) {
            if (m.alpha[i] != m.best[i]) {
                nearest =
                    fmin(nearest, trop_tf_lead_over(&m, trop_case_view_row(all, k), i, m.best[i]));
            }
        }
        if (outcome[k] == TROP_OUTCOME_SOLVED && nearest < INFINITY) {
            trop_judge_truth(judge, "some best token that is not selected is a support vector", k,
                             nearest <= 1 + 1e-7);
        }
    }
}
