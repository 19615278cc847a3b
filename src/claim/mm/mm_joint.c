/* mm_joint.c -- the joint regularisation path of a prompt and a decoder, and a bound on it.
 *
 *   (v', p)(r, R) = argmin of L over |v'| <= r, |p| <= R,   logistic loss
 *
 * Selected tokens are y_i a_i v of one unit vector v, a_i >= G, and the others are shorter than G,
 * by nu_i than a_i (assumption C); sigma_i = a_i - G is the label slack. Let w be any vector whose
 * norm is 1/m and whose leads over the other tokens of input i are max(0, 1 - sigma_i r/(R m)) at
 * least.
 *
 * Let Z_i = r a_i, and l the loss. Any (v', p) has outputs z_i <= r |attended token| <= Z_i - r
 * nu_i (1 - s_i), and (r v, p') the outputs Z_i - d_i, d_i = r times the score that mixing costs at
 * p'. With l(Z - d) = l(Z) + log(1 + |l'(Z)| (e^d - 1)) and a loss that is no larger than that of
 * (r v, p'),
 *
 *   log(1 + |l'(Z_i)| (e^(r nu_i (1 - s_i)) - 1)) <= E = sum_j log(1 + |l'(Z_j)| (e^d_j - 1)),
 *   1 - s_i <= S_i = log(1 + (e^E - 1)/|l'(Z_i)|) / (r nu_i)          for every p' of norm R.
 *
 * p' = (R - h |p_mm|) w/|w| + h p_mm leads by h everywhere; of h = 0, 1, 2, ... the one with the
 * least E is taken. Every lead of p is at least log((1 - S_i)/S_i), which is short of max(0, R m -
 * r sigma_i) by B at most. The shortest w is a combination of its rows with weights >= 0 whose sum
 * is at most |w| |p_mm|, since p_mm leads by 1. So <p, w> >= R |w| - B |w| |p_mm|, and
 *
 *   1 - cos(p, w) <= B |p_mm| / R,      1 - cos(v', v) <= 2 min_i S_i.
 *
 * B is of order log r. e^-Z leaves the range of double, so that E and what follows are logarithms.
 * A loss that is no larger than that of p' is what the solver is asked for; it is judged with the
 * decoder r v, for which E of p is known without cancellation. The solver calls points stationary
 * at 1 - cos <= 1e-10, which is allowed tenfold in v.
 */
#include "claim/mm/mm.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/math/pow.h"

#include <float.h>
#include <math.h>

#define RADII 4

/* ---- instances ---- */

/* Selected tokens, the first ones, are y_i a with |a| = 1 or, where an input has slack, y_i (1 +
 * sigma_i) a; the others are shorter than .6. */
static void draw_tokens(struct trop_case *c, int64_t n, int64_t T, int64_t d, int64_t supports)
{
    double *x = trop_case_zeros(c, "X", n, T, d), *y = trop_case_zeros(c, "y", n, 0, 0);
    double *v = trop_case_zeros(c, "v", d, 0, 0);

    trop_mm_unit(v, c, 0, d);
    for (int64_t at = 0; at < n * T; at++) {
        const int64_t i = at / T;
        const double sigma = i < supports ? 0 : .1 + .9 * trop_case_uniform(c, 21, i);
        const double length = .2 + .4 * trop_case_uniform(c, 17, at);
        y[i] = trop_case_uniform(c, 18, i) < .5 ? -1 : 1;
        trop_mm_unit(x + at * d, c, 1 + at, d);
        for (int64_t k = 0; k < d; k++) {
            x[at * d + k] = at % T == 0 ? y[i] * (1 + sigma) * v[k] : length * x[at * d + k];
        }
    }
}

void trop_mm_joint_draw(struct trop_case *c, int with_slack)
{
    static const double exponents[] = { 2, 1, .5, 0 };
    const int64_t n = 2 + trop_case_pick(c, 16, 0, 3), T = 2 + trop_case_pick(c, 16, 1, 2);
    const int64_t supports = with_slack ? 1 + trop_case_pick(c, 20, 0, n - 1) : n;

    if (!trop_case_has(c, "X")) {
        draw_tokens(c, n, T, 2 + trop_case_pick(c, 16, 3, 2), supports);
    }
    const struct trop_mm m = trop_mm_of(c);
    trop_mm_normals(c, "K", 19, 1, m.n, m.T, m.n * (m.T - 1) + trop_case_pick(c, 16, 2, 2));
    trop_case_zeros(c, "alpha", m.n, 0, 0);
    trop_case_default(c, "exponent", exponents[c->trial % 4]);
    trop_case_default(c, "ratio", .5 + trop_case_uniform(c, 22, 0));
}

