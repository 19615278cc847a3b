/* escape_report.c -- an escape study's results by name: the table, and what fills it. */
#include "flow/escape.h"

#include "base/exp.h"
#include "base/field.h"

#include <math.h>

#define LN10 0x1.26bb1bbb55516p+1

#define ESCAPE \
    const struct trop_escape *e = handle; \
    (void)row
#define ROW const struct trop_escape_row *r = ((const struct trop_escape *)handle)->rows + row

/* ---- kinds ----------------------------------------------------------------------------------- */

/* What is not known is null. */
static void number(struct trop_value *out, double value)
{
    if (!isnan(value)) {
        trop_field_number(out, value);
    }
}

/* A count of steps: whole while it is below 2^53, null when it leaves double. */
static void steps(struct trop_value *out, const struct trop_escape_time *time)
{
    double value = isfinite(time->count) ? time->count : trop_exp(time->log);

    if (isnan(time->log) || (isinf(value) && isfinite(time->log))) {
        return;
    }
    if (isfinite(time->count)) {
        trop_field_integer(out, (int64_t)time->count);
    } else {
        trop_field_number(out, value);
    }
}

static void truth(struct trop_value *out, int64_t value)
{
    if (value >= 0) {
        trop_field_boolean(out, value == 1);
    }
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* 1 when runs without exit do not leave it open. */
static int is_known(const struct trop_escape_row *r)
{
    return r->runs > 0 && r->low[1].log == r->high[1].log;
}

TROP_FIELD(row_beta)
{
    ROW;
    trop_field_number(out, r->beta);
}

TROP_FIELD(row_runs)
{
    ROW;
    trop_field_integer(out, r->runs);
}

TROP_FIELD(row_open)
{
    ROW;
    trop_field_integer(out, r->open);
}

TROP_FIELD(row_median)
{
    ROW;
    if (is_known(r)) {
        steps(out, r->low + 1);
    }
}

TROP_FIELD(row_log10_median)
{
    ROW;
    if (is_known(r)) {
        number(out, r->low[1].log / LN10);
    }
}

TROP_FIELD(row_interval)
{
    ROW;
    if (r->runs > 0 && r->has_interval) {
        trop_field_numbers(out, r->interval, 2, "end");
    }
}

TROP_FIELD(row_log10_interval)
{
    ROW;
    if (r->runs > 0 && r->has_interval) {
        trop_field_numbers(out, r->interval + 2, 2, "end");
    }
}

TROP_FIELD(row_survival)
{
    ROW;
    trop_field_table_of(out, r->survival, r->points, 2, "point", "pair");
}

TROP_FIELD(row_band)
{
    ROW;
    trop_field_table_of(out, r->band, r->points, 2, "point", "end");
}

TROP_FIELD(row_log10_steps)
{
    ROW;
    trop_field_numbers(out, r->log10_steps, r->points, "point");
}

/* The bounds carry logarithms alone. */
static void bound(struct trop_value *out, double log)
{
    double value = trop_exp(log);

    if (!isnan(log) && isfinite(value)) {
        trop_field_number(out, value);
    }
}

TROP_FIELD(row_law)
{
    ROW;
    trop_field_text(out, isnan(r->exact.log) ? "unknown" : "geometric");
}

TROP_FIELD(row_printed)
{
    ROW;
    bound(out, r->log_printed);
}

TROP_FIELD(row_repaired)
{
    ROW;
    bound(out, r->log_repaired);
}

TROP_FIELD(row_exact)
{
    ROW;
    steps(out, &r->exact);
}

TROP_FIELD(row_token)
{
    ROW;
    steps(out, &r->token);
}

TROP_FIELD(row_log10_printed)
{
    ROW;
    number(out, r->log_printed / LN10);
}

TROP_FIELD(row_log10_repaired)
{
    ROW;
    number(out, r->log_repaired / LN10);
}

TROP_FIELD(row_log10_exact)
{
    ROW;
    number(out, r->exact.log / LN10);
}

TROP_FIELD(row_log10_token)
{
    ROW;
    number(out, r->token.log / LN10);
}

TROP_FIELD(row_near)
{
    ROW;
    if (r->runs > 0 && r->near.log < INFINITY) {
        steps(out, &r->near);
    }
}

TROP_FIELD(row_log10_near)
{
    ROW;
    if (r->runs > 0 && r->near.log < INFINITY) {
        trop_field_number(out, r->near.log / LN10);
    }
}

/* A step is at least 1: none was asked for otherwise. */
TROP_FIELD(row_shadow)
{
    ROW;
    if (r->shadow.count > 0) {
        steps(out, &r->shadow);
    }
}

TROP_FIELD(row_log10_shadow)
{
    ROW;
    if (r->shadow.count > 0) {
        trop_field_number(out, r->shadow.log / LN10);
    }
}

TROP_FIELD(row_shadow_token)
{
    ROW;
    if (r->shadow.count > 0 && r->shadow_token >= 0) {
        trop_field_integer(out, r->shadow_token);
    }
}

TROP_FIELD(row_distance)
{
    ROW;
    if (r->runs > 0) {
        trop_field_number(out, r->distance);
    }
}

static const struct trop_field columns[] = {
    { "beta", "inverse temperature", row_beta, NULL },
    { "median",
      "least step by which half of the runs have left, whole below 2^53, inf: never; null when it "
      "leaves double or too many runs ended without exit",
      row_median, NULL },
    { "log10_median", "its decimal logarithm", row_log10_median, NULL },
    { "interval",
      "[low, high] has the true median with 99% probability, whatever the law (order statistics); "
      "null of the flow and below 8 runs",
      row_interval, NULL },
    { "log10_interval", "its decimal logarithms", row_log10_interval, NULL },
    { "survival", "pairs [step, fraction of the runs that are inside after it]", row_survival,
      NULL },
    { "survival_band",
      "pairs [low, high]: the true fractions are within all of them at once with 99% probability "
      "(Dvoretzky, Kiefer, Wolfowitz, Massart)",
      row_band, NULL },
    { "survival_log10_steps", "decimal logarithms of the steps of survival", row_log10_steps,
      NULL },
    { "bound.law", "of the exit: geometric, or unknown", row_law, NULL },
    { "bound.printed",
      "by theorem 5.4 as printed the median is at least this; absent unless its "
      "hypotheses hold",
      row_printed, NULL },
    { "bound.repaired",
      "by the repaired theorem the median is at least this; absent unless "
      "identity, c0_positive and small_radius hold and beta is at least 0",
      row_repaired, NULL },
    { "bound.exact",
      "median of the exact law, which is geometric when groups are points and one crossing is an "
      "exit; absent otherwise",
      row_exact, NULL },
    { "bound.exact_token", "the same for the one token that leaves soonest", row_token, NULL },
    { "bound.log10_printed", "decimal logarithm of printed", row_log10_printed, NULL },
    { "bound.log10_repaired", "of repaired", row_log10_repaired, NULL },
    { "bound.log10_exact", "of exact", row_log10_exact, NULL },
    { "bound.log10_exact_token", "of exact_token", row_log10_token, NULL },
    { "arrival",
      "T1, first step from 0 after which every token is near its vertex, in the median; null when "
      "it does not come before the exit, or there is one group",
      row_near, NULL },
    { "log10_arrival", "its decimal logarithm", row_log10_near, NULL },
    { "shadow",
      "first step at which a token of the softmax flow is farther than --shadow from its twin in "
      "the "
      "hardmax flow, inf: never; null when not asked or it leaves double",
      row_shadow, NULL },
    { "log10_shadow", "its decimal logarithm", row_log10_shadow, NULL },
    { "shadow_token", "the token that is farthest then", row_shadow_token, NULL },
    { "runs", "runs that are done", row_runs, NULL },
    { "open", "those that ended without exit, at the end of their moves", row_open, NULL },
    { "distance",
      "of the law of a run from the chain's in total variation, at most: what freezing narrow "
      "groups has changed",
      row_distance, NULL },
    { 0 },
};

/* ---- the whole ------------------------------------------------------------------------------- */

TROP_FIELD(read_betas)
{
    ESCAPE;
    trop_field_list(out, e->betas);
    out->axes[0] = "beta";
}

TROP_FIELD(read_labels)
{
    ESCAPE;
    trop_field_integers(out, e->label, e->n, "token");
}

TROP_FIELD(read_dynamics)
{
    ESCAPE;
    trop_field_text(out, e->options.dynamics == TROP_ESCAPE_CHAIN ? "chain" : "flow");
}

TROP_FIELD(read_failed)
{
    ESCAPE;
    if (e->failed[0]) {
        trop_field_text(out, e->failed);
    }
}

TROP_FIELD(read_fitted)
{
    ESCAPE;
    trop_field_integer(out, e->fit.betas);
}

TROP_FIELD(read_first)
{
    ESCAPE;
    if (!isnan(e->constants.first)) {
        trop_field_integer(out, (int64_t)e->constants.first);
    }
}

TROP_FIELD(read_far)
{
    ESCAPE;
    if (!isnan(e->constants.far)) {
        trop_field_integer(out, (int64_t)e->constants.far);
    }
}

#define READ(name, kind, place) \
    TROP_FIELD(read_##name) \
    { \
        ESCAPE; \
        kind(out, e->place); \
    }
READ(slope, number, fit.slope)
READ(error, number, fit.error)
READ(intercept, number, fit.intercept)
READ(c0, number, constants.c0)
READ(radius, number, constants.radius)
READ(drift, number, constants.drift)
READ(tau, number, constants.tau)
READ(m, number, constants.m)
READ(rho, number, constants.rho)
READ(diameter, number, constants.diameter)
READ(lambda, number, constants.lambda)
READ(near, number, near)
READ(n, trop_field_integer, n)
READ(kappa, trop_field_integer, vertices)
READ(groups, trop_field_integer, groups)
READ(identity, truth, demand[TROP_ESCAPE_IDENTITY])
READ(acute, truth, demand[TROP_ESCAPE_ACUTE])
READ(equal_norm, truth, demand[TROP_ESCAPE_EQUAL_NORM])
READ(positive, truth, demand[TROP_ESCAPE_C0])
READ(small, truth, demand[TROP_ESCAPE_SMALL_RADIUS])
READ(over, truth, demand[TROP_ESCAPE_RADIUS_OVER_GAMMA])
#undef READ

static const struct trop_field fields[] = {
    { "betas", "what is known at each beta", read_betas, columns },
    { "dynamics", "chain or flow", read_dynamics, NULL },
    { "exponent.betas", "betas with a finite median", read_fitted, NULL },
    { "exponent.fit",
      "slope of log median against beta, by least squares over these; absent below two", read_slope,
      NULL },
    { "exponent.standard_error", "of the slope; absent below three betas", read_error, NULL },
    { "exponent.intercept", "log median that the line has at beta = 0", read_intercept, NULL },
    { "constants.c0", "min <B v_i, v_i - v_j> over vertices i != j", read_c0, NULL },
    { "constants.R", "max |x_i|", read_radius, NULL },
    { "constants.M", "crossings that an exit takes at least, ceil(radius/(gamma diameter))",
      read_drift, NULL },
    { "constants.tau", "of theorem 5.2; absent unless c0 > 0", read_tau, NULL },
    { "constants.m", "least distance of a token that is not at its vertex from it", read_m, NULL },
    { "constants.rho", "largest distance of a token from its vertex", read_rho, NULL },
    { "constants.near", "distance from its vertex within which a token has arrived", read_near,
      NULL },
    { "constants.diameter", "d(K), of the cloud", read_diameter, NULL },
    { "constants.lambda", "c0 - 4 R r - r^2 with r = rho + radius", read_lambda, NULL },
    { "constants.n", "tokens", read_n, NULL },
    { "constants.kappa", "vertices of the hull", read_kappa, NULL },
    { "constants.groups", "cells that have tokens", read_groups, NULL },
    { "constants.T1", "floor(log(tau/m)/log(1-gamma)) of theorem 5.2: steps of the nearest token",
      read_first, NULL },
    { "constants.T1_far", "the same with rho for m: steps of the farthest", read_far, NULL },
    { "hypotheses.identity", "B is the identity", read_identity, NULL },
    { "hypotheses.acute",
      "<v_j - v_i, v_k - v_i> > 0 for all vertices, beyond rounding; absent when they are too many",
      read_acute, NULL },
    { "hypotheses.equal_norm", "vertices have equal norms, up to rounding", read_equal_norm, NULL },
    { "hypotheses.c0_positive", "c0 > 0", read_positive, NULL },
    { "hypotheses.small_radius", "4 R (rho + radius) + 2 (rho + radius)^2 <= c0/2", read_small,
      NULL },
    { "hypotheses.radius_over_gamma", "radius/gamma >= 2 d(K), of theorem 5.4 as printed",
      read_over, NULL },
    { "hypotheses.failed", "names of those that do not hold; absent when all do", read_failed,
      NULL },
    { "labels", "token that owns each token's group", read_labels, NULL },
    { 0 },
};

const struct trop_field *trop_escape_field_table(void)
{
    return fields;
}

enum trop_status trop_escape_value(struct trop_value *out, const struct trop_escape *escape,
                                   const char *name)
{
    return trop_field_value(out, fields, escape, name);
}

enum trop_status trop_escape_number(double *out, const struct trop_escape *escape, const char *name)
{
    return trop_field_as_number(out, fields, escape, name);
}
