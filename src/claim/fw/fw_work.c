/* fw_work.c -- what the library computes for the claims of the Frank-Wolfe paper. */
#include "claim/fw/fw.h"

#include <math.h>
#include <string.h>

#define USE_SHIFT 69 /* of the random numbers of a case */

/* ---- flows ---- */

void trop_fw_work_path(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), TROP_FW_FLOW);
}

/* Uniform on a cube that is inside the ball. */
struct trop_case *trop_fw_work_nearby(const struct trop_case *c, int64_t k)
{
    struct trop_case *other = trop_case_aside(c);
    const struct trop_view x = trop_case_view(other, "tokens");
    const double side = trop_case_number(c, "radius") / sqrt((double)x.columns);

    for (int64_t e = 0; e < x.rows * x.columns; e++) {
        x.at[e] += side * (2 * trop_case_uniform(c, USE_SHIFT, k * x.rows * x.columns + e) - 1);
    }
    return other;
}

/* ---- cells ---- */

struct trop_value trop_fw_work_cells_of(const struct trop_case *c, struct trop_view x,
                                        const char *queries, const char *field)
{
    struct trop_value value = { 0 };

    trop_case_try(c,
                  trop_cells_value(&value, trop_case_cells(c, x, queries, "key_query=@B"), field));
    return value;
}

const int64_t *trop_fw_work_owners(const struct trop_case *c)
{
    return trop_fw_work_cells_of(c, trop_case_view(c, "tokens"), NULL, "labels").integers;
}

void trop_fw_work_points(struct trop_case *c)
{
    const struct trop_value found =
        trop_fw_work_cells_of(c, trop_case_view(c, "tokens"), "points", "query_labels");
    double *labels = trop_case_zeros(c, "labels", found.shape[0], 0, 0);

    for (int64_t i = 0; i < found.shape[0]; i++) {
        labels[i] = (double)found.integers[i];
    }
}
