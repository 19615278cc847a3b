/* glue_train.c -- training, max-margin solutions and regularisation paths of data in memory. */
#include "glue.h"

#include "learn/train.h"

/* ---- data ----------------------------------------------------------------------------------- */

/* The arrays x (n, T, d), y, z (n, queries, d), v and k (n, T, dk); 0 when there are no tokens. */
static int take_data(struct trop_data *data)
{
    const struct web_array *x = web_array_find("x"), *y = web_array_find("y"),
                           *z = web_array_find("z"), *v = web_array_find("v"),
                           *k = web_array_find("k");

    if (!x || !y) {
        return 0;
    }
    *data = (struct trop_data){
        .n = x->shape[0],
        .T = x->shape[1],
        .d = x->shape[2],
        .x = x->values,
        .y = y->values,
        .labels = 1,
        .z = z ? z->values : NULL,
        .queries = z ? z->shape[1] : 0,
        .v = v ? v->values : NULL,
        .k = k ? k->values : NULL,
        .dk = k ? k->shape[2] : 0,
        .heads = v ? v->shape[0] : 0,
    };
    return 1;
}

/* ---- training ------------------------------------------------------------------------------- */

static void fill_train(void *options)
{
    *(struct trop_train_options *)options = trop_train_options_default();
}

static enum trop_status create_train(void **out, void *given)
{
    struct trop_train_options *options = given;
    struct trop_train *train = NULL;
    struct trop_data data;
    const struct web_array *start = web_array_find("start");

    options->data = take_data(&data) ? &data : NULL;
    if (start) {
        options->start = TROP_TRAIN_GIVEN;
        options->start_weights = start->values;
    }
    enum trop_status status = trop_train_create(&train, options);
    *out = train;
    return status;
}

static void free_train(void *train)
{
    trop_train_free(train);
}

const struct web_noun web_train = {
    .name = "train",
    .options = trop_train_option_table,
    .fill = fill_train,
    .size = sizeof(struct trop_train_options),
    .fields = trop_train_field_table,
    .create = create_train,
    .free = free_train,
};

WEB_EXPORT int web_train_step(int handle, int64_t steps)
{
    return (int)trop_train_step(web_handle(handle, &web_train), steps, NULL, NULL);
}

WEB_EXPORT int64_t web_train_steps(int handle)
{
    return trop_train_steps(web_handle(handle, &web_train));
}

/* Makes the record of the present step that a run of so many steps would end with; the next step
 * takes it away. */
WEB_EXPORT int web_train_look(int handle)
{
    struct trop_train *train = web_handle(handle, &web_train);
    enum trop_status status = trop_train_step(train, 0, NULL, NULL);

    if (status == TROP_OK) {
        status = trop_train_look(train, 1);
        train->passing = status == TROP_OK;
    }
    return (int)status;
}

/* Tensor k: out has where its values are, the log of their scale, and the shape. NULL: none. */
WEB_EXPORT const char *web_train_tensor(double out[4], int handle, int k)
{
    const double *values = NULL;
    int64_t shape[2] = { 0, 0 };
    const char *name =
        trop_train_tensor(&values, out + 1, shape, web_handle(handle, &web_train), k);

    out[0] = (double)(uintptr_t)values;
    out[2] = (double)shape[0];
    out[3] = (double)shape[1];
    return name;
}

WEB_EXPORT int64_t web_train_state_size(int handle)
{
    return trop_train_state_size(web_handle(handle, &web_train));
}

WEB_EXPORT void web_train_state_save(int64_t *words, int handle)
{
    trop_train_state_save(words, web_handle(handle, &web_train));
}

WEB_EXPORT int web_train_state_load(int handle, const int64_t *words, int64_t count)
{
    return (int)trop_train_state_load(web_handle(handle, &web_train), words, count);
}

/* ---- max-margin problems -------------------------------------------------------------------- */

static void fill_margin(void *options)
{
    *(struct trop_margin_options *)options = trop_margin_options_default();
}

/* Solved when it is made: problems of a page are small. */
static enum trop_status create_margin(void **out, void *given)
{
    struct trop_margin_options *options = given;
    struct trop_margin *margin = NULL;
    struct trop_data data;

    options->data = take_data(&data) ? &data : NULL;
    enum trop_status status = trop_margin_create(&margin, options);
    if (status == TROP_OK) {
        status = trop_margin_run(margin, NULL, NULL);
    }
    if (status != TROP_OK) {
        trop_margin_free(margin);
        return status;
    }
    *out = margin;
    return TROP_OK;
}

static void free_margin(void *margin)
{
    trop_margin_free(margin);
}

const struct web_noun web_margin = {
    .name = "margin",
    .options = trop_margin_option_table,
    .fill = fill_margin,
    .size = sizeof(struct trop_margin_options),
    .fields = trop_margin_field_table,
    .create = create_margin,
    .free = free_margin,
};

/* ---- regularisation paths ------------------------------------------------------------------- */

static void fill_path(void *options)
{
    *(struct trop_path_options *)options = trop_path_options_default();
}

static enum trop_status create_path(void **out, void *given)
{
    struct trop_path_options *options = given;
    struct trop_path *path = NULL;
    struct trop_data data;

    options->data = take_data(&data) ? &data : NULL;
    enum trop_status status = trop_path_create(&path, options);
    if (status == TROP_OK) {
        status = trop_path_run(path, NULL, NULL);
    }
    if (status != TROP_OK) {
        trop_path_free(path);
        return status;
    }
    *out = path;
    return TROP_OK;
}

static void free_path(void *path)
{
    trop_path_free(path);
}

const struct web_noun web_path = {
    .name = "path",
    .options = trop_path_option_table,
    .fill = fill_path,
    .size = sizeof(struct trop_path_options),
    .fields = trop_path_field_table,
    .create = create_path,
    .free = free_path,
};
