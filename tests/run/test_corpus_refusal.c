/* test_corpus_refusal.c -- what is no corpus is refused with file, line and rule; ragged tensors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "alloc_failing.c"
#include "base/status.h"
#include "io/h5/h5.h"
#include "packed.h"
#include "scratch.h"
#include "tropism_lab.h"

#include <math.h>

static const char *const none[] = { NULL };

/* The sentence is FOLDER/ and then what is expected, or has that in it. */
static void refused(enum trop_status status, const char *data, const char *const *pairs,
                    const char *sentence)
{
    struct trop_corpus *corpus = NULL;

    assert_int_equal(trop_corpus_create_from(&corpus, data, pairs), status);
    if (!strstr(trop_error(), sentence)) {
        print_message("%s\nnot: %s\n", trop_error(), sentence);
    }
    assert_non_null(strstr(trop_error(), sentence));
    assert_null(corpus);
    assert_int_equal(alloc_live, 0);
}

static void refused_text(const char *name, const char *text, const char *const *pairs,
                         const char *sentence)
{
    const int option = strstr(sentence, "columns") && !strstr(sentence, "pixels");
    const enum trop_status status = option ? TROP_ERR_ARG : TROP_ERR_IO;

    scratch_fill(scratch(name), text, strlen(text));
    refused(status, scratch(name), pairs, sentence);
    scratch_empty();
}

static void tables_are_refused_with_their_line(void **state)
{
    (void)state;
    static const char *const two[] = { "columns", "label,text", NULL };
    static const char *const odd[] = { "columns", "label,x,y", NULL };
    static const char *const twice[] = { "columns", "label,text,label", NULL };

    refused_text("a.tsv", "1\ta\n\tb\n", none, "a.tsv: line 2: there is no label");
    refused_text("a.tsv", "1\ta\n0\t\n", none, "a.tsv: line 2: the text is empty");
    refused_text("a.tsv", "1\ta\n0\t \xc2\x97 \n", none, "a.tsv: line 2: the text has no token");
    refused_text("a.tsv", "1\ta\n1\tb\n", none,
                 "a.tsv: every item has the label 1: there must be two classes");
    refused_text("a.tsv", "1\ta\n0\t\xe9\n", none, "a.tsv: line 2: byte 0xe9: must be UTF-8");
    refused_text("a.tsv", "1\ta\tb\n", none, "a.tsv: which of its 3 columns is the label");
    refused_text("a.tsv", "1\ta\tb\n", two, "columns = label,text: are 2, but ");
    refused_text("a.tsv", "1\ta\tb\n", odd, "which of its 3 columns");
    refused_text("a.tsv", "1\ta\tb\n", twice, "two columns are called label");
    refused_text("a.tsv", "label\ttext\n1\ta\n", two,
                 "columns = label,text: but the first line of ");
    refused_text("a.tsv", "label\ttext\n", none, "a.tsv: has a header and no item");
    refused_text("a.tsv", "label\ttext\tsplit\n1\ta\tdev\n", none,
                 "a.tsv: line 2: split 'dev': must be train, validation or test");
    refused_text("a.tsv", "label\ttext\tsplit\n1\ta\ttest\n0\tb\ttest\n", none,
                 "a.tsv: no item is of the split train");
    refused_text("a.csv", "", none, "a.csv: has no row");
}

static void images_are_refused_with_their_place(void **state)
{
    (void)state;
    static const char *const patch[] = { "patch", "3", NULL };
    static const char *const words[] = { "lexicon", "opinion", NULL };

    refused_text("a.csv", "1,2,3\n", none, "a.csv: 3 columns: must be the pixels of a square");
    refused_text("a.csv", "1,2,3,4,0\n1,-2,3,4,1\n", none,
                 "a.csv: row 1, column 1 (from 0) is -2: a pixel must not be negative");
    refused_text("a.csv", "1,2,3,4,0\n1,2,3,4,.5\n", none,
                 "a.csv: the class of item 1 is 0.5: must be a whole number");
    refused_text("a.csv", "0,0,0,0,0\n0,0,0,0,1\n", none, "a.csv: all pixels are 0");
    refused_text("a.csv", "1,2,3,4,1\n1,2,3,4,1\n", none, "a.csv: every item has the label 1");
    refused(TROP_ERR_ARG, "digits", patch, "patch = 3: must divide both sides");
    refused(TROP_ERR_ARG, "mr", patch, "patch = 3: is for images, mr has none");
    refused(TROP_ERR_ARG, "digits", words, "lexicon: is for texts, digits has none");
    scratch_fill(scratch("t-ubyte"), "\0\0\10\1\0\0\0\1\1", 9);
    refused(TROP_ERR_IO, scratch("t-ubyte"), none, "t-ubyte: has 1 axes: images have three");
    scratch_fill(scratch("images-ubyte"), "\0\0\10\3\0\0\0\1\0\0\0\1\0\0\0\1\1", 17);
    refused(TROP_ERR_IO, scratch("images-ubyte"), none, "labels-ubyte: No such file");
    scratch_fill(scratch("labels-ubyte"), "\0\0\10\1\0\0\0\2\1\2", 10);
    refused(TROP_ERR_IO, scratch("images-ubyte"), none, "labels are 2: must be 1, one an image");
    scratch_empty();
}

