/* fw_tab_beta.c -- numbers of polygons at finite beta that others have measured (Frank-Wolfe paper,
 * section 5, and independent reproductions of it).
 *
 *   arrival: 2 kappa tokens, one at each corner of the unit polygon and one at .35 from it towards
 *            the centre, gamma = .1, softmax flow: the first step after which all are within .05 of
 *            their corners. Deterministic, the same for kappa = 3, 4, 5;
 *   radius:  one token at each corner of the unit triangle, gamma = .1, softmax flow: the first
 *            steps with r < .99, .9, .5. At beta = 40 they are near 10^24: by leaps, with a
 *            relative error of 1e-6;
 *   exit:    the same triangle, gamma = .1, eps = .05, the chain: medians of the first exit.
 *
 * Whole numbers are compared exactly, others to half a unit of the last digit that was printed. The
 * median of N runs of a geometric law with median m has a standard deviation of about m/(sqrt(N)
 * log 2), of which four and one step are allowed.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/exp.h"
#include "claim/case_work.h"
#include "claim/table.h"
#include "claim/tokens.h"

#include <math.h>

#define LN10 0x1.26bb1bbb55516p+1
#define NONE (-1.0) /* the event does not come */
#define WHOLE .5    /* whole numbers are equal */

/* ---- a softmax flow up to an event ---- */

typedef int an_event(const double *x, const double *start, int64_t n, double level);

/* The first step of n tokens at which event returns 1; NONE when there is none. */
static double first_step(const struct trop_case *c, const double *start, int64_t n, double beta,
                         double level, an_event *event)
{
    const int64_t steps = trop_case_integer(c, "steps");
    struct trop_case *apart = trop_case_apart(c);

    trop_case_copy_in(apart, "tokens", start, n, 2, 0);
    struct trop_flow *flow =
        trop_case_flow(apart, "rule=softmax beta=%.17g gamma=%.17g closed_form=never steps=%lld",
                       beta, trop_case_number(c, "gamma"), (long long)steps);
    for (int64_t t = 0; t <= steps; t++) {
        if (event(trop_flow_tokens(flow), start, n, level)) {
            return (double)t;
        }
        trop_case_try(c, trop_flow_step(flow, 1));
    }
    return NONE;
}

static void draw_steps(struct trop_case *c, double steps)
{
    trop_case_default(c, "gamma", .1);
    trop_case_put(c, "needed", steps);
    trop_tokens_count(c, "steps", steps, 1, 1e6);
}

static const struct trop_hypothesis step_hypotheses[] = {
    { "enough-steps", "the flow is followed far enough",
      .holds = "steps that are looked at: steps >= needed", .broken = "10 steps",
      .edit = "steps = 10" },
    { 0 },
};

/* ---- arrival ---- */

#define ARRIVALS 5
#define BETAS(kappa) kappa, 8, kappa, 16, kappa, 32, kappa, 64, kappa, 128
#define STEPS NONE, 31, 20, 19, 19

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

static void one_arrival(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const double *s = trop_table_settings(c, row);
    const int64_t kappa = (int64_t)s[0];
    struct trop_case *polygon = trop_case_apart(c);
    double *x = trop_case_scratch(c, 4 * kappa);

    (void)run;
    trop_fw_beta_polygon(polygon, kappa, 1);
    for (int64_t k = 0; k < 2 * kappa; k++) {
        x[k] = trop_case_array(polygon, "tokens")[k];
        x[2 * kappa + k] = (1 - .35) * x[k];
    }
    *out = first_step(c, x, 2 * kappa, s[1], .05, arrived);
}

static const struct trop_table arrival_table = {
    .entry = "arrivals",
    .one = one_arrival,
    .runs = { 1, 1, 1 },
    .rows = { 3 * ARRIVALS, 3 * ARRIVALS, 3 * ARRIVALS },
    .settings = (const double[]){ BETAS(3), BETAS(4), BETAS(5) },
    .width = 2,
    .shown =
        TROP_TABLE_COLUMNS({ "kappa = %g, beta = %g: arrival",
                             (const double[]){ STEPS, STEPS, STEPS }, .theirs = 1, .unit = WHOLE }),
};

static void draw_arrival(struct trop_case *c)
{
    draw_steps(c, 2000);
    trop_table_draw(&arrival_table, c);
}

/* Steps until arrival against beta; the three polygons have the same, so marks grow inwards. */
static void picture_arrival(struct trop_figure *figure, const struct trop_case *c)
{
    static const char *const names[] = { "triangle", "square", "pentagon" };
    const double betas[] = { 16, 32, 64, 128 };
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);

    trop_panel_x(panel, "inverse temperature β", TROP_SCALE_LOG);
    trop_panel_y(panel, "steps until all are within 0.05", TROP_SCALE_LINEAR);
    trop_panel_range_x(panel, 12, 170);
    trop_panel_range_y(panel, 15, 35);
    for (int64_t k = 0; k < 3; k++) {
        struct trop_dot dot = trop_figure_dot(k);
        dot.size = 13 - 4 * (double)k;
        trop_panel_dots(panel, betas, trop_case_array(c, "arrivals") + ARRIVALS * k + 1, 4, dot,
                        names[k]);
    }
}

