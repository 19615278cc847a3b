/* data.c -- training data: checks, and a copy that owns its arrays. */
#include "margin/data.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* ---- checks ------------------------------------------------------------------------------ */

static enum trop_status check_finite(const char *name, const double *values, int64_t count)
{
    for (int64_t k = 0; values && k < count; k++) {
        if (!isfinite(values[k])) {
            return trop_fail(TROP_ERR_ARG, "data: %s: entry %lld (from 0) is %g, must be finite",
                             name, (long long)k, values[k]);
        }
    }
    return TROP_OK;
}

static enum trop_status check_labels(const struct trop_data *data)
{
    for (int64_t k = 0; data->y && k < data->n * data->labels; k++) {
        if (data->y[k] != 1.0 && data->y[k] != -1.0) {
            return trop_fail(TROP_ERR_ARG, "data: y: entry %lld (from 0) is %g, must be -1 or 1",
                             (long long)k, data->y[k]);
        }
    }
    return TROP_OK;
}

static enum trop_status check_words(const struct trop_data *data, const char *name,
                                    const int64_t *ids, int64_t count)
{
    for (int64_t k = 0; ids && k < count; k++) {
        if (ids[k] < 0 || ids[k] >= data->words) {
            return trop_fail(TROP_ERR_ARG,
                             "data: %s: entry %lld (from 0) is %lld, must be from 0 to %lld", name,
                             (long long)k, (long long)ids[k], (long long)data->words - 1);
        }
    }
    return TROP_OK;
}

/* Products of sizes that are formed below fit int64_t. */
static enum trop_status check_sizes(const struct trop_data *data)
{
    const int64_t widest = data->dk > data->d ? data->dk : data->d;
    const int64_t inputs = trop_alloc_product(data->n, data->T);

    if (data->n < 1 || data->T < 1 || data->d < 1 || data->dk < 0 || data->words < 0 ||
        data->heads < 0) {
        return trop_fail(TROP_ERR_ARG, "data: n = %lld, T = %lld, d = %lld: must be at least 1",
                         (long long)data->n, (long long)data->T, (long long)data->d);
    }
    if (trop_alloc_product(inputs, widest) < 0 || trop_alloc_product(data->words, data->d) < 0 ||
        trop_alloc_product(data->heads, data->d) < 0) {
        return trop_fail(TROP_ERR_ARG, "data: n = %lld, T = %lld, d = %lld: too many numbers",
                         (long long)data->n, (long long)data->T, (long long)widest);
    }
    if ((data->y && data->labels != 1 && data->labels != data->T) ||
        (data->z && data->queries != 1 && data->queries != data->T)) {
        return trop_fail(TROP_ERR_ARG,
                         "data: y and z: must have one entry, or T = %lld, for each input",
                         (long long)data->T);
    }
    if (!data->x && !(data->vocabulary && data->ids && data->next)) {
        return trop_fail(TROP_ERR_ARG, "data: need tokens X, or a vocabulary E with ids and next");
    }
    return TROP_OK;
}

static double largest(const double *values, int64_t count)
{
    double most = 0;

    for (int64_t k = 0; k < count; k++) {
        most = fmax(most, fabs(values[k]));
    }
    return most;
}

/* Scores y v'x that underflow would all be equal, and every token the best. */
static enum trop_status check_scores(const struct trop_data *data)
{
    if (!data->v || !data->x) {
        return TROP_OK;
    }
    const double x = largest(data->x, data->n * data->T * data->d);
    const double v = largest(data->v, (data->heads > 1 ? data->heads : 1) * data->d);
    if (x > 0 && v > 0 && !(x * v > 0)) {
        return trop_fail(TROP_ERR_ARG,
                         "data: X of order %.1g and v of order %.1g: their products leave double, "
                         "scale one of them",
                         x, v);
    }
    return TROP_OK;
}

static enum trop_status check(const struct trop_data *data)
{
    enum trop_status status = check_sizes(data);

    if (status != TROP_OK) {
        return status;
    }
    status = check_labels(data);
    const int64_t n = data->n, T = data->T, d = data->d;
    const struct {
        const char *name;
        const double *values;
        int64_t count;
    } arrays[] = {
        { "X", data->x, n * T * d },
        { "z", data->z, n * data->queries * d },
        { "v", data->v, (data->heads > 1 ? data->heads : 1) * d },
        { "K", data->k, n * T * data->dk },
        { "E", data->vocabulary, data->words * d },
    };
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0] && status == TROP_OK; k++) {
        status = check_finite(arrays[k].name, arrays[k].values, arrays[k].count);
    }
    if (status == TROP_OK) {
        status = check_words(data, "ids", data->ids, n * T);
    }
    if (status == TROP_OK) {
        status = check_words(data, "next", data->next, n);
    }
    return status == TROP_OK ? check_scores(data) : status;
}

/* ---- the copy ----------------------------------------------------------------------------- */

/* Copies count elements of 8 bytes to place k; NULL stays NULL. */
static const void *keep(struct trop_data_copy *copy, int *failed, int k, const void *from,
                        int64_t count)
{
    if (!from) {
        return NULL;
    }
    copy->memory[k] = trop_alloc(count, sizeof(double));
    if (!copy->memory[k]) {
        *failed = 1;
        return NULL;
    }
    memcpy(copy->memory[k], from, (size_t)count * sizeof(double));
    return copy->memory[k];
}

enum trop_status trop_data_copy(struct trop_data_copy *out, const struct trop_data *data)
{
    struct trop_data_copy copy = { .data = *data };
    const int64_t n = data->n, T = data->T, d = data->d;
    enum trop_status status = check(data);
    int failed = 0;

    if (status != TROP_OK) {
        return status;
    }
    copy.data.x = keep(&copy, &failed, 0, data->x, n * T * d);
    copy.data.y = keep(&copy, &failed, 1, data->y, n * data->labels);
    copy.data.z = keep(&copy, &failed, 2, data->z, n * data->queries * d);
    copy.data.v = keep(&copy, &failed, 3, data->v, (data->heads > 1 ? data->heads : 1) * d);
    copy.data.k = keep(&copy, &failed, 4, data->k, n * T * data->dk);
    copy.data.vocabulary = keep(&copy, &failed, 5, data->vocabulary, data->words * d);
    copy.data.ids = keep(&copy, &failed, 6, data->ids, n * T);
    copy.data.next = keep(&copy, &failed, 7, data->next, n);
    if (failed) {
        trop_data_free(&copy);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the data");
    }
    *out = copy;
    return TROP_OK;
}

void trop_data_free(struct trop_data_copy *copy)
{
    for (int k = 0; k < TROP_DATA_ARRAYS; k++) {
        trop_alloc_free(copy->memory[k]);
    }
    *copy = (struct trop_data_copy){ 0 };
}
