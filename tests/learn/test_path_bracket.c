/* test_path_bracket.c -- regularisation paths: brute force, brackets, the handle. */
#include <nlopt.h>

#include "learn/attention/attention.h"

#include "path_support.h"

#include "alloc_failing.c"

/* ---- reading ------------------------------------------------------------------------------- */

static int64_t rows_of(const struct trop_path *path)
{
    struct trop_value value = { 0 };

    assert_ok(trop_path_value(&value, path, "radii"));
    return value.shape[0];
}

/* ---- brute force --------------------------------------------------------------------------- */

/* The point of the plane with lp norm s at angle phi. */
static void polar(double out[2], double s, double phi, double p)
{
    const double c = cos(phi), d = sin(phi);
    const double norm = pow(pow(fabs(c), p) + pow(fabs(d), p), 1 / p);

    out[0] = s * c / norm;
    out[1] = s * d / norm;
}

/* The least loss of a grid over the disc, then of finer ones around the best point. */
static double grid_least(const struct trop_data *data, double p, double R)
{
    double best = INFINITY, s0 = 0.5 * R, phi0 = 0, ds = 0.5 * R, dphi = 3.15;

    for (int level = 0; level < 16; level++) {
        const int rings = level ? 4 : 10, rays = level ? 8 : 180;
        double s1 = s0, phi1 = phi0;
        for (int i = -rings; i <= rings; i++) {
            for (int j = -rays; j <= rays; j++) {
                double w[2];
                const double s = fmin(R, fmax(0, s0 + ds * i / rings)),
                             phi = phi0 + dphi * j / rays;
                polar(w, s, phi, p);
                const double loss = plain_loss(data, w, data->v);
                if (loss < best) {
                    best = loss;
                    s1 = s;
                    phi1 = phi;
                }
            }
        }
        s0 = s1;
        phi0 = phi1;
        ds *= level ? 0.35 : 0.2;
        dphi *= level ? 0.35 : 0.02;
    }
    return best;
}

/* Random prompts in the plane, whose minimum over the disc a grid finds: on the sphere, and inside
 * where no direction selects the best tokens. */
static void test_a_path_in_the_plane_finds_the_least_of_a_grid(void **state)
{
    static const double exponents[] = { 1.3, 2, 3, 5 };
    int64_t inside = 0, missed = 0;
    const int64_t count = cases(12, 400);
    struct sample s;

    for (int64_t k = 0; k < count; k++) {
        const double p = exponents[k % 4];
        draw(&s, 3, 4, 2, 0, 500 + (uint64_t)k);
        struct trop_path_options o = options_for(&s.data, p, "0.5,3,8");
        o.starts = 12;
        struct trop_path *path = run(&o);
        for (int64_t row = 0; row < 3; row++) {
            const double R = at(path, row, "radius"), loss = at(path, row, "loss");
            const double least = grid_least(&s.data, p, R);
            const double *w = cell(path, row, "weights").numbers;
            assert_near(loss, plain_loss(&s.data, w, s.v), 1e-12);
            assert_true(at(path, row, "norm") <= R * (1 + 1e-12));
            /* A grid only bounds the least loss from above. */
            missed += loss > least + 1e-7 * (1 + least);
            inside += at(path, row, "norm") < 0.99 * R;
            assert_true(strcmp(cell(path, row, "kind").text, "unfinished") != 0);
        }
        trop_path_free(path);
    }
    assert_true(inside > 0);
    assert_int_equal(missed, 0);
    (void)state;
}

struct judge {
    struct trop_attention *attention;
    struct trop_weights weights, gradient;
    double p, R;
};

/* log(L - L*) and its gradient, for NLopt. */
static double judged(unsigned n, const double *w, double *slope, void *context)
{
    struct judge *j = context;

    memcpy(j->weights.memory, w, n * sizeof *w);
    trop_attention_set(j->attention, &j->weights, NULL, 0);
    const double value = trop_attention_log_gap(j->attention);
    if (slope) {
        trop_attention_gradient(&j->gradient, j->attention);
        const double factor = exp(j->gradient.tensor[0].log_scale - value);
        for (unsigned e = 0; e < n; e++) {
            slope[e] = factor * j->gradient.memory[e];
        }
    }
    return value;
}

