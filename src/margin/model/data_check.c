/* data_check.c -- whether training data are whole, and where they are not.
 *
 * Sizes first, so that every later product of sizes is known to fit; then every array that is
 * there, whether a model reads it or not: an infinite token is an error in the data, not in the
 * model.
 */
#include "margin/model/data.h"

#include "kernel/kernel_linear.h"
#include "base/alloc.h"
#include "base/status.h"

#include <math.h>

/* a b c fits. */
static int fits(int64_t a, int64_t b, int64_t c)
{
    return trop_alloc_product(trop_alloc_product(a, b), c) >= 0;
}

/* Labels and queries: one for an input, or one for each of its tokens. */
static enum trop_status check_each(const char *name, const char *array, int64_t value, int64_t T)
{
    if (value != 1 && value != T) {
        return trop_fail(TROP_ERR_ARG, "data: %s = %lld with %s, must be 1 or T = %lld", name,
                         (long long)value, array, (long long)T);
    }
    return TROP_OK;
}

static enum trop_status check_sizes(const struct trop_data *data)
{
    const int64_t dk = data->k ? data->dk : 0, words = data->vocabulary ? data->words : 0;
    const struct {
        const char *name;
        int64_t value, there;
    } sizes[] = { { "n", data->n, 1 },
                  { "T", data->T, 1 },
                  { "d", data->d, 1 },
                  { "dk", data->dk, data->k != NULL },
                  { "words", data->words, data->vocabulary != NULL } };
    enum trop_status status = TROP_OK;

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (sizes[k].there && sizes[k].value < 1) {
            return trop_fail(TROP_ERR_ARG, "data: %s = %lld, must be at least 1", sizes[k].name,
                             (long long)sizes[k].value);
        }
    }
    if (data->y) {
        status = check_each("labels", "y", data->labels, data->T);
    }
    if (status == TROP_OK && data->z) {
        status = check_each("queries", "z", data->queries, data->T);
    }
    /* (n, T, T) bounds what the models count, sequence included. */
    if (status == TROP_OK &&
        (!fits(data->n, data->T, data->d) || !fits(data->n, data->T, dk) ||
         !fits(data->n, data->T, data->T) || !fits(words, data->d, 1) ||
         !fits(trop_data_heads(data), data->d, 1) || !fits(data->d, data->d, 1))) {
        status = trop_fail(TROP_ERR_ARG, "data: n = %lld, T = %lld, d = %lld are too large",
                           (long long)data->n, (long long)data->T, (long long)data->d);
    }
    return status;
}

static enum trop_status check_finite(const char *name, const double *array, int64_t count)
{
    if (!array || trop_kernel_choose(0)->linear->is_finite(array, count)) {
        return TROP_OK;
    }
    for (int64_t k = 0; k < count; k++) {
        if (!isfinite(array[k])) {
            return trop_fail(TROP_ERR_ARG, "data: %s has %g at entry %lld (from 0), must be finite",
                             name, array[k], (long long)k);
        }
    }
    return TROP_OK;
}

static enum trop_status check_words(const char *name, const int64_t *array, int64_t count,
                                    int64_t words)
{
    for (int64_t k = 0; array && k < count; k++) {
        if (array[k] < 0 || array[k] >= words) {
            return trop_fail(
                TROP_ERR_ARG,
                "data: %s has word %lld at entry %lld (from 0), must be from 0 to %lld", name,
                (long long)array[k], (long long)k, (long long)(words - 1));
        }
    }
    return TROP_OK;
}

static enum trop_status check_arrays(const struct trop_data *data)
{
    const int64_t tokens = data->n * data->T, words = data->vocabulary ? data->words : 0;
    const struct {
        const char *name;
        const double *array;
        int64_t count;
    } arrays[] = { { "x", data->x, tokens * data->d },
                   { "z", data->z, data->z ? data->n * data->queries * data->d : 0 },
                   { "v", data->v, trop_data_heads(data) * data->d },
                   { "k", data->k, data->k ? tokens * data->dk : 0 },
                   { "vocabulary", data->vocabulary, words * data->d } };
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; data->y && k < data->n * data->labels; k++) {
        if (data->y[k] != 1.0 && data->y[k] != -1.0) {
            return trop_fail(TROP_ERR_ARG, "data: label %lld of input %lld is %g, must be -1 or 1",
                             (long long)(k % data->labels), (long long)(k / data->labels),
                             data->y[k]);
        }
    }
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays && status == TROP_OK; k++) {
        status = check_finite(arrays[k].name, arrays[k].array, arrays[k].count);
    }
    if (status == TROP_OK && data->vocabulary) {
        status = check_words("ids", data->ids, tokens, words);
    }
    if (status == TROP_OK && data->vocabulary) {
        status = check_words("next", data->next, data->n, words);
    }
    return status;
}

enum trop_status trop_data_check(const struct trop_data *data)
{
    enum trop_status status = check_sizes(data);

    return status == TROP_OK ? check_arrays(data) : status;
}
