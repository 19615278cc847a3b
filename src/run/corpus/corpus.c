/* corpus.c -- from a name to sequences. What a source looks like is the concern of its own file. */
#include "run/corpus/corpus.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/option.h"
#include "base/status.h"
#include "io/utf8.h"

/* ---- what a name means ----------------------------------------------------------------------- */

int trop_corpus_ends(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);

    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* The same, packed or not. */
static int ends_packed(const char *text, const char *ending)
{
    char packed[32];
    int found = trop_corpus_ends(text, ending);

    for (int k = 0; k < 2; k++) {
        snprintf(packed, sizeof packed, "%s%s", ending, k ? ".xz" : ".gz");
        found |= trop_corpus_ends(text, packed);
    }
    return found;
}

static int is_group(const char *data)
{
    return strstr(data, ".h5:/") || strstr(data, ".hdf5:/");
}

static const struct trop_corpus_shipped *shipped(const char *name)
{
    for (const struct trop_corpus_shipped *s = trop_corpus_shipped; s->name; s++) {
        if (strcmp(s->name, name) == 0) {
            return s;
        }
    }
    return NULL;
}

/* A shipped file is read as what it is called. */
static const char *file_of(const char *data)
{
    const struct trop_corpus_shipped *s = shipped(data);

    return s ? s->file : data;
}

int trop_corpus_takes(const char *data)
{
    const char *file = file_of(data);

    return strcmp(data, "opinion") != 0 &&
           (ends_packed(file, ".tsv") || ends_packed(file, ".csv") || ends_packed(file, "-ubyte") ||
            trop_corpus_ends(file, ".zip") || trop_corpus_ends(file, ".npz") || is_group(file));
}

enum trop_status trop_corpus_open(struct trop_archive **out, const char *name)
{
    const struct trop_corpus_shipped *s = shipped(name);

    return s ? trop_archive_parse(out, s->bytes, s->size, name) : trop_archive_read(out, name);
}

/* ---- items -------------------------------------------------------------------------------------
 */

void trop_corpus_place(char out[512], const struct trop_corpus *corpus, int64_t i)
{
    const struct trop_corpus_item *item = corpus->item + i;

    snprintf(out, 512, "%.400s: %s %lld", item->file, item->line ? "line" : "item",
             (long long)(item->line ? item->line : i));
}

enum trop_status trop_corpus_push(struct trop_corpus *corpus, struct trop_corpus_item item)
{
    if (corpus->n == corpus->room) {
        const int64_t room = corpus->room ? 2 * corpus->room : 64;
        struct trop_corpus_item *more = trop_alloc(room, sizeof *more);
        if (!more) {
            return trop_fail(TROP_ERR_MEMORY, "%s: no memory for %lld items", corpus->name,
                             (long long)room);
        }
        if (corpus->n > 0) {
            memcpy(more, corpus->item, (size_t)corpus->n * sizeof *more);
        }
        trop_alloc_free(corpus->item);
        corpus->item = more;
        corpus->room = room;
    }
    corpus->item[corpus->n] = item;
    const char *what = !*item.label  ? "there is no label"
                       : !*item.text ? "the text is empty"
                                     : NULL;
    if (what) {
        char place[512];
        trop_corpus_place(place, corpus, corpus->n);
        return trop_fail(TROP_ERR_IO, "%s: %s", place, what);
    }
    corpus->n++;
    return TROP_OK;
}

/* ---- creating ----------------------------------------------------------------------------------
 */

static enum trop_status no_memory(const char *name)
{
    return trop_fail(TROP_ERR_MEMORY, "%s: no memory", name);
}

static enum trop_status read_source(struct trop_corpus *corpus)
{
    const char *file = file_of(corpus->name);

    if (is_group(file)) {
        return trop_corpus_read_h5(corpus);
    }
    enum trop_status status = trop_corpus_open(&corpus->archive, corpus->name);
    if (status != TROP_OK) {
        return status;
    }
    struct trop_archive_member *member = corpus->archive->member;
    return trop_corpus_ends(file, ".npz")   ? trop_corpus_read_npz(corpus)
           : trop_corpus_ends(file, ".zip") ? trop_corpus_read_zip(corpus)
           : ends_packed(file, "-ubyte")
               ? trop_corpus_read_idx(corpus)
               : trop_corpus_read_table(corpus, member, ends_packed(file, ".tsv") ? '\t' : ',');
}

