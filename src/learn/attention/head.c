/* head.c -- the heads: one line each. */
#include "learn/attention/head.h"

static const struct trop_head *const heads[] = {
    [TROP_HEAD_LINEAR] = &trop_head_linear,
    [TROP_HEAD_RELU] = &trop_head_relu,
    [TROP_HEAD_QUADRATIC] = &trop_head_quadratic,
};

const char *const trop_head_names[] = {
    [TROP_HEAD_LINEAR] = "linear",
    [TROP_HEAD_RELU] = "relu",
    [TROP_HEAD_QUADRATIC] = "quadratic",
    NULL,
};

const struct trop_head *trop_head_of(int64_t head)
{
    return heads[head];
}
