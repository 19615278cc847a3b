/* glue_flow.c -- flows and cells: what drawing them reads at every frame. */
#include "glue.h"

#include <math.h>

/* ---- clouds --------------------------------------------------------------------------------- */

static void take_cloud(struct trop_cloud_options *cloud)
{
    const struct web_array *tokens = web_array_find("tokens"), *masses = web_array_find("masses"),
                           *b = web_array_find("key_query");

    if (tokens) {
        cloud->tokens = tokens->values;
        cloud->n = tokens->shape[0];
        cloud->d = tokens->shape[1];
    }
    if (masses) {
        cloud->masses = masses->values;
    }
    if (b) {
        cloud->key_query.values = b->values;
    }
}

/* ---- flow ----------------------------------------------------------------------------------- */

static void fill_flow(void *options)
{
    *(struct trop_flow_options *)options = trop_flow_options_default();
}

static enum trop_status create_flow(void **out, void *given)
{
    struct trop_flow_options *options = given;
    struct trop_flow *flow = NULL;
    const struct web_array *value = web_array_find("value");

    take_cloud(&options->cloud);
    if (value) {
        options->value.values = value->values;
    }
    enum trop_status status = trop_flow_create(&flow, options);
    *out = flow;
    return status;
}

static void free_flow(void *flow)
{
    trop_flow_free(flow);
}

const struct web_noun web_flow = {
    .name = "flow",
    .options = trop_flow_option_table,
    .fill = fill_flow,
    .size = sizeof(struct trop_flow_options),
    .fields = trop_flow_field_table,
    .watch = trop_flow_watch_table,
    .create = create_flow,
    .free = free_flow,
};

/* At most so many moves, less where the run ends. 0, or the status of a failure. */
WEB_EXPORT int web_flow_step(int handle, int64_t moves)
{
    return (int)trop_flow_step(web_handle(handle, &web_flow), moves);
}

WEB_EXPORT int64_t web_flow_moves(int handle)
{
    return trop_flow_moves(web_handle(handle, &web_flow));
}

/* 1: the run is over. 2: the rest of it is known in closed form. 3: both. */
WEB_EXPORT int web_flow_standing(int handle)
{
    const struct trop_flow *flow = web_handle(handle, &web_flow);

    return trop_flow_done(flow) | (trop_flow_stride(flow) == INT64_MAX) << 1;
}

/* Moves that cost about 1e7 products. */
WEB_EXPORT int64_t web_flow_stride(int handle)
{
    return trop_flow_stride(web_handle(handle, &web_flow));
}

WEB_EXPORT const double *web_flow_tokens(int handle)
{
    return trop_flow_tokens(web_handle(handle, &web_flow));
}

WEB_EXPORT int web_flow_watch(int handle, const char *names)
{
    return (int)trop_flow_watch(web_handle(handle, &web_flow), names);
}

/* The watched quantity called so, of the present state; NaN where it has none. */
WEB_EXPORT double web_flow_watched(int handle, const char *name)
{
    double out = NAN;

    return trop_field_as_number(&out, trop_flow_watch_table(), web_handle(handle, &web_flow), name)
               ? NAN
               : out;
}

WEB_EXPORT int web_flow_look(int handle)
{
    return (int)trop_flow_look(web_handle(handle, &web_flow));
}

WEB_EXPORT int web_flow_judge(int handle)
{
    return (int)trop_flow_judge(web_handle(handle, &web_flow));
}

/* Attention weights of tokens first, ..., first + count - 1: out (count, n). */
WEB_EXPORT int web_flow_weights(double *out, int handle, int n, int first, int count)
{
    for (int i = 0; i < count; i++) {
        enum trop_status status =
            trop_flow_weights(out + (int64_t)i * n, web_handle(handle, &web_flow), first + i);
        if (status != TROP_OK) {
            return (int)status;
        }
    }
    return 0;
}

WEB_EXPORT int64_t web_flow_state_size(int handle)
{
    return trop_flow_state_size(web_handle(handle, &web_flow));
}

WEB_EXPORT void web_flow_state_save(int64_t *words, int handle)
{
    trop_flow_state_save(words, web_handle(handle, &web_flow));
}

WEB_EXPORT int web_flow_state_load(int handle, const int64_t *words, int64_t count)
{
    return (int)trop_flow_state_load(web_handle(handle, &web_flow), words, count);
}

/* ---- cells ---------------------------------------------------------------------------------- */

static void fill_cells(void *options)
{
    *(struct trop_cells_options *)options = trop_cells_options_default();
}

static enum trop_status create_cells(void **out, void *given)
{
    struct trop_cells_options *options = given;
    struct trop_cells *cells = NULL;

    take_cloud(&options->cloud);
    enum trop_status status = trop_cells_create(&cells, options);
    *out = cells;
    return status;
}

static void free_cells(void *cells)
{
    trop_cells_free(cells);
}

const struct web_noun web_cells = {
    .name = "cells",
    .options = trop_cells_option_table,
    .fill = fill_cells,
    .size = sizeof(struct trop_cells_options),
    .fields = trop_cells_field_table,
    .create = create_cells,
    .free = free_cells,
};
