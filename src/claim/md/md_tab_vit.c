/* md_tab_vit.c -- vision transformers on CIFAR-10 and CIFAR-100 (mirror-descent paper). The numbers
 * are those of the authors' published notebooks, single runs.
 *
 * A reading at a smaller scale stands beside them: one attention layer with four heads on the 1797
 * handwritten digits, patches of 2 x 2 pixels its 16 tokens, places added, ten classes. Step and
 * epoch are chosen by a tenth of what a fold leaves, and its test is looked at once. It decides
 * nothing about CIFAR.
 */
#include "claim/md/md_real.h"
#include "claim/md/md_tables.h"

#include "base/alloc.h"
#include "base/math/pow.h"
#include "base/status.h"
#include "claim/sample.h"
#include "claim/sequences.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdio.h>

static const struct trop_published vit[] = {
    { "CIFAR-10, p = 1.1: accuracy", .8241 },
    { "CIFAR-10, p = 1.75: accuracy", .8192 },
    { "CIFAR-10, p = 2: accuracy", .8232 },
    { "CIFAR-10, p = 3: accuracy", .8248 },
    { "CIFAR-10, Adam: accuracy", .8263 },
    { "CIFAR-100, p = 1.1: accuracy", .5557 },
    { "CIFAR-100, p = 1.75: accuracy", .5543 },
    { "CIFAR-100, p = 2: accuracy", .5507 },
    { "CIFAR-100, p = 3: accuracy", .5525 },
    { "CIFAR-100, Adam: accuracy", .5467 },
    { "CIFAR-10, p = 1.1: hours", 29.80 },
    { "CIFAR-10, p = 1.75: hours", 29.88 },
    { "CIFAR-10, p = 2: hours", 29.28 },
    { "CIFAR-10, p = 3: hours", 29.70 },
    { "CIFAR-10, Adam: hours", 29.46 },
    { "CIFAR-100, p = 1.1: hours", 25.27 },
    { "CIFAR-100, p = 1.75: hours", 25.37 },
    { "CIFAR-100, p = 2: hours", 25.21 },
    { "CIFAR-100, p = 3: hours", 25.12 },
    { "CIFAR-100, Adam: hours", 24.93 },
    { 0 },
};

/* ---- the reading ----------------------------------------------------------------------------- */

enum { P11, P175, P2, P3, ADAM, LINES };

static const struct {
    const char *name;
    double p; /* 0: Adam */
} lines[LINES] = {
    { "p = 1.1", 1.1 }, { "p = 1.75", 1.75 }, { "p = 2", 2 }, { "p = 3", 3 }, { "Adam", 0 }
};

#define SIGMA .2

/* Of one run: accuracies at the chosen epoch. */
enum { VALIDATION, TEST, COLUMNS };

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status =
        trop_case_has(c, "labels") ? TROP_OK : trop_sequences_read(c, "digits", 2);

    status = status == TROP_OK ? trop_sequences_check(c) : status;
    const struct {
        const char *name;
        int64_t few, some, all;
    } sizes[] = { { "items", 150, 1000, 1000000 },
                  { "steps", 1, 3, 6 },
                  { "folds", 2, 2, 5 },
                  { "epochs", 1, 20, 60 } };
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && status == TROP_OK; k++) {
        status = trop_case_default(
            c, sizes[k].name,
            (double)trop_sample_effort(c, sizes[k].few, sizes[k].some, sizes[k].all));
    }
    return status;
}

/* Of six steps tau = .05, .1, ..., 1.6 for mirror descent, fifty times less for Adam; of fewer the
 * same range. */
static void choose_step(struct trop_fit_options *o, int64_t line, int64_t step, int64_t steps)
{
    const double at = (double)step + (steps < 6 ? .5 : 0), p = lines[line].p;
    const double tau = .05 * trop_pow(2, 6 * at / (double)steps);

    o->train.optimizer = p > 0 ? TROP_OPTIMIZER_MIRROR : TROP_OPTIMIZER_ADAM;
    o->train.p = p > 0 ? p : 2;
    o->train.eta = p > 0 ? trop_md_real_eta(tau, p, SIGMA) : tau / 50;
}

static enum trop_status make_items(struct trop_sequences_set *out, int64_t **splits,
                                   const struct trop_case *c, int64_t fold)
{
    const int64_t all = trop_case_size(c, "labels", 0), folds = trop_case_integer(c, "folds");
    const int64_t most = trop_case_integer(c, "items"), n = all < most ? all : most;
    int64_t *order = trop_alloc(all, sizeof *order);
    enum trop_status status = TROP_OK;

    *splits = trop_alloc(n, sizeof **splits);
    if (!order || !*splits) {
        trop_alloc_free(order);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld images", (long long)n);
    }
    trop_sequences_shuffle(order, all, c, 1);
    status = trop_sequences_make(out, c, order, n);
    for (int64_t k = 0; status == TROP_OK && k < n; k++) {
        (*splits)[k] = k % folds == fold     ? TROP_SPLIT_TEST
                       : k / folds % 10 == 0 ? TROP_SPLIT_VALIDATION
                                             : TROP_SPLIT_TRAIN;
    }
    out->items.splits = *splits;
    out->items.classes = 10;
    trop_alloc_free(order);
    return status;
}

