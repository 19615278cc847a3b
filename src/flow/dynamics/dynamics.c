/* dynamics.c -- the table of dynamics. */
#include "flow/dynamics/dynamics.h"

#include <stddef.h>

#define ROW(NAME, name, text) [TROP_DYNAMICS_##NAME] = &trop_dynamics_##name,
static const struct trop_dynamics *const dynamics[] = { TROP_DYNAMICS_LIST(ROW) };
#undef ROW

#define ROW(NAME, name, text) [TROP_DYNAMICS_##NAME] = text,
const char *const trop_dynamics_name[] = { TROP_DYNAMICS_LIST(ROW) NULL };
#undef ROW

const struct trop_dynamics *trop_dynamics_at(int64_t index)
{
    return dynamics[index];
}