/* sum |w / R|^p - 1 <= 0. */
static double ball(unsigned n, const double *w, double *slope, void *context)
{
    const struct judge *j = context;
    double sum = -1;

    for (unsigned e = 0; e < n; e++) {
        sum += pow(fabs(w[e]) / j->R, j->p);
        if (slope) {
            slope[e] = copysign(j->p / j->R * pow(fabs(w[e]) / j->R, j->p - 1), w[e]);
        }
    }
    return sum;
}

/* The attsvm path by another method: sequential quadratic programming in the weights themselves. */
static void test_another_solver_agrees_on_the_attsvm_data(void **state)
{
    static const double exponents[] = { 1.75, 4 };
    struct trop_dataset *dataset = named("attsvm");
    const struct trop_data *data = trop_dataset_data(dataset);

    for (size_t k = 0; k < 2; k++) {
        const struct trop_attention_options model = { .model = TROP_TRAIN_CROSS,
                                                      .width = 1,
                                                      .threads = 1 };
        struct judge judge = { .p = exponents[k], .R = 20 };
        struct trop_path_options o = options_for(data, exponents[k], "20");
        struct trop_path *path = run(&o);
        const double *ours = cell(path, 0, "weights").numbers;
        double w[100], value;
        assert_ok(trop_attention_create(&judge.attention, data, &model));
        assert_ok(trop_weights_create(&judge.weights, trop_attention_shape(judge.attention)));
        assert_ok(trop_weights_create(&judge.gradient, trop_attention_shape(judge.attention)));
        normals(w, 100, 7);
        nlopt_opt solver = nlopt_create(NLOPT_LD_SLSQP, 100);
        nlopt_set_min_objective(solver, judged, &judge);
        nlopt_add_inequality_constraint(solver, ball, &judge, 1e-12);
        nlopt_set_ftol_rel(solver, 1e-15);
        nlopt_set_maxeval(solver, 3000);
        nlopt_optimize(solver, w, &value);
        /* It stops where its own model sees no descent: as low as ours to 1e-8, and never lower
         * than its constraint tolerance, 1e-12 of a slope of R |grad F| < 20, allows. */
        assert_near(at(path, 0, "log_gap"), value, 1e-7);
        assert_true(at(path, 0, "log_gap") <= value + 1e-10);
        double off = 0, size = 0;
        for (int e = 0; e < 100; e++) {
            off += (w[e] - ours[e]) * (w[e] - ours[e]);
            size += ours[e] * ours[e];
        }
        assert_true(sqrt(off / size) < 3e-3);
        nlopt_destroy(solver);
        trop_weights_free(&judge.weights);
        trop_weights_free(&judge.gradient);
        trop_attention_free(judge.attention);
        trop_path_free(path);
    }
    trop_dataset_free(dataset);
    (void)state;
}

/* ---- brackets ------------------------------------------------------------------------------ */

static double norm_of(const double *w, int64_t n, double p)
{
    double sum = 0;

    for (int64_t e = 0; e < n; e++) {
        sum += pow(fabs(w[e]), p);
    }
    return pow(sum, 1 / p);
}

/* Points of the ball around the answer and anywhere, by the plain loss, stay above the lower bound.
 * R is small, so that L - L* is not lost in L. */
