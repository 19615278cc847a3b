/* tf_fig_8.c -- several tokens with a ReLU head (figure 8).
 *
 * h(o) = sum_k max(0, v_k'o), v = randn (d, d) over its Frobenius norm; n = 3, T = 4, d = 4 .. 10,
 * at least one label -1; 2000 normalised steps of .1. A run is accepted when no attention is
 * between 1e-6 and 1e-3 and some is below 1e-6. Printed: the means over 500 accepted runs of 1 -
 * correlation of W with W_fin + R W_mm (Gen-SVM), and with W_mm.
 *
 * With exact gradients few runs are accepted, 27 of 100 at d = 4 and 2 of 100 at d = 10: steps of
 * .1 go to and fro around W_fin, and attention is masked slowly. What is accepted is then another
 * sample than the authors', whose gradients round.
 *
 * Allowance: four standard errors of the difference of two means with our variance, theirs of 500
 * runs, half a unit of the last digit.
 */
#include "claim/tf/tf_figures.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "claim/tf/tf.h"

#include <math.h>
#include <stdio.h>

#define INPUTS 3
#define TOKENS 4
#define SIZES 4
#define LARGEST 10
#define STEPS 2000
#define COLUMNS 3 /* accepted, 1 - correlations */
#define THEIRS 500

static const double sizes[SIZES] = { 4, 6, 8, 10 };
static const double published[2][SIZES] = { { .0304, .0172, .0074, .0058 },
                                            { .0586, .0351, .0199, .0165 } };
static const char *const names[2] = { "W_fin + R W_mm", "W_mm" };

struct instance {
    double x[INPUTS * TOKENS * LARGEST], z[INPUTS * LARGEST], y[INPUTS], v[LARGEST * LARGEST];
    struct trop_data data;
};

static void make(struct instance *out, int64_t d, uint64_t seed, int64_t run)
{
    const uint64_t from = (uint64_t)(3000000 + run * 1000);
    double squares = 0;
    int64_t negative = 0;

    for (int64_t k = 0; k < INPUTS * TOKENS; k++) {
        trop_rng_sphere(out->x + k * d, d, seed, TROP_RNG_CLAIMS, from + (uint64_t)k);
    }
    for (int64_t i = 0; i < INPUTS; i++) {
        trop_rng_sphere(out->z + i * d, d, seed, TROP_RNG_CLAIMS, from + 100 + (uint64_t)i);
        out->y[i] = trop_rng_uniform(seed, TROP_RNG_CLAIMS, from + 200, (uint64_t)i) < .5 ? -1 : 1;
        negative += out->y[i] < 0;
    }
    out->y[0] = negative ? out->y[0] : -1;
    for (int64_t k = 0; k < d * d; k++) {
        out->v[k] = trop_rng_normal(seed, TROP_RNG_CLAIMS, from + 300, (uint64_t)k);
        squares += out->v[k] * out->v[k];
    }
    for (int64_t k = 0; k < d * d; k++) {
        out->v[k] /= sqrt(squares);
    }
    out->data = (struct trop_data){ .n = INPUTS,
                                    .T = TOKENS,
                                    .d = d,
                                    .x = out->x,
                                    .y = out->y,
                                    .labels = 1,
                                    .z = out->z,
                                    .queries = 1,
                                    .v = out->v,
                                    .heads = d };
}

static double number(const struct trop_train *train, const char *name)
{
    struct trop_value value = { 0 };

    return trop_train_value(&value, train, name) == TROP_OK && value.kind == TROP_KIND_NUMBER
               ? value.number
               : NAN;
}

static void judge_end(double *out, const struct trop_train *train, const struct trop_data *data)
{
    const double *w = NULL;
    double scale = 0, s[TOKENS];
    int64_t shape[2], between = 0, masked = 0;

    trop_train_tensor(&w, &scale, shape, train, 0);
    for (int64_t k = 0; k < INPUTS * TOKENS; k++) {
        trop_tf_softmax(s, data, w, k / TOKENS);
        between += s[k % TOKENS] > 1e-6 && s[k % TOKENS] <= 1e-3;
        masked += s[k % TOKENS] <= 1e-6;
    }
    const double both = number(train, "several.both");
    out[0] = !between && masked && !isnan(both);
    out[1] = out[0] > 0 ? 1 - both : NAN;
    out[2] = out[0] > 0 ? 1 - number(train, "several.direction") : NAN;
}

struct shared {
    double *out; /* (sizes, runs, COLUMNS) */
    int64_t runs;
    uint64_t seed;
    int64_t *status;
};

static void work_range(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct shared *s = context;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        struct trop_train_options o = trop_tf_training("ngd", .1, STEPS);
        struct trop_train *train = NULL;
        struct instance instance;
        const int64_t d = (int64_t)sizes[k / s->runs];
        enum trop_status status = trop_option_set(&o, trop_train_option_table(), "head", "relu");
        make(&instance, d, s->seed, k);
        o.data = &instance.data;
        o.start = TROP_TRAIN_UNIFORM;
        o.start_scale = 1 / sqrt((double)d);
        o.seed = s->seed + (uint64_t)k;
        o.records = 1;
        o.threads = 1;
        o.compare = TROP_TRAIN_COMPARE_FINAL;
        if (status == TROP_OK) {
            status = trop_train_create(&train, &o);
        }
        if (status == TROP_OK) {
            status = trop_train_run(train, NULL, NULL);
        }
        if (status == TROP_OK) {
            judge_end(s->out + k * COLUMNS, train, &instance.data);
        }
        s->status[k] = status;
        trop_train_free(train);
    }
}

