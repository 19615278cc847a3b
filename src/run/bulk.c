/* bulk.c -- many copies of a small flow, with their files.
 *
 * The file of the result has the layout of a run's (docs/files.md), without records: /options and
 * /input repeat it, /result has a dataset for every field of the copies.
 */
#include "base/alloc.h"
#include "base/list.h"
#include "base/status.h"
#include "io/file.h"
#include "io/h5_fields.h"
#include "io/json.h"
#include "io/npy.h"
#include "run/kept.h"
#include "run/out.h"
#include "run/watch.h"

#include <string.h>

#define FIELDS_MAX 32

struct trop_bulk {
    struct trop_stamp stamp; /* first, for its fields */
    struct trop_copies *copies;
    int64_t n, d, print_tokens;
    double time_limit;
    char *out;     /* NULL: none */
    int unwritten; /* 1: out could not be written */
    struct trop_kept kept;
    char *json;
};

/* ---- making ---------------------------------------------------------------------------------- */

void trop_bulk_free(struct trop_bulk *bulk)
{
    if (!bulk) {
        return;
    }
    trop_copies_free(bulk->copies);
    trop_kept_close(&bulk->kept);
    trop_alloc_free(bulk->json);
    trop_alloc_free(bulk->out);
    trop_alloc_free(bulk);
}

/* Of files that a result can be written to. */
static const char *const endings[] = { ".h5", ".json", ".npy", NULL };

/* What a run has and copies have not. */
static enum trop_status check_options(struct trop_setup *setup)
{
    static const char *const single[] = { "record", "every", "checkpoint", "resume" };
    const struct trop_run_options *o = trop_setup_run(setup);
    enum trop_status status = trop_option_check(o, trop_run_option_table());

    if (status == TROP_OK && o->copies < 1) {
        return trop_fail(TROP_ERR_ARG, "copies = %lld: must be at least 1", (long long)o->copies);
    }
    for (size_t k = 0; status == TROP_OK && k < sizeof single / sizeof single[0]; k++) {
        if (trop_setup_given(setup, single[k])) {
            status = trop_fail(TROP_ERR_ARG, "%s: is for one flow, not for copies", single[k]);
        }
    }
    if (status == TROP_OK && o->betas && trop_setup_given(setup, "beta")) {
        return trop_fail(TROP_ERR_ARG, "beta and betas: give one of them");
    }
    return status == TROP_OK ? trop_out_check(o->out, endings) : status;
}

/* Final tokens are kept where they can be shown or written. */
static int keeps(const struct trop_run_options *o, const struct trop_flow_options *flow)
{
    int written = o->out && !trop_setup_ends(o->out, ".json");
    int64_t betas = 1;

    if (o->betas && trop_list_read(NULL, &betas, 0, "betas", o->betas) != TROP_OK) {
        return 0; /* refused when the copies are made */
    }
    double numbers = (double)(betas * o->copies) * (double)flow->cloud.n * (double)flow->cloud.d;
    return written || o->print_tokens || numbers <= TROP_OUT_SHOWN;
}

static enum trop_status fill(struct trop_bulk *bulk, struct trop_setup *setup)
{
    const struct trop_run_options *o = trop_setup_run(setup);
    const struct trop_flow_options *flow = trop_setup_flow(setup);
    struct trop_copies_options options = trop_copies_options_default();
    struct trop_flow *first = NULL;

    trop_stamp_open(&bulk->stamp, flow->cloud.seed);
    bulk->n = flow->cloud.n;
    bulk->d = flow->cloud.d;
    bulk->print_tokens = o->print_tokens;
    bulk->time_limit = o->time_limit;
    options.flow = *flow;
    options.copies = o->copies;
    options.betas = o->betas;
    options.keep = keeps(o, flow);
    enum trop_status status = trop_out_copy(&bulk->out, o->out);
    if (status == TROP_OK) {
        status = trop_copies_create(&bulk->copies, &options);
    }
    /* The tokens of the first copy stand for all that are drawn. */
    if (status == TROP_OK) {
        status = trop_flow_create(&first, flow);
    }
    if (status == TROP_OK) {
        status = trop_kept_open(&bulk->kept, setup, trop_flow_tokens(first));
    }
    trop_flow_free(first);
    return status;
}

enum trop_status trop_bulk_create(struct trop_bulk **out, struct trop_setup *setup)
{
    enum trop_status status = trop_setup_expect(setup, "flow");

    if (status == TROP_OK) {
        status = check_options(setup);
    }
    if (status == TROP_OK) {
        status = trop_setup_resolve(setup);
    }
    if (status == TROP_OK && trop_setup_run(setup)->out) {
        status = trop_file_check(trop_setup_run(setup)->out);
    }
    if (status != TROP_OK) {
        return status;
    }
    struct trop_bulk *bulk = trop_alloc(1, sizeof *bulk);
    if (!bulk) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for copies");
    }
    status = fill(bulk, setup);
    if (status != TROP_OK) {
        trop_bulk_free(bulk);
        return status;
    }
    *out = bulk;
    return TROP_OK;
}

