/* fit_words.c -- which words get attention: over the corpus, in single items, and against a
 * lexicon.
 *
 * Over the corpus a word has the mean of T s_t over its tokens, 1 where attention is uniform. Words
 * that are met less than FEW times are not listed: their means are noise.
 *
 * Against a lexicon: in every item that has marked and unmarked tokens, the AUC of the weights for
 * the marks (measure.h), which asks for their order alone; the mean over items. What is to be
 * compared with: 1/2, that of uniform attention and of any attention that does not care; the same
 * AUC for a fake lexicon, unmarked words with the counts of the marked ones, since rare words may
 * get attention for being rare; and the AUC of |<v, e_w>|, what the decoder alone knows of words.
 */
#include "learn/fit/fit.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "kernel/kernel_linear.h"
#include "learn/measure.h"

#include <math.h>
#include <string.h>

#define FEW 10
#define LISTED 100

/* ---- over the corpus ------------------------------------------------------------------------- */

struct sums {
    const struct trop_fit *fit;
    double *attention; /* (words) sum of T s_t, then its mean */
    double *value;     /* (words) <v, e_w>, mean over heads */
    int64_t *order;    /* (words) */
    int64_t *fake;     /* (words) marks of the control */
};

static void add_up(struct sums *sums)
{
    const struct trop_fit *fit = sums->fit;
    const struct trop_sequences *s = fit->sequences;

    memset(fit->counted, 0, (size_t)s->words * sizeof *fit->counted);
    for (int64_t i = 0; i < s->n; i++) {
        const double T = (double)(s->offsets[i + 1] - s->offsets[i]);
        for (int64_t t = s->offsets[i]; t < s->offsets[i + 1]; t++) {
            fit->counted[s->ids[t]]++;
            sums->attention[s->ids[t]] += T * fit->attention[t];
        }
    }
    for (int64_t w = 0; w < s->words; w++) {
        sums->attention[w] /= (double)(fit->counted[w] > 0 ? fit->counted[w] : 1);
    }
}

/* <v, e_w> of one output; of several the spread of them is what decides, and no one number. */
static void value_words(struct sums *sums)
{
    const struct trop_fit *fit = sums->fit;
    const int64_t d = fit->shape.d, heads = fit->shape.heads > 0 ? fit->shape.heads : 1;
    const struct trop_kernel_linear *linear = fit->network->kernel->linear;

    for (int64_t w = 0; w < fit->sequences->words; w++) {
        double sum = 0;
        for (int64_t h = 0; h < heads; h++) {
            sum += linear->dot(fit->value[TROP_FIT_LETTER_V] + h * d,
                               fit->value[TROP_FIT_LETTER_E] + w * d, d);
        }
        sums->value[w] = fit->shape.outputs == 1 ? sum / (double)heads : NAN;
    }
}

/* By attention, most first. */
static int more_attention(const void *context, int64_t a, int64_t b)
{
    const double *attention = ((const struct sums *)context)->attention;

    return attention[a] > attention[b] || (attention[a] == attention[b] && a < b);
}

static void list_words(struct trop_fit *fit, struct sums *sums)
{
    const struct trop_sequences *s = fit->sequences;
    int64_t count = 0;

    for (int64_t w = 0; w < s->words; w++) {
        if (fit->counted[w] >= FEW) {
            sums->order[count++] = w;
        }
    }
    trop_sort(sums->order, count, more_attention, sums);
    fit->word_count = count < LISTED ? count : LISTED;
    for (int64_t k = 0; k < fit->word_count; k++) {
        const int64_t w = sums->order[k];
        fit->words[k] = (struct trop_fit_word){ s->names ? s->names[w] : NULL, w, fit->counted[w],
                                                sums->attention[w], sums->value[w] };
    }
}

/* ---- the lexicon ----------------------------------------------------------------------------- */

static int more_often(const void *context, int64_t a, int64_t b)
{
    const int64_t *counted = ((const struct sums *)context)->fit->counted;

    return counted[a] > counted[b] || (counted[a] == counted[b] && a < b);
}

