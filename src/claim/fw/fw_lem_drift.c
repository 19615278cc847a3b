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
#include "claim/fw/fw_beta.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 40
#define SPREAD .15
#define USE_SEED 20

/* ---- the instance: groups around the corners of a polygon ---- */

static enum trop_status draw_groups(struct trop_case *c, int64_t kappa, int64_t each)
{
    const int64_t n = kappa * each;
    double *x = NULL, *labels = NULL, corners[16] = { 0 };
    enum trop_status status = trop_fw_beta_polygon(c, kappa, 1);

    if (status == TROP_OK) {
        memcpy(corners, trop_case_array(c, "tokens"), (size_t)(2 * kappa) * sizeof *corners);
        status = trop_case_make(&x, c, "tokens", n, 2, 0);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&labels, c, "labels", n, 0, 0);
    }
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        labels[i] = (double)(i % kappa);
        for (int64_t a = 0; a < 2; a++) {
            x[2 * i + a] =
                corners[2 * (i % kappa) + a] + SPREAD * (trop_case_uniform(c, 16, 2 * i + a) - .5);
        }
    }
    return status;
}

/* Labels of tokens that were given: each gets the token that it scores highest with. */
static enum trop_status draw_labels(struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *labels = NULL;
    enum trop_status status = trop_case_make(&labels, c, "labels", n, 0, 0);

    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        for (int64_t j = 1; j < n; j++) {
            const double *best = x + (int64_t)labels[i] * d;
            if (trop_tokens_dot(x + i * d, x + j * d, d) > trop_tokens_dot(x + i * d, best, d)) {
                labels[i] = (double)j;
            }
        }
    }
    return status;
}

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = TROP_OK;

    if (trop_case_has(c, "tokens")) {
        status = trop_tokens_check(c);
    }
    if (status == TROP_OK && trop_case_has(c, "tokens") && !trop_case_has(c, "labels")) {
        status = draw_labels(c);
    }
    if (status == TROP_OK && !trop_case_has(c, "tokens")) {
        status = draw_groups(c, 3 + trop_case_pick(c, 17, 0, 3), 2 + trop_case_pick(c, 17, 1, 2));
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "beta", 1.5 + 2 * trop_case_uniform(c, 17, 2));
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", .02 + .3 * trop_case_uniform(c, 17, 3));
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", STEPS, 1, 1e6) : status;
}

static enum trop_status run_chain(struct trop_case *c, double gamma)
{
    struct trop_flow_options o = trop_fw_beta_options(trop_case_number(c, "beta"), gamma);

    o.dynamics = TROP_DYNAMICS_CHAIN;
    o.cloud.seed = trop_fw_beta_seed(c, USE_SEED, 0);
    return trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));
}

static enum trop_status work(struct trop_case *c)
{
    return run_chain(c, trop_case_number(c, "gamma"));
}

static enum trop_status labelled(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    const double *labels = trop_case_array(c, "labels");
    int64_t good = labels && trop_case_size(c, "labels", 0) == n;

    for (int64_t i = 0; i < n && good; i++) {
        good = labels[i] == floor(labels[i]) && labels[i] >= 0 && labels[i] < (double)n;
    }
    trop_judge_truth(judge, "every token has the number of its group", -1, good);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "step-size", "gamma is in (0, 1]", trop_fw_beta_step_size, 0 },
    { "labelled", "every token belongs to one group", labelled, 0 },
    { 0 },
};

/* ---- picks, found again from the path ---- */

/* |x_i' - x_i - gamma (x_j - x_i)|. */
static double miss(const double *x, const double *after, int64_t i, int64_t j, int64_t d,
                   double gamma)
{
    double squares = 0;

    for (int64_t a = 0; a < d; a++) {
        const double to = x[i * d + a] + gamma * (x[j * d + a] - x[i * d + a]);
        squares += (after[i * d + a] - to) * (after[i * d + a] - to);
    }
    return sqrt(squares);
}

/* Judges that token i moved towards a token that it picked; returns 1 when no token of its own
 * group explains the move. */
