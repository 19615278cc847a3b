/* fw_thm_ode.c -- hardmax in continuous time (Frank-Wolfe paper, the theorem on the ODE).
 *
 *   dx_i/dt = argmax over the tokens y of <B x_i, y>, less x_i
 *
 * has, under the two hypotheses of theorem 4.2, the one solution
 *
 *   x_i(t) = e^-t x_i(0) + (1 - e^-t) v,   v the vertex of the cell of x_i(0).
 *
 * The library solves it piece by piece between changes of leaders, of which there are none here;
 * what it has at the times k dt is compared with the formula. A time k dt is known within u k dt
 * and e^-t within u t e^-t <= u, the exponential and the two products and sums of the formula round
 * by a few u more: 16 u R sqrt(d) in all, for the library and the formula together.
 *
 * With a constant gamma, t layers go as far as the ODE in the time T = -t log(1 - gamma), since
 * (1 - gamma)^t = e^-T: the second claim compares the two, with the rounding of theorem 4.2 for the
 * layers.
 *
 * A second start, every token of which is shifted by at most the radius, shows that the solution
 * depends continuously on the start: with the vertices v and w of the two starts
 * x_i(t) - y_i(t) = e^-t (x_i(0) - y_i(0)) + (1 - e^-t)(v - w), a convex combination of two shifts.
 */
#include "claim/fw/fw.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 20

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_fw_draw_own_cells(c);

    if (status == TROP_OK) {
        status = trop_case_default(c, "dt", .05 + .4 * trop_case_uniform(c, 16, 0));
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "radius", 1e-6);
    }
    return status == TROP_OK ? trop_fw_draw_steps(c, STEPS) : status;
}

/* The tokens at one time: out (n, d). */
static enum trop_status solve_to(double *out, const struct trop_case *c, double time)
{
    struct trop_flow_options o = trop_fw_work_options(c, TROP_RULE_HARDMAX);
    struct trop_flow *flow = NULL;

    o.cloud.n = trop_case_size(c, "tokens", 0);
    o.cloud.d = trop_case_size(c, "tokens", 1);
    o.cloud.tokens = trop_case_array(c, "tokens");
    o.threads = c->threads;
    o.dynamics = TROP_DYNAMICS_ODE;
    o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_UNSET };
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    o.time = time;
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = trop_flow_run(flow, NULL, NULL);
    }
    if (status == TROP_OK) {
        memcpy(out, trop_flow_tokens(flow), (size_t)(o.cloud.n * o.cloud.d) * sizeof *out);
    }
    trop_flow_free(flow);
    return status;
}

/* "path" at the times k dt, each solved from time 0; factor 1, or a wrong speed. */
static enum trop_status solve(struct trop_case *c, double factor)
{
    const int64_t steps = trop_case_integer(c, "steps");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *path = NULL;
    enum trop_status status = trop_case_make(&path, c, "path", steps + 1, n, d);

    if (status == TROP_OK) {
        memcpy(path, trop_case_array(c, "tokens"), (size_t)(n * d) * sizeof *path);
    }
    for (int64_t k = 1; k <= steps && status == TROP_OK; k++) {
        status = solve_to(path + k * n * d, c, factor * trop_case_number(c, "dt") * (double)k);
    }
    return status;
}

/* "near" is the path from the shifted start. */
static enum trop_status work(struct trop_case *c)
{
    struct trop_case *other = NULL;
    enum trop_status status = trop_fw_work_shifted(&other, c, 0);

    if (status == TROP_OK) {
        status = solve(other, 1);
    }
    if (status == TROP_OK) {
        status = trop_fw_work_take(c, "near", other);
    }
    trop_case_free(other);
    return status == TROP_OK ? solve(c, 1) : status;
}

/* ---- the conclusion ---- */

static double deviation(const double *x, const double *x0, const double *v, double left, int64_t d)
{
    double squares = 0;

    for (int64_t a = 0; a < d; a++) {
        const double gap = x[a] - (left * x0[a] + (1 - left) * v[a]);
        squares += gap * gap;
    }
    return sqrt(squares);
}

