/* head_linear.c -- h(o) = v'o. */
#include "learn/attention/head.h"

#include "base/linalg.h"

#include <string.h>

static double value(const double *o, const struct trop_head_parts *parts)
{
    return trop_linalg_dot(parts->v, o, parts->d);
}

static void slope(double *out, const double *o, const struct trop_head_parts *parts)
{
    (void)o;
    memcpy(out, parts->v, (size_t)parts->d * sizeof *out);
}

static void decoder(double *out, const double *o, const struct trop_head_parts *parts)
{
    memcpy(out, o, (size_t)parts->d * sizeof *out);
}

const struct trop_head trop_head_linear = {
    .name = "linear",
    .meaning = "v'o",
    .value = value,
    .slope = slope,
    .decoder = decoder,
    .linear = 1,
};
