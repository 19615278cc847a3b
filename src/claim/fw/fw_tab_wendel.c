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

#include <math.h>

#define ROWS 6
#define MOST 64 /* coordinates of a cloud */

enum column { INSIDE, DECIDED, COLUMNS };

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const double *s = trop_table_settings(c, row);
    const int64_t n = (int64_t)s[0], d = (int64_t)s[1];
    const uint64_t seed = trop_sample_seed(c, row, run);
    const double origin[MOST] = { 0 };
    double x[MOST];

    if (!(n >= 1 && d >= 1 && n <= MOST && d <= MOST && n * d <= MOST)) {
        trop_case_refuse(c, "n = %g, d = %g: n d must be from 1 to 64", s[0], s[1]);
    }
    for (int64_t k = 0; k < n * d; k++) {
        x[k] = trop_rng_normal(seed, TROP_RNG_CLAIMS, 0, (uint64_t)k);
    }
    const struct trop_hull_position place = trop_case_place(c, trop_case_hull(c, x, n, d), origin);
    out[INSIDE] = place.side == TROP_SIDE_INSIDE;
    out[DECIDED] = place.side != TROP_SIDE_TOUCHING;
}

static double wendel(double n, double d)
{
    double term = 1, sum = 0; /* C(n - 1, k) */

    for (double k = 0; k < d; k++) {
        sum += term;
        term *= (n - 1 - k) / (k + 1);
    }
    return 1 - ldexp(sum, (int)(1 - n));
}

static const double sizes[ROWS][2] = {
    { 3, 2 }, { 5, 2 }, { 6, 3 }, { 8, 4 }, { 10, 3 }, { 16, 2 }
};

/* The law is exact: it has no error of sampling. */
static void by_the_law(struct trop_judge *judge, const char *line, const struct trop_case *c,
                       const char *name, int64_t row, int64_t column,
                       struct trop_sample_published published)
{
    published.value = 100 * wendel(sizes[row][0], sizes[row][1]);
    trop_sample_share(judge, line, c, name, row, column, published);
}

static const struct trop_table table = {
    .entry = "sample",
    .one = one,
    .columns = COLUMNS,
    .runs = { 100, 4000, 40000 },
    .rows = { ROWS, ROWS, ROWS },
    .settings = sizes[0],
    .width = 2,
    .shown = TROP_TABLE_COLUMNS({ "n = %.0f, d = %.0f: 0 in the hull, %%", .judge = by_the_law,
                                  .column = INSIDE, .theirs = INFINITY }),
};

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_near(judge, "n = 16, d = 2: by the formula", -1, wendel(16, 2), .9995, 5e-5);
    trop_table_conclude(&table, judge, c);
}

const struct trop_claim trop_fw_tab_wendel = {
    .id = "fw-tab-wendel",
    .title = "the origin is in the hull, by Wendel",
    .statement = "The origin is in the hull of n Gaussian points of R^d with the probability of "
                 "Wendel's formula, .9995 for 16 points of the plane.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "The numbers are those of Wendel's law; the paper prints none.",
    .inputs = "runs settings",
    .hypotheses = TROP_HYPOTHESES(
        TROP_SAMPLE_ENOUGH,
        { "decided", "the side of the origin is proved for every cloud",
          .holds = "every cloud is decided, with proof: least(sample[*,*,1]) == 1", .late = 1,
          .broken = "one cloud is not decided", .edit = "sample[0,0,1] = 0" }),
    .run.conclude = conclude,
    .table = &table,
    .spoils = TROP_SPOILS(
        { "triangles are drawn with five points", .edit = "work with settings[0,0] = 5" }),
};
