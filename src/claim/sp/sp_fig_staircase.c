/* sp_fig_staircase.c -- the staircase of "Dynamic metastability in the self-attention model".
 *
 * Five tokens of the circle under USA at large beta, by the clock of their path: normalised
 * gradient ascent of the energy, as in the authors' program (angles s (0, 1/2, 2, 4, 7), s =
 * log(2000) / (2 sqrt(2000)), steps of 1e-5 log(beta), time over log(beta), 2 beta E as energy).
 * The energy rests between two merges and jumps to sum m^2/n^2, m the tokens of each cluster.
 *
 * On that clock the staircase has a limit for beta -> infinity, whose stairs are known. All but the
 * nearest two clusters stand still. Of these, a and b tokens at an angle g, a token of the one
 * moves by b u where one of the other moves by a u, since forces are equal: they meet after u =
 * g/(a + b), and the path of all tokens has the length
 *
 *   u sqrt(a b^2 + b a^2) = g sqrt(a b/(a + b)).
 *
 * What others move by meanwhile is less by e^(-beta times the difference of the cosines). Where
 * that is below e^-7 lengths are compared, to 3e-3 of them, and to what tokens that are merged 1e-3
 * before they meet, and Euler's steps, leave out.
 */
#include "claim/sp/sp.h"

#include "base/math/cos.h"
#include "base/math/log.h"
#include "base/math/sin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST 16    /* tokens */
#define POINTS 260 /* of a curve */
#define END .13    /* of the time over log(beta) */
#define MERGE 1e-3
#define STEP 1e-5 /* over log(beta) */
#define SHARP 7   /* an exponent that leaves the rest small */
#define COLUMNS (2 * POINTS + 2 * MOST)

/* ---- sizes ---- */

static void draw(struct trop_case *c)
{
    static const double betas[] = { 500, 1000, 1500, 2000, 3000, 4000 };
    static const double angles[] = { 0, .5, 2, 4, 7 };
    const double unit = .5 * trop_log(2000) / sqrt(2000);
    double *x = trop_case_absent(c, "tokens", 5, 2, 0);

    for (int64_t i = 0; x && i < 5; i++) {
        x[2 * i] = trop_cos(unit * angles[i]);
        x[2 * i + 1] = trop_sin(unit * angles[i]);
    }
    if (!trop_case_has(c, "betas")) {
        trop_case_copy_in(c, "betas", betas, 6, 0, 0);
    }
    trop_tokens_check(c);
    if (trop_case_size(c, "tokens", 0) > MOST || trop_case_size(c, "tokens", 1) != 2) {
        trop_case_refuse(c, "tokens: at most %d, of two coordinates", MOST);
    }
}

/* ---- work ---- */

static double told(const struct trop_case *c, const struct trop_flow *flow, const char *field)
{
    return trop_case_told(c, trop_flow_field_table(), flow, field);
}

/* Pairs of time and 2 beta E, then of the length of the path and 2 beta E at each merge (NaN: there
 * was none). */
static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const double beta = trop_case_array(c, "betas")[row], scale = trop_log(beta);
    double *merges = out + 2 * POINTS;
    struct trop_flow *flow = trop_case_flow(
        c,
        "rule=softmax dynamics=usa usa=shifted clock=gradient beta=%.17g integrator=euler "
        "dt=%.17g time=%.17g merge=%.17g steps=1e9",
        beta, STEP * scale, END * scale, MERGE);
    const int64_t steps = (int64_t)(END / STEP), every = steps / POINTS;
    double before = 0;

    (void)run;
    for (int64_t k = 0; k < 2 * MOST; k++) {
        merges[k] = NAN;
    }
    for (int64_t k = 0; k < every * POINTS; k++) {
        const double joined = told(c, flow, "merges");
        trop_case_try(c, trop_flow_look(flow));
        const double energy = 2 * beta * told(c, flow, "interaction");
        for (; before < joined; before++) {
            merges[2 * (int64_t)before] = told(c, flow, "time");
            merges[2 * (int64_t)before + 1] = energy;
        }
        if (k % every == 0) {
            out[k / every * 2] = told(c, flow, "time") / scale;
            out[k / every * 2 + 1] = energy;
        }
        trop_case_try(c, trop_flow_step(flow, 1));
    }
}

static void work(struct trop_case *c)
{
    trop_sample_runs(c, "stairs", trop_case_size(c, "betas", 0), 1, COLUMNS, one);
}

/* ---- the limit ---- */

struct stair {
    double length, energy; /* at the merge */
    double lead;           /* by which the nearest cosine exceeds the next one, so far */
};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double energy_of(const double *count, int64_t clusters, int64_t n)
{
    double sum = 0;

    for (int64_t k = 0; k < clusters; k++) {
        sum += count[k] * count[k];
    }
    return sum / (double)(n * n);
}

/* Of a point of the plane, from -pi to pi: what is left of a turn is its sine, to the third order,
 * so that a quarter of a turn at most is gone after five steps. */
