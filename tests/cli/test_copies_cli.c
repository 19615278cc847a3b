/* test_copies_cli.c -- flow --copies from outside: each copy is what flow prints for its seed;
 * files, limits, refusals.
 *
 * TROP_BUILD is the folder of the program. */
#include "cli_support.h"

#include <math.h>

#define RUN "flow --n 5 --d 2 --rule localmax --epsilon 0.4 --steps 20 --json "

static void each_copy_is_what_flow_prints_for_its_seed(void **state)
{
    (void)state;
    json_t *all = object_of(RUN "--seed 40 --copies 3", 0);

    for (size_t k = 0; k < 3; k++) {
        char line[200];
        snprintf(line, sizeof line, RUN "--seed %d", 40 + (int)k);
        json_t *one = object_of(line, 0);
        assert_true(json_equal(json_array_get(json_object_get(all, "tokens"), k),
                               json_object_get(one, "tokens")));
        assert_true(json_equal(json_array_get(json_object_get(all, "clusters"), k),
                               json_object_get(one, "clusters")));
        assert_true(json_equal(json_array_get(json_object_get(all, "residual"), k),
                               json_object_get(one, "residual")));
        json_decref(one);
    }
    assert_int_equal(json_integer_value(json_object_get(all, "copies")), 3);
    assert_int_equal(json_integer_value(json_object_get(all, "seed")), 40);
    json_decref(all);
}

static void betas_and_files(void **state)
{
    (void)state;
    json_t *all = object_of("flow --n 4 --copies 3 --betas 1,2 --steps 5 --json --out a.json", 0);

    assert_int_equal(json_integer_value(json_object_get(all, "copies")), 6);
    assert_int_equal(json_array_size(json_object_get(all, "means")), 2);
    assert_true(json_real_value(json_array_get(json_object_get(all, "beta"), 4)) == 2 ||
                json_integer_value(json_array_get(json_object_get(all, "beta"), 4)) == 2);
    json_decref(all);
    assert_int_equal(access(scratch("a.json"), R_OK), 0);
    assert_int_equal(tropism("flow --n 4 --copies 9 --steps 5 --out a.h5"), 0);
    assert_non_null(strstr(answer.out, "written to   a.h5"));
    assert_int_equal(access(scratch("a.h5"), R_OK), 0);
    /* 9 copies of 4 tokens in the plane: 72 doubles behind a header of 128 bytes. */
    struct stat file;
    assert_int_equal(tropism("flow --n 4 --copies 9 --steps 5 --out a.npy"), 0);
    assert_int_equal(stat(scratch("a.npy"), &file), 0);
    assert_int_equal(file.st_size, 128 + 72 * 8);
}

/* The table has beta where the rule has one, and copies that cannot differ are told as such. */
static void a_table_has_the_columns_of_its_rule(void **state)
{
    (void)state;
    const char *const without[] = { "hardmax", "localmax --epsilon .1" };
    const char *const with[] = { "softmax", "localmax --epsilon .1 --form probability" };
    char line[200];

    for (int k = 0; k < 2; k++) {
        snprintf(line, sizeof line, "flow --n 5 --copies 2 --steps 3 --rule %s", without[k]);
        assert_int_equal(tropism(line), 0);
        assert_null(strstr(answer.out, "beta"));
        assert_string_equal(answer.err, "");
        snprintf(line, sizeof line, "flow --n 5 --copies 2 --steps 3 --rule %s", with[k]);
        assert_int_equal(tropism(line), 0);
        assert_non_null(strstr(answer.out, "\n     beta   copies"));
    }
}

static void copies_that_are_the_same_are_told(void **state)
{
    (void)state;
    static const char *const same[] = { "--tokens t.csv", "--n 3 --init polygon" };
    static const char *const other[] = { "--tokens t.csv --draw-value gram",
                                         "--tokens t.csv --rule softmax --dynamics chain", "--n 3",
                                         "--tokens t.csv --copies 1" };
    char line[200];

    put("t.csv", "0 1\n1 0\n2 3\n");
    for (int k = 0; k < 2; k++) {
        snprintf(line, sizeof line, "flow --steps 2 --copies 1000 %s", same[k]);
        assert_int_equal(tropism(line), 0);
        assert_non_null(strstr(answer.err, "all 1000 start from the same tokens and nothing is "));
    }
    for (int k = 0; k < 4; k++) {
        snprintf(line, sizeof line, "flow --steps 2 %s %s", k < 3 ? "--copies 9" : "", other[k]);
        assert_int_equal(tropism(line), 0);
        assert_string_equal(answer.err, "");
    }
}

