/* run_json.c -- a run's result as one JSON object. */
#include "run/run.h"

#include "base/alloc.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

#define SHOWN 10000 /* numbers of an array that are shown without being asked for */
#define FIELDS_MAX 64

static void read_version(struct trop_value *out, const void *run, int64_t row)
{
    (void)run;
    (void)row;
    out->kind = TROP_KIND_TEXT;
    out->text = trop_version();
}

/* As a number where int64_t holds it; the few beyond are text. */
static void read_seed(struct trop_value *out, const void *handle, int64_t row)
{
    const struct trop_run *run = handle;

    (void)row;
    if (run->seed <= INT64_MAX) {
        out->kind = TROP_KIND_INTEGER;
        out->integer = (int64_t)run->seed;
        return;
    }
    for (int k = 0; k < TROP_SETUP_MAX && run->options[k].name; k++) {
        if (strcmp(run->options[k].name, "seed") == 0) {
            out->kind = TROP_KIND_TEXT;
            out->text = run->options[k].text;
        }
    }
}

static void read_seconds(struct trop_value *out, const void *run, int64_t row)
{
    (void)row;
    out->kind = TROP_KIND_NUMBER;
    out->number = ((const struct trop_run *)run)->seconds;
}

static const struct trop_field fields[] = {
    { "version", "of tropism", read_version, NULL },
    { "seed", "of the run; text beyond 9223372036854775807", read_seed, NULL },
    { "seconds", "of the clock; no part of the result", read_seconds, NULL },
    { 0 },
};

const struct trop_field *trop_run_field_table(void)
{
    return fields;
}

int64_t trop_run_limit(const struct trop_run *run)
{
    return run->print_tokens ? INT64_MAX : SHOWN;
}

/* The fields of the flow; without those that have n d numbers when that is many. */
static void shown_fields(struct trop_field out[FIELDS_MAX], const struct trop_run *run)
{
    int many = run->n * run->d > trop_run_limit(run);
    int64_t count = 0;

    for (const struct trop_field *field = trop_flow_field_table();
         field->name && count < FIELDS_MAX - 1; field++) {
        int large = strcmp(field->name, "tokens") == 0 || strcmp(field->name, "limits") == 0;
        if (!many || !large) {
            out[count++] = *field;
        }
    }
    out[count] = (struct trop_field){ 0 };
}

enum trop_status trop_run_json(const char **out, struct trop_run *run)
{
    struct trop_json json = { 0 };
    struct trop_field shown[FIELDS_MAX];
    char *text = NULL;

    shown_fields(shown, run);
    trop_json_open(&json, NULL, '{');
    trop_json_fields(&json, shown, run->flow, 0);
    trop_record_json(&run->record, &json, trop_run_limit(run));
    trop_json_fields(&json, fields, run, 0);
    trop_json_close(&json, '}');
    enum trop_status status = trop_json_finish(&text, &json);
    if (status != TROP_OK) {
        return status;
    }
    trop_alloc_free(run->json);
    run->json = text;
    *out = text;
    return TROP_OK;
}
