/* threshold.c -- the least tolerance epsilon that brings a cloud to consensus.
 *
 * T1, T3, T5, T12 are claims lm-thm-t1, t3, t5, t12; T4 is lm-thm-t4b and t4c. Localmax at
 * epsilon = 0 keeps its leaders apart; from the threshold of T12 on everybody hears everybody and
 * the cloud meets at its mean. Between the two a bisection asks epsilon after epsilon. The answers
 * come from
 *
 *   T12   epsilon >= complete: T5 holds at once with one group. No run is needed.
 *   T4    epsilon > bound and gamma < 1: two vertices of the limit hull cannot part. No run
 *         is needed. (At gamma = 1 the proof of T3, on which it rests, divides by 0, and rightly
 *         so: tokens 1 and -1 with B = -1 change places forever.)
 *   T5    a run up to the step at which its sets are proved to last (shape/quiescence.c). All
 *         limits are means of closed groups, and distinct closed groups have distinct
 *         means, for Q2 is strict between them: one group is consensus, several are not.
 *   T1    a run whose diameter falls to tolerance times the first one: the hull never grows.
 *
 * A run that ends without any of these, or comes back to a state to the last bit and so goes
 * round forever, is not decided: that doubles rest proves nothing of real numbers.
 *
 * Consensus need not be monotone in epsilon, so what comes out is a bracket and not a
 * threshold: at `low` this cloud keeps several limits, at `high` it meets; nothing is said
 * of other values. Where there is consensus at 0 there is no low. What was not decided lies in a
 * band inside the bracket,
 *
 *   low < undecided[0] <= undecided[1] < high,
 *
 * and the bisection narrows the gaps on both sides of it. An answer beyond the band leaves it
 * outside the bracket, and it is forgotten. There is no low when nothing is proved below.
 *
 * Exactness. complete and bound are rounded upwards (shape/threshold.c), and the signs of T5
 * are decided exactly, so T12, T4 and the sets are those of the real numbers that the tokens
 * stand for. A run adds the rounding of its steps, a few u R each: near a critical epsilon
 * the answer is that of the computed path.
 *
 * Width. The bracket shrinks to width times the smaller of complete and bound: far from the
 * origin complete grows with the distance and bound does not. Where bound is 0 (B negative
 * semidefinite) every epsilon > 0 is consensus, and width is relative to complete.
 *
 * Cost: the thresholds, n^2 d products; a run, n^2 d products for each step up to its proof,
 * about 40 on a random cloud; log2(1/width) runs and one at 0, twice as many around a band.
 */
#include "flow/threshold.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/option.h"
#include "base/status.h"
#include "flow/flow.h"
#include "shape/tolerance.h"

#include <math.h>
#include <string.h>

struct trop_threshold {
    struct trop_flow *cloud; /* never stepped: its options and arrays are those of every run */
    double width;
    struct trop_tolerance tolerance;
    double low, high;                     /* the bracket; low is NaN when nothing is proved */
    double undecided[2];                  /* the band, or NaN */
    const char *low_by, *high_by;         /* what proves the two ends, or NULL */
    struct trop_flow *low_run, *high_run; /* the runs that did; NULL: none, or a theorem */
    double *seen;                         /* (n, d) a state of the present run, to know it again */
    int64_t runs;                         /* flows that were run */
    int64_t asked;                        /* epsilons that were decided, with or without a run */
};

/* ---- making ------------------------------------------------------------------------------- */

void trop_threshold_free(struct trop_threshold *threshold)
{
    if (threshold) {
        trop_flow_free(threshold->cloud);
        trop_flow_free(threshold->low_run);
        trop_flow_free(threshold->high_run);
        TROP_FREE(threshold->seen, threshold);
    }
}

static enum trop_status find_thresholds(struct trop_threshold *c)
{
    double most = trop_option_find(trop_flow_option_table(), "epsilon")->max;
    enum trop_status status = trop_flow_load(c->cloud, c->cloud->state.x, 0);

