/* attention_reference.h -- the gradient of an attention model in MPFR.
 *
 * It knows nothing of centring, pairs of doubles or kernels: logits a_t in hundreds or thousands of
 * bits, s = softmax(a), and the coefficient of token t is
 *
 *   l'(f) s_t sum_u s_u (score_t - score_u),
 *
 * which has no cancellation that bits could run out in. Exponents of MPFR reach
 * 2^(2^62), so that e^-1e9 is an ordinary number; where e^-1e300 is not, gaps are compared first.
 */
#ifndef TROP_TESTS_ATTENTION_REFERENCE_H
#define TROP_TESTS_ATTENTION_REFERENCE_H

#include "attention_support.h"

#include <mpfr.h>

#define SIZES (D_MAX * D_MAX)

struct reference {
    double direction[2][SIZES]; /* of each tensor of the attention, of length 1 */
    int zero;                   /* 1: there is none */
    double log_norm[2];         /* log of its length; -infinity where that leaves double */
    double crowd[2];            /* sum of the lengths of its terms, over its length: >= 1 */
    double log_gap;
    double log_s[N_MAX * T_MAX][T_MAX];
};

struct problem {
    const struct sample *sample;
    const struct trop_attention_options *options;
    const struct trop_weights *weights;
};

static inline int64_t places_of(const struct problem *p)
{
    return p->options->model == TROP_TRAIN_SEQUENCE ? p->sample->data.T : 1;
}

/* Row t of input i, and the query of ask q; NULL: prompt. */
static inline const double *token_of(const struct problem *p, int64_t i, int64_t t)
{
    const struct trop_data *d = &p->sample->data;
    return d->x ? d->x + (i * d->T + t) * d->d : d->vocabulary + d->ids[i * d->T + t] * d->d;
}

static inline const double *key_of(const struct problem *p, int64_t i, int64_t t)
{
    const struct trop_data *d = &p->sample->data;
    const int prompt = p->options->model == TROP_TRAIN_PROMPT;
    return prompt && d->k ? d->k + (i * d->T + t) * d->dk : token_of(p, i, t);
}

static inline const double *query_of(const struct problem *p, int64_t q)
{
    const struct trop_data *d = &p->sample->data;
    const int64_t i = q / places_of(p);
    return p->options->model == TROP_TRAIN_PROMPT     ? NULL
           : !d->x                                    ? token_of(p, i, d->T - 1)
           : p->options->model == TROP_TRAIN_SEQUENCE ? token_of(p, i, q % d->T)
           : !d->z                                    ? token_of(p, i, p->options->row)
                                                      : d->z + q * d->d;
}

