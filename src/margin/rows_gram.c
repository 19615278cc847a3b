/* rows_gram.c -- Gram matrices of constraints, without the constraints.
 *
 * With A_j = left_j z_q' (j asks q) and A_k = left_k z_r',
 *
 *   <A_j, H o A_k> = sum_a left_ja left_ka c_qr(a),     c_qr(a) = sum_b H_ab z_qb z_rb,
 *
 * which costs queries^2 rows columns + count^2 rows instead of count^2 rows columns. For one
 * query q after another, c_qr is made for every r >= q, then the entries of the pairs (q, r).
 * H = 1 makes c_qr one number.
 *
 * Sums are those of kernel_linear.h. Relative to sum_a |left_ja left_ka c| an
 * entry is within (rows / 8 + 6) u, and c within (columns / 8 + 6) u of its own sum of moduli,
 * u = 2^-53.
 */
#include "margin/rows_gram.h"

#include "base/parallel.h"

struct gram {
    double *out;
    struct trop_rows *rows;
    const double *weight;
    const int64_t *list;
    int64_t count, q;
};

/* c_qr of the query q at hand, for r = q + from .. q + to - 1, at row r of made. */
static void queries_weigh(void *context, int64_t from, int64_t to, int64_t worker)
{
    const struct gram *gram = context;
    const struct trop_problem *problem = gram->rows->problem;
    const int64_t columns = problem->columns;
    const double *z = problem->query + gram->q * columns;

    (void)worker;
    for (int64_t r = gram->q + from; r < gram->q + to; r++) {
        double *c = gram->rows->made + r * problem->rows;
        const double *other = problem->query + r * columns;
        if (!gram->weight) {
            c[0] = gram->rows->linear->dot(z, other, columns);
        }
        for (int64_t a = 0; gram->weight && a < problem->rows; a++) {
            c[a] = gram->rows->linear->dot_of_three(z, other, gram->weight + a * columns, columns);
        }
    }
}

static int64_t at(const struct gram *gram, int64_t s)
{
    return gram->list ? gram->list[s] : s;
}

/* Places t = from .. to - 1 against every place s that asks q. A pair of places belongs to the
 * lesser of its two queries, and of equal ones to the greater place. */
static void places_pair(void *context, int64_t from, int64_t to, int64_t worker)
{
    const struct gram *gram = context;
    const int64_t *asked = gram->rows->problem->asked, q = gram->q, m = gram->count;
    const int64_t d = gram->rows->problem->rows;

    (void)worker;
    for (int64_t s = 0; s < m; s++) {
        const int64_t j = at(gram, s);
        if (asked[j] != q) {
            continue;
        }
        for (int64_t t = from; t < to; t++) {
            const int64_t k = at(gram, t);
            if (asked[k] > q || (asked[k] == q && t >= s)) {
                const double *c = gram->rows->made + asked[k] * d;
                const double *left = gram->rows->left + j * d, *right = gram->rows->left + k * d;
                gram->out[s * m + t] = gram->out[t * m + s] =
                    gram->weight ? gram->rows->linear->dot_of_three(left, right, c, d)
                                 : gram->rows->linear->dot(left, right, d) * c[0];
            }
        }
    }
}

void trop_rows_gram(double *out, struct trop_rows *rows, const double *weight, const int64_t *list,
                    int64_t count)
{
    struct gram gram = { out, rows, weight, list, count, 0 };
    const struct trop_problem *problem = rows->problem;

    for (gram.q = 0; problem->rows > 0 && gram.q < problem->queries; gram.q++) {
        trop_parallel(rows->threads, problem->queries - gram.q, queries_weigh, &gram);
        trop_parallel(rows->threads, count, places_pair, &gram);
    }
}
