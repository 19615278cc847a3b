/* lm_thm_t5.c -- the quiescence certificate.
 *
 * A partition into groups such that at step 0, for every token i of a group G,
 *
 *   Q1   max_{j in G} S_ij - min_{j in G} S_ij <= inf eps
 *   Q2   min_{j in G} S_ij - max_{l not in G} S_il > sup eps
 *
 * has C_i(t) = G for ever, with the mean mu of each group at rest and
 *
 *   x_i(t) = mu + (1-gamma)^t (x_i(0) - mu).
 *
 * Q1 and Q2 are signs of expressions linear in each token, whose extremes over the hulls of the
 * groups are at tokens of step 0. The partition is found here from the scores of the first tokens;
 * the certificate of the library is compared with it afterwards.
 */
#include "claim/lm/lm.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>

enum { USE_KIND = 32, USE_SWING };

/* A third each: A = I and constant epsilon, A nearly I and not symmetric, swinging epsilon. */
static enum trop_status draw(struct trop_case *c)
{
    const int has = trop_case_has(c, "tokens");
    enum trop_status status = trop_lm_draw_groups(c);
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *A = NULL;

    if (status == TROP_OK && !has && c->trial % 3 == 1 && !trop_case_has(c, "A")) {
        status = trop_case_make(&A, c, "A", d, d, 0);
        for (int64_t k = 0; status == TROP_OK && k < d * d; k++) {
            A[k] = (k % (d + 1) == 0) + .03 * trop_case_normal(c, USE_KIND, k);
        }
    }
    if (status == TROP_OK && !has && c->trial % 3 == 2) {
        status = trop_case_default(c, "swing", .05 * trop_case_uniform(c, USE_SWING, 0));
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = trop_lm_limits(c);

    return status == TROP_OK ? trop_lm_flow(c) : status;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    { "quiescent", "the sets at step 0 are a partition with Q1 and Q2", trop_lm_judge_partition,
      0 },
    { 0 },
};

/* ---- the conclusion ---- */

/* C_i(t) is the group of i; pairs in doubt count neither way. */
static enum trop_status judge_sets(struct trop_judge *judge, const struct trop_case *c,
                                   const int64_t *labels)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1, n = trop_case_size(c, "path", 1);
    const int64_t d = trop_case_size(c, "path", 2);
    int64_t *sets = trop_alloc(n * n, sizeof *sets);

    if (!sets) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for sets");
    }
    for (int64_t t = 0; t <= steps; t++) {
        int64_t wrong = 0;
        trop_lm_sets(sets, c, trop_case_array(c, "path") + t * n * d, trop_lm_epsilon(c, t));
        for (int64_t k = 0; k < n * n; k++) {
            wrong += sets[k] >= 0 && sets[k] != (labels[k / n] == labels[k % n]);
        }
        trop_judge_at_most(judge, "pairs that the sets have wrong", t, (double)wrong, 0, 0);
    }
    trop_alloc_free(sets);
    return TROP_OK;
}

/* |x_i(t+1) - mu| / |x_i(t) - mu|, while the distance is far above its rounding. */
static void judge_rate(struct trop_judge *judge, const struct trop_case *c, const int64_t *labels)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1, n = trop_case_size(c, "path", 1);
    const int64_t d = trop_case_size(c, "path", 2);
    const double *path = trop_case_array(c, "path");
    const double gamma = trop_case_number(c, "gamma");

    for (int64_t t = 0; t < steps; t++) {
        const double error = (double)(t + 2) * trop_lm_step_error(c);
        for (int64_t i = 0; i < n; i++) {
            const double *x = path + (t * n + i) * d;
            for (int64_t j = 0; j < i; j++) {
                /* Distances inside a group can be judged without its mean. */
                const double *y = path + (t * n + j) * d;
                const double gap = trop_tokens_distance(x, y, d);
                if (labels[i] == labels[j] && gap > 1e4 * error) {
                    const double next = trop_tokens_distance(x + n * d, y + n * d, d);
                    trop_judge_near(judge, "factor by which a distance shrinks", t, next / gap,
                                    1 - gamma, 4 * error / gap);
                }
            }
        }
    }
}

static enum trop_status judge_library(struct trop_judge *judge, const struct trop_case *c,
                                      const int64_t *labels, int64_t groups)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *x = trop_case_array(c, "tokens"), *limits = trop_case_array(c, "limits");
    double *mean = trop_alloc(d, sizeof *mean);

    if (!mean) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a mean");
    }
    trop_judge_near(judge, "certificate of the library is quiescence", -1,
                    trop_case_number(c, "kind"), 1, 0);
    trop_judge_near(judge, "step of the library's certificate", -1, trop_case_number(c, "since"), 0,
                    0);
    trop_judge_near(judge, "groups of the library's certificate", -1, trop_case_number(c, "groups"),
                    (double)groups, 0);
    trop_judge_near(judge, "rate of the library's certificate", -1, trop_case_number(c, "rate"),
                    1 - trop_case_number(c, "gamma"), 4e-16);
    for (int64_t i = 0; i < n; i++) {
        trop_lm_mean(mean, x, labels, labels[i], n, d);
        trop_judge_at_most(judge, "distance of the library's limit from the mean", -1,
                           trop_tokens_distance(mean, limits + i * d, d), 0, trop_lm_step_error(c));
    }
    trop_alloc_free(mean);
    return TROP_OK;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_lm_partition partition;
    int64_t *labels = trop_alloc(trop_case_size(c, "tokens", 0), sizeof *labels);

    if (!labels) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for labels");
    }
    trop_lm_groups(&partition, labels, c, trop_case_array(c, "tokens"), trop_lm_epsilon_low(c),
                   trop_lm_epsilon_high(c));
    enum trop_status status = trop_lm_judge_closed_form(judge, c, labels, partition.groups);
    judge_rate(judge, c, labels);
    if (status == TROP_OK) {
        status = judge_sets(judge, c, labels);
    }
    if (status == TROP_OK) {
        status = judge_library(judge, c, labels, partition.groups);
    }
    trop_alloc_free(labels);
    return status;
}

/* ---- ways to be wrong ---- */

static enum trop_status move_limit(struct trop_case *c)
{
    trop_case_array(c, "limits")[0] += 1e-6;
    return TROP_OK;
}

/* With so small an epsilon a token hears only those next to it in score: the sets overlap. */
static enum trop_status narrow(struct trop_case *c)
{
    trop_case_drop(c, "swing");
    return trop_case_put(c, "epsilon", 1e-4);
}

static enum trop_status wide(struct trop_case *c)
{
    trop_case_drop(c, "swing");
    return trop_case_put(c, "epsilon", 1.5);
}

static const struct trop_spoil spoils[] = {
    { "the path of gamma + 1e-6", NULL, trop_lm_draw_other_gamma },
    { "a token of the last step is 1e-6 too far out", NULL, trop_lm_draw_move_token },
    { "a limit of the library is off by 1e-6", NULL, move_limit },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon = 1e-4, below the spread of the groups", "quiescent", narrow },
    { "epsilon = 1.5, the gap between groups of a triangle", "quiescent", wide },
    { 0 },
};

const struct trop_claim trop_lm_thm_t5 = {
    .id = "lm-thm-t5",
    .title = "quiescence certificate",
    .statement = "When the neighbour sets are a partition in which scores inside a group differ by "
                 "at most inf eps and exceed those outside by more than sup eps, the sets stay for "
                 "ever and every token goes straight to the mean of its group, by 1 - gamma a "
                 "step.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Checked over the steps of the path: closed form, means at rest, sets, rate; and the "
              "certificate of the library against the partition that is found here.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
