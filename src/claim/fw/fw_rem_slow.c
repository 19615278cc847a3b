/* fw_rem_slow.c -- slow times of the softmax flow, without cancellation (Frank-Wolfe paper,
 * section 5; how this library computes them).
 *
 * With masses m_j a step moves token i by
 *
 *   g_i = gamma sum_{j != i} a_ij (x_j - x_i),  log a_ij = log m_j + beta <x_i, x_j - x_i> - log
 * Z_i,
 *
 * Z_i = sum_j m_j e^(beta <x_i, x_j - x_i>), which is gamma (avg - x_i) without the difference of
 * nearly equal numbers: it is exact to rounding where avg - x_i is all rounding. The step of the
 * flow is compared with it: x' - x has an absolute error of a step's rounding.
 *
 * Times. The k-fold iterate of r -> r + g(r), the radius map of a polygon, is the flow of g - g
 * g'/2 up to (g')^2, so that the first step at which a polygon of radius r_0 has lost eps is
 *
 *   T = int_{r_0 - eps}^{r_0} dr/|g - g g'/2|,   g = gamma r A,  A = N/Z,
 *   w_j = e^(beta r^2 (cos theta_j - 1)),  Z = sum w_j,  N = sum (cos theta_j - 1) w_j,
 *
 * rounded up: T + 1/2 up to half a step. The correction g'/2 is worth half of the change of log g
 * in steps, a few of them; the next one, of the order (g')^2, at most max |g'| times that change
 * and one more. Simpson's rule with steps of .02 in the exponent 2 beta r_0^2 has a relative error
 * below 1e-8. The leaps aim at 1e-6 relative; ten times that is allowed.
 *
 * Corners in double are no regular polygon, and the flow drives them apart: linearised, with the
 * nearest corners alone and c = 1 - cos theta, s = sin theta, theta = 2 pi/kappa, the exponents
 * beta <x_i, x_j - x_i> of a corner grow by e^k while the radius loses k/(2 beta r c), and a
 * difference delta among corners by e^(G k): of those that change sign from corner to corner G =
 * (s/c)^2 = cot^2(pi/kappa), and no other of kappa = 2 .. 32 grows faster than e^(max(1, G) k). A
 * corner that is off by e begins with delta_0 = 2 beta r e, and the first one to lose eps, after K
 * = 2 beta eps c0/r, is early by the share delta e^(-K) of the time. Where delta comes to 1 before,
 * at k = log(1/delta_0)/G, the rest of the time is open: a share e^(-k). Both are at most
 *
 *   2 delta_0 e^((G - 1) k),   k = min(K, log(1/delta_0)/G),
 *
 * with the quadratic part of the first, 1/(2 G - 1) of it: nothing for kappa <= 4, and for the
 * hexagon at 10^245 steps 3e-4, of which 5e-5 is seen, by how it is turned.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/cos.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/math/sin.h"

#include <float.h>
#include <math.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */
#define LN10 0x1.26bb1bbb55516p+1
#define AIM 1e-5 /* ten times the relative error that leaps aim at */

/* ---- one step, with masses ---- */

static void draw_masses(struct trop_case *c)
{
    trop_tokens_gaussian(c, 3 + trop_case_pick(c, 16, 0, 8), 1 + trop_case_pick(c, 16, 1, 4));
    const int64_t n = trop_case_size(c, "tokens", 0);
    double *masses = trop_case_absent(c, "masses", n, 0, 0);

    trop_sample_shape(c, "masses", n, 0, 0);
    for (int64_t i = 0; masses && i < n; i++) {
        masses[i] = trop_exp(4 * trop_case_uniform(c, 17, i) - 2);
    }
    trop_fw_beta_exponent(c, 20 * trop_case_uniform(c, 16, 2));
    trop_case_default(c, "gamma", .05 + .95 * trop_case_uniform(c, 16, 3));
}

static void work_masses(struct trop_case *c)
{
    trop_case_path(c, "path", 1, TROP_FW_BETA_FLOW " masses=@masses");
}

static void positive_masses(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t i = 0; i < trop_case_size(c, "tokens", 0); i++) {
        trop_judge_truth(judge, "a mass is positive", i, trop_case_array(c, "masses")[i] > 0);
    }
}

