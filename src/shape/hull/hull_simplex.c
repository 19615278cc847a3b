/* hull_simplex.c -- barycentric coordinates of a simplex: balls inside, thin directions.
 *
 * With a_j = p_j - p_0 the edges of a simplex from its point 0, j = 1 .. k, and A the matrix of
 * these rows, the barycentric coordinate j has the gradient g_j = column j of A^-1, and
 * coordinate 0 minus the sum of these. The distance of face j from the opposite point is
 * 1 / |g_j|, and that of a point with coordinate b_j from face j is b_j / |g_j|. The inverse
 * must hold to a part in 1000 (|A A^-1 - I|, largest row sum); half of every distance is taken
 * for its errors. Cost: k^3.
 */
#include "shape/hull/hull_internal.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

void trop_hull_simplex_free(struct trop_hull_simplex *simplex)
{
    if (simplex) {
        TROP_FREE(simplex->edge, simplex->inverse, simplex->lu, simplex->pivot, simplex->gradient,
                  simplex);
    }
}

enum trop_status trop_hull_simplex_create(struct trop_hull_simplex **out, int64_t k)
{
    struct trop_hull_simplex *made = trop_alloc(1, sizeof *made);
    int64_t square = trop_alloc_product(k, k + 1);

    if (!made || !TROP_ALLOC(TROP_PART(made->edge, square), TROP_PART(made->inverse, square),
                             TROP_PART(made->lu, square), TROP_PART(made->pivot, k),
                             TROP_PART(made->gradient, square))) {
        trop_hull_simplex_free(made);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a simplex in dimension %lld",
                         (long long)k);
    }
    made->k = k;
    *out = made;
    return TROP_OK;
}

/* The largest row sum of |A B - I|. */
static double inverse_error(const double *a, const double *b, int64_t k)
{
    double worst = 0;

    for (int64_t i = 0; i < k; i++) {
        double sum = 0;
        for (int64_t j = 0; j < k; j++) {
            double t = i == j ? -1 : 0;
            for (int64_t c = 0; c < k; c++) {
                t += a[i * k + c] * b[c * k + j];
            }
            sum += fabs(t);
        }
        worst = fmax(worst, sum);
    }
    return worst;
}

/* Makes the gradients; returns the length of the longest, infinity when there is no inverse to
 * trust. */
static double steepest(struct trop_hull_simplex *simplex)
{
    int64_t k = simplex->k;
    double *gradient = simplex->gradient, longest = 0;

    memcpy(simplex->lu, simplex->edge, (size_t)(k * k) * sizeof *simplex->lu);
    if (!trop_linalg_lu(simplex->lu, simplex->pivot, k)) {
        return INFINITY;
    }
    for (int64_t i = 0; i < k * k; i++) {
        simplex->inverse[i] = i / k == i % k;
    }
    trop_linalg_lu_solve(simplex->inverse, simplex->lu, simplex->pivot, k, k);
    if (!(inverse_error(simplex->edge, simplex->inverse, k) < 1e-3)) {
        return INFINITY;
    }
    memset(gradient, 0, (size_t)((k + 1) * k) * sizeof *gradient);
    for (int64_t j = 0; j < k; j++) {
        for (int64_t c = 0; c < k; c++) {
            gradient[(j + 1) * k + c] = simplex->inverse[c * k + j];
            gradient[c] -= simplex->inverse[c * k + j];
        }
    }
    for (int64_t j = 0; j <= k; j++) {
        longest = fmax(longest, trop_linalg_norm(gradient + j * k, k));
    }
    return longest;
}

double trop_hull_simplex_depth(struct trop_hull_simplex *simplex, const double *point)
{
    int64_t k = simplex->k;
    double least = INFINITY, first = 1;

    if (!(steepest(simplex) < INFINITY)) {
        return -INFINITY;
    }
    for (int64_t j = k; j >= 0; j--) {
        const double *g = simplex->gradient + j * k;
        double b = j > 0 ? -trop_linalg_dot(g, point, k) : first;
        first -= b;
        least = fmin(least, 0.5 * b / trop_linalg_norm(g, k));
    }
    return least;
}

enum trop_status trop_hull_frame(struct trop_hull_simplex **out, struct trop_hull *hull)
{
    int64_t k = hull->k;
    const int64_t *frame = hull->flat->frame;
    struct trop_hull_simplex *made = NULL;
    enum trop_status status = trop_hull_simplex_create(&made, k);

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t j = 0; j < k * k; j++) {
        int64_t c = j % k, token = frame[j / k + 1];
        made->edge[j] = hull->z[token * k + c] - hull->z[frame[0] * k + c];
    }
    hull->inner = 0.5 / ((double)(k + 1) * steepest(made));
    *out = made;
    return TROP_OK;
}
