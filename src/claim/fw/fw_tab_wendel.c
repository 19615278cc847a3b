/* fw_tab_wendel.c -- how often the origin is in the hull of a random cloud.
 *
 * Wendel: for n points of a law that is symmetric about 0 and has no mass on hyperplanes through
 * it,
 *
 *   P(0 in K) = 1 - 2^{-(n-1)} sum_{k < d} C(n-1, k),
 *
 * so that the hypothesis 0 in K^0 of theorem 3.1 nearly always holds, .9995 at n = 16, d = 2. Hulls
 * are decided with proof (a separating direction, or a convex combination); a cloud that is within
 * rounding of its boundary counts as neither, and has not been seen.
 */
#include "claim/fw/fw_figures.h"

#include "base/rng.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>

#define ROWS 6
#define MOST 64 /* coordinates of a cloud */

enum setting { N, D, SETTINGS };
enum column { INSIDE, DECIDED, COLUMNS };

static const double sizes[ROWS][SETTINGS] = { { 3, 2 }, { 5, 2 },  { 6, 3 },
                                              { 8, 4 }, { 10, 3 }, { 16, 2 } };

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 100, 4000, 40000), 1, 1e6);

    return status == TROP_OK ? trop_fw_figures_settings(c, sizes[0], ROWS, SETTINGS) : status;
}

static enum trop_status one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const double *s = trop_case_array(c, "settings") + row * SETTINGS;
    const int64_t n = (int64_t)s[N], d = (int64_t)s[D];
    const uint64_t seed = trop_sample_seed(c, row, run);
    const double origin[MOST] = { 0 };
    double x[MOST];
    struct trop_hull *hull = NULL;
    struct trop_hull_position place = { 0 };

    if (!(n >= 1 && d >= 1 && n <= MOST && d <= MOST && n * d <= MOST)) {
        return trop_fail(TROP_ERR_ARG, "n = %g, d = %g: n d must be from 1 to 64", s[N], s[D]);
    }
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = trop_rng_normal(seed, TROP_RNG_CLAIMS, 0, (uint64_t)k);
    }
    enum trop_status status = trop_hull_create(&hull, x, n, d, 1);
    if (status == TROP_OK) {
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, origin);
    }
    out[INSIDE] = place.side == TROP_SIDE_INSIDE;
    out[DECIDED] = place.side != TROP_SIDE_TOUCHING;
    trop_hull_free(hull);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    return trop_sample_fill(c, "sample", trop_case_size(c, "settings", 0),
                            trop_case_integer(c, "runs"), COLUMNS, one);
}

/* ---- lines ---- */

static double wendel(double n, double d)
{
    double term = 1, sum = 0; /* C(n - 1, k) */

    for (double k = 0; k < d; k++) {
        sum += term;
        term *= (n - 1 - k) / (k + 1);
    }
    return 1 - ldexp(sum, (int)(1 - n));
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    char line[64];

    trop_judge_near(judge, "n = 16, d = 2: by the formula", -1, wendel(16, 2), .9995, 5e-5);
    for (int64_t k = 0; k < ROWS; k++) {
        /* The law is exact: it has no error of sampling. */
        const struct trop_sample_published p = { 100 * wendel(sizes[k][N], sizes[k][D]), INFINITY,
                                                 0, 0 };
        snprintf(line, sizeof line, "n = %.0f, d = %.0f: 0 in the hull, %%", sizes[k][N],
                 sizes[k][D]);
        trop_sample_share(judge, line, c, "sample", k, INSIDE, p);
    }
    return TROP_OK;
}

/* ---- hypotheses, and ways to be wrong ---- */

static enum trop_status decided(struct trop_judge *judge, const struct trop_case *c)
{
    const double *values = trop_case_array(c, "sample");
    const int64_t runs = trop_case_size(c, "sample", 0) * trop_case_size(c, "sample", 1);
    int all = 1;

    for (int64_t k = 0; k < runs; k++) {
        all = all && values[k * COLUMNS + DECIDED] == 1;
    }
    trop_judge_truth(judge, "every cloud is decided, with proof", -1, all);
    return TROP_OK;
}

static enum trop_status undecided(struct trop_case *c)
{
    trop_case_array(c, "sample")[DECIDED] = 0;
    return TROP_OK;
}

static enum trop_status more_tokens(struct trop_case *c)
{
    return trop_fw_figures_mistake(c, N, 5, work);
}

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "at least 20 runs, so that shares are nearly normal", trop_sample_enough, 0 },
    { "decided", "the side of the origin is proved for every cloud", decided, 1 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "triangles are drawn with five points", NULL, more_tokens },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "one cloud is not decided", "decided", undecided },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "runs", "", "clouds of each size" },
    { "settings", "(rows, 2)", "n and d of each row; n d at most 64" },
    { 0 },
};

const struct trop_claim trop_fw_tab_wendel = {
    .id = "fw-tab-wendel",
    .title = "the origin is in the hull, by Wendel",
    .statement = "The origin is in the hull of n Gaussian points of R^d with the probability of "
                 "Wendel's formula, .9995 for 16 points of the plane.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 1,
};
