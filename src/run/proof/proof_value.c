/* proof_value.c -- numbers and arrays of a proof file: doubles in hexadecimal, so that they are
 * exact and one text on every machine; large inputs as files beside the proof, with their hash. */
#include "run/proof/proof_internal.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/npy.h"
#include "io/sha256.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE 32 /* letters of a number at most, and a blank */

/* The letters of trop_proof_hex, without the zero at the end; returns where they end. Numbers of
 * large inputs come through here, which printf would make ten times slower. */
static char *put_hex(char *out, double value)
{
    static const char letters[] = "0123456789abcdef";
    int power = 0;
    const double part = frexp(fabs(value), &power); /* 0, or from 1/2 to 1 */
    uint64_t digits = (uint64_t)ldexp(part, 53) & 0xfffffffffffff;

    if (signbit(value)) {
        *out++ = '-';
    }
    *out++ = '0';
    *out++ = 'x';
    *out++ = part == 0 ? '0' : '1';
    if (digits) {
        *out++ = '.';
    }
    for (; digits; digits = digits << 4 & 0xfffffffffffff) {
        *out++ = letters[digits >> 48];
    }
    power = part == 0 ? 0 : power - 1;
    *out++ = 'p';
    *out++ = power < 0 ? '-' : '+';
    power = abs(power);
    for (int ten = power > 999 ? 1000 : power > 99 ? 100 : power > 9 ? 10 : 1; ten > 0; ten /= 10) {
        *out++ = letters[power / ten % 10];
    }
    return out;
}

void trop_proof_hex(char out[WIDE], double value)
{
    *put_hex(out, value) = '\0';
}

/* ---- scalars ------------------------------------------------------------------------------- */

void trop_proof_null(struct trop_proof *proof, const char *name)
{
    const struct trop_value value = { .kind = TROP_KIND_NULL };

    trop_json_value(&proof->claims, name, &value);
}

void trop_proof_text(struct trop_proof *proof, const char *name, const char *text)
{
    const struct trop_value value = { .kind = TROP_KIND_TEXT, .text = text };

    trop_json_value(&proof->claims, name, &value);
}

void trop_proof_truth(struct trop_proof *proof, const char *name, int truth)
{
    const struct trop_value value = { .kind = TROP_KIND_BOOLEAN, .integer = truth };

    trop_json_value(&proof->claims, name, &value);
}

void trop_proof_integer(struct trop_proof *proof, const char *name, int64_t integer)
{
    const struct trop_value value = { .kind = TROP_KIND_INTEGER, .integer = integer };

    trop_json_value(&proof->claims, name, &value);
}

static int is_fine(struct trop_proof *proof, const char *name, double value)
{
    if (!isfinite(value)) {
        trop_proof_fail(proof, trop_fail(TROP_ERR_ARG, "proof: %s: a number is not finite", name));
    }
    return isfinite(value);
}

void trop_proof_double(struct trop_proof *proof, const char *name, double value)
{
    char text[WIDE] = "";

    if (is_fine(proof, name, value)) {
        trop_proof_hex(text, value);
    }
    trop_proof_text(proof, name, text);
}

void trop_proof_object(struct trop_proof *proof, const char *name)
{
    if (name) {
        trop_json_open(&proof->claims, name, '{');
    } else {
        trop_json_close(&proof->claims, '}');
    }
}

void trop_proof_texts(struct trop_proof *proof, const char *name, const char *const *texts)
{
    trop_json_open(&proof->claims, name, '[');
    for (; *texts; texts++) {
        trop_proof_text(proof, NULL, *texts);
    }
    trop_json_close(&proof->claims, ']');
}

/* ---- arrays -------------------------------------------------------------------------------- */

/* Numbers of either kind, one row after the other. */
struct numbers {
    const double *doubles;
    const int64_t *integers; /* where doubles is NULL */
    int64_t rows, columns;   /* columns -1: rank 1 */
};

static void put_shape(struct trop_json *json, const struct numbers *of)
{
    const int64_t shape[] = { of->rows, of->columns };
    const struct trop_value value = {
        .kind = TROP_KIND_INTEGERS,
        .integers = shape,
        .rank = 1,
        .shape = { of->columns < 0 ? 1 : 2 },
    };

    trop_json_value(json, "shape", &value);
}

/* count numbers from first on, with blanks between them. */
static void put_row(struct trop_proof *proof, struct trop_json *json, const char *name,
                    const struct numbers *of, int64_t first, int64_t count)
{
    char *text = trop_alloc(count * WIDE + 1, 1);
    int64_t used = 0;

    if (!text) {
        trop_proof_fail(proof, trop_fail(TROP_ERR_MEMORY, "proof: no memory for %lld numbers",
                                         (long long)count));
        return;
    }
    for (int64_t k = first; k < first + count; k++) {
        if (k > first) {
            text[used++] = ' ';
        }
        if (!of->doubles) {
            used += snprintf(text + used, WIDE, "%lld", (long long)of->integers[k]);
        } else if (is_fine(proof, name ? name : "an array", of->doubles[k])) {
            used = put_hex(text + used, of->doubles[k]) - text;
        }
    }
    const struct trop_value value = { .kind = TROP_KIND_TEXT, .text = text };
    trop_json_value(json, name, &value);
    trop_alloc_free(text);
}

