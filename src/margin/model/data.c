/* data.c -- training data: checks, and a copy that owns its arrays. */
#include "margin/model/data.h"

#include "kernel/kernel_judge.h"
#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

/* ---- checks ------------------------------------------------------------------------------ */

/* Besides the data by themselves: scores y v'x that underflow would all be equal, and every token
 * the best. */
static enum trop_status check(double *largest, const struct trop_data *data)
{
    enum trop_status status = trop_data_check(data);

    if (status == TROP_OK && !data->x && !(data->vocabulary && data->ids && data->next)) {
        return trop_fail(TROP_ERR_ARG, "data: need tokens X, or a vocabulary E with ids and next");
    }
    if (status != TROP_OK || !data->v || !data->x) {
        return status;
    }
    const struct trop_kernel_judge *judge = trop_kernel_choose(0)->judge;
    double least;
    const double x = judge->range(&least, data->x, data->n * data->T * data->d);
    const double v = judge->range(&least, data->v, trop_data_heads(data) * data->d);
    *largest = x;
    if (x > 0 && v > 0 && !(x * v > 0)) {
        return trop_fail(
            TROP_ERR_ARG,
            "data: X of order %.1g and v of order %.1g: their products leave the range of double, "
            "scale one of them",
            x, v);
    }
    return TROP_OK;
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
    enum trop_status status = check(&copy.largest, data);
    int failed = 0;

    if (status != TROP_OK) {
        return status;
    }
    copy.data.x = keep(&copy, &failed, 0, data->x, n * T * d);
    copy.data.y = keep(&copy, &failed, 1, data->y, n * data->labels);
    copy.data.z = keep(&copy, &failed, 2, data->z, n * data->queries * d);
    copy.data.v = keep(&copy, &failed, 3, data->v, trop_data_heads(data) * d);
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