    if (status == TROP_OK) {
        status = trop_tolerance_find(&c->tolerance, c->cloud->engines.attend,
                                     &c->cloud->options.cloud.key_query);
    }
    if (status == TROP_OK && !(c->tolerance.complete <= most)) {
        return trop_fail(TROP_ERR_NUMERIC,
                         "tokens: their scores differ by more than %g, the largest epsilon", most);
    }
    c->high = c->tolerance.complete;
    c->high_by = "T12";
    c->low = NAN;
    c->undecided[0] = c->undecided[1] = NAN;
    return status;
}

enum trop_status trop_threshold_create(struct trop_threshold **out,
                                       const struct trop_threshold_options *options)
{
    enum trop_status status = trop_threshold_check(options);

    if (status != TROP_OK) {
        return status;
    }
    struct trop_threshold *c = trop_alloc(1, sizeof *c);
    if (!c) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a search for consensus");
    }
    /* The localmax flow that these options describe, epsilon left open. */
    struct trop_flow_options flow = trop_flow_options_default();
    flow.cloud = options->cloud;
    flow.gamma = options->gamma;
    flow.alpha = options->alpha;
    flow.steps = options->steps;
    flow.tolerance = options->tolerance;
    flow.threads = options->threads;
    flow.kernel = options->kernel;
    flow.until = TROP_UNTIL_CONVERGED;
    flow.rule = TROP_RULE_LOCALMAX;
    c->width = options->width;
    status = trop_flow_create(&c->cloud, &flow);
    if (status == TROP_OK) {
        c->seen = trop_alloc(options->cloud.n * options->cloud.d, sizeof *c->seen);
        status = c->seen ? TROP_OK
                         : trop_fail(TROP_ERR_MEMORY, "no memory for a state of %lld tokens",
                                     (long long)options->cloud.n);
    }
    if (status == TROP_OK) {
        status = find_thresholds(c);
    }
    if (status != TROP_OK) {
        trop_threshold_free(c);
        return status;
    }
    *out = c;
    return TROP_OK;
}

enum trop_status trop_threshold_create_from(struct trop_threshold **out, const char *const *pairs)
{
    struct trop_threshold_options options = trop_threshold_options_default();
    enum trop_status status = trop_option_pairs(&options, trop_threshold_option_table(), pairs);

    return status == TROP_OK ? trop_threshold_create(out, &options) : status;
}

/* ---- one epsilon ---------------------------------------------------------------------------- */

/* Who is asked, between two steps of a run, whether to stop. */
struct asker {
    trop_progress *progress;
    void *context;
    int64_t done, total;
};

enum answer { UNDECIDED, SEVERAL, ONE };

/* The theorem that promises consensus at epsilon, or NULL. */
static const char *theorem(const struct trop_threshold *c, double epsilon)
{
    if (epsilon >= c->tolerance.complete) {
        return "T12";
    }
    return epsilon > c->tolerance.consensus && c->cloud->gamma.a < 1 ? "T4" : NULL;
}

/* What a flow that has come to its proof, or to its end, says. */
static enum answer answer_of(const char **by, const struct trop_flow *flow)
{
    struct trop_value kind = { 0 };

    trop_flow_value(&kind, flow, "certificate.kind");
    *by = kind.text;
    if (flow->state.has_limits) {
        return flow->state.proof.groups == 1 ? ONE : SEVERAL;
    }
    return flow->verdict.certificate == TROP_FLOW_CERTIFICATE_CONSENSUS ? ONE : UNDECIDED;
}

/* 1 when the state was here before: nothing varies in time, so it comes back forever. By
 * Brent's method, states are kept at the steps 1, 2, 4, ... */
static int goes_round(struct trop_threshold *c, const struct trop_flow *flow)
{
    size_t size = (size_t)(flow->n * flow->d) * sizeof *flow->state.x;
    int64_t step = flow->state.step;

    if (step > 1 && memcmp(c->seen, flow->state.x, size) == 0) {
        return 1;
    }
    if (step > 0 && (step & (step - 1)) == 0) {
        memcpy(c->seen, flow->state.x, size);
    }
    return 0;
}

