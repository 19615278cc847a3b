/* fw_lem_leader.c -- single leaders, and tokens that merge all the same (Frank-Wolfe paper, lemma
 * singleLeader of section 2.1).
 *
 * With an invertible B almost every start has #C_i^t = 1 for all i and t: ties happen on a null set
 * of starts. "Almost every" is read around the tokens that are given: the flow starts from them
 * plus a random shift, whose law has a density on a cube of the stated radius, and no token may
 * ever have two leaders. Ties are decided exactly for the points of the path: a token has two
 * leaders when it is on a wall of the cells of that step. Half of the clouds that are drawn are
 * symmetric about the origin.
 *
 * A step may map an open set of starts onto a null set: two tokens that are each other's leader
 * both go to their middle when gamma = 1/2. That is no tie (coinciding tokens are one point), but
 * merging is then generic. It needs <B (x - y), x - y> < 0, since <B x, y> > <B x, x> and
 * <B y, x> > <B y, y>: never with a positive semidefinite B. A shift of every token by at most r
 * changes a score by at most |B| (2 R r + r^2), and a lead by twice that; a lead that is larger is
 * kept by every start of that ball.
 */
#include "claim/fw/fw.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 12
#define STARTS 5

/* ---- single leaders ---- */

static enum trop_status draw_leader(struct trop_case *c)
{
    const int64_t n = 4 + trop_case_pick(c, 18, 0, 4),
                  d = trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 3));
    enum trop_status status =
        c->trial % 2 ? trop_tokens_gaussian(c, 2 * n, d) : trop_tokens_symmetric(c, n, d);

    if (status == TROP_OK) {
        status = trop_fw_draw_any_matrix(c);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "radius", 1e-3);
    }
    return status == TROP_OK ? trop_fw_draw_gamma(c, STEPS, .05, .95) : status;
}

static enum trop_status work_leader(struct trop_case *c)
{
    struct trop_case *other = NULL;
    enum trop_status status = trop_fw_work_shifted(&other, c, 0);

    if (status == TROP_OK) {
        status = trop_fw_work(other);
    }
    if (status == TROP_OK) {
        status = trop_fw_work_take(c, "path", other);
    }
    trop_case_free(other);
    return status;
}

/* The margin of a token on a wall is 0; any other is above it, however little. */
static enum trop_status conclude_step(struct trop_judge *judge, const struct trop_case *c,
                                      int64_t t)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    struct trop_cells *cells = NULL;
    struct trop_value labels, margins;
    enum trop_status status =
        trop_fw_work_cells(&cells, c, trop_case_array(c, "path") + t * n * d, n, NULL, 0);

    if (status == TROP_OK) {
        status = trop_cells_value(&labels, cells, "labels");
    }
    if (status == TROP_OK) {
        status = trop_cells_value(&margins, cells, "margins");
    }
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        const double lead = labels.integers[i] < 0 ? 0 : fmax(margins.numbers[i], DBL_MIN);
        trop_judge_at_least(judge, "lead of a token's leader over every other point", t, lead,
                            DBL_MIN, 0);
    }
    trop_cells_free(cells);
    return status;
}

static enum trop_status conclude_leader(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    enum trop_status status = TROP_OK;

    for (int64_t t = 0; t < steps && status == TROP_OK; t++) {
        status = conclude_step(judge, c, t);
    }
    return status;
}

static enum trop_status invertible(struct trop_judge *judge, const struct trop_case *c)
{
    double least = 0, largest = 0;
    enum trop_status status =
        trop_fw_singular(&least, &largest, trop_case_array(c, "B"), trop_case_size(c, "B", 0));

    if (status == TROP_OK) {
        trop_judge_at_least(judge, "least over largest singular value of B", -1,
                            largest > 0 ? least / largest : 0, 1e-6, 4e-7);
    }
    return status;
}

static enum trop_status has_density(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    trop_judge_at_least(judge, "radius of the shifts", -1, trop_case_number(c, "radius"),
                        1e-9 * trop_tokens_radius(trop_case_array(c, "tokens"), n, d), 0);
    return TROP_OK;
}

