/* selection.c -- what a direction selects.
 *
 * The logit of token t of input i is k_it' W z_i. Which is the largest is decided for the real
 * numbers that W, keys and queries stand for. y = W z is computed with a bound e of its error,
 * one for each entry; then the lead of one token over another,
 *
 *   sum_a (k_s - k_t)_a y_a,   off by at most   sum_a |k_s - k_t|_a (c u |y_a| + e_a),
 *
 * where u = 2^-53 and c = rows + 4 covers the rounding of the differences and of the chain (the
 * analysis of attend/decide.c, with 1.01 for terms of second order and TINY for underflow). A lead
 * within its bound is decided by an exact sum of triple products.
 *
 * Margin and neighbours are those of P1, definition 3.
 */
#include "margin/model/selection.h"

#include "attend/exact.h"
#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"

#include <math.h>

#define UNIT 0x1p-53
#define SLACK 1.01
#define TINY 0x1p-1073

void trop_selection_told(struct trop_value *out, const void *answer)
{
    const int64_t it = *(const int64_t *)answer;

    switch ((enum trop_selection_answer)it) {
    case TROP_SELECTION_NO:
    case TROP_SELECTION_YES:
        trop_field_boolean(out, it == TROP_SELECTION_YES);
        break;
    case TROP_SELECTION_AMBIGUOUS:
        trop_field_text(out, "ambiguous");
        break;
    case TROP_SELECTION_UNDECIDABLE:
        break;
    }
}

int64_t trop_selection_both(int64_t a, int64_t b)
{
    /* Places of the answers, the one that wins first. */
    static const int64_t rank[] = { [TROP_SELECTION_NO] = 0,
                                    [TROP_SELECTION_UNDECIDABLE] = 1,
                                    [TROP_SELECTION_AMBIGUOUS] = 2,
                                    [TROP_SELECTION_YES] = 3 };

    return rank[a] < rank[b] ? a : b;
}

int64_t trop_selection_passes(double gap, double doubt)
{
    if (gap > doubt) {
        return TROP_SELECTION_YES;
    }
    return doubt > 0 && gap >= -doubt ? TROP_SELECTION_AMBIGUOUS : TROP_SELECTION_NO;
}

/* ---- the view ------------------------------------------------------------------------------- */

struct trop_selection_view trop_selection_view_of(const struct trop_data *data, int64_t model,
                                                  int64_t mask, int64_t row)
{
    const int sequence = model == TROP_MODEL_SEQUENCE, prompt = model == TROP_MODEL_PROMPT;
    const int keys = prompt && data->k;
    const int64_t d = data->d, T = data->T, places = sequence ? T : 1;
    struct trop_selection_view view = { .inputs = data->n * places,
                                        .T = T,
                                        .rows = keys ? data->dk : d,
                                        .columns = prompt ? 1 : d,
                                        .places = places,
                                        .causal = sequence && mask == TROP_MASK_CAUSAL,
                                        .key = keys ? data->k : data->x,
                                        .query = data->z,
                                        .step = d };

    if (prompt) {
        view.query = NULL;
    } else if (model == TROP_MODEL_SELF) {
        view.query = data->x + row * d;
        view.step = T * d;
    } else if (sequence && !data->z) {
        view.query = data->x;
    }
    return view;
}

int64_t trop_selection_seen(const struct trop_selection_view *view, int64_t i)
{
    return view->causal ? i % view->places + 1 : view->T;
}

/* ---- leads ---------------------------------------------------------------------------------- */

/* One input, as the direction sees it. */
struct race {
    const struct trop_selection_view *view;
    const double *w, *z; /* z: (columns); NULL: the number 1 */
    const double *key;   /* (T, rows) */
    int64_t tokens;
    double *y, *e; /* (rows) W z and a bound of its error */
};

/* The lead of token s over token t, and a bound of its error. */
static double lead(double *bound, const struct race *race, int64_t s, int64_t t)
{
    const int64_t rows = race->view->rows;
    const double *ks = race->key + s * rows, *kt = race->key + t * rows;
    double sum = 0, size = 0, inner = 0;

    for (int64_t a = 0; a < rows; a++) {
        const double k = ks[a] - kt[a];
        sum = fma(k, race->y[a], sum);
        size += fabs(k * race->y[a]);
        inner += fabs(k) * race->e[a];
    }
    *bound = SLACK * (UNIT * (double)(rows + 4) * size + inner) + TINY * (double)(rows + 2);
    return sum;
}

/* -1, 0 or 1: token s is behind, level with or ahead of token t. */
static int compare(const struct race *race, int64_t s, int64_t t)
{
    double bound;
    const double value = lead(&bound, race, s, t);

    /* What overflows has an infinite bound, and sums without error decide. */
    if (fabs(value) > bound) {
        return value > 0 ? 1 : -1;
    }
    const int64_t rows = race->view->rows, columns = race->view->columns;
    struct trop_exact sum;
    trop_exact_clear(&sum);
    for (int64_t a = 0; a < rows; a++) {
        const double ks = race->key[s * rows + a], kt = race->key[t * rows + a];
        for (int64_t b = 0; b < columns && ks != kt; b++) {
            const double w = race->w[a * columns + b], z = race->z ? race->z[b] : 1.0;
            trop_exact_add(&sum, w, z, ks);
            trop_exact_subtract(&sum, w, z, kt);
        }
    }
    return trop_exact_sign(&sum);
}

/* ---- looking --------------------------------------------------------------------------------- */

/* What trop_selection_look works with: found, with every array there. */
struct look {
    struct trop_selection_found found;
    void *memory[6];
    double *bound; /* (inputs, T) of the error of margins */
    struct race race;
};

