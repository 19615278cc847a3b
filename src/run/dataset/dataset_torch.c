/* dataset_torch.c -- data sets that their authors drew by PyTorch, repeated bit for bit.
 *
 * The order of the draws and the float arithmetic are those of the published notebooks: v, then y
 * where it is drawn, X, z; a normal times a float, plus a float; rows over their length; and then
 * a cast to double. The draws are torch's on a machine with AVX2 (base/torch.c).
 *
 * What is not certain is the last bit of a length, hence the last bit of a row. torch.norm sums
 * squares in as many lanes as a vector has floats, 8 with AVX2 and 16 with AVX-512, adds the lanes
 * one after another and then the remaining squares; older versions sum from the first square
 * to the last. Here it is the kernel of AVX2, with the multiply-add of gcc. Of d = 2 coordinates
 * all of these agree but for the fused rounding. For attsvm, seed 1, the optimal Frobenius norm is
 * 2.6601569144 with 8 lanes and 2.6601569580 with 16; torch without AVX2, whose logarithm and sine
 * are libm's, gives 2.6601569183.
 */
#include "run/dataset/dataset.h"

#include "base/torch.h"

#include <math.h>

#define LANES 8 /* floats of an AVX2 register */

/* scale times count normals, in float, as doubles. */
static void normals(double *out, struct trop_dataset_draft *draft, struct trop_torch *g,
                    int64_t count, float scale)
{
    trop_torch_randn(draft->scratch, g, count);
    for (int64_t k = 0; k < count; k++) {
        out[k] = (double)(scale * draft->scratch[k]);
    }
}

/* x += by, in float. */
static void shift(double *x, float by)
{
    *x = (double)((float)*x + by);
}

/* torch.norm of a row. */
static float length(const float *x, int64_t d)
{
    float lane[LANES] = { 0 };
    int64_t c = 0;

    for (; c + LANES <= d; c += LANES) {
        for (int l = 0; l < LANES; l++) {
            lane[l] = fmaf(x[c + l], x[c + l], lane[l]);
        }
    }
    for (int l = 1; l < LANES; l++) {
        lane[0] += lane[l];
    }
    for (; c < d; c++) {
        lane[0] = fmaf(x[c], x[c], lane[0]);
    }
    return sqrtf(lane[0]);
}

/* Rows of normals over their lengths. */
static void unit_rows(double *out, struct trop_dataset_draft *draft, struct trop_torch *g,
                      int64_t rows, int64_t d)
{
    trop_torch_randn(draft->scratch, g, rows * d);
    for (int64_t i = 0; i < rows; i++) {
        const float *row = draft->scratch + i * d;
        float norm = length(row, d);
        for (int64_t c = 0; c < d; c++) {
            out[i * d + c] = (double)(row[c] / norm);
        }
    }
}

static void ones(double *y, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        y[i] = 1.0;
    }
}

/* X = 0.2 randn; token 0 around (1, 0) with score 1, tokens 1 to 3 around (-1, 1) and 4 to 6
 * around (-1/2, -1/2) with score 1/2. */
void trop_dataset_torch_fig_1c(struct trop_dataset_draft *draft)
{
    static const float places[3][2] = { { 1, 0 }, { -1, 1 }, { -0.5f, -0.5f } };
    struct trop_torch g;

    trop_torch_seed(&g, draft->seed);
    normals(draft->x, draft, &g, 3 * 7 * 3, 0.2f);
    for (int64_t t = 0; t < 3 * 7; t++) {
        double *x = draft->x + t * 3;
        const float *place = places[(t % 7 + 2) / 3];
        shift(x, place[0]);
        shift(x + 1, place[1]);
        x[2] = t % 7 == 0 ? 1.0 : 0.5;
    }
    draft->v[2] = 1.0;
    ones(draft->y, 3);
}

/* X = 0.3 randn; input 0 moved by (-1, 0), input 1 by (1, 0). */
void trop_dataset_torch_tf_1(struct trop_dataset_draft *draft)
{
    struct trop_torch g;

    trop_torch_seed(&g, draft->seed);
    unit_rows(draft->v, draft, &g, 1, 2);
    normals(draft->x, draft, &g, 2 * 3 * 2, 0.3f);
    for (int64_t t = 0; t < 2 * 3; t++) {
        shift(draft->x + t * 2, t < 3 ? -1 : 1);
    }
    unit_rows(draft->z, draft, &g, 2, 2);
    ones(draft->y, 2);
}

/* X = 0.5 randn; token 0 is (1, 1/2) and (1, -1/2), the others are moved by (-1, 0). */
void trop_dataset_torch_tf_1b(struct trop_dataset_draft *draft)
{
    struct trop_torch g;

    trop_torch_seed(&g, draft->seed);
    unit_rows(draft->v, draft, &g, 1, 2);
    normals(draft->x, draft, &g, 2 * 5 * 2, 0.5f);
    for (int64_t t = 0; t < 2 * 5; t++) {
        shift(draft->x + t * 2, -1);
    }
    draft->x[0] = 1.0;
    draft->x[1] = 0.5;
    draft->x[10] = 1.0;
    draft->x[11] = -0.5;
    unit_rows(draft->z, draft, &g, 2, 2);
    ones(draft->y, 2);
}

void trop_dataset_torch_attsvm(struct trop_dataset_draft *draft)
{
    const struct trop_data *size = &draft->size;
    struct trop_torch g;

    trop_torch_seed(&g, draft->seed);
    unit_rows(draft->v, draft, &g, 1, size->d);
    normals(draft->y, draft, &g, size->n, 1.0f);
    for (int64_t i = 0; i < size->n; i++) {
        draft->y[i] = draft->y[i] > 0.0 ? 1.0 : -1.0;
    }
    unit_rows(draft->x, draft, &g, size->n * size->T, size->d);
    unit_rows(draft->z, draft, &g, size->n, size->d);
}
