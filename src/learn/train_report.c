/* train_report.c -- a training run by name: the table, and what fills it. */
#include "learn/train.h"

#include "base/exp.h"
#include "base/field.h"
#include "margin/selection.h"

#include <math.h>
#include <string.h>

#define TRAIN \
    const struct trop_train *t = handle; \
    (void)row
#define LAST \
    const struct trop_train *t = handle; \
    const struct trop_train_record *r = t->records + (t->count > 0 ? t->count - 1 : 0); \
    (void)row
#define RECORD \
    const struct trop_train *t = handle; \
    const struct trop_train_record *r = t->records + row

static void number(struct trop_value *out, double value)
{
    if (!isnan(value)) {
        trop_field_number(out, value);
    }
}

/* ---- the last record --------------------------------------------------------------------- */

/* A member of the last record, and the same as a column of the history. */
#define MEMBER(name, member) \
    TROP_FIELD(last_##name) \
    { \
        LAST; \
        if (t->count > 0) { \
            number(out, r->member); \
        } \
    } \
    TROP_FIELD(row_##name) \
    { \
        RECORD; \
        number(out, r->member); \
    }

MEMBER(loss, loss)
MEMBER(log_gap, log_gap)
MEMBER(norm, norm)
MEMBER(log_norm, log_norm)
MEMBER(saturation, saturation)
MEMBER(correlation, correlation)
MEMBER(bregman, bregman)
MEMBER(near, near)
MEMBER(far, far)
MEMBER(l1, margins[TROP_MARGIN_L1])
MEMBER(l2, margins[TROP_MARGIN_L2])
MEMBER(lp, margins[TROP_MARGIN_LP])
MEMBER(linf, margins[TROP_MARGIN_LINF])
MEMBER(nuclear, margins[TROP_MARGIN_NUCLEAR])
MEMBER(spectral, margins[TROP_MARGIN_SPECTRAL])
#undef MEMBER

TROP_FIELD(read_steps)
{
    TRAIN;
    trop_field_integer(out, t->k);
}

TROP_FIELD(read_infimum)
{
    TRAIN;
    if (t->count > 0) {
        number(out, t->records[t->count - 1].infimum);
    }
}

TROP_FIELD(read_alpha)
{
    TRAIN;
    if (t->count > 0) {
        trop_field_integers(out, t->alpha, trop_attention_asks(t->attention), "input");
    }
}

TROP_FIELD(read_undecided)
{
    LAST;
    if (t->count > 0) {
        trop_field_integer(out, r->undecided);
    }
}

static void truth(struct trop_value *out, int64_t answer)
{
    if (answer == TROP_SELECTION_AMBIGUOUS) {
        trop_field_text(out, "ambiguous");
    } else if (answer != TROP_SELECTION_UNDECIDABLE) {
        trop_field_boolean(out, answer == TROP_SELECTION_YES);
    }
}

TROP_FIELD(read_local)
{
    LAST;
    if (t->count > 0) {
        truth(out, r->local);
    }
}

/* ---- weights ----------------------------------------------------------------------------- */

/* The tensor of that name, if the model has it. */
static void tensor(struct trop_value *out, const struct trop_train *t, const char *name)
{
    const double *values = t->shown;

    for (int64_t k = 0; t->count > 0 && k < t->weights.count; k++) {
        const struct trop_tensor *at = t->weights.tensor + k;
        if (strcmp(at->name, name) == 0 && at->columns == 1 && name[0] != 'K' && name[0] != 'Q') {
            trop_field_numbers(out, values, at->rows, "coordinate");
        } else if (strcmp(at->name, name) == 0) {
            trop_field_table_of(out, values, at->rows, at->columns, "row", "column");
        }
        values += at->rows * at->columns;
    }
}

#define TENSOR(letter) \
    TROP_FIELD(read_##letter) \
    { \
        TRAIN; \
        tensor(out, t, #letter); \
    }
TENSOR(p)
TENSOR(W)
TENSOR(K)
TENSOR(Q)
TENSOR(v)
#undef TENSOR

/* ---- the max-margin solution ------------------------------------------------------------- */

TROP_FIELD(solution_weights)
{
    int64_t norm = 0;
    TRAIN;
    const struct trop_margin *solution = trop_train_compare_solution(&norm, t);
    if (solution && t->columns == 1) {
        trop_field_numbers(out, trop_margin_weights(solution), t->rows, "coordinate");
    } else if (solution) {
        trop_field_table_of(out, trop_margin_weights(solution), t->rows, t->columns, "row",
                            "column");
    }
}

TROP_FIELD(solution_norm)
{
    int64_t norm = 0;
    TRAIN;
    if (trop_train_compare_solution(&norm, t)) {
        trop_field_text(out, norm == TROP_MARGIN_NUCLEAR ? "nuclear"
                             : norm == TROP_MARGIN_LP    ? "lp"
                                                         : "l2");
    }
}

/* ---- several selected tokens ------------------------------------------------------------- */

#define SEVERAL(name) \
    TROP_FIELD(several_##name) \
    { \
        TRAIN; \
        if (t->several.asked) { \
            number(out, t->several.name); \
        } \
    }
SEVERAL(direction)
SEVERAL(both)
SEVERAL(radius)
#undef SEVERAL

TROP_FIELD(several_undecided)
{
    TRAIN;
    if (t->several.asked) {
        trop_field_integer(out, t->several.undecided);
    }
}

/* ---- history ----------------------------------------------------------------------------- */

TROP_FIELD(row_step)
{
    RECORD;
    trop_field_integer(out, r->step);
}

TROP_FIELD(row_undecided)
{
    RECORD;
    trop_field_integer(out, r->undecided);
}

TROP_FIELD(row_local)
{
    RECORD;
    (void)t;
    truth(out, r->local);
}

TROP_FIELD(row_alpha)
{
    RECORD;
    const int64_t asks = trop_attention_asks(t->attention);
    (void)r;
    if (t->alphas) {
        trop_field_integers(out, t->alphas + row * asks, asks, "input");
    }
}

TROP_FIELD(row_weights)
{
    RECORD;
    (void)r;
    if (t->history) {
        trop_field_numbers(out, t->history + row * t->total, t->total, "entry");
    }
}

static const struct trop_field row_table[] = {
    { "step", "steps that were done", row_step, NULL },
    { "loss", "of the weights then", row_loss, NULL },
    { "log_gap", "log(loss - infimum), without cancellation", row_log_gap, NULL },
    { "norm", "in the optimiser's own norm", row_norm, NULL },
    { "log_norm", "its logarithm", row_log_norm, NULL },
    { "saturation", "mean of the largest weights", row_saturation, NULL },
    { "undecided", "inputs of which no token has more than half of the attention", row_undecided,
      NULL },
    { "correlation", "cosine with the l2 solution for what is selected", row_correlation, NULL },
    { "bregman", "directional Bregman divergence of the solution from the weights", row_bregman,
      NULL },
    { "alpha", "the token that each input selected then; null when they are too many to keep",
      row_alpha, NULL },
    { "locally_optimal", "of these: true, false or ambiguous", row_local, NULL },
    { "margin_l1", "least margin over the l1 norm", row_l1, NULL },
    { "margin_l2", "over the l2 norm", row_l2, NULL },
    { "margin_lp", "over the lp norm, p of the run", row_lp, NULL },
    { "margin_linf", "over the l-infinity norm", row_linf, NULL },
    { "margin_nuclear", "over the nuclear norm", row_nuclear, NULL },
    { "margin_spectral", "over the spectral norm", row_spectral, NULL },
    { "distance_lower", "of kq: to the solutions of the nuclear problem, unit norms", row_near,
      NULL },
    { "distance_upper", "of kq", row_far, NULL },
    { "weights", "tensor after tensor; null when they are too many to keep", row_weights, NULL },
    { 0 },
};

TROP_FIELD(read_history)
{
    TRAIN;
    trop_field_list(out, t->count);
}

static const struct trop_field table[] = {
    { "steps", "that were done", read_steps, NULL },
    { "loss", "mean loss over the inputs", last_loss, NULL },
    { "loss_infimum", "its infimum, where it is known: linear heads and a fixed decoder",
      read_infimum, NULL },
    { "log_gap", "log(loss - infimum), without cancellation", last_log_gap, NULL },
    { "alpha",
      "the token that each input selects, with more than half of the attention; -1: undecided; of "
      "sequence input i T + k is place k of input i",
      read_alpha, NULL },
    { "undecided", "inputs that are", read_undecided, NULL },
    { "saturation", "mean of the largest weights", last_saturation, NULL },
    { "norm",
      "of the weights (K Q' of kq, without v) in the norm whose margin the optimiser maximises",
      last_norm, NULL },
    { "log_norm", "its logarithm", last_log_norm, NULL },
    { "weights.p", "of prompt; weights are unit directions when the norm exceeds 1e300", read_p,
      NULL },
    { "weights.W", "of models with a matrix (d, d): logits x' W z", read_W, NULL },
    { "weights.K", "of kq (d, width)", read_K, NULL },
    { "weights.Q", "of kq (d, width)", read_Q, NULL },
    { "weights.v", "of joint", read_v, NULL },
    { "correlation", "cosine with the l2 solution for alpha", last_correlation, NULL },
    { "bregman",
      "directional Bregman divergence, solution first: with p of the run, 2 for optimisers without "
      "one",
      last_bregman, NULL },
    { "margins.l1", "least margin of the selected tokens over the l1 norm", last_l1, NULL },
    { "margins.l2", "over the l2 norm", last_l2, NULL },
    { "margins.lp", "over the lp norm, p of the run", last_lp, NULL },
    { "margins.linf", "over the l-infinity norm", last_linf, NULL },
    { "margins.nuclear", "over the nuclear norm", last_nuclear, NULL },
    { "margins.spectral", "over the spectral norm", last_spectral, NULL },
    { "locally_optimal", "of alpha, in the norm of bregman: true, false or ambiguous", read_local,
      NULL },
    { "nuclear.distance_lower",
      "of kq: W / |W|_* is at least this far from the solutions of the nuclear problem (unit norm)",
      last_near, NULL },
    { "nuclear.distance_upper", "and at most this far", last_far, NULL },
    { "solution.weights",
      "the max-margin solution for alpha, of the shape of p or W; of kq that of K Q'",
      solution_weights, NULL },
    { "solution.norm",
      "in which it is the smallest: lp, p of the run, of optimisers with an exponent, nuclear of "
      "kq, else l2",
      solution_norm, NULL },
    { "several.direction",
      "where inputs keep several tokens (attention above 1e-3): correlation with W_mm (Gen-SVM)",
      several_direction, NULL },
    { "several.both", "with W_fin + R W_mm", several_both, NULL },
    { "several.radius", "R, by least squares", several_radius, NULL },
    { "several.undecided", "weights between 1e-6 and 1e-3", several_undecided, NULL },
    { "history", "the same at log-spaced steps", read_history, row_table },
    { 0 },
};

const struct trop_field *trop_train_field_table(void)
{
    return table;
}
