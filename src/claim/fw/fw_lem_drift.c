/* fw_lem_drift.c -- tokens of the chain leave their groups slowly (Frank-Wolfe paper, section 5).
 *
 * Groups are any partition of the tokens; a step is bad when some token picks a token of another
 * group. The distance from the group's initial hull is a convex function. A token that picks one of
 * its own goes to (1 - gamma) x_i + gamma x_j, no farther than the farther of the two; one that
 * picks another group's moves by gamma |x_j - x_i| <= gamma d(K). So after m bad steps every
 * token is within gamma d(K) m of its group's hull.
 *
 * The picks are found again from the path: of each move the token j with the least |x_i' - x_i -
 * gamma (x_j - x_i)|, which must be 0 up to the rounding of a difference, a product and a sum, 8
 * u R sqrt(d). Where several tokens stand at that place, one of the own group counts. Rounding
 * adds up to 8 u R sqrt(d) a step in the distance.
 */
#include "claim/fw/fw.h"
#include "claim/fw/fw_beta.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 40
#define SPREAD .15
#define USE_SEED 20

/* ---- the instance: groups around the corners of a polygon ---- */

static void draw_groups(struct trop_case *c, int64_t kappa, int64_t each)
{
    const int64_t n = kappa * each;

    trop_fw_beta_polygon(c, kappa, 1);
    double *corners = trop_case_scratch(c, 2 * kappa);
    memcpy(corners, trop_case_array(c, "tokens"), (size_t)(2 * kappa) * sizeof *corners);
    double *x = trop_case_zeros(c, "tokens", n, 2, 0);
    double *labels = trop_case_zeros(c, "labels", n, 0, 0);
    for (int64_t i = 0; i < n; i++) {
        labels[i] = (double)(i % kappa);
        for (int64_t a = 0; a < 2; a++) {
            x[2 * i + a] =
                corners[2 * (i % kappa) + a] + SPREAD * (trop_case_uniform(c, 16, 2 * i + a) - .5);
        }
    }
}

/* Labels of tokens that were given: each gets the token that it scores highest with, or itself
 * where there are two. */
static void draw_labels(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), *owners = trop_fw_work_owners(c);
    double *labels = trop_case_absent(c, "labels", n, 0, 0);

    for (int64_t i = 0; labels && i < n; i++) {
        labels[i] = (double)(owners[i] < 0 ? i : owners[i]);
    }
}

static void draw(struct trop_case *c)
{
    if (trop_case_has(c, "tokens")) {
        trop_tokens_check(c);
        draw_labels(c);
    } else {
        draw_groups(c, 3 + trop_case_pick(c, 17, 0, 3), 2 + trop_case_pick(c, 17, 1, 2));
    }
    trop_case_default(c, "beta", 1.5 + 2 * trop_case_uniform(c, 17, 2));
    trop_case_default(c, "gamma", .02 + .3 * trop_case_uniform(c, 17, 3));
    trop_tokens_count(c, "steps", STEPS, 1, 1e6);
}

static void work(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"),
                   TROP_FW_BETA_FLOW " dynamics=chain seed=%llu",
                   (unsigned long long)trop_fw_beta_seed(c, USE_SEED, 0));
}

static void labelled(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    const double *labels = trop_case_array(c, "labels");
    int64_t good = labels && trop_case_size(c, "labels", 0) == n;

    for (int64_t i = 0; i < n && good; i++) {
        good = labels[i] == floor(labels[i]) && labels[i] >= 0 && labels[i] < (double)n;
    }
    trop_judge_truth(judge, "every token has the number of its group", -1, good);
}

/* ---- picks, found again from the path ---- */

/* |x_i' - x_i - gamma (x_j - x_i)|. */
static double miss(const double *xi, const double *xj, const double *after, int64_t d, double gamma)
{
    double squares = 0;

    for (int64_t a = 0; a < d; a++) {
        const double to = xi[a] + gamma * (xj[a] - xi[a]);
        squares += (after[a] - to) * (after[a] - to);
    }
    return sqrt(squares);
}

