/* test_cells_cli.c -- the verb cells, from outside: clouds whose answers are known by hand.
 *
 * The square (1,1), (-1,1), (-1,-1), (1,-1) with its centre, B = I: a vertex scores 2 at
 * itself, 0 at its neighbours, -2 across, so every vertex owns its cell with margin 2, the
 * cells are the quarters of the square, c0 = min <v_i, v_i - v_j> = 2; the centre scores 0
 * everywhere. With B = -1 every vertex goes to the one across, and cell i is the quarter
 * across from v_i. The triangle of the third roots of unity: scores 1 and cos 120 = -1/2,
 * margins and c0 3/2, hull of area 3 sqrt(3)/4, width 3/2, diameter sqrt(3).
 *
 * TROP_BUILD is the folder of the program. */
#include "cli_support.h"
#include "io/h5/h5.h"

static const double square[] = { 1, 1, -1, 1, -1, -1, 1, -1, 0, 0 };

static int make_files(void **state)
{
    struct trop_value tokens = {
        .kind = TROP_KIND_NUMBERS,
        .numbers = square,
        .rank = 2,
        .shape = { 5, 2 },
    };
    struct trop_h5 *h5 = NULL;
    (void)state;
    put("square.csv", "x,y\n1,1\n-1,1\n-1,-1\n1,-1\n0,0\n");
    put("corners.csv", "1,1\n-1,1\n-1,-1\n1,-1\n");
    put("far.csv", "3,1\n3,-1\n5,0\n");
    put("huge.csv", "1e300,0\n-1e300,0\n0,1e300\n");
    put("tiny.csv", "1e-300,0\n-1e-300,0\n0,1e-300\n");
    put("line.csv", "1,1\n2,2\n3,3\n");
    put("query.csv", "0.5,0.25\n0,1\n-3,-1\n");
    put("shear.csv", "1,1\n0,1\n");
    put("square.yaml", "tokens: square.csv\nkey_query: -1\n");
    put("drawn.yaml", "init: polygon\nn: 7\n");
    put_npy("square.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 2), }\n", square,
            sizeof square);
    assert_int_equal(trop_h5_create(&h5, scratch("square.h5")), TROP_OK);
    assert_int_equal(trop_h5_put(h5, "/cloud/tokens", &tokens), TROP_OK);
    return trop_h5_close(h5) != TROP_OK;
}

/* ---- reading an answer -------------------------------------------------------------------- */

static double number_in(const json_t *object, const char *name, size_t k)
{
    return json_number_value(json_array_get(json_object_get(object, name), k));
}

static void assert_integers(const json_t *object, const char *name, size_t count,
                            const int64_t *expected)
{
    const json_t *list = json_object_get(object, name);

    if (json_array_size(list) != count) {
        fail_msg("%s has %zu entries, must have %zu", name, json_array_size(list), count);
    }
    for (size_t k = 0; k < count; k++) {
        const json_t *entry = json_array_get(list, k);
        int64_t found = json_is_boolean(entry) ? json_is_true(entry) : json_integer_value(entry);
        if (!(json_is_boolean(entry) || json_is_integer(entry)) || found != expected[k]) {
            fail_msg("%s[%zu] is %lld, must be %lld", name, k, (long long)found,
                     (long long)expected[k]);
        }
    }
}

#define assert_list(object, name, ...) \
    assert_integers(object, name, sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), \
                    (int64_t[]){ __VA_ARGS__ })

static int is_true(const json_t *object, const char *name)
{
    const json_t *member = json_object_get(object, name);

    if (!json_is_boolean(member)) {
        fail_msg("%s is not true or false", name);
    }
    return json_is_true(member);
}

/* The polygon goes round counterclockwise, encloses its area and has the corner (x, y). */
static void check_polygon(const json_t *cell, double area, double x, double y)
{
    const json_t *polygon = json_object_get(cell, "polygon");
    size_t count = json_array_size(polygon);
    double twice = 0;
    int found = 0;

    for (size_t k = 0; k < count; k++) {
        const json_t *a = json_array_get(polygon, k), *b = json_array_get(polygon, (k + 1) % count);
        double ax = json_number_value(json_array_get(a, 0));
        double ay = json_number_value(json_array_get(a, 1));
        double bx = json_number_value(json_array_get(b, 0));
        double by = json_number_value(json_array_get(b, 1));
        twice += ax * by - bx * ay;
        found |= fabs(ax - x) < 1e-15 && fabs(ay - y) < 1e-15;
    }
    /* A few products of numbers about 1. */
    assert_true(fabs(twice / 2 - area) < 1e-14);
    assert_true(fabs(number_of(cell, "area") - area) < 1e-14);
    assert_true(found);
}

