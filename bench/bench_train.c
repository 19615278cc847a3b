/* bench_train.c -- steps of training: small models, a large one, and many runs.
 *
 * A line per case, beside those of peers_train.py, which has the same model, data and optimisers
 * (cross-attention, a fixed decoder, logistic loss): the loss after the last step must agree.
 *
 *   train case=small optimizer=nmirror p=3 ... threads=1 seconds_per_step=... loss=...
 *
 * Data are a Weyl sequence, the same bits in both programs; weights start at 0, eta = 0.1. Seconds
 * are of the processor with one worker, of the clock with more; the smallest of several runs.
 *
 * case=fig9: the 6,000 runs of figure 9 of the max-margin paper (six dimensions, 1,000 runs of
 * 1,000 steps with data, training and max-margin solutions), from a sample of them.
 *
 * Lines that begin with gate hold what repeats exactly: a loss to its last bit, and the number of
 * steps, one gradient each, until the loss is below a level.
 *
 *   bench_train [small | large-one | large | fig9 | gate]... */
#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 5 /* the smallest counts */

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

/* ---- data ------------------------------------------------------------------------------------ */

struct sample {
    struct trop_data data;
    double *memory;
};

/* Tokens, queries, decoder: the fractional parts of multiples of a number, on [-1, 1). */
static void draw(struct sample *s, int64_t n, int64_t T, int64_t d)
{
    const int64_t tokens = n * T * d, drawn = tokens + n * d + d;

    s->memory = malloc((size_t)(drawn + n) * sizeof(double));
    if (!s->memory) {
        exit(1);
    }
    for (int64_t k = 0; k < drawn; k++) {
        s->memory[k] = 2 * fmod((double)(k + 1) * 0.7548776662466927, 1.0) - 1;
    }
    for (int64_t i = 0; i < n; i++) {
        s->memory[drawn + i] = i % 2 == 0 ? 1 : -1;
    }
    s->data = (struct trop_data){ .n = n,
                                  .T = T,
                                  .d = d,
                                  .x = s->memory,
                                  .y = s->memory + drawn,
                                  .labels = 1,
                                  .z = s->memory + tokens,
                                  .queries = 1,
                                  .v = s->memory + tokens + n * d };
}

/* ---- steps ----------------------------------------------------------------------------------- */

struct trial {
    const char *name, *optimizer, *p;
    int64_t n, T, d, steps, threads;
};

static struct trop_train *make(const struct trial *t, const struct trop_data *data)
{
    struct trop_train_options o = trop_train_options_default();
    struct trop_train *train = NULL;

    o.data = data;
    o.eta = 0.1;
    o.steps = t->steps;
    o.records = 1;
    o.compare = TROP_TRAIN_COMPARE_NONE;
    o.threads = t->threads;
    check(trop_option_set(&o, trop_train_option_table(), "optimizer", t->optimizer));
    check(trop_option_set(&o, trop_train_option_table(), "p", t->p));
    check(trop_train_create(&train, &o));
    return train;
}

/* The seconds of a run of so many steps, and the loss after them. */
static double seconds_of(const struct trial *t, const struct trop_data *data, int64_t steps,
                         double *loss)
{
    const clockid_t clock = t->threads > 1 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    struct trial here = *t;
    double best = INFINITY;

    here.steps = steps;
    for (int run = 0; run < RUNS; run++) {
        struct trop_train *train = make(&here, data);
        const double start = now(clock);
        check(trop_train_run(train, NULL, NULL));
        best = fmin(best, now(clock) - start);
        check(trop_train_number(loss, train, "loss"));
        trop_train_free(train);
    }
    return best;
}

/* The records of a run, at 0, 1, 10, 100 and its last step, hold norms, margins and logarithms that
 * the peers do not compute. The time of a step is therefore taken from the difference of two runs
 * with equally many records. */
static void measure(const struct trial *t)
{
    const int64_t begin = t->steps / 5;
    struct sample s;
    double loss = 0;

    draw(&s, t->n, t->T, t->d);
    const double first = seconds_of(t, &s.data, begin, &loss);
    const double whole = seconds_of(t, &s.data, t->steps, &loss);
    printf("train case=%s optimizer=%s p=%s n=%lld T=%lld d=%lld steps=%lld threads=%lld "
           "seconds_per_step=%.4g with_records=%.4g loss=%.12g\n",
           t->name, t->optimizer, t->p, (long long)t->n, (long long)t->T, (long long)t->d,
           (long long)t->steps, (long long)t->threads, (whole - first) / (double)(t->steps - begin),
           whole / (double)t->steps, loss);
    fflush(stdout);
    free(s.memory);
}

