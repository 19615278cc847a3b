/* check_given.c -- what a person gives of an instance, as entries of its case. */
#include "claim/check.h"

#include "base/option.h"
#include "base/status.h"
#include "claim/examples.h"
#include "claim/sequences.h"
#include "claim/tokens.h"
#include "io/array.h"
#include "run/code.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which claim ---- */

static const struct trop_claim *claim_at(const struct trop_outside *outside, int64_t k)
{
    return outside ? trop_outside_at(outside, k) : trop_claim_at(k);
}

enum trop_status trop_check_find(const struct trop_claim **out, const struct trop_outside *outside,
                                 const char *id)
{
    const struct trop_claim *claim = NULL, *nearest = NULL;
    int64_t least = INT64_MAX;

    for (int64_t k = 0; (claim = claim_at(outside, k)) != NULL; k++) {
        /* An id that begins with the given text is nearer than any that is only spelt alike. */
        const int64_t distance = strcmp(id, claim->id) == 0 ? 0
                                 : strncmp(id, claim->id, strlen(id)) == 0
                                     ? 1
                                     : 1 + trop_option_distance(id, claim->id);
        if (distance < least) {
            least = distance;
            nearest = claim;
        }
    }
    if (!nearest || least > 0) {
        const int is_near = nearest && 3 * (least - 1) <= (int64_t)strlen(id) + 2;
        return trop_fail(TROP_ERR_ARG, "claim = %s: there is none of this id%s%s%s%s", id,
                         outside ? " in the file" : "", is_near ? ", did you mean " : "",
                         is_near ? nearest->id : "", is_near ? "?" : "");
    }
    *out = nearest;
    return TROP_OK;
}

/* The only claim of a file. */
static enum trop_status only_claim(const struct trop_claim **out,
                                   const struct trop_outside *outside, const char *path)
{
    char ids[400] = "";
    int64_t count = 0;

    for (size_t used = 0; trop_outside_at(outside, count); count++) {
        used += used < sizeof ids
                    ? (size_t)snprintf(ids + used, sizeof ids - used, "%s%s", count ? ", " : "",
                                       trop_outside_at(outside, count)->id)
                    : 0;
    }
    if (count > 1) {
        return trop_fail(TROP_ERR_ARG,
                         "claim = %s: has %lld claims, name one as %s:%s; they are %s", path,
                         (long long)count, path, trop_outside_at(outside, 0)->id, ids);
    }
    *out = trop_outside_at(outside, 0);
    return TROP_OK;
}

enum trop_status trop_check_claim(const struct trop_claim **out, struct trop_outside **outside,
                                  const char *text)
{
    const char *id = text;

    if (!text) {
        return trop_fail(TROP_ERR_ARG, "claim: which one? 'tropism claims' lists them");
    }
    if (!trop_code_is_file(text)) {
        return trop_check_find(out, NULL, text);
    }
    enum trop_status status = trop_outside_open(outside, &id, text);
    if (status != TROP_OK) {
        return status;
    }
    status = id ? trop_check_find(out, *outside, id) : only_claim(out, *outside, text);
    if (status != TROP_OK) {
        trop_outside_close(*outside);
        *outside = NULL;
    }
    return status;
}

/* ---- which entries a claim takes ---- */

