/* sequences.c -- real sequences in a case. */
#include "claim/sequences.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* ---- into the case --------------------------------------------------------------------------- */

static int64_t item_of(const int64_t *list, int64_t k)
{
    return list ? list[k] : k;
}

static enum trop_status take_marks(struct trop_case *c, const struct trop_sequences *from)
{
    double *lexicon = NULL;
    enum trop_status status =
        from->ids ? trop_case_make(&lexicon, c, "lexicon", from->words, 0, 0) : TROP_OK;

    for (int64_t w = 0; status == TROP_OK && lexicon && w < from->words; w++) {
        lexicon[w] = from->lexicon ? (double)from->lexicon[w] : 0;
    }
    return status;
}

enum trop_status trop_sequences_take(struct trop_case *c, const struct trop_sequences *from,
                                     const int64_t *list, int64_t n)
{
    double *offsets = NULL, *labels = NULL, *tokens = NULL;
    int64_t total = 0;

    for (int64_t k = 0; k < n; k++) {
        const int64_t i = item_of(list, k);
        total += from->offsets[i + 1] - from->offsets[i];
    }
    enum trop_status status = trop_case_make(&offsets, c, "offsets", n + 1, 0, 0);
    status = status == TROP_OK ? trop_case_make(&labels, c, "labels", n, 0, 0) : status;
    if (status == TROP_OK) {
        status = from->ids ? trop_case_make(&tokens, c, "ids", total, 0, 0)
                           : trop_case_make(&tokens, c, "vectors", total, from->width, 0);
    }
    status = status == TROP_OK ? take_marks(c, from) : status;
    for (int64_t k = 0, at = 0; status == TROP_OK && k < n; k++) {
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
    return status;
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
        return trop_fail(TROP_ERR_ARG, "offsets, labels and tokens do not fit together");
    }
    for (int64_t k = 0; k < n; k++) {
        if (!(offsets[k + 1] > offsets[k]) || !is_index(offsets[k + 1], total + 1) ||
            !is_index(labels[k], 1 << 20)) {
            return trop_fail(TROP_ERR_ARG, "item %lld: has no token or no class", (long long)k);
        }
    }
    for (int64_t t = 0; ids && t < total; t++) {
        if (!is_index(ids[t], words)) {
            return trop_fail(TROP_ERR_ARG, "ids: %g is not below the %lld words", ids[t],
                             (long long)words);
        }
    }
    return TROP_OK;
}

void trop_sequences_release(struct trop_sequences_set *set)
{
    TROP_FREE(set->offsets, set->labels, set->lexicon, set->ids, set->vectors);
}

static void copy_item(struct trop_sequences_set *set, const struct trop_case *c, int64_t first,
                      int64_t last, int64_t at)
{
    const double *ids = trop_case_array(c, "ids"), *vectors = trop_case_array(c, "vectors");
    const int64_t width = set->items.width;

    for (int64_t t = first; ids && t < last; t++) {
        set->ids[at + t - first] = (int32_t)ids[t];
    }
    if (!ids) {
        memcpy(set->vectors + at * width, vectors + first * width,
               (size_t)((last - first) * width) * sizeof *vectors);
    }
}

enum trop_status trop_sequences_make(struct trop_sequences_set *out, const struct trop_case *c,
                                     const int64_t *list, int64_t n)
{
    const double *offsets = trop_case_array(c, "offsets"), *labels = trop_case_array(c, "labels");
    const double *lexicon = trop_case_array(c, "lexicon");
    const int is_text = trop_case_has(c, "ids");
    const int64_t words = is_text ? trop_case_size(c, "lexicon", 0) : 0;
    const int64_t width = is_text ? 0 : trop_case_size(c, "vectors", 1);
    struct trop_sequences_set s = { .items = { .n = n, .words = words, .width = width } };
    int64_t total = 0;

    for (int64_t k = 0; k < n; k++) {
        total += (int64_t)(offsets[list[k] + 1] - offsets[list[k]]);
    }
    if (!TROP_ALLOC(TROP_PART(s.offsets, n + 1), TROP_PART(s.labels, n),
                    TROP_PART(s.lexicon, words), TROP_PART(s.ids, is_text ? total : 0),
                    TROP_PART(s.vectors, total * width))) {
        trop_sequences_release(&s);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld items", (long long)n);
    }
    for (int64_t k = 0; k < n; k++) {
        const int64_t first = (int64_t)offsets[list[k]], last = (int64_t)offsets[list[k] + 1];
        copy_item(&s, c, first, last, s.offsets[k]);
        s.offsets[k + 1] = s.offsets[k] + last - first;
        s.labels[k] = (int64_t)labels[list[k]];
        s.items.classes = s.labels[k] >= s.items.classes ? s.labels[k] + 1 : s.items.classes;
    }
    for (int64_t w = 0; w < words; w++) {
        s.lexicon[w] = lexicon[w] != 0;
    }
    s.items.offsets = s.offsets;
    s.items.labels = s.labels;
    s.items.ids = is_text ? s.ids : NULL;
    s.items.lexicon = is_text ? s.lexicon : NULL;
    s.items.vectors = is_text ? NULL : s.vectors;
    *out = s;
    return TROP_OK;
}
