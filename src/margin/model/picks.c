/* picks.c -- which tokens are to win: read from text, or found as the largest scores. */
#include "margin/model/picks.h"

#include "base/alloc.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

void trop_picks_free(struct trop_picks *picks)
{
    TROP_FREE(picks->first, picks->token);
    *picks = (struct trop_picks){ 0 };
}

static enum trop_status make(struct trop_picks *picks, int64_t inputs, int64_t tokens)
{
    *picks = (struct trop_picks){ .inputs = inputs };
    if (!TROP_ALLOC(TROP_PART(picks->first, inputs + 1), TROP_PART(picks->token, tokens))) {
        trop_picks_free(picks);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a selection of %lld inputs",
                         (long long)inputs);
    }
    return TROP_OK;
}

/* ---- text ---------------------------------------------------------------------------------- */

/* A whole number from 0 to most at *text, which moves behind it; -1 when there is none. */
static int64_t number(const char **text, int64_t most)
{
    char *end = NULL;

    if (**text < '0' || **text > '9') {
        return -1;
    }
    long long value = strtoll(*text, &end, 10);
    *text = end;
    return value > most ? -1 : (int64_t)value;
}

/* Keeps a token of input i among its own, ascending. Returns 0 when it is there already. */
static int insert(struct trop_picks *picks, int64_t i, int64_t token)
{
    int64_t at = picks->first[i + 1];

    for (; at > picks->first[i] && picks->token[at - 1] > token; at--) {
        picks->token[at] = picks->token[at - 1];
    }
    if (at > picks->first[i] && picks->token[at - 1] == token) {
        return 0;
    }
    picks->token[at] = token;
    picks->first[i + 1]++;
    return 1;
}

/* As much of a list as a sentence can show. */
#define SHOWN 40
#define DOTS(text) (strlen(text) > SHOWN ? "..." : "")

static enum trop_status refuse(const char *text, int64_t i, int64_t inputs, int64_t T)
{
    return trop_fail(TROP_ERR_ARG,
                     "select = %.*s%s: input %lld: must be a token from 0 to %lld, or several "
                     "separated by |, for each of %lld inputs, separated by commas",
                     SHOWN, text, DOTS(text), (long long)i, (long long)T - 1, (long long)inputs);
}

/* A list that ends too early, or goes on. */
static enum trop_status refuse_length(const char *text, int64_t inputs)
{
    int64_t there = 1;

    for (const char *at = text; *at; at++) {
        there += *at == ',';
    }
    return trop_fail(
        TROP_ERR_ARG,
        "select = %.*s%s: has tokens for %lld inputs, and the data have %lld: must have "
        "one for each, or several with | between them, separated by commas",
        SHOWN, text, DOTS(text), (long long)there, (long long)inputs);
}

enum trop_status trop_picks_read(struct trop_picks *out, const char *text, int64_t inputs,
                                 int64_t T)
{
    struct trop_picks picks;
    const char *at = text;
    enum trop_status status = make(&picks, inputs, (int64_t)strlen(text) + 1);

    for (int64_t i = 0; i < inputs && status == TROP_OK; i++) {
        picks.first[i + 1] = picks.first[i];
        do {
            at += i > 0 || at > text; /* behind the separator */
            int64_t token = number(&at, T - 1);
            if (token < 0) {
                status = refuse(text, i, inputs, T);
            } else if (!insert(&picks, i, token)) {
                status =
                    trop_fail(TROP_ERR_ARG, "select = %.*s%s: input %lld: has token %lld twice",
                              SHOWN, text, DOTS(text), (long long)i, (long long)token);
            }
        } while (*at == '|' && status == TROP_OK);
        if (status == TROP_OK && *at != (i + 1 < inputs ? ',' : '\0')) {
            status = *at == '\0' || *at == ',' ? refuse_length(text, inputs)
                                               : refuse(text, i, inputs, T);
        }
    }
    if (status != TROP_OK) {
        trop_picks_free(&picks);
        return status;
    }
    *out = picks;
    return TROP_OK;
}

enum trop_status trop_picks_inputs(int64_t *out, const char *text, int64_t inputs)
{
    const char *at = text;

    for (;; at++) {
        int64_t i = number(&at, inputs - 1);
        if (i < 0 || (*at != ',' && *at != '\0')) {
            return trop_fail(
                TROP_ERR_ARG,
                "relaxed = %.*s%s: must be auto, or inputs from 0 to %lld separated by "
                "commas",
                SHOWN, text, DOTS(text), (long long)inputs - 1);
        }
        if (out[i]) {
            return trop_fail(TROP_ERR_ARG, "relaxed = %.*s%s: has input %lld twice", SHOWN, text,
                             DOTS(text), (long long)i);
        }
        out[i] = 1;
        if (*at == '\0') {
            return TROP_OK;
        }
    }
}

/* ---- scores --------------------------------------------------------------------------------- */

enum trop_status trop_picks_best(struct trop_picks *out, const double *scores, int64_t inputs,
                                 int64_t T, const int64_t *allowed)
{
    struct trop_picks picks;
    enum trop_status status = make(&picks, inputs, trop_alloc_product(inputs, T));

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t i = 0, used = 0; i < inputs; i++) {
        const double *row = scores + i * T;
        const int64_t count = allowed ? allowed[i] : T;
        double best = row[0];
        for (int64_t t = 1; t < count; t++) {
            best = row[t] > best ? row[t] : best;
        }
        for (int64_t t = 0; t < count; t++) {
            if (row[t] == best) {
                picks.token[used++] = t;
            }
        }
        picks.first[i + 1] = used;
    }
    *out = picks;
    return TROP_OK;
}

enum trop_status trop_picks_tied(struct trop_picks *out, const int64_t *alpha, const double *scores,
                                 int64_t inputs, int64_t T, const int64_t *allowed)
{
    struct trop_picks picks;
    enum trop_status status = make(&picks, inputs, trop_alloc_product(inputs, T));

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t i = 0, used = 0; i < inputs; i++) {
        const double *row = scores ? scores + i * T : NULL;
        const int64_t count = allowed ? allowed[i] : T;
        picks.token[used++] = alpha[i];
        for (int64_t t = 0; row && t < count; t++) {
            if (t != alpha[i] && row[t] == row[alpha[i]]) {
                picks.token[used++] = t;
            }
        }
        picks.first[i + 1] = used;
    }
    *out = picks;
    return TROP_OK;
}

/* ---- combinations --------------------------------------------------------------------------- */

int64_t trop_picks_combinations(const struct trop_picks *picks)
{
    int64_t product = 1;

    for (int64_t i = 0; i < picks->inputs; i++) {
        product = trop_alloc_product(product, picks->first[i + 1] - picks->first[i]);
        if (product < 0) {
            return INT64_MAX;
        }
    }
    return product;
}

void trop_picks_combination(int64_t *alpha, const struct trop_picks *picks, int64_t c)
{
    for (int64_t i = picks->inputs - 1; i >= 0; i--) {
        const int64_t count = picks->first[i + 1] - picks->first[i];
        alpha[i] = picks->token[picks->first[i] + c % count];
        c /= count;
    }
}
