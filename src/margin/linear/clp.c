/* clp.c -- the seam to CLP (Forrest and others, COIN-OR), by its C interface.
 *
 * One model per solve, made and freed here: nothing is kept between calls. CLP prints unless it
 * is told not to. Its quadratic solver and its barrier are never used: the first has returned
 * wrong points as optimal. It runs in portions of iterations, each starting from the basis of the
 * one before, so that the caller can stop it; what it computes depends on the program alone.
 *
 * CLP's own scaling is off, because rows come in scaled: of the columns it unmakes bounds that are
 * all alike. (A linear program of 304 rows and 1601 columns with -1 <= x <= 1 took 934 iterations
 * without it, 3165 with it, one of 580 and 3601 seven seconds and more than eight minutes.)
 * It calls LAPACK for dense parts of a basis, which is told to use one thread.
 *
 * CLP is C++ and ends the process when the machine has no memory for it: the caller keeps the
 * program within a stated size.
 */
#include "margin/linear/clp.h"

#include "base/lapack.h"
#include "base/status.h"

#include <Clp_C_Interface.h>

#include <limits.h>

/* Iterations between two calls of progress. Every restart costs further iterations: portions of
 * 2000 took four times as many in all. */
#define PORTION 10000

/* CLP's own tolerance; what remains is corrected in the basis. Much less makes it cycle. */
#define TOLERANCE 1e-9

static int64_t state_of(int status)
{
    return status == 1 ? TROP_CLP_BASIC : status == 2 ? TROP_CLP_UPPER : TROP_CLP_LOWER;
}

/* Solves in portions. CLP's status 3 says that a portion is used up; any other is the end. */
static enum trop_status run(int64_t *iterations, Clp_Simplex *model, const struct trop_clp *task)
{
    const int64_t most = task->iterations < INT_MAX ? task->iterations : INT_MAX;
    int64_t made = 0;
    int status = 3;

    while (status == 3 && made < most) {
        const int64_t portion = most - made < PORTION ? most - made : PORTION;
        if (task->progress && task->progress(task->context, made, most) != 0) {
            return trop_fail(TROP_ERR_STOPPED, "stopped after %lld simplex iterations",
                             (long long)made);
        }
        Clp_setNumberIterations(model, 0);
        Clp_setMaximumIterations(model, (int)portion);
        Clp_dual(model, 0);
        status = Clp_status(model);
        const int64_t more = Clp_numberIterations(model);
        made += more;
        if (more == 0) {
            break;
        }
    }
    *iterations = made;
    return TROP_OK;
}

enum trop_status trop_clp_solve(int64_t *state, int64_t *iterations, const struct trop_clp *task)
{
    const enum trop_status room = trop_lapack_room("linear program", task->rows, task->columns);
    if (room != TROP_OK) {
        return room;
    }
    Clp_Simplex *model = Clp_newModel();
    if (!model) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for CLP");
    }
    trop_lapack_threads_one();
    Clp_setLogLevel(model, 0);
    Clp_loadProblem(model, (int)task->columns, (int)task->rows, task->start, task->index,
                    task->value, task->lower, task->upper, task->cost, task->lower + task->columns,
                    task->upper + task->columns);
    Clp_scaling(model, 0);
    Clp_setPrimalTolerance(model, TOLERANCE);
    Clp_setDualTolerance(model, TOLERANCE);
    enum trop_status status = run(iterations, model, task);
    for (int64_t k = 0; status == TROP_OK && k < task->columns; k++) {
        state[k] = state_of(Clp_getColumnStatus(model, (int)k));
    }
    for (int64_t j = 0; status == TROP_OK && j < task->rows; j++) {
        state[task->columns + j] = state_of(Clp_getRowStatus(model, (int)j));
    }
    Clp_deleteModel(model);
    return status;
}
