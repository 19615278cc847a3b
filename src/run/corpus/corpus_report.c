/* corpus_report.c -- a corpus by name. */
#include "run/corpus/corpus.h"

#include "base/field.h"

#define AT(member) TROP_FIELD_AT(struct trop_corpus, member)
#define OF_ITEMS .axes = { { "item", 0, offsetof(struct trop_corpus, n) } }
#define INTEGERS .kind = TROP_KIND_INTEGERS

TROP_FIELD_READ(tokens)
{
    const struct trop_corpus *corpus = handle;

    (void)row;
    trop_field_integer(out, corpus->offsets[corpus->n]);
    return TROP_OK;
}

TROP_FIELD_READ(words)
{
    const struct trop_corpus *corpus = handle;

    (void)row;
    if (corpus->names) {
        *out = (struct trop_value){
            .kind = TROP_KIND_TEXTS,
            .texts = corpus->names,
            .rank = 1,
            .shape = { corpus->sequences.words },
            .axes = { "word" },
        };
    }
    return TROP_OK;
}

TROP_FIELD_READ(offsets)
{
    const struct trop_corpus *corpus = handle;

    (void)row;
    trop_field_integers(out, corpus->offsets, corpus->n + 1, "item");
    return TROP_OK;
}

TROP_FIELD_READ(vectors)
{
    const struct trop_corpus *corpus = handle;

    (void)row;
    if (corpus->vectors) {
        trop_field_table_of(out, corpus->vectors, corpus->offsets[corpus->n],
                            corpus->sequences.width, "token", "coordinate");
    }
    return TROP_OK;
}

static const struct trop_field table[] = {
    { "name", "where it came from", .kind = TROP_KIND_TEXT, AT(name) },
    { "items", "how many", .kind = TROP_KIND_INTEGER, AT(n) },
    { "tokens", "of all items", .read = tokens },
    { "words", "the vocabulary; null: the tokens have no names", .read = words },
    { "offsets", "tokens of item i are those from offsets[i] to offsets[i + 1] - 1",
      .read = offsets },
    { "labels", "the class of each item", INTEGERS, AT(labels), OF_ITEMS },
    { "splits", "0 train, 1 validation, 2 test; null: they are drawn", INTEGERS, AT(splits),
      OF_ITEMS },
    { "vectors", "of the tokens; null: they are words", .read = vectors },
    { "lexicon", "of each word: 1 when it is in the lexicon; null: there is none", INTEGERS,
      AT(lexicon), .axes = { { "word", 0, offsetof(struct trop_corpus, sequences.words) } } },
    { 0 },
};

const struct trop_field *trop_corpus_field_table(void)
{
    return table;
}

enum trop_status trop_corpus_value(struct trop_value *out, const struct trop_corpus *corpus,
                                   const char *name)
{
    return trop_field_value(out, table, corpus, name);
}