const struct trop_claim trop_fw_tab_beta_arrival = {
    .id = "fw-tab-arrival",
    .title = "when tokens have come to their corners",
    .statement = "With gamma = .1 and tokens displaced by .35, the softmax flow has every token of "
                 "a polygon within .05 of its corner after 31, 20, 19 and 19 steps at beta = 16, "
                 "32, 64 and 128, and never at beta = 8.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Numbers of an independent reproduction of theorem 5.2, for kappa = 3, 4 and 5; -1 "
              "stands for never, read as 2000 steps. Squares and pentagons are not acute: the "
              "theorem does not speak of them.",
    .inputs = "steps",
    .hypotheses = step_hypotheses,
    .run.draw = draw_arrival,
    .table = &arrival_table,
    .run.picture = picture_arrival,
    .spoils = TROP_SPOILS({ "flows with gamma = .11", .edit = "work with gamma = .11" }),
};

/* ---- radius ---- */

static int shrunk(const double *x, const double *start, int64_t n, double level)
{
    double sum = 0;

    (void)start;
    for (int64_t i = 0; i < n; i++) {
        sum += sqrt(trop_tokens_dot(x + 2 * i, x + 2 * i, 2));
    }
    return sum / (double)n < level;
}

/* By steps, or at beta = 40 by leaps. */
static void one_radius(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const double *s = trop_table_settings(c, row);

    (void)run;
    if (s[0] < 40) {
        *out = first_step(c, trop_case_array(c, "tokens"), 3, s[0], s[1], shrunk);
        return;
    }
    *out = trop_exp(
        LN10 *
        trop_case_told_cell(
            c, trop_escape_field_table(),
            trop_case_escape(c, "beta=%.17g gamma=@gamma radius=%.17g runs=1 dynamics=flow seed=1",
                             s[0], 1 - s[1]),
            "betas", "log10_median", 0));
}

/* Leaps to half a unit of the last digit, and their tolerance. */
static void steps_or_leap(struct trop_judge *judge, const char *line, const struct trop_case *c,
                          const char *name, int64_t row, int64_t column,
                          struct trop_sample_published p)
{
    p.unit = p.value < 1e6 ? WHOLE : 2 * (.000005e24 + 1e-6 * p.value);
    trop_sample_mean(judge, line, c, name, row, column, p);
}

#define LEVELS(beta) beta, .99, beta, .9, beta, .5

static const struct trop_table radius_table = {
    .entry = "times",
    .one = one_radius,
    .runs = { 1, 1, 1 },
    .rows = { 12, 12, 12 },
    .settings = (const double[]){ LEVELS(4), LEVELS(6), LEVELS(8), LEVELS(40) },
    .width = 2,
    .shown = TROP_TABLE_COLUMNS({ "beta = %g: first step with r < %g",
                                  (const double[]){ 13, 85, 145, 249, 1327, 1728, 4849, 21690,
                                                    24925, 2.22897e24, 3.22693e24, 3.22697e24 },
                                  .judge = steps_or_leap, .theirs = 1 }),
};

static void draw_radius(struct trop_case *c)
{
    trop_fw_beta_polygon(c, 3, 1);
    draw_steps(c, 30000);
    trop_table_draw(&radius_table, c);
}

/* First steps below each radius against beta. */
static void picture_radius(struct trop_figure *figure, const struct trop_case *c)
{
    static const char *const names[] = { "r < 0.5", "r < 0.9", "r < 0.99" };
    const double betas[] = { 4, 6, 8 };
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);

    trop_panel_x(panel, "inverse temperature β", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "first step", TROP_SCALE_LOG);
    for (int64_t k = 0; k < 3; k++) {
        double times[3];
        for (int64_t b = 0; b < 3; b++) {
            times[b] = trop_case_array(c, "times")[3 * b + 2 - k];
        }
        trop_panel_line(panel, betas, times, 3, trop_figure_pen(k), NULL);
        trop_panel_dots(panel, betas, times, 3, trop_figure_dot(k), names[k]);
    }
}

const struct trop_claim trop_fw_tab_beta_radius = {
    .id = "fw-tab-radius",
    .title = "how long a triangle keeps its radius",
    .statement = "The softmax flow of the unit triangle with gamma = .1 first has r < .99, .9, .5 "
                 "after 13, 85, 145 steps at beta = 4, after 249, 1327, 1728 at beta = 6 and after "
                 "4849, 21690, 24925 at beta = 8; at beta = 40 after 2.22897e24, 3.22693e24, "
                 "3.22697e24.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Numbers of independent programs.",
    .inputs = "steps",
    .hypotheses = step_hypotheses,
    .run.draw = draw_radius,
    .table = &radius_table,
    .run.picture = picture_radius,
    .spoils = TROP_SPOILS({ "flows with gamma = .101", .edit = "work with gamma = .101" }),
};