/* ---- merging ---- */

/* Two tokens near 3 u and -3 u, the others near the origin; u a random unit vector. */
static enum trop_status draw_merge(struct trop_case *c)
{
    const int64_t n = 2 + trop_case_pick(c, 18, 0, 6),
                  d = trop_fw_draw_dimension(c, 1 + trop_case_pick(c, 18, 1, 3));
    const int given = trop_case_has(c, "tokens");
    enum trop_status status = trop_tokens_sphere(c, n, d);

    for (int64_t a = 0; status == TROP_OK && !given && a < d; a++) {
        double *x = trop_case_array(c, "tokens");
        for (int64_t i = 2; i < n; i++) {
            x[i * d + a] *= .4;
        }
        x[d + a] = -3 * x[a] + .2 * x[d + a];
        x[a] *= 3;
    }
    if (status == TROP_OK) {
        status = trop_fw_draw_matrix(c, -1.5, -.75);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "radius", 1e-3);
    }
    if (status == TROP_OK) {
        status = trop_fw_draw_steps(c, 1);
    }
    return status == TROP_OK ? trop_case_default(c, "gamma", .5) : status;
}

/* "ends" (STARTS, n, d): where the tokens of each start are after a step. */
static enum trop_status ends(struct trop_case *c, double factor)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *out = NULL;
    enum trop_status status = trop_case_make(&out, c, "ends", STARTS, n, d);

    for (int64_t k = 0; k < STARTS && status == TROP_OK; k++) {
        struct trop_case *other = NULL;
        status = trop_fw_work_shifted(&other, c, k);
        if (status == TROP_OK) {
            status = trop_fw_work_with(other, factor);
        }
        if (status == TROP_OK) {
            memcpy(out + k * n * d, trop_case_array(other, "path") + n * d,
                   (size_t)(n * d) * sizeof *out);
        }
        trop_case_free(other);
    }
    return status;
}

static enum trop_status work_merge(struct trop_case *c)
{
    return ends(c, 1);
}

/* Both go to the middle: each coordinate rounds by at most 4 u R. */
static enum trop_status conclude_merge(struct trop_judge *judge, const struct trop_case *c)
{
    const double *all = trop_case_array(c, "ends");
    const int64_t n = trop_case_size(c, "ends", 1), d = trop_case_size(c, "ends", 2);
    const double radius = trop_tokens_radius(trop_case_array(c, "tokens"), n, d);

    for (int64_t k = 0; k < STARTS; k++) {
        const double *x = all + k * n * d;
        trop_judge_at_most(judge, "distance of the two tokens after the step", 1,
                           trop_tokens_distance(x, x + d, d), 0,
                           8 * DBL_EPSILON * sqrt((double)d) * radius);
    }
    return TROP_OK;
}

/* How far token 1 - i leads every other token in the scores of i: copies of a point count, since
 * shifts part them. */
static double lead_of_other(const struct trop_case *c, int64_t i)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double other = trop_fw_score(b, x + i * d, x + (1 - i) * d, d);
    double lead = INFINITY;

    for (int64_t j = 0; j < n; j++) {
        if (j != 1 - i) {
            lead = fmin(lead, other - trop_fw_score(b, x + i * d, x + j * d, d));
        }
    }
    return lead;
}

static enum trop_status mutual(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double radius = trop_tokens_radius(x, n, d), r = trop_case_number(c, "radius"),
                 change = 2 * trop_fw_norm(b, d) * (2 * radius * r + r * r);

    trop_judge_truth(judge, "there are two tokens or more", -1, n > 1);
    trop_judge_truth(judge, "the radius is not negative", -1, r >= 0);
    for (int64_t i = 0; i < 2 && n > 1; i++) {
        trop_judge_at_least(judge, "lead of the other one of the two tokens", -1,
                            lead_of_other(c, i), DBL_MIN + change,
                            trop_fw_score_error(b, radius, d));
    }
    return TROP_OK;
}

static enum trop_status half_step(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "gamma is 1/2", 0, trop_fw_gamma(c, 0) == .5);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