static enum trop_status draw(struct trop_case *c)
{
    static const double runs[3] = { 40, 700, 1000 }, dims[3] = { 1, 1, SIZES };

    return trop_tf_figures_sizes(c, runs, dims);
}

static enum trop_status work(struct trop_case *c)
{
    struct shared s = { .runs = trop_case_integer(c, "runs"), .seed = c->seed };
    const int64_t dims = trop_case_integer(c, "dims"), count = dims * s.runs;
    enum trop_status status = trop_case_make(&s.out, c, "end", dims, s.runs, COLUMNS);

    s.status = trop_alloc(count, sizeof *s.status);
    if (!s.status) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld runs", (long long)count);
    }
    if (status == TROP_OK) {
        trop_parallel(c->threads, count, work_range, &s);
    }
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = (enum trop_status)s.status[k];
    }
    trop_alloc_free(s.status);
    return status;
}

static struct trop_tf_runs_mean mean_of(const struct trop_case *c, int64_t at, int64_t k)
{
    const int64_t runs = trop_case_size(c, "end", 1);

    return trop_tf_runs_mean(trop_case_array(c, "end") + at * runs * COLUMNS + k, runs, COLUMNS);
}

static enum trop_status accepted(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t at = 0; at < trop_case_size(c, "end", 0); at++) {
        trop_judge_at_least(judge, "accepted runs", at, (double)mean_of(c, at, 1).count, 5, 0);
    }
    return TROP_OK;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    char name[64];

    for (int64_t k = 0; k < 2 * trop_case_size(c, "end", 0); k++) {
        const struct trop_tf_runs_mean ours = mean_of(c, k / 2, 1 + k % 2);
        const double n = (double)ours.count;
        snprintf(name, sizeof name, "1 - corr with %s, d = %g", names[k % 2], sizes[k / 2]);
        trop_judge_near(judge, name, -1, ours.mean, published[k % 2][k / 2],
                        4 * ours.error * sqrt(1 + n / THEIRS) * (1 + 5 / n) + 5e-5);
    }
    return TROP_OK;
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    struct trop_panel *left = trop_figure_panel(figure, 0, 0);
    const int64_t dims = trop_case_size(c, "end", 0);
    double y[SIZES], error[SIZES];

    trop_panel_x(left, "dimension d", TROP_SCALE_LINEAR);
    trop_panel_y(left, "1 \u2212 correlation, mean of accepted runs", TROP_SCALE_LOG);
    for (int64_t k = 0; k < 2; k++) {
        for (int64_t at = 0; at < dims; at++) {
            const struct trop_tf_runs_mean mean = mean_of(c, at, 1 + k);
            y[at] = mean.count > 0 ? mean.mean : NAN;
            error[at] = mean.error;
        }
        const struct trop_pen pen = { .colour = k, .width = 1.5, .dash = k };
        trop_panel_line(left, sizes, y, dims, pen, names[k]);
        trop_panel_errors(left, sizes, y, error, dims, (struct trop_pen){ .colour = k });
        trop_panel_dots(left, sizes, published[k], SIZES,
                        (struct trop_dot){ .colour = k, .mark = k ? TROP_MARK_SQUARE : 0 },
                        k ? "printed, W_mm" : "printed, W_fin + R W_mm");
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status far_off(struct trop_case *c)
{
    double *end = trop_case_array(c, "end");

    for (int64_t run = 0; run < trop_case_size(c, "end", 1); run++) {
        end[run * COLUMNS + 1] += 1;
    }
    return TROP_OK;
}

static enum trop_status none_accepted(struct trop_case *c)
{
    double *end = trop_case_array(c, "end");

    for (int64_t k = 0; k < trop_case_size(c, "end", 0) * trop_case_size(c, "end", 1); k++) {
        end[k * COLUMNS] = 0;
        end[k * COLUMNS + 1] = end[k * COLUMNS + 2] = NAN;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "weights at a right angle", NULL, far_off },
    { "a single run", "enough-runs", trop_tf_figures_few },
    { "no run is accepted", "enough-accepted", none_accepted },
    { 0 },
};

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "at least five runs", trop_tf_figures_enough, 0 },
    { "enough-accepted", "at least five runs of each size meet the criteria", accepted, 1 },
    { 0 },
};

const struct trop_claim trop_tf_fig_8 = {
    .id = "tf-fig-8",
    .title = "several tokens with a ReLU head",
    .statement =
        "With a ReLU head, where training keeps several tokens of an input, W is described by "
        "W_fin + R W_mm to 1 - correlation = .030, .017, .007 and .006 for d = 4, 6, 8 and 10, "
        "twice as well as by W_mm alone.",
    .status = TROP_CLAIM_MEASURED,
    .remark =
        "Differs: of 2000 runs of each size ours have .103, .076, .067 and .059. With exact "
        "gradients "
        "few runs meet the criteria of acceptance, 27 of 100 at d = 4 and 2 of 100 at d = 10, so "
        "that ours are another sample.",
    .old_inputs = trop_tf_figures_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .old_picture = picture,
    .spoils = spoils,
    .trials = 1,
};