/* ---- known clouds ------------------------------------------------------------------------- */

static void a_square_has_four_quarters(void **state)
{
    (void)state;
    json_t *object = object_of("cells --tokens square.csv --json", 0);
    assert_list(object, "vertices", 0, 1, 2, 3);
    assert_list(object, "owns_cell", 1, 1, 1, 1);
    assert_list(object, "labels", 0, 1, 2, 3, -1);
    for (size_t i = 0; i < 5; i++) {
        assert_true(number_in(object, "margins", i) == (i < 4 ? 2 : 0));
    }
    assert_false(is_true(object, "generic")); /* the centre is on every wall */
    assert_true(is_true(object, "voronoi"));
    assert_true(is_true(object, "contains_origin"));
    assert_true(number_of(object, "c0") == 2);
    assert_int_equal(json_integer_value(json_object_get(object, "dimension")), 2);
    const json_t *cells = json_object_get(object, "cells");
    assert_int_equal(json_array_size(cells), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *cell = json_array_get(cells, i);
        assert_int_equal(json_integer_value(json_object_get(cell, "vertex")), i);
        check_polygon(cell, 1, square[2 * i], square[2 * i + 1]);
    }
    json_decref(object);
    json_t *corners = object_of("cells --tokens corners.csv --json", 0);
    assert_true(is_true(corners, "generic"));
    json_decref(corners);
}

static void a_triangle_has_three_thirds(void **state)
{
    (void)state;
    json_t *object = object_of("cells --init polygon --n 3 --json", 0);
    assert_list(object, "labels", 0, 1, 2);
    assert_list(object, "owns_cell", 1, 1, 1);
    assert_true(is_true(object, "generic") && is_true(object, "voronoi"));
    /* Coordinates are within an ulp of those of the true triangle. */
    assert_true(fabs(number_of(object, "c0") - 1.5) < 1e-15);
    assert_true(fabs(number_in(object, "margins", 1) - 1.5) < 1e-15);
    assert_true(fabs(number_of(object, "diameter") - sqrt(3)) < 1e-15);
    assert_true(fabs(number_of(object, "width") - 1.5) < 1e-15);
    assert_true(fabs(number_of(object, "volume") - 3 * sqrt(3) / 4) < 1e-15);
    for (size_t i = 0; i < 3; i++) {
        check_polygon(json_array_get(json_object_get(object, "cells"), i), sqrt(3) / 4,
                      number_at(object, "tokens", i, 0), number_at(object, "tokens", i, 1));
    }
    json_decref(object);
}

static void repulsion_sends_every_vertex_across(void **state)
{
    (void)state;
    json_t *object = object_of("cells --tokens square.csv --key-query -1 --json", 0);
    assert_list(object, "vertices", 0, 1, 2, 3);
    assert_list(object, "owns_cell", 0, 0, 0, 0);
    assert_list(object, "labels", 2, 3, 0, 1, -1);
    assert_true(number_in(object, "margins", 0) == 2);
    assert_false(is_true(object, "generic"));
    assert_true(json_is_string(json_object_get(object, "obstacle")));
    for (size_t i = 0; i < 4; i++) {
        const json_t *cell = json_array_get(json_object_get(object, "cells"), i);
        check_polygon(cell, 1, -square[2 * i], -square[2 * i + 1]);
    }
    json_decref(object);
}

/* (3,1), (3,-1), (5,0): everything is drawn to the vertex (5,0), and 0 is 3 away. The
 * scores of (5,0) with itself and the others are 25, 15, 15; of (3,1) with (5,0), (3,1)
 * and (3,-1) 15, 10, 8. */
static void a_far_cloud_has_one_owner_and_a_separating_direction(void **state)
{
    (void)state;
    json_t *object = object_of("cells --tokens far.csv --json", 0);
    assert_list(object, "vertices", 0, 1, 2);
    assert_list(object, "owns_cell", 0, 0, 1);
    assert_list(object, "labels", 2, 2, 2);
    assert_true(number_in(object, "margins", 0) == 5 && number_in(object, "margins", 2) == 10);
    assert_false(is_true(object, "contains_origin"));
    assert_false(is_true(object, "voronoi"));
    assert_true(number_of(object, "c0") == -5);
    const json_t *origin = json_object_get(object, "origin");
    assert_true(fabs(number_of(origin, "distance") - 3) < 1e-14);
    assert_true(number_of(origin, "lower") <= 3 && number_of(origin, "lower") > 2.99);
    json_decref(object);
}

