/* tokens.c -- clouds of tokens for claims, and flows that keep every step. */
#include "claim/tokens.h"

#include "base/math/log.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define USE_TOKENS 1 /* of the random numbers of a case; claims count theirs from 16 */

#define STEPS_MOST 1000000 /* of a flow whose every step is kept */

/* The range of sizes that a person may give, and the share of a size that rounding may hide. */
#define SMALLEST 1e-50
#define LARGEST 1e50
#define SHARE 1e-3

/* ---- what a person gave ---- */

int trop_tokens_moderate(double factor)
{
    return fabs(factor) >= SMALLEST && fabs(factor) <= LARGEST;
}

static enum trop_status check_size(const struct trop_case *c, const char *name)
{
    const int64_t count = trop_case_size(c, name, 0) * trop_case_size(c, name, 1);
    const double *values = trop_case_array(c, name);
    double most = 0;

    for (int64_t k = 0; k < count; k++) {
        most = fmax(most, fabs(values[k]));
    }
    if (most > 0 && !trop_tokens_moderate(most)) {
        return trop_fail(TROP_ERR_ARG,
                         "%s: the largest entry is %g in size, claims are judged for %g to %g: "
                         "scale them",
                         name, most, SMALLEST, LARGEST);
    }
    return TROP_OK;
}

static enum trop_status check_matrix(const struct trop_case *c, const char *name, int64_t d)
{
    const int64_t a = trop_case_size(c, name, 0), b = trop_case_size(c, name, 1);

    if (a != d || b != d) {
        return trop_fail(TROP_ERR_ARG, "%s is %lld x %lld: must be %lld x %lld, as tokens are long",
                         name, (long long)a, (long long)b, (long long)d, (long long)d);
    }
    return check_size(c, name);
}

enum trop_status trop_tokens_check(const struct trop_case *c)
{
    static const char *const matrices[] = { "A", "B", "V", "Q" };
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    if (n < 1 || d < 1) {
        return trop_case_settle(c, trop_fail(TROP_ERR_ARG, "tokens: must be an array (n, d)"));
    }
    enum trop_status status = check_size(c, "tokens");
    for (int64_t k = 0; k < 4 && status == TROP_OK; k++) {
        if (trop_case_has(c, matrices[k])) {
            status = check_matrix(c, matrices[k], d);
        }
    }
    return trop_case_settle(c, status);
}

enum trop_status trop_tokens_count(struct trop_case *c, const char *name, double value,
                                   double least, double most)
{
    enum trop_status status = trop_case_default(c, name, value);
    const double count = trop_case_number(c, name);

    if (status == TROP_OK && !(count >= least && count <= most && count == floor(count))) {
        status = trop_fail(TROP_ERR_ARG, "%s = %.17g: must be a whole number from %.17g to %.17g",
                           name, count, least, most);
    }
    return trop_case_settle(c, status);
}

double trop_tokens_allow(double allowance, double size)
{
    return allowance <= SHARE * size ? allowance : (double)INFINITY;
}

/* ---- clouds ---- */

/* "tokens" (n, d) of zeros, or NULL when the case has tokens. */
static enum trop_status begin(double **out, struct trop_case *c, int64_t n, int64_t d)
{
    enum trop_status status = TROP_OK;

    *out = NULL;
    if (!trop_case_has(c, "tokens")) {
        status = trop_case_make(out, c, "tokens", n, d, 0);
    }
    if (status == TROP_OK) {
        status = trop_tokens_check(c);
    }
    if (status != TROP_OK) {
        *out = NULL;
    }
    return status;
}

enum trop_status trop_tokens_gaussian(struct trop_case *c, int64_t n, int64_t d)
{
    double *x = NULL;
    enum trop_status status = begin(&x, c, n, d);

    for (int64_t k = 0; x && k < n * d; k++) {
        x[k] = trop_case_normal(c, USE_TOKENS, k);
    }
    return status;
}

enum trop_status trop_tokens_uniform(struct trop_case *c, int64_t n, int64_t d)
{
    double *x = NULL;
    enum trop_status status = begin(&x, c, n, d);

