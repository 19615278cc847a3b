/* fw_tab_polygon.c -- deterministic softmax flow from regular polygons: how long they last, and how
 * fast tokens arrive at the vertices.
 *
 * A regular polygon stays one, its radius following
 *
 *   r' = (1-gamma) r + gamma r sum_j cos(a_j) e^{beta r^2 cos(a_j)}/sum_j e^{beta r^2 cos(a_j)}.
 *
 * First steps with r below .99, .9 and .5 from r = 1, for kappa = 3, gamma = .1: stepped for beta =
 * 4, 6, 8, and leapt over at beta = 40 (first r < .99, .9, .5 near 10^24). The steps are compared
 * with the published ones, and with this recursion.
 *
 * Arrivals: a second token at .65 of each vertex, kappa = 3, 4, 5; the first step at which every
 * token is within .05 of its vertex.
 */
#include "claim/fw_figures.h"

#include "base/cos.h"
#include "base/exp.h"
#include "base/log.h"
#include "base/sin.h"

#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846
#define LOG10 2.30258509299404568402
#define LIMITS 3
#define MOST 30000 /* steps at beta = 8 are 24925 */

static const double limits[LIMITS] = { .99, .9, .5 };

/* ---- lifetimes ---- */

#define BETAS 3
#define POINTS 500

static const double betas[BETAS] = { 4, 6, 8 };
static const double published[BETAS][LIMITS] = { { 13, 85, 145 },
                                                 { 249, 1327, 1728 },
                                                 { 4849, 21690, 24925 } };
static const double slow[LIMITS] = { 2.22897e24, 3.22693e24, 3.22697e24 };

static enum trop_status draw_polygon(struct trop_case *c)
{
    enum trop_status status = trop_case_default(c, "gamma", .1);

    return status == TROP_OK ? trop_case_default(c, "kappa", 3) : status;
}

static struct trop_flow_options options(const struct trop_case *c, double beta)
{
    struct trop_flow_options o = trop_flow_options_default();

    o.rule = trop_tokens_rule("softmax");
    o.init = TROP_INIT_POLYGON;
    o.n = trop_case_integer(c, "kappa");
    o.d = 2;
    o.beta = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = beta };
    o.gamma =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = trop_case_number(c, "gamma") };
    o.steps = (struct trop_count){ .value = INT64_MAX, .log10 = INFINITY };
    o.threads = 1;
    return o;
}

static double radius_of(const struct trop_flow *flow)
{
    return trop_tokens_radius(trop_flow_tokens(flow), 1, 2);
}

/* First steps below the limits: out (LIMITS); and the curve (POINTS, 2) of step and radius, one
 * point at least every 3% of the time and .005 of the radius. */
static enum trop_status pass(double *out, double *curve, const struct trop_case *c, double beta)
{
    const struct trop_flow_options o = options(c, beta);
    int64_t points = 0;
    struct trop_flow *flow = NULL;
    enum trop_status status = trop_flow_create(&flow, &o);
    int64_t t = 0;

    for (int64_t k = 0; k < LIMITS && status == TROP_OK; k++) {
        while (status == TROP_OK && t < MOST && radius_of(flow) >= limits[k]) {
            status = trop_flow_step(flow, 1);
            t++;
            const double *last = curve + 2 * points - 2;
            if (points < POINTS &&
                (points == 0 || (double)t >= 1.03 * last[0] || radius_of(flow) < last[1] - .005)) {
                curve[2 * points] = (double)t;
                curve[2 * points++ + 1] = radius_of(flow);
            }
        }
        out[k] = (double)t;
    }
    for (; points < POINTS; points++) {
        curve[2 * points] = curve[2 * points + 1] = NAN;
    }
    trop_flow_free(flow);
    return status;
}

/* The same at beta = 40: exits of the flow with radius 1 - limit, as natural logarithms. */
static enum trop_status pass_slowly(double *out, const struct trop_case *c)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < LIMITS && status == TROP_OK; k++) {
        struct trop_escape_options o = trop_escape_options_default();
        struct trop_escape *escape = NULL;
        o.n = trop_case_integer(c, "kappa");
        o.d = 2;
        o.init = TROP_INIT_POLYGON;
        o.beta = "40";
        o.gamma = trop_case_number(c, "gamma");
        o.radius = 1 - limits[k];
        o.dynamics = TROP_ESCAPE_FLOW;
        o.threads = 1;
        status = trop_escape_create(&escape, &o);
        if (status == TROP_OK) {
            status = trop_escape_run(escape, NULL, NULL);
        }
        if (status == TROP_OK) {
            out[k] = LOG10 * trop_fw_figures_exit(escape, "log10_median", 0);
        }
        trop_escape_free(escape);
    }
    return status;
}

static enum trop_status work_polygon(struct trop_case *c)
{
    double *times = NULL, *slowly = NULL, *curves = NULL;
    enum trop_status status = trop_case_make(&times, c, "times", BETAS, LIMITS, 0);

