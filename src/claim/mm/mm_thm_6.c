/* mm_thm_6.c -- the joint path where inputs do not support the label problem (max-margin paper,
 * theorem 6), and how r and R have to grow.
 *
 *   (v, p)(r, R) = argmin of L over |v| <= r, |p| <= R,   logistic loss
 *
 * The theorem: where the selected tokens get all attention, p tends to p_relax, in whose problem
 * inputs that do not support v_mm have to lead by 0 only. It does not say how r and R grow, and
 * that decides. Let selected tokens be y_i a_i v of one unit vector v, a_i >= G, and the others
 * shorter than G (assumption C), by nu_i than a_i; sigma_i = a_i - G is the label slack. Let w be
 * the shortest vector with leads of at least
 *
 *   max(0, 1 - sigma_i |w| r/R)   over the other tokens of input i,      m = 1/|w|.
 *
 * Then p follows w. With r/R -> 0, as r = sqrt(R), that is p_mm in the end; where r sigma_i >=
 * R/|p_relax| for all slacks, as when r goes to infinity first, or r = R^2, it is p_relax; with r =
 * R it is neither, in general.
 *
 * A bound that can be decided. Let Z_i = r a_i, and l the loss. Any (v', p) has outputs z_i <= r
 * |attended token| <= Z_i - r nu_i (1 - s_i), and (r v, p') the outputs Z_i - d_i, d_i = r times
 * the score that mixing costs at p'. With l(Z - d) = l(Z) + log(1 + |l'(Z)| (e^d - 1)) and a loss
 * that is no larger than that of (r v, p'),
 *
 *   log(1 + |l'(Z_i)| (e^(r nu_i (1 - s_i)) - 1)) <= E = sum_j log(1 + |l'(Z_j)| (e^d_j - 1)),
 *   1 - s_i <= S_i = log(1 + (e^E - 1)/|l'(Z_i)|) / (r nu_i)          for every p' of norm R.
 *
 * p' = (R - h |p_mm|) w/|w| + h p_mm leads by h everywhere; of h = 0, 1, 2, ... the one with the
 * least E is taken. Every lead of p is at least log((1 - S_i)/S_i), which is short of max(0, R m -
 * r sigma_i) by B at most. w is a combination of its rows with weights >= 0 whose sum is at most
 * |w| |p_mm|, since p_mm leads by 1. So <p, w> >= R |w| - B |w| |p_mm|, and
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
#include <stdio.h>

#define RADII 4

/* ---- instances ---- */

/* Selected tokens, the first ones, are y_i a with |a| = 1 or, where an input has slack, y_i (1 +
 * sigma_i) a; the others are shorter than .6. At least one input has slack, and one has none. */
