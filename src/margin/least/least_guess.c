/* least_guess.c -- guesses in double which constraints will hold with equality, for up to 512
 * constraints. The guess promises nothing: least_pivot.c and least_walk.c settle the set in
 * double-double. It is made by Hildreth's (1957) coordinate ascent on the dual,
 *
 *   max b'lambda - lambda' G lambda / 2,  lambda_j <- max(0, lambda_j + (b - G lambda)_j / G_jj)
 *
 * (without max on equalities), for SWEEPS rounds, with the Gram matrix G of all constraints:
 * count^2 operations a round, where a round of pivoting takes a factor. The guess is the set of
 * positive multipliers.
 */
#include "margin/least/least.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define SWEEPS 12

struct guess {
    struct trop_least *least;
    double *x;      /* (rows, stride) scale_j left_j by coordinate */
    double *gram;   /* (count, stride) both triangles */
    double *cross;  /* (queries, queries) z_q . z_r */
    double *lambda; /* (count) */
    double *lack;   /* (count) b - G lambda */
    int64_t stride;
};

/* G, its upper triangle copied down. */
static void gram_make(struct guess *guess)
{
    const struct trop_least *least = guess->least;
    const struct trop_problem *problem = least->task->problem;
    const int64_t m = least->count, d = least->rows, stride = guess->stride;

    for (int64_t j = 0; j < m; j++) {
        for (int64_t a = 0; a < d; a++) {
            guess->x[a * stride + j] = least->scale[j] * least->task->rows->left[j * d + a];
        }
    }
    for (int64_t q = 0; q < least->queries; q++) {
        least->linear->dots(guess->cross + q * least->queries, problem->query, least->columns,
                            least->queries, problem->query + q * least->columns, least->columns);
    }
    least->linear->gram(guess->gram, guess->x, stride, m, d);
    for (int64_t j = 0; j < m; j++) {
        const double *cross = guess->cross + problem->asked[j] * least->queries;
        for (int64_t k = j; k < m; k++) {
            guess->gram[j * stride + k] *= cross[problem->asked[k]];
            guess->gram[k * stride + j] = guess->gram[j * stride + k];
        }
    }
}

static void sweep(struct guess *guess)
{
    const struct trop_least *least = guess->least;

    for (int64_t j = 0; j < least->count; j++) {
        const double *row = guess->gram + j * guess->stride;
        const double next = guess->lambda[j] + guess->lack[j] / row[j];
        const int is_free = least->task->problem->equal[j] != 0;
        const double step = (is_free || next > 0 ? next : 0) - guess->lambda[j];
        if (least->scale[j] != 0 && step != 0 && fabs(step) < INFINITY) {
            guess->lambda[j] += step;
            least->linear->grow(guess->lack, -step, row, least->count);
        }
    }
}

enum trop_status trop_least_guess(struct trop_least *least)
{
    const int64_t m = least->count, stride = trop_kernel_linear_stride(m);
    struct guess guess = { .least = least, .stride = stride };

    enum trop_status status = TROP_OK;
    if (!TROP_ALLOC(TROP_PART(guess.x, trop_alloc_product(least->rows, stride)),
                    TROP_PART(guess.gram, trop_alloc_product(m, stride)),
                    TROP_PART(guess.cross, trop_alloc_product(least->queries, least->queries)),
                    TROP_PART(guess.lambda, m), TROP_PART(guess.lack, m))) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for a Gram matrix of order %lld", (long long)m);
    } else {
        gram_make(&guess);
        memcpy(guess.lack, least->bound, (size_t)m * sizeof *guess.lack);
        least->end = TROP_NORM_DONE;
        for (int k = 0; k < SWEEPS && least->end == TROP_NORM_DONE; k++) {
            if (trop_least_goes_on(least)) {
                sweep(&guess);
            } else {
                least->end = TROP_NORM_LIMIT;
            }
        }
        least->size = 0;
        for (int64_t j = 0; j < m; j++) {
            const int is_free = least->task->problem->equal[j] != 0;
            least->member[j] = least->scale[j] != 0 && (is_free || guess.lambda[j] > 0);
            least->lambda[j] = trop_dd_of(least->member[j] ? guess.lambda[j] : 0);
            if (least->member[j]) {
                least->set[least->size++] = j;
            }
        }
        if (least->end == TROP_NORM_LIMIT) {
            trop_least_combine(least);
        }
    }
    TROP_FREE(guess.x, guess.gram, guess.cross, guess.lambda, guess.lack);
    return status;
}