static void test_no_point_of_the_ball_is_below_the_bracket(void **state)
{
    const int64_t count = cases(40, 2000);
    int64_t bracketed = 0;
    double nearest = INFINITY;
    struct sample s;

    for (int64_t k = 0; k < count; k++) {
        static const double exponents[] = { 1.5, 2, 3 };
        const double p = exponents[k % 3];
        draw(&s, 2, 3, 3, k % 2, 9000 + (uint64_t)k);
        struct trop_path_options o = options_for(&s.data, p, "1,4,200");
        o.starts = 2;
        struct trop_path *path = run(&o);
        const int64_t size = s.data.z ? 9 : 3;
        struct trop_value infimum = { 0 };
        assert_ok(trop_path_value(&infimum, path, "loss_infimum"));
        for (int64_t row = 0; row < 3 && !isnan(at(path, 0, "bracket_lower")); row++) {
            const double R = at(path, row, "radius"), lower = at(path, row, "bracket_lower");
            assert_true(lower <= at(path, row, "rate"));
            assert_true(at(path, row, "rate") <= at(path, row, "bracket_upper") + 1e-13);
            nearest = fmin(nearest, at(path, row, "rate") - lower);
            const double *w = cell(path, row, "weights").numbers;
            for (int64_t j = 0; j < 20 && row < 2; j++) {
                double other[9];
                for (int64_t e = 0; e < size; e++) {
                    const double noise = normal(3000 + (uint64_t)j, (uint64_t)(k * 9 + e));
                    other[e] = j < 10 ? w[e] + 0.1 * R * noise : noise;
                }
                const double scale = R / norm_of(other, size, p);
                for (int64_t e = 0; e < size; e++) {
                    other[e] *= scale;
                }
                const double gap = plain_loss(&s.data, other, s.v) - infimum.number;
                assert_true(gap >= exp(R * lower) - 1e-15);
            }
        }
        bracketed += !isnan(at(path, 0, "bracket_lower"));
        trop_path_free(path);
    }
    assert_true(bracketed > count / 4);
    assert_true(nearest < 0.02); /* it is not an idle bound: it closes as R grows */
    (void)state;
}

/* Two tokens with the same highest score leave nothing to bracket. */
static void test_a_tie_of_scores_has_no_bracket(void **state)
{
    const double x[] = { 1, 0, -1, 0, 0, 1 }, y[] = { 1 }, v[] = { 0, -1 };
    const struct trop_data data = { .n = 1, .T = 3, .d = 2, .x = x, .y = y, .labels = 1, .v = v };
    struct trop_path_options o = options_for(&data, 2, "1,10");
    struct trop_path *path = run(&o);
    struct trop_value unique = { 0 };

    assert_ok(trop_path_value(&unique, path, "unique"));
    assert_int_equal(unique.integer, 0);
    assert_kind(path, 1, "stationary");
    assert_int_equal(cell(path, 1, "bracket_lower").kind, TROP_KIND_NULL);
    trop_path_free(path);
    (void)state;
}

/* ---- the handle ---------------------------------------------------------------------------- */

static int stop_at(void *context, int64_t done, int64_t total)
{
    (void)total;
    return done == *(int64_t *)context;
}

static void assert_same(const struct trop_path *a, const struct trop_path *b)
{
    static const char *const names[] = { "loss",    "log_gap",       "misalignment",
                                         "bregman", "bracket_lower", "iterations" };

    assert_int_equal(rows_of(a), rows_of(b));
    for (int64_t row = 0; row < rows_of(a); row++) {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            const double x = at(a, row, names[k]), y = at(b, row, names[k]);
            assert_memory_equal(&x, &y, sizeof x);
        }
        const struct trop_value u = cell(a, row, "weights"), v = cell(b, row, "weights");
        assert_memory_equal(u.numbers, v.numbers, (size_t)u.shape[0] * sizeof(double));
    }
}

static void test_threads_and_stops_do_not_change_a_bit(void **state)
{
    struct trop_dataset *dataset = named("attsvm");
    struct trop_path_options o = options_for(trop_dataset_data(dataset), 1.75, "10,40,160");
    struct trop_path *one = run(&o), *two = NULL, *stopped = NULL;
    int64_t stop = 1;

    o.threads = 2;
    two = run(&o);
    assert_same(one, two);
    assert_ok(trop_path_create(&stopped, &o));
    assert_int_equal(trop_path_run(stopped, stop_at, &stop), TROP_ERR_STOPPED);
    assert_int_equal(rows_of(stopped), 1);
    assert_ok(trop_path_run(stopped, NULL, NULL));
    assert_same(one, stopped);
    trop_path_free(one);
    trop_path_free(two);
    trop_path_free(stopped);
    trop_dataset_free(dataset);
    (void)state;
}

static struct sample refused;
static int64_t refused_joint;

static enum trop_status attempt(void)
{
    struct trop_path_options o = options_for(&refused.data, 1.5, "1,100");
    struct trop_path *path = NULL;

