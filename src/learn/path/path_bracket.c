/* path_bracket.c -- bounds of the least loss over the whole ball.
 *
 * A fixed decoder, a linear head, and in every ask q one token of the highest score b_q, ahead of
 * the others by g_q at least. Let N be the norm of the max-margin solution for these tokens. Any W
 * with |W|_p <= R has an ask q and a token t that its best token leads by at most M = R / N: if the
 * least lead m is positive, W / m satisfies the constraints, so that |W| / m >= N. Then, of the
 * attention, all tokens but the best have together at least
 *
 *   e^{a_t} / (e^{a_best} + e^{a_t}) = sigma(-lead) >= sigma(-M)
 *
 * (others only add to their share), and each of them costs at least g_q per weight:
 *
 *   L - L* >= (1/n) (l(b_q - g_q sigma(-M)) - l(b_q))
 *          >= (1/n) min over q of that,
 *
 * because every ask adds a term >= 0. It is sharper than (1/n) min |l'| g sigma(-M - log T): it
 * has the loss itself instead of its least slope, and no log T. N may be replaced by any
 * lower bound of it: the proved one of the solution. The other side is the value at R W_mm /
 * |W_mm|, which is attained. Both, over R, go to -1/N.
 *
 * Rounding: g_q is lessened by 4 d u |v| max_t |x_t|, more than the errors of its two scores, and
 * the bound by 1e-12 of its size, more than those of the functions.
 */
#include "learn/path/path.h"

#include "base/linalg.h"
#include "base/math/log.h"
#include "base/math/exp.h"
#include "margin/margin.h"

#include <float.h>
#include <math.h>

/* Best score of ask q, and its lead over the next, less what rounding may have added; infinity:
 * there is no other. */
static double lead_of(double *best, const struct trop_path *path, int64_t q)
{
    const struct trop_data *data = &path->data.data;
    const int64_t places = path->asks / data->n;
    const double *score = trop_attention_scores(path->worker->attention, q);
    const double *x = data->x + q / places * data->T * data->d;
    double next = -INFINITY, longest = 0;

    *best = -INFINITY;
    for (int64_t t = 0; t < data->T; t++) {
        next = fmax(next, fmin(*best, score[t]));
        *best = fmax(*best, score[t]);
        longest = fmax(longest, trop_linalg_norm(x + t * data->d, data->d));
    }
    const double doubt = 2 * DBL_EPSILON * (double)data->d;
    return *best - next - doubt * trop_linalg_norm(data->v, data->d) * longest;
}

int trop_path_unique(const struct trop_path *path)
{
    double best;

    for (int64_t q = 0; q < path->asks; q++) {
        if (!(lead_of(&best, path, q) > 0)) {
            return 0;
        }
    }
    return 1;
}

void trop_path_bracket(struct trop_path *path, struct trop_path_row *row,
                       const struct trop_path_task *task)
{
    const struct trop_loss *loss = trop_loss_of(path->options.loss);
    struct trop_value norm = { 0 };
    double low = INFINITY; /* log of the least L - L* over the ball */

    if (!path->unique || !path->optimal.lp) {
        return;
    }
    trop_margin_value(&norm, path->optimal.lp, "lower");
    row->upper = trop_path_objective(path->worker, path->warm, task, 0) / row->radius;
    const double M = row->radius / norm.number;
    const double share = -M - trop_log1p(trop_exp(-M)); /* log sigma(-M) */
    for (int64_t q = 0; q < path->asks; q++) {
        double best;
        const double lead = lead_of(&best, path, q);
        if (isfinite(lead)) {
            low = fmin(low, loss->log_rise(best, trop_log(lead) + share));
        }
    }
    low -= trop_log((double)path->asks);
    row->lower = (low - 1e-12 * (1 + fabs(low))) / row->radius;
}

#define DEEPEST 20000.0 /* log(L - L*) that the checker encloses in seconds */

/* The rate at the weights of the row, or at the solution where these are not kept, is the other
 * end. */
int trop_path_checkable(const struct trop_path *path, const struct trop_path_row *row)
{
    const struct trop_margin *lp = path->optimal.lp;
    const double high = path->weights ? row->log_gap : row->upper * row->radius;

    return path->options.model != TROP_TRAIN_JOINT && path->unique && lp && lp->combinations <= 1 &&
           lp->solved.proof.lower > 0 && lp->solved.rank == 0 && lp->data.data.n > 0 &&
           path->data.data.labels == 1 && path->data.data.heads <= 1 && isfinite(high) &&
           fabs(high) < DEEPEST && fabs(row->lower) * row->radius < DEEPEST;
}
