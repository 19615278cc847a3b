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
 *
 * That is a worst case, as if all tokens stood at the cut. Three times as much may be left
 * out by the way, paid for as it goes: tokens of S cost m_S exp(max <q, x - w>) / m_w, again of the
 * sum of every row of T. The boxes within T, whatever their witnesses, go on with what is
 * left. A node takes at most a small part of it, so that nodes at the brink, which are many,
 * do not leave the later ones without.
 */
#include "attend/tree/tree_softmax_internal.h"

#include "base/math/exp.h"
#include "base/math/log.h"

#include <math.h>

#define NODE 0x1p-9         /* of what is left may go for one node */
#define LITTLE 8.0          /* no node that reaches above its negative is little */
#define WIDER (1 + 0x1p-50) /* covers the rounding of a middle and of two differences */

static double larger(double a, double b)
{
    return a > b ? a : b;
}

void trop_tree_softmax_box_around(struct trop_tree_softmax_box *box,
                                  const struct trop_tree_softmax *s, int64_t node, int64_t witness,
                                  double left)
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
    box->mass = mass;
    box->left = mass > 0 ? left : 0;
    /* Nodes that weigh more are not looked at twice. */
    box->little = box->left > 0 ? trop_log(NODE * box->left) : -INFINITY;
    box->little = box->little < -LITTLE ? box->little : -LITTLE;
    /* A hundredth for the rounding of the logarithm and of beta y. */
    box->cut = mass > 0 ? trop_log(s->total / mass / s->share) + 0.01 : INFINITY;
}

void trop_tree_softmax_box_fill(struct trop_tree_softmax_box *box,
                                struct trop_tree_softmax_worker *w, int64_t node, double left)
{
    const struct trop_tree_softmax *s = w->softmax;
    double middle[TROP_TREE_SOFTMAX_MOST];

    for (int64_t c = 0; c < s->d; c++) {
        middle[c] = trop_tree_softmax_middle(s->queries, node, c);
    }
    trop_tree_softmax_box_around(box, s, node, trop_tree_maximum_near(w->maximum, s->keys, middle),
                                 left);
}

int trop_tree_softmax_box_drops(struct trop_tree_softmax_box *box,
                                const struct trop_tree_softmax *s, int64_t node)
{
    const double *w = s->scene->keys + box->witness * s->d;
    double lead = trop_tree_lead(s->keys, node, box->low, box->high, w);

    if (lead < -box->cut) {
        return 1;
    }
    if (!(lead < box->little)) {
        return 0;
    }
    double weight = 1.01 * s->heavy[node] * trop_exp_inline(lead) / box->mass;
    if (!(weight <= NODE * box->left)) {
        return 0;
    }
    box->left -= weight;
    return 1;
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
