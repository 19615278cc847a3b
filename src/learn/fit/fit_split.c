/* fit_split.c -- which items are learnt from, which choose the epoch, and which are only looked at.
 *
 * Splits that the data have are taken. Without a validation among them, or without splits, items
 * are drawn: a random order of all items, a function of the seed, is cut into
 * the test, the validation and the rest, each class apart, so that every part has its share of
 * every class. With folds, place j of the order of a class belongs to the test of fold j mod folds.
 */
#include "learn/fit/fit.h"

#include "base/rng.h"

#include <math.h>

/* Draws of this stream that are not orders of epochs, which count from 0. */
#define DRAW_SPLITS ((uint64_t)1 << 62)

/* The items of a class that are still to learn from, in random order; how many. */
static int64_t members(int64_t *out, const struct trop_fit *fit, int64_t y)
{
    int64_t count = 0;

    for (int64_t i = 0; i < fit->sequences->n; i++) {
        if (fit->sequences->labels[i] == y && fit->part[i] == TROP_SPLIT_TRAIN) {
            out[count++] = i;
        }
    }
    trop_rng_shuffle(out, count, fit->options.train.seed, TROP_RNG_BATCHES,
                     DRAW_SPLITS + (uint64_t)y);
    return count;
}

/* Of each class a share of what is left goes to the split. */
static void take(struct trop_fit *fit, int64_t split, double share)
{
    const struct trop_fit_options *o = &fit->options;

    for (int64_t y = 0; y < fit->sequences->classes; y++) {
        const int64_t count = members(fit->order, fit, y);
        for (int64_t j = 0; j < count; j++) {
            const int is_fold = split == TROP_SPLIT_TEST && o->folds > 0;
            if (is_fold ? j % o->folds == fit->fold : (double)j < floor(share * (double)count)) {
                fit->part[fit->order[j]] = split;
            }
        }
    }
}

void trop_fit_split_draw(struct trop_fit *fit)
{
    const struct trop_sequences *s = fit->sequences;
    const struct trop_fit_options *o = &fit->options;
    int has_validation = 0;

    for (int64_t i = 0; i < s->n; i++) {
        fit->part[i] = s->splits && o->folds == 0 ? s->splits[i] : TROP_SPLIT_TRAIN;
        has_validation |= fit->part[i] == TROP_SPLIT_VALIDATION;
    }
    if (!s->splits || o->folds > 0) {
        take(fit, TROP_SPLIT_TEST, o->test);
    }
    if (!has_validation) {
        /* Of what the test left; the share is of all items. */
        const double left = s->splits || o->folds > 0 ? 1 : 1 - o->test;
        take(fit, TROP_SPLIT_VALIDATION, left > 0 ? fmin(1, o->validation / left) : 0);
    }
    for (int k = 0; k < TROP_FIT_SPLITS; k++) {
        fit->split[k].items = 0;
    }
    for (int64_t i = 0; i < s->n; i++) {
        struct trop_fit_split *split = fit->split + fit->part[i];
        split->list[split->items++] = i;
    }
}
