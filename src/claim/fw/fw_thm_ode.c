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

#include "base/math/exp.h"
#include "base/math/log.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 20

/* "path" at the times k dt, each solved from time 0. */
static void solve(struct trop_case *c)
{
    const int64_t steps = trop_case_integer(c, "steps");
    const struct trop_view x = trop_case_view(c, "tokens");
    double *path = trop_case_zeros(c, "path", steps + 1, x.rows, x.columns);

    memcpy(path, x.at, (size_t)(x.rows * x.columns) * sizeof *path);
    for (int64_t k = 1; k <= steps; k++) {
        struct trop_flow *flow =
            trop_case_flow(c, "rule=hardmax dynamics=ode key_query=@B closed_form=never time=%.17g",
                           trop_case_number(c, "dt") * (double)k);
        trop_case_try(c, trop_flow_run(flow, NULL, NULL));
        memcpy(path + k * x.rows * x.columns, trop_flow_tokens(flow),
               (size_t)(x.rows * x.columns) * sizeof *path);
    }
}

/* ---- the solution ---- */

static void draw(struct trop_case *c)
{
    trop_fw_draw_own_cells(c);
    trop_case_default(c, "dt", .05 + .4 * trop_case_uniform(c, 16, 0));
    trop_case_default(c, "radius", 1e-6);
    trop_fw_draw_steps(c, STEPS);
}

/* "path", and "near" from the shifted start. */
static void work(struct trop_case *c)
{
    struct trop_case *other = trop_fw_work_nearby(c, 0);

    solve(other);
    const struct trop_view near = trop_case_view(other, "path");
    trop_case_copy_in(c, "near", near.at, near.rows, near.columns, near.depth);
    solve(c);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth, *labels = trop_fw_work_owners(c);
    const double *near = trop_case_array(c, "near"), dt = trop_case_number(c, "dt"),
                 allowance = 8 * DBL_EPSILON * sqrt((double)d) *
                             trop_tokens_radius_of(trop_case_view_part(path, 0));
    double *gap = trop_case_scratch(c, d), shift = 0;

    for (int64_t i = 0; i < n; i++) {
        shift = fmax(shift, trop_tokens_distance(path.at + i * d, near + i * d, d));
    }
    for (int64_t m = 0; m < path.rows * n; m++) {
        const double left = trop_exp(-dt * (double)(m / n)), *x = path.at + m * d;
        const double *x0 = path.at + m % n * d, *v = path.at + labels[m % n] * d;
        for (int64_t a = 0; a < d; a++) {
            gap[a] = x[a] - (left * x0[a] + (1 - left) * v[a]);
        }
        trop_judge_at_most(judge, "distance of a token from the solution", m / n,
                           trop_tokens_norm(gap, d), 0, allowance);
        trop_judge_at_most(judge, "distance from the path of a start nearby", m / n,
                           trop_tokens_distance(x, near + m * d, d), shift, 2 * allowance);
    }
}

/* Every cell keeps its tokens. */
static void small_shift(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");

    trop_judge_truth(judge, "the radius is not negative", -1, trop_case_number(c, "radius") >= 0);
    for (int64_t i = 0; i < x.rows; i++) {
        const double lead = trop_fw_lead(c, x, i);
        if (lead > 0) { /* ties are left to the hypotheses on cells */
            trop_judge_at_least(judge, "lead of a token's leader", -1, lead, trop_fw_shift(c, x),
                                trop_fw_error(c, x));
        }
    }
}

const struct trop_claim trop_fw_thm_ode = {
    .id = "fw-thm-ode",
    .title = "hardmax in continuous time",
    .statement = "When every vertex owns its cell and every token is in one cell only, the hardmax "
                 "ODE has one solution, e^-t x_i(0) + (1 - e^-t) v with v the vertex of the cell "
                 "of x_i(0), which depends continuously on the start.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "That there is no other solution is not checked; that a start nearby stays as near is.",
    .inputs = "tokens B dt steps radius",
    .hypotheses = TROP_HYPOTHESES(
        TROP_FW_OWN_CELLS, TROP_FW_ONE_CELL,
        { "forward", "time goes forward", .holds = "dt is positive: dt > 0",
          .broken = "dt is negative", .edit = "dt = -.1" },
        { "small-shift", "no start within the radius has a token in another cell",
          .judge = small_shift, .broken = "starts shifted by 1", .edit = "radius = 1" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(TROP_FW_NUDGE, { "time that runs slower by a millionth", NULL,
                                           .edit = "work path with dt *= 1 - 1e-6" }),
    .trials = 60,
};

/* ---- layers and time ---- */

static void draw_layers(struct trop_case *c)
{
    trop_fw_draw_own_cells(c);
    trop_case_default(c, "gamma", .05 + .8 * trop_case_uniform(c, 16, 0));
    trop_fw_draw_steps(c, STEPS);
}

/* "layers", and "path" by the ODE at the times of the layers. */
static void work_layers(struct trop_case *c)
{
    trop_case_path(c, "layers", trop_case_integer(c, "steps"), TROP_FW_FLOW);
    trop_case_put(c, "dt", -trop_log1p(-trop_fw_gamma(c, 0)));
    solve(c);
}

static void conclude_layers(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth;
    const double *layers = trop_case_array(c, "layers"),
                 unit = DBL_EPSILON * sqrt((double)d) *
                        trop_tokens_radius_of(trop_case_view_part(path, 0));

    for (int64_t k = 0; k < path.rows * n; k++) {
        trop_judge_at_most(judge, "distance of a token's layer from the ODE", k / n,
                           trop_tokens_distance(path.at + k * d, layers + k * d, d), 0,
                           (8 + 4 * trop_fw_errors(c, k / n)) * unit);
    }
}

static void constant_step(struct trop_judge *judge, const struct trop_case *c)
{
    const double gamma = trop_fw_gamma(c, 0);

    for (int64_t t = 0; t < trop_case_integer(c, "steps"); t++) {
        trop_judge_truth(judge, "gamma is constant, between 0 and 1", t,
                         gamma > 0 && gamma < 1 && trop_fw_gamma(c, t) == gamma);
    }
}

const struct trop_claim trop_fw_rem_time = {
    .id = "fw-rem-time",
    .title = "layers as time",
    .statement = "When every vertex owns its cell and every token is in one cell only, t hardmax "
                 "layers with constant gamma bring the tokens to where the hardmax ODE has them at "
                 "the time -t log(1 - gamma).",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens B gamma steps",
    .hypotheses =
        TROP_HYPOTHESES(TROP_FW_OWN_CELLS, TROP_FW_ONE_CELL,
                        { "constant-step", "gamma is constant, between 0 and 1",
                          .judge = constant_step, .broken = "gamma is 1", .edit = "gamma = 1" }),
    .run = { draw_layers, work_layers, conclude_layers },
    .spoils = TROP_SPOILS(TROP_FW_NUDGE, { "time that runs slower by a millionth", NULL,
                                           .edit = "work path with gamma *= 1 - 1e-6" }),
    .trials = 60,
};