/* ---- exit ---- */

#define EXITS 5
static const double exit_betas[EXITS + 2] = { 2, 3, 4, 5, 6, 1, 40 };
static const double exit_medians[EXITS] = { 3, 11, 47, 209, 937 };

static void draw_exit(struct trop_case *c)
{
    trop_fw_beta_polygon(c, 3, 1);
    trop_case_default(c, "gamma", .1);
    trop_case_default(c, "radius", .05);
    trop_case_copy_in(c, "betas", exit_betas, EXITS + 2, 0, 0);
    trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 400, 10000, 100000), 1, 1e6);
}

/* "medians" (EXITS + 2, 3): log10 of the median of the runs, of the exact law, and of the law of
 * one token, at these betas. */
static void work_exit(struct trop_case *c)
{
    static const char *const columns[] = { "log10_median", "bound.log10_exact",
                                           "bound.log10_exact_token" };
    const double *betas = trop_case_array(c, "betas");
    double *out = trop_case_zeros(c, "medians", EXITS + 2, 3, 0);

    for (int64_t k = 0; k < EXITS + 2; k++) {
        const struct trop_escape *escape = trop_case_escape(
            c, "beta=%.17g gamma=@gamma radius=@radius runs=@runs dynamics=chain seed=%llu",
            betas[k], (unsigned long long)trop_fw_beta_seed(c, 16, k));
        for (int64_t at = 0; at < 3; at++) {
            out[3 * k + at] =
                trop_case_told_cell(c, trop_escape_field_table(), escape, "betas", columns[at], 0);
        }
    }
}

static double steps_of(const struct trop_case *c, int64_t k, int64_t which)
{
    return trop_exp(LN10 * trop_case_array(c, "medians")[3 * k + which]);
}

static void conclude_exit(struct trop_judge *judge, const struct trop_case *c)
{
    const double spread = 4 / sqrt((double)trop_case_integer(c, "runs")) * 1.4427;

    for (int64_t k = 0; k < EXITS; k++) {
        trop_judge_compare(judge, steps_of(c, k, 0), exit_medians[k], 1 + spread * exit_medians[k],
                           "beta = %d: median of the runs", (int)k + 2);
        trop_judge_compare(judge, steps_of(c, k, 1), exit_medians[k], WHOLE / 2,
                           "beta = %d: median of the law", (int)k + 2);
    }
    trop_judge_near(judge, "beta = 1: median of one token", -1, steps_of(c, EXITS, 2), 2,
                    WHOLE / 2);
    trop_judge_near(judge, "beta = 40: median of one token", -1, steps_of(c, EXITS + 1, 2),
                    3.9579e25, .00005e25);
    trop_judge_near(judge, "beta = 40: median of the first", -1, steps_of(c, EXITS + 1, 1),
                    1.3193e25, .00005e25);
}

/* Medians against beta, with the exact law and the bound of the repaired theorem 5.4. */
static void picture_exit(struct trop_figure *figure, const struct trop_case *c)
{
    const double c0 = 1.5, n = 3;
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    double runs[EXITS], law[EXITS], proved[EXITS];

    for (int64_t k = 0; k < EXITS; k++) {
        runs[k] = steps_of(c, k, 0);
        law[k] = steps_of(c, k, 1);
        /* 1/2 = exp(1 + log(t n^2) - beta c0/2), M = 1; an exit takes a step in any case. */
        proved[k] = fmax(trop_exp(exit_betas[k] * c0 / 2 - 1) / (2 * n * n), 1);
    }
    trop_panel_x(panel, "inverse temperature β", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "median of the first exit (steps)", TROP_SCALE_LOG);
    trop_panel_line(panel, exit_betas, law, EXITS, trop_figure_pen(0), "exact law");
    trop_panel_dots(panel, exit_betas, runs, EXITS, trop_figure_dot(1), "runs of the chain");
    trop_panel_line(panel, exit_betas, proved, EXITS, trop_figure_pen(2),
                    "at least (theorem 5.4, repaired)");
}

const struct trop_claim trop_fw_tab_beta_exit = {
    .id = "fw-tab-exit",
    .title = "median exit times from a triangle",
    .statement =
        "From the unit triangle with gamma = .1 and eps = .05 the median of the first exit "
        "is 3, 11, 47, 209, 937 steps at beta = 2 to 6, and that of one token 2 steps at "
        "beta = 1 and 3.9579e25 at beta = 40.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Numbers of independent programs and of a reproduction of theorem 5.4, whose fitted "
              "slopes are lines of fw-tab-slopes.",
    .inputs = "runs",
    .hypotheses = TROP_HYPOTHESES({ "enough-runs", "at least 100 runs", .holds = "runs >= 100",
                                    .broken = "10 runs", .edit = "runs = 10" }),
    .run = { draw_exit, work_exit, conclude_exit, picture_exit },
    .spoils = TROP_SPOILS({ "betas larger by one per cent", .edit = "work with betas *= 1.01" }),
};
