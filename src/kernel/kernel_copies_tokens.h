/* kernel_copies_tokens.h -- the tokens of eight copies between two fields: queries, steps, the
 * sphere, lengths; part of kernel_copies_body.c, after its lanes.
 */
#ifndef TROP_KERNEL_KERNEL_COPIES_TOKENS_H
#define TROP_KERNEL_KERNEL_COPIES_TOKENS_H

static void reach_of(double *restrict out, const double *restrict x, int64_t n, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        struct lanes most = lanes_all(0);
        for (int64_t i = 0; i < n; i++) {
            most = lanes_larger(most, lanes_magnitude(lanes_load(x + (i * d + c) * L)));
        }
        lanes_store(out + c * L, most);
    }
}

static void query(double *restrict y, const double *restrict x, int64_t n, int64_t d,
                  const double *matrix, double scale, const double *sign)
{
    struct lanes turn = lanes_load(sign);

    for (int64_t i = 0; i < n; i++) {
        const double *xi = x + i * d * L;
        for (int64_t c = 0; c < d; c++) {
            struct lanes sum = lanes_all(0);
            for (int64_t k = 0; matrix && k < d; k++) {
                sum = lanes_fma(lanes_all(matrix[c * d + k]), lanes_load(xi + k * L), sum);
            }
            if (!matrix) {
                sum = lanes_multiply(lanes_all(scale), lanes_load(xi + c * L));
            }
            lanes_store(y + (i * d + c) * L, lanes_multiply(turn, sum));
        }
    }
}

static void advance(double *restrict out, const double *restrict x, const double *restrict move,
                    const double *gamma, int64_t count)
{
    struct lanes g = lanes_load(gamma);

    for (int64_t m = 0; m < count; m++) {
        lanes_store(out + m * L, lanes_fma(g, lanes_load(move + m * L), lanes_load(x + m * L)));
    }
}

static void combine(double *restrict out, const double *restrict x, const double *restrict k,
                    const double *h, const double *weights, int stages, int64_t count)
{
    struct lanes step = lanes_load(h);

    for (int64_t m = 0; m < count; m++) {
        struct lanes sum = lanes_all(0);
        for (int s = 0; s < stages; s++) {
            sum = lanes_fma(lanes_all(weights[s]), lanes_load(k + (s * count + m) * L), sum);
        }
        lanes_store(out + m * L, lanes_fma(step, sum, lanes_load(x + m * L)));
    }
}

static inline void tangent_of(double *restrict move, const double *restrict x, double scale,
                              int64_t n, int64_t d)
{
    struct lanes factor = lanes_all(scale);

    for (int64_t i = 0; i < n; i++, move += d * L, x += d * L) {
        struct lanes along = lanes_all(0);
        for (int64_t c = 0; c < d; c++) {
            struct lanes v = lanes_multiply(factor, lanes_load(move + c * L));
            lanes_store(move + c * L, v);
            along = lanes_fma(lanes_load(x + c * L), v, along);
        }
        along = lanes_subtract(lanes_all(-0.0), along);
        for (int64_t c = 0; c < d; c++) {
            struct lanes v = lanes_fma(along, lanes_load(x + c * L), lanes_load(move + c * L));
            lanes_store(move + c * L, v);
        }
    }
}

static void tangent(double *restrict move, const double *restrict x, double scale, int64_t n,
                    int64_t d)
{
    if (d == 2) { /* a number that the compiler knows */
        tangent_of(move, x, scale, n, 2);
    } else {
        tangent_of(move, x, scale, n, d);
    }
}

static void stretch(double *restrict move, const double *restrict factor, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        struct lanes f = lanes_load(factor + i * L);
        for (int64_t c = 0; c < d; c++) {
            double *at = move + (i * d + c) * L;
            lanes_store(at, lanes_multiply(lanes_load(at), f));
        }
    }
}

/* |x|, in the order of trop_linalg_norm: coordinate c to partial sum c mod 8. */
static inline struct lanes length(const double *restrict x, int64_t d)
{
    struct lanes s[L];

    for (int l = 0; l < L; l++) {
        s[l] = lanes_all(0);
    }
    for (int64_t c = 0; c < d; c++) {
        struct lanes t = lanes_load(x + c * L);
        s[c % L] = lanes_fma(t, t, s[c % L]);
    }
    return lanes_root(tree(s));
}

static unsigned project(double *restrict x, int64_t n, int64_t d)
{
    struct lanes one = lanes_all(1), rest = lanes_all(0x1p-51);
    unsigned fine = ALL;

    for (int64_t i = 0; i < n; i++, x += d * L) {
        struct lanes norm = d == 2 ? length(x, 2) : d == 3 ? length(x, 3) : length(x, d);
        struct lanes off = lanes_magnitude(lanes_subtract(norm, one));
        fine &= lanes_reach(norm, lanes_all(0x1p-400)) & lanes_reach(lanes_all(0x1p400), norm);
        if (lanes_reach(rest, off) == ALL) {
            continue;
        }
        for (int64_t c = 0; c < d; c++) {
            struct lanes at = lanes_load(x + c * L);
            lanes_store(x + c * L, lanes_if_above(off, rest, lanes_divide(at, norm), at));
        }
    }
    return ~fine & ALL;
}

static void longest(double *restrict out, const double *restrict move, int64_t n, int64_t d)
{
    struct lanes most = lanes_all(0);

    for (int64_t i = 0; i < n; i++, move += d * L) {
        struct lanes r = lanes_all(0);
        for (int64_t c = 0; c < d; c++) {
            struct lanes t = lanes_load(move + c * L);
            r = lanes_fma(t, t, r);
        }
        most = lanes_larger(most, r);
    }
    lanes_store(out, most);
}

static inline struct lanes widest_of(const double *restrict x, int64_t n, int64_t d)
{
    struct lanes most = lanes_all(0);

    for (int64_t i = 1; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            struct lanes r = lanes_all(0);
            for (int64_t c = 0; c < d; c++) {
                struct lanes t = lanes_subtract(lanes_load(x + (i * d + c) * L),
                                                lanes_load(x + (j * d + c) * L));
                r = lanes_fma(t, t, r);
            }
            most = lanes_larger(most, r);
        }
    }
    return most;
}

static void widest(double *restrict out, const double *restrict x, int64_t n, int64_t d)
{
    lanes_store(out, d == 2 ? widest_of(x, n, 2) : widest_of(x, n, d));
}

#endif