/* ---- what it tells --------------------------------------------------------------------------- */

const struct trop_copies *trop_bulk_copies(const struct trop_bulk *bulk)
{
    return bulk->copies;
}

const char *trop_bulk_out(const struct trop_bulk *bulk)
{
    return bulk->unwritten ? NULL : bulk->out;
}

/* The fields that JSON shows: lists and means always, arrays when they are not many. */
static void shown_fields(struct trop_field out[FIELDS_MAX], const struct trop_bulk *bulk)
{
    int64_t done = trop_copies_done(bulk->copies), limit = TROP_OUT_SHOWN, count = 0;

    for (const struct trop_field *field = trop_copies_field_table();
         field->name && count < FIELDS_MAX - 1; field++) {
        struct trop_value value = { 0 };
        trop_field_read(&value, field, bulk->copies, 0);
        int array = value.kind == TROP_KIND_NUMBERS || value.kind == TROP_KIND_INTEGERS ||
                    value.kind == TROP_KIND_BOOLEANS;
        int tokens = strcmp(field->name, "tokens") == 0;
        double size = (double)done * (tokens ? (double)bulk->n * (double)bulk->d : 1);
        if (!array || value.shape[0] != done || size <= (double)limit || bulk->print_tokens) {
            out[count++] = *field;
        }
    }
    out[count] = (struct trop_field){ 0 };
}

enum trop_status trop_bulk_json(const char **out, struct trop_bulk *bulk)
{
    struct trop_json json = { 0 };
    struct trop_field shown[FIELDS_MAX];
    char *text = NULL;

    shown_fields(shown, bulk);
    trop_json_open(&json, NULL, '{');
    trop_json_fields(&json, shown, bulk->copies, 0);
    trop_json_fields(&json, trop_stamp_field_table(), &bulk->stamp, 0);
    trop_json_close(&json, '}');
    enum trop_status status = trop_json_finish(&text, &json);
    if (status != TROP_OK) {
        return status;
    }
    trop_alloc_free(bulk->json);
    bulk->json = text;
    *out = text;
    return TROP_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static enum trop_status write_h5(struct trop_bulk *bulk, const char *path)
{
    struct trop_value seconds = { .kind = TROP_KIND_NUMBER, .number = bulk->stamp.seconds };
    struct trop_h5 *h5 = NULL;
    enum trop_status status = trop_out_open(&h5, path, "tropism flow copies");

    if (status != TROP_OK) {
        return status;
    }
    status = trop_kept_put(&bulk->kept, h5);
    if (status == TROP_OK) {
        status = trop_h5_fields(h5, "/result", trop_copies_field_table(), bulk->copies);
    }
    if (status == TROP_OK) {
        status = trop_h5_put(h5, "/clock/seconds", &seconds);
    }
    return trop_out_close(h5, status);
}

static enum trop_status write_out(struct trop_bulk *bulk, const char *path)
{
    const int64_t shape[] = { trop_copies_done(bulk->copies), bulk->n, bulk->d };
    const double *tokens = trop_copies_tokens(bulk->copies);
    const char *json = NULL;

    if (trop_out_is_h5(path)) {
        return write_h5(bulk, path);
    }
    if (trop_setup_ends(path, ".npy")) {
        return tokens ? trop_npy_write(path, tokens, 3, shape)
                      : trop_fail(TROP_ERR_ARG,
                                  "%s: the tokens were not kept; print_tokens keeps "
                                  "them",
                                  path);
    }
    enum trop_status status = trop_bulk_json(&json, bulk);
    return status == TROP_OK ? trop_out_json(path, bulk->json) : status;
}

enum trop_status trop_bulk_save(struct trop_bulk *bulk, const char *path)
{
    enum trop_status status = trop_out_check(path, endings);

    return status == TROP_OK ? write_out(bulk, path) : status;
}

enum trop_status trop_bulk_go(struct trop_bulk *bulk, trop_progress *progress, void *context)
{
    double start = trop_stamp_now();
    struct trop_watch watch = trop_watch_start(progress, context, bulk->time_limit);
    enum trop_status status = trop_copies_run(bulk->copies, trop_watch_ask, &watch);

    bulk->stamp.seconds += trop_stamp_now() - start;
    if (status != TROP_OK && status != TROP_ERR_STOPPED) {
        return status;
    }
    enum trop_status written = bulk->out ? write_out(bulk, bulk->out) : TROP_OK;
    bulk->unwritten = written != TROP_OK;
    if (written != TROP_OK) {
        return written;
    }
    return status == TROP_OK ? TROP_OK
                             : trop_fail(TROP_ERR_STOPPED, "stopped after %lld copies by %s",
                                         (long long)trop_copies_done(bulk->copies),
                                         watch.reason ? watch.reason : "a request");
}