static void a_flat_cloud_is_described_in_its_own_dimension(void **state)
{
    (void)state;
    json_t *object = object_of("cells --tokens line.csv --json", 0);
    assert_int_equal(json_integer_value(json_object_get(object, "dimension")), 1);
    assert_list(object, "vertices", 0, 2);
    assert_list(object, "labels", 2, 2, 2);
    json_decref(object);
    json_t *one = object_of("cells --n 1 --d 3 --json", 0);
    assert_int_equal(json_integer_value(json_object_get(one, "dimension")), 0);
    assert_list(one, "vertices", 0);
    assert_list(one, "labels", 0);
    assert_string_equal(json_string_value(json_array_get(json_object_get(one, "margins"), 0)),
                        "inf"); /* there is no second vertex */
    json_decref(one);
}

/* ---- input and output --------------------------------------------------------------------- */

static void tokens_of_three_formats_and_a_yaml_file_are_the_same(void **state)
{
    static const char *const lines[] = {
        "cells --tokens square.npy --key-query -1 --json",
        "cells --tokens square.h5:/cloud/tokens --key-query -1 --json",
        "cells --from square.yaml --json",
        "cells --from drawn.yaml --tokens square.csv --key-query -1 --json",
        "cells --tokens square.csv --key-query -1 --threads 3 --n 5 --d 2 --json",
    };
    static char first[20000], next[20000];
    (void)state;
    print_result(first, sizeof first, "cells --tokens square.csv --key-query -1 --json");
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        print_result(next, sizeof next, lines[k]);
        assert_string_equal(first, next);
    }
}

/* (0.5, 0.25) scores .75 at (1,1) and .25 at (1,-1); (0,1) 1 at two vertices; (-3,-1) 4
 * at (-1,-1) and 2 at (-1,1), outside the square. */
static void queries_are_labelled(void **state)
{
    (void)state;
    json_t *object = object_of("cells --tokens square.csv --query query.csv --json", 0);
    assert_list(object, "query_labels", 0, -1, 2);
    assert_true(number_in(object, "query_margins", 0) == .5);
    assert_true(number_in(object, "query_margins", 1) == 0);
    assert_true(number_in(object, "query_margins", 2) == 2);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(object, "query_inside"), 0)),
                     1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(object, "query_inside"), 2)),
                     -1);
    json_decref(object);
    assert_int_equal(tropism("cells --tokens square.csv --query query.csv"), 0);
    assert_non_null(strstr(answer.out, "3: 1 on walls, 1 outside"));
}

/* B = (1 1; 0 1): (1,1) becomes (2,1), with scores 3, -1, -3, 1; (-1,1) becomes (0,1), with
 * scores 1, 1, -1, -1: a wall. */
static void a_matrix_comes_from_a_file(void **state)
{
    (void)state;
    json_t *object = object_of("cells --tokens corners.csv --key-query shear.csv --json", 0);
    assert_true(number_in(object, "margins", 0) == 2);
    assert_list(object, "labels", 0, -1, 2, -1);
    assert_list(object, "owns_cell", 1, 0, 1, 0);
    assert_false(is_true(object, "voronoi"));
    json_decref(object);
}

/* The cell of (1,1) is [0,1]^2; <x, v_i - v_j> >= 1 leaves [1/2,1]^2 of it, for 2 x and
 * 2 y must be at least 1, and then 2 (x + y) is; eroded by 1/8 it is a square of side 1/4. */
static void cones_shrink_and_erode(void **state)
{
    (void)state;
    json_t *object = object_of("cells --tokens square.csv --eta 1 --erode 0.125 --json", 0);
    assert_list(object, "dominance", 0, 1, 2, 3, -1);
    assert_list(object, "eroded", -1, -1, -1, -1, -1); /* the vertices are on the boundary */
    const json_t *cell = json_array_get(json_object_get(object, "cells"), 0);
    assert_true(fabs(number_of(cell, "dominance_area") - .25) < 1e-15);
    assert_true(fabs(number_of(cell, "eroded_area") - .0625) < 1e-15);
    json_decref(object);
}

