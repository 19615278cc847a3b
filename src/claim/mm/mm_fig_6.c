/* mm_fig_6.c -- figures of the max-margin paper that need images and a vision transformer.
 *
 * A reading at a smaller scale stands beside them: one attention layer (one head, a trained query)
 * learns the 1797 handwritten digits by Adam at the paper's step size, patches of 2 x 2 pixels its
 * 16 tokens. After each epoch: the norm of W, and the mean over images of |s|_1 / |s|_2^2, the soft
 * count of tokens that are attended to, 16 when attention is uniform and 1 when one token has all.
 */
#include "claim/mm/mm_figures.h"

#include "claim/sequences.h"
#include "learn/fit/fit.h"

#include <math.h>

static const struct trop_published published[] = {
    { "patches T of an image", 256 },
    { "side of a patch in pixels", 16 },
    { "epochs", 400 },
    { "learning rate", 3e-3 },
    { "attention heads that are averaged", 12 },
    { 0 },
};

/* ---- the reading: "sample" (1, runs, (epochs + 1) RECORDS) ---- */

enum { NORM, TOKENS, RECORDS };

static void draw(struct trop_case *c)
{
    trop_sequences_begin(c, "digits", 2);
    trop_case_default(c, "items", (double)trop_sample_effort(c, 150, 1000, 1000000));
    trop_case_default(c, "runs", (double)trop_sample_effort(c, 1, 2, 5));
    trop_case_default(c, "epochs", (double)trop_sample_effort(c, 2, 10, 100));
}

struct look {
    struct trop_fit *fit;
    const struct trop_sequences *items;
    double *attention, *out;
};

static enum trop_status record(const struct look *look, int64_t epoch)
{
    const struct trop_fit_tensor *w = look->fit->tensor + TROP_FIT_LETTER_W;
    const struct trop_sequences *s = look->items;
    double *out = look->out + epoch * RECORDS, sum = 0;
    enum trop_status status = trop_fit_predict(NULL, look->attention, look->fit, s);

    for (int64_t i = 0; i < s->n && status == TROP_OK; i++) {
        double squares = 0;
        for (int64_t t = s->offsets[i]; t < s->offsets[i + 1]; t++) {
            squares += look->attention[t] * look->attention[t];
        }
        sum += 1 / squares;
    }
    out[TOKENS] = sum / (double)s->n;
    out[NORM] = trop_tokens_norm(w->values, w->rows * w->columns);
    return status;
}

/* Asked before each epoch; without a validation the last epoch is the chosen one. */
static int watch(void *context, int64_t done, int64_t total)
{
    const struct look *look = context;

    (void)done;
    (void)total;
    return look->fit->epoch >= 0 && record(look, look->fit->epoch) != TROP_OK;
}

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    struct trop_sequences items = trop_sequences_draw(c, 0);
    struct look look = { .items = &items,
                         .attention = trop_case_scratch(c, items.offsets[items.n]),
                         .out = out };

    items.classes = 10;
    const struct trop_fit_options o = trop_sequences_options(
        c, &items, "embed=16 positions=1 epochs=@epochs validation=0 eta=%.17g seed=%llu",
        published[3].value, (unsigned long long)trop_sample_seed(c, row, run));
    look.fit = trop_sequences_fit(c, &o);
    trop_case_try(c, trop_fit_run(look.fit, watch, &look));
    trop_case_try(c, record(&look, look.fit->epoch));
}

static void work(struct trop_case *c)
{
    trop_sample_runs(c, "sample", 1, trop_case_integer(c, "runs"),
                     (trop_case_integer(c, "epochs") + 1) * RECORDS, one);
}

/* The mean over runs of a record. */
static double mean_at(const struct trop_case *c, int64_t epoch, int64_t what)
{
    return trop_sample_of(c, "sample", 0, epoch * RECORDS + what).mean;
}

static int64_t last_epoch(const struct trop_case *c)
{
    return trop_case_size(c, "sample", 2) / RECORDS - 1;
}

