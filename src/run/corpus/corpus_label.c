/* corpus_label.c -- classes and splits.
 *
 * Classes are in ascending order when all labels are numbers, else in the order of their bytes, so
 * that neg comes before pos and negative before positive.
 */
#include "run/corpus/corpus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"

/* Labels as they came, and whether all are numbers. */
struct labels {
    struct trop_vocabulary found;
    double *value; /* (found.words) */
    int numbers;
};

/* The whole of text as a whole number, or a decimal one. */
static int read_number(double *out, const char *text)
{
    char *end;

    if (!strchr("+-.0123456789", *text)) {
        return 0;
    }
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

static int comes_before(const void *context, int64_t a, int64_t b)
{
    const struct labels *labels = context;

    if (labels->numbers && labels->value[a] != labels->value[b]) {
        return labels->value[a] < labels->value[b];
    }
    return strcmp(trop_vocabulary_name(&labels->found, a),
                  trop_vocabulary_name(&labels->found, b)) < 0;
}

static enum trop_status no_memory(const struct trop_corpus *corpus)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory for the labels of %lld items", corpus->name,
                     (long long)corpus->n);
}

static enum trop_status check_classes(const struct trop_corpus *corpus, int64_t classes)
{
    if (classes < 2) {
        return trop_fail(TROP_ERR_IO, "%s: every item has the label %s: there must be two classes",
                         corpus->name,
                         classes ? trop_vocabulary_name(&corpus->classes, 0) : "(none)");
    }
    return TROP_OK;
}

/* Classes in their order, and the labels by it. */
static enum trop_status order_classes(struct trop_corpus *corpus, struct labels *labels)
{
    const int64_t classes = labels->found.words;
    int64_t *order, *rank;
    enum trop_status status = TROP_OK;

    if (!TROP_ALLOC(TROP_PART(order, classes), TROP_PART(rank, classes))) {
        TROP_FREE(order, rank);
        return no_memory(corpus);
    }
    for (int64_t c = 0; c < classes; c++) {
        order[c] = c;
    }
    trop_sort(order, classes, comes_before, labels);
    for (int64_t c = 0; c < classes && status == TROP_OK; c++) {
        const char *name = trop_vocabulary_name(&labels->found, order[c]);
        int32_t id;
        status = trop_vocabulary_add(&id, &corpus->classes, name, (int64_t)strlen(name), 1);
        rank[order[c]] = c;
    }
    for (int64_t i = 0; i < corpus->n; i++) {
        corpus->labels[i] = rank[corpus->labels[i]];
    }
    TROP_FREE(order, rank);
    return status == TROP_OK ? check_classes(corpus, classes) : status;
}

static enum trop_status find_labels(struct labels *labels, struct trop_corpus *corpus)
{
    for (int64_t i = 0; i < corpus->n; i++) {
        const char *label = corpus->item[i].label;
        int32_t id;
        enum trop_status status =
            trop_vocabulary_add(&id, &labels->found, label, (int64_t)strlen(label), 1);
        if (status != TROP_OK) {
            return status;
        }
        if (labels->found.words > TROP_CORPUS_CLASSES) {
            return trop_fail(TROP_ERR_IO,
                             "%s: more than %d different labels: is this the column of the labels?",
                             corpus->name, TROP_CORPUS_CLASSES);
        }
        corpus->labels[i] = id;
    }
    labels->value = trop_alloc(labels->found.words, sizeof *labels->value);
    if (!labels->value) {
        return no_memory(corpus);
    }
    labels->numbers = 1;
    for (int64_t c = 0; c < labels->found.words; c++) {
        labels->numbers &= read_number(labels->value + c, trop_vocabulary_name(&labels->found, c));
    }
    return TROP_OK;
}

enum trop_status trop_corpus_classify(struct trop_corpus *corpus)
{
    struct labels labels = { 0 };
    const int has_splits = corpus->n > 0 && corpus->item[0].split >= 0;

    corpus->labels = trop_alloc(corpus->n, sizeof *corpus->labels);
    corpus->splits = has_splits ? trop_alloc(corpus->n, sizeof *corpus->splits) : NULL;
    if (!corpus->labels || (has_splits && !corpus->splits)) {
        return no_memory(corpus);
    }
    enum trop_status status = find_labels(&labels, corpus);
    if (status == TROP_OK) {
        status = order_classes(corpus, &labels);
    }
    trop_vocabulary_free(&labels.found);
    trop_alloc_free(labels.value);
    for (int64_t i = 0; has_splits && i < corpus->n; i++) {
        corpus->splits[i] = corpus->item[i].split;
    }
    return status == TROP_OK ? trop_corpus_check_splits(corpus) : status;
}

enum trop_status trop_corpus_classify_numbers(struct trop_corpus *corpus, const double *labels,
                                              const char *place)
{
    struct labels found = { .numbers = 1 };
    enum trop_status status = TROP_OK;

    corpus->labels = trop_alloc(corpus->n, sizeof *corpus->labels);
    if (!corpus->labels) {
        return no_memory(corpus);
    }
    for (int64_t i = 0; i < corpus->n && status == TROP_OK; i++) {
        char text[32];
        int32_t id = 0;
        if (!(fabs(labels[i]) <= 1e9) || labels[i] != floor(labels[i])) {
            status = trop_fail(TROP_ERR_IO, "%s: %s of item %lld is %g: must be a whole number",
                               corpus->name, place, (long long)i, labels[i]);
            break;
        }
        snprintf(text, sizeof text, "%lld", (long long)labels[i]);
        status = trop_vocabulary_add(&id, &found.found, text, (int64_t)strlen(text), 1);
        corpus->labels[i] = id;
        if (status == TROP_OK && found.found.words > TROP_CORPUS_CLASSES) {
            status = trop_fail(TROP_ERR_IO, "%s: more than %d different classes", corpus->name,
                               TROP_CORPUS_CLASSES);
        }
    }
    if (status == TROP_OK) {
        found.value = trop_alloc(found.found.words, sizeof *found.value);
        status = found.value ? TROP_OK : no_memory(corpus);
    }
    for (int64_t c = 0; status == TROP_OK && c < found.found.words; c++) {
        found.value[c] = strtod(trop_vocabulary_name(&found.found, c), NULL);
    }
    if (status == TROP_OK) {
        status = order_classes(corpus, &found);
    }
    trop_vocabulary_free(&found.found);
    trop_alloc_free(found.value);
    return status;
}

int64_t trop_corpus_split(const char *word)
{
    static const struct {
        const char *word;
        int64_t split;
    } words[] = {
        { "train", TROP_SPLIT_TRAIN },
        { "validation", TROP_SPLIT_VALIDATION },
        { "test", TROP_SPLIT_TEST },
    };

    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        if (strcmp(word, words[k].word) == 0) {
            return words[k].split;
        }
    }
    return -1;
}

enum trop_status trop_corpus_check_splits(struct trop_corpus *corpus)
{
    for (int64_t i = 0; i < corpus->n; i++) {
        if (!corpus->splits || corpus->splits[i] == TROP_SPLIT_TRAIN) {
            return TROP_OK;
        }
    }
    return trop_fail(TROP_ERR_IO, "%s: no item is of the split train", corpus->name);
}