/* Point by point, in the order of the product: betas slowest, then epsilons, then gammas. */
static void lists_are_a_product(void **state)
{
    (void)state;
    const char *rule = "flow --n 6 --rule localmax --form probability --steps 15 --json ";
    char line[300];
    size_t k = 0;

    snprintf(line, sizeof line,
             "%s--copies 2 --seed 3 --betas 1,2 --epsilons 0.2:0.6:0.2 --gammas 0.5,1", rule);
    json_t *all = object_of(line, 0);
    assert_int_equal(json_array_size(json_object_get(all, "means")), 12);
    for (int beta = 1; beta <= 2; beta++) {
        for (int epsilon = 1; epsilon <= 3; epsilon++) {
            for (int gamma = 1; gamma <= 2; gamma++) {
                for (int seed = 3; seed <= 4; seed++, k++) {
                    snprintf(line, sizeof line, "%s--beta %d --epsilon %.17g --gamma %g --seed %d",
                             rule, beta, fma(epsilon - 1, 0.2, 0.2), 0.5 * gamma, seed);
                    json_t *one = object_of(line, 0);
                    assert_true(json_equal(json_array_get(json_object_get(all, "tokens"), k),
                                           json_object_get(one, "tokens")));
                    assert_true(json_equal(json_array_get(json_object_get(all, "diameter"), k),
                                           json_object_get(one, "diameter")));
                    json_decref(one);
                }
            }
        }
    }
    json_decref(all);
}

/* A time axis for each copy: that of the flow alone, then null or -1. */
static void records_of_copies_are_those_of_flows(void **state)
{
    (void)state;
    const char *rule = "flow --n 7 --d 2 --rule localmax --epsilon 0.3 --until converged "
                       "--steps 200 --every 3 --record residual,clusters,support --json ";
    static const char *const names[] = { "step", "residual", "clusters", "support" };
    char line[300];

    snprintf(line, sizeof line, "%s--copies 11 --seed 20 --out r.h5", rule);
    json_t *all = object_of(line, 0), *record = json_object_get(all, "record");
    size_t least = 1000, most = 0;
    for (size_t k = 0; k < 11; k++) {
        snprintf(line, sizeof line, "%s--seed %d", rule, 20 + (int)k);
        json_t *one = object_of(line, 0), *own = json_object_get(one, "record");
        for (int name = 0; name < 4; name++) {
            json_t *axis = json_array_get(json_object_get(record, names[name]), k);
            json_t *expected = json_object_get(own, names[name]);
            size_t rows = json_array_size(expected);
            least = rows < least ? rows : least;
            most = rows > most ? rows : most;
            for (size_t row = 0; row < json_array_size(axis); row++) {
                json_t *value = json_array_get(axis, row);
                if (row < rows) {
                    assert_true(json_equal(value, json_array_get(expected, row)));
                } else if (name == 0) {
                    assert_int_equal(json_integer_value(value), -1);
                }
            }
        }
        json_decref(one);
    }
    assert_int_equal(json_array_size(json_array_get(json_object_get(record, "step"), 0)), most);
    assert_true(least < most); /* they end at different steps */
    json_decref(all);
}

static void write_npy(const char *name, const double *x, int m, int n, int d)
{
    FILE *file = fopen(scratch(name), "wb");
    char header[128];

    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    int length =
        snprintf(header + 10, 118,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d, %d), }", m, n, d);
    header[10 + length] = ' ';
    header[127] = '\n';
    assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
    assert_int_equal(fwrite(x, sizeof *x, (size_t)(m * n * d), file), m * n * d);
    fclose(file);
}

