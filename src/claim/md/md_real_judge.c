/* md_real_judge.c -- what the runs on real texts show: choices, intervals, verdicts. */
#include "claim/md/md_real.h"

#include <math.h>
#include <stdio.h>

#define LEVEL .95
#define TESTED 1000 /* items: below, no difference that anyone claims could be seen */
#define EQUAL .01   /* differences of accuracy that matter to nobody */

/* ---- tuning ---------------------------------------------------------------------------------- */

/* Better accuracy, of equal ones less loss, of equal ones the smaller step. */
static int is_better(const struct trop_md_real_choice *a, const struct trop_md_real_choice *b)
{
    return a->accuracy > b->accuracy ||
           (a->accuracy == b->accuracy &&
            (a->loss < b->loss || (a->loss == b->loss && a->tau < b->tau)));
}

struct trop_md_real_choice trop_md_real_choose(const struct trop_case *c, int64_t row)
{
    const struct trop_view taus = trop_case_view(c, "tuning_tau");
    const int64_t folds = trop_case_size(c, "tuning_accuracy", 2), first = row * taus.columns;
    const double *tau = taus.at + first;
    const double *accuracy = trop_case_array(c, "tuning_accuracy") + first * folds;
    const double *loss = trop_case_array(c, "tuning_loss") + first * folds;
    struct trop_md_real_choice out = { .at = -1, .accuracy = -1, .loss = INFINITY, .tau = NAN };
    double least = INFINITY, most = 0;

    for (int64_t k = 0; k < taus.columns; k++) {
        struct trop_md_real_choice one = { .at = k, .tau = tau[k] };
        if (isnan(tau[k])) {
            continue;
        }
        for (int64_t fold = 0; fold < folds; fold++) {
            one.accuracy += accuracy[k * folds + fold] / (double)folds;
            one.loss += loss[k * folds + fold] / (double)folds;
        }
        least = fmin(least, tau[k]);
        most = fmax(most, tau[k]);
        out = is_better(&one, &out) ? one : out;
    }
    out.edge = out.tau == least || out.tau == most;
    return out;
}

int64_t trop_md_real_row(const struct trop_case *c, int64_t k)
{
    struct trop_md_real_choice best = { 0 };
    int64_t chosen = -1;

    for (int64_t row = k * TROP_MD_REAL_SCALES; row < (k + 1) * TROP_MD_REAL_SCALES; row++) {
        const struct trop_md_real_choice one = trop_md_real_choose(c, row);
        if (chosen < 0 || is_better(&one, &best)) {
            best = one;
            chosen = row;
        }
    }
    return chosen;
}

/* ---- numbers of runs ------------------------------------------------------------------------- */

static const double *run_of(const struct trop_case *c, int64_t row, int64_t run)
{
    return trop_case_array(c, "runs") +
           (row * trop_case_size(c, "runs", 1) + run) * TROP_MD_REAL_COLUMNS;
}

static const double *history_of(const struct trop_case *c, int64_t row, int64_t run)
{
    return trop_case_array(c, "history") + (row * trop_case_size(c, "runs", 1) + run) *
                                               trop_case_size(c, "history", 1) *
                                               TROP_MD_REAL_RECORDS;
}

/* Items tested over items learnt from, of one fold. */
static double ratio_of(const struct trop_case *c)
{
    return 1 / ((double)trop_case_integer(c, "folds") - 1);
}

double trop_md_real_mean(double *half, const struct trop_case *c, int64_t row, int64_t column)
{
    const int64_t runs = trop_case_size(c, "runs", 1);
    double values[TROP_MD_REAL_MOST];
    struct trop_measure_mean mean;

    for (int64_t run = 0; run < runs; run++) {
        values[run] = run_of(c, row, run)[column];
    }
    trop_measure_folds(&mean, values, runs, ratio_of(c), LEVEL);
    if (half) {
        *half = mean.high - mean.mean;
    }
    return mean.mean;
}

double trop_md_real_uniform(const struct trop_case *c, int64_t k, int64_t column)
{
    const int64_t folds = trop_case_size(c, "uniform", 1);
    double sum = 0;

    for (int64_t fold = 0; fold < folds; fold++) {
        sum += trop_case_array(c, "uniform")[(k * folds + fold) * TROP_MD_REAL_COLUMNS + column];
    }
    return sum / (double)folds;
}

/* The least loss that was recorded of a run. */
static double least_loss(const struct trop_case *c, int64_t row, int64_t run)
{
    const double *history = history_of(c, row, run);
    double least = INFINITY;

    for (int64_t e = 0; e < trop_case_size(c, "history", 1); e++) {
        least = fmin(least, history[e * TROP_MD_REAL_RECORDS + TROP_MD_REAL_TRAIN]);
    }
    return least;
}