static void look_close(struct look *look)
{
    for (int k = 0; k < 6; k++) {
        trop_alloc_free(look->memory[k]);
    }
}

/* Room for what the caller does not ask for. */
static enum trop_status look_open(struct look *look, const struct trop_selection_found *found,
                                  const struct trop_selection_view *view, const double *w)
{
    const int64_t pairs = trop_alloc_product(view->inputs, view->T);
    int missing = 0;

    *look = (struct look){ .found = *found, .race = { .view = view, .w = w } };
    look->memory[0] = trop_alloc(found->alpha ? 0 : view->inputs, sizeof(int64_t));
    look->memory[1] = trop_alloc(found->margins ? 0 : pairs, sizeof(double));
    look->memory[2] = trop_alloc(found->neighbour ? 0 : pairs, sizeof(int64_t));
    look->memory[3] = trop_alloc(pairs, sizeof(double));
    look->memory[4] = trop_alloc(view->rows, sizeof(double));
    look->memory[5] = trop_alloc(view->rows, sizeof(double));
    for (int k = 0; k < 6; k++) {
        missing |= !look->memory[k];
    }
    if (missing) {
        look_close(look);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the selection of %lld inputs",
                         (long long)view->inputs);
    }
    look->found.alpha = found->alpha ? found->alpha : look->memory[0];
    look->found.margins = found->margins ? found->margins : look->memory[1];
    look->found.neighbour = found->neighbour ? found->neighbour : look->memory[2];
    look->bound = look->memory[3];
    look->race.y = look->memory[4];
    look->race.e = look->memory[5];
    return TROP_OK;
}

/* The winner of input i and its leads, divided by norm. */
static void run_race(struct look *look, int64_t i, double norm)
{
    struct race *race = &look->race;
    const struct trop_selection_view *view = race->view;
    const int64_t T = view->T, columns = view->columns;
    double *margins = look->found.margins + i * T, *bound = look->bound + i * T;

    race->key = view->key + i / view->places * T * view->rows;
    race->z = view->query ? view->query + i * view->step : NULL;
    race->tokens = trop_selection_seen(view, i);
    /* y_a = sum_b W_ab z_b, one fma chain each. */
    for (int64_t a = 0; a < view->rows; a++) {
        const double *w = race->w + a * columns;
        double sum = 0, size = 0;
        for (int64_t b = 0; race->z && b < columns; b++) {
            sum = fma(w[b], race->z[b], sum);
            size += fabs(w[b] * race->z[b]);
        }
        race->y[a] = race->z ? sum : w[0];
        race->e[a] =
            race->z ? SLACK * UNIT * (double)(columns + 4) * size + TINY * (double)(columns + 2)
                    : 0.0;
    }
    int64_t won = 0; /* the token of the largest logit; -1 when several have it */
    int tied = 0;
    for (int64_t t = 1; t < race->tokens; t++) {
        const int sign = compare(race, t, won);
        tied = sign > 0 ? 0 : tied | (sign == 0);
        won = sign > 0 ? t : won;
    }
    won = tied ? -1 : won;
    look->found.alpha[i] = won;
    for (int64_t t = 0; t < T; t++) {
        margins[t] = NAN;
        bound[t] = 0;
        look->found.neighbour[i * T + t] = 0;
        if (won >= 0 && t < race->tokens) {
            margins[t] = t == won ? 0.0 : lead(&bound[t], race, won, t);
            margins[t] /= norm;
            bound[t] /= norm;
        }
    }
}

/* 1: margin k of the list is that of a rival. */
static int rivals(const struct look *look, int64_t k)
{
    const int64_t T = look->race.view->T;

    return look->found.alpha[k / T] >= 0 && k % T != look->found.alpha[k / T] &&
           !isnan(look->found.margins[k]);
}

enum trop_status trop_selection_look(struct trop_selection_direction *out,
                                     const struct trop_selection_found *found,
                                     const struct trop_selection_view *view, const double *w,
                                     double norm, double tolerance, const double *scores,
                                     double doubt)
{
    struct trop_selection_direction made = {
        .margin = INFINITY, .gap = INFINITY, .input = -1, .token = -1
    };
    const int64_t pairs = view->inputs * view->T;
    struct look look;
    enum trop_status status = look_open(&look, found, view, w);
    double room = 0; /* rounding of the least margin */

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t i = 0; i < view->inputs; i++) {
        run_race(&look, i, norm > 0 ? norm : 1.0);
        made.undecided += look.found.alpha[i] < 0;
    }
    for (int64_t k = 0; k < pairs; k++) {
        if (rivals(&look, k) && look.found.margins[k] < made.margin) {
            made.margin = look.found.margins[k];
            room = look.bound[k];
        }
    }
    made.margin = made.undecided > 0 ? 0.0 : made.margin;
    made.optimal = scores && made.undecided == 0 ? TROP_SELECTION_YES : TROP_SELECTION_UNDECIDABLE;
    for (int64_t k = 0; made.undecided == 0 && k < pairs; k++) {
        const double most = made.margin * (1 + tolerance) + room + look.bound[k];
        if (rivals(&look, k) && look.found.margins[k] <= most) {
            look.found.neighbour[k] = 1;
            made.neighbours++;
            if (!scores) {
                continue;
            }
            const int64_t i = k / view->T; /* the winner's score against that of a neighbour */
            const double gap = scores[i * view->T + look.found.alpha[i]] - scores[k];
            if (gap < made.gap) {
                made.gap = gap;
                made.input = i;
                made.token = k % view->T;
            }
            made.optimal = trop_selection_both(made.optimal, trop_selection_passes(gap, doubt));
        }
    }
    look_close(&look);
    *out = made;
    return TROP_OK;
}
