/* lm_tab_convergence.c -- does localmax always come to rest? A search among five kinds of A.
 *
 * No proof is known that every localmax trajectory converges for a constant epsilon > 0. Random
 * clouds were run with A positive definite, any, symmetric indefinite, negative definite and skew;
 * n = 10, d = 2 with alpha = 1 and d = 3 with alpha = 5, four values of epsilon, 3000 runs each,
 * and at most 20000 steps: none was still moving. Which four values is not published; taken here
 * are .01, .1, .3 and 1. With A_s negative semidefinite and epsilon > 0 there is consensus (a
 * corollary of the separation of vertices), so the last two kinds have one cluster in every run.
 *
 * Kinds, from a matrix G of normals: G G'/d + I/10, G, (G + G')/2 with its trace taken off (so that
 * its eigenvalues have both signs), the first one negated, (G - G')/2.
 */
#include "claim/lm/lm_tables.h"

#include "base/rng.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIZES 2
#define EPSILONS 4
#define MOST 3 /* dimensions */

enum kind { DEFINITE, ANY, INDEFINITE, NEGATIVE, SKEW, KINDS };

static const char *const names[] = { "definite", "any A", "indefinite", "negative", "skew" };

#define ROWS (KINDS * SIZES * EPSILONS)

static enum trop_status draw(struct trop_case *c)
{
    static const double epsilons[EPSILONS] = { .01, .1, .3, 1 };
    struct trop_lm_tables_row rows[ROWS] = { 0 };

    for (int64_t k = 0; k < ROWS; k++) {
        const int64_t size = k / EPSILONS % SIZES;
        const double s[] = { 10,
                             size == 0 ? 2 : 3,
                             size == 0 ? 1 : 5,
                             TROP_SCHEDULE_CONSTANT,
                             epsilons[k % EPSILONS],
                             0 };
        memcpy(rows[k].settings, s, sizeof s);
    }
    enum trop_status status =
        trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 20, 100, 3000), 1, 1e6);
    return status == TROP_OK ? trop_lm_tables_draw(c, rows, ROWS) : status;
}

/* ---- one run ---- */

static void matrix(double *a, int64_t kind, int64_t d, uint64_t seed)
{
    double g[MOST * MOST], trace = 0;

    for (int64_t k = 0; k < d * d; k++) {
        g[k] = trop_rng_normal(seed, TROP_RNG_CLAIMS, 0, (uint64_t)k);
    }
    for (int64_t p = 0; p < d; p++) {
        trace += g[p * d + p];
        for (int64_t q = 0; q < d; q++) {
            double product = p == q ? .1 : 0;
            for (int64_t l = 0; l < d; l++) {
                product += g[p * d + l] * g[q * d + l] / (double)d;
            }
            a[p * d + q] = kind == DEFINITE     ? product
                           : kind == NEGATIVE   ? -product
                           : kind == ANY        ? g[p * d + q]
                           : kind == INDEFINITE ? (g[p * d + q] + g[q * d + p]) / 2
                                                : (g[p * d + q] - g[q * d + p]) / 2;
        }
    }
    for (int64_t p = 0; p < d && kind == INDEFINITE; p++) {
        a[p * d + p] -= trace / (double)d;
    }
}

static enum trop_status one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    struct trop_flow_options o = trop_lm_tables_options(c, row, run);
    double a[MOST * MOST];

    if (o.cloud.d < 1 || o.cloud.d > MOST) {
        return trop_fail(TROP_ERR_ARG, "d = %lld: must be from 1 to 3", (long long)o.cloud.d);
    }
    matrix(a, row / (SIZES * EPSILONS), o.cloud.d, o.cloud.seed);
    o.cloud.key_query = (struct trop_matrix){ .scale = NAN, .values = a };
    return trop_lm_tables_rest(out, &o);
}

static enum trop_status work(struct trop_case *c)
{
    return trop_sample_fill(c, "sample", trop_case_size(c, "settings", 0),
                            trop_case_integer(c, "runs"), TROP_LM_COLUMNS, one);
}

/* ---- lines ---- */

/* The number of runs of a row in which the column is not 1. */
static double others(const struct trop_case *c, int64_t row, int64_t column)
{
    struct trop_sample_summary s;

    trop_sample_summary(&s, c, "sample", row, column);
    return (double)s.runs * (1 - s.mean);
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    char line[64];

    for (int64_t group = 0; group < KINDS * SIZES; group++) {
        const int64_t kind = group / SIZES;
        double moving = 0, apart = 0;
        for (int64_t k = group * EPSILONS; k < (group + 1) * EPSILONS; k++) {
            moving += others(c, k, TROP_LM_SETTLED);
            apart += others(c, k, TROP_LM_CONSENSUS);
        }
        snprintf(line, sizeof line, "%s, d %d: runs that still move", names[kind],
                 group % SIZES == 0 ? 2 : 3);
        trop_judge_near(judge, line, -1, moving, 0, .5);
        snprintf(line, sizeof line, "%s, d %d: runs without consensus", names[kind],
                 group % SIZES == 0 ? 2 : 3);
        if (kind == NEGATIVE || kind == SKEW) {
            trop_judge_near(judge, line, -1, apart, 0, .5);
        }
    }
    return TROP_OK;
}

/* ---- hypotheses, and ways to be wrong ---- */

static enum trop_status alphas(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "settings", 0); k++) {
        const double *s = trop_case_array(c, "settings") + k * TROP_LM_SETTINGS;
        trop_judge_truth(judge, "alpha > 0 and epsilon > 0", -1,
                         s[TROP_LM_ALPHA] > 0 && s[TROP_LM_A] > 0);
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "at least 20 runs of each kind", trop_sample_enough, 0 },
    { "positive", "alpha and epsilon are above 0", alphas, 0 },
    { 0 },
};

/* Runs of the negative definite kind become those of a positive definite one. */
static enum trop_status wrong_sign(struct trop_case *c)
{
    const int64_t count = SIZES * EPSILONS * trop_case_size(c, "sample", 1) * TROP_LM_COLUMNS;
    double *sample = trop_case_array(c, "sample");

    memcpy(sample + NEGATIVE * count, sample + DEFINITE * count, (size_t)count * sizeof *sample);
    return TROP_OK;
}

static enum trop_status no_epsilon(struct trop_case *c)
{
    trop_case_array(c, "settings")[TROP_LM_A] = 0;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "one run has not come to rest", NULL, trop_lm_tables_unsettle },
    { "negative definite A are run with the other sign", NULL, wrong_sign },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "epsilon = 0 in the first row", "positive", no_epsilon },
    { 0 },
};

const struct trop_claim trop_lm_tab_convergence = {
    .id = "lm-tab-convergence",
    .title = "localmax comes to rest, for any A",
    .statement = "No localmax run among 3000 for each of five kinds of A, two sizes and four "
                 "values of epsilon was still moving after 20000 steps.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "A search, not a proof. The four values of epsilon are ours: .01, .1, .3, 1. Lines "
              "of negative definite and skew A also count runs without consensus, which is proved.",
    .old_inputs = trop_lm_tables_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 1,
};
