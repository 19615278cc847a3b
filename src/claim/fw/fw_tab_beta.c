/* fw_tab_beta.c -- numbers of polygons at finite beta that others have measured (Frank-Wolfe paper,
 * section 5, and independent reproductions of it).
 *
 *   arrival: 2 kappa tokens, one at each corner of the unit polygon and one at .35 from it towards
 *            the centre, gamma = .1, softmax flow: the first step after which all are within .05 of
 *            their corners. Deterministic, the same for kappa = 3, 4, 5;
 *   radius:  one token at each corner of the unit triangle, gamma = .1, softmax flow: the first
 *            steps with r < .99, .9, .5. At beta = 40 they are near 10^24: by leaps, with a
 * relative error of 1e-6; exit:    the same triangle, gamma = .1, eps = .05, the chain: medians of
 * the first exit.
 *
 * Whole numbers are compared exactly, others to half a unit of the last digit that was printed. The
 * median of N runs of a geometric law with median m has a standard deviation of about m/(sqrt(N)
 * log 2), of which four and one step are allowed.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/exp.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LN10 0x1.26bb1bbb55516p+1
#define NONE (-1.0) /* the event does not come */
#define WHOLE .25   /* whole numbers are equal */

/* ---- a softmax flow up to an event ---- */

/* The first step at which event returns 1; NONE when there is none within steps. */
static enum trop_status
first_step(double *out, const struct trop_case *c, double beta, int64_t steps, double level,
           int (*event)(const double *x, const double *start, int64_t n, double level))
{
    struct trop_flow_options o = trop_fw_beta_options(beta, trop_case_number(c, "gamma"));
    struct trop_flow *flow = NULL;

    o.cloud.n = trop_case_size(c, "tokens", 0);
    o.cloud.d = 2;
    o.cloud.tokens = trop_case_array(c, "tokens");
    o.threads = 1;
    o.steps = (struct trop_count){ .value = steps, .log10 = 6 };
    enum trop_status status = trop_flow_create(&flow, &o);
    *out = NONE;
    for (int64_t t = 0; t <= steps && status == TROP_OK && *out == NONE; t++) {
        if (event(trop_flow_tokens(flow), o.cloud.tokens, o.cloud.n, level)) {
            *out = (double)t;
        } else {
            status = trop_flow_step(flow, 1);
        }
    }
    trop_flow_free(flow);
    return status;
}

static enum trop_status enough_steps(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "steps that are looked at", -1, trop_case_number(c, "steps"),
                        trop_case_number(c, "needed"), 0);
    return TROP_OK;
}

static const struct trop_hypothesis step_hypotheses[] = {
    { "enough-steps", "the flow is followed far enough", enough_steps, 0 },
    { 0 },
};

static enum trop_status few_steps(struct trop_case *c)
{
    return trop_case_put(c, "steps", 10);
}

static enum trop_status draw_steps(struct trop_case *c, double steps)
{
    enum trop_status status = trop_case_default(c, "gamma", .1);

    if (status == TROP_OK) {
        status = trop_case_put(c, "needed", steps);
    }
    return status == TROP_OK ? trop_tokens_count(c, "steps", steps, 1, 1e6) : status;
}

/* ---- arrival ---- */

#define ARRIVALS 5
static const double arrival_betas[ARRIVALS] = { 8, 16, 32, 64, 128 };
static const double arrival_steps[ARRIVALS] = { NONE, 31, 20, 19, 19 };

/* Token i belongs to corner i mod n/2. */
static int arrived(const double *x, const double *start, int64_t n, double level)
{
    for (int64_t i = 0; i < n; i++) {
        if (!(trop_tokens_distance(x + 2 * i, start + 2 * (i % (n / 2)), 2) < level)) {
            return 0;
        }
    }
    return 1;
}

static enum trop_status draw_arrival(struct trop_case *c)
{
    return draw_steps(c, 2000);
}

/* "arrivals" (3, ARRIVALS): kappa = 3, 4, 5, at these betas. */
static enum trop_status work_arrival(struct trop_case *c)
{
    double *out = NULL, *x = NULL;
    enum trop_status status = trop_case_make(&out, c, "arrivals", 3, ARRIVALS, 0);

