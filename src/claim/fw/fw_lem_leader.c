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

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 12
#define STARTS 5

/* ---- single leaders ---- */

static void draw_leader(struct trop_case *c)
{
    const int64_t n = 4 + trop_case_pick(c, 18, 0, 4),
                  d = trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 3));

    if (c->trial % 2) {
        trop_tokens_gaussian(c, 2 * n, d);
    } else {
        trop_tokens_symmetric(c, n, d);
    }
    trop_fw_draw_any_matrix(c);
    trop_case_default(c, "radius", 1e-3);
    trop_fw_draw_gamma(c, STEPS, .05, .95);
}

static void work_leader(struct trop_case *c)
{
    struct trop_case *other = trop_fw_work_nearby(c, 0);

    trop_fw_work_path(other);
    const struct trop_view path = trop_case_view(other, "path");
    trop_case_copy_in(c, "path", path.at, path.rows, path.columns, path.depth);
}

/* The margin of a token on a wall is 0; any other is above it, however little. */
static void conclude_leader(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        void *mark = trop_case_mark(c);
        struct trop_cells *cells =
            trop_case_cells(c, trop_case_view_part(path, t), NULL, "key_query=@B");
        struct trop_value labels, margins;
        trop_case_try(c, trop_cells_value(&labels, cells, "labels"));
        trop_case_try(c, trop_cells_value(&margins, cells, "margins"));
        for (int64_t i = 0; i < path.columns; i++) {
            trop_judge_at_least(judge, "lead of a token's leader over every other point", t,
                                labels.integers[i] < 0 ? 0 : fmax(margins.numbers[i], DBL_MIN),
                                DBL_MIN, 0);
        }
        trop_case_release(c, mark);
    }
}

static void invertible(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view b = trop_case_view(c, "B");
    const struct trop_fw_range values = trop_fw_singular_values(c, b.at, b.rows);

    trop_judge_at_least(judge, "least over largest singular value of B", -1,
                        values.high > 0 ? values.low / values.high : 0, 1e-6, 4e-7);
}

static void has_density(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");

    trop_judge_at_least(judge, "radius of the shifts", -1, trop_case_number(c, "radius"),
                        1e-9 * trop_tokens_radius_of(x), 0);
}

/* ---- merging ---- */

/* Two tokens near 3 u and -3 u, the others near the origin; u a random unit vector. */
static void draw_merge(struct trop_case *c)
{
    const int64_t n = 2 + trop_case_pick(c, 18, 0, 6),
                  d = trop_fw_draw_dimension(c, 1 + trop_case_pick(c, 18, 1, 3));
    const int given = trop_case_has(c, "tokens");

    trop_tokens_sphere(c, n, d);
    for (int64_t a = 0; !given && a < d; a++) {
        double *x = trop_case_array(c, "tokens");
        for (int64_t i = 2; i < n; i++) {
            x[i * d + a] *= .4;
        }
        x[d + a] = -3 * x[a] + .2 * x[d + a];
        x[a] *= 3;
    }
    trop_fw_draw_matrix(c, -1.5, -.75);
    trop_case_default(c, "radius", 1e-3);
    trop_fw_draw_steps(c, 1);
    trop_case_default(c, "gamma", .5);
}

/* "ends" (STARTS, n, d): where the tokens of each start are after a step. */
static void work_merge(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    double *ends = trop_case_zeros(c, "ends", STARTS, x.rows, x.columns);

    for (int64_t k = 0; k < STARTS; k++) {
        struct trop_case *other = trop_fw_work_nearby(c, k);
        trop_fw_work_path(other);
        memcpy(ends + k * x.rows * x.columns, trop_case_view_row(trop_case_view(other, "path"), 1),
               (size_t)(x.rows * x.columns) * sizeof *ends);
    }
}

/* Both go to the middle: each coordinate rounds by at most 4 u R. */
static void conclude_merge(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view ends = trop_case_view(c, "ends");
    const int64_t d = ends.depth;
    const double radius = trop_tokens_radius(trop_case_array(c, "tokens"), ends.columns, d);

    for (int64_t k = 0; k < STARTS; k++) {
        const double *x = trop_case_view_row(ends, k);
        trop_judge_at_most(judge, "distance of the two tokens after the step", 1,
                           trop_tokens_distance(x, x + d, d), 0,
                           8 * DBL_EPSILON * sqrt((double)d) * radius);
    }
}

/* How far token 1 - i leads every other token in the scores of i: copies of a point count, since
 * shifts part them. */
static double lead_of_other(const struct trop_case *c, int64_t i)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double *own = trop_case_view_row(x, i);
    const double other = trop_fw_score(c, own, trop_case_view_row(x, 1 - i));
    double lead = INFINITY;

    for (int64_t j = 0; j < x.rows; j++) {
        if (j != 1 - i) {
            lead = fmin(lead, other - trop_fw_score(c, own, trop_case_view_row(x, j)));
        }
    }
    return lead;
}

static void mutual(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");

    trop_judge_truth(judge, "there are two tokens or more", -1, x.rows > 1);
    trop_judge_truth(judge, "the radius is not negative", -1, trop_case_number(c, "radius") >= 0);
    for (int64_t i = 0; i < 2 && x.rows > 1; i++) {
        trop_judge_at_least(judge, "lead of the other one of the two tokens", -1,
                            lead_of_other(c, i), DBL_MIN + trop_fw_shift(c, x),
                            trop_fw_error(c, x));
    }
}

static void half_step(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "gamma is 1/2", 0, trop_fw_gamma(c, 0) == .5);
}

const struct trop_claim trop_fw_lem_leader = {
    .id = "fw-lem-leader",
    .title = "single leaders",
    .statement = "With an invertible B, from almost every start every token has exactly one leader "
                 "at every hardmax layer.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Read around the given tokens: the flow starts from them plus a random shift of every "
        "token within the radius, and ties are decided exactly on its path, in double.",
    .inputs = "tokens B radius gamma steps",
    .hypotheses =
        TROP_HYPOTHESES({ "invertible", "B is invertible, by a margin", .judge = invertible,
                          .broken = "two rows of B are equal", .edit = "B[1] = B[0]" },
                        { "density", "the law of the starts has a density", .judge = has_density,
                          .broken = "all starts are the same", .edit = "radius = 0" },
                        TROP_FW_STEPS),
    .run = { draw_leader, work_leader, conclude_leader },
    /* Every score of a token at the origin is 0. */
    .spoils = TROP_SPOILS({ "a token of step 5 is at the origin", NULL, .edit = "path[5,0] = 0" }),
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
    .inputs = "tokens B radius",
    .hypotheses = TROP_HYPOTHESES(
        { "mutual-leaders", "tokens 0 and 1 follow each other, from every start in the ball",
          .judge = mutual, .broken = "the first token is on the side of the second",
          .edit = "tokens[0] = .9 * tokens[1]" },
        { "half-step", "gamma is 1/2", .judge = half_step, .broken = "gamma is 2/3",
          .edit = "gamma = 2/3" }),
    .run = { draw_merge, work_merge, conclude_merge },
    .spoils =
        TROP_SPOILS({ "steps longer by a millionth", NULL, .edit = "work with gamma *= 1 + 1e-6" }),
    .trials = 60,
};
