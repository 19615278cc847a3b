/* afz_rem_follower.c -- who follows a leader alone follows it forever, for any A.
 *
 * Let v lead by lead = <A v, v> - max_{j != v} <A v, z_j> > 0, and let z score highest with v
 * alone, by ahead = <A z, v> - max_{j != v} <A z, z_j> > 0; z is among these j. With gamma =
 * alpha/(1 + alpha), in (0, 1), a layer leaves v in its place, and
 *
 *   z' - v = (1 - gamma) (z - v),   z_j' = (1 - gamma) z_j + gamma m_j,   m_j a mean of tokens,
 *
 * so that <A z, m_j> <= <A z, v> and <A v, m_j> <= <A v, v>. For every j != v therefore
 *
 *   <A z', v - z_j'> = (1 - gamma) <A z, v - z_j'> + gamma <A v, v - z_j'>
 *                   >= (1 - gamma) ((1 - gamma) ahead + gamma lead) > 0,
 *
 * and v leads again (afz_lem_leaders.c). Nothing is asked of A: neither signs nor symmetry.
 *
 * Rounding. With u = DBL_EPSILON and S = sum |A_pq|, E = trop_afz_rounding >= 8 u S R^2 is twice
 * the error of a difference of two scores. Both sides of the inequality round by E/2, the product
 * by less than E/2. A layer moves z' by 2 u R (its gamma is rounded as ours is) and z_j' by (n + 4)
 * u R/2 (a mean of up to n tokens), hence the left side by (n + 12) u S R^2/2 <= (n + 12) E/16: in
 * all less than (3 + n/16) E. Tokens are compared while both leads exceed that, which the induction
 * needs. Of the place, errors of 2 u R a layer shrink by 1 - gamma and sum to 2 u R/gamma;
 * (1 - gamma)^t rounds by t u, which the factor makes 2 u R/(e gamma) at most; and the difference
 * by 8 u R.
 */
#include "claim/afz/afz.h"

#include <float.h>
#include <math.h>

#define USE_SKEW 18

/* trop_afz_draw, with a skew part in A. */
static void draw(struct trop_case *c)
{
    const int given = trop_case_has(c, "A");

    trop_afz_draw(c);
    trop_tokens_count(c, "steps", 12, 1, 1e6);

    const int64_t d = trop_case_size(c, "A", 0);
    double *a = trop_case_array(c, "A");
    for (int64_t p = 0; p < d && !given; p++) {
        for (int64_t q = 0; q < p; q++) {
            const double skew = .3 * trop_case_normal(c, USE_SKEW, p * d + q);
            a[p * d + q] += skew;
            a[q * d + p] -= skew;
        }
    }
}

static void work(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), TROP_AFZ_FLOW);
}

/* ---- who follows whom ---- */

/* By how much token i scores higher with v than with any other. */
static double ahead(const double *a, const double *x, int64_t i, int64_t v, int64_t n, int64_t d)
{
    double best = -INFINITY;

    for (int64_t j = 0; j < n; j++) {
        if (j != v) {
            best = fmax(best, trop_afz_score(a, x + i * d, x + j * d, d));
        }
    }
    return trop_afz_score(a, x + i * d, x + v * d, d) - best;
}

static double error_of(const double *a, const double *x, int64_t n, int64_t d)
{
    return (3 + (double)n / 16) * trop_afz_rounding(a, x, n, d);
}

static void followed(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t n = x.rows, d = x.columns;
    const double *a = trop_case_array(c, "A");
    double most = -INFINITY;

    for (int64_t v = 0; v < n; v++) {
        const double lead = trop_afz_lead(a, x.at, v, n, d);
        for (int64_t i = 0; i < n; i++) {
            if (i != v) {
                most = fmax(most, fmin(lead, ahead(a, x.at, i, v, n, d)));
            }
        }
    }
    trop_judge_at_least(judge, "lead of a leader, and of it for a follower", -1, most, DBL_MIN,
                        error_of(a, x.at, n, d));
}

static const struct trop_hypothesis hypotheses[] = {
    { "positive-alpha", "alpha > 0", .holds = "alpha > 0", .broken = "alpha = -1/2",
      .edit = "alpha = -.5" },
    { "followed", "a token follows a leader alone", .judge = followed, .broken = "A is negated",
      .edit = "A *= -1" },
    { 0 },
};

/* ---- the conclusion ---- */

/* Token i, which follows the leader v at layer 0. */
static void conclude_follower(struct trop_judge *judge, const struct trop_case *c, int64_t i,
                              int64_t v, double error)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth;
    const double *x = path.at, *a = trop_case_array(c, "A");
    const double alpha = trop_case_number(c, "alpha"), gamma = alpha / (1 + alpha);
    const double allowance = (3 / gamma + 8) * DBL_EPSILON * trop_tokens_radius(x, n, d);
    double factor = 1;

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        const double *before = trop_case_view_row(path, t);
        const double *after = trop_case_view_row(path, t + 1);
        const double lead = trop_afz_lead(a, before, v, n, d);
        const double lead_there = ahead(a, before, i, v, n, d);
        double off = 0;
        if (!(lead > error && lead_there > error)) {
            return;
        }
        factor *= 1 - gamma;
        for (int64_t p = 0; p < d; p++) {
            const double way = after[i * d + p] - after[v * d + p];
            off = fmax(off, fabs(way - factor * (x[i * d + p] - x[v * d + p])));
        }
        trop_judge_at_most(judge, "distance of a follower from its way", t + 1, off, 0, allowance);
        trop_judge_at_least(judge, "lead of the leader for a follower", t + 1,
                            ahead(a, after, i, v, n, d),
                            (1 - gamma) * ((1 - gamma) * lead_there + gamma * lead), error);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth;
    const double *x = path.at, *a = trop_case_array(c, "A");
    const double error = error_of(a, x, n, d);

    for (int64_t v = 0; v < n; v++) {
        for (int64_t i = 0; i < n && trop_afz_lead(a, x, v, n, d) > error; i++) {
            if (i != v) {
                conclude_follower(judge, c, i, v, error);
            }
        }
    }
}

static const struct trop_spoil spoils[] = {
    { "the layers are run with alpha larger by 1e-6", NULL, .edit = "work with alpha += 1e-6" },
    { "the second layer is 1e-6 larger", NULL, .edit = "path[2] *= 1+1e-6" },
    { "the layers are run with two entries of A exchanged", NULL,
      .edit = "swap A[0,1] A[1,0]; work; swap A[0,1] A[1,0]" },
    { 0 },
};

const struct trop_claim trop_afz_rem_follower = {
    .id = "afz-rem-follower",
    .title = "followers are absorbed",
    .statement = "For any A, a token that scores highest with a leader alone does so forever, and "
                 "goes straight to it, by the factor 1/(1 + alpha) in each layer.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "The lead of the leader in the scores of the token falls by at most the factor (1 + "
              "alpha)^-2 in a layer.",
    .inputs = "tokens A alpha steps",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude },
    .spoils = spoils,
    .trials = 100,
};
