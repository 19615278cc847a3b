/* path_worker.c -- scratch of one start: a model with its weights, and the vectors of a step. */
#include "learn/path/path.h"

#include "base/alloc.h"
#include "base/status.h"

void trop_path_worker_free(struct trop_path_worker *worker)
{
    trop_attention_free(worker->attention);
    trop_weights_free(&worker->weights);
    trop_weights_free(&worker->gradient);
    TROP_FREE(worker->memory, worker->chosen);
    *worker = (struct trop_path_worker){ 0 };
}

enum trop_status trop_path_worker_create(struct trop_path_worker *worker,
                                         const struct trop_data *data,
                                         const struct trop_path_options *o)
{
    const struct trop_attention_options options = {
        .model = o->model,
        .mask = o->mask,
        .row = o->row,
        .width = 1,
        .loss = o->loss,
        .threads = 1,
    };
    enum trop_status status = trop_attention_create(&worker->attention, data, &options);

    worker->joint = o->model == TROP_TRAIN_JOINT;
    worker->loss = trop_loss_of(o->loss);
    worker->T = data->T;
    if (status == TROP_OK) {
        const struct trop_weights *shape = trop_attention_shape(worker->attention);
        for (int64_t k = 0; k < shape->count; k++) {
            worker->total += shape->tensor[k].rows * shape->tensor[k].columns;
        }
        status = trop_weights_create(&worker->weights, shape);
    }
    if (status == TROP_OK) {
        status = trop_weights_create(&worker->gradient, trop_attention_shape(worker->attention));
    }
    if (status != TROP_OK) {
        return status;
    }
    double **const vectors[] = { &worker->pull,   &worker->push,     &worker->trial,
                                 &worker->kept,   &worker->residual, &worker->last_x,
                                 &worker->last_r, &worker->scratch };
    double **const rings[] = { &worker->dx, &worker->dr, &worker->basis, &worker->carried };
    const int64_t singles = (int64_t)(sizeof vectors / sizeof vectors[0]);
    const int64_t rows = singles + 4 * TROP_PATH_MEMORY, n = worker->total;
    if (!TROP_ALLOC(TROP_PART(worker->memory, trop_alloc_product(n, rows)),
                    TROP_PART(worker->chosen, trop_attention_asks(worker->attention)))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for paths of %lld weights", (long long)n);
    }
    double *at = worker->memory;
    for (int64_t k = 0; k < singles; k++, at += n) {
        *vectors[k] = at;
    }
    for (int64_t k = 0; k < 4; k++, at += TROP_PATH_MEMORY * n) {
        *rings[k] = at;
    }
    return TROP_OK;
}
