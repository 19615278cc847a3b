/* sp.h -- figures of the papers on attention on the sphere, and what they share.
 *
 *   Geshkovski, Letrouit, Polyanskiy, Rigollet, "A mathematical perspective on transformers"
 *   Geshkovski, Koubbi, Polyanskiy, Rigollet, "Dynamic metastability in the self-attention model"
 *
 * Their figures are pictures. The numbers beside ours are those of the authors' programs where
 * there are any, and closed forms of what a picture shows elsewhere.
 */
#ifndef TROP_CLAIM_SP_SP_H
#define TROP_CLAIM_SP_SP_H

#include "claim/claim.h"
#include "claim/case_work.h"
#include "claim/table.h"
#include "claim/tokens.h"

extern const struct trop_claim trop_sp_fig_density, trop_sp_fig_phase, trop_sp_fig_usa,
    trop_sp_fig_random, trop_sp_fig_staircase;

#define TROP_SP_ALIGNED .999 /* two tokens are one where <x, y> is above it */

/* ---- sp_phase.c: how many pairs of tokens are one, over beta and time ---- */

struct trop_sp_panel {
    const char *title;
    int64_t d;
    const char *options; /* of the flow */
    int64_t share;       /* of the runs: the largest d needs the fewest */
};

struct trop_sp_phase {
    const struct trop_sp_panel *panels;
    int64_t count, across;               /* panels, and how many stand side by side */
    double spacing;                      /* of times */
    int64_t times[3], betas[3], runs[3]; /* by effort */
    double most[3];                      /* the largest beta */
    double (*step)(double beta);         /* the time step */
    /* A curve over the panels: a time for each beta; NULL: none. */
    double (*curve)(const struct trop_case *c, double beta);
};

/* Entries "n", "betas" (rows), "times" and "runs". */
void trop_sp_phase_draw(const struct trop_sp_phase *phase, struct trop_case *c);
/* Entry "density" (panels, rows, times + 1): the mean fraction, at multiples of the spacing. */
void trop_sp_phase_work(const struct trop_sp_phase *phase, struct trop_case *c);
/* The same for flows that are not alike, one by one: the fractions of a run, out (times + 1), where
 * row counts betas panel after panel; then the means of entry "sample" of such runs. */
void trop_sp_phase_one(double *out, const struct trop_sp_phase *phase, const struct trop_case *c,
                       int64_t row, int64_t run);
void trop_sp_phase_means(const struct trop_sp_phase *phase, struct trop_case *c);
void trop_sp_phase_picture(const struct trop_sp_phase *phase, struct trop_figure *figure,
                           const struct trop_case *c);
/* Copies of each beta in a panel. */
int64_t trop_sp_phase_copies(const struct trop_sp_panel *panel, const struct trop_case *c);
/* The densities of a panel and beta, (times + 1). */
const double *trop_sp_phase_row(const struct trop_case *c, int64_t panel, int64_t row);
/* When half of the pairs are one, by the line between two times; infinity: never. */
double trop_sp_phase_half(const struct trop_sp_phase *phase, const struct trop_case *c,
                          int64_t panel, int64_t row);
/* Judges the fraction at the start of a panel of the circle, where it is known. */
void trop_sp_phase_start(struct trop_judge *judge, const struct trop_case *c,
                         const struct trop_sp_panel *panels, int64_t panel);

#define TROP_SP_ENOUGH \
    { \
        "enough-runs", "at least 8 runs, so that a mean says something", \
            .holds = "runs >= 8", .broken = "2 runs", .edit = "runs = 2" \
    }

#endif