static void options_and_their_files_are_refused(void **state)
{
    (void)state;
    static const char *const piece[] = { "tokenizer", "wordpiece", NULL };
    static const char *const both[] = { "wordpiece", "v.txt", NULL };
    static const char *const few[] = { "min-count", "0", NULL };
    const char *vocabulary[] = { "tokenizer", "wordpiece", "wordpiece", scratch("v.txt"), NULL };
    const char *lexicon[] = { "lexicon", scratch("l.txt"), NULL };

    refused(TROP_ERR_ARG, "mr", piece, "wordpiece: which vocabulary?");
    refused(TROP_ERR_ARG, "mr", both, "wordpiece");
    refused(TROP_ERR_ARG, "mr", few, "min_count = 0");
    refused(TROP_ERR_ARG, "x.json", none, "data = x.json: must be mr, digits, or a file");
    refused(TROP_ERR_IO, "x.tsv", none, "x.tsv: No such file or directory");
    scratch_fill(scratch("v.txt"), "a\n[CLS]\n[SEP]\n", 14);
    refused(TROP_ERR_IO, "mr", vocabulary, "v.txt: has no [UNK]");
    scratch_fill(scratch("l.txt"), "; a comment\nqqqq\n", 17);
    refused(TROP_ERR_IO, "mr", lexicon, "l.txt: none of its 1 words is in the vocabulary of mr");
    scratch_fill(scratch("x.zip"), "PK\3\4", 4);
    refused(TROP_ERR_IO, scratch("x.zip"), none, "x.zip: is damaged or cut");
    unsigned char bytes[1000];
    const struct packed_member member = { "a.txt", "a", 1 };
    scratch_fill(scratch("x.zip"), bytes, pack(bytes, sizeof bytes, 'z', &member, 1));
    refused(TROP_ERR_IO, scratch("x.zip"), none, "x.zip: has neither members .neg and .pos");
    scratch_empty();
}

static void texts_in_memory_are_refused_by_their_number(void **state)
{
    (void)state;
    static const char *const texts[] = { "a", "" };
    static const char *const wrong[] = { "a", "\xff" };
    const int64_t labels[] = { 0, 1 }, splits[] = { 0, 3 };
    struct trop_corpus *corpus;

    assert_int_equal(trop_corpus_create_texts(&corpus, texts, labels, NULL, 2, NULL), TROP_ERR_IO);
    assert_string_equal(trop_error(), "texts: item 1: the text is empty");
    assert_int_equal(trop_corpus_create_texts(&corpus, wrong, labels, NULL, 2, NULL), TROP_ERR_IO);
    assert_string_equal(trop_error(), "texts: item 1: line 1: byte 0xff: must be UTF-8");
    assert_int_equal(trop_corpus_create_texts(&corpus, wrong, labels, splits, 2, NULL),
                     TROP_ERR_IO);
    assert_int_equal(trop_corpus_create_texts(&corpus, texts, labels, NULL, 0, NULL), TROP_ERR_ARG);
    assert_int_equal(alloc_live, 0);
}

/* ---- ragged tensors
 * ------------------------------------------------------------------------------ */

/* An .npy of doubles, in a buffer of its own. */
struct part {
    const char *name;
    const double *data;
    int64_t count, width; /* width 0: rank 1 */
};

