/* model_copy.c -- the memory of a problem: made, filled, copied from outside, released.
 *
 * Nothing in a problem from outside is trusted: its sizes, indices and numbers are checked
 * before the first is used, and the sentence names the array and the entry. A constraint
 * whose points are both the origin is let through: it asks 0 >= 1, which is for the solver to
 * find infeasible.
 */
#include "margin/model/model_internal.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* Places in memory[]. */
enum { POINT, QUERY, PLUS, MINUS, ASKED, EQUAL, RIGHT, INPUT, TOKEN, ARRAYS };

_Static_assert(ARRAYS <= sizeof((struct trop_model_problem *)0)->memory / sizeof(void *),
               "every array has a place in memory");

void trop_model_free(struct trop_model_problem *problem)
{
    if (!problem) {
        return;
    }
    for (int k = 0; k < ARRAYS; k++) {
        trop_alloc_free(problem->memory[k]);
    }
    *problem = (struct trop_model_problem){ 0 };
}

enum trop_status trop_model_begin(struct trop_model_problem *out,
                                  const struct trop_model_sizes *sizes)
{
    struct trop_model_problem made = { 0 };
    int missing = 0;

    if (!sizes->point) {
        made.memory[POINT] =
            trop_alloc(trop_alloc_product(sizes->points, sizes->rows), sizeof(double));
    }
    made.memory[QUERY] =
        trop_alloc(trop_alloc_product(sizes->queries, sizes->columns), sizeof(double));
    made.memory[RIGHT] = trop_alloc(sizes->count, sizeof(double));
    for (int k = PLUS; k < ARRAYS; k++) {
        if (k != RIGHT) {
            made.memory[k] = trop_alloc(sizes->count, sizeof(int64_t));
        }
    }
    for (int k = 0; k < ARRAYS; k++) {
        missing |= !made.memory[k] && !(k == POINT && sizes->point);
    }
    if (missing) {
        trop_model_free(&made);
        return trop_fail(
            TROP_ERR_MEMORY, "no memory for a problem of %lld constraints on %lld x %lld numbers",
            (long long)sizes->count, (long long)sizes->rows, (long long)sizes->columns);
    }
    made.problem = (struct trop_problem){
        .rows = sizes->rows,
        .columns = sizes->columns,
        .points = sizes->points,
        .queries = sizes->queries,
        .point = sizes->point ? sizes->point : made.memory[POINT],
        .query = made.memory[QUERY],
        .plus = made.memory[PLUS],
        .minus = made.memory[MINUS],
        .asked = made.memory[ASKED],
        .equal = made.memory[EQUAL],
        .right = made.memory[RIGHT],
        .input = made.memory[INPUT],
        .token = made.memory[TOKEN],
    };
    *out = made;
    return TROP_OK;
}

double *trop_model_points(struct trop_model_problem *made)
{
    return made->memory[POINT];
}

double *trop_model_queries(struct trop_model_problem *made)
{
    return made->memory[QUERY];
}

void trop_model_add(struct trop_model_problem *made, const struct trop_model_row *row)
{
    const int64_t j = made->problem.count++;

    ((int64_t *)made->memory[PLUS])[j] = row->plus;
    ((int64_t *)made->memory[MINUS])[j] = row->minus;
    ((int64_t *)made->memory[ASKED])[j] = row->asked;
    ((int64_t *)made->memory[EQUAL])[j] = row->equal;
    ((double *)made->memory[RIGHT])[j] = row->right;
    ((int64_t *)made->memory[INPUT])[j] = row->input;
    ((int64_t *)made->memory[TOKEN])[j] = row->token;
}

/* ---- a problem from outside --------------------------------------------------------------- */

static enum trop_status check_sizes(const struct trop_problem *problem)
{
    const struct {
        const char *name;
        int64_t value, least;
    } sizes[] = { { "rows", problem->rows, 1 },
                  { "columns", problem->columns, 1 },
                  { "points", problem->points, 0 },
                  { "queries", problem->queries, 0 },
                  { "constraints", problem->count, 0 } };
    const struct {
        const char *name;
        const void *array;
        int64_t count;
    } arrays[] = {
        { "point", problem->point, problem->points }, { "query", problem->query, problem->queries },
        { "plus", problem->plus, problem->count },    { "minus", problem->minus, problem->count },
        { "asked", problem->asked, problem->count },  { "equal", problem->equal, problem->count },
        { "right", problem->right, problem->count },  { "input", problem->input, problem->count },
        { "token", problem->token, problem->count }
    };

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (sizes[k].value < sizes[k].least) {
            return trop_fail(TROP_ERR_ARG, "problem: %lld %s, must be at least %lld",
                             (long long)sizes[k].value, sizes[k].name, (long long)sizes[k].least);
        }
    }
    if (trop_alloc_product(problem->rows, problem->columns) < 0 ||
        trop_alloc_product(problem->points, problem->rows) < 0 ||
        trop_alloc_product(problem->queries, problem->columns) < 0) {
        return trop_fail(TROP_ERR_ARG,
                         "problem: %lld x %lld numbers, %lld points, %lld queries are too many",
                         (long long)problem->rows, (long long)problem->columns,
                         (long long)problem->points, (long long)problem->queries);
    }
    /* An array may be absent only where nothing is to be read from it. */
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        if (!arrays[k].array && arrays[k].count > 0) {
            return trop_fail(TROP_ERR_ARG, "problem: %s is missing", arrays[k].name);
        }
    }
    return TROP_OK;
}