static const struct trial small[] = {
    { "small", "gd", "3", 6, 8, 10, 9000, 1 },
    { "small", "nmirror", "3", 6, 8, 10, 9000, 1 },
    { "small", "nmirror", "1.75", 6, 8, 10, 9000, 1 },
    { "small", "nmirror", "3", 6, 8, 10, 400, 1 },
    { 0 },
};
static const struct trial large_one[] = {
    { "large-one", "gd", "3", 1000, 64, 64, 60, 1 },
    { "large-one", "nmirror", "3", 1000, 64, 64, 60, 1 },
    { 0 },
};
static const struct trial large[] = {
    { "large", "gd", "3", 1000, 64, 64, 60, 2 },
    { "large", "nmirror", "3", 1000, 64, 64, 60, 2 },
    { 0 },
};

static void measure_all(const struct trial *t)
{
    for (; t->name; t++) {
        measure(t);
    }
}

/* ---- many runs ------------------------------------------------------------------------------- */

/* Data, training and the max-margin solution of one run of figure 9. */
static void run_of_figure_9(int64_t d, uint64_t seed)
{
    struct trop_train_options o = trop_train_options_default();
    struct trop_dataset *set = NULL;
    struct trop_train *train = NULL;

    check(trop_dataset_create(&set, "mm-fig-9", 0, 0, d, seed));
    o.data = trop_dataset_data(set);
    check(trop_option_set(&o, trop_train_option_table(), "optimizer", "ngd"));
    o.eta = 1;
    o.steps = 1000;
    o.start = TROP_TRAIN_NORMAL;
    o.start_scale = .01;
    o.seed = seed;
    o.records = 1;
    o.compare = TROP_TRAIN_COMPARE_FINAL;
    o.threads = 1;
    check(trop_train_create(&train, &o));
    check(trop_train_run(train, NULL, NULL));
    trop_train_free(train);
    trop_dataset_free(set);
}

static void measure_figure_9(void)
{
    static const int64_t dimensions[] = { 2, 5, 10, 100, 300, 500 };
    const int64_t sample = 20;
    double total = 0;

    for (int k = 0; k < 6; k++) {
        const double start = now(CLOCK_PROCESS_CPUTIME_ID);
        for (int64_t j = 0; j < sample; j++) {
            run_of_figure_9(dimensions[k], 100000 + (uint64_t)j);
        }
        const double seconds = 1000 * (now(CLOCK_PROCESS_CPUTIME_ID) - start) / (double)sample;
        printf("train case=fig9 d=%lld runs=1000 steps=1000 sample=%lld core_seconds=%.4g\n",
               (long long)dimensions[k], (long long)sample, seconds);
        total += seconds;
    }
    printf("train case=fig9 d=all runs=6000 steps=1000 sample=%lld core_seconds=%.4g\n",
           (long long)(6 * sample), total);
}

/* ---- what repeats exactly -------------------------------------------------------------------- */

static double loss_after(const struct trial *t, const struct trop_data *data, int64_t steps)
{
    struct trial here = *t;
    double loss = 0;

    here.steps = steps;
    struct trop_train *train = make(&here, data);
    check(trop_train_run(train, NULL, NULL));
    check(trop_train_number(&loss, train, "loss"));
    trop_train_free(train);
    return loss;
}

/* Prints the first step at which the loss, which falls, is at most level (found by bisection), and
 * the loss after all steps to its last bit: both are the same on every machine. */
static void gate(const struct trial *t, double level)
{
    struct sample s;
    int64_t low = 0, high = t->steps; /* above level after low, not after high */

    draw(&s, t->n, t->T, t->d);
    const double last = loss_after(t, &s.data, high);
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        const int above = loss_after(t, &s.data, middle) > level;
        low = above ? middle : low;
        high = above ? high : middle;
    }
    printf("gate train-%s optimizer=%s p=%s steps=%lld loss=%a level=%g steps_to_level=%lld\n",
           t->name, t->optimizer, t->p, (long long)t->steps, last, level, (long long)high);
    free(s.memory);
}

static void gates(void)
{
    gate(&(struct trial){ "small", "gd", "3", 6, 8, 10, 1000, 1 }, 0.12);
    gate(&(struct trial){ "small", "nmirror", "3", 6, 8, 10, 100, 1 }, 0.12);
    gate(&(struct trial){ "small", "nmirror", "1.75", 6, 8, 10, 100, 1 }, 0.12);
    gate(&(struct trial){ "middle", "gd", "3", 100, 33, 20, 30, 1 }, 0.69);
}

int main(int count, char **words)
{
    for (int k = 1; k < count || k == 1; k++) {
        const char *word = count > 1 ? words[k] : "all";
        const int all = strcmp(word, "all") == 0;
        if (all || strcmp(word, "small") == 0) {
            measure_all(small);
        }
        if (all || strcmp(word, "large-one") == 0) {
            measure_all(large_one);
        }
        if (all || strcmp(word, "large") == 0) {
            measure_all(large);
        }
        if (all || strcmp(word, "fig9") == 0) {
            measure_figure_9();
        }
        if (all || strcmp(word, "gate") == 0) {
            gates();
        }
    }
    return 0;
}