static size_t pack_npz(unsigned char *out, size_t room, const struct part *part, int parts)
{
    static unsigned char bytes[6][2000];
    struct packed_member member[6];
    static char names[6][64];

    for (int k = 0; k < parts; k++) {
        char header[119];
        const int64_t size = part[k].count * (part[k].width ? part[k].width : 1) * 8;
        snprintf(names[k], sizeof names[k], "%s.npy", part[k].name);
        snprintf(header, sizeof header,
                 part[k].width ? "{'descr':'<f8','fortran_order':False,'shape':(%lld,%lld),}"
                               : "{'descr':'<f8','fortran_order':False,'shape':(%lld,),}",
                 (long long)part[k].count, (long long)part[k].width);
        memcpy(bytes[k], "\x93NUMPY\1\0\x76\0", 10);
        memset(bytes[k] + 10, ' ', 118);
        memcpy(bytes[k] + 10, header, strlen(header));
        memcpy(bytes[k] + 128, part[k].data, (size_t)size);
        member[k] = (struct packed_member){ names[k], bytes[k], (size_t)(128 + size) };
    }
    return pack(out, room, 'z', member, parts);
}

static const double tokens[] = { 1, 2, 3, 4, 5, 6 };
static const double ids[] = { 0, 2, 1 };
static const double offsets[] = { 0, 2, 3 };
static const double labels[] = { 7, -1 };
static const double splits[] = { 0, 2 };
static unsigned char packed[20000];

static void write_npz(const struct part *part, int parts)
{
    scratch_fill(scratch("r.npz"), packed, pack_npz(packed, sizeof packed, part, parts));
}

static void ragged_tensors_are_read(void **state)
{
    (void)state;
    static const char *const shorter[] = { "max-length", "1", NULL };
    const struct part parts[] = { { "tokens", tokens, 3, 2 },
                                  { "offsets", offsets, 3, 0 },
                                  { "labels", labels, 2, 0 },
                                  { "splits", splits, 2, 0 } };
    struct trop_corpus *corpus;

    write_npz(parts, 4);
    assert_int_equal(trop_corpus_create(&corpus, scratch("r.npz"), NULL), TROP_OK);
    const struct trop_sequences *s = trop_corpus_sequences(corpus);
    assert_int_equal(s->n, 2);
    assert_int_equal(s->width, 2);
    assert_memory_equal(s->vectors, tokens, sizeof tokens);
    assert_int_equal(s->offsets[1], 2);
    assert_int_equal(s->labels[0], 1);
    assert_int_equal(s->splits[1], TROP_SPLIT_TEST);
    assert_string_equal(trop_corpus_class(corpus, 0), "-1");
    trop_corpus_free(corpus);
    assert_int_equal(trop_corpus_create_from(&corpus, scratch("r.npz"), shorter), TROP_OK);
    s = trop_corpus_sequences(corpus);
    assert_int_equal(s->offsets[2], 2);
    assert_true(s->vectors[0] == 1 && s->vectors[2] == 5);
    trop_corpus_free(corpus);
    scratch_empty();
    assert_int_equal(alloc_live, 0);
}

static void a_group_of_hdf5_is_read_too(void **state)
{
    (void)state;
    struct trop_h5 *h5;
    struct trop_corpus *corpus;
    char name[300];
    const struct {
        const char *name;
        const double *data;
        int64_t count;
    } parts[] = { { "/g/ids", ids, 3 }, { "/g/offsets", offsets, 3 }, { "/g/labels", labels, 2 } };

    assert_int_equal(trop_h5_create(&h5, scratch("r.h5")), TROP_OK);
    for (int k = 0; k < 3; k++) {
        struct trop_value value = { .kind = TROP_KIND_NUMBERS, .rank = 1 };
        value.numbers = parts[k].data;
        value.shape[0] = parts[k].count;
        assert_int_equal(trop_h5_put(h5, parts[k].name, &value), TROP_OK);
    }
    assert_int_equal(trop_h5_close(h5), TROP_OK);
    snprintf(name, sizeof name, "%s:/g", scratch("r.h5"));
    assert_int_equal(trop_corpus_create(&corpus, name, NULL), TROP_OK);
    const struct trop_sequences *s = trop_corpus_sequences(corpus);
    assert_int_equal(s->words, 3);
    assert_int_equal(s->ids[1], 2);
    assert_int_equal(s->offsets[2], 3);
    trop_corpus_free(corpus);
    snprintf(name, sizeof name, "%s:/nothing", scratch("r.h5"));
    refused(TROP_ERR_IO, name, none, ":/nothing: offsets: is missing");
    scratch_empty();
}