    for (int64_t kappa = 3; kappa <= 5 && status == TROP_OK; kappa++) {
        double corners[10] = { 0 };
        trop_case_drop(c, "tokens");
        status = trop_fw_beta_polygon(c, kappa, 1);
        if (status == TROP_OK) {
            memcpy(corners, trop_case_array(c, "tokens"), (size_t)(2 * kappa) * sizeof *corners);
            status = trop_case_make(&x, c, "tokens", 2 * kappa, 2, 0);
        }
        for (int64_t k = 0; k < 2 * kappa && status == TROP_OK; k++) {
            x[k] = corners[k];
            x[2 * kappa + k] = (1 - .35) * corners[k];
        }
        for (int64_t b = 0; b < ARRIVALS && status == TROP_OK; b++) {
            status = first_step(out + (kappa - 3) * ARRIVALS + b, c, arrival_betas[b],
                                trop_case_integer(c, "steps"), .05, arrived);
        }
    }
    return status;
}

static enum trop_status conclude_arrival(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t k = 0; k < 3 * ARRIVALS; k++) {
        char name[64];
        snprintf(name, sizeof name, "kappa = %d, beta = %g: arrival", (int)(3 + k / ARRIVALS),
                 arrival_betas[k % ARRIVALS]);
        trop_judge_near(judge, name, -1, trop_case_array(c, "arrivals")[k],
                        arrival_steps[k % ARRIVALS], WHOLE);
    }
    return TROP_OK;
}

static enum trop_status other_arrival(struct trop_case *c)
{
    const double gamma = trop_case_number(c, "gamma");
    enum trop_status status = trop_case_put(c, "gamma", .11);

    if (status == TROP_OK) {
        status = work_arrival(c);
    }
    return status == TROP_OK ? trop_case_put(c, "gamma", gamma) : status;
}

/* ---- radius ---- */

static const double radius_betas[] = { 4, 6, 8 }, radius_levels[] = { .99, .9, .5 };
static const double leap_steps[] = { 2.22897e24, 3.22693e24, 3.22697e24 }; /* beta = 40 */
static const double radius_steps[] = { 13, 85, 145, 249, 1327, 1728, 4849, 21690, 24925 };

static int shrunk(const double *x, const double *start, int64_t n, double level)
{
    double sum = 0;

    (void)start;
    for (int64_t i = 0; i < n; i++) {
        sum += sqrt(trop_tokens_dot(x + 2 * i, x + 2 * i, 2));
    }
    return sum / (double)n < level;
}

static enum trop_status draw_radius(struct trop_case *c)
{
    enum trop_status status = trop_fw_beta_polygon(c, 3, 1);

    return status == TROP_OK ? draw_steps(c, 30000) : status;
}

/* "leaps" (3): log10 of the times at beta = 40. */
static enum trop_status work_leaps(struct trop_case *c)
{
    double *out = NULL;
    enum trop_status status = trop_case_make(&out, c, "leaps", 3, 0, 0);

    for (int64_t k = 0; k < 3 && status == TROP_OK; k++) {
        const struct trop_fw_beta_escape how = { .beta = 40,
                                                 .gamma = trop_case_number(c, "gamma"),
                                                 .radius = 1 - radius_levels[k],
                                                 .runs = 1,
                                                 .dynamics = TROP_ESCAPE_FLOW,
                                                 .seed = 1 };
        struct trop_fw_beta_exit exit = { 0 };
        status = trop_fw_beta_escape(&exit, c, &how);
        out[k] = exit.log10_median;
    }
    return status;
}

/* "times" (9). */
static enum trop_status work_radius(struct trop_case *c)
{
    double *out = NULL;
    enum trop_status status = trop_case_make(&out, c, "times", 9, 0, 0);

    for (int64_t k = 0; k < 9 && status == TROP_OK; k++) {
        status = first_step(out + k, c, radius_betas[k / 3], trop_case_integer(c, "steps"),
                            radius_levels[k % 3], shrunk);
    }
    return status == TROP_OK ? work_leaps(c) : status;
}

static enum trop_status conclude_radius(struct trop_judge *judge, const struct trop_case *c)
{
    char name[64];