static int judge_pick(struct trop_judge *judge, const struct trop_case *c, int64_t t, int64_t i,
                      double allowance)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *x = trop_case_array(c, "path") + t * n * d;
    const double *labels = trop_case_array(c, "labels");
    double least = INFINITY, own = INFINITY;

    for (int64_t j = 0; j < n; j++) {
        const double off = miss(x, x + n * d, i, j, d, trop_case_number(c, "gamma"));
        least = fmin(least, off);
        own = labels[j] == labels[i] ? fmin(own, off) : own;
    }
    trop_judge_near(judge, "distance of a move from a pick", t + 1, least, 0, allowance);
    return own > allowance;
}

/* ---- the conclusion ---- */

/* Copies the places of the tokens of one group in the state x; returns how many there are. */
static int64_t gather(double *out, const double *x, const struct trop_case *c, int64_t group)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++) {
        if (trop_case_array(c, "labels")[i] == (double)group) {
            memcpy(out + count++ * d, x + i * d, (size_t)d * sizeof *out);
        }
    }
    return count;
}

static enum trop_status judge_distances(struct trop_judge *judge, const struct trop_case *c,
                                        double *scratch, int64_t t, double reach, double allowance)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *path = trop_case_array(c, "path");
    enum trop_status status = TROP_OK;

    for (int64_t group = 0; group < n && status == TROP_OK; group++) {
        const int64_t count = gather(scratch, path, c, group);
        if (count > 0) {
            gather(scratch + n * d, path + t * n * d, c, group);
            status =
                trop_fw_beta_inside(judge, "distance of a token from its group's hull", t, scratch,
                                    count, scratch + n * d, count, d, reach, (double)t * allowance);
        }
    }
    return status;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double reach = trop_case_number(c, "gamma") * trop_tokens_diameter(path, n, d);
    const double allowance = 4 * DBL_EPSILON * sqrt((double)d) * trop_tokens_radius(path, n, d);
    double *scratch = trop_alloc(2 * n * d, sizeof *scratch);
    enum trop_status status =
        scratch ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for the groups");
    int64_t bad = 0;

    for (int64_t t = 0; t < steps && status == TROP_OK; t++) {
        int crossed = 0;
        for (int64_t i = 0; i < n; i++) {
            crossed |= judge_pick(judge, c, t, i, allowance);
        }
        bad += crossed;
        status = judge_distances(judge, c, scratch, t + 1, reach * (double)bad, allowance);
    }
    trop_alloc_free(scratch);
    return status;
}

/* ---- ways to be wrong ---- */

static enum trop_status longer_steps(struct trop_case *c)
{
    return run_chain(c, 1.01 * trop_case_number(c, "gamma"));
}

static enum trop_status half_label(struct trop_case *c)
{
    trop_case_array(c, "labels")[0] += .5;
    return TROP_OK;
}

/* A token is 1e-6 outside its group before any bad event. */
static enum trop_status early_drift(struct trop_case *c)
{
    double *path = trop_case_array(c, "path");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    path[n * d] += 1e-6;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "a chain whose gamma is one per cent larger", NULL, longer_steps },
    { "one coordinate of step 1 moved by 1e-6", NULL, early_drift },
    { "one coordinate of the last step moved by 1e-6", NULL, trop_fw_beta_spoil_nudge },
    { "gamma = 3/2", "step-size", trop_fw_beta_spoil_gamma },
    { "a label is no whole number", "labelled", half_label },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "labels", "(n)", "group of each token, 0 to n - 1" },
    { "beta", "", "inverse temperature" },
    { "gamma", "", "step size" },
    { "steps", "", "of the chain" },
    { 0 },
};

const struct trop_claim trop_fw_lem_drift = {
    .id = "fw-lem-drift",
    .title = "tokens drift by gamma d(K) in a bad step",
    .statement = "On every path of the chain, after m steps in which some token picked another "
                 "group's token, each token is within gamma d(K) m of the initial hull of its "
                 "group.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Pathwise: the picks are found again from the path, and bad steps counted.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