static void json_has_everything_and_tokens_when_few_or_asked_for(void **state)
{
    static const char *const members[] = {
        "vertices",        "owns_cell", "labels", "margins", "generic", "voronoi", "c0",
        "contains_origin", "dimension", "cells",  "version", "seed",    "seconds",
    };
    (void)state;
    json_t *object = object_of("cells --n 12 --seed 18446744073709551615 --json", 0);
    for (size_t k = 0; k < sizeof members / sizeof members[0]; k++) {
        if (!json_object_get(object, members[k])) {
            fail_msg("no member %s", members[k]);
        }
    }
    assert_string_equal(json_string_value(json_object_get(object, "seed")), "18446744073709551615");
    json_decref(object);
    json_t *few = object_of("cells --n 1000 --json", 0);
    assert_int_equal(json_array_size(json_object_get(few, "tokens")), 1000);
    json_decref(few);
    json_t *many = object_of("cells --n 5001 --json", 0);
    assert_null(json_object_get(many, "tokens"));
    assert_int_equal(json_array_size(json_object_get(many, "labels")), 5001);
    json_decref(many);
    json_t *asked = object_of("cells --n 5001 --json --print-tokens", 0);
    assert_int_equal(json_array_size(json_object_get(asked, "tokens")), 5001);
    json_decref(asked);
}

static void results_go_to_files(void **state)
{
    static char printed[20000], written[20000];
    struct trop_array array = { 0 };
    struct trop_h5 *h5 = NULL;
    char *text = NULL;
    (void)state;
    print_result(printed, sizeof printed, "cells --tokens square.csv --json --out x.json");
    read_text(written, sizeof written, scratch("x.json"));
    assert_int_equal(written[strlen(written) - 1], '\n');
    *strstr(written, "\"seconds\"") = '\0';
    assert_string_equal(printed, written);
    assert_int_equal(tropism("cells --tokens square.csv --query query.csv --out x.h5"), 0);
    assert_non_null(strstr(answer.out, "x.h5"));
    assert_int_equal(trop_h5_open(&h5, scratch("x.h5")), TROP_OK);
    assert_int_equal(trop_h5_text(&text, h5, "/", "format"), TROP_OK);
    assert_string_equal(text, "tropism cells");
    trop_alloc_free(text);
    assert_int_equal(trop_h5_text(&text, h5, "/options", "key_query"), TROP_OK);
    assert_string_equal(text, "identity");
    trop_alloc_free(text);
    assert_int_equal(trop_h5_numbers(&array, h5, "/input/tokens"), TROP_OK);
    assert_memory_equal(array.data, square, sizeof square);
    trop_array_free(&array);
    assert_int_equal(trop_h5_numbers(&array, h5, "/input/query"), TROP_OK);
    assert_true(array.shape[0] == 3 && array.data[4] == -3);
    trop_array_free(&array);
    assert_int_equal(trop_h5_numbers(&array, h5, "/result/labels"), TROP_OK);
    assert_true(array.shape[0] == 5 && array.data[3] == 3 && array.data[4] == -1);
    trop_array_free(&array);
    assert_int_equal(trop_h5_numbers(&array, h5, "/result/cells/area"), TROP_OK);
    assert_true(array.shape[0] == 4 && fabs(array.data[0] - 1) < 1e-15);
    trop_array_free(&array);
    trop_h5_abandon(h5);
    unlink(scratch("x.json"));
    unlink(scratch("x.h5"));
}

static void the_summary_is_in_words(void **state)
{
    static const char *const lines[] = { "tokens       5\n",
                                         "dimension    2\n",
                                         "vertices     4: 0, 1, 2, 3\n",
                                         "own cell     4 of 4 vertices\n",
                                         "generic      no: ",
                                         "voronoi      yes\n",
                                         "origin       in the hull",
                                         "c0           2\n",
                                         "on walls     1 of 5 tokens\n",
                                         "least margin 0\n",
                                         "25.00%" };
    (void)state;
    assert_int_equal(tropism("cells --tokens square.csv"), 0);
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        if (!strstr(answer.out, lines[k])) {
            fail_with_answer("cells --tokens square.csv", lines[k]);
        }
    }
    assert_string_equal(answer.err,
                        "tropism: tokens: square.csv: line 1 has words alone, taken as the "
                        "names of the columns\n");
}