/* Row: line and step; run: fold. */
static enum trop_status one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const int64_t steps = trop_case_integer(c, "steps");
    struct trop_sequences_set set = { 0 };
    struct trop_md_real_run trained = { 0 };
    struct trop_fit_options o = trop_fit_options_default();
    int64_t *splits = NULL;
    enum trop_status status = make_items(&set, &splits, c, run);

    o.sequences = &set.items;
    o.embed = 16;
    o.heads = 4;
    o.positions = 1;
    o.epochs = trop_case_integer(c, "epochs");
    o.train.start_scale = SIGMA;
    o.train.seed = trop_sample_seed(c, 0, run);
    o.train.threads = 1;
    choose_step(&o, row / steps, row % steps, steps);
    if (status == TROP_OK) {
        status = trop_md_real_train(&trained, &o);
    }
    if (status == TROP_OK) {
        out[VALIDATION] = trained.fit->split[TROP_SPLIT_VALIDATION].chosen_accuracy;
        out[TEST] = trained.fit->split[TROP_SPLIT_TEST].chosen_accuracy;
    }
    trop_fit_free(trained.fit);
    trop_sequences_release(&set);
    trop_alloc_free(splits);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    return trop_sample_fill(c, "sample", LINES * trop_case_integer(c, "steps"),
                            trop_case_integer(c, "folds"), COLUMNS, one);
}

/* The accuracy of the tests at the step with the best validation. */
static void summarise(struct trop_sample_summary *out, const struct trop_case *c, int64_t line)
{
    const int64_t steps = trop_case_integer(c, "steps");
    double most = -1;

    for (int64_t row = line * steps; row < (line + 1) * steps; row++) {
        struct trop_sample_summary s;
        trop_sample_summary(&s, c, "sample", row, VALIDATION);
        if (s.mean > most) {
            most = s.mean;
            trop_sample_summary(out, c, "sample", row, TEST);
        }
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t line = 0; line < LINES; line++) {
        struct trop_sample_summary s = { 0 };
        char name[64];
        summarise(&s, c, line);
        snprintf(name, sizeof name, "digits, %s: accuracy, at this scale", lines[line].name);
        trop_judge_beside(judge, name, s.mean, NAN);
        snprintf(name, sizeof name, "digits, %s: deviation of the folds", lines[line].name);
        trop_judge_beside(judge, name, s.deviation, NAN);
    }
    return TROP_OK;
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const char *const legends[] = { "digits, ours", "CIFAR-10, published",
                                           "CIFAR-100, published" };
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const char *names[LINES];
    double values[3 * LINES], x[LINES], y[LINES], error[LINES];

    for (int64_t line = 0; line < LINES; line++) {
        struct trop_sample_summary s = { 0 };
        summarise(&s, c, line);
        names[line] = lines[line].name;
        values[3 * line] = y[line] = s.mean;
        values[3 * line + 1] = vit[line].value;
        values[3 * line + 2] = vit[LINES + line].value;
        x[line] = (double)line - .27;
        error[line] = 2 * s.deviation / sqrt((double)s.runs);
    }
    trop_panel_names_x(panel, names, LINES);
    trop_panel_y(panel, "test accuracy", TROP_SCALE_LINEAR);
    trop_panel_range_y(panel, .4, 1);
    trop_panel_bars(panel, values, LINES, 3, legends);
    trop_panel_errors(panel, x, y, error, LINES, (struct trop_pen){ .colour = TROP_COLOUR_BLACK });
    return TROP_OK;
}

const struct trop_claim trop_md_tab_vit = {
    .id = "md-tab-vit",
    .title = "vision transformers",
    .statement = "Vision transformers trained by mirror descent reach accuracies near those of "
                 "Adam on CIFAR-10 and above them on CIFAR-100, in the same time.",
    .status = TROP_CLAIM_NEEDS_DATA,
    .remark = "Needs CIFAR and a graphics processor for days; published are single runs of 2000 "
              "epochs. Beside them one attention layer on 8 x 8 digits, five folds, step and epoch "
              "by validation: a reading at this scale, which decides nothing.",
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .published = vit,
    .trials = 1,
    .width = 480,
    .height = 280,
};
