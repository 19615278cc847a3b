/* tf_rank.c -- the max-margin problem over W = K Q' with r columns, by a search of its own.
 *
 *   min (|K|_F^2 + |Q|_F^2)/2   subject to   u_a' K Q' v_a >= 1,   u_a = x_i,alpha - x_it, v_a =
 * z_i,
 *
 * is by lemma 15 the least |W|_* over rank(W) <= r. For given Q and multipliers lambda the factor
 *
 *   K = sum_a p_a u_a (Q' v_a)',   p_a = max(0, lambda_a + sigma (1 - u_a' K Q' v_a)),
 *
 * minimises the augmented Lagrangian |K|^2/2 + sum_a p_a^2/(2 sigma); p is found by coordinates, a
 * few sweeps from lambda, and becomes the next lambda. K and Q take turns. At rest K = G Q and Q =
 * G'K with G = sum_a lambda_a u_a v_a', the first-order conditions of the problem. (Exact steps,
 * sigma infinite, stop short of them where constraints hold each factor in its place, up to a
 * third above the minimum.)
 *
 * The problem is not convex: of starts with r the rank of the convex solution, 5% end in another
 * local minimum. So starts are tried until one comes as low as is wanted: on 6000 instances of
 * tf-lem-3 one of 64 always did, and on all but one of 3000 one of 16.
 */
#include "claim/tf/tf.h"

#include "claim/tokens.h"

#include <math.h>
#include <string.h>

#define ROUNDS 250 /* of a stretch */
#define STRETCHES 40
#define SWEEPS 4
#define STARTS 64
#define USE_START \
    150 /* of the random numbers of a case, and those after it, one for each start \
         */

/* sigma of the starts in turn, as a share of the norm: more is faster, less finds other minima. */
static const double shares[] = { .1, .02, .4 };

struct search {
    int64_t count, d, r;
    double sigma;
    double *u, *v;      /* (count, d), of the constraints */
    double *k, *q;      /* (d, r) */
    double *lambda, *p; /* (count) */
    double *through;    /* (count, r): Q'v or K'u */
};

static struct search make(const struct trop_case *c, const struct trop_tf *m, int64_t r)
{
    const int64_t most = m->n * m->T, d = m->d;
    struct search s = { .d = d,
                        .r = r,
                        .u = trop_case_scratch(c, most * d),
                        .v = trop_case_scratch(c, most * d),
                        .k = trop_case_scratch(c, d * r),
                        .q = trop_case_scratch(c, d * r),
                        .lambda = trop_case_scratch(c, most),
                        .p = trop_case_scratch(c, most),
                        .through = trop_case_scratch(c, most * r) };

    for (int64_t at = 0; at < most; at++) {
        const int64_t i = at / m->T, t = at % m->T;
        const double *x = m->data.x + i * m->T * d;
        if (t == m->alpha[i]) {
            continue;
        }
        for (int64_t a = 0; a < d; a++) {
            s.u[s.count * d + a] = x[m->alpha[i] * d + a] - x[t * d + a];
            s.v[s.count * d + a] = m->data.z[i * d + a];
        }
        s.count++;
    }
    return s;
}

/* One factor while the other stays: of K the sides are u and v, of Q they are v and u. */
static void turn(struct search *s, double *factor, const double *left, const double *other,
                 const double *right)
{
    const int64_t d = s->d, r = s->r, size = d * r;

    memset(factor, 0, (size_t)size * sizeof *factor);
    memcpy(s->p, s->lambda, (size_t)s->count * sizeof *s->p);
    for (int64_t at = 0; at < s->count * r; at++) {
        double sum = 0;
        for (int64_t a = 0; a < d; a++) {
            sum += right[at / r * d + a] * other[a * r + at % r];
        }
        s->through[at] = sum;
    }
    /* The first sweep puts the factor together, the others change p. */
    for (int64_t step = 0; step < (1 + SWEEPS) * s->count; step++) {
        const int64_t a = step % s->count;
        const double *x = left + a * d, *y = s->through + a * r;
        double lead = 0, more = s->p[a];
        if (step >= s->count) {
            for (int64_t e = 0; e < size; e++) {
                lead += factor[e] * x[e / r] * y[e % r];
            }
            more = fmax(-s->p[a],
                        (1 - lead + (s->lambda[a] - s->p[a]) / s->sigma) /
                            (1 / s->sigma + trop_tokens_dot(x, x, d) * trop_tokens_dot(y, y, r)));
            s->p[a] += more;
        }
        for (int64_t e = 0; e < size; e++) {
            factor[e] += more * x[e / r] * y[e % r];
        }
    }
    memcpy(s->lambda, s->p, (size_t)s->count * sizeof *s->p);
}

const double *trop_tf_product(const struct trop_case *c, struct trop_view k, struct trop_view q)
{
    const int64_t d = k.rows, r = k.columns;
    double *w = trop_case_scratch(c, d * d);

    for (int64_t at = 0; at < d * d; at++) {
        w[at] = trop_tokens_dot(k.at + at / d * r, q.at + at % d * r, r);
    }
    return w;
}

/* So many rounds; returns |K Q'|_* of the factors when K is scaled to the least lead 1, and scales
 * it. */
static double run(struct search *s, const struct trop_case *c, const struct trop_tf *m)
{
    void *mark = trop_case_mark(c);

    for (int64_t round = 0; round < ROUNDS; round++) {
        turn(s, s->k, s->u, s->q, s->v);
        turn(s, s->q, s->v, s->k, s->u);
    }
    const double *w = trop_tf_product(c, (struct trop_view){ s->k, s->d, s->r, 1 },
                                      (struct trop_view){ s->q, s->d, s->r, 1 });
    const double least = trop_tf_margin(m, w), size = trop_tf_nuclear(c, w, s->d, s->d) / least;
    trop_case_release(c, mark);
    for (int64_t e = 0; least > 0 && e < s->d * s->r; e++) {
        s->k[e] /= least;
    }
    return least > 0 ? size : (double)INFINITY;
}

double trop_tf_rank_search(struct trop_case *c, const char *k, const char *q, int64_t r,
                           double enough)
{
    const struct trop_tf m = trop_tf_of(c);
    struct search s = make(c, &m, r);
    double best = INFINITY;

    for (int64_t start = 0; start < STARTS && best > enough; start++) {
        s.sigma = shares[start % 3] * enough;
        memset(s.lambda, 0, (size_t)s.count * sizeof *s.lambda);
        for (int64_t e = 0; e < m.d * r; e++) {
            s.q[e] = trop_case_normal(c, USE_START + start, e);
        }
        for (int64_t stretch = 0; stretch < STRETCHES && best > enough; stretch++) {
            const double size = run(&s, c, &m);
            if (size < best) {
                best = size;
                trop_case_copy_in(c, k, s.k, m.d, r, 0);
                trop_case_copy_in(c, q, s.q, m.d, r, 0);
            }
        }
    }
    return best;
}
