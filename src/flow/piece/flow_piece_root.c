/* flow_piece_root.c -- when a token of the hardmax ODE leaves its leader for another.
 *
 * Token i leaves l for j when F = <B x_i, x_j - x_l> becomes positive. In the variable
 * u = 1 - e^-tau, with v the velocities,
 *
 *   F_u  = F' = <B v_i, x_j - x_l> + <B x_i, v_j - v_l>,
 *   F_uu = e^{2 tau} (<B v_si, x_j - x_l> + 2 <B v_i, v_j - v_l> + <B x_i, v_sj - v_sl>),
 *
 * si, sj, sl being the leaders of i, j, l. When those rest, F is the quadratic
 * F + F' u + <B v_i, v_j - v_l> u^2, exactly, and so is its first root: the generic case
 * is solved without a step. Otherwise each speed is at most the largest along its orbit
 * (velocities are Poisson averages too), the hull shrinks, and for u <= 1/2
 * |F_uu| <= 4 (|B| V_si D + 2 |B| V_i (V_j + V_l) + Y (V_sj + V_sl)), where Y = |B x_i| +
 * |B| V_i is at least |B x_i| until then: no root comes before that of the parabola with
 * this bound. Every token has such a safe time; the token whose time comes first is looked
 * at again there, on the exact solution from the start of the piece, so that steps add no
 * errors. The approach is quadratic, from the safe side. Where F and F' vanish together
 * the bound gives no step; a short one is taken then, and so it is, longer and longer,
 * when the looks at a piece become too many (flow_piecewise.c). Such steps may pass a
 * root: before a piece ends every token is looked at, and one that scores another above
 * its leader takes the piece back to its root, by bisection.
 *
 * Errors. A token begins with an error of about u |x_i|, u = 2^-53, and from then on is an
 * average of tokens: so is its error, and averages do not make errors smaller. Its size
 * R_i, |x_i| at the start and averaged like x_i ever since, is therefore what its error is
 * relative to, and never less than |x_i|. (One size for all, that of the farthest token,
 * would hide every switch among tokens 2^26 times nearer to the origin.) So F is known to
 *   e = N u (|B x_i| max(R_j, R_l) + |B| R_i |x_j - x_l|),
 * where N = d + 16 covers the chains of d terms too, and F', which has the leaders of i, j
 * and l besides, to
 *   e' = 2 N u |B| (A min(C, r) + min(A, r) C),
 *   A = max(R_i, R_l), C = max(R_j, R_l, R_sj, R_sl), r the present radius:
 * |x_i| and |v_i| / 2 are at most min(A, r), |x_j - x_l| / 2 at most min(C, r). Below these
 * F and F' count as zero, and a switch time is known to e / F'. The struct calls N u its
 * noise, and e' is called slack.
 *
 * A tie can last. A token that stops on itself where it scores j alike, while j follows
 * it, has <B x_i, x_j - x_i> = 0 from there on; the residue of at most e that the switch
 * left falls as e^-t, and e falls no faster, for R_j comes to R_i from above or below as
 * an average: the tie stays zero. (With |x_j| in the place of R_j it might not.) A state
 * that is stored, shifted by rounding and looked at again may still be a few e away. So a
 * token leaves at once only for a score above its leader's by 16 e' >= 16 e; nearer to the
 * wall it leaves when F rises, F' > e'.
 */
#include "flow/piece/flow_piece.h"

#include "base/math/log.h"
#include "base/parallel.h"

#include <math.h>

#define NEVER INFINITY
#define ENDLESS 1024.0 /* e^-tau is 0 in double */

/* F and its derivatives in u at p->tau, for token i and the pair (j, l). */
struct pair {
    int64_t i, j, l;
    double value, rate, curve;
    int exact; /* F is the quadratic; otherwise curve bounds F_uu / 2 */
};

/* |B x_i|, scaled. */
static double length_of_query(const struct trop_flow_piece *p, int64_t i)
{
    const double *y = p->query + 2 * i * p->d;
    double square = 0;

    for (int64_t c = 0; c < p->d; c++) {
        square = fma(y[c], y[c], square);
    }
    return sqrt(square);
}

static double noise_of_value(const struct trop_flow_piece *p, const struct pair *pair)
{
    const double *xj = p->x + pair->j * p->d, *xl = p->x + pair->l * p->d;
    double square = 0;

    for (int64_t c = 0; c < p->d; c++) {
        double t = (xj[c] - xl[c]) * p->scale;
        square = fma(t, t, square);
    }
    return p->noise * (length_of_query(p, pair->i) * fmax(p->size[pair->j], p->size[pair->l]) +
                       p->norm * p->size[pair->i] * sqrt(square));
}

