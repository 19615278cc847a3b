/* path_report.c -- a regularisation path by name: the table, and what fills it. */
#include "learn/path.h"

#include "base/field.h"

#include <math.h>

#define PATH \
    const struct trop_path *t = handle; \
    (void)row
#define ROW \
    const struct trop_path *t = handle; \
    const struct trop_path_row *r = t->rows + row

/* What is not known is null. */
static void number(struct trop_value *out, double value)
{
    if (!isnan(value)) {
        trop_field_number(out, value);
    }
}

/* ---- of a radius --------------------------------------------------------------------------------
 */

#define NUMBER(member) \
    TROP_FIELD(row_##member) \
    { \
        ROW; \
        number(out, r->member); \
    }
NUMBER(radius)
NUMBER(loss)
NUMBER(log_gap)
NUMBER(norm)
NUMBER(off)
NUMBER(alignment)
NUMBER(correlation)
NUMBER(bregman)
NUMBER(decoder_correlation)
NUMBER(decoder_bregman)
NUMBER(relaxed_correlation)
NUMBER(relaxed_bregman)
NUMBER(cone)
NUMBER(lower)
NUMBER(upper)
#undef NUMBER

static int is_joint(const struct trop_path *t)
{
    return t->options.model == TROP_TRAIN_JOINT;
}

TROP_FIELD(row_decoder_radius)
{
    ROW;
    if (is_joint(t)) {
        trop_field_number(out, r->decoder_radius);
    }
}

TROP_FIELD(row_log_loss)
{
    ROW;
    if (is_joint(t)) {
        number(out, r->value);
    }
}

TROP_FIELD(row_rate)
{
    ROW;
    if (!is_joint(t)) {
        number(out, r->log_gap / r->radius);
    }
}

TROP_FIELD(row_alpha)
{
    ROW;
    (void)r;
    trop_field_integers(out, t->alpha + row * t->asks, t->asks, "input");
}

TROP_FIELD(row_undecided)
{
    ROW;
    trop_field_integer(out, r->undecided);
}

TROP_FIELD(row_kind)
{
    static const char *const names[] = {
        [TROP_PATH_BRACKETED] = "bracketed",
        [TROP_PATH_STATIONARY] = "stationary",
        [TROP_PATH_UNFINISHED] = "unfinished",
        [TROP_PATH_EDGE] = "edge",
    };
    ROW;
    trop_field_text(out, names[r->kind]);
    (void)t;
}

TROP_FIELD(row_inside)
{
    ROW;
    if (t->options.local) {
        trop_field_boolean(out, (int)r->inside);
    }
}

TROP_FIELD(row_iterations)
{
    ROW;
    (void)t;
    trop_field_integer(out, r->iterations);
}

TROP_FIELD(row_starts)
{
    ROW;
    (void)t;
    trop_field_integer(out, r->starts);
}

TROP_FIELD(row_weights)
{
    ROW;
    (void)r;
    if (t->weights) {
        trop_field_numbers(out, t->weights + row * t->total, t->total, "entry");
    }
}

static const struct trop_field row_table[] = {
    { "radius", "R of the ball |W|_p <= R", row_radius, NULL },
    { "decoder_radius", "of joint: r of |v|_p <= r", row_decoder_radius, NULL },
    { "loss", "at the point that was found", row_loss, NULL },
    { "log_gap", "log(loss - infimum), without cancellation; of a fixed decoder", row_log_gap,
      NULL },
    { "log_loss", "of joint: log of the loss, also where the loss underflows", row_log_loss, NULL },
    { "rate", "log_gap / radius", row_rate, NULL },
    { "kind",
      "bracketed: stationary, and bracket_lower <= least rate over the ball <= rate is proved; "
      "stationary: "
      "no step improves it to first order, which does not make it the least; unfinished: not even "
      "that; edge: of local, on the edge of the cone",
      row_kind, NULL },
    { "bracket_lower",
      "proved, with a unique best token for each input: no rate in the ball is below this",
      row_lower, NULL },
    { "bracket_upper", "rate of R W_mm / |W_mm|_p, the max-margin solution for those tokens",
      row_upper, NULL },
    { "alpha",
      "the token that each input selects, with more than half of the attention; -1: undecided; of "
      "sequence input i T + k is place k of input i",
      row_alpha, NULL },
    { "undecided", "inputs that are", row_undecided, NULL },
    { "norm", "|W|_p; below the radius for a minimum inside the ball", row_norm, NULL },
    { "alignment", "<-G, W> / (|G|_q |W|_p), G the gradient: 1 at a stationary point of the sphere",
      row_alignment, NULL },
    { "misalignment",
      "1 - alignment without cancellation, the largest of W and v; of a point inside its ball R "
      "|G|_q / (loss - infimum)",
      row_off, NULL },
    { "correlation", "cosine with the l2 solution for alpha", row_correlation, NULL },
    { "bregman",
      "directional Bregman divergence with p of the path, the lp solution for alpha first",
      row_bregman, NULL },
    { "decoder_correlation",
      "of joint: cosine of v with the lp solution of the label problem for alpha",
      row_decoder_correlation, NULL },
    { "decoder_bregman", "their divergence", row_decoder_bregman, NULL },
    { "relaxed_correlation",
      "of joint: cosine of W with the lp solution in which inputs that do not support the label "
      "problem are relaxed",
      row_relaxed_correlation, NULL },
    { "relaxed_bregman", "their divergence", row_relaxed_bregman, NULL },
    { "cone", "of local: divergence of the solution for select from the weights, at most mu",
      row_cone, NULL },
    { "inside", "of local: strictly inside the cone, so that it is a point of a local path",
      row_inside, NULL },
    { "iterations", "of the start that was best", row_iterations, NULL },
    { "starts", "that were tried", row_starts, NULL },
    { "weights", "p or W (row after row), and v of joint; null when they are too many to keep",
      row_weights, NULL },
    { 0 },
};

/* ---- of the path --------------------------------------------------------------------------------
 */

TROP_FIELD(read_infimum)
{
    PATH;
    number(out, t->infimum);
}

TROP_FIELD(read_unique)
{
    PATH;
    if (!is_joint(t) && !t->options.local) {
        trop_field_boolean(out, (int)t->unique);
    }
}

/* A number of the solution that the path starts from. */
static void of_solution(struct trop_value *out, const struct trop_path *t, const char *name)
{
    if (t->optimal.lp) {
        trop_margin_value(out, t->optimal.lp, name);
    }
}

TROP_FIELD(read_norm)
{
    PATH;
    of_solution(out, t, "norm");
}

TROP_FIELD(read_lower)
{
    PATH;
    of_solution(out, t, "lower");
}

TROP_FIELD(read_alpha)
{
    PATH;
    of_solution(out, t, "alpha");
}

TROP_FIELD(read_rows)
{
    PATH;
    trop_field_list(out, t->done);
}

static const struct trop_field table[] = {
    { "loss_infimum", "L*, of a fixed decoder", read_infimum, NULL },
    { "unique", "every input has one token of the highest score", read_unique, NULL },
    { "solution.alpha", "tokens of the highest scores; of local: those of select", read_alpha,
      NULL },
    { "solution.norm", "|W_mm|_p, the least norm that selects them by margins of 1", read_norm,
      NULL },
    { "solution.lower", "proved: it is at least this", read_lower, NULL },
    { "radii", "what was found at each radius", read_rows, row_table },
    { 0 },
};

const struct trop_field *trop_path_field_table(void)
{
    return table;
}
