/* cvode_none.c -- the build without SUNDIALS. */
#include "flow/ode/ode.h"

#include "base/status.h"

void trop_cvode_free(struct trop_ode *ode)
{
    (void)ode;
}

enum trop_status trop_cvode_step(struct trop_ode *ode, double *x, double *t, double *h, double end,
                                 const double *velocity)
{
    (void)ode;
    (void)x;
    (void)t;
    (void)h;
    (void)end;
    (void)velocity;
    return trop_fail(TROP_ERR_UNSUPPORTED, "integrator = cvode: this build has no SUNDIALS");
}
