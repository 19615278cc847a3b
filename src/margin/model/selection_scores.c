/* selection_scores.c -- what scores alone say: best tokens, and assumptions of P1 and P2.
 *
 * B of P1, B.2 of P2: the tokens of an input other than its best one have equal scores, below the
 * best. Two best tokens break it.
 *
 * D of P1 (mixing hurts): for every Delta > 0 there is rho < 0 such that log q(p) <= min((1 +
 * Delta) log q(p'), rho) gives L(p) < L(p'), q being the largest mass of an input on tokens that
 * are not best. For a head that is linear the output of input i is between g_i - high q_i and
 * g_i - low q_i, g_i its best score, low the least lead of a best token over one that is not,
 * high the largest spread. With m <= |l'| <= M where outputs can be,
 *
 *   L(p) - L* <= M high q(p),     L(p') - L* >= m low q(p') / n,
 *
 * and q(p) <= q(p') q(p)^(Delta / (1 + Delta)) <= q(p') exp(rho Delta / (1 + Delta)), so that any
 * rho with exp(rho Delta / (1 + Delta)) < m low / (n M high) serves: D holds whenever low > 0, and
 * best tokens are defined so that it is. What scores within the doubt leave open is which are best.
 *
 * C of P1 (the label margin shrinks) cannot be decided in general: it is a statement on all p. If
 * y_i x_i,alpha_i = a for all i, the margin of the label problem is |a|, and that of mixtures is
 * at most the length of each y_i (s a y_i + (1 - s) rest), so at most |a| - (1 - s) (|a| - max|x|):
 * C holds with nu = |a| - max |x|. The same in lq norms for decoders of the lp norm.
 */
#include "margin/model/selection.h"

#include "base/math/pow.h"

#include <math.h>

/* ---- best tokens ----------------------------------------------------------------------------- */

/* The best score of input i, the next lower one (-infinity: none), how many are best. */
struct top {
    double best, next;
    int64_t count;
};

static struct top top_of(const struct trop_selection_view *view, const double *scores, int64_t i)
{
    struct top top = { -INFINITY, -INFINITY, 0 };

    for (int64_t t = 0; t < trop_selection_seen(view, i); t++) {
        const double score = scores[i * view->T + t];
        if (score > top.best) {
            top = (struct top){ score, top.best, 1 };
        } else if (score == top.best) {
            top.count++;
        } else {
            top.next = score > top.next ? score : top.next;
        }
    }
    return top;
}

void trop_selection_level(struct trop_selection_level *out, const struct trop_selection_view *view,
                          const double *scores, double doubt)
{
    struct trop_selection_level made = { TROP_SELECTION_YES, 0, INFINITY };
    int several = 0; /* some input has two tokens whose scores are to be equal */

    for (int64_t i = 0; i < view->inputs; i++) {
        const struct top top = top_of(view, scores, i);
        const int64_t tokens = trop_selection_seen(view, i);
        double low = INFINITY;
        for (int64_t t = 0; t < tokens; t++) {
            const double score = scores[i * view->T + t];
            low = score < low ? score : low;
        }
        if (tokens == 1) {
            continue;
        }
        several |= tokens > 2;
        /* Those below: all but one best token. */
        const double next = top.count > 1 ? top.best : top.next;
        made.spread = fmax(made.spread, next - low);
        made.gap = fmin(made.gap, top.best - next);
    }
    made.answer = trop_selection_passes(made.gap, doubt);
    if (made.spread > doubt) {
        made.answer = TROP_SELECTION_NO;
    } else if (doubt > 0 && made.answer == TROP_SELECTION_YES && several) {
        made.answer = TROP_SELECTION_AMBIGUOUS;
    }
    *out = made;
}

void trop_selection_mixing(struct trop_selection_mixing *out,
                           const struct trop_selection_view *view, const double *scores,
                           double doubt)
{
    struct trop_selection_mixing made = { TROP_SELECTION_YES, INFINITY, 0 };

    for (int64_t i = 0; i < view->inputs; i++) {
        const struct top top = top_of(view, scores, i);
        for (int64_t t = 0; t < trop_selection_seen(view, i); t++) {
            const double behind = top.best - scores[i * view->T + t];
            made.high = behind > made.high ? behind : made.high;
        }
        made.low = fmin(made.low, top.best - top.next);
    }
    if (made.low <= doubt) {
        made.answer = TROP_SELECTION_AMBIGUOUS;
    }
    *out = made;
}

/* ---- shrinkage of the label margin ----------------------------------------------------------- */

/* |x|_q within (d + 8) 2^-50 relatively, q from 1 to infinity. */
static double length(const double *x, int64_t d, double q)
{
    double most = 0, sum = 0;

    for (int64_t c = 0; c < d; c++) {
        most = fmax(most, fabs(x[c]));
    }
    if (most == 0 || isinf(q)) {
        return most;
    }
    for (int64_t c = 0; c < d; c++) {
        const double part = fabs(x[c]) / most;
        sum += q == 1 ? part : q == 2 ? part * part : trop_pow(part, q);
    }
    return most * (q == 1 ? sum : q == 2 ? sqrt(sum) : trop_pow(sum, 1 / q));
}

/* y_i x_i,alpha_i is the same vector for every input. */
static int same_winner(const struct trop_data *data, const int64_t *alpha)
{
    for (int64_t i = 1; i < data->n; i++) {
        const double turn = data->y[i] * data->y[0];
        for (int64_t c = 0; c < data->d; c++) {
            if (data->x[(i * data->T + alpha[i]) * data->d + c] !=
                turn * data->x[alpha[0] * data->d + c]) {
                return 0;
            }
        }
    }
    return 1;
}

void trop_selection_shrinkage(struct trop_selection_shrinkage *out, const struct trop_data *data,
                              const int64_t *alpha, double q)
{
    const double bound = (double)(data->d + 8) * 0x1p-50;
    double most = 0;

    *out = (struct trop_selection_shrinkage){ TROP_SELECTION_UNDECIDABLE, NAN };
    if (!data->x || !data->y || data->labels != 1 || !same_winner(data, alpha)) {
        return;
    }
    for (int64_t i = 0; i < data->n; i++) {
        for (int64_t t = 0; t < data->T; t++) {
            if (t != alpha[i]) {
                most = fmax(most, length(data->x + (i * data->T + t) * data->d, data->d, q));
            }
        }
    }
    const double a = length(data->x + alpha[0] * data->d, data->d, q);
    if (a - most > 2 * bound * a) {
        *out = (struct trop_selection_shrinkage){ TROP_SELECTION_YES, a - most };
    } else if (a - most >= -2 * bound * a && a > 0) {
        out->answer = TROP_SELECTION_AMBIGUOUS;
    }
}

/* ---- all selections -------------------------------------------------------------------------- */

int64_t trop_selection_count(const struct trop_selection_view *view, int64_t limit)
{
    int64_t count = 1;

    for (int64_t i = 0; i < view->inputs; i++) {
        const int64_t tokens = trop_selection_seen(view, i);
        if (count > limit / tokens) {
            return -1;
        }
        count *= tokens;
    }
    return count;
}

int trop_selection_next(int64_t *alpha, const struct trop_selection_view *view)
{
    for (int64_t i = view->inputs - 1; i >= 0; i--) {
        if (++alpha[i] < trop_selection_seen(view, i)) {
            return 1;
        }
        alpha[i] = 0;
    }
    return 0;
}