    for (int64_t k = 0; x && k < n * d; k++) {
        x[k] = 2 * trop_case_uniform(c, USE_TOKENS, k) - 1;
    }
    return status;
}

/* A uniform point of the unit sphere. */
static void point_of_sphere(double *out, const struct trop_case *c, int64_t use, int64_t k,
                            int64_t d)
{
    double squares = 0;

    for (int64_t a = 0; a < d; a++) {
        out[a] = trop_case_normal(c, use, k * d + a);
        squares += out[a] * out[a];
    }
    for (int64_t a = 0; a < d; a++) {
        out[a] /= sqrt(squares);
    }
}

enum trop_status trop_tokens_sphere(struct trop_case *c, int64_t n, int64_t d)
{
    double *x = NULL;
    enum trop_status status = begin(&x, c, n, d);

    for (int64_t i = 0; x && i < n; i++) {
        point_of_sphere(x + i * d, c, USE_TOKENS, i, d);
    }
    return status;
}

enum trop_status trop_tokens_symmetric(struct trop_case *c, int64_t half, int64_t d)
{
    double *x = NULL;
    enum trop_status status = begin(&x, c, 2 * half, d);

    for (int64_t k = 0; x && k < half * d; k++) {
        x[k] = trop_case_normal(c, USE_TOKENS, k);
        x[half * d + k] = -x[k];
    }
    return status;
}

/* ---- clouds of theorem 4.2 ----
 *
 * Points of the unit sphere own their cells for B = I: <v, v> = 1 > <v, w>. A point inside is a
 * convex combination with random weights, moved towards the vertex it scores highest with until
 * that one leads by the margin: on the segment to v the lead over w grows by <v, v - w> > 0 times
 * the way, less what it was. */

#define LEAD .01

/* The best vertex for x, and by how much it leads. */
static int64_t best(double *lead, const double *x, const double *v, int64_t kappa, int64_t d)
{
    int64_t at = 0;
    double first = -INFINITY, second = -INFINITY;

    for (int64_t k = 0; k < kappa; k++) {
        const double score = trop_tokens_dot(x, v + k * d, d);
        if (score > first) {
            second = first;
            first = score;
            at = k;
        } else if (score > second) {
            second = score;
        }
    }
    *lead = first - second;
    return at;
}

static void point_inside(double *x, const struct trop_case *c, const double *v, int64_t kappa,
                         int64_t i, int64_t d)
{
    double sum = 0, lead = 0;

    memset(x, 0, (size_t)d * sizeof *x);
    for (int64_t k = 0; k < kappa; k++) {
        /* Exponential weights are uniform on the simplex. */
        const double w = -trop_log(trop_case_uniform(c, USE_TOKENS + 1, i * kappa + k));
        sum += w;
        for (int64_t a = 0; a < d; a++) {
            x[a] += w * v[k * d + a];
        }
    }
    for (int64_t a = 0; a < d; a++) {
        x[a] /= sum;
    }
    for (int64_t turn = 0; turn < 200; turn++) {
        const int64_t at = best(&lead, x, v, kappa, d);
        if (lead >= LEAD) {
            return;
        }
        for (int64_t a = 0; a < d; a++) {
            x[a] += .1 * (v[at * d + a] - x[a]);
        }
    }
}

/* Vertex i leads itself over those before it by twice the margin. */
static int is_apart(const double *v, int64_t i, int64_t d)
{
    int apart = 1;

    for (int64_t k = 0; k < i; k++) {
        apart &= trop_tokens_dot(v + i * d, v + k * d, d) < 1 - 2 * LEAD;
    }
    return apart;
}

enum trop_status trop_tokens_own_cells(struct trop_case *c, int64_t kappa, int64_t n, int64_t d)
{
    double *x = NULL;
    enum trop_status status = begin(&x, c, n, d);

    for (int64_t i = 0; x && i < kappa; i++) {
        for (int64_t turn = 0; turn < 50; turn++) {
            point_of_sphere(x + i * d, c, USE_TOKENS, i + turn * kappa, d);
            if (is_apart(x, i, d)) {
                break;
            }
        }
    }
    for (int64_t i = kappa; x && i < n; i++) {
        point_inside(x + i * d, c, x, kappa, i, d);
    }
    return status;
}