static void conclude_time(struct trop_judge *judge, const struct trop_case *c,
                          const int64_t *labels, int64_t k)
{
    const double *path = trop_case_array(c, "path"), *near = trop_case_array(c, "near");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double dt = trop_case_number(c, "dt"), left = trop_exp(-dt * (double)k),
                 allowance = 8 * DBL_EPSILON * sqrt((double)d) * trop_tokens_radius(path, n, d);
    double shift = 0;

    for (int64_t i = 0; i < n; i++) {
        shift = fmax(shift, trop_tokens_distance(path + i * d, near + i * d, d));
    }
    for (int64_t i = 0; i < n; i++) {
        const double *x = path + (k * n + i) * d;
        trop_judge_at_most(judge, "distance of a token from the solution", k,
                           deviation(x, path + i * d, path + labels[i] * d, left, d), 0, allowance);
        trop_judge_at_most(judge, "distance from the path of a start nearby", k,
                           trop_tokens_distance(x, near + (k * n + i) * d, d), shift,
                           2 * allowance);
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "path", 0), n = trop_case_size(c, "path", 1);
    int64_t *labels = trop_alloc(n, sizeof *labels);

    if (!labels) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld labels", (long long)n);
    }
    enum trop_status status = trop_fw_work_labels(labels, c);
    for (int64_t k = 0; k < rows && status == TROP_OK; k++) {
        conclude_time(judge, c, labels, k);
    }
    trop_alloc_free(labels);
    return status;
}

/* ---- hypotheses ---- */

static enum trop_status forward(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "dt is positive", -1, trop_case_number(c, "dt") > 0);
    return TROP_OK;
}

/* Shifting both vectors of a score by r changes it by at most |B| (2 R r + r^2), a lead by twice
 * that: every cell keeps its tokens. */
static enum trop_status small_shift(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double radius = trop_tokens_radius(x, n, d), r = trop_case_number(c, "radius"),
                 norm = trop_fw_norm(b, d);

    trop_judge_truth(judge, "the radius is not negative", -1, r >= 0);
    for (int64_t i = 0; i < n; i++) {
        double lead = 0;
        trop_fw_leader(&lead, b, x + i * d, x, n, d);
        if (lead > 0) { /* ties are left to the hypotheses on cells */
            trop_judge_at_least(judge, "lead of a token's leader", -1, lead,
                                2 * norm * (2 * radius * r + r * r),
                                trop_fw_score_error(b, radius, d));
        }
    }
    return TROP_OK;
}

static enum trop_status slower(struct trop_case *c)
{
    return solve(c, 1 - 1e-6);
}

static enum trop_status backward(struct trop_case *c)
{
    return trop_case_put(c, "dt", -.1);
}

static enum trop_status large_shift(struct trop_case *c)
{
    return trop_case_put(c, "radius", 1);
}

/* ---- layers and time ---- */

static enum trop_status draw_layers(struct trop_case *c)
{
    enum trop_status status = trop_fw_draw_own_cells(c);

    if (status == TROP_OK) {
        status = trop_case_default(c, "gamma", .05 + .8 * trop_case_uniform(c, 16, 0));
    }
    return status == TROP_OK ? trop_fw_draw_steps(c, STEPS) : status;
}

/* "layers", and "path" by the ODE at the times of the layers. */
static enum trop_status work_layers(struct trop_case *c)
{
    enum trop_status status = trop_fw_work(c);

    if (status == TROP_OK) {
        status = trop_fw_work_take(c, "layers", c);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "dt", -trop_log1p(-trop_fw_gamma(c, 0)));
    }
    return status == TROP_OK ? solve(c, 1) : status;
}