static void put_array(struct trop_proof *proof, struct trop_json *json, const char *name,
                      const struct numbers *of)
{
    const char *key = of->doubles ? "doubles" : "integers";

    trop_json_open(json, name, '{');
    put_shape(json, of);
    if (of->columns < 0) {
        put_row(proof, json, key, of, 0, of->rows);
    } else {
        trop_json_open(json, key, '[');
        for (int64_t i = 0; i < of->rows; i++) {
            put_row(proof, json, NULL, of, i * of->columns, of->columns);
        }
        trop_json_close(json, ']');
    }
    trop_json_close(json, '}');
}

void trop_proof_doubles(struct trop_proof *proof, const char *name, const double *values,
                        int64_t rows, int64_t columns)
{
    put_array(proof, &proof->claims, name,
              &(struct numbers){ .doubles = values, .rows = rows, .columns = columns });
}

void trop_proof_integers(struct trop_proof *proof, const char *name, const int64_t *values,
                         int64_t rows, int64_t columns)
{
    put_array(proof, &proof->claims, name,
              &(struct numbers){ .integers = values, .rows = rows, .columns = columns });
}

/* ---- inputs -------------------------------------------------------------------------------- */

/* The name of the file of an input: that of the proof with .NAME.npy for .json; it has the folder
 * of the proof in front, behind which *base begins. */
static enum trop_status name_of(char **out, const char **base, const struct trop_proof *proof,
                                const char *input)
{
    const size_t stem = strlen(proof->path) - strlen(".json");
    const size_t size = stem + strlen(input) + 8;
    char *name = trop_alloc((int64_t)size, 1);

    if (!name) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for a name", proof->path);
    }
    snprintf(name, size, "%.*s.%s.npy", (int)stem, proof->path, input);
    const char *slash = strrchr(name, '/');
    *base = slash ? slash + 1 : name;
    *out = name;
    return TROP_OK;
}

static enum trop_status put_beside(struct trop_proof *proof, const char *input,
                                   const struct numbers *of)
{
    const int64_t shape[] = { of->rows, of->columns };
    const char *base = NULL;
    char *path = NULL, hash[TROP_SHA256_TEXT];
    struct trop_value value = { .kind = TROP_KIND_TEXT };
    enum trop_status status = name_of(&path, &base, proof, input);

    if (status == TROP_OK) {
        status = trop_npy_write(path, of->doubles, of->columns < 0 ? 1 : 2, shape);
    }
    if (status == TROP_OK) {
        status = trop_sha256_file(hash, path);
    }
    if (status == TROP_OK) {
        trop_json_open(&proof->inputs, input, '{');
        put_shape(&proof->inputs, of);
        value.text = hash;
        trop_json_value(&proof->inputs, "sha256", &value);
        value.text = base;
        trop_json_value(&proof->inputs, "file", &value);
        trop_json_close(&proof->inputs, '}');
    }
    trop_alloc_free(path);
    return status;
}

static int is_taken(const struct trop_proof *proof, const char *input)
{
    for (int64_t k = 0; k < proof->input_count; k++) {
        if (strcmp(proof->input[k], input) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The name is taken from now on. */
static int note(struct trop_proof *proof, const char *input)
{
    if (proof->input_count == proof->input_room) {
        const int64_t room = 2 * proof->input_room + 16;
        char(*larger)[64] = trop_alloc(room, sizeof *larger);
        if (!larger) {
            return 0;
        }
        if (proof->input_count > 0) {
            memcpy(larger, proof->input, (size_t)proof->input_count * sizeof *larger);
        }
        trop_alloc_free(proof->input);
        proof->input = larger;
        proof->input_room = room;
    }
    snprintf(proof->input[proof->input_count++], sizeof proof->input[0], "%s", input);
    return 1;
}

void trop_proof_input(struct trop_proof *proof, const char *name, const char *input,
                      const double *values, int64_t rows, int64_t columns)
{
    const struct numbers of = { .doubles = values, .rows = rows, .columns = columns };

    trop_proof_text(proof, name, input);
    if (is_taken(proof, input)) {
        return;
    }
    if (!note(proof, input)) {
        trop_proof_fail(proof, trop_fail(TROP_ERR_MEMORY, "proof: no memory for its inputs"));
        return;
    }
    const int64_t count = columns < 0 ? rows : rows * columns;
    if (proof->inside + count > TROP_PROOF_INSIDE) {
        trop_proof_fail(proof, put_beside(proof, input, &of));
    } else {
        put_array(proof, &proof->inputs, input, &of);
        proof->inside += count;
    }
}
