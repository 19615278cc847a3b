/* fw_beta_judge.c -- hypotheses that several claims at finite beta have.
 *
 * Products of coordinates of points of norm R are known to (d + 2) u R^2 each: blur is the
 * allowance of differences of a few of them, for vertices that were placed with rounding.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/cos.h"
#include "base/math/sin.h"

#include <float.h>
#include <math.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */

static double blur(const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double radius = trop_tokens_radius(trop_case_array(c, "tokens"), n, d);

    return 8 * (double)(d + 2) * DBL_EPSILON * radius * radius;
}

/* ---- vertices ---- */

void trop_fw_beta_assume_acute(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t d = trop_case_size(c, "tokens", 1), kappa = trop_case_integer(c, "kappa");

    for (int64_t i = 0; i < kappa; i++) {
        for (int64_t j = 0; j < kappa; j++) {
            for (int64_t k = 0; k <= j; k++) {
                double product = 0;
                for (int64_t a = 0; a < d; a++) {
                    product += (x[j * d + a] - x[i * d + a]) * (x[k * d + a] - x[i * d + a]);
                }
                if (j != i && k != i) {
                    trop_judge_at_least(judge, "<v_j - v_i, v_k - v_i>", -1, product, 0, blur(c));
                }
            }
        }
    }
}

void trop_fw_beta_assume_equal_norms(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t d = trop_case_size(c, "tokens", 1), kappa = trop_case_integer(c, "kappa");

    for (int64_t i = 0; i < kappa; i++) {
        trop_judge_near(judge, "square of the norm of a vertex", -1,
                        trop_tokens_dot(x + i * d, x + i * d, d), trop_tokens_dot(x, x, d),
                        blur(c));
    }
}

void trop_fw_beta_assume_gap(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "c0", -1, trop_fw_beta_constants(c).c0, DBL_MIN, blur(c));
}

/* x_i is x_0 turned by 2 pi i/kappa, this way round or the other; (cos, sin) of an angle that is
 * known to 12 u, each with two roundings more, are off by 16 u. Of a pair products would not do:
 * they see a token beside its place by the square of how far. */
void trop_fw_beta_assume_polygon(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    trop_judge_truth(judge, "tokens of the plane", -1, d == 2);
    const double way = d == 2 && n > 1 && x[0] * x[3] < x[1] * x[2] ? -1 : 1;
    for (int64_t i = 0; i < n && d == 2; i++) {
        const double angle = TURN * (double)i / (double)n;
        const double cosine = trop_cos(angle), sine = way * trop_sin(angle);
        const double place[2] = { cosine * x[0] - sine * x[1], sine * x[0] + cosine * x[1] };
        trop_judge_near(judge, "distance of a token from its corner", -1,
                        trop_tokens_distance(x + 2 * i, place, 2), 0,
                        TROP_FW_BETA_CORNER * trop_tokens_norm(x, 2));
    }
}

void trop_fw_beta_assume_one_crossing(struct trop_judge *judge, const struct trop_case *c)
{
    const double side = sqrt(2 * trop_fw_beta_polygon_c0(c));
    const double way = trop_case_number(c, "gamma") * side;

    trop_judge_truth(judge, "eps > 0", -1, trop_case_number(c, "radius") > 0);
    trop_judge_at_most(judge, "eps", -1, trop_case_number(c, "radius"), way,
                       64 * DBL_EPSILON * way);
}

/* ---- distances from hulls ---- */

void trop_fw_beta_judge_inside(struct trop_judge *judge, const struct trop_case *c,
                               const char *name, int64_t step, struct trop_view cloud,
                               struct trop_view points, double reach, double allowance)
{
    void *mark = trop_case_mark(c);
    struct trop_hull *hull = trop_case_hull(c, cloud.at, cloud.rows, cloud.columns);

    for (int64_t i = 0; i < points.rows; i++) {
        trop_judge_at_most(judge, name, step,
                           trop_case_place(c, hull, trop_case_view_row(points, i)).lower, reach,
                           allowance);
    }
    trop_case_release(c, mark);
}