double trop_flow_piece_slack(const struct trop_flow_piece *p, int64_t i, int64_t j, int64_t l)
{
    const double *size = p->size;
    double one = fmax(size[i], size[l]);
    double two = fmax(fmax(size[j], size[l]), fmax(size[p->leader[j]], size[p->leader[l]]));

    return 2 * p->noise * p->norm * (one * fmin(two, p->radius) + fmin(one, p->radius) * two);
}

/* Products and sums are rounded apart: fma is a call where the machine may lack it, and
 * this is the inner loop. */
static struct pair compare(const struct trop_flow_piece *p, int64_t i, int64_t j, int64_t l)
{
    int64_t d = p->d, si = p->leader[i], sj = p->leader[j], sl = p->leader[l];
    const double *xj = p->x + j * d, *xl = p->x + l * d, *vj = p->v + j * d, *vl = p->v + l * d;
    const double *y = p->query + 2 * i * d, *w = y + d;
    struct pair pair = { .i = i, .j = j, .l = l };

    for (int64_t c = 0; c < d; c++) {
        double t = (xj[c] - xl[c]) * p->scale, dv = vj[c] - vl[c];
        pair.value += y[c] * t;
        pair.rate += w[c] * t + y[c] * dv;
        pair.curve += w[c] * dv;
    }
    pair.exact = p->depth[si] == 0 && p->depth[sj] == 0 && p->depth[sl] == 0;
    if (!pair.exact) {
        double reach = length_of_query(p, i) + p->norm * p->speed[i];
        pair.curve =
            2 *
            (p->norm * (p->speed[si] * p->spread + 2 * p->speed[i] * (p->speed[j] + p->speed[l])) +
             reach * (p->speed[sj] + p->speed[sl]));
    }
    return pair;
}

/* 1 when j and l are one point and stay one. */
static int stay_together(const struct trop_flow_piece *p, int64_t j, int64_t l)
{
    return (p->leader[j] == p->leader[l] || (p->depth[j] == 0 && p->depth[l] == 0)) &&
           trop_flow_piece_meet(p, j, l);
}

/* The least positive root of value + rate u + curve u^2, value < 0. */
static double parabola_root(double value, double rate, double curve)
{
    double inside = rate * rate - 4 * curve * value;

    if (inside < 0) {
        return NEVER;
    }
    double root = sqrt(inside);
    if (rate > 0) {
        return -2 * value / (rate + root);
    }
    return curve > 0 ? (root - rate) / (2 * curve) : NEVER;
}

/* The largest value of the quadratic on [0, 1], above 0 or what it is now. */
static double rise(const struct pair *pair)
{
    double top = pair->curve < 0 ? pair->rate / (-2 * pair->curve) : 1;
    double most = top > 0 && top < 1 ? pair->value + pair->rate * top / 2
                                     : pair->value + pair->rate + pair->curve;
    return pair->value > 0 ? most - pair->value : most;
}

/* A lower bound of the u at which F becomes positive, where it is less than `before`; 0: it
 * does so now, and it is overdue when F is positive already. */
static double horizon(const struct trop_flow_piece *p, const struct pair *pair, double before,
                      int *overdue)
{
    double value = pair->value, rate = pair->rate, curve = pair->curve, u;
    double reach = pair->exact ? 1 : 0.5, most = pair->exact ? NEVER : 0.5;

    /* Nearly every pair: no root within reach. */
    reach = before < reach ? before : reach;
    if (value + (rate > 0 ? rate * reach : 0) + (curve > 0 ? curve * reach * reach : 0) <
        -p->slack) {
        return most;
    }
    double slack = trop_flow_piece_slack(p, pair->i, pair->j, pair->l),
           noise = noise_of_value(p, pair);
    *overdue = value > noise;
    if (value > TROP_FLOW_PIECE_SURE * slack) {
        return 0;
    }
    /* Tokens with one leader meet: F falls to 0 as u goes to 1, which is no switch. */
    if (stay_together(p, pair->j, pair->l) || (pair->exact && rise(pair) <= slack)) {
        return NEVER;
    }
    if (value < -noise) {
        u = parabola_root(value, rate, curve);
    } else if (rate > slack || (rate >= -slack && pair->exact)) {
        return 0; /* F = 0 and rises; if F' = 0, its exact curve does so */
    } else if (rate >= -slack) {
        u = 0x1p-3; /* nothing is known of the next moment: a review will mend it */
    } else {
        u = curve > 0 ? -rate / curve : NEVER;
    }
    u = u > p->floor ? u : p->floor;
    return u < most ? u : most;
}

void trop_flow_piece_query(double *out, const struct trop_flow_piece *p, const double *point)
{
    trop_attend_query(out, point, p->d, &p->f->options.cloud.key_query);
    for (int64_t c = 0; c < p->d; c++) {
        out[c] *= p->weight;
    }
}