/* g (d), which is 0 before, of token i by the formula above. */
static void field(double *g, const struct trop_case *c, int64_t i)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double beta = trop_case_number(c, "beta"), gamma = trop_case_number(c, "gamma");
    const double *xi = trop_case_view_row(x, i), *masses = trop_case_array(c, "masses");
    double *exponent = trop_case_scratch(c, x.rows), log_z = -INFINITY;

    for (int64_t j = 0; j < x.rows; j++) {
        double score = 0;
        for (int64_t a = 0; a < x.columns; a++) {
            score += xi[a] * (trop_case_view_row(x, j)[a] - xi[a]);
        }
        exponent[j] = trop_log(masses[j]) + beta * score;
        log_z = trop_log_add(log_z, exponent[j]);
    }
    for (int64_t j = 0; j < x.rows; j++) {
        for (int64_t a = 0; a < x.columns; a++) {
            g[a] += gamma * trop_exp(exponent[j] - log_z) * (trop_case_view_row(x, j)[a] - xi[a]);
        }
    }
}

static void conclude_masses(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path"), x = trop_case_view_part(path, 0);
    const double allowance =
        trop_fw_beta_allow(2 * trop_fw_beta_rounding(x, trop_case_number(c, "beta")), x);

    for (int64_t i = 0; i < x.rows; i++) {
        const double *before = trop_case_view_row(x, i), *after = before + x.rows * x.columns;
        double *g = trop_case_scratch(c, x.columns);
        field(g, c, i);
        for (int64_t a = 0; a < x.columns; a++) {
            trop_judge_near(judge, "move of a token", i, after[a] - before[a], g[a], allowance);
        }
    }
}

const struct trop_claim trop_fw_rem_slow_field = {
    .id = "fw-rem-slow-field",
    .title = "a softmax step without cancellation",
    .statement = "With masses m_j a softmax step moves token i by gamma sum_j a_ij (x_j - x_i) "
                 "where log a_ij = log m_j + beta <x_i, x_j - x_i> - log Z_i.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens masses beta gamma",
    .hypotheses =
        TROP_HYPOTHESES({ "masses", "every token has a positive mass", .judge = positive_masses,
                          .broken = "a mass of -1", .edit = "masses[0] = -1" },
                        TROP_FW_BETA_STEP_SIZE),
    .run = { draw_masses, work_masses, conclude_masses },
    .spoils = TROP_SPOILS({ "a step with one mass larger by a thousandth", NULL,
                            .edit = "work with masses[0] *= 1.001" },
                          TROP_FW_NUDGE),
    .trials = 100,
};

/* ---- times of polygons ---- */

static void draw_polygon(struct trop_case *c)
{
    const double exponent = c->trial % 2 == 0 ? 8 + 4 * trop_case_uniform(c, 16, 2)
                                              : 12 + 44 * trop_case_uniform(c, 16, 2);
    const double share = .05 + .055 * trop_case_uniform(c, 16, 4);

    trop_fw_beta_polygon(c, 3 + trop_case_pick(c, 16, 0, 4), .5 + 2 * trop_case_uniform(c, 16, 1));
    trop_case_default(c, "beta", exponent / trop_fw_beta_polygon_c0(c));
    trop_case_default(c, "gamma", .05 + .5 * trop_case_uniform(c, 16, 3));
    trop_case_default(c, "radius", share * trop_fw_beta_radius(c));
}

/* "log10_time", by leaps. */
static void work_time(struct trop_case *c)
{
    const struct trop_escape *escape =
        trop_case_escape(c, "dynamics=flow beta=@beta gamma=@gamma radius=@radius runs=1 seed=1");

    trop_case_put(
        c, "log10_time",
        trop_case_told_cell(c, trop_escape_field_table(), escape, "betas", "log10_median", 0));
}

static void slow(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "beta c0", -1,
                        trop_case_number(c, "beta") * trop_fw_beta_polygon_c0(c), 7.5, 0);
    trop_judge_at_most(judge, "beta c0", -1,
                       trop_case_number(c, "beta") * trop_fw_beta_polygon_c0(c), 600, 0);
}

