/* head_round.c -- which selections survive when q and k are rounded to 16 bits.
 *
 * A format of p bits with least exponent e rounds x to the nearest, even on a tie, with an error of
 * at most u |x| + h, u = 2^-p, h = 2^(e - p) for its subnormals (bfloat16: p = 8, e = -126;
 * float16: p = 11, e = -14). So <q, k_a - k_t> moves by at most
 *
 *   u A_t + u (1 + u) (P_a + P_t) + h ((1 + u) (K_a + K_t + 2 Q) + 2 d h),
 *
 * A_t = sum_c |q_c| |k_ac - k_tc|, P_t = sum_c |q_c k_tc|, K_t = sum_c |k_tc|, Q = sum_c |q_c|. A
 * row whose leads are all larger is safe. Of the others the numbers are rounded and the largest
 * score is found again, without error: flipped, or open. A number beyond the range of the format
 * becomes infinite, and the row's scores infinite or not a number, of which there is no largest:
 * open.
 */
#include "model/head/head_internal.h"

#include "attend/decide.h"

#include <math.h>

struct format {
    int bits;   /* p */
    int least;  /* e */
    double top; /* the largest finite number */
};

static const struct format formats[2] = {
    { 8, -126, 0x1.fep127 },
    { 11, -14, 65504.0 },
};

static double rounded(double x, const struct format *format)
{
    int exponent = 0;

    frexp(x, &exponent); /* |x| in [2^(exponent - 1), 2^exponent) */
    const int place =
        (exponent - 1 > format->least ? exponent - 1 : format->least) - (format->bits - 1);
    const double y = ldexp(rint(ldexp(x, -place)), place);
    return fabs(y) <= format->top ? y : copysign(INFINITY, x);
}

static void start_format(struct trop_head_scratch *s, const struct trop_head_input *input, int f)
{
    const int64_t n = input->n, d = input->d;

    for (int64_t c = 0; c < d; c++) {
        s->ceiling[f][c] = 0;
    }
    s->beyond[f][0] = 0;
    for (int64_t t = 0; t < n; t++) {
        int is_beyond = 0;
        for (int64_t c = 0; c < d; c++) {
            const double y = rounded(input->k[t * d + c], &formats[f]);
            s->rounded[f][t * d + c] = y;
            is_beyond |= isinf(y) != 0;
            s->ceiling[f][c] = isinf(y) ? s->ceiling[f][c] : fmax(s->ceiling[f][c], fabs(y));
        }
        s->beyond[f][t + 1] = s->beyond[f][t] + is_beyond;
    }
}

static double moduli(const double *x, int64_t d)
{
    double sum = 0;

    for (int64_t c = 0; c < d; c++) {
        sum += fabs(x[c]);
    }
    return sum;
}

static void start(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct trop_head_scratch *s = head->scratch;

    head->bfloat16 = head->float16 = (struct trop_head_rounding){ 0 };
    start_format(s, input, 0);
    start_format(s, input, 1);
    for (int64_t t = 0; t < input->n; t++) {
        s->moduli[t] = moduli(input->k + t * input->d, input->d);
    }
}

/* 1: every lead of the row is larger than what rounding can take. */
static int is_safe(const struct trop_head_scratch *s, const struct trop_head_input *input, int f)
{
    const struct trop_head_row *row = &s->row;
    const int64_t d = input->d, a = row->best;
    const double u = ldexp(1, -formats[f].bits);
    const double h = ldexp(1, formats[f].least - formats[f].bits), q = moduli(row->q, d);

    for (int64_t t = 0; t < row->count; t++) {
        const double size = row->size[a] + row->size[t];
        const double sums = s->moduli[row->first + a] + s->moduli[row->first + t];
        const double bound = u * s->column[t] + u * (1 + u) * size +
                             h * ((1 + u) * (sums + 2 * q) + 2 * (double)d * h);
        /* The bound is of products of d numbers, rounded a few times more. */
        if (!(row->lead[t] * (1 - 8 * TROP_HEAD_UNIT) > trop_head_up(bound, d + 8)) &&
            s->column[t] >= 0) {
            return 0;
        }
    }
    return 1;
}

/* Rounds q to scratch; 1: a number of the row leaves the range of the format. */
static int is_beyond(const struct trop_head_scratch *s, const struct trop_head_input *input, int f)
{
    const int64_t first = s->row.first;
    int is_infinite = s->beyond[f][first + s->row.count] > s->beyond[f][first];

    for (int64_t c = 0; c < input->d; c++) {
        s->part[c] = rounded(s->row.q[c], &formats[f]);
        is_infinite |= isinf(s->part[c]) != 0;
    }
    return is_infinite;
}

static void count(struct trop_head_rounding *out, unsigned char *safe,
                  const struct trop_head_scratch *s, const struct trop_head_input *input, int f)
{
    const struct trop_head_row *row = &s->row;
    const int64_t d = input->d;

    if (is_beyond(s, input, f)) {
        out->open++;
    } else if (is_safe(s, input, f)) {
        out->safe++;
        *safe |= f ? TROP_HEAD_FLOAT16 : TROP_HEAD_BFLOAT16;
    } else if (trop_head_argmax(s->kernel, s->dots, s->part, s->rounded[f] + row->first * d,
                                row->count, d, s->ceiling[f]) != row->best) {
        out->flipped++;
    } else {
        out->open++;
    }
}

static void row(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct trop_head_scratch *s = head->scratch;
    const struct trop_head_row *row = &s->row;
    const double *keys = input->k + row->first * input->d, *a = keys + row->best * input->d;

    /* A_t; -1 marks keys that are a's own, which stay together. */
    for (int64_t t = 0; t < row->count; t++) {
        const double *key = keys + t * input->d;
        s->kernel->linear->subtract(s->part, a, key, input->d);
        s->column[t] = trop_decide_equal(a, key, input->d)
                           ? -1
                           : s->kernel->linear->dot_size(row->q, s->part, input->d);
    }
    unsigned char *safe = head->safe + row->i;
    *safe = 0;
    count(&head->bfloat16, safe, s, input, 0);
    count(&head->float16, safe, s, input, 1);
}

const struct trop_head_measurement trop_head_round = { TROP_HEAD_MEASURE_FLIP, start, row, NULL };