void trop_mm_joint_radii(struct trop_case *c)
{
    static const double slow[] = { 10, 40, 80, 160 }, fast[] = { 4, 8, 12, 16 };
    const double exponent = trop_case_number(c, "exponent"), ratio = trop_case_number(c, "ratio");
    double *R = trop_case_zeros(c, "radius", RADII, 0, 0);
    double *r = trop_case_zeros(c, "decoder_radius", RADII, 0, 0);

    for (int64_t row = 0; row < RADII; row++) {
        const double far = exponent == 0 ? fast[row] : slow[row];
        R[row] = far * trop_case_number(c, "p_mm_upper");
        r[row] = ratio * (exponent == 0 ? trop_exp(far) : trop_pow(R[row], exponent));
    }
}

/* The length of the selected token of an input, the longest other one, and the least of the
 * former. */
double trop_mm_joint_length(const struct trop_mm *m, int64_t i)
{
    return trop_tokens_norm(m->x + (i * m->T + (int64_t)m->alpha[i]) * m->d, m->d);
}

static double other_length(const struct trop_mm *m, int64_t i)
{
    double most = 0;

    for (int64_t t = 0; t < m->T; t++) {
        const double size = trop_tokens_norm(m->x + (i * m->T + t) * m->d, m->d);
        most = t == (int64_t)m->alpha[i] ? most : fmax(most, size);
    }
    return most;
}

double trop_mm_joint_least(const struct trop_mm *m)
{
    double least = INFINITY;

    for (int64_t i = 0; i < m->n; i++) {
        least = fmin(least, trop_mm_joint_length(m, i));
    }
    return least;
}

/* ---- the bound ---- */

/* log |l'(Z)|, and log(e^x - 1). */
static double log_slope(double Z)
{
    return -Z - trop_log1p(trop_exp(-Z));
}

static double log_expm1(double x)
{
    return x > 40 ? x : trop_log(trop_expm1(x));
}

/* What is known about a row of the path: S (n), and B. */
struct bound {
    double R, r, size; /* |w| */
    const double *w;
    double *point; /* p' (dk) */
    double *S, B;
};

/* p' for h. */
static void place(struct bound *b, const struct trop_mm *m, double h)
{
    const double size = trop_tokens_norm(m->p_mm, m->dk);

    for (int64_t k = 0; k < m->dk; k++) {
        b->point[k] = (b->R - h * size) * b->w[k] / b->size + h * m->p_mm[k];
    }
}

/* log E at p', with log(1 + x) <= x. */
static double log_excess(const struct trop_mm *m, const struct bound *b)
{
    double sum = -INFINITY;

    for (int64_t j = 0; j < m->n; j++) {
        const double d = b->r * trop_mm_deficit(m, j, (int64_t)m->alpha[j], b->point);
        sum = trop_log_add(sum, log_slope(b->r * trop_mm_joint_length(m, j)) + log_expm1(d));
    }
    return sum;
}

/* The data with the direction that all selected tokens have as decoder. */
struct trop_mm trop_mm_joint_of(const struct trop_case *c)
{
    struct trop_mm m = trop_mm_of(c);
    double *v = trop_case_scratch(c, m.d);

    for (int64_t k = 0; k < m.d; k++) {
        v[k] = m.y[0] * m.x[(int64_t)m.alpha[0] * m.d + k] / trop_mm_joint_length(&m, 0);
    }
    m.v = v;
    return m;
}

static struct bound bound_of(const struct trop_case *c, const struct trop_mm *m, int64_t row)
{
    const double *w = trop_case_view_row(trop_case_view(c, "w"), row);
    const double upper = trop_case_number(c, "p_mm_upper");
    struct bound b = { .R = trop_case_array(c, "radius")[row],
                       .r = trop_case_array(c, "decoder_radius")[row],
                       .size = trop_tokens_norm(w, m->dk),
                       .w = w,
                       .point = trop_case_scratch(c, m->dk),
                       .S = trop_case_scratch(c, m->n) };
    double least = INFINITY, best = 0;

