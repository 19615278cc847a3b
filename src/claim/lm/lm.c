/* lm.c -- what the claims of the localmax paper share: flows, scores, sets, limits.
 *
 * A score <A x, y> of d^2 products, each with two roundings, added in a row, is off by at most
 * (2 d + 4) u |A|_F |x| |y| (for the identity by less). With the library's own rounding of A x the
 * sets of the two can differ only for a pair whose distance to the cut is below twice that for
 * each of two scores: such pairs are in doubt here, and nothing is concluded from them.
 *
 * One step of the library adds gamma (1/|C|) sum (x_j - x_i) to x_i: at most n + 2 roundings of
 * what is no larger than 2 R, and one of the result: 2 (n + 4) u R in each coordinate.
 */
#include "claim/lm/lm.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the schedule ---- */

struct trop_schedule trop_lm_schedule(const struct trop_case *c)
{
    const double a = trop_case_number(c, "epsilon");

    if (trop_case_has(c, "ratio")) {
        return (struct trop_schedule){ .kind = TROP_SCHEDULE_GEOMETRIC,
                                       .a = a,
                                       .b = trop_case_number(c, "ratio") };
    }
    if (trop_case_has(c, "swing")) {
        return (struct trop_schedule){ .kind = TROP_SCHEDULE_COSINE,
                                       .a = a,
                                       .b = trop_case_number(c, "swing") };
    }
    return (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = a };
}

double trop_lm_epsilon(const struct trop_case *c, int64_t t)
{
    const struct trop_schedule schedule = trop_lm_schedule(c);

    return trop_schedule_at(&schedule, (double)t);
}

/* The integers modulo 2 pi are dense, so cos t comes as near to 1 and -1 as one likes, for ever. */
double trop_lm_epsilon_low(const struct trop_case *c)
{
    const double a = trop_case_number(c, "epsilon");

    if (trop_case_has(c, "ratio")) {
        const double ratio = trop_case_number(c, "ratio");
        return ratio < 0 ? -fabs(a * ratio) : ratio < 1 ? fmin(a, 0) : a;
    }
    return trop_case_has(c, "swing") ? a - fabs(trop_case_number(c, "swing")) : a;
}

double trop_lm_epsilon_high(const struct trop_case *c)
{
    const double a = trop_case_number(c, "epsilon");

    return trop_case_has(c, "swing") ? a + fabs(trop_case_number(c, "swing")) : a;
}

double trop_lm_epsilon_limsup(const struct trop_case *c)
{
    return trop_case_has(c, "ratio") ? trop_lm_epsilon_low(c) : trop_lm_epsilon_high(c);
}

/* ---- flows ---- */

struct trop_flow_options trop_lm_options(const struct trop_case *c)
{
    struct trop_flow_options o = trop_flow_options_default();

    o.cloud.n = trop_case_size(c, "tokens", 0);
    o.cloud.d = trop_case_size(c, "tokens", 1);
    o.cloud.tokens = trop_case_array(c, "tokens");
    o.threads = c->threads;
    o.rule = TROP_RULE_LOCALMAX;
    o.ties = TROP_TIES_INDICES;
    o.epsilon = trop_lm_schedule(c);
    o.gamma =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = trop_case_number(c, "gamma") };
    if (trop_case_has(c, "A")) {
        o.cloud.key_query = (struct trop_matrix){ .scale = NAN, .values = trop_case_array(c, "A") };
    }
    return o;
}

enum trop_status trop_lm_flow(struct trop_case *c)
{
    const struct trop_flow_options o = trop_lm_options(c);

    return trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));
}

/* The kind of proof: 0 none, 1 groups for ever, 2 tokens at rest beside them. */
static double kind_of(const char *text)
{
    return !text                                                                  ? 0
           : strcmp(text, "quiescence") == 0 || strcmp(text, "consensus") == 0    ? 1
           : strcmp(text, "fixed-point") == 0 || strcmp(text, "theorem-4.2") == 0 ? 2
                                                                                  : 0;
}

static enum trop_status take_number(struct trop_case *c, const struct trop_flow *flow,
                                    const char *name, const char *field)
{
    struct trop_value value = { 0 };
    enum trop_status status = trop_flow_value(&value, flow, field);
    const double number = value.kind == TROP_KIND_INTEGER  ? (double)value.integer
                          : value.kind == TROP_KIND_NUMBER ? value.number
                                                           : (double)NAN;

    return status == TROP_OK ? trop_case_put(c, name, number) : status;
}