    for (int64_t k = 0; k < 9; k++) {
        snprintf(name, sizeof name, "beta = %g: first step with r < %g", radius_betas[k / 3],
                 radius_levels[k % 3]);
        trop_judge_near(judge, name, -1, trop_case_array(c, "times")[k], radius_steps[k], WHOLE);
    }
    for (int64_t k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "beta = 40: first step with r < %g", radius_levels[k]);
        trop_judge_near(judge, name, -1, trop_exp(LN10 * trop_case_array(c, "leaps")[k]),
                        leap_steps[k], .000005e24 + 1e-6 * leap_steps[k]);
    }
    return TROP_OK;
}

static enum trop_status other_radius(struct trop_case *c)
{
    const double gamma = trop_case_number(c, "gamma");
    enum trop_status status = trop_case_put(c, "gamma", .101);

    if (status == TROP_OK) {
        status = work_radius(c);
    }
    return status == TROP_OK ? trop_case_put(c, "gamma", gamma) : status;
}

/* ---- exit ---- */

#define EXITS 5
static const double exit_medians[EXITS] = { 3, 11, 47, 209, 937 }; /* beta = 2 .. 6 */

static enum trop_status draw_exit(struct trop_case *c)
{
    static const double runs[] = { 400, 10000, 100000 };
    enum trop_status status = trop_fw_beta_polygon(c, 3, 1);

    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", .1);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "radius", .05);
    }
    return status == TROP_OK ? trop_tokens_count(c, "runs", runs[c->effort], 1, 1e6) : status;
}

/* "medians" (EXITS + 2, 3): log10 of the median of the runs, of the exact law, and of the law of
 * one token, at beta = 2 .. 6, 1 and 40. factor multiplies the betas that are really run. */
static enum trop_status find_exits(struct trop_case *c, double factor)
{
    static const double betas[EXITS + 2] = { 2, 3, 4, 5, 6, 1, 40 };
    double *out = NULL;
    enum trop_status status = trop_case_make(&out, c, "medians", EXITS + 2, 3, 0);

    for (int64_t k = 0; k < EXITS + 2 && status == TROP_OK; k++) {
        const struct trop_fw_beta_escape how = { .beta = factor * betas[k],
                                                 .gamma = trop_case_number(c, "gamma"),
                                                 .radius = trop_case_number(c, "radius"),
                                                 .runs = trop_case_integer(c, "runs"),
                                                 .dynamics = TROP_ESCAPE_CHAIN,
                                                 .seed = trop_fw_beta_seed(c, 16, k) };
        struct trop_fw_beta_exit exit = { 0 };
        status = trop_fw_beta_escape(&exit, c, &how);
        out[3 * k] = exit.log10_median;
        out[3 * k + 1] = exit.log10_exact;
        out[3 * k + 2] = exit.log10_token;
    }
    return status;
}

static enum trop_status work_exit(struct trop_case *c)
{
    return find_exits(c, 1);
}

static double steps_of(const struct trop_case *c, int64_t k, int64_t which)
{
    return trop_exp(LN10 * trop_case_array(c, "medians")[3 * k + which]);
}

static enum trop_status conclude_exit(struct trop_judge *judge, const struct trop_case *c)
{
    const double spread = 4 / sqrt((double)trop_case_integer(c, "runs")) * 1.4427;

    for (int64_t k = 0; k < EXITS; k++) {
        char name[64];
        snprintf(name, sizeof name, "beta = %d: median of the runs", (int)(2 + k));
        trop_judge_near(judge, name, -1, steps_of(c, k, 0), exit_medians[k],
                        1 + spread * exit_medians[k]);
        snprintf(name, sizeof name, "beta = %d: median of the law", (int)(2 + k));
        trop_judge_near(judge, name, -1, steps_of(c, k, 1), exit_medians[k], WHOLE);
    }
    trop_judge_near(judge, "beta = 1: median of one token", -1, steps_of(c, EXITS, 2), 2, WHOLE);
    trop_judge_near(judge, "beta = 40: median of one token", -1, steps_of(c, EXITS + 1, 2),
                    3.9579e25, .00005e25);
    trop_judge_near(judge, "beta = 40: median of the first", -1, steps_of(c, EXITS + 1, 1),
                    1.3193e25, .00005e25);
    return TROP_OK;
}

