/* gate.c -- what a case costs, in numbers that repeat exactly.
 *
 *   gate FILE counts [wide]     iterations of the solvers: NAME iterations=N
 *   gate FILE kernels [wide]    under callgrind: NAME pairs=N, a call of gate_measured each
 *
 * FILE has one case per line, KIND NAME key=value ..., or 'wide KIND NAME ...' for those that take
 * longer; empty lines and those that begin with # are skipped. The keys are options by the names of
 * their tables, and
 *
 *   flow    after   steps taken before the one that counts
 *   copies  copies  how many of the flow; the whole run counts, steps=K of it
 *   margin  inputs, tokens, dimension of the drawn data; counts
 *   train   the same, and all its steps count
 *   fit     inputs, tokens (at most, of an item), words; the epoch that counts is the first
 *   reach   the same, and level: steps to the first record at which log(loss - infimum) is below it
 *   path    the same; counts, summed over the radii
 *
 * So a case can be written before its option exists: it is then 'NAME refused: ...', which
 * tests/gates.sh minds only where a count is on record. One thread throughout. */
#include "tropism.h"

#include "base/rng.h"
#include "learn/fit/fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 40

struct gate_case {
    const char *kind, *name;
    const char *pairs[2 * WORDS + 1]; /* option, text, ..., NULL: what the tables know */
    int64_t after, copies, inputs, tokens, dimension, words;
    double level;
};

static void stop(const char *what)
{
    fprintf(stderr, "gate: %s\n", what);
    exit(1);
}

static void refused(const struct gate_case *c)
{
    printf("%s refused: %s\n", c->name, trop_error());
}

/* ---- what callgrind counts ------------------------------------------------------------------- */

/* What is measured is everything between the entry of this function and its end. callgrind finds it
 * by its name, so it is called through a pointer that the compiler cannot see through: it is
 * neither inlined nor cloned. */
enum trop_status gate_measured(enum trop_status (*work)(void *), void *context);

enum trop_status gate_measured(enum trop_status (*work)(void *), void *context)
{
    enum trop_status status = work(context);

    /* Something after the call, or it would become a jump and the function end before its work. */
    __asm__ volatile("" ::: "memory");
    return status;
}

static enum trop_status (*volatile measure)(enum trop_status (*)(void *), void *) = gate_measured;

/* ---- tokens that move ------------------------------------------------------------------------ */

static enum trop_status set_all(void *options, const struct trop_option *table,
                                const struct gate_case *c)
{
    enum trop_status status = TROP_OK;

    for (int k = 0; c->pairs[k] && status == TROP_OK; k += 2) {
        status = trop_option_set(options, table, c->pairs[k], c->pairs[k + 1]);
    }
    return status;
}

static enum trop_status one_step(void *context)
{
    return trop_flow_step(context, 1);
}

static double option_of(const struct gate_case *c, const char *name)
{
    for (int k = 0; c->pairs[k]; k += 2) {
        if (strcmp(c->pairs[k], name) == 0) {
            return strtod(c->pairs[k + 1], NULL);
        }
    }
    return 0;
}

static void flow(const struct gate_case *c)
{
    struct trop_flow *f = NULL;
    const double n = option_of(c, "n");

    if (trop_flow_create_from(&f, c->pairs) != TROP_OK ||
        (c->after > 0 && trop_flow_step(f, c->after) != TROP_OK) ||
        measure(one_step, f) != TROP_OK) {
        refused(c);
    } else {
        printf("%s pairs=%.0f\n", c->name, n * n);
    }
    trop_flow_free(f);
}

static enum trop_status all_copies(void *context)
{
    return trop_copies_run(context, NULL, NULL);
}

static void copies(const struct gate_case *c)
{
    struct trop_copies_options o = trop_copies_options_default();
    struct trop_copies *many = NULL;
    const double n = option_of(c, "n"), steps = option_of(c, "steps");

    o.copies = c->copies;
    if (set_all(&o.flow, trop_flow_option_table(), c) != TROP_OK ||
        trop_copies_create(&many, &o) != TROP_OK || measure(all_copies, many) != TROP_OK) {
        refused(c);
    } else {
        printf("%s pairs=%.0f\n", c->name, n * n * steps * (double)c->copies);
    }
    trop_copies_free(many);
}

/* ---- data: tokens and queries on the unit sphere, a decoder, labels -------------------------- */

struct sample {
    struct trop_data data;
    double *x, *z, *v, *y;
};

/* Of numbers of up to 8 bytes. */
static void *room(int64_t count)
{
    void *array = malloc((size_t)(count + 1) * sizeof(double));

    if (!array) {
        stop("no memory");
    }
    return array;
}