/* Steps to a proof, or to the end. */
static enum trop_status go(struct trop_threshold *c, struct trop_flow *flow,
                           const struct asker *asker)
{
    enum trop_status status = TROP_OK;

    while (status == TROP_OK && !trop_flow_done(flow) && !flow->state.proved &&
           !goes_round(c, flow)) {
        if (asker->progress && asker->progress(asker->context, asker->done, asker->total)) {
            return trop_fail(TROP_ERR_STOPPED, "stopped after %lld runs", (long long)c->runs);
        }
        status = trop_flow_step(flow, 1);
    }
    return status == TROP_OK ? trop_flow_judge(flow) : status;
}

/* Runs the flow at epsilon; *kept is the run that gave an answer. */
static enum trop_status run_at(struct trop_flow **kept, enum answer *out, const char **by,
                               struct trop_threshold *c, double epsilon, const struct asker *asker)
{
    struct trop_flow_options options = c->cloud->options;
    struct trop_flow *flow = NULL;

    options.epsilon = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = epsilon };
    enum trop_status status = trop_flow_create(&flow, &options);
    if (status == TROP_OK) {
        status = go(c, flow, asker);
    }
    if (status == TROP_OK) {
        c->runs++;
        *out = answer_of(by, flow);
    }
    if (status != TROP_OK || *out == UNDECIDED) {
        trop_flow_free(flow);
        flow = NULL;
    }
    *kept = flow;
    return status;
}

static void replace(struct trop_flow **old, struct trop_flow *by)
{
    trop_flow_free(*old);
    *old = by;
}

/* Finds out about epsilon, by theorem or by a run. */
static enum trop_status ask(struct trop_threshold *c, double epsilon, const struct asker *asker)
{
    const char *by = theorem(c, epsilon);
    enum answer answer = ONE;
    struct trop_flow *run = NULL;
    enum trop_status status = by ? TROP_OK : run_at(&run, &answer, &by, c, epsilon, asker);

    if (status == TROP_OK) {
        /* Moves an end of the bracket, or of the band, to epsilon. */
        double *band = c->undecided;
        if (answer == ONE) {
            c->high = epsilon;
            c->high_by = by;
            replace(&c->high_run, run);
        } else if (answer == SEVERAL) {
            c->low = epsilon;
            c->low_by = by;
            replace(&c->low_run, run);
        } else {
            band[0] = fmin(band[0], epsilon); /* of NaN and a number, the number */
            band[1] = fmax(band[1], epsilon);
        }
        if (c->high <= band[0] || c->low >= band[1]) {
            band[0] = band[1] = NAN;
        }
        c->asked++;
    }
    return status;
}

/* ---- the bisection -------------------------------------------------------------------------- */

/* The width at which the bracket is narrow enough. */
static double goal(const struct trop_threshold *c)
{
    const struct trop_tolerance *t = &c->tolerance;
    int near = t->consensus > 0 && t->consensus < t->complete;

    return c->width * (near ? t->consensus : t->complete);
}

/* 1, with its middle, when the gap is neither narrow enough nor one of neighbouring
 * numbers. */
static int halve(double *middle, double from, double to, double least)
{
    *middle = from + 0.5 * (to - from);
    return to - from > least && *middle > from && *middle < to;
}

/* 1, with the epsilon to ask about next; 0 when there is no more to ask. */
static int next(double *epsilon, const struct trop_threshold *c)
{
    const double *band = c->undecided;

    if (c->asked == 0 && c->high > 0) {
        *epsilon = 0;
        return 1;
    }
    return isnan(band[0]) ? halve(epsilon, c->low, c->high, goal(c))
                          : halve(epsilon, band[1], c->high, goal(c)) ||
                                halve(epsilon, c->low, band[0], goal(c));
}

/* How often a gap can be halved; 0 when that is not known. */
static int64_t halvings(double gap, double least)
{
    double ratio = gap / least;

    return isfinite(ratio) && ratio > 1 ? ilogb(ratio) + 1 : 0;
}