static int find_input(struct trop_input *out, const struct trop_claim *claim, const char *name)
{
    for (int64_t k = 0; trop_claim_input(out, claim, k); k++) {
        if (strcmp(out->name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

int trop_check_takes(const struct trop_claim *claim, const char *name)
{
    struct trop_input input;

    return find_input(&input, claim, name);
}

static enum trop_status refuse(const struct trop_claim *claim, const char *name)
{
    char names[512] = "";
    size_t used = 0;
    struct trop_input input;

    for (int64_t k = 0; used < sizeof names && trop_claim_input(&input, claim, k); k++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                 input.name);
    }
    return trop_fail(TROP_ERR_ARG, "%s: is not an input of %s; it takes %s", name, claim->id,
                     names);
}

/* ---- arrays ---- */

static enum trop_status read_matrix_file(struct trop_case *given, const char *entry,
                                         const char *path)
{
    struct trop_array array = { 0 };
    double *values = NULL;
    enum trop_status status = trop_array_read(&array, path);

    if (status == TROP_OK) {
        status = trop_array_finite(&array, path);
    }
    if (status == TROP_OK && (array.rank != 2 || array.shape[0] < 1 || array.shape[1] < 1)) {
        status =
            trop_fail(TROP_ERR_IO, "%s: has %lld axes, must have two", path, (long long)array.rank);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&values, given, entry, array.shape[0], array.shape[1], 0);
    }
    if (status == TROP_OK) {
        memcpy(values, array.data, (size_t)(array.shape[0] * array.shape[1]) * sizeof *values);
    }
    trop_array_free(&array);
    return status;
}

/* A number times the identity, of the dimension of the tokens. */
static enum trop_status read_matrix(struct trop_case *given, const char *option, const char *entry,
                                    const char *text)
{
    const int64_t d = trop_case_size(given, "tokens", 1);
    double *values = NULL;
    char *end = NULL;
    double scale = strcmp(text, "identity") == 0 ? 1 : strtod(text, &end);

    if (end && (end == text || *end)) {
        return read_matrix_file(given, entry, text);
    }
    if (d == 0) {
        return trop_fail(TROP_ERR_ARG, "%s = %s: without tokens its size is not known; give a file",
                         option, text);
    }
    enum trop_status status = trop_case_make(&values, given, entry, d, d, 0);
    for (int64_t a = 0; status == TROP_OK && a < d; a++) {
        values[a * d + a] = scale;
    }
    return status;
}

static enum trop_status give_matrix(struct trop_case *given, const struct trop_claim *claim,
                                    const char *option, const char *entry, const char *text)
{
    if (!text) {
        return TROP_OK;
    }
    if (!trop_check_takes(claim, entry)) {
        return refuse(claim, option);
    }
    return read_matrix(given, option, entry, text);
}

static enum trop_status give_arrays(struct trop_case *given, const struct trop_claim *claim,
                                    const struct trop_check_options *o)
{
    enum trop_status status = TROP_OK;

    if (o->tokens) {
        status = trop_check_takes(claim, "tokens") ? read_matrix_file(given, "tokens", o->tokens)
                                                   : refuse(claim, "tokens");
    }
    if (status == TROP_OK) {
        status = give_matrix(given, claim, "key_query", trop_check_takes(claim, "A") ? "A" : "B",
                             o->key_query);
    }
    return status == TROP_OK ? give_matrix(given, claim, "value", "V", o->value) : status;
}

/* What is there of data that a claim about training examples can be judged for. */
static enum trop_status check_data(const struct trop_case *given, const struct trop_claim *claim)
{
    static const char *const names[] = { "X", "v", "z", "K" };
    enum trop_status status = TROP_OK;

    /* With keys of their own the attention is another one. */
    if (trop_case_has(given, "K") && !trop_check_takes(claim, "K")) {
        return refuse(claim, "K");
    }
    for (size_t k = 0; k < sizeof names / sizeof names[0] && status == TROP_OK; k++) {
        status = trop_tokens_size(given, names[k]);
    }
    return status;
}

static enum trop_status give_data(struct trop_case *given, const struct trop_claim *claim,
                                  const struct trop_check_options *o, int seeded)
{
    struct trop_dataset *set = NULL;

    if (!o->data) {
        return TROP_OK;
    }
    if (trop_check_takes(claim, "ids")) {
        return trop_sequences_read(given, o->data, 0);
    }
    if (!trop_check_takes(claim, "X")) {
        return refuse(claim, "data");
    }
    enum trop_status status =
        trop_dataset_create(&set, o->data, o->n, o->T, o->d, seeded ? o->seed : TROP_DATASET_SEED);
    if (status == TROP_OK) {
        status = trop_examples_take(given, trop_dataset_data(set));
    }
    trop_dataset_free(set);
    return status == TROP_OK ? check_data(given, claim) : status;
}

/* ---- numbers ---- */

/* Refuses a number for an input that is an array, but for gamma: a number then holds for all
 * steps. */
static enum trop_status give_number(struct trop_case *given, const struct trop_claim *claim,
                                    const char *name, double value)
{
    if (isnan(value)) {
        return TROP_OK;
    }
    struct trop_input in;
    const int takes = find_input(&in, claim, name);
    if (takes && in.shape[0] && strcmp(name, "gamma") != 0) {
        return trop_fail(TROP_ERR_ARG, "%s: is an array %s, not a number", name, in.shape);
    }
    return takes ? trop_case_put(given, name, value) : refuse(claim, name);
}

/* "name=1.5,other=2" */
static enum trop_status give_set(struct trop_case *given, const struct trop_claim *claim,
                                 const char *text)
{
    enum trop_status status = TROP_OK;

    while (text && *text && status == TROP_OK) {
        char name[32];
        const int length = (int)strcspn(text, "=,");
        char *end = NULL;
        if (text[length] != '=' || length == 0 || length >= (int)sizeof name) {
            return trop_fail(TROP_ERR_ARG, "set = %s: must be NAME=X, separated by commas", text);
        }
        snprintf(name, sizeof name, "%.*s", length, text);
        const double value = strtod(text + length + 1, &end);
        if (end == text + length + 1 || (*end && *end != ',') || isnan(value)) {
            return trop_fail(TROP_ERR_ARG, "set: %s must be a number", name);
        }
        status = give_number(given, claim, name, value);
        text = *end ? end + 1 : end;
    }
    return status;
}

static enum trop_status give_numbers(struct trop_case *given, const struct trop_claim *claim,
                                     const struct trop_check_options *o)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = { { "gamma", o->gamma },
                    { "beta", o->beta },
                    { "epsilon", o->epsilon },
                    { "p", o->p },
                    { "steps", o->steps } };
    enum trop_status status = TROP_OK;

    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0] && status == TROP_OK; k++) {
        status = give_number(given, claim, numbers[k].name, numbers[k].value);
    }
    return status == TROP_OK ? give_set(given, claim, o->set) : status;
}