/* For each marked word the unmarked one nearest in rank of count that is not taken yet. */
static void make_fake(struct sums *sums)
{
    const struct trop_sequences *s = sums->fit->sequences;
    const int64_t *order = sums->order;

    for (int64_t w = 0; w < s->words; w++) {
        sums->order[w] = w;
        sums->fake[w] = 0;
    }
    trop_sort(sums->order, s->words, more_often, sums);
    for (int64_t r = 0; r < s->words; r++) {
        int found = !s->lexicon[order[r]] || sums->fit->counted[order[r]] == 0;
        for (int64_t far = 1; !found && far < s->words; far++) {
            for (int side = 1; side >= -1 && !found; side -= 2) {
                const int64_t k = r + side * far;
                if (k >= 0 && k < s->words && !s->lexicon[order[k]] && !sums->fake[order[k]]) {
                    sums->fake[order[k]] = 1;
                    found = 1;
                }
            }
        }
    }
}

struct scratch {
    int64_t *marked; /* (longest) */
    double *value;   /* (longest) */
};

/* AUC of the weights, or of the sizes of the words' values, of item i for marks. */
static double auc_of(const struct sums *sums, struct scratch *scratch, int64_t i,
                     const int64_t *marks, int values)
{
    const struct trop_sequences *s = sums->fit->sequences;
    const int64_t from = s->offsets[i], T = s->offsets[i + 1] - from;

    for (int64_t t = 0; t < T; t++) {
        const int32_t w = s->ids[from + t];
        scratch->marked[t] = marks[w] != 0;
        scratch->value[t] = values ? fabs(sums->value[w]) : sums->fit->attention[from + t];
    }
    return trop_measure_auc(scratch->value, scratch->marked, T);
}

static void judge_item(struct trop_fit_lexicon *sum, int64_t *fakes, const struct sums *sums,
                       struct scratch *scratch, int64_t i)
{
    const struct trop_sequences *s = sums->fit->sequences;
    const double auc = auc_of(sums, scratch, i, s->lexicon, 0);
    const double fake = auc_of(sums, scratch, i, sums->fake, 0);

    if (!isnan(fake)) {
        sum->fake += fake;
        ++*fakes;
    }
    if (isnan(auc)) {
        return;
    }
    double mass = 0, marked = 0;
    for (int64_t t = s->offsets[i]; t < s->offsets[i + 1]; t++) {
        mass += s->lexicon[s->ids[t]] ? sums->fit->attention[t] : 0;
        marked += s->lexicon[s->ids[t]] != 0;
    }
    sum->items++;
    sum->auc += auc;
    sum->mass += mass;
    sum->uniform += marked / (double)(s->offsets[i + 1] - s->offsets[i]);
    sum->value += auc_of(sums, scratch, i, s->lexicon, 1);
}

static enum trop_status judge(struct trop_fit *fit, struct sums *sums)
{
    struct trop_fit_lexicon sum = { 0 };
    struct scratch scratch = { NULL, NULL };
    int64_t fakes = 0;

    if (!TROP_ALLOC(TROP_PART(scratch.marked, fit->shape.longest),
                    TROP_PART(scratch.value, fit->shape.longest))) {
        TROP_FREE(scratch.marked, scratch.value);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a lexicon");
    }
    make_fake(sums);
    for (int64_t i = 0; i < fit->sequences->n; i++) {
        if (trop_fit_looks(fit, i)) {
            judge_item(&sum, &fakes, sums, &scratch, i);
        }
    }
    const double items = (double)sum.items; /* 0: everything is NaN */
    fit->lexicon = (struct trop_fit_lexicon){
        .items = sum.items,
        .auc = sum.auc / items,
        .mass = sum.mass / items,
        .uniform = sum.uniform / items,
        .fake = sum.fake / (double)fakes,
        .value = sum.value / items,
    };
    TROP_FREE(scratch.marked, scratch.value);
    return TROP_OK;
}

/* ---- single items ---------------------------------------------------------------------------- */