/* Judges that token i moved towards a token that it picked; returns 1 when no token of its own
 * group explains the move. */
static int judge_pick(struct trop_judge *judge, const struct trop_case *c, int64_t t, int64_t i,
                      double allowance)
{
    const struct trop_view path = trop_case_view(c, "path"), x = trop_case_view_part(path, t);
    const double *labels = trop_case_array(c, "labels");
    const double *after = trop_case_view_row(path, t + 1) + i * x.columns;
    double least = INFINITY, own = INFINITY;

    for (int64_t j = 0; j < x.rows; j++) {
        const double off = miss(trop_case_view_row(x, i), trop_case_view_row(x, j), after,
                                x.columns, trop_case_number(c, "gamma"));
        least = fmin(least, off);
        own = labels[j] == labels[i] ? fmin(own, off) : own;
    }
    trop_judge_near(judge, "distance of a move from a pick", t + 1, least, 0, allowance);
    return own > allowance;
}

/* ---- the conclusion ---- */

/* The tokens of one group in the cloud x. */
static struct trop_view gather(const struct trop_case *c, struct trop_view x, int64_t group)
{
    struct trop_view out = { trop_case_scratch(c, x.rows * x.columns), 0, x.columns, 1 };

    for (int64_t i = 0; i < x.rows; i++) {
        if (trop_case_array(c, "labels")[i] == (double)group) {
            memcpy(trop_case_view_row(out, out.rows), trop_case_view_row(x, i),
                   (size_t)x.columns * sizeof *out.at);
            out.rows++;
        }
    }
    return out;
}

static void judge_distances(struct trop_judge *judge, const struct trop_case *c, int64_t t,
                            double reach, double allowance)
{
    const struct trop_view path = trop_case_view(c, "path");
    void *mark = trop_case_mark(c);

    for (int64_t group = 0; group < path.columns; group++) {
        const struct trop_view start = gather(c, trop_case_view_part(path, 0), group);
        if (start.rows > 0) {
            trop_fw_beta_judge_inside(judge, c, "distance of a token from its group's hull", t,
                                      start, gather(c, trop_case_view_part(path, t), group), reach,
                                      (double)t * allowance);
        }
    }
    trop_case_release(c, mark);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth;
    const double reach = trop_case_number(c, "gamma") * trop_tokens_diameter(path.at, n, d);
    const double allowance = 4 * DBL_EPSILON * sqrt((double)d) * trop_tokens_radius(path.at, n, d);
    int64_t bad = 0;

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        int crossed = 0;
        for (int64_t i = 0; i < n; i++) {
            crossed |= judge_pick(judge, c, t, i, allowance);
        }
        bad += crossed;
        judge_distances(judge, c, t + 1, reach * (double)bad, allowance);
    }
}

const struct trop_claim trop_fw_lem_drift = {
    .id = "fw-lem-drift",
    .title = "tokens drift by gamma d(K) in a bad step",
    .statement = "On every path of the chain, after m steps in which some token picked another "
                 "group's token, each token is within gamma d(K) m of the initial hull of its "
                 "group.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Pathwise: the picks are found again from the path, and bad steps counted.",
    .inputs = "tokens labels beta gamma steps",
    .hypotheses =
        TROP_HYPOTHESES(TROP_FW_BETA_STEP_SIZE,
                        { "labelled", "every token belongs to one group", .judge = labelled,
                          .broken = "a label is not a whole number", .edit = "labels[0] += .5" }),
    .run = { draw, work, conclude },
    /* The second is before any bad event. */
    .spoils = TROP_SPOILS(
        { "a chain whose gamma is one per cent larger", NULL, .edit = "work with gamma *= 1.01" },
        { "one coordinate of step 1 moved by 1e-6", NULL, .edit = "path[1,0,0] += 1e-6" },
        { "one coordinate of the last step moved by 1e-6", NULL, .edit = "path[-1,0,0] += 1e-6" }),
    .trials = 100,
};
