/* copies_report.c -- what many copies tell: of each, and on average.
 *
 * Over m copies with values v_k the mean is sum v_k / m, in the order of the copies, and its
 * standard error sqrt(sum (v_k - mean)^2 / (m (m - 1))), NaN for one copy. Copies that follow each
 * other with one beta are a group.
 */
#include "flow/copies/copies.h"

#include "base/field.h"

#include <math.h>
#include <string.h>

/* ---- sums ------------------------------------------------------------------------------------ */

struct sample {
    const struct trop_copies *copies;
    int64_t first, last;
};

static double mean_of(double *error, const struct sample *s,
                      double (*value)(const struct trop_copies *c, int64_t k))
{
    double count = (double)(s->last - s->first), sum = 0, square = 0;

    for (int64_t k = s->first; k < s->last; k++) {
        sum += value(s->copies, k);
    }
    double mean = sum / count;
    for (int64_t k = s->first; k < s->last; k++) {
        double t = value(s->copies, k) - mean;
        square = fma(t, t, square);
    }
    if (error) {
        *error = count > 1 ? sqrt(square / (count * (count - 1))) : NAN;
    }
    return mean;
}

static double clusters_at(const struct trop_copies *c, int64_t k)
{
    return (double)c->clusters[k];
}

static double fraction_at(const struct trop_copies *c, int64_t k)
{
    return c->fraction[k];
}

static double diameter_at(const struct trop_copies *c, int64_t k)
{
    return c->diameter[k];
}

static double steps_at(const struct trop_copies *c, int64_t k)
{
    return (double)c->steps[k];
}

static double converged_at(const struct trop_copies *c, int64_t k)
{
    return (double)c->converged[k];
}

static void sum_group(struct trop_copies_mean *out, const struct sample *s)
{
    out->beta = s->copies->betas[s->first];
    out->count = s->last - s->first;
    out->clusters = mean_of(&out->clusters_error, s, clusters_at);
    out->fraction = mean_of(&out->fraction_error, s, fraction_at);
    out->diameter = mean_of(&out->diameter_error, s, diameter_at);
    out->steps = mean_of(NULL, s, steps_at);
    out->converged = mean_of(NULL, s, converged_at);
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
        for (last = first + 1; last < c->done && c->betas[last] == c->betas[first]; last++) {
        }
        struct sample sample = { c, first, last };
        sum_group(c->means + c->groups++, &sample);
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
    return ((const struct trop_copies *)handle)->beta != NULL;
}

static int has_beta(const void *handle, int64_t row)
{
    const struct trop_copies *c = handle;

    return has_betas(c, row) || c->options.beta.kind == TROP_SCHEDULE_CONSTANT;
}

static const struct trop_field columns[] = {
    { "beta", "inverse temperature of these copies, null when it varies in time", MEAN(beta),
      .when = has_beta },
    { "copies", "how many", .kind = TROP_KIND_INTEGER, GROUP(count) },
    { "clusters", "mean number of clusters", MEAN(clusters) },
    { "clusters_error", "its standard error", MEAN(clusters_error) },
    { "aligned", "mean fraction of pairs that are aligned, on the sphere", MEAN(fraction),
      .when = is_sphere },
    { "aligned_error", "its standard error", MEAN(fraction_error), .when = is_sphere },
    { "diameter", "mean diameter", MEAN(diameter) },
    { "diameter_error", "its standard error", MEAN(diameter_error) },
    { "steps", "mean number of steps", MEAN(steps) },
    { "converged", "fraction of copies that converged", MEAN(converged) },
    { 0 },
};

static const struct trop_field table[] = {
    { "copies", "copies that are done", .kind = TROP_KIND_INTEGER, AT(done) },
    { "asked", "copies that were asked for", .kind = TROP_KIND_INTEGER, AT(copies) },
    { "method", "lanes: copies side by side; flows: one after the other", .kind = TROP_KIND_TEXT,
      AT(in_lanes), .names = methods },
    { "means", "an object for each beta, its copies summed up", .kind = TROP_KIND_LIST, AT(groups),
      .columns = columns },
    { "cluster_histogram", "how many copies have 0, 1, 2, ... clusters", .kind = TROP_KIND_INTEGERS,
      AT(histogram), .axes = { { "clusters", LENGTH(bins) } } },
    { "beta", "inverse temperature of each copy, when they differ", BY_COPY(NUMBERS, betas),
      .when = has_betas },
    { "steps", "steps taken, by copy; 2^63 - 1 for more", BY_COPY(INTEGERS, steps) },
    { "converged", "with a certificate, by copy", BY_COPY(BOOLEANS, converged) },
    { "residual", "max_i |avg_i - x_i|, by copy", BY_COPY(NUMBERS, residual) },
    { "diameter", "max |x_i - x_j|, by copy", BY_COPY(NUMBERS, diameter) },
    { "clusters", "number of clusters, by copy", BY_COPY(INTEGERS, clusters) },
    { "aligned_pairs", "pairs of tokens with <x_i, x_j> > 0.999, by copy; on the sphere",
      BY_COPY(INTEGERS, aligned), .when = is_sphere },
    { "aligned", "the same as a fraction of all pairs", BY_COPY(NUMBERS, fraction),
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