double trop_md_real_level(const struct trop_case *c, int64_t row, int64_t other, int64_t run)
{
    return fmax(least_loss(c, row, run), least_loss(c, other, run));
}

double trop_md_real_at(const struct trop_case *c, int64_t row, int64_t run, int64_t record,
                       double level)
{
    const double *history = history_of(c, row, run);

    for (int64_t e = 0; e < trop_case_size(c, "history", 1); e++) {
        const double *here = history + e * TROP_MD_REAL_RECORDS;
        if (here[TROP_MD_REAL_TRAIN] <= level) {
            const double *before = e > 0 ? here - TROP_MD_REAL_RECORDS : here;
            const double fall = before[TROP_MD_REAL_TRAIN] - here[TROP_MD_REAL_TRAIN];
            const double part = fall > 0 ? (level - here[TROP_MD_REAL_TRAIN]) / fall : 0;
            return here[record] + part * (before[record] - here[record]) - history[record];
        }
    }
    return NAN;
}

/* ---- one question ---------------------------------------------------------------------------- */

/* Arrays of the items, and scratch of the bootstrap. */
struct room {
    double *table, *drawn;
    int64_t *order;
};

/* Entry name of row less that of other, item by item and seed by seed. */
static void compare_items(struct trop_md_real_answer *out, const struct trop_case *c,
                          struct room *room, const char *name, int64_t row, int64_t other)
{
    const int64_t items = trop_case_size(c, name, 1), seeds = trop_case_size(c, name, 2);
    const int64_t folds = trop_case_integer(c, "folds");
    const double *values = trop_case_array(c, name);
    double sums[TROP_MD_REAL_MOST] = { 0 }, counts[TROP_MD_REAL_MOST] = { 0 };

    for (int64_t at = 0; at < items * seeds; at++) {
        const double gap = values[row * items * seeds + at] - values[other * items * seeds + at];
        const int64_t run = at / seeds % folds * seeds + at % seeds;
        room->table[at] = gap;
        sums[run] += isnan(gap) ? 0 : gap;
        counts[run] += !isnan(gap);
    }
    trop_measure_bootstrap(&out->mean, room->drawn, room->order, room->table, items, seeds, LEVEL,
                           trop_case_integer(c, "draws"), c->seed);
    for (int64_t run = 0; run < folds * seeds; run++) {
        sums[run] /= counts[run];
    }
    trop_measure_folds(&out->folds, sums, folds * seeds, ratio_of(c), LEVEL);
}

static void compare_weights(struct trop_md_real_answer *out, const struct trop_case *c, int64_t row,
                            int64_t other)
{
    const int64_t runs = trop_case_size(c, "runs", 1);
    double gaps[TROP_MD_REAL_MOST];

    for (int64_t run = 0; run < runs; run++) {
        const double level = trop_md_real_level(c, row, other, run);
        gaps[run] = trop_md_real_at(c, row, run, TROP_MD_REAL_HOYER, level) -
                    trop_md_real_at(c, other, run, TROP_MD_REAL_HOYER, level);
    }
    trop_measure_folds(&out->folds, gaps, runs, ratio_of(c), LEVEL);
    out->mean = out->folds;
}

