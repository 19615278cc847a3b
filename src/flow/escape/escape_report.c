/* escape_report.c -- an escape study's results by name: the table, and what fills it. */
#include "flow/escape/escape.h"

#include "base/math/exp.h"
#include "base/field.h"

#include <math.h>

#define LN10 0x1.26bb1bbb55516p+1

#define AT(member) TROP_FIELD_AT(struct trop_escape, member)
#define ROW(member) TROP_FIELD_THROUGH(struct trop_escape, rows, struct trop_escape_row, member)
#define KNOWN(member) AT(member), .form = trop_field_known /* what is not known is null */
#define INTEGER(member) .kind = TROP_KIND_INTEGER, AT(member)
#define HOLDS(demanded) AT(demand[TROP_ESCAPE_##demanded]), .form = trop_field_decided

/* ---- forms ----------------------------------------------------------------------------------- */

/* A count of steps: whole while it is below 2^53, null when it leaves double. */
static void steps(struct trop_value *out, const void *member)
{
    const struct trop_escape_time *time = member;
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

/* These two take a natural logarithm: one gives the decimal one, the other the number. */

static void decimal(struct trop_value *out, const void *member)
{
    double value = *(const double *)member / LN10;

    trop_field_known(out, &value);
}

static void bound(struct trop_value *out, const void *member)
{
    double log = *(const double *)member, value = trop_exp(log);

    if (!isnan(log) && isfinite(value)) {
        trop_field_number(out, value);
    }
}

static void law(struct trop_value *out, const void *member)
{
    trop_field_text(out, isnan(*(const double *)member) ? "unknown" : "geometric");
}

/* A number of steps that is kept as a double. */
static void whole(struct trop_value *out, const void *member)
{
    double count = *(const double *)member;

    if (!isnan(count)) {
        trop_field_integer(out, (int64_t)count);
    }
}

/* ---- a row ----------------------------------------------------------------------------------- */

static const struct trop_escape_row *row_of(const void *handle, int64_t row)
{
    return ((const struct trop_escape *)handle)->rows + row;
}

#define WHEN(name, condition) \
    static int name(const void *handle, int64_t row) \
    { \
        const struct trop_escape_row *r = row_of(handle, row); \
        return condition; \
    }
WHEN(has_runs, r->runs > 0)
/* Runs without exit do not leave it open. */
WHEN(has_median, r->runs > 0 && r->low[1].log == r->high[1].log)
WHEN(has_interval, r->runs > 0 && r->has_interval)
WHEN(arrives, r->runs > 0 && r->near.log < INFINITY)
/* A step is at least 1: none was asked for otherwise. */
WHEN(has_shadow, r->shadow.count > 0)
#undef WHEN

#define INTERVAL(member) \
    .kind = TROP_KIND_NUMBERS, ROW(member), .inside = 1, .axes = { { "end", 2, 0 } }, \
    .when = has_interval

TROP_FIELD_READ(read_survival)
{
    const struct trop_escape_row *r = row_of(handle, row);
    trop_field_table_of(out, r->survival, r->points, 2, "point", "pair");
    return TROP_OK;
}

TROP_FIELD_READ(read_band)
{
    const struct trop_escape_row *r = row_of(handle, row);
    trop_field_table_of(out, r->band, r->points, 2, "point", "end");
    return TROP_OK;
}

TROP_FIELD_READ(read_log10_steps)
{
    const struct trop_escape_row *r = row_of(handle, row);
    trop_field_numbers(out, r->log10_steps, r->points, "point");
    return TROP_OK;
}

static const struct trop_field columns[] = {
    { "beta", "inverse temperature beta", .kind = TROP_KIND_NUMBER, ROW(beta) },
    { "median",
      "least step by which half of the runs have left, whole below 2^53, inf: never; null when it "
      "overflows or too many runs ended without exit",
      ROW(low[1]), .form = steps, .when = has_median },
    { "log10_median", "decimal logarithm of the median", ROW(low[1].log), .form = decimal,
      .when = has_median },
    { "interval",
      "[low, high] has the true median with 99% probability, whatever the law (order statistics, "
      "with distance allowed for); "
      "null of the flow, below 8 runs, and where distance leaves none",
      INTERVAL(interval) },
    { "log10_interval", "decimal logarithms of the two ends of interval", INTERVAL(interval[2]) },
    { "survival", "pairs [step, fraction of the runs that are inside after it]",
      .read = read_survival },
    { "survival_band",
      "pairs [low, high]: the true fractions are within all of them at once with 99% probability "
      "(Dvoretzky, Kiefer, Wolfowitz, Massart, and distance on either side)",
      .read = read_band },
    { "survival_log10_steps", "decimal logarithms of the steps of survival",
      .read = read_log10_steps },
    { "bound.law", "law of the exit time: geometric, or unknown", ROW(exact.log), .form = law },
    { "bound.printed",
      "lower bound of the median by theorem 5.4 as the paper prints it, which is false; absent "
      "unless its hypotheses hold",
      ROW(log_printed), .form = bound },
    { "bound.repaired",
      "lower bound of the median by our corrected form of theorem 5.4; absent unless identity, "
      "c0_positive and small_radius hold and beta is at least 0",
      ROW(log_repaired), .form = bound },
    { "bound.exact",
      "median of the exact law, which is geometric when groups are points and one crossing is an "
      "exit; absent otherwise",
      ROW(exact), .form = steps },
    { "bound.exact_token", "the exact median for the one token that leaves soonest", ROW(token),
      .form = steps },
    { "bound.log10_printed", "decimal logarithm of printed", ROW(log_printed), .form = decimal },
    { "bound.log10_repaired", "decimal logarithm of bound.repaired", ROW(log_repaired),
      .form = decimal },
    { "bound.log10_exact", "decimal logarithm of bound.exact", ROW(exact.log), .form = decimal },
    { "bound.log10_exact_token", "decimal logarithm of bound.exact_token", ROW(token.log),
      .form = decimal },
    { "arrival",
      "T1, first step from 0 after which every token is near its vertex, in the median; null when "
      "it does not come before the exit, or there is one group",
      ROW(near), .form = steps, .when = arrives },
    { "log10_arrival", "decimal logarithm of arrival", ROW(near.log), .form = decimal,
      .when = arrives },
    { "shadow",
      "first step at which a token of the softmax flow is farther than --shadow from its twin in "
      "the "
      "hardmax flow, inf: never; null when not asked or it overflows",
      ROW(shadow), .form = steps, .when = has_shadow },
    { "log10_shadow", "decimal logarithm of shadow", ROW(shadow.log), .form = decimal,
      .when = has_shadow },
    { "shadow_token", "the token that is farthest then", ROW(shadow_token),
      .form = trop_field_counted, .when = has_shadow },
    { "runs", "runs that are done", .kind = TROP_KIND_INTEGER, ROW(runs) },
    { "open", "number of runs that used up their moves without an exit", .kind = TROP_KIND_INTEGER,
      ROW(open) },
    { "distance",
      "bound, in total variation, of how much freezing narrow groups has changed the law of a run",
      .kind = TROP_KIND_NUMBER, ROW(distance), .when = has_runs },
    { 0 },
};

/* ---- the whole ------------------------------------------------------------------------------- */

static const char *const dynamics[] = { "chain", "flow" };

static int has_failed(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_escape *)handle)->failed[0] != 0;
}

