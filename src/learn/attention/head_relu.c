/* head_relu.c -- h(o) = sum_k max(0, v_k'o); at a kink the slope is 0 (PyTorch's choice). */
#include "learn/attention/head.h"

#include "base/linalg.h"

#include <math.h>
#include <string.h>

static double value(const double *o, const struct trop_head_parts *parts)
{
    double sum = 0;

    for (int64_t k = 0; k < parts->heads; k++) {
        sum += fmax(0, trop_linalg_dot(parts->v + k * parts->d, o, parts->d));
    }
    return sum;
}

static void slope(double *out, const double *o, const struct trop_head_parts *parts)
{
    memset(out, 0, (size_t)parts->d * sizeof *out);
    for (int64_t k = 0; k < parts->heads; k++) {
        const double *v = parts->v + k * parts->d;
        const int on = trop_linalg_dot(v, o, parts->d) > 0;
        for (int64_t c = 0; on && c < parts->d; c++) {
            out[c] += v[c];
        }
    }
}

static void decoder(double *out, const double *o, const struct trop_head_parts *parts)
{
    for (int64_t k = 0; k < parts->heads; k++) {
        const int on = trop_linalg_dot(parts->v + k * parts->d, o, parts->d) > 0;
        for (int64_t c = 0; c < parts->d; c++) {
            out[k * parts->d + c] = on ? o[c] : 0;
        }
    }
}

const struct trop_head trop_head_relu = {
    .name = "relu",
    .meaning = "sum_k max(0, v_k'o)",
    .value = value,
    .slope = slope,
    .decoder = decoder,
    .many = 1,
};
