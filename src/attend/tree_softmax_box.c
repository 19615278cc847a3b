/* tree_softmax_box.c -- a box of queries: what it may leave out, what fits on its grid.
 *
 * A token w, about the best at the middle of T, is the witness that other tokens do not
 * matter: where <q, x - w> < -cut for all q in T and x in S, with
 *
 *   cut = log(total mass / (m_w share)),
 *
 * the tokens of S weigh less than share (m_S / total) w_w together, for every row of T. All
 * that is ever left out for a row weighs less than share times its sum, whichever witness
 * showed it: the masses m_S add up to at most the total, and w_w is part of the sum.
 */
#include "attend/tree_softmax_internal.h"

#include "base/log.h"

#include <math.h>

#define WIDER (1 + 0x1p-50) /* covers the rounding of a middle and of two differences */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

void trop_tree_softmax_box_around(struct trop_tree_softmax_box *box,
                                  const struct trop_tree_softmax *s, int64_t node, int64_t witness)
{
    const struct trop_tree *t = s->queries;
    double beta = s->scene->numbers.beta;
    double mass = s->scene->mass ? s->scene->mass[witness] : 1;

    box->node = node;
    box->count = t->node[node].last - t->node[node].first;
    for (int64_t c = 0; c < s->d; c++) {
        double low = beta * t->low[node * s->d + c], high = beta * t->high[node * s->d + c];
        double middle = 0.5 * low + 0.5 * high;
        box->low[c] = low;
        box->high[c] = high;
        box->grid.centre[c] = middle;
        box->grid.radius[c] = WIDER * larger(high - middle, middle - low);
    }
    box->witness = witness;
    /* A hundredth for the rounding of the logarithm and of beta y. */
    box->cut = mass > 0 ? trop_log(s->total / mass / s->share) + 0.01 : INFINITY;
}

void trop_tree_softmax_box_fill(struct trop_tree_softmax_box *box,
                                struct trop_tree_softmax_worker *w, int64_t node)
{
    const struct trop_tree_softmax *s = w->softmax;
    double middle[TROP_TREE_SOFTMAX_MOST];

    for (int64_t c = 0; c < s->d; c++) {
        middle[c] = trop_tree_softmax_middle(s->queries, node, c);
    }
    trop_tree_softmax_box_around(box, s, node, trop_tree_maximum_near(w->maximum, s->keys, middle));
}

int trop_tree_softmax_box_drops(const struct trop_tree_softmax_box *box,
                                const struct trop_tree_softmax *s, int64_t node)
{
    const double *w = s->scene->keys + box->witness * s->d;
    return trop_tree_lead(s->keys, node, box->low, box->high, w) < -box->cut;
}

int trop_tree_softmax_box_fits(const struct trop_tree_softmax_box *box,
                               const struct trop_tree_softmax *s, int64_t node)
{
    const double *low = s->keys->low + node * s->d, *high = s->keys->high + node * s->d;

    for (int64_t c = 0; c < s->d; c++) {
        double middle = trop_tree_softmax_middle(s->keys, node, c);
        double radius = WIDER * larger(high[c] - middle, middle - low[c]);
        if (!(box->grid.radius[c] * radius <= s->order->rho)) {
            return 0;
        }
    }
    return 1;
}