/* Options that mean nothing for what was read are refused rather than passed over. */
static enum trop_status check_use(const struct trop_corpus *corpus)
{
    const struct trop_corpus_options *o = &corpus->options;
    const int pixels = corpus->vectors && !corpus->item && corpus->sequences.words == 0;

    if (o->patch > 0 && !pixels) {
        return trop_fail(TROP_ERR_ARG, "patch = %lld: is for images, %s has none",
                         (long long)o->patch, corpus->name);
    }
    if (!corpus->item && (o->lexicon || o->columns || o->wordpiece)) {
        return trop_fail(TROP_ERR_ARG, "%s: is for texts, %s has none",
                         o->lexicon   ? "lexicon"
                         : o->columns ? "columns"
                                      : "wordpiece",
                         corpus->name);
    }
    return TROP_OK;
}

/* The names of the classes, which do not move any more. */
static enum trop_status name_classes(struct trop_corpus *corpus)
{
    const int64_t classes = corpus->classes.words;

    corpus->class_names = trop_alloc(classes, sizeof *corpus->class_names);
    if (!corpus->class_names) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for the names of %lld classes",
                         corpus->name, (long long)classes);
    }
    for (int64_t k = 0; k < classes; k++) {
        corpus->class_names[k] = trop_vocabulary_name(&corpus->classes, k);
    }
    return TROP_OK;
}

/* Points the sequences to what was read. */
static void point(struct trop_corpus *corpus)
{
    struct trop_sequences *s = &corpus->sequences;

    s->n = corpus->n;
    s->offsets = corpus->offsets;
    s->ids = corpus->ids;
    s->vectors = corpus->vectors;
    s->labels = corpus->labels;
    s->classes = corpus->classes.words;
    s->splits = corpus->splits;
    s->lexicon = corpus->lexicon;
    s->class_names = corpus->class_names;
}

/* Everything behind the items. */
static enum trop_status finish(struct trop_corpus *corpus)
{
    enum trop_status status = check_use(corpus);

    if (status == TROP_OK && corpus->item) {
        status = trop_corpus_classify(corpus);
    }
    if (status == TROP_OK && corpus->item) {
        status = trop_corpus_tokenize(corpus);
    }
    if (status == TROP_OK && corpus->options.lexicon) {
        status = trop_corpus_read_lexicon(corpus);
    }
    if (status == TROP_OK) {
        status = name_classes(corpus);
    }
    point(corpus);
    return status;
}

static enum trop_status begin(struct trop_corpus **out, const char *name,
                              const struct trop_corpus_options *options)
{
    const struct trop_corpus_options o = options ? *options : trop_corpus_options_default();
    enum trop_status status = trop_option_check(&o, trop_corpus_option_table());

    if (status != TROP_OK) {
        return status;
    }
    struct trop_corpus *corpus = trop_alloc(1, sizeof *corpus);
    const int64_t length = (int64_t)strlen(name);
    if (corpus) {
        corpus->options = o;
        corpus->name = trop_alloc(length + 1, 1);
    }
    if (!corpus || !corpus->name) {
        trop_corpus_free(corpus);
        return no_memory(name);
    }
    memcpy(corpus->name, name, (size_t)length);
    *out = corpus;
    return TROP_OK;
}

/* The texts of the options are the caller's: they are not kept. */
static enum trop_status end(struct trop_corpus **out, struct trop_corpus *corpus,
                            enum trop_status status)
{
    if (status == TROP_OK) {
        status = finish(corpus);
    }
    if (status != TROP_OK) {
        trop_corpus_free(corpus);
        return status;
    }
    corpus->options.wordpiece = corpus->options.lexicon = corpus->options.columns = NULL;
    *out = corpus;
    return TROP_OK;
}

