/* kernel_body.c -- the loops over token pairs (kernel.h has their formulas).
 *
 * Plain C, compiled once per instruction set with KERNEL_NAME naming the build.
 * Every loop runs over whole groups of 8 columns, so that the compiler vectorises
 * it and no remainder loop can differ.
 */
#include "attend/kernel.h"

#include "base/exp.h"

#include <math.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)
#define QUOTE(a) #a
#define QUOTED(a) QUOTE(a)

static int64_t padded(int64_t n)
{
    return (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
}

/* A fixed tree over the lanes. */
static double lanes_sum(const double s[TROP_LANES])
{
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double scores(double *restrict row, const double *restrict y, const double *restrict xt,
                     int64_t stride, int64_t n, int64_t d)
{
    double top[TROP_LANES];
    int64_t width = padded(n);

    for (int l = 0; l < TROP_LANES; l++) {
        top[l] = -INFINITY;
    }
    for (int64_t first = 0; first < width; first += TROP_BLOCK) {
        int64_t last = first + TROP_BLOCK < width ? first + TROP_BLOCK : width;
        for (int64_t j = first; j < last; j++) {
            row[j] = y[0] * xt[j];
        }
        for (int64_t c = 1; c < d; c++) {
            const double *restrict x = xt + c * stride;
            double yc = y[c];
            for (int64_t j = first; j < last; j++) {
                row[j] = fma(yc, x[j], row[j]);
            }
        }
        for (int64_t j = last > n ? n : last; j < last; j++) {
            row[j] = -INFINITY;
        }
        for (int64_t j = first; j < last; j += TROP_LANES) {
            for (int l = 0; l < TROP_LANES; l++) {
                top[l] = row[j + l] > top[l] ? row[j + l] : top[l];
            }
        }
    }
    double best = top[0];
    for (int l = 1; l < TROP_LANES; l++) {
        best = top[l] > best ? top[l] : best;
    }
    return best;
}

static double exponentials(double *restrict row, const double *restrict mass, int64_t n, double top,
                           double beta)
{
    double sum = 0;
    int64_t width = padded(n);

    for (int64_t first = 0; first < width; first += TROP_BLOCK) {
        double s[TROP_LANES] = { 0 };
        int64_t last = first + TROP_BLOCK < width ? first + TROP_BLOCK : width;
        for (int64_t j = first; j < last; j++) {
            row[j] = trop_exp_inline(beta * (row[j] - top));
        }
        /* beta = 0 times the padding's -INFINITY is not a number. */
        for (int64_t j = last > n ? n : last; j < last; j++) {
            row[j] = 0;
        }
        if (mass) {
            for (int64_t j = first; j < last; j++) {
                row[j] *= mass[j];
            }
        }
        for (int64_t j = first; j < last; j += TROP_LANES) {
            for (int l = 0; l < TROP_LANES; l++) {
                s[l] += row[j + l];
            }
        }
        sum += lanes_sum(s);
    }
    return sum;
}

static void average(double *restrict out, const double *restrict row, const double *restrict xt,
                    int64_t stride, const double *restrict anchor, int64_t n, int64_t d)
{
    int64_t width = padded(n);

    for (int64_t c = 0; c < d; c++) {
        out[c] = 0;
    }
    for (int64_t first = 0; first < width; first += TROP_BLOCK) {
        int64_t last = first + TROP_BLOCK < width ? first + TROP_BLOCK : width;
        for (int64_t c = 0; c < d; c++) {
            const double *restrict x = xt + c * stride;
            double s[TROP_LANES] = { 0 };
            double a = anchor[c];
            for (int64_t j = first; j < last; j += TROP_LANES) {
                for (int l = 0; l < TROP_LANES; l++) {
                    s[l] = fma(row[j + l], x[j + l] - a, s[l]);
                }
            }
            out[c] += lanes_sum(s);
        }
    }
}

static int64_t collect(int64_t *restrict set, const double *restrict row, int64_t n,
                       double threshold)
{
    int64_t count = 0;
    int64_t width = padded(n);

    /* Most groups hold no candidate: one vector comparison decides that. */
    for (int64_t j = 0; j < width; j += TROP_LANES) {
        int any = 0;
        for (int l = 0; l < TROP_LANES; l++) {
            any |= row[j + l] >= threshold;
        }
        if (!any) {
            continue;
        }
        for (int64_t k = j; k < j + TROP_LANES && k < n; k++) {
            if (row[k] >= threshold) {
                set[count++] = k;
            }
        }
    }
    return count;
}

int NAMED(trop_kernel_available_, KERNEL_NAME)(void);

const struct trop_kernel NAMED(trop_kernel_, KERNEL_NAME);
const struct trop_kernel NAMED(trop_kernel_, KERNEL_NAME) = {
    .name = QUOTED(KERNEL_NAME),
    .available = NAMED(trop_kernel_available_, KERNEL_NAME),
    .scores = scores,
    .exponentials = exponentials,
    .average = average,
    .collect = collect,
};
