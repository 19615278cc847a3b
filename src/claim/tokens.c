/* tokens.c -- clouds of tokens for claims. */
#include "claim/tokens.h"

#include "base/math/log.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define USE_TOKENS 1 /* of the random numbers of a case; claims count theirs from 16 */

/* The range of sizes that a person may give, and the share of a size that rounding may hide. */
#define SMALLEST 1e-50
#define LARGEST 1e50
#define SHARE 1e-3

/* ---- what a person gave ---- */

int trop_tokens_moderate(double factor)
{
    return fabs(factor) >= SMALLEST && fabs(factor) <= LARGEST;
}

enum trop_status trop_tokens_size(const struct trop_case *c, const char *name)
{
    const struct trop_view x = trop_case_view(c, name);
    double most = 0;

    for (int64_t k = 0; k < x.rows * x.columns * x.depth; k++) {
        most = fmax(most, fabs(x.at[k]));
    }
    if (most == 0 || trop_tokens_moderate(most)) {
        return TROP_OK;
    }
    return trop_case_settle(
        c, trop_fail(TROP_ERR_ARG,
                     "%s: the largest entry is %g in size, claims are judged for %g to %g: scale "
                     "them",
                     name, most, SMALLEST, LARGEST));
}

void trop_tokens_check(const struct trop_case *c)
{
    static const char *const matrices[] = { "A", "B", "V", "Q" };
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);

    if (n < 1 || d < 1) {
        trop_case_refuse(c, "tokens: must be an array (n, d)");
    }
    trop_tokens_size(c, "tokens");
    for (int64_t k = 0; k < 4; k++) {
        const char *name = matrices[k];
        const int64_t a = trop_case_size(c, name, 0), b = trop_case_size(c, name, 1);
        if (trop_case_has(c, name) && (a != d || b != d)) {
            trop_case_refuse(c, "%s is %lld x %lld: must be %lld x %lld, as tokens are long", name,
                             (long long)a, (long long)b, (long long)d, (long long)d);
        }
        trop_tokens_size(c, name);
    }
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
static double *begin(struct trop_case *c, int64_t n, int64_t d)
{
    double *out = trop_case_absent(c, "tokens", n, d, 0);

    trop_tokens_check(c);
    return out;
}

void trop_tokens_gaussian(struct trop_case *c, int64_t n, int64_t d)
{
    double *x = begin(c, n, d);

    for (int64_t k = 0; x && k < n * d; k++) {
        x[k] = trop_case_normal(c, USE_TOKENS, k);
    }
}

void trop_tokens_uniform(struct trop_case *c, int64_t n, int64_t d)
{
    double *x = begin(c, n, d);

    for (int64_t k = 0; x && k < n * d; k++) {
        x[k] = 2 * trop_case_uniform(c, USE_TOKENS, k) - 1;
    }
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

void trop_tokens_sphere(struct trop_case *c, int64_t n, int64_t d)
{
    double *x = begin(c, n, d);

    for (int64_t i = 0; x && i < n; i++) {
        point_of_sphere(x + i * d, c, USE_TOKENS, i, d);
    }
}

void trop_tokens_symmetric(struct trop_case *c, int64_t half, int64_t d)
{
    double *x = begin(c, 2 * half, d);

    for (int64_t k = 0; x && k < half * d; k++) {
        x[k] = trop_case_normal(c, USE_TOKENS, k);
        x[half * d + k] = -x[k];
    }
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

void trop_tokens_own_cells(struct trop_case *c, int64_t kappa, int64_t n, int64_t d)
{
    double *x = begin(c, n, d);

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
