/* cvode.c -- the seam to SUNDIALS: CVODE's Adams methods with functional iteration.
 *
 * One step of ours is one stretch of length h, from a fresh start: CVODE carries no
 * history from stretch to stretch, so a run resumed from a checkpoint goes on as if
 * it had not stopped. Its bits are SUNDIALS' own; dopri5 is the integrator whose
 * bits are the same everywhere.
 */
#include "flow/ode/ode.h"

#include "base/alloc.h"
#include "base/status.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <math.h>
#include <string.h>

struct solver {
    SUNContext context;
    N_Vector state;
    SUNNonlinearSolver iteration;
    void *memory;
    enum trop_status status; /* of the last call of the field */
};

static int right_side(realtype t, N_Vector y, N_Vector velocity, void *user)
{
    struct trop_ode *ode = user;
    struct solver *solver = ode->solver;

    if (solver->status == TROP_ERR_STOPPED) {
        return -1; /* CVODE tries shorter steps after a failure of any kind */
    }
    solver->status =
        ode->field(ode->context, N_VGetArrayPointer(velocity), N_VGetArrayPointer(y), t);
    return solver->status == TROP_OK ? 0 : -1;
}

/* CVODE prints its errors unless it is given somewhere to put them. */
static void quiet(int code, const char *module, const char *function, char *message, void *user)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)user;
}

void trop_cvode_free(struct trop_ode *ode)
{
    struct solver *solver = ode->solver;
    if (!solver) {
        return;
    }
    if (solver->memory) {
        CVodeFree(&solver->memory);
    }
    if (solver->iteration) {
        SUNNonlinSolFree(solver->iteration);
    }
    if (solver->state) {
        N_VDestroy(solver->state);
    }
    if (solver->context) {
        SUNContext_Free(&solver->context);
    }
    trop_alloc_free(solver);
    ode->solver = NULL;
}

static enum trop_status start(struct trop_ode *ode, const double *x, double t)
{
    struct solver *solver = trop_alloc(1, sizeof *solver);
    if (!solver) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for CVODE");
    }
    ode->solver = solver;
    if (SUNContext_Create(NULL, &solver->context) == 0) {
        solver->state = N_VNew_Serial((sunindextype)ode->size, solver->context);
        solver->memory = CVodeCreate(CV_ADAMS, solver->context);
    }
    if (solver->state) {
        memcpy(N_VGetArrayPointer(solver->state), x, (size_t)ode->size * sizeof *x);
        solver->iteration = SUNNonlinSol_FixedPoint(solver->state, 0, solver->context);
    }
    if (!solver->state || !solver->memory || !solver->iteration ||
        CVodeSetErrHandlerFn(solver->memory, quiet, NULL) != CV_SUCCESS ||
        CVodeInit(solver->memory, right_side, t, solver->state) != CV_SUCCESS ||
        CVodeSetUserData(solver->memory, ode) != CV_SUCCESS ||
        CVodeSStolerances(solver->memory, 0, ode->accuracy * ode->scale) != CV_SUCCESS ||
        CVodeSetNonlinearSolver(solver->memory, solver->iteration) != CV_SUCCESS ||
        CVodeSetMaxNumSteps(solver->memory, 1000000) != CV_SUCCESS) {
        trop_cvode_free(ode);
        return trop_fail(TROP_ERR_MEMORY, "CVODE could not be set up");
    }
    return TROP_OK;
}

enum trop_status trop_cvode_step(struct trop_ode *ode, double *x, double *t, double *h, double end,
                                 const double *velocity)
{
    double stop = *t + *h * (1 + 0x1p-20) >= end ? end : *t + *h;
    double reached = *t;
    enum trop_status status = ode->solver ? TROP_OK : start(ode, x, *t);

    (void)velocity;
    if (status != TROP_OK) {
        return status;
    }
    struct solver *solver = ode->solver;
    solver->status = TROP_OK;
    memcpy(N_VGetArrayPointer(solver->state), x, (size_t)ode->size * sizeof *x);
    int code = CVodeReInit(solver->memory, *t, solver->state);
    if (code == CV_SUCCESS) {
        code = CVodeSetStopTime(solver->memory, stop);
    }
    if (code == CV_SUCCESS) {
        code = CVode(solver->memory, stop, solver->state, &reached, CV_NORMAL);
    }
    if (code < 0 && solver->status != TROP_OK) {
        return solver->status;
    }
    if (code < 0) {
        return trop_fail(TROP_ERR_NUMERIC,
                         "CVODE came from time %g to %g and no farther (its code %d); give "
                         "integrator = rk4 with a dt, without accuracy, or a larger accuracy",
                         *t, reached, code);
    }
    memcpy(x, N_VGetArrayPointer(solver->state), (size_t)ode->size * sizeof *x);
    *t = stop;
    return ode->project ? ode->project(ode->context, x) : TROP_OK;
}
