/* head_quadratic.c -- h(o) = v'o - lambda |o|^2: concave, so that several tokens can be best (P2
 * Lemma 6). */
#include "learn/attention/head.h"

#include "base/linalg.h"

#include <math.h>
#include <string.h>

static double value(const double *o, const struct trop_head_parts *parts)
{
    const double square = trop_linalg_dot(o, o, parts->d);

    return fma(-parts->lambda, square, trop_linalg_dot(parts->v, o, parts->d));
}

static void slope(double *out, const double *o, const struct trop_head_parts *parts)
{
    for (int64_t c = 0; c < parts->d; c++) {
        out[c] = fma(-2 * parts->lambda, o[c], parts->v[c]);
    }
}

static void decoder(double *out, const double *o, const struct trop_head_parts *parts)
{
    memcpy(out, o, (size_t)parts->d * sizeof *out);
}

const struct trop_head trop_head_quadratic = {
    .name = "quadratic",
    .meaning = "v'o - lambda |o|^2",
    .value = value,
    .slope = slope,
    .decoder = decoder,
};
