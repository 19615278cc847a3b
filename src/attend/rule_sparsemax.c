/* rule_sparsemax.c -- the projection of beta s on the simplex (Martins and Astudillo).
 *
 *   p_j = m_j max(z_j - tau, 0),   z = beta (s - max s),   sum_j p_j = 1.
 *
 * With z sorted from the top, token k has weight when the tokens above it leave some:
 * S_k = sum_{l<k} m_l (z_l - z_k) < 1, where S grows by M_k (z_k - z_{k+1}), M_k = sum_{l<=k} m_l.
 * With r the last such token
 *
 *   p_j = m_j (t + (z_j - z_r)),   t = (1 - S_r)/M_r,
 *
 * which subtracts nothing that is nearly equal: a token of mass 1e12 among tokens of mass 1 has a
 * small t with all its digits, where tau = z_r - t has lost them. Only z_j > -1/m_best can have
 * weight, so only those are sorted.
 */
#include "attend/rule.h"
#include "base/sort.h"

static int larger(const void *context, int64_t a, int64_t b)
{
    const double *z = context;
    return z[a] != z[b] ? z[a] > z[b] : a < b;
}

/* t, and r in *last: a place in the sorted support. */
static double level(int64_t *last, const struct trop_row *row)
{
    const double *z = row->weight;
    double above = 0, mass = trop_row_mass(row, row->support[0]);
    int64_t r = 0;

    while (r + 1 < row->count) {
        double next = above + mass * (z[row->support[r]] - z[row->support[r + 1]]);
        if (!(next < 1)) {
            break;
        }
        above = next;
        mass += trop_row_mass(row, row->support[++r]);
    }
    *last = r;
    return (1 - above) / mass;
}

static void weigh(struct trop_row *row)
{
    int coarse = trop_row_coarse(row);
    double least = 0;

    /* The token at the top alone bounds tau from below. */
    for (int64_t j = 0; j < row->n; j++) {
        row->weight[j] = trop_row_logit(row, coarse, j);
        if (row->weight[j] == 0) {
            double m = trop_row_mass(row, j);
            least = -1 / m < least ? -1 / m : least;
        }
    }
    row->count = row->scene->kernel->collect(row->support, row->weight, row->n, least);
    trop_sort(row->support, row->count, larger, row->weight);
    int64_t last;
    double t = level(&last, row), lowest = row->weight[row->support[last]];

    row->count = last + 1;
    trop_sort_ascending(row->support, row->count);
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->support[k];
        row->weight[j] = trop_row_mass(row, j) * (t + (row->weight[j] - lowest));
    }
    row->total = trop_row_total(row);
}

static double lead(double mass, double beta, double a)
{
    (void)a;
    return trop_rule_entmax_lead(mass, beta, 2);
}

const struct trop_rule trop_rule_sparsemax = {
    .name = "sparsemax",
    .meaning = "the point of the simplex nearest to beta s",
    .uses = TROP_RULE_USES_BETA,
    .continuous = 1,
    .weigh = weigh,
    .lead = lead,
};