enum trop_status trop_corpus_create(struct trop_corpus **out, const char *data,
                                    const struct trop_corpus_options *options)
{
    struct trop_corpus *corpus;

    if (!data || !trop_corpus_takes(data)) {
        return trop_fail(TROP_ERR_ARG,
                         "data = %s: must be mr, digits, or a file .tsv, .csv (.gz, .xz), .zip, "
                         ".npz, FILE.h5:/group or ...-ubyte",
                         data ? data : "NULL");
    }
    enum trop_status status = begin(&corpus, data, options);
    return status == TROP_OK ? end(out, corpus, read_source(corpus)) : status;
}

enum trop_status trop_corpus_create_from(struct trop_corpus **out, const char *data,
                                         const char *const *pairs)
{
    struct trop_corpus_options options = trop_corpus_options_default();
    enum trop_status status = trop_option_pairs(&options, trop_corpus_option_table(), pairs);

    return status == TROP_OK ? trop_corpus_create(out, data, &options) : status;
}

/* ---- texts in memory ---------------------------------------------------------------------------
 */

/* All labels and texts one behind the other, as the one member of an archive. */
static enum trop_status copy_texts(struct trop_corpus *corpus, const char *const *texts,
                                   const char *const *labels, int64_t n)
{
    int64_t size = 0;
    struct trop_archive *archive = trop_alloc(1, sizeof *archive);

    corpus->archive = archive;
    if (!archive || !TROP_ALLOC(TROP_PART(archive->member, 1))) {
        return no_memory(corpus->name);
    }
    for (int64_t i = 0; i < n; i++) {
        size += (int64_t)(strlen(labels[i]) + 1 + strlen(texts[i]) + 1);
    }
    archive->count = archive->room = 1;
    archive->member->bytes = trop_alloc(size, 1);
    archive->member->size = size;
    if (!archive->member->bytes) {
        return no_memory(corpus->name);
    }
    char *at = (char *)archive->member->bytes;
    for (int64_t i = 0; i < n; i++) {
        at = stpcpy(at, labels[i]) + 1;
        at = stpcpy(at, texts[i]) + 1;
    }
    return TROP_OK;
}

/* The label at `at`, and the text behind it. */
static enum trop_status take_text(struct trop_corpus *corpus, const char *at, int64_t split,
                                  int64_t i)
{
    const char *text = at + strlen(at) + 1;
    char place[64];

    snprintf(place, sizeof place, "texts: item %lld", (long long)i);
    enum trop_status status = trop_utf8_check(text, (int64_t)strlen(text), place, 1);
    if (status == TROP_OK) {
        status = trop_utf8_check(at, (int64_t)strlen(at), place, 1);
    }
    if (status == TROP_OK && split > TROP_SPLIT_TEST) {
        return trop_fail(TROP_ERR_ARG, "%s: split %lld: must be 0 (train), 1 or 2", place,
                         (long long)split);
    }
    return status == TROP_OK
               ? trop_corpus_push(corpus, (struct trop_corpus_item){ .text = text,
                                                                     .label = at,
                                                                     .file = corpus->name,
                                                                     .split = split })
               : status;
}

static enum trop_status create_labelled(struct trop_corpus **out, const char *const *texts,
                                        const char *const *labels, const int64_t *splits, int64_t n,
                                        const struct trop_corpus_options *options)
{
    struct trop_corpus *corpus;
    enum trop_status status = begin(&corpus, "texts", options);

    if (status != TROP_OK) {
        return status;
    }
    status = copy_texts(corpus, texts, labels, n);
    const char *at = status == TROP_OK ? (const char *)corpus->archive->member->bytes : NULL;
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        status = take_text(corpus, at, splits ? (splits[i] < 0 ? INT64_MAX : splits[i]) : -1, i);
        at += strlen(labels[i]) + 1 + strlen(texts[i]) + 1;
    }
    return end(out, corpus, status);
}

static enum trop_status ask_for_texts(void)
{
    return trop_fail(TROP_ERR_ARG, "texts: there must be one at least, and a label of each");
}

#define NUMBER 24 /* bytes of a label as text */