/* An instance is judged as it is: refuses options that would change it. */
static enum trop_status instance_alone(const struct trop_setup *setup)
{
    static const char *const others[] = { "tokens",    "data",  "n",      "T", "d",
                                          "key_query", "value", "gamma",  "p", "steps",
                                          "set",       "beta",  "epsilon" };

    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        if (trop_setup_given(setup, others[k])) {
            return trop_fail(TROP_ERR_ARG, "%s: the instance has its own, and is judged as it is",
                             others[k]);
        }
    }
    return TROP_OK;
}

/* The number of steps must be whole, and at least 1: a path without a step shows nothing. */
static enum trop_status check_steps(const struct trop_case *given)
{
    const double steps = trop_case_number(given, "steps");

    if (trop_case_has(given, "steps") && !(steps >= 1 && steps <= 1e9 && steps == floor(steps))) {
        return trop_fail(TROP_ERR_ARG, "steps = %g: must be a whole number from 1 to 1e9", steps);
    }
    return TROP_OK;
}

enum trop_status trop_check_given(struct trop_case *given, int64_t *single,
                                  const struct trop_claim *claim, struct trop_setup *setup)
{
    const struct trop_check_options *o = trop_setup_check(setup);

    *single = o->instance || o->tokens || o->data;
    if (*single && trop_setup_given(setup, "trials") && o->trials != 1) {
        return trop_fail(TROP_ERR_ARG, "trials = %lld: the instance that is given is judged once",
                         (long long)o->trials);
    }
    if (o->instance) {
        enum trop_status alone = instance_alone(setup);
        return alone == TROP_OK ? trop_case_read(given, o->instance, claim->id) : alone;
    }
    enum trop_status status = give_arrays(given, claim, o);
    if (status == TROP_OK) {
        status = give_data(given, claim, o, trop_setup_given(setup, "seed"));
    }
    if (status == TROP_OK) {
        status = give_numbers(given, claim, o);
    }
    return status == TROP_OK ? check_steps(given) : status;
}
