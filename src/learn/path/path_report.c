/* path_report.c -- a regularisation path by name. */
#include "learn/path/path.h"

#include "base/field.h"

#include <math.h>

/* ---- when there is a value ------------------------------------------------------------------ */

#define WHEN(name, condition) \
    static int name(const void *handle, int64_t row) \
    { \
        const struct trop_path *t = handle; \
        (void)row; \
        return condition; \
    }

WHEN(joint, t->options.model == TROP_TRAIN_JOINT)
WHEN(fixed, t->options.model != TROP_TRAIN_JOINT)
WHEN(local, t->options.local != 0)
WHEN(global, t->options.model != TROP_TRAIN_JOINT && !t->options.local)
#undef WHEN

/* ---- values --------------------------------------------------------------------------------- */

static const char *const kinds[] = {
    [TROP_PATH_BRACKETED] = "bracketed",
    [TROP_PATH_STATIONARY] = "stationary",
    [TROP_PATH_UNFINISHED] = "unfinished",
    [TROP_PATH_EDGE] = "edge",
};

/* log(L - L*) / R of a row. */
static void rate(struct trop_value *out, const void *member)
{
    const struct trop_path_row *at = member;
    const double value = at->log_gap / at->radius;

    trop_field_known(out, &value);
}

/* Whether others can check the bracket. */
TROP_FIELD_READ(standing)
{
    const struct trop_path *t = handle;

    if (!isnan(t->rows[row].lower)) {
        trop_field_text(out, trop_path_checkable(t, t->rows + row) ? "proved" : "asserted");
    }
    return TROP_OK;
}

/* A field of the solution that the path starts from. */
#define OF_SOLUTION(name) \
    TROP_FIELD_READ(solution_##name) \
    { \
        const struct trop_path *t = handle; \
        (void)row; \
        return t->optimal.lp ? trop_margin_value(out, t->optimal.lp, #name) : TROP_OK; \
    }
OF_SOLUTION(alpha)
OF_SOLUTION(norm)
OF_SOLUTION(lower)
#undef OF_SOLUTION

/* ---- the tables ----------------------------------------------------------------------------- */

#define AT(member) TROP_FIELD_AT(struct trop_path, member)
#define ROW(member) TROP_FIELD_THROUGH(struct trop_path, rows, struct trop_path_row, member)
#define WHOLE_ROW \
    .through = offsetof(struct trop_path, rows), .stride = sizeof(struct trop_path_row)
#define KNOWN(member) ROW(member), .form = trop_field_known
#define INTEGER(member) .kind = TROP_KIND_INTEGER, ROW(member)
#define LENGTH(member) 0, offsetof(struct trop_path, member)

static const struct trop_field row_table[] = {
    { "radius", "R of the ball |W|_p <= R", KNOWN(radius) },
    { "decoder_radius", "joint: the radius r of the decoder's ball, |v|_p <= r",
      .kind = TROP_KIND_NUMBER, ROW(decoder_radius), .when = joint },
    { "loss", "loss at the point that was found", KNOWN(loss) },
    { "log_gap", "log(loss - infimum), without cancellation; of a fixed decoder", KNOWN(log_gap) },
    { "log_loss", "joint: natural logarithm of the loss, also where the loss underflows",
      KNOWN(value), .when = joint },
    { "rate", "log_gap / radius", WHOLE_ROW, .form = rate, .when = fixed },
    { "kind",
      "bracketed: stationary, and bracket_lower <= least rate over the ball <= rate is proved; "
      "stationary: "
      "no step improves it to first order, which does not make it the least; unfinished: not even "
      "that; edge: of local, on the edge of the cone",
      .kind = TROP_KIND_TEXT, ROW(kind), .names = kinds },
    { "bracket_lower",
      "proved, with a unique best token for each input: no rate in the ball is below this",
      KNOWN(lower) },
    { "bracket_upper", "rate of R W_mm / |W_mm|_p, the max-margin solution for those tokens",
      KNOWN(upper) },
    { "standing",
      "proved: --proof writes what shows that no rate is below bracket_lower, and that rate is "
      "one, "
      "for a checker; asserted: that is not written; null: there is no bracket",
      .read = standing },
    { "alpha",
      "the token that each input selects, with more than half of the attention; -1: undecided; of "
      "sequence input i T + k is place k of input i",
      .kind = TROP_KIND_INTEGERS, AT(alpha), .by_row = 1, .axes = { { "input", LENGTH(asks) } } },
    { "undecided", "inputs that are", INTEGER(undecided) },
    { "norm", "|W|_p; below the radius for a minimum inside the ball", KNOWN(norm) },
    { "alignment", "<-G, W> / (|G|_q |W|_p), G the gradient: 1 at a stationary point of the sphere",
      KNOWN(alignment) },
    { "misalignment",
      "1 - alignment without cancellation, the largest of W and v; of a point inside its ball R "
      "|G|_q / (loss - infimum)",
      KNOWN(off) },
    { "correlation", "cosine with the l2 solution for alpha", KNOWN(correlation) },
    { "bregman",
      "directional Bregman divergence with p of the path, the lp solution for alpha first",
      KNOWN(bregman) },
    { "decoder_correlation",
      "joint: cosine of v with the lp solution of the label problem for alpha",
      KNOWN(decoder_correlation) },
    { "decoder_bregman", "joint: directional Bregman divergence between these two",
      KNOWN(decoder_bregman) },
    { "relaxed_correlation",
      "joint: cosine of W with the lp solution in which inputs that do not support the label "
      "problem are relaxed",
      KNOWN(relaxed_correlation) },
    { "relaxed_bregman", "joint: directional Bregman divergence between these two",
      KNOWN(relaxed_bregman) },
    { "cone", "local paths: divergence of the solution for select from the weights, at most mu",
      KNOWN(cone) },
    { "inside",
      "local paths: the point is strictly inside the cone, so that it is a point of a local path",
      .kind = TROP_KIND_BOOLEAN, ROW(inside), .when = local },
    { "iterations", "iterations of the best start", INTEGER(iterations) },
    { "starts", "number of starts that were tried", INTEGER(starts) },
    { "weights", "p or W (row after row), and v of joint; null when they are too many to keep",
      .kind = TROP_KIND_NUMBERS, AT(weights), .by_row = 1, .axes = { { "entry", LENGTH(total) } } },
    { 0 },
};

static const struct trop_field table[] = {
    { "loss_infimum", "L*, of a fixed decoder", AT(infimum), .form = trop_field_known },
    { "unique", "every input has one token of the highest score", .kind = TROP_KIND_BOOLEAN,
      AT(unique), .when = global },
    { "solution.alpha", "tokens of the highest scores; of local: those of select",
      .read = solution_alpha },
    { "solution.norm", "|W_mm|_p, the least norm that selects them by margins of 1",
      .read = solution_norm },
    { "solution.lower", "proved: it is at least this", .read = solution_lower },
    { "radii", "results at each radius, an object for each", .kind = TROP_KIND_LIST, AT(done),
      .columns = row_table },
    { 0 },
};

const struct trop_field *trop_path_field_table(void)
{
    return table;
}
