/* sp_phase.c -- phase diagrams: the fraction of pairs that are one, over beta and time.
 *
 * Copies of a beta are carried from time to time by trop_copies, which has them in the lanes of a
 * register where it can: between two times their tokens are handed on, and each has its seed, so
 * that matrices that are drawn stay a copy's own.
 */
#include "claim/sp/sp.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

#define START 0.014236437406239663 /* arccos(.999)/pi */
#define MOST 256                   /* betas, and times, that are drawn */

/* ---- sizes ---- */

void trop_sp_phase_draw(const struct trop_sp_phase *phase, struct trop_case *c)
{
    const int64_t rows = phase->betas[c->effort];

    trop_tokens_count(c, "n", 32, 2, 1000);
    trop_tokens_count(c, "runs", (double)phase->runs[c->effort], 1, 1e6);
    trop_tokens_count(c, "times", (double)phase->times[c->effort], 1, MOST);
    double *betas = trop_case_absent(c, "betas", rows, 0, 0);
    for (int64_t k = 0; betas && k < rows; k++) {
        betas[k] = .1 + (phase->most[c->effort] - .1) * (double)k / (double)(rows - 1);
    }
    if (trop_case_size(c, "betas", 0) > MOST) {
        trop_case_refuse(c, "betas: at most %d of them", MOST);
    }
}

int64_t trop_sp_phase_copies(const struct trop_sp_panel *panel, const struct trop_case *c)
{
    const int64_t copies = trop_case_integer(c, "runs") / panel->share;

    return copies > 2 ? copies : 2;
}

const double *trop_sp_phase_row(const struct trop_case *c, int64_t panel, int64_t row)
{
    const struct trop_view density = trop_case_view(c, "density");

    return density.at + (panel * density.columns + row) * density.depth;
}

/* ---- work ---- */

static void release(void *copies)
{
    trop_copies_free(copies);
}

/* Copies of tokens (copies, n, d), or of drawn ones (NULL), run for so long. */
static struct trop_copies *run(const struct trop_case *c, const struct trop_sp_phase *phase,
                               const struct trop_sp_panel *panel, int64_t row, const double *tokens,
                               double time)
{
    const double beta = trop_case_array(c, "betas")[row];
    struct trop_copies_options options = trop_copies_options_default();
    struct trop_copies *copies = NULL;

    trop_case_options(c, &options.flow, trop_flow_option_table(),
                      "n=@n d=%lld init=sphere rule=softmax beta=%.17g dt=%.17g time=%.17g "
                      "seed=%llu threads=%lld %s",
                      (long long)panel->d, beta, phase->step(beta), time,
                      (unsigned long long)trop_sample_seed(c, panel->d, row), (long long)c->threads,
                      panel->options);
    options.copies = trop_sp_phase_copies(panel, c);
    options.align = TROP_SP_ALIGNED;
    options.tokens = tokens;
    options.keep = 1;
    trop_case_try(c, trop_copies_create(&copies, &options));
    trop_case_keep(c, copies, release);
    trop_case_try(c, trop_copies_run(copies, NULL, NULL));
    return copies;
}

/* out (times + 1) */
static void follow(double *out, const struct trop_case *c, const struct trop_sp_phase *phase,
                   const struct trop_sp_panel *panel, int64_t row)
{
    const int64_t times = trop_case_integer(c, "times"), count = trop_sp_phase_copies(panel, c);
    const int64_t numbers = count * trop_case_integer(c, "n") * panel->d;
    double *tokens = trop_case_scratch(c, numbers);

    for (int64_t k = 0; k <= times; k++) {
        void *mark = trop_case_mark(c);
        const struct trop_copies *copies =
            run(c, phase, panel, row, k > 0 ? tokens : NULL, k > 0 ? phase->spacing : 0);
        struct trop_value aligned = { 0 };
        trop_case_try(c, trop_copies_value(&aligned, copies, "aligned"));
        for (int64_t i = 0; i < count; i++) {
            out[k] += aligned.numbers[i] / (double)count;
        }
        memcpy(tokens, trop_copies_tokens(copies), (size_t)numbers * sizeof *tokens);
        trop_case_release(c, mark);
    }
}

void trop_sp_phase_work(const struct trop_sp_phase *phase, struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "betas", 0), times = trop_case_integer(c, "times");
    double *density = trop_case_zeros(c, "density", phase->count, rows, times + 1);

    for (int64_t k = 0; k < phase->count * rows; k++) {
        void *mark = trop_case_mark(c);
        follow(density + k * (times + 1), c, phase, phase->panels + k / rows, k % rows);
        trop_case_release(c, mark);
        if (c->progress && c->progress(c->context, k + 1, phase->count * rows)) {
            trop_case_try(c, trop_fail(TROP_ERR_STOPPED, "stopped after %lld of %lld rows",
                                       (long long)(k + 1), (long long)(phase->count * rows)));
        }
    }
}

/* ---- flows one by one ---- */

/* The fraction of the pairs of tokens (n, d) that are one. */
static double fraction(const double *x, int64_t n, int64_t d)
{
    int64_t pairs = 0;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            pairs += trop_tokens_dot(x + i * d, x + j * d, d) > TROP_SP_ALIGNED;
        }
    }
    return (double)pairs / ((double)(n * (n - 1)) / 2);
}