/* sum += a b */
static inline void add_product(mpfr_t sum, const mpfr_t a, double b)
{
    mpfr_t term;
    mpfr_init2(term, mpfr_get_prec(sum));
    mpfr_mul_d(term, a, b, MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
    mpfr_clear(term);
}

/* u of ask q: (dk). */
static inline void exact_u(mpfr_t *u, const struct problem *p, int64_t q)
{
    const struct trop_tensor *first = p->weights->tensor, *second = first + 1;
    const double *z = query_of(p, q);
    mpfr_t inner, scale;

    mpfr_inits2(mpfr_get_prec(u[0]), inner, scale, NULL);
    mpfr_set_d(scale, first->log_scale, MPFR_RNDN);
    if (p->options->model == TROP_TRAIN_KQ) {
        mpfr_add_d(scale, scale, second->log_scale, MPFR_RNDN);
    }
    mpfr_exp(scale, scale, MPFR_RNDN);
    for (int64_t c = 0; c < first->rows; c++) {
        mpfr_set_d(u[c], z ? 0 : first->values[c], MPFR_RNDN);
        for (int64_t b = 0; z && b < first->columns; b++) {
            mpfr_set_d(inner, z[b % p->sample->data.d], MPFR_RNDN);
            if (p->options->model == TROP_TRAIN_KQ) {
                mpfr_set_d(inner, 0, MPFR_RNDN);
                for (int64_t e = 0; e < second->rows; e++) {
                    mpfr_t part;
                    mpfr_init2(part, mpfr_get_prec(inner));
                    mpfr_set_d(part, second->values[e * second->columns + b], MPFR_RNDN);
                    add_product(inner, part, z[e]);
                    mpfr_clear(part);
                }
            }
            add_product(u[c], inner, first->values[c * first->columns + b]);
        }
        mpfr_mul(u[c], u[c], scale, MPFR_RNDN);
    }
    mpfr_clears(inner, scale, NULL);
}

static inline void exact_score(mpfr_t out, const struct problem *p, int64_t i, int64_t t)
{
    const struct trop_data *d = &p->sample->data;
    const double y = d->y && d->x ? d->y[i] : 1; /* one label for each input */
    mpfr_t x;

    mpfr_set_d(out, d->x ? 0 : d->ids[i * d->T + t] == d->next[i], MPFR_RNDN);
    mpfr_init2(x, mpfr_get_prec(out));
    for (int64_t c = 0; d->x && c < d->d; c++) {
        mpfr_set_d(x, token_of(p, i, t)[c], MPFR_RNDN);
        add_product(out, x, y * d->v[c]);
    }
    mpfr_clear(x);
}

/* l and log|l'| at f. */
static inline void exact_loss(mpfr_t value, mpfr_t log_slope, const mpfr_t f, int64_t loss)
{
    mpfr_t e;
    mpfr_init2(e, mpfr_get_prec(f));
    mpfr_neg(e, f, MPFR_RNDN);
    if (loss == LOGISTIC) {
        mpfr_exp(value, e, MPFR_RNDN);
        mpfr_log1p(value, value, MPFR_RNDN);
        mpfr_exp(log_slope, f, MPFR_RNDN);
        mpfr_log1p(log_slope, log_slope, MPFR_RNDN);
        mpfr_neg(log_slope, log_slope, MPFR_RNDN);
    } else if (loss == EXPONENTIAL) {
        mpfr_exp(value, e, MPFR_RNDN);
        mpfr_set(log_slope, e, MPFR_RNDN);
    } else if (loss == CORRELATION) {
        mpfr_set(value, e, MPFR_RNDN);
        mpfr_set_d(log_slope, 0, MPFR_RNDN);
    } else {
        mpfr_log(value, f, MPFR_RNDN);
        mpfr_neg(value, value, MPFR_RNDN);
        mpfr_set(log_slope, value, MPFR_RNDN);
    }
    mpfr_clear(e);
}

/* One ask: logarithms and signs of its coefficients, log s, and its part of the loss gap. */
struct exact_ask {
    mpfr_t size[T_MAX], log_s[T_MAX], rise;
    int sign[T_MAX];
    int64_t seen, best;
};

static inline void exact_ask(struct exact_ask *out, const struct problem *p, int64_t q,
                             mpfr_prec_t bits)
{
    const struct trop_data *d = &p->sample->data;
    const int64_t i = q / places_of(p), dk = p->weights->tensor[0].rows;
    const int causal =
        p->options->model == TROP_TRAIN_SEQUENCE && p->options->mask == TROP_MASK_CAUSAL;
    mpfr_t u[D_MAX], s[T_MAX], score[T_MAX], sum, term, f, slope, best;

    mpfr_inits2(bits, sum, term, f, slope, best, NULL);
    for (int64_t c = 0; c < D_MAX; c++) {
        mpfr_init2(u[c], bits);
    }
    exact_u(u, p, q);
    out->seen = causal ? q % d->T + 1 : d->T;
    out->best = 0;
    for (int64_t t = 0; t < out->seen; t++) {
        mpfr_inits2(bits, s[t], score[t], NULL);
        mpfr_set_d(out->log_s[t], 0, MPFR_RNDN);
        for (int64_t c = 0; c < dk; c++) {
            add_product(out->log_s[t], u[c], key_of(p, i, t)[c]);
        }
        exact_score(score[t], p, i, t);
        out->best = mpfr_cmp(out->log_s[t], out->log_s[out->best]) > 0 ? t : out->best;
    }
    mpfr_set(term, out->log_s[out->best], MPFR_RNDN);
    mpfr_set_d(sum, 0, MPFR_RNDN);
    for (int64_t t = 0; t < out->seen; t++) { /* s before it is divided by its sum */
        mpfr_sub(out->log_s[t], out->log_s[t], term, MPFR_RNDN);
        mpfr_exp(s[t], out->log_s[t], MPFR_RNDN);
        mpfr_add(sum, sum, s[t], MPFR_RNDN);
    }
    mpfr_set_d(f, 0, MPFR_RNDN);
    mpfr_set(best, score[0], MPFR_RNDN);
    mpfr_log(term, sum, MPFR_RNDN);
    for (int64_t t = 0; t < out->seen; t++) {
        mpfr_div(s[t], s[t], sum, MPFR_RNDN);
        mpfr_sub(out->log_s[t], out->log_s[t], term, MPFR_RNDN);
        mpfr_fma(f, s[t], score[t], f, MPFR_RNDN);
        mpfr_max(best, best, score[t], MPFR_RNDN);
    }
    exact_loss(sum, slope, f, p->options->loss);
    for (int64_t t = 0; t < out->seen; t++) {
        mpfr_set_d(sum, 0, MPFR_RNDN);
        for (int64_t w = 0; w < out->seen; w++) {
            mpfr_sub(term, score[t], score[w], MPFR_RNDN);
            mpfr_fma(sum, s[w], term, sum, MPFR_RNDN);
        }
        out->sign[t] = t == out->best ? 0 : -mpfr_sgn(sum); /* l' < 0 */
        mpfr_abs(sum, sum, MPFR_RNDN);
        mpfr_log(out->size[t], sum, MPFR_RNDN);
        mpfr_add(out->size[t], out->size[t], slope, MPFR_RNDN);
        mpfr_add(out->size[t], out->size[t], out->log_s[t], MPFR_RNDN);
    }
    /* l(f) - l(best): f loses what is below its bits next to best, so the drop is the sum of its
     * terms, and the loss is expanded where that is small. For the log-loss f itself may be below
     * the bits of best = 1, and is a sum of positive terms. */
    mpfr_set_d(sum, 0, MPFR_RNDN);
    for (int64_t t = 0; t < out->seen; t++) {
        mpfr_sub(term, best, score[t], MPFR_RNDN);
        mpfr_fma(sum, s[t], term, sum, MPFR_RNDN);
    }
    if (p->options->loss != LOG) {
        mpfr_sub(f, best, sum, MPFR_RNDN);
    }
    exact_loss(out->rise, slope, f, p->options->loss);
    exact_loss(term, slope, best, p->options->loss);
    mpfr_sub(out->rise, out->rise, term, MPFR_RNDN);
    if (mpfr_cmp_d(sum, 1e-60) < 0) { /* l(best - r) - l(best) = |l'| r (1 + O(r)) */
        mpfr_exp(slope, slope, MPFR_RNDN);
        mpfr_mul(out->rise, slope, sum, MPFR_RNDN);
    }
    for (int64_t t = 0; t < out->seen; t++) {
        mpfr_clears(s[t], score[t], NULL);
    }
    for (int64_t c = 0; c < D_MAX; c++) {
        mpfr_clear(u[c]);
    }
    mpfr_clears(sum, term, f, slope, best, NULL);
}

/* out += weight column row' for every tensor of the attention; crowd += their lengths. */
static inline void add_terms(mpfr_t (*out)[SIZES], mpfr_t *crowd, const struct problem *p,
                             int64_t q, int64_t t, int64_t m, const mpfr_t weight)
{
    const struct trop_tensor *first = p->weights->tensor, *second = first + 1;
    const int64_t i = q / places_of(p), d = p->sample->data.d, width = first->columns;
    const double *k = key_of(p, i, t), *centre = key_of(p, i, m), *z = query_of(p, q);
    const int kq = p->options->model == TROP_TRAIN_KQ;
    const mpfr_prec_t bits = mpfr_get_prec(weight);
    mpfr_t step, inner[D_MAX], value, square[2];

    mpfr_inits2(bits, step, value, square[0], square[1], NULL);
    mpfr_set_d(square[0], 0, MPFR_RNDN);
    mpfr_set_d(square[1], 0, MPFR_RNDN);
    for (int64_t b = 0; b < width; b++) { /* the row: z, or Q'z; K'(k - centre) for Q */
        mpfr_init2(inner[b], bits);
        mpfr_set_d(inner[b], kq ? 0 : z ? z[b] : 1, MPFR_RNDN);
        for (int64_t e = 0; kq && e < d; e++) {
            mpfr_set_d(value, second->values[e * width + b], MPFR_RNDN);
            add_product(inner[b], value, z[e]);
        }
    }
    for (int64_t c = 0; c < first->rows; c++) {
        mpfr_set_d(step, k[c], MPFR_RNDN);
        mpfr_sub_d(step, step, centre[c], MPFR_RNDN);
        mpfr_mul(step, step, weight, MPFR_RNDN);
        for (int64_t b = 0; b < width; b++) {
            mpfr_mul(value, step, inner[b], MPFR_RNDN);
            mpfr_add(out[0][c * width + b], out[0][c * width + b], value, MPFR_RNDN);
            mpfr_fma(square[0], value, value, square[0], MPFR_RNDN);
        }
    }
    for (int64_t b = 0; kq && b < width; b++) {
        mpfr_set_d(inner[b], 0, MPFR_RNDN);
        for (int64_t c = 0; c < d; c++) {
            mpfr_set_d(step, k[c], MPFR_RNDN);
            mpfr_sub_d(step, step, centre[c], MPFR_RNDN);
            add_product(inner[b], step, first->values[c * width + b]);
        }
        for (int64_t e = 0; e < d; e++) {
            mpfr_mul_d(value, inner[b], z[e], MPFR_RNDN);
            mpfr_mul(value, value, weight, MPFR_RNDN);
            mpfr_add(out[1][e * width + b], out[1][e * width + b], value, MPFR_RNDN);
            mpfr_fma(square[1], value, value, square[1], MPFR_RNDN);
        }
    }
    for (int64_t b = 0; b < width; b++) {
        mpfr_clear(inner[b]);
    }
    for (int k2 = 0; k2 < 2; k2++) {
        mpfr_sqrt(square[k2], square[k2], MPFR_RNDN);
        mpfr_add(crowd[k2], crowd[k2], square[k2], MPFR_RNDN);
    }
    mpfr_clears(step, value, square[0], square[1], NULL);
}

/* Directions, lengths and crowding out of the sums; top: the logarithm of what was divided out. */
static inline void finish(struct reference *out, mpfr_t (*sum)[SIZES], mpfr_t *crowd,
                          const mpfr_t top, const struct problem *p, int64_t asks)
{
    const int kq = p->options->model == TROP_TRAIN_KQ;
    mpfr_t norm;

    mpfr_init2(norm, mpfr_get_prec(top));
    for (int k = 0; k < 1 + kq; k++) {
        mpfr_set_d(norm, 0, MPFR_RNDN);
        for (int64_t e = 0; e < size_of(p->weights->tensor + k); e++) {
            mpfr_fma(norm, sum[k][e], sum[k][e], norm, MPFR_RNDN);
        }
        mpfr_sqrt(norm, norm, MPFR_RNDN);
        for (int64_t e = 0; e < size_of(p->weights->tensor + k); e++) {
            mpfr_div(sum[k][e], sum[k][e], norm, MPFR_RNDN);
            out->direction[k][e] = mpfr_get_d(sum[k][e], MPFR_RNDN);
        }
        mpfr_div(crowd[k], crowd[k], norm, MPFR_RNDN);
        out->crowd[k] = mpfr_get_d(crowd[k], MPFR_RNDN);
        mpfr_div_si(norm, norm, asks, MPFR_RNDN);
        mpfr_log(norm, norm, MPFR_RNDN);
        mpfr_add(norm, norm, top, MPFR_RNDN);
        mpfr_add_d(norm, norm, kq ? p->weights->tensor[1 - k].log_scale : 0, MPFR_RNDN);
        out->log_norm[k] = mpfr_get_d(norm, MPFR_RNDN);
    }
    mpfr_clear(norm);
}

static inline double largest(const double *x, int64_t n)
{
    double most = 0;
    for (int64_t k = 0; k < n; k++) {
        most = fmax(most, fabs(x[k]));
    }
    return most;
}

/* 1 when the terms of token t vanish. */
static inline int same_key(const struct problem *p, int64_t q, int64_t t, int64_t m)
{
    const int64_t i = q / places_of(p);
    const size_t bytes = (size_t)p->weights->tensor[0].rows * sizeof(double);
    return memcmp(key_of(p, i, t), key_of(p, i, m), bytes) == 0;
}

static inline void reference_make(struct reference *out, const struct problem *p, mpfr_prec_t bits)
{
    const int64_t asks = p->sample->data.n * places_of(p), T = p->sample->data.T;
    static struct exact_ask ask[N_MAX * T_MAX];
    static mpfr_t sum[2][SIZES];
    mpfr_t crowd[2], top, weight, gap;
    int found = 0;

    mpfr_inits2(bits, crowd[0], crowd[1], top, weight, gap, NULL);
    mpfr_set_d(gap, 0, MPFR_RNDN);
    mpfr_set_d(crowd[0], 0, MPFR_RNDN);
    mpfr_set_d(crowd[1], 0, MPFR_RNDN);
    for (int64_t e = 0; e < 2 * SIZES; e++) {
        mpfr_init2(sum[e / SIZES][e % SIZES], bits);
        mpfr_set_d(sum[e / SIZES][e % SIZES], 0, MPFR_RNDN);
    }
    for (int64_t q = 0; q < asks; q++) {
        mpfr_init2(ask[q].rise, bits);
        for (int64_t t = 0; t < T; t++) {
            mpfr_inits2(bits, ask[q].size[t], ask[q].log_s[t], NULL);
        }
        exact_ask(ask + q, p, q, bits);
        mpfr_add(gap, gap, ask[q].rise, MPFR_RNDN);
        for (int64_t t = 0; t < ask[q].seen; t++) {
            if (same_key(p, q, t, ask[q].best)) {
                ask[q].sign[t] = 0;
            }
            out->log_s[q][t] = mpfr_get_d(ask[q].log_s[t], MPFR_RNDN);
            if (ask[q].sign[t] != 0 && (!found || mpfr_cmp(ask[q].size[t], top) > 0)) {
                mpfr_set(top, ask[q].size[t], MPFR_RNDN);
                found = 1;
            }
        }
    }
    for (int64_t q = 0; q < asks; q++) {
        for (int64_t t = 0; t < ask[q].seen; t++) {
            if (ask[q].sign[t] != 0) {
                mpfr_sub(weight, ask[q].size[t], top, MPFR_RNDN);
                mpfr_exp(weight, weight, MPFR_RNDN);
                mpfr_mul_si(weight, weight, ask[q].sign[t], MPFR_RNDN);
                add_terms(sum, crowd, p, q, t, ask[q].best, weight);
            }
        }
    }
    out->zero = !found;
    if (found) {
        finish(out, sum, crowd, top, p, asks);
    }
    mpfr_div_si(gap, gap, asks, MPFR_RNDN);
    mpfr_log(gap, gap, MPFR_RNDN);
    out->log_gap = mpfr_get_d(gap, MPFR_RNDN);
    for (int64_t q = 0; q < asks; q++) {
        mpfr_clear(ask[q].rise);
        for (int64_t t = 0; t < T; t++) {
            mpfr_clears(ask[q].size[t], ask[q].log_s[t], NULL);
        }
    }
    for (int64_t e = 0; e < 2 * SIZES; e++) {
        mpfr_clear(sum[e / SIZES][e % SIZES]);
    }
    mpfr_clears(crowd[0], crowd[1], top, weight, gap, NULL);
}

#endif