/* Every score of a token at the origin is 0. */
static enum trop_status token_at_origin(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    memset(trop_case_array(c, "path") + 5 * n * d, 0, (size_t)d * sizeof(double));
    return TROP_OK;
}

static enum trop_status singular(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "B", 0);
    double *b = trop_case_array(c, "B");

    memcpy(b + d, b, (size_t)d * sizeof *b);
    return TROP_OK;
}

static enum trop_status no_shift(struct trop_case *c)
{
    return trop_case_put(c, "radius", 0);
}

static enum trop_status longer_steps(struct trop_case *c)
{
    return ends(c, 1 + 1e-6);
}

static enum trop_status two_thirds(struct trop_case *c)
{
    return trop_case_put(c, "gamma", 2. / 3);
}

/* The first token goes to where the second is, almost: the second does not follow it any more. */
static enum trop_status same_side(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *x = trop_case_array(c, "tokens");

    for (int64_t a = 0; a < d; a++) {
        x[a] = .9 * x[d + a];
    }
    return TROP_OK;
}

static const struct trop_hypothesis leader_hypotheses[] = {
    { "invertible", "B is invertible, by a margin", invertible, 0 },
    { "density", "the law of the starts has a density", has_density, 0 },
    { "step-sizes", "every gamma is between 0 and 1", trop_fw_assume_steps, 0 },
    { 0 },
};

static const struct trop_hypothesis merge_hypotheses[] = {
    { "mutual-leaders", "tokens 0 and 1 follow each other, from every start in the ball", mutual,
      0 },
    { "half-step", "gamma is 1/2", half_step, 0 },
    { 0 },
};

static const struct trop_spoil leader_spoils[] = {
    { "a token of step 5 is at the origin", NULL, token_at_origin },
    { "two rows of B are equal", "invertible", singular },
    { "all starts are the same", "density", no_shift },
    { 0 },
};

static const struct trop_spoil merge_spoils[] = {
    { "steps longer by a millionth", NULL, longer_steps },
    { "gamma is 2/3", "half-step", two_thirds },
    { "the first token is on the side of the second", "mutual-leaders", same_side },
    { 0 },
};

static const struct trop_input leader_inputs[] = {
    { "tokens", "(n, d)", "centre of the starts" },
    { "B", "(d, d)", "key-query matrix" },
    { "radius", "", "of the random shift of every token" },
    { "gamma", "(steps)", "step sizes" },
    { "steps", "", "of the flow" },
    { 0 },
};

static const struct trop_input merge_inputs[] = {
    { "tokens", "(n, d)", "centre of the starts; the first two are the pair" },
    { "B", "(d, d)", "key-query matrix" },
    { "radius", "", "of the random shift of every token" },
    { 0 },
};

const struct trop_claim trop_fw_lem_leader = {
    .id = "fw-lem-leader",
    .title = "single leaders",
    .statement = "With an invertible B, from almost every start every token has exactly one leader "
                 "at every hardmax layer.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Read around the given tokens: the flow starts from them plus a random shift of every "
        "token within the radius, and ties are decided exactly on its path, in double.",
    .old_inputs = leader_inputs,
    .hypotheses = leader_hypotheses,
    .old_draw = draw_leader,
    .old_work = work_leader,
    .old_conclude = conclude_leader,
    .spoils = leader_spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_merge = {
    .id = "fw-rem-merge",
    .title = "merging is generic",
    .statement = "With gamma = 1/2, two tokens that are each other's leader by a margin are at the "
                 "same point after one hardmax layer, from every start in a ball around theirs.",
    .status = TROP_CLAIM_PROVED,
    .remark = "B = -1 with x_1 > 0 > x_2 is the least example: a layer maps an open set of starts "
              "onto a null set. With a positive semidefinite B two tokens never lead each other.",
    .old_inputs = merge_inputs,
    .hypotheses = merge_hypotheses,
    .old_draw = draw_merge,
    .old_work = work_merge,
    .old_conclude = conclude_merge,
    .spoils = merge_spoils,
    .trials = 60,
};