static void draw_tokens(struct trop_case *c, int64_t n, int64_t T, int64_t d)
{
    double *x = trop_case_zeros(c, "X", n, T, d), *y = trop_case_zeros(c, "y", n, 0, 0);
    double *v = trop_case_zeros(c, "v", d, 0, 0);
    const int64_t supports = 1 + trop_case_pick(c, 20, 0, n - 1);

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

/* r = ratio R^exponent. */
static void draw(struct trop_case *c)
{
    static const double exponents[] = { 2, 1, .5 };

    if (!trop_case_has(c, "X")) {
        draw_tokens(c, 2 + trop_case_pick(c, 16, 0, 3), 2 + trop_case_pick(c, 16, 1, 2),
                    2 + trop_case_pick(c, 16, 3, 2));
    }
    const int64_t n = trop_case_size(c, "X", 0), T = trop_case_size(c, "X", 1);
    trop_mm_normals(c, "K", 19, 1, n, T, n * (T - 1) + trop_case_pick(c, 16, 2, 2));
    trop_case_zeros(c, "alpha", n, 0, 0);
    trop_case_default(c, "exponent", exponents[c->trial % 3]);
    trop_case_default(c, "ratio", .5 + trop_case_uniform(c, 22, 0));
}

/* The length of the selected token of an input, the longest other one, and the least of the
 * former. */
static double selected_length(const struct trop_mm *m, int64_t i)
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

static double least_length(const struct trop_mm *m)
{
    double least = INFINITY;

    for (int64_t i = 0; i < m->n; i++) {
        least = fmin(least, selected_length(m, i));
    }
    return least;
}

/* ---- where p is said to go ---- */

/* The shortest vector whose leads are 1 - sigma_i size kappa or more, at least 0, as "w": inputs
 * have to lead by 1 with keys that much longer. Returns its norm. */
static double solve_short(struct trop_case *own, const struct trop_mm *m, double kappa, double size)
{
    double *key = trop_case_array(own, "K");
    char relaxed[256] = "relaxed=";
    int64_t used = 8;

    for (int64_t i = 0; i < m->n; i++) {
        const double asked = 1 - kappa * size * (selected_length(m, i) - least_length(m));
        for (int64_t k = i * m->T * m->dk; k < (i + 1) * m->T * m->dk; k++) {
            key[k] = m->key[k] / (asked > 1e-9 ? asked : 1);
        }
        if (asked <= 1e-9) {
            used += snprintf(relaxed + used, sizeof relaxed - (size_t)used, "%s%lld",
                             used > 8 ? "," : "", (long long)i);
        }
    }
    void *mark = trop_case_mark(own);
    trop_case_solve(own, "w", "upper", "model=prompt select=@alpha %s", used > 8 ? relaxed : "");
    trop_case_release(own, mark);
    return trop_case_number(own, "w_upper");
}

/* The norm that is asked for is that of the solution: it falls in the former, and lies between
 * those of p_relax and p_mm. */
static void predict(double *w, const struct trop_case *c, double kappa)
{
    struct trop_case *own = trop_case_aside(c);
    const struct trop_mm m = trop_mm_of(c);

    if (m.n > 60) {
        trop_case_refuse(c, "more than 60 inputs");
    }
    double low = trop_case_number(c, "p_relax_upper"), high = trop_case_number(c, "p_mm_upper");

    trop_case_copy_in(own, "K", m.key, m.n, m.T, m.dk);
    for (int step = 0; step < 40; step++) {
        const double middle = (low + high) / 2;
        const int is_low = solve_short(own, &m, kappa, middle) > middle;
        low = is_low ? middle : low;
        high = is_low ? high : middle;
    }
    solve_short(own, &m, kappa, high);
    for (int64_t k = 0; k < m.dk; k++) {
        w[k] = trop_case_array(own, "w")[k];
    }
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
        sum = trop_log_add(sum, log_slope(b->r * selected_length(m, j)) + log_expm1(d));
    }
    return sum;
}

/* The data with the direction that all selected tokens have as decoder. */
static struct trop_mm with_direction(const struct trop_case *c)
{
    struct trop_mm m = trop_mm_of(c);
    double *v = trop_case_scratch(c, m.d);

