/* md_tab_constants.c -- the constants of lemma 13 (mirror-descent paper).
 *
 * c_p = inf over y of f(y) = |y + 1|^p/p - |y|^p/p - sgn(y) |y|^(p-1), by golden section. Beside
 * the published digits stand facts that need no table: c_2 = 1/2, since f is 1/2 everywhere, c_4 =
 * 1/12, c_p >= 1/(p 2^p), and no grid of points finds a smaller value.
 */
#include "claim/md/md_tables.h"

#include "base/math/pow.h"

#include <math.h>

#define COUNT 7
#define GRID 4000

static const double exponents[COUNT] = { 2, 2.5, 3, 4, 6, 8, 10 };
static const double published[COUNT] = { .5, .3072, .1953, .08333, .01688, .003655, .000819 };
static const double halves[COUNT] = { 5e-2, 5e-5, 5e-5, 5e-6, 5e-6, 5e-7, 5e-7 };

static void draw(struct trop_case *c)
{
    if (!trop_case_has(c, "exponents")) {
        trop_case_copy_in(c, "exponents", exponents, COUNT, 0, 0);
    }
}

static void work(struct trop_case *c)
{
    const struct trop_view p = trop_case_view(c, "exponents");
    double *constants = trop_case_zeros(c, "constants", p.rows, 0, 0);

    for (int64_t k = 0; k < p.rows; k++) {
        constants[k] = trop_md_constant(p.at[k]);
    }
}

static void is_large(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view p = trop_case_view(c, "exponents");

    for (int64_t k = 0; k < p.rows; k++) {
        trop_judge_at_least(judge, "an exponent", -1, p.at[k], 2, 0);
    }
}

/* Least value of f on a grid over [-3, 3]. */
static double grid_least(double p)
{
    double least = INFINITY;

    for (int64_t k = 0; k <= GRID; k++) {
        const double y = -3 + 6 * (double)k / GRID;
        const double a = y + 1;
        const double f = (a == 0 ? 0 : trop_pow(fabs(a), p) / p) -
                         (y == 0 ? 0 : trop_pow(fabs(y), p) / p) - trop_md_signed(y, p - 1);
        least = fmin(least, f);
    }
    return least;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view p = trop_case_view(c, "exponents");
    const double *got = trop_case_array(c, "constants");

    for (int64_t k = 0; k < p.rows; k++) {
        for (int64_t row = 0; row < COUNT; row++) {
            if (p.at[k] == exponents[row]) {
                trop_judge_compare(judge, got[k], published[row], 1.02 * halves[row],
                                   "p = %g: constant", p.at[k]);
            }
        }
        trop_judge_at_most(judge, "constant against a grid", -1, got[k], grid_least(p.at[k]),
                           1e-12);
        trop_judge_at_least(judge, "constant against 1/(p 2^p)", -1, got[k],
                            trop_pow(2, -p.at[k]) / p.at[k], 0);
        if (p.at[k] == 2 || p.at[k] == 4) {
            trop_judge_near(judge, "constant in closed form", -1, got[k],
                            p.at[k] == 2 ? .5 : 1. / 12, 1e-14);
        }
    }
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const struct trop_view p = trop_case_view(c, "exponents");
    double x[64], bound[64];

    for (int64_t k = 0; k < 64; k++) {
        x[k] = 2 + 8 * (double)k / 63;
        bound[k] = trop_pow(2, -x[k]) / x[k];
    }
    trop_panel_x(panel, "p", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "constant", TROP_SCALE_LOG);
    trop_panel_line(panel, x, bound, 64, trop_figure_pen(1), "1/(p 2ᵖ)");
    trop_panel_dots(panel, exponents, published, COUNT, trop_md_table_published(9), "published");
    trop_panel_dots(panel, p.at, trop_case_array(c, "constants"), p.rows, trop_figure_dot(0), "cₚ");
}

const struct trop_claim trop_md_tab_constants = {
    .id = "md-tab-constants",
    .title = "constants of lemma 13",
    .statement = "The largest c with D_psi(A, B) >= c |A - B|_p^p for all A and B has these "
                 "values for p = 2 to 10, and is at least 1/(p 2^p).",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Numbers of an independent program.",
    .inputs = "exponents",
    .hypotheses = TROP_HYPOTHESES({ "p-from-2", "every exponent is at least 2", .judge = is_large,
                                    .broken = "an exponent 1.5", .edit = "exponents[0] = 1.5" }),
    .run = { draw, work, conclude, picture },
    .spoils = TROP_SPOILS({ "c_3 larger by 1e-5 of it", NULL, .edit = "constants[2] *= 1+1e-5" }),
};