/* gamma/|g - g g'/2| at r, without the factor e^(beta c0) that it has at r_0; *turn: g'. */
static double slowness(double *turn, const struct trop_case *c, double r)
{
    const double beta = trop_case_number(c, "beta"), gamma = trop_case_number(c, "gamma");
    const int64_t kappa = trop_case_size(c, "tokens", 0);
    const double shift = beta * trop_fw_beta_polygon_c0(c), small = trop_exp(-shift);
    double z = 1, sum = 0, squares = 0;

    /* w, and a and its derivative with it, are e^shift times too large. */
    for (int64_t j = 1; j < kappa; j++) {
        const double cosine = trop_cos(TURN * (double)j / (double)kappa) - 1;
        const double w = trop_exp(beta * r * r * cosine + shift);
        z += w * small;
        sum += cosine * w;
        squares += cosine * cosine * w;
    }
    const double a = sum / z;
    *turn = gamma * small * (a + 2 * beta * r * r * (squares / z - small * a * a));
    return 1 / fabs(r * a * (1 - *turn / 2));
}

/* The share of the time that is open because corners are off by what the hypothesis allows. */
static double asymmetry(const struct trop_case *c)
{
    const double r = trop_fw_beta_radius(c), beta = trop_case_number(c, "beta");
    const double half = TURN / 2 / (double)trop_case_size(c, "tokens", 0);
    const double turn = trop_cos(half) / trop_sin(half), growth = fmax(1, turn * turn);
    const double first = 2 * beta * r * TROP_FW_BETA_CORNER * r;
    const double way = 2 * beta * trop_case_number(c, "radius") * trop_fw_beta_polygon_c0(c) / r;

    return 2 * first * trop_exp((growth - 1) * fmin(way, -trop_log(first) / growth));
}

static void conclude_time(struct trop_judge *judge, const struct trop_case *c)
{
    const double r = trop_fw_beta_radius(c), eps = trop_case_number(c, "radius");
    const double width = 2 * trop_case_number(c, "beta") * r * eps;
    const int64_t pieces = 2 * (int64_t)ceil(width / .04) + 2;
    const double h = eps / (double)pieces;
    double sum = 0, turn = 0, first = 0, last = 0;

    for (int64_t k = 0; k <= pieces; k++) {
        const double weight = k == 0 || k == pieces ? 1 : k % 2 ? 4 : 2;
        last = slowness(&turn, c, r - h * (double)k);
        first = k == 0 ? last : first;
        sum += weight * last;
    }
    const double log_time = trop_log(sum * h / 3) - trop_log(trop_case_number(c, "gamma")) +
                            trop_case_number(c, "beta") * trop_fw_beta_polygon_c0(c);
    const double steps = .5 + fabs(turn) * (1 + fabs(trop_log(first / last)));
    const double one = trop_exp(-log_time); /* a step, relative to the time */
    const double share = asymmetry(c);
    const double early = share < .5 ? share / (1 - share) : INFINITY;
    trop_judge_near(judge, "log10 of the first step", -1, trop_case_number(c, "log10_time"),
                    (log_time + trop_log1p(.5 * one)) / LN10, (AIM + steps * one + early) / LN10);
}

const struct trop_claim trop_fw_rem_slow_time = {
    .id = "fw-rem-slow-time",
    .title = "lifetimes of polygons by quadrature",
    .statement = "The first step at which a regular polygon under the softmax flow has lost eps of "
                 "its radius is the integral of dr/|g - g g'/2| over that way, g the change of "
                 "the radius in a step, up to (g')^2.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The library's leaps against a quadrature, up to 10^25 steps and more.",
    .inputs = "tokens beta gamma radius",
    .hypotheses =
        TROP_HYPOTHESES(TROP_FW_BETA_POLYGON,
                        { "slow", "7.5 <= beta c0 <= 600", .judge = slow,
                          .broken = "a tenth of beta", .edit = "beta *= .1" },
                        { "small-share", "eps is at most .11 of the radius",
                          .holds = "eps/r: radius / norm(tokens[0]) <= .11", .broken = "eps = r/2",
                          .edit = "radius = .5 * norm(tokens[0])" },
                        TROP_FW_BETA_STEP_SIZE),
    .run = { draw_polygon, work_time, conclude_time },
    .spoils = TROP_SPOILS({ "the time at a beta that is larger by one per cent", NULL,
                            .edit = "work with beta *= 1.01" }),
    .trials = 20,
};