static enum trop_status enough_runs(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "runs", -1, trop_case_number(c, "runs"), 100, 0);
    return TROP_OK;
}

static enum trop_status cooler(struct trop_case *c)
{
    return find_exits(c, 1.01);
}

static enum trop_status few_runs(struct trop_case *c)
{
    return trop_case_put(c, "runs", 10);
}

/* ---- tables ---- */

static const struct trop_hypothesis exit_hypotheses[] = {
    { "enough-runs", "at least 100 runs", enough_runs, 0 },
    { 0 },
};

static const struct trop_spoil arrival_spoils[] = {
    { "flows with gamma = .11", NULL, other_arrival },
    { "10 steps", "enough-steps", few_steps },
    { 0 },
};

static const struct trop_spoil radius_spoils[] = {
    { "flows with gamma = .101", NULL, other_radius },
    { "10 steps", "enough-steps", few_steps },
    { 0 },
};

static const struct trop_spoil exit_spoils[] = {
    { "betas larger by one per cent", NULL, cooler },
    { "10 runs", "enough-runs", few_runs },
    { 0 },
};

static const struct trop_input step_inputs[] = {
    { "steps", "", "that are looked at" },
    { 0 },
};

static const struct trop_input exit_inputs[] = {
    { "runs", "", "of the chain at each beta" },
    { 0 },
};

const struct trop_claim trop_fw_tab_beta_arrival = {
    .id = "fw-tab-arrival",
    .title = "when tokens have come to their corners",
    .statement = "With gamma = .1 and tokens displaced by .35, the softmax flow has every token of "
                 "a polygon within .05 of its corner after 31, 20, 19 and 19 steps at beta = 16, "
                 "32, 64 and 128, and never at beta = 8.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Numbers of an independent reproduction of theorem 5.2, for kappa = 3, 4 and 5; -1 "
              "stands for never, read as 2000 steps. Squares and pentagons are not acute: the "
              "theorem does not speak of them.",
    .old_inputs = step_inputs,
    .hypotheses = step_hypotheses,
    .old_draw = draw_arrival,
    .old_work = work_arrival,
    .old_conclude = conclude_arrival,
    .old_picture = trop_fw_tab_beta_picture_arrival,
    .spoils = arrival_spoils,
    .trials = 1,
};

const struct trop_claim trop_fw_tab_beta_exit = {
    .id = "fw-tab-exit",
    .title = "median exit times from a triangle",
    .statement =
        "From the unit triangle with gamma = .1 and eps = .05 the median of the first exit "
        "is 3, 11, 47, 209, 937 steps at beta = 2 to 6, and that of one token 2 steps at "
        "beta = 1 and 3.9579e25 at beta = 40.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Numbers of independent programs and of a reproduction of theorem 5.4. Its fitted "
              "slopes (1.498, .994, .686, .490 for kappa = 3 to 6) are left out: the betas "
              "of the fit are not known, and no even grid gives all four.",
    .old_inputs = exit_inputs,
    .hypotheses = exit_hypotheses,
    .old_draw = draw_exit,
    .old_work = work_exit,
    .old_conclude = conclude_exit,
    .old_picture = trop_fw_tab_beta_picture_exit,
    .spoils = exit_spoils,
    .trials = 1,
};

const struct trop_claim trop_fw_tab_beta_radius = {
    .id = "fw-tab-radius",
    .title = "how long a triangle keeps its radius",
    .statement = "The softmax flow of the unit triangle with gamma = .1 first has r < .99, .9, .5 "
                 "after 13, 85, 145 steps at beta = 4, after 249, 1327, 1728 at beta = 6 and after "
                 "4849, 21690, 24925 at beta = 8; at beta = 40 after 2.22897e24, 3.22693e24, "
                 "3.22697e24.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Numbers of independent programs.",
    .old_inputs = step_inputs,
    .hypotheses = step_hypotheses,
    .old_draw = draw_radius,
    .old_work = work_radius,
    .old_conclude = conclude_radius,
    .old_picture = trop_fw_tab_beta_picture_radius,
    .spoils = radius_spoils,
    .trials = 1,
};
