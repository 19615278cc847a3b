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

#include "base/schedule.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the schedule ---- */

static struct trop_schedule schedule_of(const struct trop_case *c)
{
    const int falls = trop_case_has(c, "ratio"), swings = trop_case_has(c, "swing");

    return (struct trop_schedule){ .kind = falls    ? TROP_SCHEDULE_GEOMETRIC
                                           : swings ? TROP_SCHEDULE_COSINE
                                                    : TROP_SCHEDULE_CONSTANT,
                                   .a = trop_case_number(c, "epsilon"),
                                   .b = trop_case_number(c, falls ? "ratio" : "swing") };
}

double trop_lm_epsilon(const struct trop_case *c, int64_t t)
{
    const struct trop_schedule schedule = schedule_of(c);

    return trop_schedule_at(&schedule, (double)t);
}

/* The integers modulo 2 pi are dense, so cos t comes as near to 1 and -1 as one likes, forever. */
double trop_lm_epsilon_low(const struct trop_case *c)
{
    const double a = trop_case_number(c, "epsilon");

    if (trop_case_has(c, "ratio")) {
        const double ratio = trop_case_number(c, "ratio");
        return ratio < 0 ? -fabs(a * ratio) : ratio < 1 ? fmin(a, 0) : a;
    }
    return trop_case_has(c, "swing") ? a - fabs(trop_case_number(c, "swing")) : a;
}

static double epsilon_high(const struct trop_case *c)
{
    const double a = trop_case_number(c, "epsilon");

    if (trop_case_has(c, "ratio")) {
        return a > 0 && trop_case_number(c, "ratio") > 1 ? INFINITY : a;
    }
    return trop_case_has(c, "swing") ? a + fabs(trop_case_number(c, "swing")) : a;
}

double trop_lm_epsilon_limsup(const struct trop_case *c)
{
    return trop_case_number(c, "ratio") <= 1 ? trop_lm_epsilon_low(c) : epsilon_high(c);
}

/* ---- flows ---- */

const char *trop_lm_options(const struct trop_case *c)
{
    const struct trop_schedule epsilon = schedule_of(c);
    char *text = (char *)trop_case_scratch(c, 24);
    const int64_t used =
        snprintf(text, 192, "rule=localmax ties=indices gamma=@gamma key_query=@A epsilon=");

    trop_schedule_text(text + used, 192 - used, &epsilon);
    return text;
}

void trop_lm_path(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), "%s", trop_lm_options(c));
}

/* The kind of proof: 0 none, 1 groups forever, 2 tokens at rest beside them. */
static double kind_of(const struct trop_value *kind)
{
    static const char *const names[] = { "quiescence", "consensus", "fixed-point", "theorem-4.2" };
    double found = 0;

    for (int64_t k = 0; k < 4 && kind->kind == TROP_KIND_TEXT; k++) {
        found = strcmp(kind->text, names[k]) == 0 ? 1 + (double)(k / 2) : found;
    }
    return found;
}

void trop_lm_limits(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const struct trop_field *fields = trop_flow_field_table();
    struct trop_flow *flow = trop_case_flow(c, "%s until=converged steps=4000", trop_lm_options(c));
    struct trop_value kind = { 0 }, limits = { 0 };

    trop_case_try(c, trop_flow_run(flow, NULL, NULL));
    trop_case_try(c, trop_flow_value(&kind, flow, "certificate.kind"));
    trop_case_try(c, trop_flow_value(&limits, flow, "limits"));
    const int is_proved = limits.kind == TROP_KIND_NUMBERS;
    double *out = trop_case_zeros(c, "limits", x.rows, x.columns, 0);
    if (is_proved) {
        memcpy(out, limits.numbers, (size_t)(x.rows * x.columns) * sizeof *out);
    }
    trop_case_put(c, "kind", kind_of(&kind));
    trop_case_put(c, "certified", is_proved);
    trop_case_take(c, "rate", fields, flow, "certificate.rate");
    trop_case_take(c, "groups", fields, flow, "certificate.groups");
    trop_case_take(c, "since", fields, flow, "certificate.step");
}

void trop_lm_limits_and_path(struct trop_case *c)
{
    trop_lm_limits(c);
    trop_lm_path(c);
}

void trop_lm_rows(struct trop_case *c, const char *name, struct trop_flow *flow)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    double *rows = trop_case_zeros(c, name, n, n, 0);

    for (int64_t i = 0; i < n; i++) {
        trop_case_try(c, trop_flow_weights(rows + i * n, flow, i));
    }
}