/* ---- flows ---- */

static enum trop_status keep_steps(struct trop_case *c, struct trop_flow *flow, int64_t steps,
                                   int64_t n, int64_t d)
{
    double *path = NULL;
    const size_t bytes = (size_t)(n * d) * sizeof *path;
    enum trop_status status = trop_case_make(&path, c, "path", steps + 1, n, d);

    if (status != TROP_OK) {
        return status;
    }
    memcpy(path, trop_flow_tokens(flow), bytes);
    for (int64_t t = 1; t <= steps && status == TROP_OK; t++) {
        status = trop_flow_step(flow, 1);
        memcpy(path + t * n * d, trop_flow_tokens(flow), bytes);
    }
    return status;
}

enum trop_status trop_tokens_flow(struct trop_case *c, const struct trop_flow_options *options,
                                  int64_t steps)
{
    struct trop_flow_options o = *options;
    struct trop_flow *flow = NULL;

    o.cloud.n = trop_case_size(c, "tokens", 0);
    o.cloud.d = trop_case_size(c, "tokens", 1);
    o.cloud.tokens = trop_case_array(c, "tokens");
    o.threads = c->threads;
    o.steps =
        (struct trop_count){ .value = steps,
                             .log10 = steps > 0 ? trop_log((double)steps) / trop_log(10) : 0 };
    if (o.closed_form == TROP_CLOSED_FORM_AUTO) {
        o.closed_form = TROP_CLOSED_FORM_NEVER;
    }
    if (!o.cloud.tokens) {
        return trop_fail(TROP_ERR_ARG, "tokens: there are none");
    }
    if (steps < 0 || steps > STEPS_MOST) {
        return trop_fail(TROP_ERR_ARG, "steps = %lld: must be from 0 to %d", (long long)steps,
                         STEPS_MOST);
    }
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = keep_steps(c, flow, steps, o.cloud.n, o.cloud.d);
    }
    trop_flow_free(flow);
    return status;
}

/* ---- sizes ----
 *
 * A sum of squares within 2^-900 and 2^900 has lost nothing that counts; another one is taken
 * again, of coordinates over the largest one. y NULL is the origin. */

static double length(const double *x, const double *y, int64_t d)
{
    double squares = 0, most = 0, sum = 0;

    for (int64_t a = 0; a < d; a++) {
        const double gap = y ? x[a] - y[a] : x[a];
        squares += gap * gap;
        most = fmax(most, fabs(gap));
    }
    if ((squares > 0x1p-900 && squares < 0x1p900) || !(most > 0 && most < INFINITY)) {
        return sqrt(squares);
    }
    for (int64_t a = 0; a < d; a++) {
        const double share = (y ? x[a] - y[a] : x[a]) / most;
        sum += share * share;
    }
    return most * sqrt(sum);
}

double trop_tokens_dot(const double *x, const double *y, int64_t d)
{
    double sum = 0;

    for (int64_t a = 0; a < d; a++) {
        sum += x[a] * y[a];
    }
    return sum;
}

double trop_tokens_norm(const double *x, int64_t d)
{
    return length(x, NULL, d);
}

double trop_tokens_distance(const double *x, const double *y, int64_t d)
{
    return length(x, y, d);
}

double trop_tokens_diameter(const double *x, int64_t n, int64_t d)
{
    double largest = 0;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            largest = fmax(largest, length(x + i * d, x + j * d, d));
        }
    }
    return largest;
}

double trop_tokens_radius(const double *x, int64_t n, int64_t d)
{
    double largest = 0;

    for (int64_t i = 0; i < n; i++) {
        largest = fmax(largest, length(x + i * d, NULL, d));
    }
    return largest;
}

double trop_tokens_diameter_of(struct trop_view x)
{
    return trop_tokens_diameter(x.at, x.rows, x.columns);
}

double trop_tokens_radius_of(struct trop_view x)
{
    return trop_tokens_radius(x.at, x.rows, x.columns);
}
