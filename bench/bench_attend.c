/* bench_attend.c -- one step of attention, by rule, dimension, precision and threads.
 *
 * A line per case, of words key=value after the rule:
 *
 *   softmax n=16384 d=2 precision=double kernel=avx512 threads=2 seconds=0.123
 *       ns_per_pair=0.458 fraction=0.71
 *
 * seconds is the smallest of several runs of loading and of all rows, with the notes that a
 * flow takes, on Gaussian tokens, beta = 1, epsilon = 1. fraction is that of the machine's
 * limit: 2 d fma and an exponential per pair for softmax, d fma for the others, at the rates
 * of the line `limit` before it, which were measured in the same run with as many threads, by
 * loops of nothing else in the same registers. Where softmax goes by pairs of tokens
 * (attend_pairs.c), two rows share a score and an exponential, in double a shorter one: the limit
 * is that of 1.5 d fma and half of ns_per_exp_pairs (in single, of ns_per_exp) per pair, and rows
 * is the fraction of the limit above, which rows by themselves could not pass 1 of.
 *
 * For hardmax and localmax, exactness is the time of the rows over that of the same kernels
 * with scores taken at their word: the computed maximum, no bound, no comparison. The lines
 * with cloud=step200 are those of a cloud 200 steps of size 0.1 later, collapsed to a few places.
 *
 * Arguments restrict the cases: rule=softmax d=2 n=4096 precision=single threads=1 kernel=avx2
 * cloud=gauss. clock=cpu takes the time of the processor instead of that on the wall, which
 * on a busy machine is the one to compare with one thread.
 */
#include "attend/attend_internal.h"
#include "kernel/kernel_pairs.h"
#include "base/parallel.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 3

struct bench {
    int64_t n, d, threads;
    int single;
    const struct trop_kernel *kernel;
    const struct trop_rule *rule;
    const char *cloud;
    double *x, *out;
    struct trop_attend_note *notes;
    struct trop_attend *attend;
    double fma, exp, exp_pairs; /* limits, nanoseconds */
};

static clockid_t watch = CLOCK_MONOTONIC;

static double now(void)
{
    struct timespec t;
    clock_gettime(watch, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *room(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    if (!memory) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return memory;
}

static void check(enum trop_status status)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s\n", trop_error());
        exit(1);
    }
}

/* ---- the machine's limits ------------------------------------------------------------------- */

#define COUNT 4000000

enum what { FMA, EXP, EXP_PAIRS };

struct rate {
    const struct bench *bench;
    enum what what;
    double used[64];
};

static void rate_work(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct rate *rate = context;
    const struct trop_kernel *kernel = rate->bench->kernel;
    int64_t count = (last - first) * COUNT;

    if (rate->what == EXP_PAIRS) {
        rate->used[worker] = kernel->pairs->rate_exp(count, -0x1p-20);
    } else if (rate->bench->single) {
        rate->used[worker] = rate->what == EXP ? kernel->single->rate_exp(count, -0x1p-20)
                                               : kernel->single->rate_fma(count, 0.5);
    } else {
        rate->used[worker] = rate->what == EXP ? kernel->tile->rate_exp(count, -0x1p-20)
                                               : kernel->tile->rate_fma(count, 0.5);
    }
}

/* Nanoseconds per number, all threads together. */
static double rate_of(const struct bench *bench, enum what what)
{
    struct rate rate = { .bench = bench, .what = what };
    int64_t lanes = bench->single && what != EXP_PAIRS ? TROP_SINGLE_LANES : TROP_LANES;
    double best = INFINITY;

    for (int r = 0; r < 2 * RUNS; r++) {
        double start = now();
        trop_parallel(bench->threads, bench->threads, rate_work, &rate);
        best = fmin(best, now() - start);
    }
    return best * 1e9 / (double)(COUNT * lanes * bench->threads);
}

/* ---- the same kernels, with scores taken at their word --------------------------------------- */

static void plain_begin(struct trop_tile *tile, const struct trop_attend *a, int64_t first,
                        int64_t last)
{
    const struct trop_scene *s = &a->scene;

    tile->d = s->d;
    tile->values = tile->keys = a->packed_x;
    tile->mass = NULL;
    tile->tag = a->tags;
    tile->span = s->d < 16 ? TROP_BLOCK : TROP_STRIP;
    for (tile->rows = 0; tile->rows < TROP_TILE && first + tile->rows < last; tile->rows++) {
        int64_t i = first + tile->rows;
        tile->index[tile->rows] = i;
        tile->visible[tile->rows] = s->n;
        tile->least[tile->rows] = -INFINITY;
        memcpy(tile->y + tile->rows * s->d, s->y + i * s->d, (size_t)s->d * sizeof *tile->y);
        memcpy(tile->anchor + tile->rows * s->d, s->x + i * s->d, (size_t)s->d * sizeof *tile->y);
    }
}

