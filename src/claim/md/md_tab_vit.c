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

#include "base/math/pow.h"
#include "claim/sample.h"
#include "claim/sequences.h"

#include <math.h>

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

static const struct trop_sample_size sizes[] = {
    { "items", 150, 1000, 1000000, 1, 1000000 },
    { "steps", 1, 3, 6, 1, 1000 },
    { "folds", 2, 2, 5, 2, 1000 },
    { "epochs", 1, 20, 60, 1, 1000000 },
    { 0 },
};

static void draw(struct trop_case *c)
{
    trop_sequences_begin(c, "digits", 2);
    trop_sample_sizes(c, sizes);
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

/* Row: line and step; run: fold. */
static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const int64_t steps = trop_case_integer(c, "steps"), folds = trop_case_integer(c, "folds");
    struct trop_sequences items = trop_sequences_draw(c, 0);
    int64_t *splits = trop_case_scratch_integers(c, items.n);
    struct trop_md_real_run *trained = trop_md_real_begin(c);

    for (int64_t k = 0; k < items.n; k++) {
        splits[k] = k % folds == run      ? TROP_SPLIT_TEST
                    : k / folds % 10 == 0 ? TROP_SPLIT_VALIDATION
                                          : TROP_SPLIT_TRAIN;
    }
    items.splits = splits;
    items.classes = 10;
    struct trop_fit_options o = trop_sequences_options(
        c, &items, "embed=16 heads=4 positions=1 epochs=@epochs start_scale=%g seed=%llu", SIGMA,
        (unsigned long long)trop_sample_seed(c, 0, run));
    choose_step(&o, row / steps, row % steps, steps);
    trop_case_try(c, trop_md_real_train(trained, &o));
    out[VALIDATION] = trained->fit->split[TROP_SPLIT_VALIDATION].chosen_accuracy;
    out[TEST] = trained->fit->split[TROP_SPLIT_TEST].chosen_accuracy;
}

static void work(struct trop_case *c)
{
    trop_sample_runs(c, "sample", LINES * trop_case_integer(c, "steps"),
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

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t line = 0; line < LINES; line++) {
        struct trop_sample_summary s = { 0 };
        summarise(&s, c, line);
        trop_judge_beside(
            judge, trop_judge_name(judge, "digits, %s: accuracy, at this scale", lines[line].name),
            s.mean, NAN);
        trop_judge_beside(
            judge, trop_judge_name(judge, "digits, %s: deviation of the folds", lines[line].name),
            s.deviation, NAN);
    }
}

static void picture(struct trop_figure *figure, const struct trop_case *c)
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
    .run = { draw, work, conclude, picture },
    .published = vit,
    .size = { 480, 280 },
};