    for (int64_t k = 0; k < m.d; k++) {
        v[k] = m.y[0] * m.x[(int64_t)m.alpha[0] * m.d + k] / selected_length(&m, 0);
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
        const double size = selected_length(m, i), e = log_E - log_slope(b.r * size);
        b.S[i] = (e > 40 ? e : trop_log1p(trop_exp(e))) / (b.r * (size - other_length(m, i)));
        const double asked = b.R / b.size - b.r * (size - least_length(m));
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
    const struct trop_mm m = with_direction(c);

    for (int64_t row = 0; row < RADII; row++) {
        if (!(worse(c, &m, row) <= 1e-6 && trop_case_array(c, "misalignment")[row] <= 1e-9)) {
            return 0;
        }
    }
    return 1;
}

/* The problem is not convex: random starts of four seeds, until every point is one that counts. */
static void work(struct trop_case *c)
{
    static const double radii[] = { 10, 40, 80, 160 };

    trop_mm_solve(c);
    if (trop_case_number(c, "p_mm_outcome") != TROP_OUTCOME_SOLVED) {
        return;
    }
    trop_case_solve(c, "v_mm", "", "model=label select=@alpha");
    trop_case_solve(c, "p_relax", "upper", "model=prompt select=@alpha relaxed=auto");
    const int64_t dk = trop_case_size(c, "p_mm", 0);
    double *radius = trop_case_zeros(c, "radius", RADII, 0, 0);
    double *decoder = trop_case_zeros(c, "decoder_radius", RADII, 0, 0);
    double *w = trop_case_zeros(c, "w", RADII, dk, 0);
    for (int64_t row = 0; row < RADII; row++) {
        radius[row] = radii[row] * trop_case_number(c, "p_mm_upper");
        decoder[row] =
            trop_case_number(c, "ratio") * trop_pow(radius[row], trop_case_number(c, "exponent"));
        predict(w + row * dk, c, decoder[row] / radius[row]);
    }
    trop_case_put(c, "found", 0);
    for (int seed = 1; seed <= 4 && trop_case_number(c, "found") == 0; seed++) {
        trop_case_radii(c, "weights=path misalignment",
                        "model=joint radius=@radius decoder_radius=@decoder_radius starts=2 "
                        "seed=%d",
                        seed);
        trop_case_put(c, "found", is_found(c));
    }
}

/* ---- hypotheses ---- */

static void aligned(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = with_direction(c);

    for (int64_t i = 0; i < m.n; i++) {
        const double *x = m.x + (i * m.T + (int64_t)m.alpha[i]) * m.d;
        const double size = selected_length(&m, i);
        double most = 0;
        for (int64_t k = 0; k < m.d; k++) {
            most = fmax(most, fabs(m.y[i] * x[k] - size * m.v[k]));
        }
        trop_judge_truth(judge, "the selected token is a multiple of y v", i,
                         most <= 8 * DBL_EPSILON * size);
        trop_judge_at_least(judge, "its length less that of the longest other token", i,
                            least_length(&m) - other_length(&m, i), .05, 1e-9);
    }
}

static void matters(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    trop_judge_at_least(judge, "1 - cos between p_relax and p_mm", -1,
                        trop_mm_turn(trop_case_array(c, "p_relax"), m.p_mm, m.dk), .002, 0);
}

static void selected(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    const double *p = trop_case_view_row(trop_case_view(c, "path"), -1);

    for (int64_t i = 0; i < m.n; i++) {
        trop_judge_at_most(judge, "attention that is not selected at the last R", i,
                           trop_mm_rest(&m, i, (int64_t)m.alpha[i], p), 1e-2, 0);
    }
}

/* ---- conclusions ---- */

static void conclude_printed(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = with_direction(c);
    const struct trop_view path = trop_case_view(c, "path");
    const double *relaxed = trop_case_array(c, "p_relax"), *last = trop_case_view_row(path, -1);
    const double end = trop_mm_turn(last, relaxed, m.dk);

    trop_judge_at_most(judge, "1 - cos to p_relax at the last R, against the first", -1, end,
                       trop_mm_turn(path.at, relaxed, m.dk) / 16, 64 * DBL_EPSILON);
    trop_judge_at_most(judge, "1 - cos to p_relax, against that of p_mm", -1, end,
                       trop_mm_turn(m.p_mm, relaxed, m.dk) / 20, 64 * DBL_EPSILON);
    trop_judge_at_most(judge, "1 - cos of v to v_mm", -1, trop_mm_turn(last + m.dk, m.v, m.d), 1e-6,
                       0);
}

static void conclude_repaired(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = with_direction(c);
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

/* Input 0 supports, (1, 0) against (0, .3); input 1 is (1.5, 0) against (0, .3). p_mm = (1, .7),
 * p_relax = (1, 0). */
#define EXHIBIT \
    "X = zeros(2, 2, 2); X[0,0,0] = 1; X[1,0,0] = 1.5; X[*,1,1] = .3; y = {1 1}; v = {1 0}; " \
    "K = zeros(2, 2, 2); K[*,0,0] = 1; K[1,0,0] = .3; K[1,0,1] = 1; ratio = 1; "

static const char *const exhibited[] = { EXHIBIT "exponent = 1", EXHIBIT "exponent = .5" };

#define ALIGNED \
    { \
        "mixing-hurts", "selected tokens are multiples of y v, others shorter (C)", \
            .judge = aligned, .broken = "token 1 of input 0 is ten times as long", \
            .edit = "X[0,1] *= 10" \
    }

const struct trop_claim trop_mm_thm_6 = {
    .id = "mm-thm-6",
    .title = "inputs that do not support the label problem relax",
    .statement =
        "Where the selected tokens get all attention, minimisers over |v| <= r, |p| <= R tend in "
        "direction to v_mm and p_relax as r and R grow; in the problem of p_relax inputs that do "
        "not support the label problem need a lead of 0 instead of 1.",
    .status = TROP_CLAIM_FALSE,
    .remark =
        "It does not say how r and R grow. It holds where r goes to infinity first, and where r "
        "sigma >= R/|p_relax| for every label slack sigma, as r = R^2. With (1, 0) against (0, .3) "
        "and (1.5, 0) against (0, .3), of which the second has slack 1/2, r = R ends at neither "
        "p_relax nor p_mm, and r = sqrt(R) goes to p_mm. Read for R/|p_mm| from 10 to 160: 1 - cos "
        "to p_relax falls by a factor of 16 at least and ends below a twentieth of that between "
        "p_relax and p_mm.",
    .repaired = "mm-thm-6-repaired",
    .inputs = "X y K exponent ratio",
    .hypotheses = TROP_HYPOTHESES(
        ALIGNED, TROP_MM_SEPARABLE("the selection has a max-margin solution"),
        { "matters", "p_relax and p_mm differ", .judge = matters, .late = 1,
          .broken = "p_relax is p_mm", .edit = "p_relax = p_mm" },
        { "selected", "the selected tokens have the attention at the last R", .judge = selected,
          .late = 1, .broken = "p is a hundredth as long", .edit = "path[-1] *= .01" }),
    .draw = draw,
    .work = work,
    .conclude = conclude_printed,
    .exhibited = exhibited,
    .exhibits = 2,
    /* As if every input supported the label problem. */
    .spoils = TROP_SPOILS({ "the path ends along p_mm", NULL }),
    .trials = 10,
};

const struct trop_claim trop_mm_thm_6_repaired = {
    .id = "mm-thm-6-repaired",
    .title = "how far inputs relax depends on r and R",
    .statement =
        "Where selected tokens are multiples of y v and others are shorter, p follows the shortest "
        "w in whose problem an input with label slack sigma needs a lead of 1 - sigma |w| r/R, at "
        "least 0: p_relax where r sigma >= R/|p_relax| for every slack, p_mm in the limit where "
        "r/R tends to 0; and v tends to v_mm.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Drawn with r = ratio R^q, q = 2, 1 and 1/2 in turn, R/|p_mm| from 10 to 160. Read with a "
        "bound of ours on the attention that is not selected, and what follows: 1 - cos(p, w) <= B "
        "|p_mm|/R, B of order log r. Points that are not stationary are no instances.",
    .inputs = "X y K exponent ratio",
    .hypotheses = TROP_HYPOTHESES(
        ALIGNED, TROP_MM_SEPARABLE("the selection has a max-margin solution"),
        { "minimiser", "points are stationary, and no worse than those that prove the bound",
          .holds = "points were stationary, and no worse than p': found == 1", .late = 1,
          .broken = "none was found", .edit = "found = 0" }),
    .draw = draw,
    .work = work,
    .conclude = conclude_repaired,
    .spoils = TROP_SPOILS(
        { "the path ends along p_mm", NULL }, { "p of the last radius is shorter by 5%", NULL },
        { "v of the last radius is turned", NULL, .edit = "path[-1,-1] += 1; path[-1,-2] -= 1" }),
    .trials = 30,
};