/* Each start as a file of its own gives the same. */
static void copies_start_from_tokens_of_rank_3(void **state)
{
    (void)state;
    enum { M = 9, N = 5, D = 2 };
    double x[M * N * D];
    char line[300];

    for (int k = 0; k < M * N * D; k++) {
        x[k] = sin(1.0 + 37 * k);
    }
    write_npy("all.npy", x, M, N, D);
    const char *rule = "flow --rule localmax --epsilon 0.4 --steps 20 --json --record diameter ";
    snprintf(line, sizeof line, "%s--tokens all.npy --out s.h5", rule);
    json_t *all = object_of(line, 0);
    assert_int_equal(json_integer_value(json_object_get(all, "copies")), M);
    for (size_t k = 0; k < M; k++) {
        write_npy("one.npy", x + k * N * D, 1, N, D);
        snprintf(line, sizeof line, "%s--tokens one.npy --copies 1", rule);
        json_t *one = object_of(line, 0);
        assert_true(json_equal(json_array_get(json_object_get(all, "tokens"), k),
                               json_array_get(json_object_get(one, "tokens"), 0)));
        json_decref(one);
        FILE *file = fopen(scratch("one.csv"), "w");
        for (int i = 0; i < N; i++) {
            fprintf(file, "%.17g,%.17g\n", x[k * N * D + (size_t)(2 * i)],
                    x[k * N * D + (size_t)(2 * i + 1)]);
        }
        fclose(file);
        snprintf(line, sizeof line, "%s--tokens one.csv", rule);
        one = object_of(line, 0);
        assert_true(json_equal(json_array_get(json_object_get(all, "tokens"), k),
                               json_object_get(one, "tokens")));
        assert_true(json_equal(
            json_array_get(json_object_get(json_object_get(all, "record"), "diameter"), k),
            json_object_get(json_object_get(one, "record"), "diameter")));
        json_decref(one);
    }
    json_decref(all);
    all = object_of("flow --tokens all.npy --gammas 0.5,1 --steps 3 --json", 0);
    assert_int_equal(json_integer_value(json_object_get(all, "copies")), 2 * M);
    json_decref(all);
    static const char *const rows[][2] = {
        { "flow --tokens all.npy --copies 3", "copies = 3: but all.npy has copies = 9" },
        { "flow --tokens all.npy --n 3", "n = 3: but all.npy has n = 5" },
        { "flow --tokens all.npy --checkpoint 3 --out c.h5", "checkpoint: " },
        { "flow --tokens one.csv --gammas 0.5", "gammas: needs copies" },
        { "cells --tokens all.npy", "must be n x d with" },
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (tropism(rows[k][0]) == 0 || !strstr(answer.err, rows[k][1])) {
            fail_with_answer(rows[k][0], rows[k][1]);
        }
    }
}

static void a_time_limit_leaves_what_is_done(void **state)
{
    (void)state;
    json_t *part = object_of("flow --n 64 --copies 1000000 --steps 1000000 --time-limit 0.05 "
                             "--json",
                             1);

    assert_true(json_integer_value(json_object_get(part, "copies")) < 1000000);
    assert_int_equal(json_integer_value(json_object_get(part, "asked")), 1000000);
    assert_non_null(strstr(answer.err, "by the time limit"));
    json_decref(part);
}

static void what_is_for_one_flow_is_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        { "flow --copies 3 --record tokens", "record = tokens: is for one flow" },
        { "flow --copies 3 --record residul", "did you mean residual?" },
        { "flow --copies 2 --rule hardmax --epsilons 1,2",
          "epsilons: rule = hardmax does not use epsilon" },
        { "flow --epsilons 1,2", "epsilons: applies with copies" },
        { "flow --copies 2 --gammas 0.5,2", "gamma = 2: must be above 0 and at most 1" },
        { "flow --copies 2 --gammas 0.5 --alphas 1", "alphas and gammas: give one of them" },
        { "flow --copies 2 --gammas 0.5 --alpha 1", "gamma and alpha: give one of them" },
        { "flow --copies 2 --alphas 1,2 --alpha 1", "alpha and alphas: give one of them" },
        { "flow --copies 3 --checkpoint 10 --out a.h5",
          "checkpoint: applies with out and without copies" },
        { "flow --betas 1,2", "betas: applies with copies" },
        { "flow --copies 2 --betas 1,2 --beta 3", "beta and betas: give one of them" },
        { "flow --copies 2 --betas 2:1", "a range must go upwards" },
        { "flow --copies -1", "copies" },
        { "flow --copies 2 --out a.txt", "a.txt" },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (tropism(rows[k][0]) != 2 || !strstr(answer.err, rows[k][1])) {
            fail_with_answer(rows[k][0], rows[k][1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_copy_is_what_flow_prints_for_its_seed),
        cmocka_unit_test(betas_and_files),
        cmocka_unit_test(a_table_has_the_columns_of_its_rule),
        cmocka_unit_test(copies_that_are_the_same_are_told),
        cmocka_unit_test(lists_are_a_product),
        cmocka_unit_test(records_of_copies_are_those_of_flows),
        cmocka_unit_test(copies_start_from_tokens_of_rank_3),
        cmocka_unit_test(a_time_limit_leaves_what_is_done),
        cmocka_unit_test(what_is_for_one_flow_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
