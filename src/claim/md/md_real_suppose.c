/* md_real_suppose.c -- the protocol on real texts: results that are made up, to see that the judges
 * notice what is wrong. */
#include "claim/md/md_real.h"

#include "base/math/pow.h"

#include <math.h>

enum { FOLDS = 5, SEEDS = 5, TAUS = 12, TUNING = 2, EPOCHS = 6, ITEMS = 1200 };

/* Of exponent k = 0, 1, 2: Hoyer's measure rises by .15, .05 and 0 while the loss falls from .7 to
 * .1. */
static void suppose_run(const struct trop_md_real_results *out, const struct trop_case *c,
                        int64_t row, int64_t run)
{
    static const double rises[] = { .15, .05, 0 };
    const int64_t k = row / TROP_MD_REAL_SCALES, at = row * FOLDS * SEEDS + run;

    out->runs[at * TROP_MD_REAL_COLUMNS + TROP_MD_REAL_TAU] = 1;
    out->runs[at * TROP_MD_REAL_COLUMNS + TROP_MD_REAL_EPOCHS] = EPOCHS;
    out->runs[at * TROP_MD_REAL_COLUMNS + TROP_MD_REAL_CHOSEN] = 3;
    for (int64_t e = 0; e < EPOCHS; e++) {
        double *record = out->history + (at * EPOCHS + e) * TROP_MD_REAL_RECORDS;
        const double part = (double)e / (EPOCHS - 1);
        const double noise = .02 * trop_case_normal(c, 2, at * EPOCHS + e);
        record[TROP_MD_REAL_TRAIN] = .7 - .6 * part;
        record[TROP_MD_REAL_HOYER] = .2 + rises[k] * part + (e > 0 ? noise : 0);
        record[TROP_MD_REAL_SHARE] = .6 - rises[k] * part;
    }
}

/* Accuracy .80, .74 and .72, an item being as hard for every p; AUC .85, .78 and .7, of nine items
 * in ten. */
static void suppose_item(const struct trop_md_real_results *out, const struct trop_case *c,
                         int64_t row, int64_t i, int64_t seed)
{
    static const double shares[] = { .80, .74, .72 }, aucs[] = { .85, .78, .7 };
    const int64_t k = row / TROP_MD_REAL_SCALES, at = (row * ITEMS + i) * SEEDS + seed;
    const double hard = .9 * trop_case_uniform(c, 3, i) + .1 * trop_case_uniform(c, 4, at);

    out->right[at] = hard < shares[k];
    out->auc[at] = i % 10 ? aucs[k] + .1 * trop_case_normal(c, 5, at) : NAN;
}

/* The best of the steps is in the middle. */
static void suppose_tau(const struct trop_md_real_results *out, int64_t row, int64_t k)
{
    const int64_t at = row * TAUS + k;
    const double away = (double)k - 5;

    out->tau[at] = trop_pow(2, away);
    for (int64_t fold = 0; fold < TUNING; fold++) {
        out->accuracy[at * TUNING + fold] = .7 - .01 * fabs(away);
        out->loss[at * TUNING + fold] = .6 + .01 * fabs(away);
    }
}

void trop_md_real_suppose(struct trop_case *c)
{
    trop_case_put(c, "coarse", 6);
    trop_case_put(c, "fine", TAUS - 6);
    trop_case_put(c, "tuning", TUNING);
    trop_case_put(c, "folds", FOLDS);
    trop_case_put(c, "seeds", SEEDS);
    trop_case_put(c, "epochs", EPOCHS);
    trop_case_put(c, "draws", 999);
    const struct trop_md_real_results out = trop_md_real_make(c, ITEMS);
    for (int64_t row = 0; row < TROP_MD_REAL_ROWS; row++) {
        for (int64_t k = 0; k < TAUS; k++) {
            suppose_tau(&out, row, k);
        }
        for (int64_t run = 0; run < FOLDS * SEEDS; run++) {
            suppose_run(&out, c, row, run);
        }
        for (int64_t at = 0; at < ITEMS * SEEDS; at++) {
            suppose_item(&out, c, row, at / SEEDS, at % SEEDS);
        }
    }
}