    if (status == TROP_OK) {
        status = trop_case_make(&curves, c, "curves", BETAS, POINTS, 2);
    }
    for (int64_t k = 0; k < BETAS && status == TROP_OK; k++) {
        status = pass(times + k * LIMITS, curves + k * POINTS * 2, c, betas[k]);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&slowly, c, "slowly", LIMITS, 0, 0);
    }
    return status == TROP_OK ? pass_slowly(slowly, c) : status;
}

/* First steps of the recursion: out (LIMITS). */
static void recur(double *out, double beta)
{
    double r = 1;
    int64_t t = 0;

    for (int64_t k = 0; k < LIMITS; k++) {
        for (; r >= limits[k] && t < MOST; t++) {
            /* Of the triangle two cosines are -1/2. */
            const double e = 2 * trop_exp(-1.5 * beta * r * r);
            r = .9 * r + .1 * r * (1 - .5 * e) / (1 + e);
        }
        out[k] = (double)t;
    }
}

static enum trop_status conclude_polygon(struct trop_judge *judge, const struct trop_case *c)
{
    const double *times = trop_case_array(c, "times"), *slowly = trop_case_array(c, "slowly");
    double steps[LIMITS];
    char line[64];

    for (int64_t k = 0; k < BETAS; k++) {
        recur(steps, betas[k]);
        for (int64_t l = 0; l < LIMITS; l++) {
            snprintf(line, sizeof line, "beta %.0f: first step with r < %.2f", betas[k], limits[l]);
            trop_judge_near(judge, line, -1, times[k * LIMITS + l], published[k][l], 0);
            snprintf(line, sizeof line, "beta %.0f: r < %.2f by the recursion", betas[k],
                     limits[l]);
            trop_judge_near(judge, line, -1, times[k * LIMITS + l], steps[l], 0);
        }
    }
    for (int64_t l = 0; l < LIMITS; l++) {
        /* Six digits are printed, and leaps keep to 2e-5. */
        snprintf(line, sizeof line, "beta 40: log of the first step with r < %.2f", limits[l]);
        trop_judge_near(judge, line, -1, slowly[l], trop_log(slow[l]), 2e-5 + 5e-6 / 2.2);
    }
    return TROP_OK;
}

static enum trop_status picture_polygon(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const double *curves = trop_case_array(c, "curves");
    double x[POINTS], y[POINTS];
    char legend[32];

    trop_panel_x(panel, "step", TROP_SCALE_LOG);
    trop_panel_y(panel, "radius of the triangle", TROP_SCALE_LINEAR);
    for (int64_t k = 0; k < BETAS; k++) {
        for (int64_t p = 0; p < POINTS; p++) {
            x[p] = curves[(k * POINTS + p) * 2];
            y[p] = curves[(k * POINTS + p) * 2 + 1];
        }
        snprintf(legend, sizeof legend, "β = %.0f", betas[k]);
        trop_panel_line(panel, x, y, POINTS, trop_figure_pen(k), legend);
    }
    for (int64_t k = 0; k < BETAS; k++) {
        trop_panel_dots(panel, published[k], limits, LIMITS,
                        (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CROSS },
                        k == 0 ? "published: .99, .9, .5" : NULL);
    }
    return TROP_OK;
}

static enum trop_status set_up(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "gamma = .1", -1, trop_case_number(c, "gamma") == .1);
    return TROP_OK;
}

static enum trop_status triangle(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "kappa = 3", -1, trop_case_number(c, "kappa") == 3);
    return TROP_OK;
}

static enum trop_status wrong_gamma(struct trop_case *c)
{
    enum trop_status status = trop_case_put(c, "gamma", .101);

    if (status == TROP_OK) {
        status = work_polygon(c);
    }
    return status == TROP_OK ? trop_case_put(c, "gamma", .1) : status;
}

static enum trop_status late(struct trop_case *c)
{
    trop_case_array(c, "times")[BETAS * LIMITS - 1] += 1;
    return TROP_OK;
}

static enum trop_status other_gamma(struct trop_case *c)
{
    return trop_case_put(c, "gamma", .2);
}

static enum trop_status other_kappa(struct trop_case *c)
{
    return trop_case_put(c, "kappa", 4);
}

static const struct trop_hypothesis polygon_hypotheses[] = {
    { "gamma", "gamma = .1", set_up, 0 },
    { "triangle", "kappa = 3", triangle, 0 },
    { 0 },
};

static const struct trop_spoil polygon_spoils[] = {
    { "the flow is run with gamma = .101", NULL, wrong_gamma },
    { "the last passage at beta = 8 is a step late", NULL, late },
    { "gamma = .2", "gamma", other_gamma },
    { "a square", "triangle", other_kappa },
    { 0 },
};

static const struct trop_input polygon_inputs[] = {
    { "gamma", "", "step size" },
    { "kappa", "", "vertices of the polygon" },
    { 0 },
};

const struct trop_claim trop_fw_tab_polygon = {
    .id = "fw-tab-polygon",
    .title = "lifetimes of the triangle",
    .statement =
        "Under softmax a triangle of radius 1 shrinks below .99, .9 and .5 after 13, 85 and "
        "145 steps at beta = 4, after 4849, 21690 and 24925 at 8, and near 1e24 at 40.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Steps are compared exactly, those at beta = 40 to the digits given.",
    .inputs = polygon_inputs,
    .hypotheses = polygon_hypotheses,
    .draw = draw_polygon,
    .work = work_polygon,
    .conclude = conclude_polygon,
    .picture = picture_polygon,
    .spoils = polygon_spoils,
    .trials = 1,
};