/* The first column of the largest computed score. */
static int64_t plain_best(double *top, const struct trop_tile *tile, const struct trop_attend *a,
                          int64_t r, int64_t worker)
{
    int64_t n = a->scene.n, *set = a->support + worker * a->stride;

    *top = trop_attend_settle_top(tile, r);
    a->scene.kernel->collect(set, tile->top + r * tile->spans, (n + tile->span - 1) / tile->span,
                             *top);
    int64_t first = set[0] * tile->span;
    int64_t last = first + tile->span < n ? first + tile->span : n;
    a->scene.kernel->tile->scan(set, 0, tile->y + r * tile->d, tile->keys, first, last, tile->d,
                                *top);
    return set[0];
}

static void plain_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct bench *b = context;
    struct trop_attend *a = b->attend;
    struct trop_tile *tile = a->tiles + worker;
    int64_t d = b->d;

    for (int64_t i = first; i < last; i += tile->rows) {
        plain_begin(tile, a, i, last);
        b->kernel->tile->tops(tile);
        for (int64_t r = 0; r < tile->rows; r++) {
            double top;
            int64_t best = plain_best(&top, tile, a, r, worker);
            tile->low[r] = tile->high[r] = tile->least[r] = top - a->scene.numbers.epsilon;
            for (int64_t c = 0; c < d; c++) {
                b->out[(i + r) * d + c] = b->x[best * d + c] - b->x[(i + r) * d + c];
            }
        }
        if (b->rule != &trop_rule_localmax) {
            continue;
        }
        b->kernel->tile->level(tile);
        for (int64_t k = 0; k < tile->rows * d; k++) {
            b->out[i * d + k] = tile->out[k] / tile->total[k / d];
        }
    }
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void load(struct bench *b)
{
    struct trop_matrix identity = { .scale = 1 };
    struct trop_rule_numbers numbers = { .rule = b->rule, .beta = 1, .epsilon = 1 };
    check(trop_attend_load(b->attend, b->x, NULL, b->n, &identity, &numbers));
}

static double time_rows(struct bench *b, struct trop_attend_note *notes)
{
    double best = INFINITY;
    for (int r = 0; r < RUNS; r++) {
        double start = now();
        load(b);
        check(trop_attend_rows(b->out, notes, b->attend, 0));
        best = fmin(best, now() - start);
    }
    return best;
}

static double time_plain(struct bench *b)
{
    double best = INFINITY;
    for (int r = 0; r < RUNS; r++) {
        double start = now();
        load(b);
        trop_attend_tile_begin(b->attend);
        trop_parallel(b->threads, b->n, plain_rows, b);
        best = fmin(best, now() - start);
    }
    return best;
}

/* Runs 200 steps of the rule itself, after which the cloud has collapsed. */
static void collapse(struct bench *b)
{
    trop_attend_precision(b->attend, 0);
    for (int step = 0; step < 200; step++) {
        load(b);
        check(trop_attend_rows(b->out, NULL, b->attend, 0));
        for (int64_t k = 0; k < b->n * b->d; k++) {
            b->x[k] += 0.1 * b->out[k];
        }
    }
}

static void report(struct bench *b)
{
    int soft = b->rule == &trop_rule_softmax;
    trop_attend_precision(b->attend, b->single);
    double seconds = time_rows(b, b->notes), pairs = (double)b->n * (double)b->n;
    double rows = 1e-9 * pairs * ((soft ? 2 : 1) * (double)b->d * b->fma + (soft ? b->exp : 0));
    double power = b->single ? b->exp : b->exp_pairs;
    double limit =
        b->attend->paired ? 1e-9 * pairs * (1.5 * (double)b->d * b->fma + 0.5 * power) : rows;

    printf("%s n=%lld d=%lld precision=%s kernel=%s threads=%lld", b->rule->name, (long long)b->n,
           (long long)b->d, b->single ? "single" : "double", b->kernel->name,
           (long long)b->threads);
    if (strcmp(b->cloud, "gauss") != 0) {
        printf(" cloud=%s", b->cloud);
    }
    printf(" seconds=%.4g ns_per_pair=%.4f fraction=%.2f", seconds, seconds * 1e9 / pairs,
           limit / seconds);
    if (b->attend->paired) {
        printf(" rows=%.2f", rows / seconds);
    }
    if (b->single && soft) {
        printf(" error=%.2g", trop_attend_error(b->attend));
    }
    if (!b->single && !soft) {
        printf(" exactness=%.3f", time_rows(b, NULL) / time_plain(b));
    }
    printf("\n");
    fflush(stdout);
}