enum trop_status trop_corpus_create_texts(struct trop_corpus **out, const char *const *texts,
                                          const int64_t *labels, const int64_t *splits, int64_t n,
                                          const struct trop_corpus_options *options)
{
    char *number = NULL;
    const char **name = NULL;

    if (!texts || !labels || n < 1) {
        return ask_for_texts();
    }
    const int room = TROP_ALLOC(TROP_PART(number, n * NUMBER), TROP_PART(name, n));
    for (int64_t i = 0; i < n && room; i++) {
        snprintf(number + i * NUMBER, NUMBER, "%lld", (long long)labels[i]);
        name[i] = number + i * NUMBER;
    }
    enum trop_status status =
        room ? create_labelled(out, texts, name, splits, n, options) : no_memory("texts");
    TROP_FREE(number, name);
    return status;
}

enum trop_status trop_corpus_create_labelled_from(struct trop_corpus **out,
                                                  const char *const *texts,
                                                  const char *const *labels, const int64_t *splits,
                                                  int64_t n, const char *const *pairs)
{
    struct trop_corpus_options options = trop_corpus_options_default();

    if (!texts || !labels || n < 1) {
        return ask_for_texts();
    }
    enum trop_status status = trop_option_pairs(&options, trop_corpus_option_table(), pairs);
    return status == TROP_OK ? create_labelled(out, texts, labels, splits, n, &options) : status;
}

enum trop_status trop_corpus_create_texts_from(struct trop_corpus **out, const char *const *texts,
                                               const int64_t *labels, const int64_t *splits,
                                               int64_t n, const char *const *pairs)
{
    struct trop_corpus_options options = trop_corpus_options_default();
    enum trop_status status = trop_option_pairs(&options, trop_corpus_option_table(), pairs);

    return status == TROP_OK ? trop_corpus_create_texts(out, texts, labels, splits, n, &options)
                             : status;
}

/* ---- arrays in memory ------------------------------------------------------------------------ */

enum trop_status trop_corpus_create_arrays_from(struct trop_corpus **out, const char *const *keys,
                                                const double *const *values, const int64_t *ranks,
                                                const int64_t *shapes, const char *const *pairs)
{
    struct trop_corpus_options options = trop_corpus_options_default();
    struct trop_corpus *corpus;
    enum trop_status status = trop_option_pairs(&options, trop_corpus_option_table(), pairs);

    if (status == TROP_OK) {
        status = begin(&corpus, "arrays", &options);
    }
    return status == TROP_OK
               ? end(out, corpus, trop_corpus_read_arrays(corpus, keys, values, ranks, shapes))
               : status;
}

/* ---- telling -----------------------------------------------------------------------------------
 */

void trop_corpus_free(struct trop_corpus *c)
{
    if (!c) {
        return;
    }
    trop_archive_free(c->archive);
    trop_table_free(&c->table);
    trop_vocabulary_free(&c->vocabulary);
    trop_vocabulary_free(&c->classes);
    trop_tokenizer_release(&c->list);
    TROP_FREE(c->name, c->item, c->names, c->lexicon, c->offsets, c->labels, c->splits, c->ids,
              c->vectors, c->class_names, c->asked, c->words, c->word, c);
}

const struct trop_sequences *trop_corpus_sequences(const struct trop_corpus *corpus)
{
    return &corpus->sequences;
}

const char *trop_corpus_name(const struct trop_corpus *corpus)
{
    return corpus->name;
}

const char *trop_corpus_class(const struct trop_corpus *corpus, int64_t k)
{
    return k >= 0 && k < corpus->classes.words ? trop_vocabulary_name(&corpus->classes, k) : NULL;
}

const int32_t *trop_corpus_ids(int64_t *count, const struct trop_corpus *corpus)
{
    *count = corpus->ids ? corpus->offsets[corpus->n] : 0;
    return corpus->ids;
}

const char *trop_corpus_text(const struct trop_corpus *corpus, int64_t i)
{
    return corpus->item && i >= 0 && i < corpus->n ? corpus->item[i].text : NULL;
}