static int has_advice(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_escape *)handle)->advice[0] != 0;
}

/* One number of a run with one beta, for studies, whose points have numbers and no lists. */
TROP_FIELD_READ(read_median)
{
    const struct trop_escape *e = handle;

    (void)row;
    if (e->betas == 1 && has_median(handle, 0)) {
        decimal(out, &e->rows->low[1].log);
    }
    return TROP_OK;
}

static const struct trop_field fields[] = {
    { "betas", "results at each inverse temperature, an object for each", .kind = TROP_KIND_LIST,
      AT(betas), .axes = { { "beta", 0, 0 } }, .columns = columns },
    { "log10_median", "decimal logarithm of the median when there is one beta; absent with several",
      .read = read_median },
    { "dynamics", "chain or flow", .kind = TROP_KIND_TEXT, AT(options.dynamics),
      .names = dynamics },
    { "exponent.betas", "betas with a finite median", INTEGER(fit.betas) },
    { "exponent.fit",
      "slope of log median against beta, by least squares over these; absent below two, and where "
      "all are the first step",
      KNOWN(fit.slope) },
    { "exponent.standard_error",
      "standard error of the slope; absent with fewer than three betas, and where distance leaves "
      "a "
      "median without an interval",
      KNOWN(fit.error) },
    { "exponent.intercept", "log median that the line has at beta = 0", KNOWN(fit.intercept) },
    { "advice",
      "which radius or gamma to take, where every median is the first step, or why there is no "
      "interval; else absent",
      .kind = TROP_KIND_TEXT, AT(advice), .inside = 1, .when = has_advice },
    { "constants.c0", "min <B v_i, v_i - v_j> over vertices i != j", KNOWN(constants.c0) },
    { "constants.R", "largest norm of a token, max |x_i|", KNOWN(constants.radius) },
    { "constants.M", "crossings that an exit takes at least, ceil(radius/(gamma diameter))",
      KNOWN(constants.drift) },
    { "constants.tau", "arrival distance tau of theorem 5.2; absent unless c0 > 0",
      KNOWN(constants.tau) },
    { "constants.m", "least distance of a token that is not at its vertex from it",
      KNOWN(constants.m) },
    { "constants.rho", "largest distance of a token from its vertex", KNOWN(constants.rho) },
    { "constants.near", "distance from its vertex within which a token has arrived", KNOWN(near) },
    { "constants.diameter", "d(K), of the cloud", KNOWN(constants.diameter) },
    { "constants.lambda", "c0 - 4 R r - r^2 with r = rho + radius", KNOWN(constants.lambda) },
    { "constants.n", "number of tokens", INTEGER(n) },
    { "constants.kappa", "vertices of the hull", INTEGER(vertices) },
    { "constants.groups", "cells that have tokens", INTEGER(groups) },
    { "constants.T1", "floor(log(tau/m)/log(1-gamma)) of theorem 5.2: steps of the nearest token",
      AT(constants.first), .form = whole },
    { "constants.T1_far", "the same with rho for m: number of steps for the farthest token",
      AT(constants.far), .form = whole },
    { "hypotheses.identity", "hypothesis identity: B is the identity", HOLDS(IDENTITY) },
    { "hypotheses.acute",
      "hypothesis acute: <v_j - v_i, v_k - v_i> > 0 for all vertices, beyond rounding; absent when "
      "there are too many vertices",
      HOLDS(ACUTE) },
    { "hypotheses.equal_norm",
      "hypothesis equal_norm: all vertices have the same norm, up to rounding", HOLDS(EQUAL_NORM) },
    { "hypotheses.c0_positive", "hypothesis c0_positive: every vertex owns its cell, c0 > 0",
      HOLDS(C0) },
    { "hypotheses.small_radius",
      "hypothesis small_radius: 4 R (rho + radius) + 2 (rho + radius)^2 <= c0/2",
      HOLDS(SMALL_RADIUS) },
    { "hypotheses.radius_over_gamma",
      "hypothesis radius_over_gamma of theorem 5.4 as printed: radius/gamma is at least twice the "
      "diameter of the hull",
      HOLDS(RADIUS_OVER_GAMMA) },
    { "hypotheses.failed", "names of the hypotheses that do not hold; absent when all hold",
      .kind = TROP_KIND_TEXT, AT(failed), .inside = 1, .when = has_failed },
    { "labels", "token that owns each token's group", .kind = TROP_KIND_INTEGERS, AT(label),
      .axes = { { "token", 0, offsetof(struct trop_escape, n) } } },
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
