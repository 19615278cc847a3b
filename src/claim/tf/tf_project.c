/* tf_project.c -- several tokens per input: the simplex projection, and training that finds it.
 *
 * With orthonormal tokens and h(o) = v'o - lambda |o|^2, attention s gives h = <gamma, s> - lambda
 * |s|^2. Its maximum over the simplex is s_t = max(0, (gamma_t - theta)/(2 lambda)), where theta
 * makes the sum 1: with scores in descending order the first k are positive, k the largest with
 * gamma_k > (gamma_1 + .. + gamma_k - 2 lambda)/k.
 */
#include "claim/tf/tf.h"

#include <math.h>

void trop_tf_project_sort(double *out, const double *scores, int64_t T)
{
    for (int64_t t = 0; t < T; t++) {
        int64_t at = t;
        for (; at > 0 && out[at - 1] < scores[t]; at--) {
            out[at] = out[at - 1];
        }
        out[at] = scores[t];
    }
}

int64_t trop_tf_project(double *s, const double *scores, int64_t T, double lambda)
{
    double sum = 0, theta = INFINITY;
    int64_t positive = 0, best = 0;

    trop_tf_project_sort(s, scores, T);
    for (int64_t k = 0; k < T; k++) {
        sum += s[k];
        theta = s[k] > (sum - 2 * lambda) / (double)(k + 1) ? (sum - 2 * lambda) / (double)(k + 1)
                                                            : theta;
        best = scores[k] > scores[best] ? k : best;
    }
    for (int64_t t = 0; t < T; t++) {
        s[t] = lambda > 0 ? fmax(0, (scores[t] - theta) / (2 * lambda)) : t == best;
        positive += s[t] > 0;
    }
    return positive;
}

struct trop_tf_project_end trop_tf_project_run(double *s, const struct trop_case *c, double lambda,
                                               int64_t steps)
{
    struct trop_train *train =
        trop_case_train(c,
                        "optimizer=ngd eta=.1 steps=%lld head=quadratic loss=correlation "
                        "lambda=%.17g records=1 compare=final",
                        (long long)steps, lambda);
    const struct trop_field *table = trop_train_field_table();
    const struct trop_tf m = trop_tf_of(c);
    const double *w = NULL;
    double scale = 0;
    int64_t shape[2];

    if (!trop_train_tensor(&w, &scale, shape, train, 0)) {
        return (struct trop_tf_project_end){ NAN, NAN };
    }
    trop_tf_softmax(s, &m.data, w, 0);
    const double direction = trop_case_told(c, table, train, "several.direction");
    if (isnan(direction)) { /* one token only: the plain solution is the direction */
        const double one = trop_case_told(c, table, train, "correlation");
        return (struct trop_tf_project_end){ one, one };
    }
    return (struct trop_tf_project_end){ direction,
                                         trop_case_told(c, table, train, "several.both") };
}