/* The words of item i, separated by blanks, to out; NULL: how long they are. */
static int64_t write_text(char *out, const struct trop_sequences *s, int64_t i)
{
    int64_t length = 0;

    for (int64_t t = s->offsets[i]; t < s->offsets[i + 1]; t++) {
        const char *name = s->names[s->ids[t]];
        const size_t size = strlen(name);
        if (out) {
            memcpy(out + length, name, size);
            out[length + (int64_t)size] = t + 1 < s->offsets[i + 1] ? ' ' : '\0';
        }
        length += (int64_t)size + 1;
    }
    return length;
}

static void show_item(struct trop_fit *fit, int64_t i)
{
    const struct trop_sequences *s = fit->sequences;
    const int64_t outputs = fit->shape.outputs;

    fit->shown[fit->shown_count++] = (struct trop_fit_shown){
        .item = i,
        .label = s->labels[i],
        .predicted = trop_fit_network_class(fit->outputs + i * outputs, outputs),
        .tokens = s->offsets[i + 1] - s->offsets[i],
        .attention = fit->attention + s->offsets[i],
    };
}

/* The first item of class c that is looked at and not shown yet; -1: there is none. */
static int64_t next_of(const struct trop_fit *fit, int64_t c)
{
    const struct trop_sequences *s = fit->sequences;
    int64_t i = 0;

    for (int64_t k = 0; k < fit->shown_count; k++) {
        i = fit->shown[k].label == c ? fit->shown[k].item + 1 : i;
    }
    while (i < s->n && (s->labels[i] != c || !trop_fit_looks(fit, i))) {
        i++;
    }
    return i < s->n ? i : -1;
}

/* The first items that are looked at, the classes in turn: files often have them apart. */
static enum trop_status show(struct trop_fit *fit)
{
    const struct trop_sequences *s = fit->sequences;
    int64_t length = 0, without = 0; /* classes in a row that have no more */

    trop_alloc_free(fit->shown_texts);
    fit->shown_texts = NULL;
    fit->shown_count = 0;
    for (int64_t c = 0; fit->shown_count < fit->options.show && without < s->classes; c++) {
        const int64_t i = next_of(fit, c % s->classes);
        without = i < 0 ? without + 1 : 0;
        if (i >= 0) {
            show_item(fit, i);
            length += s->names && s->ids ? write_text(NULL, s, i) : 0;
        }
    }
    if (length == 0) {
        return TROP_OK;
    }
    fit->shown_texts = trop_alloc(length, 1);
    if (!fit->shown_texts) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the words of items");
    }
    char *at = fit->shown_texts;
    for (int64_t k = 0; k < fit->shown_count; k++) {
        fit->shown[k].text = at;
        at += write_text(at, s, fit->shown[k].item);
    }
    return TROP_OK;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int make_arrays(struct trop_fit *fit)
{
    const int64_t words = fit->sequences->words;
    const int64_t listed = words < LISTED ? words : LISTED;
    const int64_t n = fit->sequences->n, shown = fit->options.show;

    return fit->counted || TROP_ALLOC(TROP_PART(fit->counted, words), TROP_PART(fit->words, listed),
                                      TROP_PART(fit->shown, shown < n ? shown : n));
}

enum trop_status trop_fit_words(struct trop_fit *fit)
{
    const struct trop_sequences *s = fit->sequences;
    struct sums sums = { .fit = fit };
    enum trop_status status = TROP_OK;

    fit->word_count = 0;
    fit->lexicon = (struct trop_fit_lexicon){ 0, NAN, NAN, NAN, NAN, NAN };
    if (!make_arrays(fit) ||
        !TROP_ALLOC(TROP_PART(sums.attention, s->words), TROP_PART(sums.value, s->words),
                    TROP_PART(sums.order, s->words), TROP_PART(sums.fake, s->words))) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for %lld words", (long long)s->words);
    } else if (s->ids) {
        add_up(&sums);
        value_words(&sums);
        list_words(fit, &sums);
        status = s->lexicon ? judge(fit, &sums) : TROP_OK;
    }
    TROP_FREE(sums.attention, sums.value, sums.order, sums.fake);
    return status == TROP_OK ? show(fit) : status;
}
