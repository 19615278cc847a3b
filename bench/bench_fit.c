/* bench_fit.c -- epochs of training on texts: attention with trained embeddings.
 *
 * A line per case, beside those of peers_fit.py, which has the same model, items, start, batches
 * and optimisers: the loss after the first epoch must agree.
 *
 *   fit case=mr query=prompt optimizer=gd ... threads=1 seconds=... evaluation=... loss=...
 *
 * seconds is an epoch: every batch once, gradient and step. The library looks at all items after
 * each epoch: their outputs are computed once more, and that time, evaluation, is taken off. Of the
 * processor with one worker, of the clock with more; the smallest of several.
 *
 * case=mr is the corpus that ships, d = 32, batches of 32. case=imdb is the train part of the file
 * that BENCH_IMDB names, the first 256 words of each text, 20,000 words, d = 64, batches of 100;
 * without the file case=imdb-like stands for it, whose items have lengths and words of the same
 * distribution but no meaning. query=each is timed on every 25th of its items, case=imdb-part.
 *
 * What the peers start from is left in FOLDER, as arrays of bytes: CASE.offsets, .ids, .labels and
 * CASE-QUERY.order, .E, .z, .W, .v; and CASE-QUERY-OPTIMIZER.loss to compare theirs with.
 *
 *   bench_fit FOLDER [CASE-QUERY-OPTIMIZER]... */
#include "tropism_lab.h"

#include "base/rng.h"
#include "learn/fit/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(enum trop_status status)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s\n", trop_error());
        exit(1);
    }
}

static void *room(int64_t count, size_t size)
{
    void *memory = malloc((size_t)(count + 1) * size);

    if (!memory) {
        exit(1);
    }
    return memory;
}

/* ---- items ----------------------------------------------------------------------------------- */

/* The items of learning alone, without splits: all are learnt from. */
struct items {
    const char *name;
    struct trop_sequences sequences;
    int64_t *offsets, *labels;
    int32_t *ids;
    int64_t d, batch, epochs;
};

static void drop(struct items *i)
{
    free(i->offsets);
    free(i->labels);
    free(i->ids);
}

static void point(struct items *i, int64_t n, int64_t words)
{
    i->sequences = (struct trop_sequences){ .n = n,
                                            .offsets = i->offsets,
                                            .ids = i->ids,
                                            .words = words,
                                            .labels = i->labels,
                                            .classes = 2 };
}

static void take_corpus(struct items *i, const char *data, const struct trop_corpus_options *o)
{
    struct trop_corpus *corpus = NULL;
    int64_t n = 0;

    check(trop_corpus_create(&corpus, data, o));
    const struct trop_sequences *s = trop_corpus_sequences(corpus);
    i->offsets = room(s->n, sizeof *i->offsets);
    i->labels = room(s->n, sizeof *i->labels);
    i->ids = room(s->offsets[s->n], sizeof *i->ids);
    i->offsets[0] = 0;
    for (int64_t k = 0; k < s->n; k++) {
        const int64_t T = s->offsets[k + 1] - s->offsets[k];
        if (s->splits && s->splits[k] != TROP_SPLIT_TRAIN) {
            continue;
        }
        memcpy(i->ids + i->offsets[n], s->ids + s->offsets[k], (size_t)T * sizeof *i->ids);
        i->labels[n] = s->labels[k];
        i->offsets[n + 1] = i->offsets[n] + T;
        n++;
    }
    point(i, n, s->words);
    trop_corpus_free(corpus);
}

/* Lengths of IMDb's reviews are lognormal but for their ends; words have Zipf's law. */
static void draw_items(struct items *i)
{
    const int64_t n = 25000, words = 20000, longest = 256;

    i->offsets = room(n, sizeof *i->offsets);
    i->labels = room(n, sizeof *i->labels);
    i->ids = room(n * longest, sizeof *i->ids);
    i->offsets[0] = 0;
    for (int64_t k = 0; k < n; k++) {
        const double T = exp(5.22 + 0.62 * trop_rng_normal(1, TROP_RNG_DATA, (uint64_t)k, 0));
        const int64_t tokens = T < 10 ? 10 : T < (double)longest ? (int64_t)T : longest;
        for (int64_t t = i->offsets[k]; t < i->offsets[k] + tokens; t++) {
            const double u = trop_rng_uniform(2, TROP_RNG_DATA, (uint64_t)t, 0);
            i->ids[t] = (int32_t)(exp(u * log((double)words + 1)) - 1);
        }
        i->labels[k] = trop_rng_uniform(3, TROP_RNG_DATA, (uint64_t)k, 0) < 0.5;
        i->offsets[k + 1] = i->offsets[k] + tokens;
    }
    point(i, n, words);
}