static enum trop_status take_limits(struct trop_case *c, const struct trop_flow *flow, int64_t n,
                                    int64_t d)
{
    struct trop_value kind, limits;
    double *out = NULL;
    enum trop_status status = trop_flow_value(&kind, flow, "certificate.kind");

    if (status == TROP_OK) {
        status = trop_flow_value(&limits, flow, "limits");
    }
    if (status == TROP_OK) {
        status = trop_case_make(&out, c, "limits", n, d, 0);
    }
    if (status == TROP_OK && limits.kind == TROP_KIND_NUMBERS) {
        memcpy(out, limits.numbers, (size_t)(n * d) * sizeof *out);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "kind", kind.kind == TROP_KIND_TEXT ? kind_of(kind.text) : 0);
    }
    if (status == TROP_OK) {
        status = trop_case_put(c, "certified", limits.kind == TROP_KIND_NUMBERS);
    }
    return status;
}

enum trop_status trop_lm_limits(struct trop_case *c)
{
    struct trop_flow_options o = trop_lm_options(c);
    struct trop_flow *flow = NULL;

    o.until = TROP_UNTIL_CONVERGED;
    o.steps = (struct trop_count){ .value = 4000, .log10 = 3.6020599913279625 };
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = trop_flow_run(flow, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = take_limits(c, flow, o.cloud.n, o.cloud.d);
    }
    if (status == TROP_OK) {
        status = take_number(c, flow, "rate", "certificate.rate");
    }
    if (status == TROP_OK) {
        status = take_number(c, flow, "groups", "certificate.groups");
    }
    if (status == TROP_OK) {
        status = take_number(c, flow, "since", "certificate.step");
    }
    trop_flow_free(flow);
    return status;
}

enum trop_status trop_lm_rows(struct trop_case *c, const char *name,
                              const struct trop_flow_options *options)
{
    struct trop_flow *flow = NULL;
    double *rows = NULL;
    enum trop_status status = trop_flow_create(&flow, options);

    if (status == TROP_OK) {
        status = trop_case_make(&rows, c, name, options->cloud.n, options->cloud.n, 0);
    }
    for (int64_t i = 0; i < options->cloud.n && status == TROP_OK; i++) {
        status = trop_flow_weights(rows + i * options->cloud.n, flow, i);
    }
    trop_flow_free(flow);
    return status;
}

/* ---- scores ---- */

double trop_lm_form(const double *A, const double *x, const double *y, int64_t d)
{
    double sum = 0;

    for (int64_t a = 0; a < d; a++) {
        double image = A ? 0 : x[a]; /* of A x */
        for (int64_t b = 0; A && b < d; b++) {
            image += A[a * d + b] * x[b];
        }
        sum += image * y[a];
    }
    return sum;
}

double trop_lm_size(const struct trop_case *c)
{
    const double *A = trop_case_array(c, "A");
    const int64_t d = trop_case_size(c, "A", 0);
    double squares = 0;

    for (int64_t k = 0; A && k < d * d; k++) {
        squares += A[k] * A[k];
    }
    return A ? sqrt(squares) : 1;
}

static double radius(const struct trop_case *c)
{
    return trop_tokens_radius(trop_case_array(c, "tokens"), trop_case_size(c, "tokens", 0),
                              trop_case_size(c, "tokens", 1));
}

double trop_lm_score_error(const struct trop_case *c)
{
    const double d = (double)trop_case_size(c, "tokens", 1);

    return (2 * d + 4) * DBL_EPSILON * trop_lm_size(c) * radius(c) * radius(c);
}

double trop_lm_step_error(const struct trop_case *c)
{
    const double n = (double)trop_case_size(c, "tokens", 0);
    const double d = (double)trop_case_size(c, "tokens", 1);

    return 2 * (n + 4) * DBL_EPSILON * sqrt(d) * radius(c);
}

/* ---- sets ---- */

static double largest_score(const double *A, const double *x, int64_t i, int64_t n, int64_t d)
{
    double m = -INFINITY;

    for (int64_t j = 0; j < n; j++) {
        m = fmax(m, trop_lm_form(A, x + i * d, x + j * d, d));
    }
    return m;
}

int64_t trop_lm_sets(int64_t *sets, const struct trop_case *c, const double *x, double eps)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");
    const double doubt = 4 * trop_lm_score_error(c);
    int64_t doubts = 0;

    for (int64_t i = 0; i < n; i++) {
        const double m = largest_score(A, x, i, n, d);
        for (int64_t j = 0; j < n; j++) {
            const double slack = trop_lm_form(A, x + i * d, x + j * d, d) - m + eps;
            /* Rounding the slack itself is within the doubt, which covers four scores. */
            sets[i * n + j] = fabs(slack) <= doubt ? -1 : slack > 0;
            doubts += sets[i * n + j] < 0;
        }
    }
    return doubts;
}

double trop_lm_slack(const struct trop_case *c, const double *x, double eps)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");
    double least = INFINITY;

    for (int64_t i = 0; i < n; i++) {
        const double m = largest_score(A, x, i, n, d);
        for (int64_t j = 0; j < n; j++) {
            least = fmin(least, fabs(trop_lm_form(A, x + i * d, x + j * d, d) - m + eps));
        }
    }
    return least;
}

