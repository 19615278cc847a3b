/* mm_path.c -- regularisation paths in a case. */
#include "claim/mm/mm.h"

#include "base/field.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

static enum trop_status put_path(struct trop_case *c, const struct trop_path *path)
{
    const struct trop_field *table = trop_path_field_table();
    struct trop_value radii = { 0 }, weights = { 0 };
    double *points = NULL, *radius = NULL;
    enum trop_status status = trop_path_value(&radii, path, "radii");

    if (status == TROP_OK) {
        status = trop_field_cell(&weights, table, path, "radii", "weights", 0);
    }
    if (status == TROP_OK && weights.kind != TROP_KIND_NUMBERS) {
        status = trop_fail(TROP_ERR_UNSUPPORTED, "the weights of the path are too many to keep");
    }
    const int64_t size = weights.shape[0];
    status =
        status == TROP_OK ? trop_case_make(&points, c, "path", radii.shape[0], size, 0) : status;
    status =
        status == TROP_OK ? trop_case_make(&radius, c, "radius", radii.shape[0], 0, 0) : status;
    for (int64_t row = 0; status == TROP_OK && row < radii.shape[0]; row++) {
        status = trop_field_cell_number(radius + row, table, path, "radii", "radius", row);
        if (status == TROP_OK) {
            status = trop_field_cell(&weights, table, path, "radii", "weights", row);
        }
        if (status == TROP_OK) {
            memcpy(points + row * size, weights.numbers, (size_t)size * sizeof *points);
        }
    }
    return status;
}

enum trop_status trop_mm_path(struct trop_case *c, const struct trop_path_options *options)
{
    struct trop_path_options o = *options;
    struct trop_path *path = NULL;
    struct trop_data data;

    trop_examples_data(&data, c);
    o.data = &data;
    o.threads = 1;
    enum trop_status status = trop_path_create(&path, &o);
    status = status == TROP_OK ? trop_path_run(path, NULL, NULL) : status;
    /* A radius whose iterations came to an end has a point, which is judged as it is. */
    if (status == TROP_OK || status == TROP_ERR_STOPPED) {
        status = put_path(c, path);
    }
    trop_path_free(path);
    return status;
}

enum trop_status trop_mm_path_joint(struct trop_case *c, const double *radius,
                                    const double *decoder, int64_t count, uint64_t seed)
{
    struct trop_path_options o = trop_path_options_default();
    char first[256] = "", second[256] = "";
    int64_t used = 0, also = 0;

    for (int64_t k = 0; k < count; k++) {
        used +=
            snprintf(first + used, sizeof first - (size_t)used, "%s%.17g", k ? "," : "", radius[k]);
        also += snprintf(second + also, sizeof second - (size_t)also, "%s%.17g", k ? "," : "",
                         decoder[k]);
    }
    o.model = TROP_TRAIN_JOINT;
    o.radius = first;
    o.decoder_radius = second;
    o.starts = 2;
    o.seed = seed;
    enum trop_status status = trop_mm_path(c, &o);
    double *kept = NULL;
    status = status == TROP_OK ? trop_case_make(&kept, c, "decoder_radius", count, 0, 0) : status;
    if (status == TROP_OK) {
        memcpy(kept, decoder, (size_t)count * sizeof *kept);
    }
    return status;
}