static double angle_of(const double *x)
{
    const double length = trop_tokens_norm(x, 2), quarter = 0x1.921fb54442d18p+0;
    double angle = x[0] >= 0 ? 0 : x[1] >= 0 ? quarter : -quarter;

    for (int64_t k = 0; k < 6; k++) {
        angle += (x[1] * trop_cos(angle) - x[0] * trop_sin(angle)) / length;
    }
    return angle;
}

/* The nearest two neighbours of an open arc of the circle meet, until there is one: out (n - 1). */
static void limit(struct stair *out, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0);
    double angle[MOST], count[MOST];
    struct stair now = { 0, 0, INFINITY };

    for (int64_t i = 0; i < n; i++) {
        angle[i] = angle_of(x + 2 * i);
        count[i] = 1;
    }
    qsort(angle, (size_t)n, sizeof *angle, ascending);
    for (int64_t left = n; left > 1; left--) {
        int64_t at = 0;
        double second = INFINITY;
        for (int64_t k = 1; k + 1 < left; k++) {
            at = angle[k + 1] - angle[k] < angle[at + 1] - angle[at] ? k : at;
        }
        for (int64_t k = 0; k + 1 < left; k++) {
            second = k == at ? second : fmin(second, angle[k + 1] - angle[k]);
        }
        const double gap = angle[at + 1] - angle[at], a = count[at], b = count[at + 1];
        now.lead = isinf(second) ? now.lead : fmin(now.lead, trop_cos(gap) - trop_cos(second));
        now.length += gap * sqrt(a * b / (a + b));
        angle[at] += gap * b / (a + b);
        count[at] += b;
        for (int64_t k = at + 1; k + 1 < left; k++) {
            angle[k] = angle[k + 1];
            count[k] = count[k + 1];
        }
        now.energy = energy_of(count, left - 1, n);
        out[n - left] = now;
    }
}

/* ---- lines ---- */

static const double *stairs_of(const struct trop_case *c, int64_t row)
{
    return trop_case_array(c, "stairs") + row * COLUMNS;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    struct stair expected[MOST];

    limit(expected, c);
    for (int64_t row = 0; row < trop_case_size(c, "betas", 0); row++) {
        const double beta = trop_case_array(c, "betas")[row];
        const double *merges = stairs_of(c, row) + 2 * POINTS;
        for (int64_t k = 0; k + 1 < n; k++, merges += 2) {
            const struct stair *stair = expected + k;
            const double lost = (double)(k + 1) * sqrt((double)n) / 2 * MERGE;
            const char *name = trop_judge_name(judge, "beta = %g: path to %lld clusters", beta,
                                               (long long)(n - 1 - k));
            if (!(beta * stair->lead > SHARP)) {
                trop_judge_beside(judge, name, merges[0], stair->length);
                continue;
            }
            trop_judge_near(judge, name, -1, merges[0], stair->length, lost + .003 * stair->length);
            trop_judge_compare(judge, merges[1], stair->energy, 1e-3,
                               "beta = %g: energy of %lld clusters", beta, (long long)(n - 1 - k));
        }
    }
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    double x[POINTS], y[POINTS];
    char legend[32];

    trop_panel_x(panel, "length of the path / log β", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "energy", TROP_SCALE_LINEAR);
    for (int64_t row = 0; row < trop_case_size(c, "betas", 0); row++) {
        for (int64_t k = 0; k < POINTS; k++) {
            x[k] = stairs_of(c, row)[2 * k];
            y[k] = stairs_of(c, row)[2 * k + 1];
        }
        snprintf(legend, sizeof legend, "β = %g", trop_case_array(c, "betas")[row]);
        trop_panel_line(panel, x, y, POINTS, trop_figure_pen(row), legend);
    }
}

const struct trop_claim trop_sp_fig_staircase = {
    .id = "sp-fig-staircase",
    .title = "the energy climbs stairs on the clock of the path",
    .statement =
        "Five tokens of the circle under USA at beta = 500 to 4000 merge one pair after the "
        "other; by the length of their path the energy rests at .2, .28, .44 and .52 before "
        "it is 1, and the stairs have a limit in closed form.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "The paper shows curves. Compared are the lengths of the path at the merges, and the "
              "energies after them, with those of the limit of large beta, where the nearest two "
              "clusters alone move; at beta = 500 others move too, and the line is beside.",
    .inputs = "tokens betas",
    .hypotheses = TROP_HYPOTHESES({ "large-beta", "beta is from 100 to 1e5",
                                    .holds = "betas: least(betas) >= 100; "
                                             "betas: largest(betas) <= 1e5",
                                    .broken = "beta = 50", .edit = "betas[0] = 50" }),
    .run = { draw, work, conclude, picture },
    .spoils = TROP_SPOILS(
        { "the second token starts .02 farther", .edit = "work stairs with tokens[1,1] += .02" },
        { "the path of the last merge is 2% longer", .edit = "stairs[5,0,526] *= 1.02" }),
    .size = { 400, 280 },
};
