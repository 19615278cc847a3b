/* tf_project.c -- several tokens per input: the simplex projection, and training that finds it.
 *
 * With orthonormal tokens and h(o) = v'o - lambda |o|^2, attention s gives h = <gamma, s> - lambda
 * |s|^2. Its maximum over the simplex is s_t = max(0, (gamma_t - theta)/(2 lambda)), where theta
 * makes the sum 1: with scores in descending order the first k are positive, k the largest with
 * gamma_k > (gamma_1 + .. + gamma_k - 2 lambda)/k.
 */
#include "claim/tf/tf.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

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

static double number(const struct trop_train *train, const char *name)
{
    struct trop_value value = { 0 };

    return trop_train_value(&value, train, name) == TROP_OK && value.kind == TROP_KIND_NUMBER
               ? value.number
               : NAN;
}

enum trop_status trop_tf_project_train(struct trop_tf_project_end *out, double *s, const double *x,
                                       const double *v, const double *z, int64_t T, int64_t d,
                                       double lambda, int64_t steps)
{
    static const double label = 1;
    const struct trop_data data = {
        .n = 1, .T = T, .d = d, .x = x, .y = &label, .labels = 1, .z = z, .queries = 1, .v = v
    };
    struct trop_train_options o = trop_tf_training("ngd", .1, steps);
    struct trop_train *train = NULL;
    const double *w = NULL;
    double scale = 0;
    int64_t shape[2];
    enum trop_status status = trop_option_set(&o, trop_train_option_table(), "head", "quadratic");

    if (status == TROP_OK) {
        status = trop_option_set(&o, trop_train_option_table(), "loss", "correlation");
    }
    o.data = &data;
    o.lambda = lambda;
    o.records = 1;
    o.threads = 1;
    o.compare = TROP_TRAIN_COMPARE_FINAL;
    if (status == TROP_OK) {
        status = trop_train_create(&train, &o);
    }
    if (status == TROP_OK) {
        status = trop_train_run(train, NULL, NULL);
    }
    if (status == TROP_OK && trop_train_tensor(&w, &scale, shape, train, 0)) {
        trop_tf_softmax(s, &data, w, 0);
        /* One token only: the plain solution is the direction. */
        const double one = number(train, "correlation"),
                     direction = number(train, "several.direction");
        out->direction = isnan(direction) ? one : direction;
        out->both = isnan(direction) ? one : number(train, "several.both");
    }
    trop_train_free(train);
    return status;
}
