/* copies_report.c -- what many copies tell: of each, and on average.
 *
 * Over m copies with values v_k the mean is sum v_k / m, in the order of the copies, and its
 * standard error sqrt(sum (v_k - mean)^2 / (m (m - 1))), NaN for one copy. Copies that follow each
 * other with one beta are a group.
 */
#include "flow/copies.h"

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
    c->groups = 0;
    for (int64_t first = 0, last; first < c->done; first = last) {
        for (last = first + 1; last < c->done && c->betas[last] == c->betas[first]; last++) {
        }
        struct sample sample = { c, first, last };
        sum_group(c->means + c->groups++, &sample);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

#define COPIES \
    const struct trop_copies *c = handle; \
    (void)row
#define EACH_NUMBER(name, member) \
    TROP_FIELD(name) \
    { \
        COPIES; \
        trop_field_numbers(out, c->member, c->done, "copy"); \
    }
#define MEAN(name, member) \
    TROP_FIELD(name) \
    { \
        const struct trop_copies *c = handle; \
        trop_field_number(out, c->means[row].member); \
    }

static int is_sphere(const struct trop_copies *c)
{
    return trop_flow_is_sphere(c->model);
}

TROP_FIELD(read_copies)
{
    COPIES;
    trop_field_integer(out, c->done);
}

TROP_FIELD(read_asked)
{
    COPIES;
    trop_field_integer(out, c->copies);
}

TROP_FIELD(read_method)
{
    COPIES;
    trop_field_text(out, c->in_lanes ? "lanes" : "flows");
}

TROP_FIELD(read_steps)
{
    COPIES;
    trop_field_integers(out, c->steps, c->done, "copy");
}

TROP_FIELD(read_clusters)
{
    COPIES;
    trop_field_integers(out, c->clusters, c->done, "copy");
}

TROP_FIELD(read_converged)
{
    COPIES;
    trop_field_booleans(out, c->converged, c->done, "copy");
}

TROP_FIELD(read_aligned)
{
    COPIES;
    if (is_sphere(c)) {
        trop_field_integers(out, c->aligned, c->done, "copy");
    }
}

TROP_FIELD(read_fraction)
{
    COPIES;
    if (is_sphere(c)) {
        trop_field_numbers(out, c->fraction, c->done, "copy");
    }
}

TROP_FIELD(read_beta)
{
    COPIES;
    if (c->beta) {
        trop_field_numbers(out, c->betas, c->done, "copy");
    }
}

TROP_FIELD(read_histogram)
{
    COPIES;
    int64_t most = c->n;
    while (most > 0 && c->histogram[most] == 0) {
        most--;
    }
    trop_field_integers(out, c->histogram, most + 1, "clusters");
}

TROP_FIELD(read_means)
{
    COPIES;
    trop_field_list(out, c->groups);
}

TROP_FIELD(read_tokens)
{
    COPIES;
    if (c->final) {
        *out = (struct trop_value){
            .kind = TROP_KIND_NUMBERS,
            .numbers = c->final,
            .rank = 3,
            .shape = { c->done, c->n, c->d },
            .axes = { "copy", "token", "coordinate" },
        };
    }
}

EACH_NUMBER(read_residual, residual)
EACH_NUMBER(read_diameter, diameter)
MEAN(mean_clusters, clusters)
MEAN(mean_clusters_error, clusters_error)
MEAN(mean_diameter, diameter)
MEAN(mean_diameter_error, diameter_error)
MEAN(mean_steps, steps)
MEAN(mean_converged, converged)

TROP_FIELD(mean_beta)
{
    const struct trop_copies *c = handle;
    if (c->beta || c->options.beta.kind == TROP_SCHEDULE_CONSTANT) {
        trop_field_number(out, c->means[row].beta);
    }
}

TROP_FIELD(mean_count)
{
    const struct trop_copies *c = handle;
    trop_field_integer(out, c->means[row].count);
}

TROP_FIELD(mean_fraction)
{
    const struct trop_copies *c = handle;
    if (is_sphere(c)) {
        trop_field_number(out, c->means[row].fraction);
    }
}

TROP_FIELD(mean_fraction_error)
{
    const struct trop_copies *c = handle;
    if (is_sphere(c)) {
        trop_field_number(out, c->means[row].fraction_error);
    }
}

static const struct trop_field columns[] = {
    { "beta", "inverse temperature of these copies, null when it varies in time", mean_beta, NULL },
    { "copies", "how many", mean_count, NULL },
    { "clusters", "mean number of clusters", mean_clusters, NULL },
    { "clusters_error", "its standard error", mean_clusters_error, NULL },
    { "aligned", "mean fraction of pairs that are aligned, on the sphere", mean_fraction, NULL },
    { "aligned_error", "its standard error", mean_fraction_error, NULL },
    { "diameter", "mean diameter", mean_diameter, NULL },
    { "diameter_error", "its standard error", mean_diameter_error, NULL },
    { "steps", "mean number of steps", mean_steps, NULL },
    { "converged", "fraction of copies that converged", mean_converged, NULL },
    { 0 },
};

static const struct trop_field table[] = {
    { "copies", "copies that are done", read_copies, NULL },
    { "asked", "copies that were asked for", read_asked, NULL },
    { "method", "lanes: copies side by side; flows: one after the other", read_method, NULL },
    { "means", "an object for each beta, its copies summed up", read_means, columns },
    { "cluster_histogram", "how many copies have 0, 1, 2, ... clusters", read_histogram, NULL },
    { "beta", "inverse temperature of each copy, when they differ", read_beta, NULL },
    { "steps", "steps taken, by copy; 2^63 - 1 for more", read_steps, NULL },
    { "converged", "with a certificate, by copy", read_converged, NULL },
    { "residual", "max_i |avg_i - x_i|, by copy", read_residual, NULL },
    { "diameter", "max |x_i - x_j|, by copy", read_diameter, NULL },
    { "clusters", "number of clusters, by copy", read_clusters, NULL },
    { "aligned_pairs", "pairs of tokens with <x_i, x_j> > 0.999, by copy; on the sphere",
      read_aligned, NULL },
    { "aligned", "the same as a fraction of all pairs", read_fraction, NULL },
    { "tokens", "final tokens of each copy", read_tokens, NULL },
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
