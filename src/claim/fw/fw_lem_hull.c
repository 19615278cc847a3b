/* fw_lem_hull.c -- the hull of the tokens shrinks (Frank-Wolfe paper, lemma convHullDecreases).
 *
 *   x_i <- x_i + P (y_i - x_i),   y_i in K,   P = (I + V)^-1 V
 *
 * With V = h I, P = gamma I with gamma in (0, 1), and x_i' is a convex combination of two points of
 * K. With any other V it need not be one: V = diag(3/2, 7/3) gives P = diag(.6, .7), and of the
 * triangle (0, 0), (1, 0), (0, 1) with the leader e_2 for e_1 the vertex e_1 goes to (.4, .7),
 * outside.
 *
 * Conclusion: every token of step t + 1 has distance 0 from K^t. The distance that is measured is
 * the proved lower bound of trop_hull_place, so that a positive one is a proof that the token of
 * the file is outside. A step itself rounds: each coordinate by 4 u times the largest coordinate of
 * the cloud at most (a difference, a product, a sum, and the average), and P by a few u more: 32 u
 * R sqrt(d) in all, which is the allowance.
 */
#include "claim/fw/fw.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 12

/* ---- the instance: a Gaussian cloud, any B, P between 0 and 1 ---- */

/* V (d, d) diagonal; spread 0 makes it a multiple of the identity. */
static enum trop_status draw_value(struct trop_case *c, double spread)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *v = NULL;

    if (trop_case_has(c, "V")) {
        return trop_fw_draw_fits(c, "V", d);
    }
    enum trop_status status = trop_case_make(&v, c, "V", d, d, 0);
    for (int64_t a = 0; status == TROP_OK && a < d; a++) {
        v[a * d + a] = .1 + trop_case_uniform(c, 16, 0) + spread * trop_case_uniform(c, 17, a);
    }
    return status;
}

static enum trop_status draw_cloud(struct trop_case *c, double spread)
{
    enum trop_status status =
        trop_tokens_gaussian(c, 4 + trop_case_pick(c, 18, 0, 12),
                             trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 3)));

    if (status == TROP_OK) {
        status = trop_fw_draw_steps(c, STEPS);
    }
    if (status == TROP_OK) {
        status = trop_fw_draw_any_matrix(c);
    }
    return status == TROP_OK ? draw_value(c, spread) : status;
}

/* Every fourth V is a multiple of the identity, for which the hull does shrink. */
static enum trop_status draw_general(struct trop_case *c)
{
    return draw_cloud(c, c->trial % 4 == 3 ? 0 : 3);
}

static enum trop_status draw_scalar(struct trop_case *c)
{
    return draw_cloud(c, 0);
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_flow_options o = trop_flow_options_default();

    o.rule = TROP_RULE_HARDMAX;
    o.value = (struct trop_matrix){ .scale = NAN, .values = trop_case_array(c, "V") };
    o.cloud.key_query = (struct trop_matrix){ .scale = NAN, .values = trop_case_array(c, "B") };
    return trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));
}

/* ---- hypotheses ---- */

/* Diagonal and positive: then P is diagonal with entries between 0 and 1. */
static enum trop_status positive_value(struct trop_judge *judge, const struct trop_case *c)
{
    const double *v = trop_case_array(c, "V");
    const int64_t d = trop_case_size(c, "V", 0);

    for (int64_t k = 0; k < d * d; k++) {
        const int is_diagonal = k % (d + 1) == 0;
        trop_judge_truth(judge, "V is diagonal and positive", -1,
                         is_diagonal ? v[k] > 0 : v[k] == 0);
    }
    return TROP_OK;
}

static enum trop_status scalar_value(struct trop_judge *judge, const struct trop_case *c)
{
    const double *v = trop_case_array(c, "V");
    const int64_t d = trop_case_size(c, "V", 0);

    for (int64_t a = 0; a < d; a++) {
        trop_judge_truth(judge, "V is h I", -1, v[a * d + a] == v[0]);
    }
    return TROP_OK;
}

static const struct trop_hypothesis general_hypotheses[] = {
    { "positive-value", "V is diagonal with positive entries", positive_value, 0 },
    { 0 },
};

