/* attend_apply.c -- a matrix times every token.
 *
 * Each number is one chain of fma from 0 over the columns, whose bits no blocking changes: those of
 * trop_linalg_matvec, token by token. The chains of a block of tokens run side by side in lanes, so
 * that tokens are turned into columns and back, 2 n d moves beside n d^2 products.
 */
#include "attend/attend_internal.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "kernel/kernel_sequence.h"

#include <string.h>

#define BLOCK 64        /* tokens at a time */
#define SMALL (1 << 20) /* products that are not worth another worker's start */

int64_t trop_attend_apply_scratch(int64_t n, int64_t d)
{
    const int64_t width = n < BLOCK ? (n + TROP_LANES - 1) / TROP_LANES * TROP_LANES : BLOCK;

    return trop_alloc_product(2 * width, d);
}

struct task {
    struct trop_attend *attend;
    double *out;
    const double *matrix, *x;
    int64_t n;
};

/* to[c, r] = from[r, c], eight columns at a time: as many lines are near as there are rows. */
static void turn(double *restrict to, int64_t to_stride, const double *restrict from,
                 int64_t from_stride, int64_t rows, int64_t columns)
{
    for (int64_t first = 0; first < columns; first += 8) {
        const int64_t last = first + 8 < columns ? first + 8 : columns;
        for (int64_t r = 0; r < rows; r++) {
            for (int64_t c = first; c < last; c++) {
                to[c * to_stride + r] = from[r * from_stride + c];
            }
        }
    }
}

static void apply_block(const struct task *t, double *scratch, int64_t first, int64_t count)
{
    const int64_t d = t->attend->scene.d;
    const int64_t width = (count + TROP_LANES - 1) / TROP_LANES * TROP_LANES;
    const double *x = t->x + first * d;
    double *out = t->out + first * d, *from = scratch, *to = scratch + width * d;

    turn(from, width, x, d, count, d);
    for (int64_t c = 0; count < width && c < d; c++) {
        memset(from + c * width + count, 0, (size_t)(width - count) * sizeof *from);
    }
    t->attend->scene.kernel->sequence->product(&(struct trop_kernel_sequence_product){
        .c = to,
        .c_stride = width,
        .a = t->matrix,
        .a_row = d,
        .a_column = 1,
        .b = from,
        .b_stride = width,
        .m = d,
        .n = width,
        .inner = d,
    });
    turn(out, d, to, width, d, count);
}

static void apply_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct task *t = context;
    double *scratch = t->attend->applied +
                      worker * trop_attend_apply_scratch(t->attend->capacity, t->attend->scene.d);

    for (int64_t b = first; b < last; b++) {
        const int64_t left = t->n - b * BLOCK;
        apply_block(t, scratch, b * BLOCK, left < BLOCK ? left : BLOCK);
    }
}

void trop_attend_apply(double *out, struct trop_attend *a, const double *matrix, const double *x,
                       int64_t n)
{
    struct task task = { a, out, matrix, x, n };
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    const double products = (double)n * (double)a->scene.d * (double)a->scene.d;

    trop_parallel(products > SMALL ? a->workers : 1, blocks, apply_some, &task);
}
