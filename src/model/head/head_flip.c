/* head_flip.c -- the flip radius: the smallest change of a query that changes its selection.
 *
 *   in q    r_i = min_t <q_i, k_a - k_t> / |k_a - k_t|
 *   in x^   r_i = min_t <q_i, k_a - k_t> / |W_Q' R_i' (k_a - k_t)|,
 *
 * over the keys that row i sees and that differ from k_a; the scale cancels. R_i turns by the
 * angles of position i. A change of x^ by delta changes q by R_i W_Q delta, keys held.
 *
 * Both are returned as proved lower bounds. With u = 2^-53, a lead is good to 4 u (head_scores.c),
 * a difference of keys to u, a length of d numbers to (d + 8) u / 2, and the division adds u: in
 * q all this is below (d + 16) u.
 *
 * In x^, with w = fl(R_i' (k_a - k_t)), off by at most 12 u |w| (sine and cosine within an ulp, a
 * product and an fma), and F = |W_Q|_F:
 *
 *   |W_Q' w|^2 <= fl(w' G w) + 1.1 (width + 2 d + 24) u F^2 |w|^2,   G = fl(W_Q W_Q'),
 *
 * d^2 products a key, tells which keys cannot set the minimum. For the others W_Q' w itself is
 * formed, off by (d + 4) u F |w|.
 */
#include "model/head/head_internal.h"

#include "attend/decide.h"
#include "base/linalg.h"

#include <math.h>

#define UNIT TROP_HEAD_UNIT

static double norm(const struct trop_head_scratch *s, const double *x, int64_t n)
{
    return trop_kernel_linear_length(s->kernel->linear, x, n);
}

static void start(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct trop_head_scratch *s = head->scratch;
    const int64_t d = input->d, width = input->width;

    for (int64_t a = 0; input->wq && a < d; a++) {
        s->kernel->linear->dots(s->gram + a * d, input->wq, width, d, input->wq + a * width, width);
    }
    s->frobenius = input->wq ? trop_head_up(norm(s, input->wq, d * width), d * width) : 0;
}

/* Lead over length, rounded down by m u. Below the range of relative errors 0 is a bound too. */
static double quotient(double lead, double length, int64_t m)
{
    const double r = lead / length * (1 - UNIT * (double)m);

    return r < TROP_HEAD_SMALL ? 0 : r;
}

static double flip_in_q(struct trop_head_scratch *s, const double *keys, int64_t d)
{
    const struct trop_head_row *row = &s->row;
    const double *a = keys + row->best * d;
    double least = INFINITY;

    for (int64_t t = 0; t < row->count; t++) {
        if (t == row->best || trop_decide_equal(a, keys + t * d, d)) {
            continue;
        }
        s->kernel->linear->subtract(s->part, a, keys + t * d, d);
        least = fmin(least, quotient(row->lead[t], norm(s, s->part, d), d + 16));
    }
    return least;
}

/* What is the same for all keys of a row. */
struct hat {
    const struct trop_head_input *input;
    double *w;  /* (d) */
    double *gw; /* (d) */
};

/* An upper bound of |W_Q' R' (k_a - k_t)| from G, and the better one from W_Q. length: |w|. */
static double length_by_gram(const struct hat *hat, struct trop_head_scratch *s, double length)
{
    const int64_t d = hat->input->d, width = hat->input->width;
    const struct trop_kernel_linear *linear = s->kernel->linear;
    const double bulk = s->frobenius * length;

    linear->dots(hat->gw, s->gram, d, d, hat->w, d);
    const double square = fmax(linear->dot(hat->w, hat->gw, d), 0);
    return sqrt(square + 1.1 * (double)(width + 2 * d + 24) * UNIT * bulk * bulk) * (1 + 8 * UNIT) +
           13 * UNIT * bulk;
}

static double length_by_product(const struct hat *hat, struct trop_head_scratch *s, double length)
{
    const int64_t d = hat->input->d, width = hat->input->width;

    s->kernel->linear->gather(s->wide, hat->w, hat->input->wq, width, d, width);
    return trop_head_up(norm(s, s->wide, width), width) +
           1.1 * (double)(d + 17) * UNIT * s->frobenius * length;
}

static double flip_in_hat(struct hat *hat, struct trop_head_scratch *s, const double *keys,
                          int64_t d)
{
    const struct trop_head_row *row = &s->row;
    const double *a = keys + row->best * d;
    double least = INFINITY;

    for (int64_t t = 0; t < row->count; t++) {
        if (t == row->best || trop_decide_equal(a, keys + t * d, d)) {
            continue;
        }
        if (row->lead[t] == 0) {
            return 0;
        }
        s->kernel->linear->subtract(hat->w, a, keys + t * d, d);
        if (hat->input->angle) {
            trop_head_turn(hat->w, s->turn, s->turn + d / 2, -1.0, d, hat->input->halves);
        }
        const double length = trop_head_up(norm(s, hat->w, d), d);
        if (quotient(row->lead[t], length_by_gram(hat, s, length), 8) < least) {
            least = fmin(least, quotient(row->lead[t], length_by_product(hat, s, length), 8));
        }
    }
    return least;
}

static double relative(struct trop_head_result *head, const struct trop_head_input *input,
                       const double *keys)
{
    struct trop_head_scratch *s = head->scratch;
    const int64_t d = input->d, width = input->width, i = s->row.i;
    struct hat hat = { input, s->part, s->part + d };

    const double size = trop_head_up(norm(s, input->hat + i * width, width), width);
    if (input->angle) {
        trop_head_angles(s->turn, s->turn + d / 2, input, i);
    }
    const double least = flip_in_hat(&hat, s, keys, d);
    return least == 0 ? 0 : quotient(least, size, 8);
}

static void row(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct trop_head_scratch *s = head->scratch;
    const double *keys = input->k + s->row.first * input->d;

    head->flip[s->row.i] = flip_in_q(s, keys, input->d);
    head->flip_relative[s->row.i] = input->wq && input->hat ? relative(head, input, keys) : NAN;
}

static void summary(double *mean, int64_t *infinite, const double *x, int64_t n)
{
    double sum = 0;

    *infinite = 0;
    for (int64_t i = 0; i < n; i++) {
        *infinite += isinf(x[i]) != 0;
        sum += isinf(x[i]) ? 0 : x[i];
    }
    *mean = *infinite < n ? sum / (double)(n - *infinite) : NAN;
}

static void end(struct trop_head_result *head, const struct trop_head_input *input)
{
    (void)input;
    summary(&head->flip_mean, &head->flip_infinite, head->flip, head->n);
    summary(&head->flip_relative_mean, &head->flip_relative_infinite, head->flip_relative, head->n);
}

const struct trop_head_measurement trop_head_flip = { TROP_HEAD_MEASURE_FLIP, start, row, end };