double *trop_lm_token(struct trop_view path, int64_t t, int64_t i)
{
    return trop_case_view_row(path, t) + i * path.depth;
}

double trop_lm_gap(struct trop_view path, int64_t t, int64_t i, int64_t j)
{
    return trop_tokens_distance(trop_lm_token(path, t, i), trop_lm_token(path, t, j), path.depth);
}

double trop_lm_way(const struct trop_case *c, int64_t t)
{
    const struct trop_view path = trop_case_view(c, "path"), limits = trop_case_view(c, "limits");
    double most = 0;

    for (int64_t i = 0; i < limits.rows; i++) {
        most = fmax(most, trop_tokens_distance(trop_lm_token(path, t, i),
                                               trop_case_view_row(limits, i), limits.columns));
    }
    return most;
}

double trop_lm_miss(const double *p, const double *q, double share, const double *x,
                    const double *y, int64_t d)
{
    double squares = 0;

    for (int64_t a = 0; a < d; a++) {
        const double gap = p[a] - q[a] - share * (x[a] - y[a]);
        squares += gap * gap;
    }
    return sqrt(squares);
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

double trop_lm_score(const struct trop_case *c, const double *x, const double *y)
{
    return trop_lm_form(trop_case_array(c, "A"), x, y, trop_case_size(c, "tokens", 1));
}

double trop_lm_lead(const struct trop_case *c, const double *v, const double *w)
{
    return trop_lm_score(c, v, v) - trop_lm_score(c, v, w);
}

double trop_lm_size(const struct trop_case *c)
{
    const struct trop_view A = trop_case_view(c, "A");
    double squares = 0;

    for (int64_t k = 0; k < A.rows * A.rows; k++) {
        squares += A.at[k] * A.at[k];
    }
    return A.at ? sqrt(squares) : 1;
}

double trop_lm_radius(const struct trop_case *c)
{
    return trop_tokens_radius_of(trop_case_view(c, "tokens"));
}

double trop_lm_score_error(const struct trop_case *c)
{
    const double d = (double)trop_case_size(c, "tokens", 1), R = trop_lm_radius(c);

    return (2 * d + 4) * DBL_EPSILON * trop_lm_size(c) * R * R;
}

double trop_lm_step_error(const struct trop_case *c)
{
    const double n = (double)trop_case_size(c, "tokens", 0);
    const double d = (double)trop_case_size(c, "tokens", 1);

    return 2 * (n + 4) * DBL_EPSILON * sqrt(d) * trop_lm_radius(c);
}

/* ---- sets ---- */

/* All scores of a state, (n, n). */
static const double *scores_of(const struct trop_case *c, const double *x)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double *A = trop_case_array(c, "A");
    double *s = trop_case_scratch(c, n * n);

    for (int64_t k = 0; k < n * n; k++) {
        s[k] = trop_lm_form(A, x + k / n * d, x + k % n * d, d);
    }
    return s;
}

static double largest(const double *row, int64_t n)
{
    double m = -INFINITY;

    for (int64_t j = 0; j < n; j++) {
        m = fmax(m, row[j]);
    }
    return m;
}

const double *trop_lm_below(const struct trop_case *c, const double *x)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    const double *s = scores_of(c, x);
    double *below = trop_case_scratch(c, n * n);

    for (int64_t k = 0; k < n * n; k++) {
        below[k] = largest(s + k / n * n, n) - s[k];
    }
    return below;
}

const int64_t *trop_lm_sets(const struct trop_case *c, int64_t t)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    const double *below = trop_lm_below(c, trop_case_view_row(trop_case_view(c, "path"), t));
    const double doubt = 4 * trop_lm_score_error(c), eps = trop_lm_epsilon(c, t);
    int64_t *sets = trop_case_scratch_integers(c, n * n);

    for (int64_t k = 0; k < n * n; k++) {
        /* Rounding the slack itself is within the doubt, which covers four scores. */
        const double slack = eps - below[k];
        sets[k] = fabs(slack) <= doubt ? -1 : slack > 0;
    }
    return sets;
}

double trop_lm_complete(const struct trop_case *c, const double *x)
{
    const int64_t n = trop_case_size(c, "tokens", 0);

    return fmax(0, largest(trop_lm_below(c, x), n * n));
}

/* ---- partitions ---- */