void trop_sp_phase_one(double *out, const struct trop_sp_phase *phase, const struct trop_case *c,
                       int64_t row, int64_t run)
{
    const int64_t rows = trop_case_size(c, "betas", 0), times = trop_case_integer(c, "times");
    const struct trop_sp_panel *panel = phase->panels + row / rows;
    const double beta = trop_case_array(c, "betas")[row % rows], dt = phase->step(beta);
    const int64_t each = (int64_t)(phase->spacing / dt + .5);
    struct trop_flow *flow = trop_case_flow(
        c, "n=@n d=%lld init=sphere rule=softmax beta=%.17g dt=%.17g time=%.17g seed=%llu %s",
        (long long)panel->d, beta, dt, phase->spacing * (double)(times + 1),
        (unsigned long long)trop_sample_seed(c, row, run), panel->options);

    for (int64_t k = 0; k <= times; k++) {
        out[k] = fraction(trop_flow_tokens(flow), trop_case_integer(c, "n"), panel->d);
        trop_case_try(c, trop_flow_step(flow, each));
    }
}

void trop_sp_phase_means(const struct trop_sp_phase *phase, struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "betas", 0), times = trop_case_integer(c, "times");
    double *density = trop_case_zeros(c, "density", phase->count, rows, times + 1);

    for (int64_t k = 0; k < phase->count * rows * (times + 1); k++) {
        density[k] = trop_sample_of(c, "sample", k / (times + 1), k % (times + 1)).mean;
    }
    trop_case_drop(c, "sample");
}

/* ---- lines ---- */

double trop_sp_phase_half(const struct trop_sp_phase *phase, const struct trop_case *c,
                          int64_t panel, int64_t row)
{
    const double *density = trop_sp_phase_row(c, panel, row);

    for (int64_t k = 1; k < trop_case_size(c, "density", 2); k++) {
        if (density[k] >= .5) {
            const double part = (.5 - density[k - 1]) / (density[k] - density[k - 1]);
            return phase->spacing * ((double)(k - 1) + part);
        }
    }
    return INFINITY;
}

/* Of uniform points of the circle two are within an angle a of each other in the share a / pi.
 * Pairs are independent two by two, so that the variance of the mean is that of as many coins. */
void trop_sp_phase_start(struct trop_judge *judge, const struct trop_case *c,
                         const struct trop_sp_panel *panels, int64_t panel)
{
    const int64_t rows = trop_case_size(c, "betas", 0);
    const double share = START, n = trop_case_number(c, "n");
    const double runs = (double)(rows * trop_sp_phase_copies(panels + panel, c));
    double mean = 0;

    for (int64_t row = 0; row < rows; row++) {
        mean += trop_sp_phase_row(c, panel, row)[0] / (double)rows;
    }
    trop_judge_near(judge, "pairs that are one at the start", 0, mean, share,
                    4 * sqrt(share * (1 - share) / (runs * n * (n - 1) / 2)));
}

/* ---- the picture ---- */

static void draw_curve(struct trop_panel *panel, const struct trop_sp_phase *phase,
                       const struct trop_case *c, double last)
{
    const double *betas = trop_case_array(c, "betas");
    const int64_t rows = trop_case_size(c, "betas", 0);
    double x[MOST], y[MOST];
    int64_t count = 0;

    for (int64_t row = 0; row < rows; row++) {
        const double time = phase->curve(c, betas[row]);
        if (time <= last) {
            x[count] = time;
            y[count++] = betas[row];
        }
    }
    trop_panel_line(panel, x, y, count,
                    (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .width = 1.5 }, NULL);
}

void trop_sp_phase_picture(const struct trop_sp_phase *phase, struct trop_figure *figure,
                           const struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "betas", 0), columns = trop_case_size(c, "density", 2);
    const double *betas = trop_case_array(c, "betas");
    const double half = rows > 1 ? (betas[1] - betas[0]) / 2 : .5;
    const double last = phase->spacing * (double)(columns - 1);

    trop_figure_grid(figure, (phase->count + phase->across - 1) / phase->across, phase->across);
    for (int64_t k = 0; k < phase->count; k++) {
        struct trop_panel *panel = trop_figure_panel(figure, k / phase->across, k % phase->across);
        trop_panel_title(panel, phase->panels[k].title);
        trop_panel_x(panel, "t", TROP_SCALE_LINEAR);
        trop_panel_y(panel, "β", TROP_SCALE_LINEAR);
        trop_panel_image(panel, trop_sp_phase_row(c, k, 0), rows, columns, -phase->spacing / 2,
                         last + phase->spacing / 2, betas[0] - half, betas[rows - 1] + half, 0, 1,
                         k % phase->across == phase->across - 1 ? "pairs that are one" : NULL);
        trop_panel_range_x(panel, 0, last);
        trop_panel_range_y(panel, betas[0], betas[rows - 1]);
        if (phase->curve) {
            draw_curve(panel, phase, c, last);
        }
    }
}