    for (double h = 0; h < 60 && h * upper < b.R; h++) {
        place(&b, m, h);
        const double log_E = log_excess(m, &b);
        best = log_E < least ? h : best;
        least = fmin(least, log_E);
    }
    place(&b, m, best);
    const double log_E = least < -40 ? least : log_expm1(trop_exp(least));
    for (int64_t i = 0; i < m->n; i++) {
        const double size = trop_mm_joint_length(m, i), e = log_E - log_slope(b.r * size);
        b.S[i] = (e > 40 ? e : trop_log1p(trop_exp(e))) / (b.r * (size - other_length(m, i)));
        const double asked = b.R / b.size - b.r * (size - trop_mm_joint_least(m));
        b.B = fmax(b.B, b.S[i] < 1 ? fmax(0, asked) - trop_log((1 - b.S[i]) / b.S[i]) : INFINITY);
    }
    return b;
}

/* ---- the path ---- */

/* log E of p itself with the decoder (r v) less that of p', of a row. */
static double worse(const struct trop_case *c, const struct trop_mm *m, int64_t row)
{
    struct bound b = bound_of(c, m, row);
    const double least = log_excess(m, &b);

    b.point = trop_case_view_row(trop_case_view(c, "path"), row);
    return log_excess(m, &b) - least;
}

static int is_found(const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_joint_of(c);

    for (int64_t row = 0; row < trop_case_size(c, "path", 0); row++) {
        if (!(worse(c, &m, row) <= 1e-6 && trop_case_array(c, "misalignment")[row] <= 1e-9)) {
            return 0;
        }
    }
    return 1;
}

/* The problem is not convex: random starts of four seeds, until every point is one that counts. */
void trop_mm_joint_run(struct trop_case *c)
{
    trop_case_put(c, "found", 0);
    for (int seed = 1; seed <= 4 && trop_case_number(c, "found") == 0; seed++) {
        trop_case_radii(c, "weights=path misalignment",
                        "model=joint radius=@radius decoder_radius=@decoder_radius starts=2 "
                        "seed=%d",
                        seed);
        trop_case_put(c, "found", is_found(c));
    }
}

/* ---- what is judged ---- */

void trop_mm_joint_aligned(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_joint_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        const double *x = m.x + (i * m.T + (int64_t)m.alpha[i]) * m.d;
        const double size = trop_mm_joint_length(&m, i);
        double most = 0;
        for (int64_t k = 0; k < m.d; k++) {
            most = fmax(most, fabs(m.y[i] * x[k] - size * m.v[k]));
        }
        trop_judge_truth(judge, "the selected token is a multiple of y v", i,
                         most <= 8 * DBL_EPSILON * size);
        trop_judge_at_least(judge, "its length less that of the longest other token", i,
                            trop_mm_joint_least(&m) - other_length(&m, i), .05, 1e-9);
    }
}

void trop_mm_joint_conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_joint_of(c);
    const struct trop_view path = trop_case_view(c, "path");
    const double upper = trop_case_number(c, "p_mm_upper");

    for (int64_t row = 0; row < path.rows; row++) {
        const double *p = trop_case_view_row(path, row);
        const struct bound b = bound_of(c, &m, row);
        double spread = INFINITY;
        trop_judge_at_most(judge, "log of the loss above its limit against that of p'", row,
                           worse(c, &m, row), 0, 1e-6);
        for (int64_t i = 0; i < m.n; i++) {
            spread = fmin(spread, 2 * b.S[i]);
            trop_judge_at_most(judge, "log of the attention that is not selected", row,
                               trop_log(trop_mm_rest(&m, i, (int64_t)m.alpha[i], p)),
                               trop_log(b.S[i]), 1e-6);
        }
        if (b.B * upper < b.R) {
            trop_judge_at_most(judge, "1 - cos of p to w", row, trop_mm_turn(p, b.w, m.dk),
                               b.B * upper / b.R, 1e-9);
        }
        trop_judge_at_most(judge, "1 - cos of v to v_mm", row, trop_mm_turn(p + m.dk, m.v, m.d),
                           spread, 1e-9);
    }
}
