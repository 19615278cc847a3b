/* head.c -- the heads: one line each. */
#include "learn/head.h"

static const struct trop_head *const heads[] = {
    &trop_head_linear,
    &trop_head_relu,
    &trop_head_quadratic,
};

const char *const trop_head_names[] = { "linear", "relu", "quadratic", NULL };

const struct trop_head *trop_head_of(int64_t head)
{
    return heads[head];
}