static void keep(const char *folder, const char *name, const char *part, const void *bytes,
                 int64_t size)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s.%s", folder, name, part);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, (size_t)size, file) != (size_t)size || fclose(file) != 0) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(1);
    }
}

/* 1: there are no words, or one of them begins the name. */
static int is_wanted(const char *name, int count, char **words)
{
    int wanted = count == 0;

    for (int w = 0; w < count; w++) {
        wanted |= strncmp(name, words[w], strlen(words[w])) == 0;
    }
    return wanted;
}

static void keep_items(const char *folder, const struct items *i)
{
    const int64_t n = i->sequences.n;

    keep(folder, i->name, "offsets", i->offsets, (n + 1) * (int64_t)sizeof *i->offsets);
    keep(folder, i->name, "ids", i->ids, i->offsets[n] * (int64_t)sizeof *i->ids);
    keep(folder, i->name, "labels", i->labels, n * (int64_t)sizeof *i->labels);
}

/* ---- epochs ---------------------------------------------------------------------------------- */

static const struct {
    const char *name, *eta;
} optimizers[] = { { "gd", "1" }, { "mirror", "0.001" }, { "adam", "0.001" } };

static struct trop_fit *make(const struct items *i, const char *query, int k, int64_t threads)
{
    char texts[4][32];
    struct trop_fit *fit = NULL;

    snprintf(texts[0], sizeof texts[0], "%lld", (long long)i->d);
    snprintf(texts[1], sizeof texts[1], "%lld", (long long)i->batch);
    snprintf(texts[2], sizeof texts[2], "%lld", (long long)i->epochs + 1);
    snprintf(texts[3], sizeof texts[3], "%lld", (long long)threads);
    const char *const pairs[] = {
        "embed",
        texts[0],
        "batch",
        texts[1],
        "epochs",
        texts[2],
        "threads",
        texts[3],
        "query",
        query,
        "validation",
        "0",
        "test",
        "0",
        "optimizer",
        optimizers[k].name,
        "eta",
        optimizers[k].eta,
        "start",
        "normal",
        "start_scale",
        "0.1",
        "show",
        "0",
        strcmp(optimizers[k].name, "mirror") == 0 ? "p" : NULL,
        "1.1",
        NULL,
    };
    check(trop_fit_create_from(&fit, &i->sequences, pairs));
    return fit;
}

/* One more epoch, or the look at the start. */
static double step(struct trop_fit *fit, clockid_t clock)
{
    const double start = now(clock);
    int done;

    check(trop_fit_step(&done, fit, 1, NULL, NULL));
    return now(clock) - start;
}

static double look(struct trop_fit *fit, clockid_t clock)
{
    const struct trop_fit_split *train = fit->split + TROP_SPLIT_TRAIN;
    const double start = now(clock);

    trop_fit_network_read(fit->outputs, NULL, fit->network, fit->sequences, train->list,
                          train->items);
    return now(clock) - start;
}

static void keep_start(const char *folder, const struct items *i, const char *query,
                       const struct trop_fit *fit)
{
    char name[64];
    int64_t shape[2];
    const double *values = NULL;
    const char *letter = NULL;

    snprintf(name, sizeof name, "%s-%s", i->name, query);
    for (int64_t k = 0; (letter = trop_fit_tensor(&values, shape, fit, k)) != NULL; k++) {
        keep(folder, name, letter, values, shape[0] * shape[1] * (int64_t)sizeof *values);
    }
}