/* About how many answers there will be in all. */
static int64_t total(const struct trop_threshold *c)
{
    const double *band = c->undecided;
    double least = goal(c);

    if (isnan(band[0])) {
        return c->asked + halvings(c->high - (isnan(c->low) ? 0 : c->low), least);
    }
    return c->asked + halvings(c->high - band[1], least) + halvings(band[0] - c->low, least);
}

enum trop_status trop_threshold_run(struct trop_threshold *threshold, trop_progress *progress,
                                    void *context)
{
    enum trop_status status = TROP_OK;
    double epsilon;

    while (status == TROP_OK && next(&epsilon, threshold)) {
        struct asker asker = { progress, context, threshold->asked, total(threshold) };
        status = ask(threshold, epsilon, &asker);
    }
    return status;
}

/* ---- what it tells --------------------------------------------------------------------------- */

const double *trop_threshold_tokens(const struct trop_threshold *threshold)
{
    return threshold->cloud->initial;
}

struct trop_threshold_ends trop_threshold_ends(const struct trop_threshold *c)
{
    return (struct trop_threshold_ends){
        .cloud = c->cloud,
        .low = c->low_run,
        .high = c->high_run,
        .epsilon = c->high,
        .complete = c->high >= c->tolerance.complete,
        .tolerance = c->tolerance,
    };
}

static int has_band(const void *handle, int64_t row)
{
    (void)row;
    return !isnan(((const struct trop_threshold *)handle)->undecided[0]);
}

TROP_FIELD_READ(read_kind)
{
    const struct trop_threshold *c = handle;

    (void)row;
    if (c->high == 0 || c->low_by) {
        trop_field_text(out, c->high == 0 ? "least" : "bracket");
    }
    return TROP_OK;
}

#define AT(member) TROP_FIELD_AT(struct trop_threshold, member)
#define NUMBER(member) .kind = TROP_KIND_NUMBER, AT(member)
#define PROOF(member) .kind = TROP_KIND_TEXT, AT(member)

static const struct trop_field fields[] = {
    { "low",
      "at this epsilon the cloud is proved to keep several limits; null when nothing is proved "
      "below high, and when high is 0",
      AT(low), .form = trop_field_known },
    { "high", "at this epsilon the cloud is proved to come to consensus", NUMBER(high) },
    { "runs", "flows that were run to find the two", .kind = TROP_KIND_INTEGER, AT(runs) },
    { "undecided",
      "least and largest epsilon between the two at which the flow ended without a proof; null "
      "when "
      "there is none",
      .kind = TROP_KIND_NUMBERS, AT(undecided), .inside = 1, .axes = { { "end", 2, 0 } },
      .when = has_band },
    { "complete",
      "least epsilon from which on every token attends to every other in the first step: consensus "
      "at the mean (T12)",
      NUMBER(tolerance.complete) },
    { "bound", "above this epsilon consensus is certain for gamma < 1 (T4); 0: above 0",
      NUMBER(tolerance.consensus) },
    { "first",
      "least epsilon above 0 that adds a token to a neighbour set of the first step; infinite when "
      "none does",
      NUMBER(tolerance.first) },
    { "certificate.kind",
      "bracket: low and high are proved; least: high is 0, and there is no low; null when low is "
      "not proved",
      .read = read_kind },
    { "certificate.low",
      "proof of low: quiescence, theorem-4.2 or fixed-point of its run; null: there is none",
      PROOF(low_by) },
    { "certificate.high", "proof of high: T12, T4, or quiescence or consensus of its run",
      PROOF(high_by) },
    { 0 },
};

const struct trop_field *trop_threshold_field_table(void)
{
    return fields;
}

enum trop_status trop_threshold_value(struct trop_value *out,
                                      const struct trop_threshold *threshold, const char *name)
{
    return trop_field_value(out, fields, threshold, name);
}

enum trop_status trop_threshold_number(double *out, const struct trop_threshold *threshold,
                                       const char *name)
{
    return trop_field_as_number(out, fields, threshold, name);
}
