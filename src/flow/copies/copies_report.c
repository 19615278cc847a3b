/* copies_report.c -- what many copies tell: of each, and on average.
 *
 * Over m copies with values v_k the mean is sum v_k / m, in the order of the copies, and its
 * standard error sqrt(sum (v_k - mean)^2 / (m (m - 1))), NaN for one copy. Copies that follow each
 * other with one beta, epsilon, alpha and gamma are a group.
 */
#include "flow/copies/copies.h"

#include "base/field.h"

#include <math.h>
#include <string.h>

/* ---- sums ------------------------------------------------------------------------------------ */

/* The mean of entries first .. last - 1 of counts or, where that is NULL, of numbers. */
static double mean_of(double *error, const int64_t *counts, const double *numbers, int64_t first,
                      int64_t last)
{
    double count = (double)(last - first), sum = 0, square = 0;

    for (int64_t k = first; k < last; k++) {
        sum += counts ? (double)counts[k] : numbers[k];
    }
    double mean = sum / count;
    for (int64_t k = first; k < last; k++) {
        double t = (counts ? (double)counts[k] : numbers[k]) - mean;
        square = fma(t, t, square);
    }
    if (error) {
        *error = count > 1 ? sqrt(square / (count * (count - 1))) : NAN;
    }
    return mean;
}

/* 1 when nothing but seed and tokens differs between two copies. */
static int is_same(const struct trop_copies *c, int64_t k, int64_t m)
{
    for (int a = 0; a < TROP_COPIES_AXES; a++) {
        if (c->axis[a] && !(c->axis[a][k] == c->axis[a][m])) {
            return 0;
        }
    }
    return 1;
}

static double number_of(const struct trop_copies *c, int a, int64_t k, double otherwise)
{
    return c->axis[a] ? c->axis[a][k] : otherwise;
}

void trop_copies_sum_up(struct trop_copies *c)
{
    memset(c->histogram, 0, (size_t)(c->n + 1) * sizeof *c->histogram);
    for (int64_t k = 0; k < c->done; k++) {
        c->histogram[c->clusters[k]]++;
    }
    for (c->bins = c->n + 1; c->bins > 1 && c->histogram[c->bins - 1] == 0; c->bins--) {
    }
    c->groups = 0;
    for (int64_t first = 0, last; first < c->done; first = last) {
        for (last = first + 1; last < c->done && is_same(c, first, last); last++) {
        }
        struct trop_copies_mean *m = c->means + c->groups++;
        m->beta = c->betas[first];
        m->epsilon = number_of(c, TROP_COPIES_EPSILON, first, c->options.epsilon.a);
        m->alpha = number_of(c, TROP_COPIES_ALPHA, first, c->options.alpha);
        m->gamma = number_of(c, TROP_COPIES_GAMMA, first, c->model->gamma.a);
        m->count = last - first;
        m->clusters = mean_of(&m->clusters_error, c->clusters, NULL, first, last);
        m->fraction = mean_of(&m->fraction_error, NULL, c->fraction, first, last);
        m->diameter = mean_of(&m->diameter_error, NULL, c->diameter, first, last);
        m->steps = mean_of(NULL, c->steps, NULL, first, last);
        m->converged = mean_of(NULL, c->converged, NULL, first, last);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

#define AT(member) TROP_FIELD_AT(struct trop_copies, member)
#define LENGTH(member) 0, offsetof(struct trop_copies, member)
#define BY_COPY(type, member) \
    .kind = TROP_KIND_##type, AT(member), .axes = { { "copy", LENGTH(done) } }
#define GROUP(member) TROP_FIELD_THROUGH(struct trop_copies, means, struct trop_copies_mean, member)
#define MEAN(member) .kind = TROP_KIND_NUMBER, GROUP(member)

static const char *const methods[] = { "flows", "lanes" };

static int is_sphere(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_copies *)handle)->model->dynamics->sphere;
}

static int has_betas(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_copies *)handle)->axis[TROP_COPIES_BETA] != NULL;
}

static int has_epsilons(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_copies *)handle)->axis[TROP_COPIES_EPSILON] != NULL;
}

static int has_alphas(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_copies *)handle)->axis[TROP_COPIES_ALPHA] != NULL;
}

static int has_gammas(const void *handle, int64_t row)
{
    (void)row;
    return ((const struct trop_copies *)handle)->axis[TROP_COPIES_GAMMA] != NULL;
}