    o.model = refused_joint ? TROP_TRAIN_JOINT : TROP_TRAIN_PROMPT;
    o.decoder_radius = refused_joint ? "1,100" : NULL;
    o.starts = 1;
    o.iterations = 300;
    enum trop_status status = trop_path_create(&path, &o);
    if (status == TROP_OK) {
        status = trop_path_run(path, NULL, NULL);
    }
    trop_path_free(path);
    return status;
}

static void test_every_refused_allocation_is_reported(void **state)
{
    for (refused_joint = 0; refused_joint < 2; refused_joint++) {
        draw(&refused, 2, 2, 2, 0, 5);
        alloc_refuse_each(attempt);
    }
    (void)state;
}

static void test_refusals_name_the_culprit(void **state)
{
    static const struct {
        const char *name, *text, *sentence;
    } wrong[] = {
        { "radius", "10,5", "radius: 5 after 10: must ascend" },
        { "radius", "", "radius = : must be numbers" },
        { "radius", "1,two", "radius = 1,two: must be numbers" },
        { "radius", "0,1", "radius: 0 must be from 1e-12" },
        { "decoder_radius", "3", "decoder_radius: is for joint" },
        { "select", "1,1,1,1", "select: is for local" },
        { "model", "kq", "model = kq" },
        { "model", "cross", "model = cross: the data need a query" },
    };
    struct sample s;

    draw(&s, 2, 3, 3, 0, 5);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        struct trop_path_options o = options_for(&s.data, 2, "1");
        struct trop_path *path = NULL;
        assert_ok(trop_option_set(&o, trop_path_option_table(), wrong[k].name, wrong[k].text));
        assert_int_equal(trop_path_create(&path, &o), TROP_ERR_ARG);
        assert_null(path);
        if (!strstr(trop_error(), wrong[k].sentence)) {
            fail_msg("%s = %s: %s", wrong[k].name, wrong[k].text, trop_error());
        }
    }
    (void)state;
}

static void refuse(const struct trop_path_options *o, const char *sentence)
{
    struct trop_path *path = NULL;

    assert_int_equal(trop_path_create(&path, o), TROP_ERR_ARG);
    if (!strstr(trop_error(), sentence)) {
        fail_msg("%s", trop_error());
    }
}

static void test_combinations_that_cannot_work_are_refused(void **state)
{
    struct sample s;

    draw(&s, 2, 3, 3, 0, 5);
    struct trop_path_options o = options_for(&s.data, 2, "1,2,3");
    o.model = TROP_TRAIN_JOINT;
    o.decoder_radius = "1,2";
    refuse(&o, "decoder_radius: 2 numbers for 3 radii");
    o.decoder_radius = "3,2,1";
    refuse(&o, "must not descend");
    o.decoder_radius = NULL;
    o.loss = TROP_LOSS_CORRELATION;
    refuse(&o, "loss = correlation: joint");
    o.loss = TROP_LOSS_LOGISTIC;
    o.local = 1;
    refuse(&o, "local: is for a fixed decoder");
    o.local = 0;
    s.data.y = NULL;
    refuse(&o, "joint needs labels y");
    s.data.y = s.y;
    o = options_for(NULL, 2, "1");
    refuse(&o, "data: which data?");
    o = options_for(&s.data, 1, "1");
    refuse(&o, "p = 1");
    s.data.T = 1;
    o = options_for(&s.data, 2, "1");
    refuse(&o, "nothing to select");
    /* Tokens 0 and 2 are the same: neither can be selected. */
    draw(&s, 1, 3, 2, 0, 6);
    memcpy(s.x + 4, s.x, 2 * sizeof *s.x);
    o = options_for(&s.data, 2, "1");
    o.local = 1;
    o.select = "0";
    refuse(&o, "no max-margin solution");
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_path_in_the_plane_finds_the_least_of_a_grid),
        cmocka_unit_test(test_another_solver_agrees_on_the_attsvm_data),
        cmocka_unit_test(test_no_point_of_the_ball_is_below_the_bracket),
        cmocka_unit_test(test_a_tie_of_scores_has_no_bracket),
        cmocka_unit_test(test_threads_and_stops_do_not_change_a_bit),
        cmocka_unit_test(test_every_refused_allocation_is_reported),
        cmocka_unit_test(test_refusals_name_the_culprit),
        cmocka_unit_test(test_combinations_that_cannot_work_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