static void measure(const char *folder, const struct items *i, const char *query, int k,
                    int64_t threads)
{
    const clockid_t clock = threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    double seen = INFINITY, whole = INFINITY, loss = 0;
    char name[64];

    for (int run = 0; run < 2; run++) {
        struct trop_fit *fit = make(i, query, k, threads);
        keep_start(folder, i, query, fit);
        step(fit, clock);
        for (int64_t e = 0; e < i->epochs; e++) {
            whole = fmin(whole, step(fit, clock));
            seen = fmin(seen, look(fit, clock));
            if (e == 0) {
                snprintf(name, sizeof name, "%s-%s", i->name, query);
                keep(folder, name, "order", fit->order,
                     i->sequences.n * (int64_t)sizeof *fit->order);
                loss = fit->split[TROP_SPLIT_TRAIN].loss[1];
            }
        }
        trop_fit_free(fit);
    }
    snprintf(name, sizeof name, "%s-%s-%s", i->name, query, optimizers[k].name);
    keep(folder, name, "loss", &loss, (int64_t)sizeof loss);
    printf("fit case=%s query=%s optimizer=%s eta=%s n=%lld tokens=%lld words=%lld d=%lld "
           "batch=%lld threads=%lld seconds=%.4g evaluation=%.4g with_evaluation=%.4g "
           "loss=%.15g\n",
           i->name, query, optimizers[k].name, optimizers[k].eta, (long long)i->sequences.n,
           (long long)i->offsets[i->sequences.n], (long long)i->sequences.words, (long long)i->d,
           (long long)i->batch, (long long)threads, whole - seen, seen, whole, loss);
    fflush(stdout);
}

/* All cases, or those named by the words. */
static void measure_items(const char *folder, const struct items *i, const char *query, int count,
                          char **words)
{
    const char *cores = getenv("BENCH_THREADS");
    const int64_t most = cores ? strtoll(cores, NULL, 10) : 2;
    char name[64];

    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "%s-%s-%s", i->name, query, optimizers[k].name);
        if (is_wanted(name, count, words)) {
            measure(folder, i, query, k, 1);
            measure(folder, i, query, k, most);
        }
    }
}

static void measure_all(const char *folder, const struct items *i, int first, int last, int count,
                        char **words)
{
    static const char *const queries[] = { "prompt", "first", "each" };

    keep_items(folder, i);
    for (int q = first; q <= last; q++) {
        measure_items(folder, i, queries[q], count, words);
    }
}

/* Every k-th item alone, under another name. */
static void thin(struct items *i, const char *name, int64_t k)
{
    int64_t n = 0;

    for (int64_t j = 0; j < i->sequences.n; j += k) {
        const int64_t from = i->offsets[j], T = i->offsets[j + 1] - from;
        memmove(i->ids + i->offsets[n], i->ids + from, (size_t)T * sizeof *i->ids);
        i->labels[n] = i->labels[j];
        i->offsets[n + 1] = i->offsets[n] + T;
        n++;
    }
    i->name = name;
    i->sequences.n = n;
}

int main(int count, char **words)
{
    const char *file = getenv("BENCH_IMDB");
    struct items mr = { .name = "mr", .d = 32, .batch = 32, .epochs = 10 };
    struct items imdb = { .name = file ? "imdb" : "imdb-like", .d = 64, .batch = 100, .epochs = 2 };
    struct trop_corpus_options o = trop_corpus_options_default();

    if (count < 2) {
        fprintf(stderr, "usage: bench_fit FOLDER [CASE-QUERY-OPTIMIZER]...\n");
        return 1;
    }
    if (count == 2 || strncmp(words[2], "mr", 2) == 0) {
        take_corpus(&mr, "mr", &o);
        measure_all(words[1], &mr, 0, 2, count - 2, words + 2);
        drop(&mr);
    }
    if (count == 2 || strncmp(words[count - 1], "imdb", 4) == 0) {
        o.max_length = 256;
        o.vocabulary = 20000;
        if (file) {
            take_corpus(&imdb, file, &o);
        } else {
            draw_items(&imdb);
        }
        measure_all(words[1], &imdb, 0, 1, count - 2, words + 2);
        thin(&imdb, file ? "imdb-part" : "imdb-like-part", 25);
        measure_all(words[1], &imdb, 2, 2, count - 2, words + 2);
        drop(&imdb);
    }
    return 0;
}
