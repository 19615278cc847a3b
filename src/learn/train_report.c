/* train_report.c -- a training run by name. */
#include "learn/train.h"

#include "base/field.h"
#include "margin/model/selection.h"

static int begun(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_train *)handle)->last != NULL;
}

static int several(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_train *)handle)->several.asked != 0;
}

/* One of one column is a vector. */
static void tensor(struct trop_value *out, const void *member)
{
    const struct trop_tensor *t = member;

    if (t->values && t->columns == 1) {
        trop_field_numbers(out, t->values, t->rows, "coordinate");
    } else if (t->values) {
        trop_field_table_of(out, t->values, t->rows, t->columns, "row", "column");
    }
}

/* ---- the max-margin solution ------------------------------------------------------------- */

TROP_FIELD_READ(solution_weights)
{
    const struct trop_train *t = handle;
    const struct trop_norm *norm;
    const struct trop_margin *solution = trop_train_compare_solution(&norm, t);

    (void)row;
    if (solution && t->columns == 1) {
        trop_field_numbers(out, trop_margin_weights(solution), t->rows, "coordinate");
    } else if (solution) {
        trop_field_table_of(out, trop_margin_weights(solution), t->rows, t->columns, "row",
                            "column");
    }
    return TROP_OK;
}

TROP_FIELD_READ(solution_norm)
{
    const struct trop_norm *norm;

    (void)row;
    if (trop_train_compare_solution(&norm, handle)) {
        trop_field_text(out, norm->name);
    }
    return TROP_OK;
}

TROP_FIELD_READ(own_norm)
{
    (void)row;
    trop_field_text(out, trop_train_compare_norm(handle)->name);
    return TROP_OK;
}

/* ---- the tables -------------------------------------------------------------------------- */

#define AT(member) TROP_FIELD_AT(struct trop_train, member)
#define RECORD(of, member) \
    TROP_FIELD_THROUGH(struct trop_train, of, struct trop_train_record, member)
#define ROW(member) RECORD(records, member)
#define LAST(member) RECORD(last, member)
#define KNOWN .form = trop_field_known
#define INTEGER .kind = TROP_KIND_INTEGER
#define LENGTH(member) 0, offsetof(struct trop_train, member)
#define LETTER(letter) AT(told[letter]), .form = tensor, .when = begun
#define FACTOR(letter) \
    .kind = TROP_KIND_NUMBERS, AT(told[letter].values), .when = begun, \
    .axes = { { "row", LENGTH(told[letter].rows) }, { "column", LENGTH(told[letter].columns) } }

#define MARGIN_ROW(NAME, name, meaning) \
    { \
        "margin_" #name, meaning, ROW(margins[TROP_MARGIN_##NAME]), KNOWN \
    }
#define MARGIN_LAST(NAME, name, meaning) \
    { \
        "margins." #name, meaning, LAST(margins[TROP_MARGIN_##NAME]), KNOWN \
    }

static const struct trop_field row_table[] = {
    { "step", "steps that were done", INTEGER, ROW(step) },
    { "loss", "loss of the weights at this step", ROW(loss), KNOWN },
    { "log_gap", "log(loss - infimum), without cancellation", ROW(log_gap), KNOWN },
    { "norm", "norm of the weights, in the optimiser's own norm", ROW(norm), KNOWN },
    { "log_norm", "natural logarithm of norm", ROW(log_norm), KNOWN },
    { "saturation", "mean of the largest weights", ROW(saturation), KNOWN },
    { "undecided", "inputs of which no token has more than half of the attention", INTEGER,
      ROW(undecided) },
    { "correlation", "cosine with the l2 solution for what is selected", ROW(correlation), KNOWN },
    { "bregman", "directional Bregman divergence of the solution from the weights", ROW(bregman),
      KNOWN },
    { "alpha", "the token that each input selected then; null when they are too many to keep",
      .kind = TROP_KIND_INTEGERS, AT(alphas), .by_row = 1, .axes = { { "input", LENGTH(asks) } } },
    { "locally_optimal", "whether the selection is locally optimal: true, false or ambiguous",
      ROW(local), .form = trop_selection_told },
    TROP_NORM_LIST(MARGIN_ROW),
    { "distance_lower",
      "kq: lower bound of the distance to the solutions of the nuclear problem, unit norms",
      ROW(near), KNOWN },
    { "distance_upper", "kq: upper bound of that distance", ROW(far), KNOWN },
    { "weights", "tensor after tensor; null when they are too many to keep",
      .kind = TROP_KIND_NUMBERS, AT(history), .by_row = 1, .axes = { { "entry", LENGTH(total) } } },
    { 0 },
};

