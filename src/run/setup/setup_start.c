/* setup_start.c -- weights at the start of training, from a file or from memory.
 *
 * A file has the tensors of the model, p, W, K and Q, v, and no others, or one array where the
 * model has one tensor; behind one another, in the order of the model, they are what a run starts
 * from.
 */
#include "run/setup/setup.h"

#include "base/alloc.h"
#include "base/status.h"
#include "run/weights_file.h"

#include <string.h>

/* Everything that the file has is a tensor of the model. */
static enum trop_status check_parts(const struct trop_weights_file *file,
                                    const struct trop_train *model, const char *path)
{
    int known[TROP_WEIGHTS_PARTS] = { 0 };
    const char *name = NULL;
    const double *values;
    double log_scale;
    int64_t size[2];

    for (int64_t k = 0; (name = trop_train_tensor(&values, &log_scale, size, model, k)); k++) {
        known[trop_weights_file_part(name)] = 1;
    }
    for (int64_t part = 0; part < TROP_WEIGHTS_PARTS; part++) {
        if (file->part[part].data && !known[part]) {
            return trop_fail(TROP_ERR_IO, "start: %s: has %s, which this model does not", path,
                             trop_weights_file_key(part));
        }
    }
    return TROP_OK;
}

/* One array is the only tensor of the model. */
static enum trop_status name_bare(struct trop_weights_file *file, const struct trop_train *model,
                                  const char *path)
{
    const double *values;
    double log_scale;
    int64_t size[2];
    const char *name = trop_train_tensor(&values, &log_scale, size, model, 0);

    if (file->bare.data && trop_train_tensor(&values, &log_scale, size, model, 1)) {
        return trop_fail(TROP_ERR_IO,
                         "start: %s: is one array, and this model has several: give a .json or .h5 "
                         "that names them",
                         path);
    }
    trop_weights_file_name(file, trop_weights_file_part(name));
    return TROP_OK;
}

/* The tensors of the model, one after the other. */
static enum trop_status gather(struct trop_setup *setup, const struct trop_weights_file *file,
                               const struct trop_train *model, const char *path)
{
    enum trop_status status = TROP_OK;
    const char *name = NULL;
    const double *values;
    double log_scale;
    int64_t size[2], total = 0, at = 0;

    for (int64_t k = 0; trop_train_tensor(&values, &log_scale, size, model, k); k++) {
        total += size[0] * size[1];
    }
    setup->weights = trop_alloc(total, sizeof *setup->weights);
    if (!setup->weights) {
        return trop_fail(TROP_ERR_MEMORY, "start: no memory for the weights");
    }
    for (int64_t k = 0;
         status == TROP_OK && (name = trop_train_tensor(&values, &log_scale, size, model, k));
         k++) {
        const int64_t count = size[0] * size[1], part = trop_weights_file_part(name);
        status = trop_weights_file_shape(file, part, path, size[0], size[1]);
        if (status == TROP_OK) {
            memcpy(setup->weights + at, file->part[part].data, (size_t)count * sizeof(double));
        } else {
            status = trop_fail(status, "start: %s", trop_error());
        }
        at += count;
    }
    return status;
}

enum trop_status trop_setup_start(struct trop_setup *setup, const char *path,
                                  struct trop_train_options *options)
{
    struct trop_train_options shape = *options;
    struct trop_weights_file file = { 0 };
    struct trop_train *model = NULL;
    enum trop_status status = trop_setup_array_start(setup) ? trop_setup_array_tensors(&file, setup)
                                                            : trop_weights_file_read(&file, path);

    if (status != TROP_OK) {
        return trop_fail(status, "start: %s", trop_error());
    }
    trop_setup_note_header(setup, &file.bare, "start", path);
    if (file.log_norm > 690) { /* 1e300, beyond which results have the direction */
        status =
            trop_fail(TROP_ERR_IO,
                      "start: %s: its weights have norm e^%.3g, and are stored as a direction only",
                      path, file.log_norm);
        trop_weights_file_free(&file);
        return status;
    }
    if (options->width == 0 && file.part[TROP_WEIGHTS_K].rank == 2) {
        options->width = file.part[TROP_WEIGHTS_K].shape[1];
    }
    shape.width = options->width;
    shape.start = TROP_TRAIN_NORMAL; /* a run that never starts knows the names and shapes */
    shape.steps = 0;
    status = trop_train_create(&model, &shape);
    if (status == TROP_OK) {
        status = name_bare(&file, model, path);
    }
    if (status == TROP_OK) {
        status = gather(setup, &file, model, path);
    }
    if (status == TROP_OK) {
        status = check_parts(&file, model, path);
    }
    trop_train_free(model);
    trop_weights_file_free(&file);
    options->start = TROP_TRAIN_GIVEN;
    options->start_weights = setup->weights;
    return status;
}