/* ---- arrivals ---- */

#define ARRIVALS 6
#define KAPPAS 3

static const double arrivals[ARRIVALS] = { INFINITY, INFINITY, 31, 20, 19, 19 };

static enum trop_status draw_t1(struct trop_case *c)
{
    enum trop_status status = trop_case_default(c, "gamma", .1);

    return status == TROP_OK ? trop_case_default(c, "displaced", .35) : status;
}

/* Arrivals of one polygon: out (ARRIVALS), infinite for those that do not come. */
static enum trop_status arrive(double *out, const struct trop_case *c, int64_t kappa)
{
    struct trop_escape_options o = trop_escape_options_default();
    struct trop_escape *escape = NULL;
    double x[4 * (KAPPAS + 2)];

    for (int64_t i = 0; i < 2 * kappa; i++) {
        const double angle = 2 * PI * (double)(i % kappa) / (double)kappa;
        const double r = i < kappa ? 1 : 1 - trop_case_number(c, "displaced");
        x[2 * i] = r * trop_cos(angle);
        x[2 * i + 1] = r * trop_sin(angle);
    }
    o.tokens = x;
    o.n = 2 * kappa;
    o.d = 2;
    o.beta = "4,8,16,32,64,128";
    o.gamma = trop_case_number(c, "gamma");
    o.dynamics = TROP_ESCAPE_FLOW;
    o.near = .05;
    o.threads = 1;
    enum trop_status status = trop_escape_create(&escape, &o);
    if (status == TROP_OK) {
        status = trop_escape_run(escape, NULL, NULL);
    }
    for (int64_t k = 0; k < ARRIVALS && status == TROP_OK; k++) {
        const double t = trop_fw_figures_exit(escape, "arrival", k);
        out[k] = isnan(t) ? INFINITY : t;
    }
    trop_escape_free(escape);
    return status;
}

static enum trop_status work_t1(struct trop_case *c)
{
    double *times = NULL;
    enum trop_status status = trop_case_make(&times, c, "times", KAPPAS, ARRIVALS, 0);

    for (int64_t k = 0; k < KAPPAS && status == TROP_OK; k++) {
        status = arrive(times + k * ARRIVALS, c, k + 3);
    }
    return status;
}

static enum trop_status conclude_t1(struct trop_judge *judge, const struct trop_case *c)
{
    const double *times = trop_case_array(c, "times");
    char line[64];

    for (int64_t k = 0; k < KAPPAS * ARRIVALS; k++) {
        const int64_t at = k % ARRIVALS;
        snprintf(line, sizeof line, "kappa %lld, beta %lld: arrival", (long long)(k / ARRIVALS + 3),
                 (long long)4 << at);
        if (isinf(arrivals[at])) {
            trop_judge_truth(judge, line, -1, isinf(times[k]) != 0);
        } else {
            trop_judge_near(judge, line, -1, times[k], arrivals[at], 0);
        }
    }
    return TROP_OK;
}

static enum trop_status displaced(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "displaced by .35", -1, trop_case_number(c, "displaced") == .35);
    return TROP_OK;
}

static enum trop_status t1_mistake(struct trop_case *c)
{
    enum trop_status status = trop_case_put(c, "displaced", .4);

    if (status == TROP_OK) {
        status = work_t1(c);
    }
    return status == TROP_OK ? trop_case_put(c, "displaced", .35) : status;
}

static enum trop_status farther(struct trop_case *c)
{
    return trop_case_put(c, "displaced", .3);
}

static const struct trop_hypothesis t1_hypotheses[] = {
    { "gamma", "gamma = .1", set_up, 0 },
    { "displaced", "the second tokens are .35 from their vertices", displaced, 0 },
    { 0 },
};

static const struct trop_spoil t1_spoils[] = {
    { "the second tokens are .4 away", NULL, t1_mistake },
    { "gamma = .2", "gamma", other_gamma },
    { "displaced by .3", "displaced", farther },
    { 0 },
};

static const struct trop_input t1_inputs[] = {
    { "gamma", "", "step size" },
    { "displaced", "", "distance of the second tokens from their vertices" },
    { 0 },
};

const struct trop_claim trop_fw_tab_t1 = {
    .id = "fw-tab-t1",
    .title = "tokens arrive at their vertices",
    .statement =
        "Of a polygon with a second token .35 from each vertex every token is within .05 of "
        "its vertex after 31, 20, 19 and 19 steps of softmax at beta = 16, 32, 64 and 128, "
        "and never at 4 and 8.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "The same for three, four and five vertices.",
    .inputs = t1_inputs,
    .hypotheses = t1_hypotheses,
    .draw = draw_t1,
    .work = work_t1,
    .conclude = conclude_t1,
    .spoils = t1_spoils,
    .trials = 1,
};
