/* proof.c -- the frame of a proof file: its head, its inputs and its claims. */
#include "run/proof/proof.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "run/proof/proof_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FORMAT 1
#define SENTENCE 16384 /* formulas have many */

/* ---- members ----------------------------------------------------------------------------- */

static void put_formatted(struct trop_proof *proof, const char *name, const char *format,
                          va_list arguments)
{
    char text[SENTENCE];

    if (vsnprintf(text, sizeof text, format, arguments) >= (int)sizeof text) {
        trop_proof_fail(proof, trop_fail(TROP_ERR_ARG, "proof: %s: a sentence is too long", name));
    }
    trop_proof_text(proof, name, text);
}

void trop_proof_says(struct trop_proof *proof, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put_formatted(proof, "says", format, arguments);
    va_end(arguments);
}

void trop_proof_symbols(struct trop_proof *proof, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    put_formatted(proof, "symbols", format, arguments);
    va_end(arguments);
    trop_json_open(&proof->claims, "of", '{');
}

void trop_proof_witness(struct trop_proof *proof)
{
    trop_json_close(&proof->claims, '}');
    trop_json_open(&proof->claims, "witness", '{');
}

/* ---- the file ------------------------------------------------------------------------------ */

static void put_text(struct trop_json *json, const char *name, const char *text)
{
    const struct trop_value value = { .kind = TROP_KIND_TEXT, .text = text };

    trop_json_value(json, name, &value);
}

/* What it was computed with: for the reader, no part of any claim. */
static void put_command(struct trop_json *json, const struct trop_job *job)
{
    const char *name, *text;
    char option[80];

    trop_json_open(json, "command", '[');
    put_text(json, NULL, "tropism");
    put_text(json, NULL, job->verb->name);
    for (int64_t k = 0; (name = trop_job_option(&text, job, k)); k++) {
        if (trop_job_given(job, k)) {
            snprintf(option, sizeof option, "--%s", name);
            for (char *at = option; *at; at++) {
                *at = *at == '_' ? '-' : *at;
            }
            put_text(json, NULL, option);
            put_text(json, NULL, text);
        }
    }
    trop_json_close(json, ']');
}

static void put_head(struct trop_json *json, const struct trop_job *job)
{
    const struct trop_value format = { .kind = TROP_KIND_INTEGER, .integer = FORMAT };
    char by[80];

    trop_json_open(json, NULL, '{');
    trop_json_value(json, "tropism_proof", &format);
    snprintf(by, sizeof by, "tropism %s", trop_version());
    put_text(json, "written_by", by);
    put_command(json, job);
}

/* Returns in *claims how many there are. */
static enum trop_status put_claims(struct trop_proof *proof, int64_t *claims,
                                   const struct trop_job *job)
{
    enum trop_status status = TROP_OK;

    trop_json_open(&proof->claims, NULL, '[');
    trop_json_open(&proof->inputs, NULL, '{');
    for (const struct trop_proof_kind *kind = job->noun->proofs; kind && kind->name; kind++) {
        const int64_t count = kind->count(job);
        *claims += count;
        for (int64_t k = 0; k < count && status == TROP_OK; k++) {
            trop_json_open(&proof->claims, NULL, '{');
            put_text(&proof->claims, "kind", kind->name);
            status = kind->write(proof, job, k);
            trop_json_close(&proof->claims, '}');
            trop_json_close(&proof->claims, '}');
            status = status == TROP_OK ? proof->status : status;
        }
    }
    trop_json_close(&proof->claims, ']');
    trop_json_close(&proof->inputs, '}');
    return status;
}

/* Head, claims and inputs as one object: claims come first for the reader. Without claims there is
 * no file. */
static enum trop_status put_file(struct trop_proof *proof, int64_t *claims,
                                 const struct trop_job *job, trop_proof_put *put)
{
    struct trop_json head = { 0 };
    char *parts[3] = { NULL }, *text = NULL;

    put_head(&head, job);
    enum trop_status status = put_claims(proof, claims, job);
    const enum trop_status ended[] = { trop_json_finish(parts, &head),
                                       trop_json_finish(parts + 1, &proof->claims),
                                       trop_json_finish(parts + 2, &proof->inputs) };
    for (int k = 0; k < 3; k++) {
        status = status == TROP_OK ? ended[k] : status;
    }
    if (status == TROP_OK && *claims > 0) {
        static const char form[] = "%s,\n\"claims\":%s,\n\"inputs\":%s}\n";
        const int64_t size = (int64_t)(strlen(parts[0]) + strlen(parts[1]) + strlen(parts[2])) +
                             (int64_t)sizeof form;
        text = trop_alloc(size, 1);
        if (text) {
            const int length = snprintf(text, (size_t)size, form, parts[0], parts[1], parts[2]);
            status = put(proof->path, text, length);
        } else {
            status = trop_fail(TROP_ERR_MEMORY, "%s: no memory for a proof", proof->path);
        }
    }
    TROP_FREE(parts[0], parts[1], parts[2], text, proof->input);
    return status;
}

enum trop_status trop_proof_write_by(int64_t *claims, const struct trop_job *job, const char *path,
                                     trop_proof_put *put)
{
    struct trop_proof proof = { .path = path };
    int64_t count = 0;
    const enum trop_status status = put_file(&proof, &count, job, put);

    if (status == TROP_OK) {
        *claims = count;
    }
    return status;
}

enum trop_status trop_proof_write(int64_t *claims, const struct trop_job *job, const char *path)
{
    return trop_proof_write_by(claims, job, path, trop_file_write);
}

enum trop_status trop_proof_possible(const struct trop_noun *noun, const char *verb)
{
    return noun->proofs
               ? TROP_OK
               : trop_fail(TROP_ERR_ARG, "proof: nothing is proved of a result of this %s", verb);
}

enum trop_status trop_proof_check(const char *path, const struct trop_noun *noun, const char *verb)
{
    const enum trop_status status = path ? trop_proof_possible(noun, verb) : TROP_OK;

    if (!path || status != TROP_OK) {
        return status;
    }
    if (!trop_setup_ends(path, ".json")) {
        return trop_fail(TROP_ERR_ARG, "proof = %s: must end in .json", path);
    }
    return trop_file_check(path);
}