struct trop_lm_partition trop_lm_partition(const struct trop_case *c, double low, double high)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t n = x.rows;
    const double *s = scores_of(c, x.at);
    struct trop_lm_partition p = { .n = n, .d = x.columns, .q2 = INFINITY };

    p.labels = trop_case_scratch_integers(c, n);
    for (int64_t i = 0; i < n; i++) {
        p.labels[i] = -1;
    }
    /* A token that two of the sets claim keeps the first label, and Q1 or Q2 fails. */
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n && p.labels[i] < 0; j++) {
            const int is_near = s[i * n + j] >= largest(s + i * n, n) - high;
            p.labels[j] = j != i && is_near && p.labels[j] < 0 ? p.groups : p.labels[j];
        }
        p.labels[i] = p.labels[i] < 0 ? p.groups++ : p.labels[i];
    }
    p.q1 = low - trop_lm_spread(c, &p, x.at);
    for (int64_t i = 0; i < n; i++) {
        double least = INFINITY, outside = -INFINITY;
        for (int64_t j = 0; j < n; j++) {
            const int is_inside = p.labels[j] == p.labels[i];
            least = is_inside ? fmin(least, s[i * n + j]) : least;
            outside = is_inside ? outside : fmax(outside, s[i * n + j]);
        }
        p.q2 = fmin(p.q2, least - outside - high);
    }
    p.means = trop_lm_means(c, &p, x.at);
    return p;
}

double trop_lm_spread(const struct trop_case *c, const struct trop_lm_partition *p, const double *x)
{
    const double *s = scores_of(c, x);
    double widest = 0;

    for (int64_t i = 0; i < p->n; i++) {
        double least = INFINITY, most = -INFINITY;
        for (int64_t j = 0; j < p->n; j++) {
            if (p->labels[j] == p->labels[i]) {
                least = fmin(least, s[i * p->n + j]);
                most = fmax(most, s[i * p->n + j]);
            }
        }
        widest = fmax(widest, most - least);
    }
    return widest;
}

struct trop_lm_partition trop_lm_groups(const struct trop_case *c)
{
    return trop_lm_partition(c, trop_lm_epsilon_low(c), epsilon_high(c));
}

double *trop_lm_means(const struct trop_case *c, const struct trop_lm_partition *p, const double *x)
{
    double *means = trop_case_scratch(c, p->groups * p->d);

    for (int64_t k = 0; k < p->groups * p->d; k++) {
        double count = 0;
        for (int64_t i = 0; i < p->n; i++) {
            const int is_inside = p->labels[i] == k / p->d;
            count += is_inside;
            means[k] += is_inside ? x[i * p->d + k % p->d] : 0;
        }
        means[k] /= count;
    }
    return means;
}

/* ---- limits ---- */

/* Whether a point is farther than near from the hull of the others. One that rests on an edge
 * sticks out of it by rounding, so that a vertex is asked for more. */
static int stands_out(const struct trop_case *c, const struct trop_lm_points *p, int64_t k,
                      double near)
{
    double *others = trop_case_scratch(c, p->count * p->d);

    if (p->count == 1) {
        return 1;
    }
    memcpy(others, p->at, (size_t)(k * p->d) * sizeof *others);
    memcpy(others + k * p->d, p->at + (k + 1) * p->d,
           (size_t)((p->count - 1 - k) * p->d) * sizeof *others);
    struct trop_hull *hull = trop_case_hull(c, others, p->count - 1, p->d);
    return trop_case_place(c, hull, p->at + k * p->d).lower > near;
}

struct trop_lm_points trop_lm_points(const struct trop_case *c, double near)
{
    const struct trop_view x = trop_case_view(c, "limits");
    struct trop_lm_points p = { .d = x.columns };

    p.at = trop_case_scratch(c, x.rows * x.columns);
    p.is_vertex = trop_case_scratch_integers(c, x.rows);
    for (int64_t i = 0; i < x.rows; i++) {
        const double *point = trop_case_view_row(x, i);
        int64_t k = 0;
        while (k < p.count && trop_tokens_distance(point, p.at + k * p.d, p.d) > near) {
            k++;
        }
        if (k == p.count) {
            memcpy(p.at + p.count++ * p.d, point, (size_t)p.d * sizeof *point);
        }
    }
    for (int64_t k = 0; k < p.count; k++) {
        p.is_vertex[k] = stands_out(c, &p, k, near);
        p.vertices += p.is_vertex[k];
    }
    return p;
}
