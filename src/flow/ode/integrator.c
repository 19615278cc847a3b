/* integrator.c -- the table of integrators. */
#include "flow/ode/ode.h"

const struct trop_integrator trop_integrator_cvode = {
    .name = "cvode",
    .meaning = "Adams methods of SUNDIALS' CVODE, adaptive, restarted every dt",
    .fields = 16,
    .step = trop_cvode_step,
};

/* "auto" is dopri5, or "exact" for the hardmax ODE, which is solved piece by piece. */
static const struct trop_integrator *const integrators[] = {
    [TROP_INTEGRATOR_AUTO] = NULL,
    [TROP_INTEGRATOR_EULER] = &trop_ode_euler,
    [TROP_INTEGRATOR_RK4] = &trop_ode_rk4,
    [TROP_INTEGRATOR_DOPRI5] = &trop_ode_dopri5,
    [TROP_INTEGRATOR_CVODE] = &trop_integrator_cvode,
    [TROP_INTEGRATOR_EXACT] = NULL,
};

const char *const trop_integrator_name[] = {
    [TROP_INTEGRATOR_AUTO] = "auto",
    [TROP_INTEGRATOR_EULER] = "euler",
    [TROP_INTEGRATOR_RK4] = "rk4",
    [TROP_INTEGRATOR_DOPRI5] = "dopri5",
    [TROP_INTEGRATOR_CVODE] = "cvode",
    [TROP_INTEGRATOR_EXACT] = "exact",
    NULL,
};
_Static_assert(sizeof trop_integrator_name / sizeof trop_integrator_name[0] ==
                   sizeof integrators / sizeof integrators[0] + 1,
               "a name for every integrator");

const char *const *trop_integrator_names(void)
{
    return trop_integrator_name;
}

const struct trop_integrator *trop_integrator_at(int64_t index)
{
    return integrators[index];
}