static void draw(struct sample *s, int64_t n, int64_t T, int64_t d)
{
    s->x = room(n * T * d);
    s->z = room(n * d);
    s->v = room(d);
    s->y = room(n);
    for (int64_t k = 0; k < n * T; k++) {
        trop_rng_sphere(s->x + k * d, d, 1, TROP_RNG_DATA, (uint64_t)k);
    }
    for (int64_t i = 0; i < n; i++) {
        trop_rng_sphere(s->z + i * d, d, 2, TROP_RNG_DATA, (uint64_t)i);
        s->y[i] = trop_rng_uniform(3, TROP_RNG_DATA, (uint64_t)i, 0) < 0.5 ? -1 : 1;
    }
    trop_rng_sphere(s->v, d, 4, TROP_RNG_DATA, 0);
    s->data = (struct trop_data){ .n = n, .T = T, .d = d, .x = s->x, .y = s->y, .labels = 1 };
    s->data.z = s->z;
    s->data.queries = 1;
    s->data.v = s->v;
}

static void drop(struct sample *s)
{
    free(s->x);
    free(s->z);
    free(s->v);
    free(s->y);
}

/* ---- solvers --------------------------------------------------------------------------------- */

static void margin(const struct gate_case *c)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *m = NULL;
    struct sample s;
    double iterations;

    draw(&s, c->inputs, c->tokens, c->dimension);
    o.data = &s.data;
    if (set_all(&o, trop_margin_option_table(), c) != TROP_OK ||
        trop_margin_create(&m, &o) != TROP_OK || trop_margin_run(m, NULL, NULL) != TROP_OK ||
        trop_margin_number(&iterations, m, "iterations") != TROP_OK) {
        refused(c);
    } else {
        printf("%s iterations=%.0f\n", c->name, iterations);
    }
    trop_margin_free(m);
    drop(&s);
}

/* Iterations of the best start, over all radii. */
static enum trop_status path_iterations(double *out, const struct trop_path *p)
{
    struct trop_value rows = { 0 }, value = { 0 };
    enum trop_status status = trop_path_value(&rows, p, "radii");

    *out = 0;
    for (int64_t row = 0; row < rows.shape[0] && status == TROP_OK; row++) {
        status = trop_field_cell(&value, trop_path_field_table(), p, "radii", "iterations", row);
        *out += (double)value.integer;
    }
    return status;
}

static void path(const struct gate_case *c)
{
    struct trop_path_options o = trop_path_options_default();
    struct trop_path *p = NULL;
    struct sample s;
    double iterations;

    draw(&s, c->inputs, c->tokens, c->dimension);
    o.data = &s.data;
    if (set_all(&o, trop_path_option_table(), c) != TROP_OK ||
        trop_path_create(&p, &o) != TROP_OK || trop_path_run(p, NULL, NULL) != TROP_OK ||
        path_iterations(&iterations, p) != TROP_OK) {
        refused(c);
    } else {
        printf("%s iterations=%.0f\n", c->name, iterations);
    }
    trop_path_free(p);
    drop(&s);
}

/* ---- training -------------------------------------------------------------------------------- */

static enum trop_status whole_run(void *context)
{
    return trop_train_run(context, NULL, NULL);
}

static void train(const struct gate_case *c)
{
    struct trop_train_options o = trop_train_options_default();
    struct trop_train *t = NULL;
    struct sample s;

    draw(&s, c->inputs, c->tokens, c->dimension);
    o.data = &s.data;
    if (set_all(&o, trop_train_option_table(), c) != TROP_OK ||
        trop_train_create(&t, &o) != TROP_OK || measure(whole_run, t) != TROP_OK) {
        refused(c);
    } else {
        printf("%s pairs=%" PRId64 "\n", c->name, c->inputs * c->tokens * trop_train_steps(t));
    }
    trop_train_free(t);
    drop(&s);
}

static enum trop_status one_epoch(void *context)
{
    int done;

    return trop_fit_step(&done, context, 1, NULL, NULL);
}

/* Items of half to all of the tokens; their words have Zipf's law, so that batches share some. */
static void fit(const struct gate_case *c)
{
    int64_t *offsets = room(c->inputs), *labels = room(c->inputs);
    int32_t *ids = room(c->inputs * c->tokens);
    struct trop_fit *f = NULL;
    int start;

    offsets[0] = 0;
    for (int64_t i = 0; i < c->inputs; i++) {
        labels[i] = i % 2;
        offsets[i + 1] = offsets[i] + c->tokens - i % (c->tokens / 2 + 1);
        for (int64_t t = offsets[i]; t < offsets[i + 1]; t++) {
            const double u = trop_rng_uniform(1, TROP_RNG_DATA, (uint64_t)t, 0);
            ids[t] = (int32_t)((double)c->words * u * u * u);
        }
    }
    const struct trop_sequences sequences = { .n = c->inputs,
                                              .offsets = offsets,
                                              .ids = ids,
                                              .words = c->words,
                                              .labels = labels,
                                              .classes = 2 };
    if (trop_fit_create_from(&f, &sequences, c->pairs) != TROP_OK ||
        trop_fit_step(&start, f, 1, NULL, NULL) != TROP_OK || measure(one_epoch, f) != TROP_OK) {
        refused(c);
    } else {
        printf("%s pairs=%" PRId64 "\n", c->name, offsets[c->inputs]);
    }
    trop_fit_free(f);
    free(offsets);
    free(labels);
    free(ids);
}