/* ---- the library ---------------------------------------------------------------------------- */

/* Scores of 1e600 and 1e-600: distances are a/sqrt(2) (test_cells.c), norms are equal, and no
 * share of an area is taken that is no number. */
static void clouds_of_any_size_have_walls_and_norms(void **state)
{
    static const struct {
        const char *file;
        double size;
    } clouds[] = { { "huge.csv", 1e300 }, { "tiny.csv", 1e-300 } };
    (void)state;
    for (int k = 0; k < 2; k++) {
        char line[64];
        snprintf(line, sizeof line, "cells --tokens %s --json", clouds[k].file);
        json_t *object = object_of(line, 0);
        assert_true(is_true(object, "voronoi"));
        for (size_t i = 0; i < 3; i++) {
            double wall = number_in(object, "walls", i) / clouds[k].size;
            assert_true(fabs(wall - sqrt(0.5)) < 1e-15);
        }
        json_decref(object);
        snprintf(line, sizeof line, "cells --tokens %s", clouds[k].file);
        assert_int_equal(tropism(line), 0);
        assert_null(strstr(answer.out, "nan"));
    }
}

static void a_setup_serves_its_verb_and_no_other(void **state)
{
    struct trop_setup *setup = NULL;
    char text[32];
    (void)state;
    assert_int_equal(trop_setup_create(&setup, "cels"), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "flow, cells"));
    assert_int_equal(trop_setup_create(&setup, "cells"), TROP_OK);
    assert_null(trop_setup_flow(setup));
    assert_int_equal(trop_setup_set(setup, "gamma", "1"), TROP_ERR_ARG);
    assert_int_equal(trop_setup_set(setup, "eta", "0.25"), TROP_OK);
    assert_int_equal(trop_setup_text(text, sizeof text, setup, "eta"), 4);
    assert_string_equal(text, "0.25");
    assert_true(trop_setup_cells(setup)->eta == .25);
    trop_setup_free(setup);
    assert_int_equal(trop_setup_create(&setup, "flow"), TROP_OK);
    assert_null(trop_setup_cells(setup));
    trop_setup_free(setup);
}

/* Tokens in memory, and the same setup twice. */
static void a_program_gives_arrays(void **state)
{
    struct trop_setup *setup = NULL;
    struct trop_job *study = NULL;
    struct trop_value labels = { 0 };
    (void)state;
    assert_int_equal(trop_setup_create(&setup, "cells"), TROP_OK);
    trop_setup_cells(setup)->cloud.tokens = square;
    trop_setup_cells(setup)->cloud.n = 5;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(trop_setup_set(setup, "query", scratch("query.csv")), TROP_OK);
        assert_int_equal(trop_job_create(&study, setup), TROP_OK);
        assert_int_equal(trop_cells_value(&labels, trop_job_result(study), "query_labels"),
                         TROP_OK);
        assert_int_equal(labels.integers[2], 2);
        assert_null(trop_job_out(study));
        assert_int_equal(trop_job_run(study, NULL, NULL), TROP_OK);
        trop_job_free(study);
    }
    assert_int_equal(trop_setup_set(setup, "tokens", scratch("square.csv")), TROP_OK);
    assert_int_equal(trop_job_create(&study, setup), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "in memory already"));
    trop_setup_free(setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_square_has_four_quarters),
        cmocka_unit_test(a_triangle_has_three_thirds),
        cmocka_unit_test(repulsion_sends_every_vertex_across),
        cmocka_unit_test(a_far_cloud_has_one_owner_and_a_separating_direction),
        cmocka_unit_test(a_flat_cloud_is_described_in_its_own_dimension),
        cmocka_unit_test(tokens_of_three_formats_and_a_yaml_file_are_the_same),
        cmocka_unit_test(queries_are_labelled),
        cmocka_unit_test(a_matrix_comes_from_a_file),
        cmocka_unit_test(cones_shrink_and_erode),
        cmocka_unit_test(json_has_everything_and_tokens_when_few_or_asked_for),
        cmocka_unit_test(results_go_to_files),
        cmocka_unit_test(the_summary_is_in_words),
        cmocka_unit_test(clouds_of_any_size_have_walls_and_norms),
        cmocka_unit_test(a_setup_serves_its_verb_and_no_other),
        cmocka_unit_test(a_program_gives_arrays),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
