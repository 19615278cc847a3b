/* fw_judge.c -- hypotheses that several claims of the Frank-Wolfe paper have. */
#include "claim/fw/fw.h"

#include <float.h>
#include <math.h>

/* ---- B ---- */

void trop_fw_judge_symmetric(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view b = trop_case_view(c, "B");
    const int64_t d = b.rows;
    double largest = 0;

    for (int64_t k = 0; k < d * d; k++) {
        largest = fmax(largest, fabs(b.at[k] - b.at[k % d * d + k / d]));
    }
    trop_judge_at_most(judge, "largest difference of B and its transpose", -1, largest, 0, 0);
}

/* Jacobi's method finds eigenvalues to a few d u |B|. */
void trop_fw_judge_positive(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view b = trop_case_view(c, "B");
    const struct trop_fw_range l = trop_fw_eigenvalues(c, b.at, b.rows);

    trop_fw_judge_symmetric(judge, c);
    trop_judge_at_least(judge, "least eigenvalue of B", -1, l.low, DBL_MIN,
                        64 * (double)b.rows * DBL_EPSILON * fmax(fabs(l.low), fabs(l.high)));
}

/* ---- step sizes ---- */

void trop_fw_judge_steps(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t t = 0; t < trop_case_integer(c, "steps"); t++) {
        const double gamma = trop_fw_gamma(c, t);
        trop_judge_truth(judge, "gamma is between 0 and 1", t, gamma > 0 && gamma < 1);
    }
}

void trop_fw_judge_classic(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t t = 0; t < trop_case_integer(c, "steps"); t++) {
        const double error = fabs(trop_fw_gamma(c, t) * (double)(t + 2) - 2);
        trop_judge_truth(judge, "gamma is 2 / (t + 2)", t, error <= 4 * DBL_EPSILON);
    }
}

/* ---- cells ---- */

/* Owning is decided exactly; the lead c0 must also exceed what rounding does to a score, or
 * the flow in double could leave the flow of the theorem. DBL_MIN: with B = 0 there is no rounding,
 * and no lead. */
void trop_fw_judge_own_cells(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");

    trop_judge_at_least(judge, "least lead of a vertex in its own cell", -1,
                        trop_fw_work_cells_of(c, x, NULL, "c0").number, DBL_MIN,
                        16 * trop_fw_error(c, x));
}

void trop_fw_judge_one_cell(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t *owners = trop_fw_work_owners(c);
    const double error = 16 * trop_fw_error(c, x);

    for (int64_t i = 0; i < x.rows; i++) {
        trop_judge_truth(judge, "a token is in one cell only", -1,
                         owners[i] < 0                    ? 0
                         : trop_fw_lead(c, x, i) >= error ? 1
                                                          : -1);
    }
}

void trop_fw_judge_points(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_value inside =
        trop_fw_work_cells_of(c, trop_case_view(c, "tokens"), "points", "query_inside");

    for (int64_t i = 0; i < trop_case_size(c, "points", 0); i++) {
        const int64_t side = inside.integers[i];
        trop_judge_truth(judge, "a point is in the hull", -1, side > 0 ? 1 : side < 0 ? 0 : -1);
    }
}
