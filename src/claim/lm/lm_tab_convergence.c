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

#define SIZES 2
#define EPSILONS 4
#define MOST 3 /* dimensions */

enum kind { DEFINITE, ANY, INDEFINITE, NEGATIVE, SKEW, KINDS };

#define ROWS (KINDS * SIZES * EPSILONS)
#define ROW(d, alpha, epsilon) TROP_LM_CONSTANT(10, d, alpha, epsilon)
#define SIZE(d, alpha) ROW(d, alpha, .01), ROW(d, alpha, .1), ROW(d, alpha, .3), ROW(d, alpha, 1)
#define KIND SIZE(2, 1), SIZE(3, 5)

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

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const int64_t d = (int64_t)trop_table_settings(c, row)[TROP_LM_D];
    double a[MOST * MOST];

    if (d < 1 || d > MOST) {
        trop_case_refuse(c, "d = %lld: must be from 1 to 3", (long long)d);
    }
    matrix(a, row / (SIZES * EPSILONS), d, trop_sample_seed(c, row, run));
    trop_lm_tables_rest(out, c, row, run, a);
}

static const struct trop_table table = {
    .entry = "sample",
    .one = one,
    .columns = TROP_LM_COLUMNS,
    .runs = { 20, 100, 3000 },
    .rows = { ROWS, ROWS, ROWS },
    .settings = (const double[]){ KIND, KIND, KIND, KIND, KIND },
    .width = TROP_LM_SETTINGS,
};

/* ---- lines ---- */

/* The number of runs of a row in which the column is not 1. */
static double others(const struct trop_case *c, int64_t row, int64_t column)
{
    struct trop_sample_summary s;

    trop_sample_summary(&s, c, "sample", row, column);
    return (double)s.runs * (1 - s.mean);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    static const char *const names[] = { "definite", "any A", "indefinite", "negative", "skew" };

    for (int64_t group = 0; group < KINDS * SIZES; group++) {
        const int64_t kind = group / SIZES;
        const int d = group % SIZES == 0 ? 2 : 3;
        double moving = 0, apart = 0;
        for (int64_t k = group * EPSILONS; k < (group + 1) * EPSILONS; k++) {
            moving += others(c, k, TROP_LM_SETTLED);
            apart += others(c, k, TROP_LM_CONSENSUS);
        }
        trop_judge_compare(judge, moving, 0, .5, "%s, d %d: runs that still move", names[kind], d);
        if (kind == NEGATIVE || kind == SKEW) {
            trop_judge_compare(judge, apart, 0, .5, "%s, d %d: runs without consensus", names[kind],
                               d);
        }
    }
}

const struct trop_claim trop_lm_tab_convergence = {
    .id = "lm-tab-convergence",
    .title = "localmax converges, for any A",
    .statement = "No localmax run among 3000 for each of five kinds of A, two sizes and four "
                 "values of epsilon was still moving after 20000 steps.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "A search by an independent program, not a proof. The four values of epsilon are "
              "ours: .01, .1, .3, 1. Lines "
              "of negative definite and skew A also count runs without consensus, which is proved.",
    .inputs = "settings runs",
    .hypotheses = TROP_HYPOTHESES(
        TROP_SAMPLE_ENOUGH,
        { "positive", "alpha and epsilon are above 0",
          .holds =
              "alpha > 0 and epsilon > 0: least(settings[*,2]) > 0 and least(settings[*,4]) > 0",
          .broken = "epsilon = 0 in the first row", .edit = "settings[0,4] = 0" }),
    .run.conclude = conclude,
    .table = &table,
    /* Runs of the negative definite kind become those of a positive definite one. */
    .spoils = TROP_SPOILS({ "one run has not settled", .edit = "sample[0,0,7] = 0" },
                          { "negative definite A are run with the other sign",
                            .edit = "sample[24:32] = sample[0:8]" }),
};