double trop_lm_complete(const struct trop_case *c, const double *x)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");
    double widest = 0;

    for (int64_t i = 0; i < n; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t j = 0; j < n; j++) {
            const double s = trop_lm_form(A, x + i * d, x + j * d, d);
            low = fmin(low, s);
            high = fmax(high, s);
        }
        widest = fmax(widest, high - low);
    }
    return widest;
}

/* Least and largest score of i inside its group, and the largest outside. */
static void row_of_group(double out[3], const double *A, const double *x, const int64_t *labels,
                         int64_t i, int64_t n, int64_t d)
{
    out[0] = INFINITY;
    out[1] = out[2] = -INFINITY;
    for (int64_t j = 0; j < n; j++) {
        const double s = trop_lm_form(A, x + i * d, x + j * d, d);
        if (labels[j] == labels[i]) {
            out[0] = fmin(out[0], s);
            out[1] = fmax(out[1], s);
        } else {
            out[2] = fmax(out[2], s);
        }
    }
}

void trop_lm_groups(struct trop_lm_partition *out, int64_t *labels, const struct trop_case *c,
                    const double *x, double low, double high)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");
    double row[3];

    *out = (struct trop_lm_partition){ .q1 = INFINITY, .q2 = INFINITY };
    for (int64_t i = 0; i < n; i++) {
        labels[i] = -1;
    }
    /* A token that two of the sets claim keeps the first label, and Q1 or Q2 fails. */
    for (int64_t i = 0; i < n; i++) {
        const double m = labels[i] < 0 ? largest_score(A, x, i, n, d) : 0;
        if (labels[i] >= 0) {
            continue;
        }
        for (int64_t j = 0; j < n; j++) {
            const int is_near = trop_lm_form(A, x + i * d, x + j * d, d) >= m - high;
            labels[j] = j == i || (is_near && labels[j] < 0) ? out->groups : labels[j];
        }
        out->groups++;
    }
    for (int64_t i = 0; i < n; i++) {
        row_of_group(row, A, x, labels, i, n, d);
        out->q1 = fmin(out->q1, low - (row[1] - row[0]));
        out->q2 = fmin(out->q2, row[0] - row[2] - high);
    }
}

void trop_lm_mean(double *out, const double *x, const int64_t *labels, int64_t label, int64_t n,
                  int64_t d)
{
    double count = 0;

    memset(out, 0, (size_t)d * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        count += labels[i] == label;
        for (int64_t a = 0; labels[i] == label && a < d; a++) {
            out[a] += x[i * d + a];
        }
    }
    for (int64_t a = 0; a < d; a++) {
        out[a] /= count;
    }
}

/* ---- vertices of the limit ---- */

static int64_t distinct(double *points, const double *x, int64_t n, int64_t d, double near)
{
    int64_t count = 0;

    for (int64_t i = 0; i < n; i++) {
        int is_new = 1;
        for (int64_t k = 0; k < count && is_new; k++) {
            is_new = trop_tokens_distance(x + i * d, points + k * d, d) > near;
        }
        if (is_new) {
            memcpy(points + count * d, x + i * d, (size_t)d * sizeof *points);
            count++;
        }
    }
    return count;
}

/* A point that rests on an edge sticks out of it by rounding, so a vertex is asked for more. */
static enum trop_status stands_out(int64_t *out, double *room, const double *points, int64_t k,
                                   int64_t count, int64_t d, double near)
{
    struct trop_hull *hull = NULL;
    struct trop_hull_position place = { 0 };
    int64_t others = 0;

    for (int64_t l = 0; l < count; l++) {
        if (l != k) {
            memcpy(room + others++ * d, points + l * d, (size_t)d * sizeof *room);
        }
    }
    if (others == 0) {
        *out = 1;
        return TROP_OK;
    }
    enum trop_status status = trop_hull_create(&hull, room, others, d, 1);
    if (status == TROP_OK) {
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, points + k * d);
        *out = place.lower > near;
    }
    trop_hull_free(hull);
    return status;
}

enum trop_status trop_lm_vertices(double *points, int64_t *is_vertex, int64_t *count,
                                  const struct trop_case *c, double near)
{
    const int64_t n = trop_case_size(c, "limits", 0), d = trop_case_size(c, "limits", 1);
    double *room = trop_alloc(n * d, sizeof *room);
    enum trop_status status = TROP_OK;

    if (!room) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld limits", (long long)n);
    }
    *count = distinct(points, trop_case_array(c, "limits"), n, d, near);
    for (int64_t k = 0; k < *count && status == TROP_OK; k++) {
        status = stands_out(is_vertex + k, room, points, k, *count, d, near);
    }
    trop_alloc_free(room);
    return status;
}
