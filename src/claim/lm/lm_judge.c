/* lm_judge.c -- hypotheses and conclusions that several claims of the localmax paper have.
 *
 * Closed form (T5). A step is off by e = trop_lm_step_error. The distance of a token to its mean
 * contracts, the mean itself does not come back, so after t steps a token is within (t + 1) e of
 * the closed form in exact arithmetic; (1-gamma)^t by t products adds t u times the distance.
 */
#include "claim/lm/lm.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

const struct trop_input trop_lm_judge_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "A", "(d, d)", "matrix of the scores <A x_i, x_j>; the identity when absent" },
    { "gamma", "", "step size" },
    { "epsilon", "", "alignment sensitivity" },
    { "swing", "", "epsilon varies as epsilon + swing cos t" },
    { "ratio", "", "epsilon varies as epsilon ratio^t" },
    { "steps", "", "of the flow" },
    { 0 },
};

/* ---- hypotheses ---- */

enum trop_status trop_lm_judge_gamma(struct trop_judge *judge, const struct trop_case *c)
{
    const double gamma = trop_case_number(c, "gamma");

    trop_judge_truth(judge, "0 < gamma < 1", -1, gamma > 0 && gamma < 1);
    return TROP_OK;
}

enum trop_status trop_lm_judge_epsilon(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "least epsilon", -1, trop_lm_epsilon_low(c), 0, 0);
    return TROP_OK;
}

enum trop_status trop_lm_judge_positive(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "least epsilon is positive", -1, trop_lm_epsilon_low(c) > 0);
    return TROP_OK;
}

/* The pivots of A = L L' must stay above what rounding makes of a zero: d^2 u |A|. DBL_MIN: with
 * A = 0 there is no rounding. */
enum trop_status trop_lm_judge_definite(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "A", 0);
    const double *A = trop_case_array(c, "A");
    double *l = A ? trop_alloc(d * d, sizeof *l) : NULL;

    if (!A) {
        trop_judge_truth(judge, "A is the identity", -1, 1);
        return TROP_OK;
    }
    if (!l) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a factor of A");
    }
    int is_symmetric = 1, is_positive = 1;
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
    trop_alloc_free(l);
    return TROP_OK;
}

enum trop_status trop_lm_judge_certified(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "the limits are proved", -1, trop_case_number(c, "certified") == 1);
    return TROP_OK;
}

enum trop_status trop_lm_judge_partition(struct trop_judge *judge, const struct trop_case *c)
{
    const double error = 4 * trop_lm_score_error(c);
    struct trop_lm_partition partition;
    int64_t *labels = trop_alloc(trop_case_size(c, "tokens", 0), sizeof *labels);

    if (!labels) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for labels");
    }
    trop_lm_groups(&partition, labels, c, trop_case_array(c, "tokens"), trop_lm_epsilon_low(c),
                   trop_lm_epsilon_high(c));
    trop_judge_at_least(judge, "Q1: epsilon less the spread inside", 0, partition.q1, 0, error);
    if (partition.groups > 1) {
        trop_judge_at_least(judge, "Q2: gap to the others less epsilon", 0, partition.q2, 0, error);
    }
    trop_alloc_free(labels);
    return TROP_OK;
}

/* ---- the closed form ---- */

static void judge_state(struct trop_judge *judge, const struct trop_case *c, const double *means,
                        const int64_t *labels, int64_t t, double share)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *start = trop_case_array(c, "path"), *x = start + t * n * d;
    const double allowance = (double)(t + 1) * trop_lm_step_error(c);

    for (int64_t i = 0; i < n; i++) {
        const double *mu = means + labels[i] * d;
        double squares = 0;
        for (int64_t a = 0; a < d; a++) {
            const double gap = x[i * d + a] - mu[a] - share * (start[i * d + a] - mu[a]);
            squares += gap * gap;
        }
        trop_judge_at_most(judge, "distance of a token from the closed form", t, sqrt(squares), 0,
                           allowance);
    }
}

enum trop_status trop_lm_judge_closed_form(struct trop_judge *judge, const struct trop_case *c,
                                           const int64_t *labels, int64_t groups)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const double *path = trop_case_array(c, "path");
    const double gamma = trop_case_number(c, "gamma");
    double *means = trop_alloc((groups + 1) * d, sizeof *means), share = 1;

    if (!means) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld means", (long long)groups);
    }
    for (int64_t k = 0; k < groups; k++) {
        trop_lm_mean(means + k * d, path, labels, k, n, d);
    }
    for (int64_t t = 0; t <= steps; t++) {
        judge_state(judge, c, means, labels, t, share);
        for (int64_t k = 0; k < groups; k++) {
            double *mean = means + groups * d; /* the last row is scratch */
            trop_lm_mean(mean, path + t * n * d, labels, k, n, d);
            trop_judge_at_most(judge, "how far the mean of a group has moved", t,
                               trop_tokens_distance(mean, means + k * d, d), 0,
                               (double)(t + 1) * trop_lm_step_error(c));
        }
        share *= 1 - gamma;
    }
    trop_alloc_free(means);
    return TROP_OK;
}
