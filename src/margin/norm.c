/* norm.c -- the norms, in the order of enum trop_margin_norm: one line each. */
#include "margin/norm.h"

static const struct trop_norm *const norms[] = {
    &trop_norm_l2,   &trop_norm_lp,      &trop_norm_l1,
    &trop_norm_linf, &trop_norm_nuclear, &trop_norm_spectral,
};

const struct trop_norm *trop_norm_of(int64_t norm)
{
    return norms[norm];
}