static void run_case(struct bench *b)
{
    b->x = room(b->n * b->d, sizeof *b->x);
    b->out = room(b->n * b->d, sizeof *b->out);
    b->notes = room(b->n, sizeof *b->notes);
    for (int64_t k = 0; k < b->n * b->d; k++) {
        b->x[k] = trop_rng_normal(1, TROP_RNG_TEST, (uint64_t)k, 0);
    }
    check(trop_attend_create(&b->attend, b->n, b->d, b->threads, b->kernel, 0));
    if (strcmp(b->cloud, "gauss") != 0) {
        collapse(b);
    }
    report(b);
    trop_attend_free(b->attend);
    free(b->x);
    free(b->out);
    free(b->notes);
}

/* ---- the command line ------------------------------------------------------------------------ */

/* The value of key=value among the arguments, or NULL. */
static const char *asked(int count, char **words, const char *key)
{
    size_t length = strlen(key);
    for (int k = 1; k < count; k++) {
        if (strncmp(words[k], key, length) == 0 && words[k][length] == '=') {
            return words[k] + length + 1;
        }
    }
    return NULL;
}

static int wanted(int count, char **words, const char *key, const char *value)
{
    const char *only = asked(count, words, key);
    return !only || strcmp(only, value) == 0;
}

static int wanted_number(int count, char **words, const char *key, int64_t value)
{
    const char *only = asked(count, words, key);
    return !only || atoll(only) == value;
}

static void rules(struct bench *b, int count, char **words)
{
    static const struct trop_rule *const rule[] = { &trop_rule_softmax, &trop_rule_hardmax,
                                                    &trop_rule_localmax };
    static const int64_t dimensions[] = { 2, 3, 16, 64, 128 };

    for (int r = 0; r < 3; r++) {
        b->rule = rule[r];
        for (int k = 0; wanted(count, words, "rule", b->rule->name) && k < 5; k++) {
            b->d = dimensions[k];
            b->cloud = "gauss";
            if (wanted_number(count, words, "d", b->d) && wanted(count, words, "cloud", "gauss")) {
                run_case(b);
            }
        }
        b->d = 2;
        b->cloud = "step200";
        if (r > 0 && !b->single && wanted(count, words, "rule", b->rule->name) &&
            wanted_number(count, words, "d", b->d) && wanted(count, words, "cloud", b->cloud)) {
            run_case(b);
        }
    }
}

int main(int count, char **words)
{
    const char *n = asked(count, words, "n"), *kernel = asked(count, words, "kernel");
    struct bench b = { .n = n ? atoll(n) : 16384, .kernel = trop_kernel_choose(0) };

    watch = asked(count, words, "clock") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    for (int k = 0; kernel && trop_kernel_list[k]; k++) {
        b.kernel = strcmp(trop_kernel_list[k]->name, kernel) == 0 ? trop_kernel_list[k] : b.kernel;
    }
    for (b.threads = 1; b.threads <= 2; b.threads++) {
        for (b.single = 0; b.single < 2; b.single++) {
            if (!wanted_number(count, words, "threads", b.threads) ||
                !wanted(count, words, "precision", b.single ? "single" : "double")) {
                continue;
            }
            b.fma = rate_of(&b, FMA);
            b.exp = rate_of(&b, EXP);
            b.exp_pairs = rate_of(&b, EXP_PAIRS);
            printf("limit precision=%s kernel=%s threads=%lld ns_per_fma=%.4f ns_per_exp=%.4f "
                   "ns_per_exp_pairs=%.4f\n",
                   b.single ? "single" : "double", b.kernel->name, (long long)b.threads, b.fma,
                   b.exp, b.exp_pairs);
            rules(&b, count, words);
        }
    }
    return 0;
}