static void ragged_tensors_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const double back[] = { 0, 0, 3 }, over[] = { 0, 2, 4 }, late[] = { 1, 2, 3 };
    const double high[] = { 0, 3, 1 }, half[] = { 0, .5, 1 }, nan_tokens[] = { 1, NAN, 3 };
    const double three[] = { 3 }, far[] = { 0, 3 };
    const struct part o = { "offsets", offsets, 3, 0 }, l = { "labels", labels, 2, 0 };
    const struct part i = { "ids", ids, 3, 0 }, t = { "tokens", tokens, 3, 2 };
    const struct {
        struct part part[4];
        int parts;
        const char *sentence;
    } cases[] = {
        { { i, o }, 2, "r.npz: labels: is missing: texts and other sequences have tokens" },
        { { i, l }, 2, "r.npz: offsets: is missing" },
        { { o, l }, 2, "r.npz: must have either tokens or ids" },
        { { i, t, o, l }, 4, "r.npz: must have either tokens or ids" },
        { { i, { "offsets", back, 3, 0 }, l }, 3, "r.npz: offsets[1] is 0 after 0: must ascend" },
        { { i, { "offsets", over, 3, 0 }, l }, 3, "offsets[2] is 4: must be a whole number" },
        { { i, { "offsets", late, 3, 0 }, l }, 3, "offsets: must go from 0 to 3" },
        { { i, { "offsets", offsets, 2, 0 }, l }, 3, "offsets: is 2: must be one longer" },
        { { { "ids", high, 3, 0 }, o, l, { "words", three, 1, 0 } }, 4, "ids[1] is 3: must be" },
        { { { "ids", half, 3, 0 }, o, l }, 3, "ids[1] is 0.5: must be a whole number" },
        { { { "tokens", nan_tokens, 3, 1 }, o, l }, 3, "r.npz: row 1, column 0 (from 0) is nan" },
        { { i, o, l, { "splits", far, 2, 0 } }, 4, "splits[1] is 3: must be a whole number" },
        { { i, o, { "labels", three, 1, 0 } }, 3, "offsets: is 3: must be one longer" },
        { { i, o, { "label", labels, 2, 0 } }, 3, "label: unknown array; did you mean labels?" },
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_npz(cases[k].part, cases[k].parts);
        struct trop_corpus *corpus = NULL;
        assert_int_equal(trop_corpus_create(&corpus, scratch("r.npz"), NULL), TROP_ERR_IO);
        if (!strstr(trop_error(), cases[k].sentence)) {
            print_message("%s\n", trop_error());
        }
        assert_non_null(strstr(trop_error(), cases[k].sentence));
        assert_int_equal(alloc_live, 0);
    }
    scratch_empty();
}

static void an_npz_cut_at_any_byte_is_refused(void **state)
{
    (void)state;
    const struct part parts[] = { { "ids", ids, 3, 0 },
                                  { "offsets", offsets, 3, 0 },
                                  { "labels", labels, 2, 0 } };
    const size_t size = pack_npz(packed, sizeof packed, parts, 3);

    for (size_t cut = 0; cut < size; cut++) {
        scratch_fill(scratch("c.npz"), packed, cut);
        refused(TROP_ERR_IO, scratch("c.npz"), none, "c.npz: ");
    }
    scratch_empty();
}

static const char *ragged_path;

static enum trop_status read_ragged(void)
{
    struct trop_corpus *corpus = NULL;
    const enum trop_status status = trop_corpus_create(&corpus, ragged_path, NULL);

    trop_corpus_free(corpus);
    return status;
}

static void every_refused_allocation_is_survived(void **state)
{
    (void)state;
    const struct part parts[] = { { "tokens", tokens, 3, 2 },
                                  { "offsets", offsets, 3, 0 },
                                  { "labels", labels, 2, 0 } };

    write_npz(parts, 3);
    ragged_path = scratch("r.npz");
    alloc_refuse_each(read_ragged);
    scratch_fill(scratch("t.csv"), "label,text\n1,a b\n0,\"c\"\n", 23);
    ragged_path = scratch("t.csv");
    alloc_refuse_each(read_ragged);
    scratch_empty();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_refused_with_their_line),
        cmocka_unit_test(images_are_refused_with_their_place),
        cmocka_unit_test(options_and_their_files_are_refused),
        cmocka_unit_test(texts_in_memory_are_refused_by_their_number),
        cmocka_unit_test(ragged_tensors_are_read),
        cmocka_unit_test(a_group_of_hdf5_is_read_too),
        cmocka_unit_test(ragged_tensors_that_do_not_fit_are_refused),
        cmocka_unit_test(an_npz_cut_at_any_byte_is_refused),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