static const struct trop_hypothesis scalar_hypotheses[] = {
    { "positive-value", "V is diagonal with positive entries", positive_value, 0 },
    { "scalar-value", "V is a multiple of the identity", scalar_value, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

static enum trop_status conclude_step(struct trop_judge *judge, const double *before,
                                      const double *after, int64_t t, int64_t n, int64_t d)
{
    const double allowance = 32 * DBL_EPSILON * sqrt((double)d) * trop_tokens_radius(before, n, d);
    struct trop_hull *hull = NULL;
    struct trop_hull_position place;
    enum trop_status status = trop_hull_create(&hull, before, n, d, 1);

    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, after + i * d);
        if (status == TROP_OK) {
            trop_judge_at_most(judge, "distance of a token from the hull before", t, place.lower, 0,
                               allowance);
        }
    }
    trop_hull_free(hull);
    return status;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    enum trop_status status = TROP_OK;

    for (int64_t t = 0; t < steps && status == TROP_OK; t++) {
        status = conclude_step(judge, path + t * n * d, path + (t + 1) * n * d, t + 1, n, d);
    }
    return status;
}

/* ---- the counterexample, and ways to be wrong ---- */

static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    static const double triangle[] = { 0, 0, 1, 0, 0, 1 }, turn[] = { 0, 0, 1, 0 };
    double *x = NULL, *v = NULL, *b = NULL;
    enum trop_status status = trop_case_make(&x, c, "tokens", 3, 2, 0);

    (void)k;
    if (status == TROP_OK) {
        memcpy(x, triangle, sizeof triangle);
        status = trop_case_make(&v, c, "V", 2, 2, 0);
    }
    if (status == TROP_OK) {
        v[0] = 3. / 2;
        v[3] = 7. / 3;
        status = trop_case_make(&b, c, "B", 2, 2, 0); /* B e_1 = e_2: its leader is e_2 */
    }
    if (status == TROP_OK) {
        memcpy(b, turn, sizeof turn);
        status = trop_case_put(c, "steps", 1);
    }
    return status;
}

/* The token of the last step that is farthest from the origin moves outwards: it may be inside the
 * hull before, so it goes to the farthest token of that hull first. */
static enum trop_status move_token(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    double *before = path + (steps - 1) * n * d, *after = path + steps * n * d;
    int64_t far = 0;

    for (int64_t i = 1; i < n; i++) {
        if (trop_tokens_radius(before + i * d, 1, d) > trop_tokens_radius(before + far * d, 1, d)) {
            far = i;
        }
    }
    for (int64_t a = 0; a < d; a++) {
        after[a] = before[far * d + a] * (1 + 1e-6);
    }
    return TROP_OK;
}

static enum trop_status negative_value(struct trop_case *c)
{
    double *v = trop_case_array(c, "V");
    const int64_t d = trop_case_size(c, "V", 0);

    for (int64_t a = 0; a < d; a++) {
        v[a * d + a] = -.25;
    }
    return TROP_OK;
}

static enum trop_status uneven_value(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "V", 0);

    trop_case_array(c, "V")[d * d - 1] += 1;
    return TROP_OK;
}

static const struct trop_spoil general_spoils[] = {
    { "a token of the last step is 1e-6 beyond the farthest token before it", NULL, move_token },
    { "V = -I/4", "positive-value", negative_value },
    { 0 },
};

static const struct trop_spoil scalar_spoils[] = {
    { "a token of the last step is 1e-6 beyond the farthest token before it", NULL, move_token },
    { "V = -I/4", "positive-value", negative_value },
    { "one entry of V is larger by 1", "scalar-value", uneven_value },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "V", "(d, d)", "value matrix" },
    { "B", "(d, d)", "key-query matrix" },
    { "steps", "", "of the flow" },
    { 0 },
};

const struct trop_claim trop_fw_lem_hull = {
    .id = "fw-lem-hull",
    .title = "the hull shrinks, any V",
    .statement = "With any positive diagonal value matrix V, the convex hull of the tokens after a "
                 "hardmax layer lies in the hull before it.",
    .status = TROP_CLAIM_FALSE,
    .remark =
        "V = diag(3/2, 7/3) moves a vertex of the triangle (0,0), (1,0), (0,1) to (.4, .7). It "
        "holds for multiples of the identity.",
    .repaired = "fw-lem-hull-repaired",
    .old_inputs = inputs,
    .hypotheses = general_hypotheses,
    .old_draw = draw_general,
    .old_work = work,
    .old_conclude = conclude,
    .old_exhibit = exhibit,
    .exhibits = 1,
    .spoils = general_spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_lem_hull_repaired = {
    .id = "fw-lem-hull-repaired",
    .title = "the hull shrinks, V = h I",
    .statement = "With V = h I, h > 0, the convex hull of the tokens after a hardmax layer lies in "
                 "the hull before it, whatever B is.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = scalar_hypotheses,
    .old_draw = draw_scalar,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = scalar_spoils,
    .trials = 100,
};
