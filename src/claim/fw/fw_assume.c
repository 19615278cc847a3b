/* fw_assume.c -- hypotheses that several claims of the Frank-Wolfe paper have, and cases that fail
 * one of them. */
#include "claim/fw/fw.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>

/* ---- B ---- */

enum trop_status trop_fw_assume_symmetric(struct trop_judge *judge, const struct trop_case *c)
{
    const double *b = trop_case_array(c, "B");
    const int64_t d = trop_case_size(c, "B", 0);
    double largest = 0;

    for (int64_t k = 0; k < d * d; k++) {
        largest = fmax(largest, fabs(b[k] - b[k % d * d + k / d]));
    }
    trop_judge_at_most(judge, "largest difference of B and its transpose", -1, largest, 0, 0);
    return TROP_OK;
}

/* Jacobi's method finds eigenvalues to a few d u |B|. */
enum trop_status trop_fw_assume_positive(struct trop_judge *judge, const struct trop_case *c)
{
    const double *b = trop_case_array(c, "B");
    const int64_t d = trop_case_size(c, "B", 0);
    double low = 0, high = 0;
    enum trop_status status = trop_fw_spectrum(&low, &high, b, d);

    if (status == TROP_OK) {
        trop_fw_assume_symmetric(judge, c);
        trop_judge_at_least(judge, "least eigenvalue of B", -1, low, DBL_MIN,
                            64 * (double)d * DBL_EPSILON * fmax(fabs(low), fabs(high)));
    }
    return status;
}

/* ---- step sizes ---- */

enum trop_status trop_fw_assume_steps(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_integer(c, "steps");

    for (int64_t t = 0; t < steps; t++) {
        const double gamma = trop_fw_gamma(c, t);
        trop_judge_truth(judge, "gamma is between 0 and 1", t, gamma > 0 && gamma < 1);
    }
    return TROP_OK;
}

enum trop_status trop_fw_assume_classic(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_integer(c, "steps");

    for (int64_t t = 0; t < steps; t++) {
        const double error = fabs(trop_fw_gamma(c, t) * (double)(t + 2) - 2);
        trop_judge_truth(judge, "gamma is 2 / (t + 2)", t, error <= 4 * DBL_EPSILON);
    }
    return TROP_OK;
}

/* ---- cells ---- */

/* Owning is decided exactly; the lead c0 must also exceed what rounding does to a score, or
 * the flow in double could leave the flow of the theorem. DBL_MIN: with B = 0 there is no rounding,
 * and no lead. */
enum trop_status trop_fw_assume_own_cells(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    struct trop_cells *cells = NULL;
    double c0 = 0;
    enum trop_status status = trop_fw_work_cells(&cells, c, x, n, NULL, 0);

    if (status == TROP_OK) {
        status = trop_cells_number(&c0, cells, "c0");
    }
    if (status == TROP_OK) {
        trop_judge_at_least(judge, "least lead of a vertex in its own cell", -1, c0, DBL_MIN,
                            16 * trop_fw_score_error(b, trop_tokens_radius(x, n, d), d));
    }
    trop_cells_free(cells);
    return status;
}

enum trop_status trop_fw_assume_one_cell(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double error = 16 * trop_fw_score_error(b, trop_tokens_radius(x, n, d), d);
    struct trop_cells *cells = NULL;
    struct trop_value labels;
    enum trop_status status = trop_fw_work_cells(&cells, c, x, n, NULL, 0);

    if (status == TROP_OK) {
        status = trop_cells_value(&labels, cells, "labels");
    }
    for (int64_t i = 0; status == TROP_OK && i < n; i++) {
        double lead = 0;
        trop_fw_leader(&lead, b, x + i * d, x, n, d);
        trop_judge_truth(judge, "a token is in one cell only", -1,
                         labels.integers[i] < 0 ? 0
                         : lead >= error        ? 1
                                                : -1);
    }
    trop_cells_free(cells);
    return status;
}

enum trop_status trop_fw_assume_points(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *points = trop_case_array(c, "points");
    const int64_t n = trop_case_size(c, "tokens", 0), m = trop_case_size(c, "points", 0);
    struct trop_cells *cells = NULL;
    struct trop_value inside;
    enum trop_status status = trop_fw_work_cells(&cells, c, x, n, points, m);

    if (status == TROP_OK) {
        status = trop_cells_value(&inside, cells, "query_inside");
    }
    for (int64_t i = 0; i < m && status == TROP_OK; i++) {
        const int64_t side = inside.integers[i];
        trop_judge_truth(judge, "a point is in the hull", -1, side > 0 ? 1 : side < 0 ? 0 : -1);
    }
    trop_cells_free(cells);
    return status;
}

/* ---- cases that fail one ---- */

static enum trop_status put_plane(struct trop_case *c, const double *tokens, int64_t n)
{
    enum trop_status status = trop_fw_draw_given(c, "tokens", tokens, n, 2);

    return status == TROP_OK ? trop_fw_draw_identity(c, 2, 1) : status;
}

enum trop_status trop_fw_assume_not_own(struct trop_case *c)
{
    static const double tokens[] = { 3, 0, .5, 1, -1, -1 };

    return put_plane(c, tokens, 3);
}

enum trop_status trop_fw_assume_not_one(struct trop_case *c)
{
    static const double tokens[] = { 1, 0, 0, 1, -1, 0, 0, -1, .25, .25 };

    return put_plane(c, tokens, 5);
}

enum trop_status trop_fw_assume_not_steps(struct trop_case *c)
{
    trop_case_array(c, "gamma")[2] = 1;
    return TROP_OK;
}

enum trop_status trop_fw_assume_not_positive(struct trop_case *c)
{
    trop_case_array(c, "B")[0] = -1;
    return TROP_OK;
}

enum trop_status trop_fw_assume_not_symmetric(struct trop_case *c)
{
    trop_case_array(c, "B")[1] += 1;
    return TROP_OK;
}

enum trop_status trop_fw_assume_not_points(struct trop_case *c)
{
    trop_case_array(c, "points")[0] += 100;
    return TROP_OK;
}

enum trop_status trop_fw_assume_nudge(struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    trop_case_array(c, "path")[steps * n * d] += 1e-6;
    return TROP_OK;
}