static void conclude_tokens(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t last = last_epoch(c);
    double falls = 0;

    for (int64_t e = 1; e <= last; e++) {
        falls += mean_at(c, e, TOKENS) < mean_at(c, e - 1, TOKENS);
    }
    trop_judge_beside(judge, "digits: tokens attended to at the start", mean_at(c, 0, TOKENS), NAN);
    trop_judge_beside(judge, "digits: after a tenth of the epochs", mean_at(c, last / 10, TOKENS),
                      NAN);
    trop_judge_beside(judge, "digits: in the end, at this scale", mean_at(c, last, TOKENS), NAN);
    trop_judge_beside(judge, "digits: share of epochs in which they fall", falls / (double)last,
                      NAN);
}

/* Kendall's: of all pairs of epochs, those in which norm and tokens go opposite ways, less those in
 * which they go together. */
static double opposition(const struct trop_case *c)
{
    const int64_t last = last_epoch(c);
    double sum = 0;

    for (int64_t a = 0; a <= last; a++) {
        for (int64_t b = a + 1; b <= last; b++) {
            const double turn = (mean_at(c, b, NORM) - mean_at(c, a, NORM)) *
                                (mean_at(c, b, TOKENS) - mean_at(c, a, TOKENS));
            sum += (turn < 0) - (turn > 0);
        }
    }
    return 2 * sum / (double)(last * (last + 1));
}

static void conclude_norm(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t last = last_epoch(c);

    trop_judge_beside(judge, "digits: norm of W at the start", mean_at(c, 0, NORM), NAN);
    trop_judge_beside(judge, "digits: norm of W in the end", mean_at(c, last, NORM), NAN);
    trop_judge_beside(judge, "digits: tokens attended to at the start", mean_at(c, 0, TOKENS), NAN);
    trop_judge_beside(judge, "digits: tokens attended to in the end", mean_at(c, last, TOKENS),
                      NAN);
    trop_judge_beside(judge, "digits: Kendall, fewer with the norm: 1", opposition(c), NAN);
}

/* ---- pictures: each run is a line ---- */

static void draw_runs(struct trop_figure *figure, const struct trop_case *c, int against_norm)
{
    const struct trop_view runs = trop_case_view_part(trop_case_view(c, "sample"), 0);
    const int64_t last = last_epoch(c);
    struct trop_panel *panel =
        trop_figure_axes(figure, 0, 0, "digits, one attention layer",
                         against_norm ? "|W|" : "epoch", "|s|₁ / |s|₂², of 16 tokens");
    double *x = trop_case_scratch(c, last + 1), *y = trop_case_scratch(c, last + 1);

    for (int64_t run = 0; run < runs.rows; run++) {
        const double *records = trop_case_view_row(runs, run);
        for (int64_t e = 0; e <= last; e++) {
            x[e] = against_norm ? records[e * RECORDS + NORM] : (double)e;
            y[e] = records[e * RECORDS + TOKENS];
        }
        trop_panel_line(panel, x, y, last + 1, trop_figure_pen(run), NULL);
    }
}

static void picture_epochs(struct trop_figure *figure, const struct trop_case *c)
{
    draw_runs(figure, c, 0);
}

static void picture_norm(struct trop_figure *figure, const struct trop_case *c)
{
    draw_runs(figure, c, 1);
}

/* ---- the claims ---- */

const struct trop_claim trop_mm_fig_6 = {
    .id = "mm-fig-6",
    .title = "attention maps of a vision transformer",
    .statement = "The attention map of the class token of a vision transformer that is trained on "
                 "CIFAR-10 becomes sparser from epoch to epoch.",
    .status = TROP_CLAIM_NEEDS_DATA,
    .remark = "Pictures only; neither weights nor code are public. Beside them one attention layer "
              "on 8 x 8 digits: a reading at this scale, which decides nothing.",
    .run = { draw, work, conclude_tokens, picture_epochs },
    .published = published,
    .trials = 1,
};

const struct trop_claim trop_mm_fig_7 = {
    .id = "mm-fig-7",
    .title = "sparsity against the norm of the weights",
    .statement =
        "While a vision transformer is trained on CIFAR-10 the soft sparsity |s|_1/|s|_2^2 "
        "of its class attention falls as the norm of its last key-query weights grows.",
    .status = TROP_CLAIM_NEEDS_DATA,
    .remark = "Curves only; no number is printed, and no code is public. Beside them one attention "
              "layer on 8 x 8 digits: a reading at this scale, which decides nothing.",
    .run = { draw, work, conclude_norm, picture_norm },
    .published = published,
    .trials = 1,
};
