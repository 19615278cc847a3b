/* study.c -- the description of one cloud, with its files.
 *
 * Unlike a run it takes no steps: what it computes, it computes when it is made. The
 * file of its result has the layout of a run's (docs/files.md), without records.
 */
#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/h5_fields.h"
#include "io/json.h"
#include "run/kept.h"
#include "run/out.h"
#include "run/setup.h"

struct trop_study {
    struct trop_stamp stamp; /* first, for its fields */
    struct trop_cells *cells;
    int64_t n, d, print_tokens;
    char *out; /* NULL: none */
    struct trop_kept kept;
    char *json;
};

/* ---- making --------------------------------------------------------------------------- */

void trop_study_free(struct trop_study *study)
{
    if (!study) {
        return;
    }
    trop_cells_free(study->cells);
    trop_kept_close(&study->kept);
    trop_alloc_free(study->json);
    trop_alloc_free(study->out);
    trop_alloc_free(study);
}

/* Everything that can be refused before anything is computed. */
static enum trop_status read_files(struct trop_setup *setup)
{
    static const char *const endings[] = { ".h5", ".json", NULL };
    enum trop_status status = trop_setup_expect(setup, "cells");

    if (status != TROP_OK) {
        return status;
    }
    const char *out = trop_setup_study(setup)->out;
    status = trop_out_check(out, endings);
    if (status == TROP_OK) {
        status = trop_setup_resolve(setup);
    }
    return status == TROP_OK && out ? trop_file_check(out) : status;
}

static enum trop_status fill(struct trop_study *study, struct trop_setup *setup)
{
    const struct trop_study_options *o = trop_setup_study(setup);
    const struct trop_cells_options *numbers = trop_setup_cells(setup);
    double start = trop_stamp_now();

    trop_stamp_seed(&study->stamp, numbers->seed);
    study->print_tokens = o->print_tokens;
    study->n = numbers->n;
    study->d = numbers->d;
    enum trop_status status = trop_out_copy(&study->out, o->out);
    if (status == TROP_OK) {
        status = trop_cells_create(&study->cells, numbers);
    }
    if (status == TROP_OK) {
        status = trop_kept_open(&study->kept, setup, trop_cells_tokens(study->cells));
    }
    study->stamp.seconds = trop_stamp_now() - start;
    return status;
}

enum trop_status trop_study_create(struct trop_study **out, struct trop_setup *setup)
{
    enum trop_status status = read_files(setup);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_study *study = trop_alloc(1, sizeof *study);
    if (!study) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a study");
    }
    status = fill(study, setup);
    if (status != TROP_OK) {
        trop_study_free(study);
        return status;
    }
    *out = study;
    return TROP_OK;
}

/* ---- what it tells ---------------------------------------------------------------------- */

const struct trop_cells *trop_study_cells(const struct trop_study *study)
{
    return study->cells;
}

const char *trop_study_out(const struct trop_study *study)
{
    return study->out;
}

const struct trop_field *trop_study_field_table(void)
{
    return trop_stamp_field_table();
}

/* Absent, not null, when they are many. */
static void put_tokens(struct trop_json *json, const struct trop_study *study)
{
    struct trop_value tokens = {
        .kind = TROP_KIND_NUMBERS,
        .numbers = trop_cells_tokens(study->cells),
        .rank = 2,
        .shape = { study->n, study->d },
    };

    if (study->print_tokens || study->n * study->d <= TROP_OUT_SHOWN) {
        trop_json_value(json, "tokens", &tokens);
    }
}

enum trop_status trop_study_json(const char **out, struct trop_study *study)
{
    struct trop_json json = { 0 };
    char *text = NULL;

    trop_json_open(&json, NULL, '{');
    trop_json_fields(&json, trop_cells_field_table(), study->cells, 0);
    put_tokens(&json, study);
    trop_json_fields(&json, trop_stamp_field_table(), &study->stamp, 0);
    trop_json_close(&json, '}');
    enum trop_status status = trop_json_finish(&text, &json);
    if (status != TROP_OK) {
        return status;
    }
    trop_alloc_free(study->json);
    study->json = text;
    *out = text;
    return TROP_OK;
}

/* ---- the file ----------------------------------------------------------------------------- */

static enum trop_status write_h5(struct trop_study *study)
{
    struct trop_value seconds = { .kind = TROP_KIND_NUMBER, .number = study->stamp.seconds };
    struct trop_h5 *h5 = NULL;
    enum trop_status status = trop_out_open(&h5, study->out, "tropism cells");

    if (status != TROP_OK) {
        return status;
    }
    status = trop_kept_put(&study->kept, h5);
    if (status == TROP_OK) {
        status = trop_h5_fields(h5, "/result", trop_cells_field_table(), study->cells);
    }
    if (status == TROP_OK) {
        status = trop_h5_put(h5, "/clock/seconds", &seconds);
    }
    return trop_out_close(h5, status);
}

enum trop_status trop_study_write(struct trop_study *study)
{
    const char *json = NULL;

    if (!study->out) {
        return TROP_OK;
    }
    if (trop_out_is_h5(study->out)) {
        return write_h5(study);
    }
    enum trop_status status = trop_study_json(&json, study);
    return status == TROP_OK ? trop_out_json(study->out, study->json) : status;
}