static int has_beta(const void *handle, int64_t row)
{
    const struct trop_copies *c = handle;

    return has_betas(c, row) || (c->options.beta.kind == TROP_SCHEDULE_CONSTANT &&
                                 trop_copies_applies(&c->options, TROP_COPIES_BETA));
}

static const struct trop_field columns[] = {
    { "beta",
      "inverse temperature of these copies, null when it varies in time or the rule has none",
      MEAN(beta), .when = has_beta },
    { "epsilon", "tolerance of these copies, null unless it differs from copy to copy",
      MEAN(epsilon), .when = has_epsilons },
    { "alpha", "alpha of these copies, null when it varies in time", MEAN(alpha),
      .when = has_alphas },
    { "gamma", "step size of these copies, null when it varies in time", MEAN(gamma),
      .when = has_gammas },
    { "copies", "number of copies in this mean", .kind = TROP_KIND_INTEGER, GROUP(count) },
    { "clusters", "mean number of clusters", MEAN(clusters) },
    { "clusters_error", "standard error of the mean number of clusters", MEAN(clusters_error) },
    { "aligned", "mean fraction of pairs that are aligned, on the sphere", MEAN(fraction),
      .when = is_sphere },
    { "aligned_error", "standard error of the mean share of aligned pairs", MEAN(fraction_error),
      .when = is_sphere },
    { "diameter", "mean of the final diameters", MEAN(diameter) },
    { "diameter_error", "standard error of the mean diameter", MEAN(diameter_error) },
    { "steps", "mean number of steps", MEAN(steps) },
    { "converged", "fraction of copies that converged", MEAN(converged) },
    { 0 },
};

static const struct trop_field table[] = {
    { "copies", "number of copies that are done", .kind = TROP_KIND_INTEGER, AT(done) },
    { "asked", "number of copies that were requested", .kind = TROP_KIND_INTEGER, AT(copies) },
    { "method", "lanes: copies side by side; flows: one after the other", .kind = TROP_KIND_TEXT,
      AT(in_lanes), .names = methods },
    { "means", "an object for each beta, epsilon, alpha and gamma, its copies summed up",
      .kind = TROP_KIND_LIST, AT(groups), .columns = columns },
    { "cluster_histogram", "how many copies have 0, 1, 2, ... clusters", .kind = TROP_KIND_INTEGERS,
      AT(histogram), .axes = { { "clusters", LENGTH(bins) } } },
    { "beta", "inverse temperature of each copy, when they differ", BY_COPY(NUMBERS, betas),
      .when = has_betas },
    { "epsilon", "epsilon of each copy, when they differ",
      BY_COPY(NUMBERS, axis[TROP_COPIES_EPSILON]), .when = has_epsilons },
    { "alpha", "alpha of each copy, when they differ", BY_COPY(NUMBERS, axis[TROP_COPIES_ALPHA]),
      .when = has_alphas },
    { "gamma", "gamma of each copy, when they differ", BY_COPY(NUMBERS, axis[TROP_COPIES_GAMMA]),
      .when = has_gammas },
    { "steps", "steps taken, by copy; 2^63 - 1 for more", BY_COPY(INTEGERS, steps) },
    { "converged", "whether each copy converged, with a certificate",
      BY_COPY(BOOLEANS, converged) },
    { "residual", "max_i |avg_i - x_i|, by copy", BY_COPY(NUMBERS, residual) },
    { "diameter", "max |x_i - x_j|, by copy", BY_COPY(NUMBERS, diameter) },
    { "clusters", "number of clusters, by copy", BY_COPY(INTEGERS, clusters) },
    { "aligned_pairs", "pairs of tokens with <x_i, x_j> > 0.999, by copy; on the sphere",
      BY_COPY(INTEGERS, aligned), .when = is_sphere },
    { "aligned", "aligned_pairs as a fraction of all pairs", BY_COPY(NUMBERS, fraction),
      .when = is_sphere },
    { "tokens", "final tokens of each copy", .kind = TROP_KIND_NUMBERS, AT(final),
      .axes = { { "copy", LENGTH(done) }, { "token", LENGTH(n) }, { "coordinate", LENGTH(d) } } },
    { 0 },
};

const struct trop_field *trop_copies_field_table(void)
{
    return table;
}

enum trop_status trop_copies_value(struct trop_value *out, const struct trop_copies *copies,
                                   const char *name)
{
    return trop_field_value(out, table, copies, name);
}
