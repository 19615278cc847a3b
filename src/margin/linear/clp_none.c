/* clp_none.c -- the build without CLP. */
#include "margin/linear/clp.h"

#include "base/status.h"

enum trop_status trop_clp_solve(int64_t *state, int64_t *iterations, const struct trop_clp *task)
{
    (void)state;
    (void)iterations;
    return trop_fail(TROP_ERR_UNSUPPORTED,
                     "a linear program of %lld rows and %lld columns: this build has no CLP",
                     (long long)task->rows, (long long)task->columns);
}
