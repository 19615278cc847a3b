/* probe_fields.c -- the fields of a result, hashed as their tables list them. */
#include "probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void probe_word(uint64_t *hash, uint64_t word)
{
    uint64_t z = (*hash ^ word) * 0x100000001b3;
    *hash = z ^ z >> 32;
}

void probe_text(uint64_t *hash, const char *text)
{
    for (const char *c = text ? text : ""; *c; c++) {
        probe_word(hash, (unsigned char)*c);
    }
    probe_word(hash, 256);
}

void probe_double(uint64_t *hash, double value)
{
    uint64_t bits = 0x7ff8000000000000;
    if (value == value) {
        memcpy(&bits, &value, sizeof bits);
    }
    probe_word(hash, bits);
}

static void array(uint64_t *hash, const struct trop_value *value)
{
    int64_t count = 1;

    for (int64_t axis = 0; axis < value->rank; axis++) {
        probe_word(hash, (uint64_t)value->shape[axis]);
        count *= value->shape[axis];
    }
    for (int64_t k = 0; k < count; k++) {
        if (value->kind == TROP_KIND_NUMBERS) {
            probe_double(hash, value->numbers[k]);
        } else if (value->kind == TROP_KIND_TEXTS) {
            probe_text(hash, value->texts[k]);
        } else {
            probe_word(hash, (uint64_t)value->integers[k]);
        }
    }
}

static enum trop_status one(uint64_t *hash, const struct trop_field *field, const void *handle,
                            int64_t row, const struct probe_view *view)
{
    struct trop_value value;
    enum trop_status status = trop_field_read(&value, field, handle, row);

    if (status != TROP_OK) { /* such as what this build has not */
        probe_word(hash, (uint64_t)status);
        probe_text(hash, trop_error());
        return status == TROP_ERR_UNSUPPORTED ? TROP_OK : status;
    }
    probe_word(hash, (uint64_t)value.kind);
    switch ((enum trop_kind)value.kind) {
    case TROP_KIND_NULL:
        break;
    case TROP_KIND_NUMBER:
        probe_double(hash, value.number);
        break;
    case TROP_KIND_INTEGER:
    case TROP_KIND_BOOLEAN:
        probe_word(hash, (uint64_t)value.integer);
        break;
    case TROP_KIND_TEXT:
        probe_text(hash, value.text);
        break;
    case TROP_KIND_LIST:
        return probe_fields(hash, field->columns, handle, value.shape[0], view);
    default:
        array(hash, &value);
    }
    return TROP_OK;
}

static int is_left_out(const char *name, const struct probe_view *view)
{
    for (const char *const *out = view->without; *out; out++) {
        if (strcmp(*out, name) == 0) {
            return 1;
        }
    }
    return 0;
}

enum trop_status probe_fields(uint64_t *hash, const struct trop_field *table, const void *handle,
                              int64_t rows, const struct probe_view *view)
{
    for (const struct trop_field *field = table; field->name; field++) {
        uint64_t own = PROBE_START;
        for (int64_t row = 0; row < rows && !is_left_out(field->name, view); row++) {
            enum trop_status status = one(&own, field, handle, row, view);
            if (status != TROP_OK) {
                return status;
            }
        }
        if (view->print) {
            printf("    %016" PRIx64 " %s\n", own, field->name);
        }
        probe_word(hash, own);
    }
    return TROP_OK;
}
