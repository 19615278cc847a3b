/* test_train_decay.c -- lambda |T|^2 of every tensor in the loss, and the epsilon of the decoder.
 */
#include "train_support.h"

#include <math.h>

/* The tensors of a run as one list of numbers. */
static int64_t numbers_of(double *out, const struct trop_train *train)
{
    const double *values = NULL;
    double log_scale = 0;
    int64_t shape[2], count = 0;

    for (int64_t k = 0; trop_train_tensor(&values, &log_scale, shape, train, k); k++) {
        for (int64_t e = 0; e < shape[0] * shape[1]; e++) {
            out[count++] = exp(log_scale) * values[e];
        }
    }
    return count;
}

/* Runs o and returns how many numbers its weights are. */
static int64_t run(double *out, const struct trop_train_options *o)
{
    struct trop_train *train = trained(o);
    const int64_t count = numbers_of(out, train);

    trop_train_free(train);
    return count;
}

static double length_of(const double *x, int64_t count)
{
    double squares = 0;

    for (int64_t k = 0; k < count; k++) {
        squares += x[k] * x[k];
    }
    return sqrt(squares);
}

/* With gradient descent the step is -eta (G + 2 lambda T), whatever the model and the gradient. */
static void a_step_of_gradient_descent_has_the_gradient_of_the_penalty(void **state)
{
    static const char *const models[] = { "cross", "kq" };
    static const char *const gradients[] = { "stable", "naive" };
    struct trop_dataset *set = dataset_of("attsvm", 3);
    double start[400], plain[400], decayed[400];

    (void)state;
    for (int k = 0; k < 4; k++) {
        struct trop_train_options o = training(trop_dataset_data(set), "gd", .5, 0);
        const struct trop_option *table = trop_train_option_table();
        assert_ok(trop_option_set(&o, table, "model", models[k / 2]));
        assert_ok(trop_option_set(&o, table, "gradient", gradients[k % 2]));
        o.start = TROP_TRAIN_NORMAL;
        const int64_t count = run(start, &o);
        o.steps = 1;
        run(plain, &o);
        o.decay = .125;
        run(decayed, &o);
        for (int64_t e = 0; e < count; e++) {
            assert_near(decayed[e], plain[e] - .5 * 2 * .125 * start[e],
                        8 * 0x1p-52 * (1 + fabs(start[e])));
        }
    }
    trop_dataset_free(set);
}

/* Where attention is saturated the loss has no gradient to speak of, and a normalised step goes
 * straight to 0, by eta for each tensor. */
static void a_normalised_step_goes_to_zero_where_the_loss_is_flat(void **state)
{
    struct trop_dataset *set = dataset_of("attsvm", 3);
    struct trop_train_options o = training(trop_dataset_data(set), "ngd", .5, 0);
    double start[400], end[400];

    (void)state;
    o.model = TROP_TRAIN_KQ;
    o.start = TROP_TRAIN_NORMAL;
    o.start_scale = 1e3;
    const int64_t half = run(start, &o) / 2;
    o.steps = 1;
    o.decay = 2.2e-16;
    run(end, &o);
    for (int64_t t = 0; t < 2; t++) {
        const double *w = start + t * half, size = length_of(w, half);
        for (int64_t e = 0; e < half; e++) {
            assert_near(end[t * half + e], w[e] * (1 - .5 / size), 1e-12 * size);
        }
    }
    trop_dataset_free(set);
}

/* A zero tensor with a zero gradient stays where it is. */
static void nothing_decays_at_zero(void **state)
{
    const double x[] = { 1, 0, 1, 0 }, y[] = { 1 }, v[] = { 1, 1 };
    const struct trop_data data = { .n = 1, .T = 2, .d = 2, .x = x, .y = y, .labels = 1, .v = v };
    struct trop_train_options o = training(&data, "ngd", .5, 3);
    double end[8];

    (void)state;
    o.decay = .1;
    const int64_t count = run(end, &o);
    for (int64_t e = 0; e < count; e++) {
        assert_true(end[e] == 0);
    }
}

static void mirror_and_steepest_descent_take_the_penalty_too(void **state)
{
    static const char *const optimizers[] = { "mirror", "nmirror", "steepest", "sign", "adam" };
    struct trop_dataset *set = dataset_of("attsvm", 3);
    double plain[400], decayed[400];

    (void)state;
    for (int k = 0; k < 5; k++) {
        struct trop_train_options o = training(trop_dataset_data(set), optimizers[k], .1, 200);
        o.p = 1.75;
        o.start = TROP_TRAIN_NORMAL;
        o.compare = TROP_TRAIN_COMPARE_NONE;
        const int64_t count = run(plain, &o);
        o.decay = 1;
        run(decayed, &o);
        assert_true(length_of(decayed, count) < .5 * length_of(plain, count));
    }
    trop_dataset_free(set);
}

/* With epsilon the step of a tensor is eta |G| / (|G| + epsilon) long. */
static void the_decoder_has_an_epsilon_of_its_own(void **state)
{
    struct trop_dataset *set = dataset_of("mm-fig-3a", 1);
    struct trop_train_options o = training(trop_dataset_data(set), "gd", 1, 0);
    double start[8], end[8], moved[2][2];

    (void)state;
    o.model = TROP_TRAIN_JOINT;
    o.start = TROP_TRAIN_NORMAL;
    assert_int_equal(run(start, &o), 4);
    o.steps = 1;
    run(end, &o); /* by -G */
    for (int t = 0; t < 2; t++) {
        moved[0][t] = hypot(end[2 * t] - start[2 * t], end[2 * t + 1] - start[2 * t + 1]);
    }
    assert_ok(trop_option_set(&o, trop_train_option_table(), "optimizer", "ngd"));
    o.gradient_epsilon = .5;
    o.decoder_epsilon = 1;
    run(end, &o);
    for (int t = 0; t < 2; t++) {
        moved[1][t] = hypot(end[2 * t] - start[2 * t], end[2 * t + 1] - start[2 * t + 1]);
        assert_near(moved[1][t], moved[0][t] / (moved[0][t] + (t == 0 ? .5 : 1)), 1e-14);
    }
    o.decoder_epsilon = -1;
    run(end, &o);
    assert_near(hypot(end[2] - start[2], end[3] - start[3]), moved[0][1] / (moved[0][1] + .5),
                1e-14);
    trop_dataset_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_of_gradient_descent_has_the_gradient_of_the_penalty),
        cmocka_unit_test(a_normalised_step_goes_to_zero_where_the_loss_is_flat),
        cmocka_unit_test(nothing_decays_at_zero),
        cmocka_unit_test(mirror_and_steepest_descent_take_the_penalty_too),
        cmocka_unit_test(the_decoder_has_an_epsilon_of_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
