/* margin_farkas_set.c -- constraints that are looked at together, in the coordinates they use.
 *
 * A coordinate (a, b) of A'lambda is sum_j lambda_j left_ja z_jb. Left out are rows a in which all
 * differences of the set are 0 or the points agree with those of another row, and columns b
 * likewise: the sum vanishes there when it does in the coordinates that are kept. Queries that are
 * all the same are left out altogether: sum_j lambda_j left_j z' = 0 if sum_j lambda_j left_j = 0.
 * What is left is reduced to as many coordinates of points and of queries as the rank says
 * (margin_farkas_rank.c). Differences that are independent prove nothing, whatever the queries:
 * sum_j lambda_j left_j z_j' = 0 then says lambda_j z_j = 0, and no z_j of a set is 0. All of this
 * is decided on the numbers as they were given.
 */
#include "margin/farkas/margin_farkas_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

struct trop_dd trop_margin_farkas_entry(const struct trop_margin_farkas_set *set, int64_t place,
                                        int64_t c)
{
    const struct trop_problem *problem = set->data->problem;
    const int64_t j = set->row[place], a = set->across[c], d = problem->rows;
    const int64_t plus = problem->plus[j], minus = problem->minus[j];
    const double sign = set->sign[place];
    const double from = plus >= 0 ? set->data->point.values[plus * d + a] : 0.0;
    const double less = minus >= 0 ? set->data->point.values[minus * d + a] : 0.0;
    const struct trop_dd left = trop_dd_sum(sign * from, -sign * less);

    if (set->alone) {
        return left;
    }
    const double *z = set->data->query.values + problem->asked[j] * problem->columns;
    return trop_dd_times(left, trop_dd_of(z[set->down[c]]));
}

static double point_at(const struct trop_problem *problem, int64_t i, int64_t a)
{
    return i >= 0 ? problem->point[i * problem->rows + a] : 0.0;
}

int trop_margin_farkas_zero(const struct trop_problem *problem, int64_t j)
{
    int same = 1, none = 1;

    for (int64_t a = 0; same && a < problem->rows; a++) {
        same = point_at(problem, problem->plus[j], a) == point_at(problem, problem->minus[j], a);
    }
    for (int64_t b = 0; none && b < problem->columns; b++) {
        none = problem->query[problem->asked[j] * problem->columns + b] == 0.0;
    }
    return same || none;
}

/* Row `a` of the differences is 0 in the whole set, or equal to that of a coordinate before. */
static int left_is_idle(const struct trop_margin_farkas_set *set, int64_t a, const int64_t *kept,
                        int64_t count)
{
    const struct trop_problem *problem = set->data->problem;
    int idle = 1;

    for (int64_t k = -1; k < count; k++) { /* -1: is it 0? */
        idle = 1;
        for (int64_t i = 0; idle && i < set->count; i++) {
            const int64_t plus = problem->plus[set->row[i]], minus = problem->minus[set->row[i]];
            const double x = point_at(problem, plus, a), y = point_at(problem, minus, a);
            idle = k < 0 ? x == y
                         : x == point_at(problem, plus, kept[k]) &&
                               y == point_at(problem, minus, kept[k]);
        }
        if (idle) {
            return 1;
        }
    }
    return 0;
}

/* The same for coordinate b of the queries. */
static int query_is_idle(const struct trop_margin_farkas_set *set, int64_t b, const int64_t *kept,
                         int64_t count)
{
    const struct trop_problem *problem = set->data->problem;

    for (int64_t k = -1; k < count; k++) {
        int idle = 1;
        for (int64_t i = 0; idle && i < set->count; i++) {
            const double *z = problem->query + problem->asked[set->row[i]] * problem->columns;
            idle = z[b] == (k < 0 ? 0.0 : z[kept[k]]);
        }
        if (idle) {
            return 1;
        }
    }
    return 0;
}

enum trop_status trop_margin_farkas_coordinates(struct trop_margin_farkas_set *set)
{
    const int64_t d = set->data->problem->rows, columns = set->data->problem->columns;
    /* Coordinates of points, then of queries. */
    int64_t *kept = trop_alloc(d + columns, sizeof *kept), lefts = 0, queries = 1;
    int independent = 0;

    set->k = 0;
    if (!kept) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld coordinates",
                         (long long)(d + columns));
    }
    for (int64_t a = 0; a < d; a++) {
        if (!left_is_idle(set, a, kept, lefts)) {
            kept[lefts++] = a;
        }
    }
    enum trop_status status = trop_margin_farkas_rank_side(kept, &lefts, &independent, set, 0);
    lefts = independent ? 0 : lefts;
    if (status == TROP_OK && !set->alone && lefts > 0) {
        queries = 0;
        for (int64_t b = 0; b < columns; b++) {
            if (!query_is_idle(set, b, kept + lefts, queries)) {
                kept[lefts + queries++] = b;
            }
        }
        status = trop_margin_farkas_rank_side(kept + lefts, &queries, &independent, set, 1);
    }
    if (status == TROP_OK) {
        set->k = lefts * queries;
        for (int64_t c = 0; c < set->k; c++) {
            set->across[c] = kept[c / queries];
            set->down[c] = set->alone ? 0 : kept[lefts + c % queries];
        }
    }
    trop_alloc_free(kept);
    return status;
}

enum trop_status trop_margin_farkas_columns(struct trop_margin_farkas_set *set)
{
    trop_alloc_free(set->column);
    set->column = trop_alloc(trop_alloc_product(set->count, set->k), sizeof *set->column);
    if (!set->column) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld rows", (long long)set->count);
    }
    for (int64_t i = 0; i < set->count; i++) {
        double *column = set->column + i * set->k;
        for (int64_t c = 0; c < set->k; c++) {
            column[c] = trop_margin_farkas_entry(set, i, c).high;
        }
        set->size[i] = trop_linalg_norm(column, set->k);
        for (int64_t c = 0; c < set->k && set->size[i] > 0.0; c++) {
            column[c] /= set->size[i];
        }
    }
    return TROP_OK;
}