/* The first record below the level; -1: none is. */
static enum trop_status steps_to(int64_t *out, const struct trop_train *t, double level)
{
    const struct trop_field *table = trop_train_field_table();
    struct trop_value rows = { 0 }, gap = { 0 }, step = { .integer = -1 };
    enum trop_status status = trop_train_value(&rows, t, "history");

    for (int64_t row = 0; row < rows.shape[0] && status == TROP_OK; row++) {
        status = trop_field_cell(&gap, table, t, "history", "log_gap", row);
        if (gap.kind == TROP_KIND_NUMBER && gap.number < level) {
            status = trop_field_cell(&step, table, t, "history", "step", row);
            break;
        }
    }
    *out = step.integer;
    return status;
}

static void reach(const struct gate_case *c)
{
    struct trop_train_options o = trop_train_options_default();
    struct trop_train *t = NULL;
    struct sample s;
    int64_t steps;

    draw(&s, c->inputs, c->tokens, c->dimension);
    o.data = &s.data;
    if (set_all(&o, trop_train_option_table(), c) != TROP_OK ||
        trop_train_create(&t, &o) != TROP_OK || trop_train_run(t, NULL, NULL) != TROP_OK ||
        steps_to(&steps, t, c->level) != TROP_OK) {
        refused(c);
    } else {
        printf("%s iterations=%" PRId64 "\n", c->name, steps);
    }
    trop_train_free(t);
    drop(&s);
}

/* ---- the file of cases ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(const struct gate_case *);
    const char *pass;
} kinds[] = {
    { "flow", flow, "kernels" }, { "copies", copies, "kernels" }, { "train", train, "kernels" },
    { "fit", fit, "kernels" },   { "margin", margin, "counts" },  { "reach", reach, "counts" },
    { "path", path, "counts" },
};

/* Takes a word key=value: the key belongs to this program, or is the name of an option. */
static void take(struct gate_case *c, int *used, char *word)
{
    char *value = strchr(word, '=');

    if (!value || *used >= WORDS - 1) {
        stop("a case has words that are not key=value, or too many");
    }
    *value++ = '\0';
    if (strcmp(word, "after") == 0) {
        c->after = strtoll(value, NULL, 10);
    } else if (strcmp(word, "copies") == 0) {
        c->copies = strtoll(value, NULL, 10);
    } else if (strcmp(word, "inputs") == 0) {
        c->inputs = strtoll(value, NULL, 10);
    } else if (strcmp(word, "tokens") == 0) {
        c->tokens = strtoll(value, NULL, 10);
    } else if (strcmp(word, "dimension") == 0) {
        c->dimension = strtoll(value, NULL, 10);
    } else if (strcmp(word, "words") == 0) {
        c->words = strtoll(value, NULL, 10);
    } else if (strcmp(word, "level") == 0) {
        c->level = strtod(value, NULL);
    } else {
        c->pairs[2 * *used] = word;
        c->pairs[2 * (*used)++ + 1] = value;
    }
}

static void run_line(char *line, const char *pass, int wide)
{
    struct gate_case c = { .inputs = 6, .tokens = 8, .dimension = 10 };
    int used = 0;

    c.kind = strtok(line, " \n");
    if (c.kind && strcmp(c.kind, "wide") == 0) {
        c.kind = wide ? strtok(NULL, " \n") : NULL;
    }
    if (!c.kind || c.kind[0] == '#') {
        return;
    }
    c.name = strtok(NULL, " \n");
    if (!c.name) {
        stop("a case has no name");
    }
    for (char *word = strtok(NULL, " \n"); word; word = strtok(NULL, " \n")) {
        take(&c, &used, word);
    }
    c.pairs[2 * used] = "threads";
    c.pairs[2 * used + 1] = "1";
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strcmp(kinds[k].name, c.kind) == 0) {
            if (strcmp(kinds[k].pass, pass) == 0) {
                kinds[k].run(&c);
                fflush(stdout);
            }
            return;
        }
    }
    stop("a case is of no kind that is known");
}

int main(int count, char **words)
{
    char line[2048];
    FILE *file = count >= 3 ? fopen(words[1], "r") : NULL;

    if (!file) {
        stop("usage: gate FILE counts|kernels [wide]");
    }
    while (fgets(line, sizeof line, file)) {
        run_line(line, words[2], count > 3 && strcmp(words[3], "wide") == 0);
    }
    fclose(file);
    return 0;
}
