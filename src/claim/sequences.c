/* sequences.c -- real sequences in a case. */
#include "claim/sequences.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

#define USE_ORDER 1 /* of the random numbers of a case */

/* ---- into the case --------------------------------------------------------------------------- */

static int64_t item_of(const int64_t *list, int64_t k)
{
    return list ? list[k] : k;
}

void trop_sequences_take(struct trop_case *c, const struct trop_sequences *from,
                         const int64_t *list, int64_t n)
{
    int64_t total = 0;

    for (int64_t k = 0; k < n; k++) {
        const int64_t i = item_of(list, k);
        total += from->offsets[i + 1] - from->offsets[i];
    }
    double *offsets = trop_case_zeros(c, "offsets", n + 1, 0, 0);
    double *labels = trop_case_zeros(c, "labels", n, 0, 0);
    double *tokens = from->ids ? trop_case_zeros(c, "ids", total, 0, 0)
                               : trop_case_zeros(c, "vectors", total, from->width, 0);
    double *lexicon = from->ids ? trop_case_zeros(c, "lexicon", from->words, 0, 0) : NULL;
    for (int64_t w = 0; lexicon && from->lexicon && w < from->words; w++) {
        lexicon[w] = (double)from->lexicon[w];
    }
    for (int64_t k = 0, at = 0; k < n; k++) {
        const int64_t i = item_of(list, k);
        for (int64_t t = from->offsets[i]; t < from->offsets[i + 1]; t++, at++) {
            if (from->ids) {
                tokens[at] = (double)from->ids[t];
            } else {
                memcpy(tokens + at * from->width, from->vectors + t * from->width,
                       (size_t)from->width * sizeof *tokens);
            }
        }
        offsets[k + 1] = (double)at;
        labels[k] = (double)from->labels[i];
    }
}

void trop_sequences_shuffle(int64_t *order, int64_t n, const struct trop_case *c, int64_t use)
{
    for (int64_t k = 0; k < n; k++) {
        order[k] = k;
    }
    for (int64_t k = n - 1; k > 0; k--) {
        const int64_t other = trop_case_pick(c, use, k, k + 1), swap = order[k];
        order[k] = order[other];
        order[other] = swap;
    }
}

/* ---- out of the case ------------------------------------------------------------------------- */

static int is_index(double value, int64_t below)
{
    return value >= 0 && value < (double)below && value == floor(value);
}

enum trop_status trop_sequences_check(const struct trop_case *c)
{
    const double *offsets = trop_case_array(c, "offsets"), *labels = trop_case_array(c, "labels");
    const double *ids = trop_case_array(c, "ids"), *lexicon = trop_case_array(c, "lexicon");
    const int64_t n = trop_case_size(c, "labels", 0), words = trop_case_size(c, "lexicon", 0);
    const int64_t total = trop_case_size(c, ids ? "ids" : "vectors", 0);

    if (!offsets || !labels || (ids ? !lexicon : !trop_case_array(c, "vectors")) ||
        trop_case_size(c, "offsets", 0) != n + 1 || offsets[0] != 0 ||
        offsets[n] != (double)total) {
        return trop_case_settle(
            c, trop_fail(TROP_ERR_ARG, "offsets, labels and tokens do not fit together"));
    }
    for (int64_t k = 0; k < n; k++) {
        if (!(offsets[k + 1] > offsets[k]) || !is_index(offsets[k + 1], total + 1) ||
            !is_index(labels[k], 1 << 20)) {
            return trop_case_settle(
                c, trop_fail(TROP_ERR_ARG, "item %lld: has no token or no class", (long long)k));
        }
    }
    for (int64_t t = 0; ids && t < total; t++) {
        if (!is_index(ids[t], words)) {
            return trop_case_settle(c,
                                    trop_fail(TROP_ERR_ARG, "ids: %g is not below the %lld words",
                                              ids[t], (long long)words));
        }
    }
    return TROP_OK;
}

struct trop_sequences trop_sequences_items(const struct trop_case *c, const int64_t *list,
                                           int64_t n, int64_t length)
{
    const struct trop_view from = trop_case_view(c, "offsets"),
                           lexicon = trop_case_view(c, "lexicon");
    const double *labels = trop_case_array(c, "labels"), *ids = trop_case_array(c, "ids");
    const struct trop_view vectors = trop_case_view(c, "vectors");
    int64_t *offsets = trop_case_scratch_integers(c, n + 1);
    int64_t *classes = trop_case_scratch_integers(c, n);
    struct trop_sequences out = { .n = n, .offsets = offsets, .labels = classes };

    for (int64_t k = 0; k < n; k++) {
        const int64_t all = (int64_t)(from.at[list[k] + 1] - from.at[list[k]]);
        offsets[k + 1] = offsets[k] + (length > 0 && length < all ? length : all);
        classes[k] = (int64_t)labels[list[k]];
        out.classes = classes[k] >= out.classes ? classes[k] + 1 : out.classes;
    }
    if (!ids) {
        double *to = trop_case_scratch(c, offsets[n] * vectors.columns);
        for (int64_t k = 0; k < n; k++) {
            memcpy(to + offsets[k] * vectors.columns,
                   trop_case_view_row(vectors, (int64_t)from.at[list[k]]),
                   (size_t)((offsets[k + 1] - offsets[k]) * vectors.columns) * sizeof *to);
        }
        out.vectors = to;
        out.width = vectors.columns;
        return out;
    }
    int32_t *words = (int32_t *)trop_case_scratch_integers(c, offsets[n] / 2 + 1);
    int64_t *marks = trop_case_scratch_integers(c, lexicon.rows);
    for (int64_t k = 0; k < n; k++) {
        for (int64_t t = offsets[k]; t < offsets[k + 1]; t++) {
            words[t] = (int32_t)ids[(int64_t)from.at[list[k]] + t - offsets[k]];
        }
    }
    for (int64_t w = 0; w < lexicon.rows; w++) {
        marks[w] = lexicon.at[w] != 0;
    }
    out.ids = words;
    out.words = lexicon.rows;
    out.lexicon = marks;
    return out;
}

struct trop_sequences trop_sequences_draw(const struct trop_case *c, int64_t length)
{
    const int64_t all = trop_case_size(c, "labels", 0);
    const double most = trop_case_number(c, "items");
    int64_t *order = trop_case_scratch_integers(c, all);

    trop_sequences_shuffle(order, all, c, USE_ORDER);
    return trop_sequences_items(c, order, (double)all < most ? all : (int64_t)most, length);
}
