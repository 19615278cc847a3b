/* cloud_options.c -- the options that are a cloud of tokens: defaults, check, and the tokens. */
#include "shape/cloud_options.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

struct trop_cloud_options trop_cloud_options_default(void)
{
    return (struct trop_cloud_options){
        .n = 64,
        .d = 2,
        .init = TROP_INIT_GAUSSIAN,
        .seed = 1,
        .key_query = { .scale = 1 },
    };
}

/* Bytes of rows of d numbers; -1 when they are too many. */
static int64_t bytes(int64_t rows, int64_t d)
{
    int64_t size = trop_alloc_product(rows, d);

    return size < 0 ? size : trop_alloc_product(size, sizeof(double));
}

enum trop_status trop_cloud_check_points(const double *points, int64_t rows, int64_t d,
                                         const char *name)
{
    int64_t size = bytes(rows, d) / (int64_t)sizeof *points;

    if (bytes(rows, d) < 0) {
        return trop_fail(TROP_ERR_ARG, "%s: %lld rows of %lld columns are too many", name,
                         (long long)rows, (long long)d);
    }
    for (int64_t k = 0; points && k < size; k++) {
        if (!isfinite(points[k])) {
            return trop_fail(TROP_ERR_ARG,
                             "%s: row %lld, column %lld (from 0) is %g, must be finite", name,
                             (long long)(k / d), (long long)(k % d), points[k]);
        }
    }
    return TROP_OK;
}

enum trop_status trop_cloud_check_values(const struct trop_matrix *matrix, int64_t d,
                                         const char *name)
{
    for (int64_t k = 0; matrix->values && k < d * d; k++) {
        if (!isfinite(matrix->values[k])) {
            return trop_fail(TROP_ERR_ARG, "%s: entry %lld, %lld (from 0) is %g, must be finite",
                             name, (long long)(k / d), (long long)(k % d), matrix->values[k]);
        }
    }
    return TROP_OK;
}

enum trop_status trop_cloud_check(const struct trop_cloud_options *cloud)
{
    const struct trop_matrix *b = &cloud->key_query;

    if (bytes(cloud->n, cloud->d) < 0) {
        return trop_fail(TROP_ERR_ARG, "n = %lld, d = %lld: their product is too large",
                         (long long)cloud->n, (long long)cloud->d);
    }
    enum trop_status status = trop_cloud_check_points(cloud->tokens, cloud->n, cloud->d, "tokens");
    for (int64_t i = 0; status == TROP_OK && cloud->masses && i < cloud->n; i++) {
        if (!(cloud->masses[i] > 0 && isfinite(cloud->masses[i]))) {
            return trop_fail(TROP_ERR_ARG,
                             "masses: entry %lld (from 0) is %g, must be above 0 and finite",
                             (long long)i, cloud->masses[i]);
        }
    }
    if (status == TROP_OK && !b->values && !isfinite(b->scale)) {
        return trop_fail(TROP_ERR_ARG, "key_query = %g: must be finite", b->scale);
    }
    return status == TROP_OK ? trop_cloud_check_values(b, cloud->d, "key_query") : status;
}

enum trop_status trop_cloud_start(double *x, const struct trop_cloud_options *cloud)
{
    if (!cloud->tokens) {
        return trop_tokens_draw(x, cloud->init, cloud->n, cloud->d, cloud->seed);
    }
    memcpy(x, cloud->tokens, (size_t)(cloud->n * cloud->d) * sizeof *x);
    return TROP_OK;
}
