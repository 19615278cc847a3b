/* run_json.c -- a run's result as one JSON object. */
#include "run/run.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

#define FIELDS_MAX 64

const struct trop_field *trop_run_field_table(void)
{
    return trop_stamp_field_table();
}

int64_t trop_run_limit(const struct trop_run *run)
{
    return run->print_tokens ? INT64_MAX : TROP_OUT_SHOWN;
}

const char *trop_run_record(struct trop_value *out, const struct trop_run *run, int64_t k)
{
    return trop_record_column(out, &run->record, k);
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
    trop_json_fields(&json, trop_stamp_field_table(), &run->stamp, 0);
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
