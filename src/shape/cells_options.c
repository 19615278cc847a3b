/* cells_options.c -- the options of the cells: defaults, table, and what they must satisfy. */
#include "shape/cells_internal.h"

#include "base/alloc.h"
#include "base/status.h"
#include "shape/tokens.h"

#include <math.h>
#include <stddef.h>

struct trop_cells_options trop_cells_options_default(void)
{
    return (struct trop_cells_options){
        .n = 64,
        .d = 2,
        .seed = 1,
        .key_query = { .scale = 1 },
        .eta = TROP_CELLS_OFF,
        .erode = TROP_CELLS_OFF,
    };
}

static const char *const off_names[] = { "off", NULL };

#define AT(member) #member, offsetof(struct trop_cells_options, member)
static const struct trop_option table[] = {
    { AT(n), TROP_TYPE_INT64, 1, 1e12, 0, NULL, "number of tokens, when they are drawn", NULL },
    { AT(d), TROP_TYPE_INT64, 1, 1e9, 0, NULL, "dimension, when tokens are drawn", NULL },
    { AT(tokens), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "the tokens", NULL },
    { AT(init), TROP_TYPE_CHOICE, 0, 0, 0, trop_tokens_name, "how tokens are drawn", NULL },
    { AT(seed), TROP_TYPE_SEED, 0, 0, 0, NULL, "of the drawn tokens", NULL },
    { AT(key_query), TROP_TYPE_MATRIX, 0, 0, 0, NULL, "B of the scores <B x, v>", NULL },
    { AT(query), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "further points to label", NULL },
    { AT(eta), TROP_TYPE_DOUBLE, 0, 1e300, 0, off_names,
      "least lead of a vertex in its dominance cone", NULL },
    { AT(erode), TROP_TYPE_DOUBLE, 0, 1e300, 0, off_names,
      "radius by which dominance cones are eroded (eta 0 unless given)", NULL },
    { AT(threads), TROP_TYPE_INT64, 0, 1024, 0, NULL,
      "workers, 0: the cores there are, at most OMP_NUM_THREADS; never changes a result", NULL },
    { 0 },
};
#undef AT

const struct trop_option *trop_cells_option_table(void)
{
    return table;
}

/* Rows of an array of points: finite, and their number times d in range. */
static enum trop_status check_points(const double *points, int64_t rows, int64_t d,
                                     const char *name)
{
    int64_t size = trop_alloc_product(rows, d);

    if (size < 0 || trop_alloc_product(size, 8) < 0) {
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

static enum trop_status check_matrix(const struct trop_matrix *b, int64_t d)
{
    if (!b->values && !isfinite(b->scale)) {
        return trop_fail(TROP_ERR_ARG, "key_query = %g: must be finite", b->scale);
    }
    for (int64_t k = 0; b->values && k < d * d; k++) {
        if (!isfinite(b->values[k])) {
            return trop_fail(TROP_ERR_ARG, "key_query: entry %lld, %lld is %g, must be finite",
                             (long long)(k / d), (long long)(k % d), b->values[k]);
        }
    }
    return TROP_OK;
}

enum trop_status trop_cells_check(const struct trop_cells_options *o)
{
    enum trop_status status = trop_option_check(o, table);

    if (status == TROP_OK && (o->queries < 0 || (o->queries > 0 && !o->query))) {
        status = trop_fail(TROP_ERR_ARG, "queries = %lld: must be the rows of query",
                           (long long)o->queries);
    }
    if (status == TROP_OK) {
        status = check_points(o->tokens, o->n, o->d, "tokens");
    }
    if (status == TROP_OK) {
        status = check_points(o->query, o->queries, o->d, "query");
    }
    return status == TROP_OK ? check_matrix(&o->key_query, o->d) : status;
}