static void compare(struct trop_md_real_answer *out, const struct trop_case *c, struct room *room,
                    int64_t question, int64_t row, int64_t other)
{
    if (question == TROP_MD_REAL_SPARSER) {
        compare_weights(out, c, row, other);
    } else {
        compare_items(out, c, room, question == TROP_MD_REAL_BETTER ? "right" : "auc", row, other);
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int sign_of(const struct trop_measure_mean *mean)
{
    return (mean->low > 0) - (mean->high < 0);
}

static void answer(struct trop_md_real_answers *out, const struct trop_case *c, struct room *room)
{
    const int64_t row = trop_md_real_row(c, 0), other = trop_md_real_row(c, 1);
    double p[3], adjusted[3];

    for (int64_t k = 0; k < 3; k++) {
        int signs[TROP_MD_REAL_SCALES] = { 0 };
        for (int64_t s = 0; s < TROP_MD_REAL_SCALES; s++) {
            struct trop_md_real_answer one;
            compare(&one, c, room, k, s, TROP_MD_REAL_SCALES + s);
            out->of[k].scale[s] = one.mean.mean;
            signs[s] = sign_of(&one.mean);
            out->of[k].turns |= s > 0 && signs[s] * signs[0] < 0;
        }
        compare(out->of + k, c, room, k, row, other);
        p[k] = out->of[k].mean.p;
    }
    trop_measure_holm(adjusted, p, 3);
    for (int64_t k = 0; k < 3; k++) {
        struct trop_md_real_answer *one = out->of + k;
        const int decides = out->whole && out->inside && !one->turns;
        one->adjusted = adjusted[k];
        one->truth = decides && adjusted[k] <= 1 - LEVEL ? one->mean.mean > 0 : -1;
    }
}

static int is_whole(const struct trop_case *c)
{
    return trop_case_number(c, "coarse") >= 6 && trop_case_number(c, "fine") >= 6 &&
           trop_case_number(c, "tuning") >= 2 && trop_case_number(c, "folds") >= 5 &&
           trop_case_number(c, "seeds") >= 5 && trop_case_size(c, "right", 1) >= TESTED;
}

/* 1 when more than half of the runs of a row are best at their last epoch, not counting those that
 * ended there because they diverged. */
static int is_short(const struct trop_case *c, int64_t row)
{
    const int64_t runs = trop_case_size(c, "runs", 1);
    int64_t late = 0;

    for (int64_t run = 0; run < runs; run++) {
        const double *one = run_of(c, row, run);
        late +=
            one[TROP_MD_REAL_CHOSEN] == one[TROP_MD_REAL_EPOCHS] && one[TROP_MD_REAL_DIVERGED] == 0;
    }
    return 2 * late > runs;
}

static int is_inside(const struct trop_case *c)
{
    int64_t edges = 0;

    for (int64_t k = 0; k < 2; k++) {
        const int64_t row = trop_md_real_row(c, k);
        const struct trop_md_real_choice best = trop_md_real_choose(c, row);
        edges += best.edge || is_short(c, row);
    }
    return edges == 0;
}

struct trop_md_real_answers trop_md_real_answer(const struct trop_case *c)
{
    const struct trop_view right = trop_case_view(c, "right");
    const int64_t draws = trop_case_integer(c, "draws");
    struct room room = { trop_case_scratch(c, right.columns * right.depth),
                         trop_case_scratch(c, draws), trop_case_scratch_integers(c, draws) };
    struct trop_md_real_answers out = { .whole = is_whole(c), .inside = is_inside(c) };

    if (trop_case_size(c, "runs", 1) > TROP_MD_REAL_MOST) {
        trop_case_refuse(c, "folds and seeds: more than %d runs of a setting", TROP_MD_REAL_MOST);
    }
    answer(&out, c, &room);
    return out;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void beside(struct trop_judge *judge, const char *name, double value)
{
    trop_judge_beside(judge, name, value, NAN);
}

void trop_md_real_beside(struct trop_judge *judge, int64_t k, const char *what, double value,
                         double published)
{
    trop_judge_beside(judge, trop_judge_name(judge, "%s: %s", trop_md_real_names[k], what), value,
                      published);
}

void trop_md_real_published(struct trop_judge *judge, const struct trop_published *list)
{
    for (; list->name; list++) {
        trop_judge_beside(judge, list->name, NAN, list->value);
    }
}

void trop_md_real_conclude(struct trop_judge *judge, const struct trop_case *c, int64_t question,
                           const char *what, double unit)
{
    const struct trop_md_real_answers answers = trop_md_real_answer(c);
    const struct trop_md_real_answer *a = answers.of + question;

    trop_judge_truth(judge, "the whole protocol was run", -1, answers.whole ? 1 : -1);
    trop_judge_truth(judge, "best steps and epochs are inside their grids", -1,
                     answers.inside ? 1 : -1);
    trop_judge_truth(judge, "no start turns the sign", -1, a->turns ? -1 : 1);
    trop_judge_above(judge, trop_judge_name(judge, "%s, 1.1 less 2, at this scale", what),
                     unit * a->mean.mean, 0, unit * (a->mean.high - a->mean.low) / 2, a->truth);
    beside(judge, "  95% interval: from", unit * a->mean.low);
    beside(judge, "  95% interval: to", unit * a->mean.high);
    beside(judge, "  p-value by Holm, of three tests", a->adjusted);
    if (question != TROP_MD_REAL_SPARSER) {
        beside(judge, "  by folds (Nadeau, Bengio): from", unit * a->folds.low);
        beside(judge, "  by folds (Nadeau, Bengio): to", unit * a->folds.high);
    }
    if (question == TROP_MD_REAL_BETTER) {
        beside(judge, "  1: no difference of a point",
               a->mean.low > -EQUAL && a->mean.high < EQUAL);
    }
    for (int64_t s = 0; s < TROP_MD_REAL_SCALES; s++) {
        beside(judge, trop_judge_name(judge, "  both started at scale %g", trop_md_real_scales[s]),
               unit * a->scale[s]);
    }
    for (int64_t k = 0; k < TROP_MD_REAL_EXPONENTS; k++) {
        const int64_t row = trop_md_real_row(c, k);
        const double sigma = trop_md_real_scales[row % TROP_MD_REAL_SCALES];
        const double tau = trop_md_real_choose(c, row).tau;
        trop_md_real_beside(judge, k, "scale of the start", sigma, NAN);
        trop_md_real_beside(judge, k, "step size",
                            trop_md_real_eta(tau, trop_md_real_exponents[k], sigma), NAN);
    }
}