static enum trop_status check_indices(const struct trop_problem *problem)
{
    const struct {
        const char *name;
        const int64_t *array;
        int64_t least, most;
    } arrays[] = { { "plus", problem->plus, -1, problem->points - 1 },
                   { "minus", problem->minus, -1, problem->points - 1 },
                   { "asked", problem->asked, 0, problem->queries - 1 },
                   { "equal", problem->equal, 0, 1 },
                   { "input", problem->input, 0, INT64_MAX },
                   { "token", problem->token, 0, INT64_MAX } };

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        for (int64_t j = 0; j < problem->count; j++) {
            const int64_t index = arrays[k].array[j];
            if (index < arrays[k].least || index > arrays[k].most) {
                return trop_fail(
                    TROP_ERR_ARG,
                    "problem: %s of constraint %lld is %lld, must be from %lld to %lld",
                    arrays[k].name, (long long)j, (long long)index, (long long)arrays[k].least,
                    (long long)arrays[k].most);
            }
        }
    }
    return TROP_OK;
}

static enum trop_status check_finite(const char *name, const double *array, int64_t rows,
                                     int64_t columns)
{
    for (int64_t k = 0; k < rows * columns; k++) {
        if (!isfinite(array[k])) {
            return trop_fail(TROP_ERR_ARG, "problem: %s %lld has %g at place %lld, must be finite",
                             name, (long long)(k / columns), array[k], (long long)(k % columns));
        }
    }
    return TROP_OK;
}

static enum trop_status check(const struct trop_problem *problem)
{
    enum trop_status status = check_sizes(problem);

    if (status == TROP_OK) {
        status = check_indices(problem);
    }
    if (status == TROP_OK) {
        status = check_finite("point", problem->point, problem->points, problem->rows);
    }
    if (status == TROP_OK) {
        status = check_finite("query", problem->query, problem->queries, problem->columns);
    }
    for (int64_t j = 0; status == TROP_OK && j < problem->count; j++) {
        const double r = problem->right[j];
        if (problem->equal[j] && !isfinite(r)) {
            return trop_fail(TROP_ERR_ARG,
                             "problem: right of constraint %lld is %g, must be finite",
                             (long long)j, r);
        }
        if (!problem->equal[j] && r != 0.0 && r != 1.0) {
            return trop_fail(TROP_ERR_ARG,
                             "problem: right of constraint %lld is %g, must be 0 or 1 unless it is "
                             "an equality",
                             (long long)j, r);
        }
    }
    return status;
}

/* memcpy that takes a missing array of no entries. */
static void take(void *to, const void *from, int64_t count, size_t size)
{
    if (count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
}

enum trop_status trop_model_copy(struct trop_model_problem *out, const struct trop_problem *problem)
{
    struct trop_model_problem made;

    if (!problem) {
        return trop_fail(TROP_ERR_ARG, "problem: missing");
    }
    enum trop_status status = check(problem);
    if (status == TROP_OK) {
        struct trop_model_sizes sizes = { problem->rows,    problem->columns, problem->points,
                                          problem->queries, problem->count,   NULL };
        status = trop_model_begin(&made, &sizes);
    }
    if (status != TROP_OK) {
        return status;
    }
    const int64_t m = made.problem.count = problem->count;
    take(made.memory[POINT], problem->point, problem->points * problem->rows, sizeof(double));
    take(made.memory[QUERY], problem->query, problem->queries * problem->columns, sizeof(double));
    take(made.memory[PLUS], problem->plus, m, sizeof(int64_t));
    take(made.memory[MINUS], problem->minus, m, sizeof(int64_t));
    take(made.memory[ASKED], problem->asked, m, sizeof(int64_t));
    take(made.memory[EQUAL], problem->equal, m, sizeof(int64_t));
    take(made.memory[RIGHT], problem->right, m, sizeof(double));
    take(made.memory[INPUT], problem->input, m, sizeof(int64_t));
    take(made.memory[TOKEN], problem->token, m, sizeof(int64_t));
    *out = made;
    return TROP_OK;
}