static const struct trop_field table[] = {
    { "steps", "number of steps that were done", INTEGER, AT(k) },
    { "loss", "mean loss over the inputs", LAST(loss), KNOWN },
    { "loss_infimum", "infimum of the loss, where it is known: linear heads and a fixed decoder",
      LAST(infimum), KNOWN },
    { "log_gap", "log(loss - infimum), without cancellation", LAST(log_gap), KNOWN },
    { "alpha",
      "the token that each input selects, with more than half of the attention; -1: undecided; of "
      "sequence input i T + k is place k of input i",
      .kind = TROP_KIND_INTEGERS, AT(alpha), .when = begun, .axes = { { "input", LENGTH(asks) } } },
    { "undecided", "inputs that are", INTEGER, LAST(undecided) },
    { "saturation", "mean of the largest weights", LAST(saturation), KNOWN },
    { "norm",
      "norm of the weights (of K Q' for kq, without v), in the norm whose margin the optimiser "
      "maximises",
      LAST(norm), KNOWN },
    { "log_norm", "natural logarithm of norm", LAST(log_norm), KNOWN },
    { "weights.p", "weights of the prompt model; unit directions when the norm exceeds 1e300",
      LETTER(TROP_TRAIN_TOLD_P) },
    { "weights.W", "weights of models with a matrix (d, d): the logits are x' W z",
      LETTER(TROP_TRAIN_TOLD_W) },
    { "weights.K", "weights of kq: K (d, width)", FACTOR(TROP_TRAIN_TOLD_K) },
    { "weights.Q", "weights of kq: Q (d, width)", FACTOR(TROP_TRAIN_TOLD_Q) },
    { "weights.v", "weights of joint: the decoder v", LETTER(TROP_TRAIN_TOLD_V) },
    { "correlation", "cosine with the l2 solution for alpha", LAST(correlation), KNOWN },
    { "bregman",
      "directional Bregman divergence, solution first: with p of the run, 2 for optimisers without "
      "one",
      LAST(bregman), KNOWN },
    TROP_NORM_LIST(MARGIN_LAST),
    { "own.norm", "norm whose margin the optimiser maximises; of kq, whose W is K Q', nuclear",
      .read = own_norm },
    { "own.ratio",
      "after all steps: least margin of W in this norm as a share of the best for alpha, 1 for a "
      "solution; null where solving for that would take long",
      AT(share), KNOWN, .when = begun },
    { "locally_optimal",
      "whether the selection alpha is locally optimal in the norm of bregman: true, false, or "
      "ambiguous when rounding leaves it open",
      LAST(local), .form = trop_selection_told },
    { "nuclear.distance_lower",
      "kq: W / |W|_* is at least this far from the solutions of the nuclear problem (unit norm)",
      LAST(near), KNOWN },
    { "nuclear.distance_upper", "kq: W / |W|_* is at most this far from these solutions", LAST(far),
      KNOWN },
    { "solution.weights",
      "the max-margin solution for alpha, of the shape of p or W; of kq that of K Q'",
      .read = solution_weights },
    { "solution.norm",
      "norm that this solution makes smallest: lp with the p of the run for optimisers with an "
      "exponent, nuclear for kq, else l2",
      .read = solution_norm },
    { "several.direction",
      "where inputs keep several tokens (attention above 1e-3): correlation with W_mm (Gen-SVM)",
      AT(several.direction), KNOWN, .when = several },
    { "several.both", "correlation with W_fin + R W_mm in the same case", AT(several.both), KNOWN,
      .when = several },
    { "several.radius", "R, by least squares", AT(several.radius), KNOWN, .when = several },
    { "several.undecided", "weights between 1e-6 and 1e-3", INTEGER, AT(several.undecided),
      .when = several },
    { "history", "the same numbers at log-spaced steps", .kind = TROP_KIND_LIST, AT(count),
      .columns = row_table },
    { 0 },
};

const struct trop_field *trop_train_field_table(void)
{
    return table;
}