static enum trop_status conclude_layers(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path"), *layers = trop_case_array(c, "layers");
    const int64_t rows = trop_case_size(c, "path", 0);
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double unit = DBL_EPSILON * sqrt((double)d) * trop_tokens_radius(path, n, d);

    for (int64_t k = 0; k < rows * n; k++) {
        trop_judge_at_most(judge, "distance of a token's layer from the ODE", k / n,
                           trop_tokens_distance(path + k * d, layers + k * d, d), 0,
                           (8 + 4 * trop_fw_errors(c, k / n)) * unit);
    }
    return TROP_OK;
}

static enum trop_status constant_step(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_integer(c, "steps");
    const double gamma = trop_fw_gamma(c, 0);

    for (int64_t t = 0; t < steps; t++) {
        trop_judge_truth(judge, "gamma is constant, between 0 and 1", t,
                         gamma > 0 && gamma < 1 && trop_fw_gamma(c, t) == gamma);
    }
    return TROP_OK;
}

static enum trop_status full_step(struct trop_case *c)
{
    return trop_case_put(c, "gamma", 1);
}

static const struct trop_hypothesis layer_hypotheses[] = {
    { "own-cells", "every vertex is in its own cell and in no other", trop_fw_assume_own_cells, 0 },
    { "one-cell-each", "every token is in exactly one cell", trop_fw_assume_one_cell, 0 },
    { "constant-step", "gamma is constant, between 0 and 1", constant_step, 0 },
    { 0 },
};

static const struct trop_spoil layer_spoils[] = {
    { "one token at the last time moved by 1e-6", NULL, trop_fw_assume_nudge },
    { "time that runs slower by a millionth", NULL, slower },
    { "a vertex that follows another one", "own-cells", trop_fw_assume_not_own },
    { "gamma is 1", "constant-step", full_step },
    { 0 },
};

static const struct trop_input layer_inputs[] = {
    { "tokens", "(n, d)", "the cloud at time 0" },
    { "B", "(d, d)", "key-query matrix" },
    { "gamma", "", "step size" },
    { "steps", "", "how many layers" },
    { 0 },
};

static const struct trop_hypothesis hypotheses[] = {
    { "own-cells", "every vertex is in its own cell and in no other", trop_fw_assume_own_cells, 0 },
    { "one-cell-each", "every token is in exactly one cell", trop_fw_assume_one_cell, 0 },
    { "forward", "time goes forward", forward, 0 },
    { "small-shift", "no start within the radius has a token in another cell", small_shift, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "one token at the last time moved by 1e-6", NULL, trop_fw_assume_nudge },
    { "time that runs slower by a millionth", NULL, slower },
    { "a vertex that follows another one", "own-cells", trop_fw_assume_not_own },
    { "a square with a token on a wall", "one-cell-each", trop_fw_assume_not_one },
    { "dt is negative", "forward", backward },
    { "starts shifted by 1", "small-shift", large_shift },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at time 0" },
    { "B", "(d, d)", "key-query matrix" },
    { "dt", "", "time between two looks" },
    { "steps", "", "how many" },
    { "radius", "", "of the shift of the second start" },
    { 0 },
};

const struct trop_claim trop_fw_thm_ode = {
    .id = "fw-thm-ode",
    .title = "hardmax in continuous time",
    .statement = "When every vertex owns its cell and every token is in one cell only, the hardmax "
                 "ODE has one solution, e^-t x_i(0) + (1 - e^-t) v with v the vertex of the cell "
                 "of x_i(0), which depends continuously on the start.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "That there is no other solution is not checked; that a start nearby stays as near is.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_time = {
    .id = "fw-rem-time",
    .title = "layers as time",
    .statement = "When every vertex owns its cell and every token is in one cell only, t hardmax "
                 "layers with constant gamma bring the tokens to where the hardmax ODE has them at "
                 "the time -t log(1 - gamma).",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = layer_inputs,
    .hypotheses = layer_hypotheses,
    .old_draw = draw_layers,
    .old_work = work_layers,
    .old_conclude = conclude_layers,
    .spoils = layer_spoils,
    .trials = 60,
};