/* Compares token i with its row at p->tau: due_i, and the u for which nothing comes. */
static double judge(struct trop_flow_piece *p, int64_t i)
{
    int64_t d = p->d, l = p->f->state.follows[i], seen = trop_flow_piece_visible(p, i);
    double *y = p->query + 2 * i * d, *w = y + d, u = NEVER;

    for (int64_t c = 0; c < d; c++) {
        w[c] = p->x[i * d + c] * p->scale;
    }
    trop_flow_piece_query(y, p, w);
    trop_flow_piece_query(w, p, p->v + i * d);
    p->due[i] = 0;
    for (int64_t j = 0; j < seen; j++) {
        if (j == l) {
            continue;
        }
        struct pair pair = compare(p, i, j, l);
        int overdue = 0;
        double next = horizon(p, &pair, u, &overdue);
        u = next < u ? next : u;
        if (next == 0 && p->due[i] < 1 + overdue) {
            p->due[i] = 1 + overdue;
        }
    }
    return u;
}

/* Looks at the row of token i at p->tau: safe_i, due_i. */
static void look_at(struct trop_flow_piece *p, int64_t i)
{
    double u = judge(p, i);

    if (p->due[i]) {
        p->safe[i] = -1;
        return;
    }
    double step = u < 1 ? -trop_log1p(-u) : NEVER;
    double least = nextafter(p->tau, INFINITY);
    p->safe[i] = p->tau + step > least ? p->tau + step : least;
    p->from[i] = p->tau;
}

static void look_at_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_flow_piece *p = context;
    (void)worker;

    for (int64_t i = first; i < last; i++) {
        if (p->due[i]) {
            look_at(p, i);
        }
    }
}

void trop_flow_piece_look_around(struct trop_flow_piece *p, int all)
{
    for (int64_t i = 0; i < p->n && all; i++) {
        p->due[i] = 1;
    }
    trop_parallel(p->f->workers, p->n, look_at_rows, p);
}

int trop_flow_piece_is_due(const struct trop_flow_piece *p, int64_t i, int64_t j)
{
    int64_t l = p->f->state.follows[i];
    struct pair pair = compare(p, i, j, l);
    int overdue = 0;
    return j != l && horizon(p, &pair, NEVER, &overdue) == 0;
}

int trop_flow_piece_sign(const struct trop_flow_piece *p, int64_t i, int64_t j, int64_t l)
{
    double value = compare(p, i, j, l).value,
           limit = TROP_FLOW_PIECE_SURE * trop_flow_piece_slack(p, i, j, l);
    return (value > limit) - (value < -limit);
}

double trop_flow_piece_safe(const struct trop_flow_piece *p)
{
    double first = p->safe[0];

    for (int64_t i = 1; i < p->n; i++) {
        first = p->safe[i] < first ? p->safe[i] : first;
    }
    return first;
}

/* Token i was free to stay at from_i and is overdue now: to the first double at which a
 * switch is due. */
static void bisect(struct trop_flow_piece *p, int64_t i)
{
    double low = p->from[i], high = p->tau < ENDLESS ? p->tau : ENDLESS;

    for (double middle = low + (high - low) / 2; middle > low && middle < high;
         middle = low + (high - low) / 2) {
        trop_flow_piece_place(p, middle);
        judge(p, i);
        low = p->due[i] ? low : middle;
        high = p->due[i] ? middle : high;
    }
    trop_flow_piece_place(p, high);
    p->safe[i] = -1;
    p->from[i] = high;
}

static void judge_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    (void)worker;

    for (int64_t i = first; i < last; i++) {
        judge(context, i);
    }
}

/* A token is taken back once: from_i is then the end of the piece. */
int trop_flow_piece_review(struct trop_flow_piece *p)
{
    int64_t late = 0;
    int found = 0;

    while (late < p->n) {
        trop_parallel(p->f->workers, p->n, judge_rows, p);
        late = 0;
        while (late < p->n && (p->due[late] != 2 || p->from[late] >= p->tau)) {
            late++;
        }
        if (late < p->n) {
            bisect(p, late);
            found = 1;
        }
    }
    return found;
}

int trop_flow_piece_look_again(struct trop_flow_piece *p, double tau)
{
    int found = 0;

    trop_flow_piece_place(p, tau);
    for (int64_t i = 0; i < p->n && !found; i++) {
        if (p->safe[i] <= tau) {
            look_at(p, i);
            found = p->due[i] != 0;
        }
        if (found && p->due[i] == 2) {
            bisect(p, i);
        }
    }
    if (!found) {
        return 0;
    }
    trop_flow_piece_review(p);
    /* Others may be due at this very time, to rounding: the start of the next piece would
     * find them, but they belong to this switch. */
    for (int64_t i = 0; i < p->n; i++) {
        p->due[i] = p->due[i] || p->safe[i] <= p->tau + 0x1p-40 * p->tau;
    }
    return 1;
}
