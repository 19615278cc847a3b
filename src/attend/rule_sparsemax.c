/* rule_sparsemax.c -- the projection of beta s on the simplex (Martins and Astudillo).
 *
 *   p_j = m_j max(z_j - tau, 0),   z = beta (s - max s),   sum_j p_j = 1.
 *
 * tau solves sum_j m_j max(z_j - tau, 0) = 1: with z sorted from the top, tau_k =
 * (sum_{l<=k} m_l z_l - 1) / sum_{l<=k} m_l over the longest prefix with z_k > tau_k.
 * Only z_j > -1/m_best can have weight, so only those are sorted.
 */
#include "attend/rule.h"
#include "base/sort.h"

static int larger(const void *context, int64_t a, int64_t b)
{
    const double *z = context;
    return z[a] != z[b] ? z[a] > z[b] : a < b;
}

static double threshold(const struct trop_row *row)
{
    double sum = 0, mass = 0, tau = 0;

    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->support[k];
        double m = trop_row_mass(row, j);
        double next = (sum + m * row->weight[j] - 1) / (mass + m);
        if (k > 0 && row->weight[j] <= next) {
            break;
        }
        sum += m * row->weight[j];
        mass += m;
        tau = next;
    }
    return tau;
}

static void weigh(struct trop_row *row)
{
    double beta = trop_row_beta(row), least = 0;
    int64_t kept = 0;

    /* The token at the top alone bounds tau from below. */
    for (int64_t j = 0; j < row->n; j++) {
        row->weight[j] = beta * (row->weight[j] - row->top);
        if (row->weight[j] == 0) {
            double m = trop_row_mass(row, j);
            least = -1 / m < least ? -1 / m : least;
        }
    }
    row->count = row->scene->kernel->collect(row->support, row->weight, row->n, least);
    trop_sort(row->support, row->count, larger, row->weight);
    double tau = threshold(row);

    row->count = row->scene->kernel->collect(row->support, row->weight, row->n, tau);
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->support[k];
        if (row->weight[j] > tau) {
            row->weight[j] = trop_row_mass(row, j) * (row->weight[j] - tau);
            row->support[kept++] = j;
        }
    }
    row->count = kept;
    row->total = trop_row_total(row);
}

const struct trop_rule trop_rule_sparsemax = {
    .name = "sparsemax",
    .meaning = "the point of the simplex nearest to beta s",
    .uses = TROP_RULE_USES_BETA,
    .continuous = 1,
    .weigh = weigh,
};
