/* lm_judge.c -- hypotheses and conclusions that several claims of the localmax paper have.
 *
 * Closed form (T5). A step is off by e = trop_lm_step_error. The distance of a token to its mean
 * contracts, the mean itself does not come back, so after t steps a token is within (t + 1) e of
 * the closed form in exact arithmetic; (1-gamma)^t by t products adds t u times the distance.
 */
#include "claim/lm/lm.h"

#include <float.h>
#include <math.h>

/* ---- hypotheses ---- */

void trop_lm_judge_epsilon(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "least epsilon", -1, trop_lm_epsilon_low(c), 0, 0);
}

void trop_lm_judge_positive(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "least epsilon is positive", -1, trop_lm_epsilon_low(c) > 0);
}

/* The pivots of A = L L' must stay above what rounding makes of a zero: d^2 u |A|. DBL_MIN: with
 * A = 0 there is no rounding. */
void trop_lm_judge_definite(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "A", 0);
    const double *A = trop_case_array(c, "A");
    double *l = trop_case_scratch(c, d * d);
    int is_symmetric = 1, is_positive = 1;

    if (!A) {
        trop_judge_truth(judge, "A is the identity", -1, 1);
        return;
    }
    for (int64_t a = 0; a < d && is_positive; a++) {
        for (int64_t b = 0; b <= a && is_positive; b++) {
            double sum = A[a * d + b];
            is_symmetric = is_symmetric && A[a * d + b] == A[b * d + a];
            for (int64_t k = 0; k < b; k++) {
                sum -= l[a * d + k] * l[b * d + k];
            }
            if (a == b) {
                const double least = (double)(d * d) * DBL_EPSILON * trop_lm_size(c);
                trop_judge_at_least(judge, "pivot of A", -1, sum, DBL_MIN, least);
                is_positive = sum > 0;
            }
            l[a * d + b] = a == b ? sqrt(sum) : sum / l[b * d + b];
        }
    }
    trop_judge_truth(judge, "A is symmetric", -1, is_symmetric);
}

void trop_lm_judge_partition(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_lm_partition p = trop_lm_groups(c);
    const double error = 4 * trop_lm_score_error(c);

    trop_judge_at_least(judge, "Q1: epsilon less the spread inside", 0, p.q1, 0, error);
    if (p.groups > 1) {
        trop_judge_at_least(judge, "Q2: gap to the others less epsilon", 0, p.q2, 0, error);
    }
}

/* ---- the closed form ---- */

void trop_lm_judge_same(struct trop_judge *judge, const char *line, const struct trop_case *c,
                        int64_t t, const double *x, const double *y, double allowance)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    for (int64_t i = 0; i < n; i++) {
        trop_judge_at_most(judge, line, t, trop_tokens_distance(x + i * d, y + i * d, d), 0,
                           allowance);
    }
}

void trop_lm_judge_closed_form(struct trop_judge *judge, const struct trop_case *c,
                               const struct trop_lm_partition *p)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double gamma = trop_case_number(c, "gamma"), error = trop_lm_step_error(c);
    double share = 1;

    for (int64_t t = 0; t < path.rows; t++, share *= 1 - gamma) {
        const double *means = trop_lm_means(c, p, trop_case_view_row(path, t));
        const double allowance = (double)(t + 1) * error;
        for (int64_t i = 0; i < p->n; i++) {
            const double *mu = p->means + p->labels[i] * p->d;
            trop_judge_at_most(judge, "distance of a token from the closed form", t,
                               trop_lm_miss(trop_lm_token(path, t, i), mu, share,
                                            trop_lm_token(path, 0, i), mu, p->d),
                               0, allowance);
        }
        for (int64_t k = 0; k < p->groups; k++) {
            trop_judge_at_most(judge, "how far the mean of a group has moved", t,
                               trop_tokens_distance(means + k * p->d, p->means + k * p->d, p->d), 0,
                               allowance);
        }
    }
}
