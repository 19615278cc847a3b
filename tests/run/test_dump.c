/* test_dump.c -- exact problems and weights in files. */
#include "margin_support.h"

#include <unistd.h>

#include "alloc_failing.c"
#include "io/h5/h5.h"
#include "run/dump.h"
#include "run/weights_file.h"
#include "scratch.h"

static void assert_says(enum trop_status status, enum trop_status expected, const char *words)
{
    if (status != expected || !strstr(trop_error(), words)) {
        fail_msg("status %d, \"%s\" is not in: %s", (int)status, words, trop_error());
    }
}

static void write_text(const char *path, const char *text)
{
    scratch_fill(path, text, strlen(text));
}

/* W, p or v of a file, as margin takes a direction. */
static enum trop_status read_direction(double **out, const char *path, int64_t part, int64_t rows,
                                       int64_t columns)
{
    struct trop_weights_file file = { 0 };
    enum trop_status status = trop_weights_file_read(&file, path);

    trop_weights_file_name(&file, part);
    if (status == TROP_OK) {
        status = trop_weights_file_take(out, &file, path, part, rows, columns);
    }
    trop_weights_file_free(&file);
    return status;
}

/* ---- problems ---------------------------------------------------------------------------- */

static void same_problem(const struct trop_problem *a, const struct trop_problem *b)
{
    size_t count = (size_t)a->count;

    assert_true(a->rows == b->rows && a->columns == b->columns && a->points == b->points);
    assert_true(a->queries == b->queries && a->count == b->count);
    assert_memory_equal(a->point, b->point, (size_t)(a->points * a->rows) * 8);
    assert_memory_equal(a->query, b->query, (size_t)(a->queries * a->columns) * 8);
    assert_memory_equal(a->right, b->right, count * 8);
    assert_memory_equal(a->plus, b->plus, count * 8);
    assert_memory_equal(a->minus, b->minus, count * 8);
    assert_memory_equal(a->asked, b->asked, count * 8);
    assert_memory_equal(a->equal, b->equal, count * 8);
    assert_memory_equal(a->input, b->input, count * 8);
    assert_memory_equal(a->token, b->token, count * 8);
}

/* Normal points, the origin, equalities with any right side, rows with right side 0, and numbers at
 * the edges of double. */
static void make_problem(struct sample *s, uint64_t seed)
{
    sample_cross(s, 3, 4, 5, seed);
    s->minus[0] = -1;
    s->equal[1] = 1;
    s->right[1] = normal(seed, 900);
    s->right[2] = 0.0;
    s->point[3] = 0x1p-1074;
    s->point[4] = -0.0;
    s->query[1] = 1.0 / 3;
    sample_tie(s);
}

static void problems_survive_both_formats_bit_by_bit(void **state)
{
    static const char *const names[] = { "d.json", "d.h5" };

    (void)state;
    for (int64_t k = 0; k < cases(4, 200); k++) {
        struct sample s;
        char path[256];
        double p = 1.0 + uniform(3, (uint64_t)k);
        make_problem(&s, (uint64_t)k);
        for (int f = 0; f < 2; f++) {
            struct trop_dump *dump = NULL;
            snprintf(path, sizeof path, "%s", scratch(names[f]));
            assert_ok(trop_dump_write(path, &s.problem, k % 6, p));
            assert_ok(trop_dump_read(&dump, path));
            same_problem(&s.problem, trop_dump_problem(dump));
            assert_int_equal(trop_dump_norm(dump), k % 6);
            assert_true(trop_dump_p(dump) == p);
            trop_dump_free(dump);
            unlink(path);
        }
        sample_free(&s);
    }
    trop_dump_free(NULL);
}

/* A problem without constraints keeps its sizes; infinity is an exponent as any. */
static void an_empty_problem_survives(void **state)
{
    static const char *const names[] = { "e.json", "e.h5" };
    const double query[] = { 1.0 };
    const struct trop_problem problem = { .rows = 3, .columns = 1, .queries = 1, .query = query };

    (void)state;
    for (int f = 0; f < 2; f++) {
        struct trop_dump *dump = NULL;
        char path[256];
        snprintf(path, sizeof path, "%s", scratch(names[f]));
        assert_ok(trop_dump_write(path, &problem, TROP_MARGIN_LINF, INFINITY));
        assert_ok(trop_dump_read(&dump, path));
        assert_int_equal(trop_dump_problem(dump)->rows, 3);
        assert_int_equal(trop_dump_problem(dump)->count, 0);
        assert_true(trop_dump_p(dump) == INFINITY);
        trop_dump_free(dump);
        unlink(path);
    }
}

/* A dump by hand, with one member changed: the text of the others is as below. */
static const char *const members[][2] = {
    { "format", "\"tropism problem\"" },
    { "layout", "1" },
    { "norm", "\"l2\"" },
    { "p", "2" },
    { "rows", "2" },
    { "columns", "1" },
    { "point", "[[1, 0], [0, 1], [2, 3]]" },
    { "query", "[[1]]" },
    { "right", "[1, 0]" },
    { "plus", "[0, 2]" },
    { "minus", "[1, -1]" },
    { "asked", "[0, 0]" },
    { "equal", "[0, 0]" },
    { "input", "[0, 1]" },
    { "token", "[1, 0]" },
};

static void write_changed(const char *path, const char *key, const char *text)
{
    char out[1024];
    size_t used = (size_t)snprintf(out, sizeof out, "{\"version\": \"0\"");

    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        const char *value = strcmp(members[k][0], key) == 0 ? text : members[k][1];
        if (value) {
            used += (size_t)snprintf(out + used, sizeof out - used, ", \"%s\": %s", members[k][0],
                                     value);
        }
    }
    snprintf(out + used, sizeof out - used, "}");
    write_text(path, out);
}

static void every_wrong_member_is_refused(void **state)
{
    static const struct {
        const char *key, *text, *words;
    } refused[] = {
        { "format", "\"tropism data\"", "format is \"tropism data\": must be \"tropism problem\"" },
        { "format", NULL, "format: is missing" },
        { "layout", "2", "layout is 2: must be 1" },
        { "layout", "[1, 1]", "layout: 2 numbers, must be one" },
        { "layout", "\"1\"", "layout" },
        { "layout", NULL, "layout: is missing" },
        { "norm", "\"l3\"", "l3: unknown norm; did you mean l" },
        { "norm", "2", "norm: must be a text" },
        { "p", "[1, 2]", "p: 2 numbers, must be one" },
        { "p", NULL, "p: is missing" },
        { "rows", "0", "point: must be a table with rows of 0" },
        { "rows", "3", "point: must be a table with rows of 3" },
        { "rows", "1.5", "rows is 1.5: must be a whole number" },
        { "columns", "2", "query: must be a table with rows of 2" },
        { "columns", "[1, 1]", "columns: 2 numbers" },
        { "point", "[[1, 0, 2], [0, 1, 3]]", "point: must be a table with rows of 2" },
        { "point", "[1, 0, 0, 1]", "point: must be a table" },
        { "point", "[[1, 0], [0, \"nan\"], [2, 3]]", "finite" },
        { "query", "[[\"inf\"]]", "finite" },
        { "query", "[]", "asked of constraint 0 is 0" },
        { "right", "[1]", "right: 1 numbers: must be 2, as plus has" },
        { "right", "[1, 2]", "right" },
        { "right", "[1, \"nan\"]", "right" },
        { "plus", "[0, 3]", "plus of constraint 1 is 3" },
        { "plus", "[0, -2]", "plus of constraint 1 is -2" },
        { "minus", "[0, 7]", "minus of constraint 1 is 7" },
        { "minus", "[0, 0.5]", "minus[1] is 0.5: must be a whole number" },
        { "asked", "[1, 0]", "asked of constraint 0 is 1" },
        { "equal", "[0, 2]", "equal of constraint 1 is 2" },
        { "input", "[-1, 0]", "input of constraint 0 is -1" },
        { "token", "[0, -1]", "token of constraint 1 is -1" },
        { "token", "[0]", "token: 1 numbers" },
        { "token", "[0, 0], \"tokn\": 1", "tokn: unknown key; did you mean token?" },
    };
    struct trop_dump *dump = NULL;
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("m.json"));
    write_changed(path, "", NULL);
    assert_ok(trop_dump_read(&dump, path));
    assert_int_equal(trop_dump_problem(dump)->points, 3);
    trop_dump_free(dump);
    dump = NULL;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        write_changed(path, refused[k].key, refused[k].text);
        assert_says(trop_dump_read(&dump, path), TROP_ERR_IO, refused[k].words);
        assert_non_null(strstr(trop_error(), "m.json"));
        assert_null(dump);
    }
    unlink(path);
    assert_says(trop_dump_read(&dump, path), TROP_ERR_IO, "No such file");
    assert_says(trop_dump_read(&dump, "a.npy"), TROP_ERR_ARG, "a.npy: a problem is a file");
}

/* In HDF5 the layout is an attribute: one integer. */
static void another_layout_is_refused_in_hdf5(void **state)
{
    static const struct {
        struct trop_value value;
        const char *words;
    } layouts[] = {
        { { .kind = TROP_KIND_NULL }, "layout: is missing" },
        { { .kind = TROP_KIND_INTEGER, .integer = 2 }, "layout is 2: must be 1" },
        { { .kind = TROP_KIND_NUMBER, .number = 1 }, "layout: is not an integer" },
        { { .kind = TROP_KIND_INTEGER, .integer = 1 }, "norm" }, /* the next that is missing */
    };
    const struct trop_value format = { .kind = TROP_KIND_TEXT, .text = "tropism problem" };
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("layout.h5"));
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
        struct trop_dump *dump = NULL;
        struct trop_h5 *h5 = NULL;
        assert_ok(trop_h5_create(&h5, path));
        assert_ok(trop_h5_attribute(h5, "/", "format", &format));
        if (layouts[k].value.kind != TROP_KIND_NULL) {
            assert_ok(trop_h5_attribute(h5, "/", "layout", &layouts[k].value));
        }
        assert_ok(trop_h5_close(h5));
        assert_says(trop_dump_read(&dump, path), TROP_ERR_IO, layouts[k].words);
        unlink(path);
    }
}

static void a_dump_is_written_whole_or_refused(void **state)
{
    struct sample s;

    (void)state;
    make_problem(&s, 1);
    assert_says(trop_dump_write("a.csv", &s.problem, 0, 2), TROP_ERR_ARG, "a.csv");
    assert_says(trop_dump_write(scratch("a.json"), &s.problem, 6, 2), TROP_ERR_ARG, "norm = 6");
    assert_says(trop_dump_write(scratch("no/a.json"), &s.problem, 0, 2), TROP_ERR_IO, "no/a.json");
    assert_says(trop_dump_write(scratch("no/a.h5"), &s.problem, 0, 2), TROP_ERR_IO, "no/a.h5");
    assert_int_equal(scratch_count(), 0);
    sample_free(&s);
}

static void dumps_cut_at_any_byte_are_refused(void **state)
{
    static const char *const names[] = { "c.json", "c.h5" };
    static char bytes[1 << 17];
    struct sample s;

    (void)state;
    make_problem(&s, 2);
    for (int f = 0; f < 2; f++) {
        struct trop_dump *dump = NULL;
        char path[256];
        snprintf(path, sizeof path, "%s", scratch(names[f]));
        assert_ok(trop_dump_write(path, &s.problem, 0, 2.0));
        FILE *file = fopen(path, "rb");
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        /* JSON does without the end of its line, HDF5 without the zeros that fill the file up. */
        size_t needed = f == 0 ? size - 1 : 4096, step = f == 0 ? 1 : (size_t)cases(7, 1);
        for (size_t cut = needed - 1; cut < needed; cut -= step) { /* until it wraps below 0 */
            assert_int_equal(truncate(path, (off_t)cut), 0);
            assert_int_equal(trop_dump_read(&dump, path), TROP_ERR_IO);
        }
        unlink(path);
    }
    sample_free(&s);
}

/* ---- weights -------------------------------------------------------------------------------- */

static void directions_have_the_shape_that_is_asked_for(void **state)
{
    static const struct {
        const char *text;
        int64_t part, rows, columns;
        double first, last;
    } read[] = {
        { "{\"p\": [1.5, 2, 3]}", TROP_WEIGHTS_P, 3, 1, 1.5, 3 },
        { "{\"p\": [1, 2], \"v\": [7, 8]}", TROP_WEIGHTS_V, 2, 1, 7, 8 },
        { "{\"W\": [[1, 2, 3], [4, 5, 6]]}", TROP_WEIGHTS_W, 2, 3, 1, 6 },
        { "{\"W\": [[1], [2]]}", TROP_WEIGHTS_W, 2, 1, 1, 2 },
        { "{\"K\": [[1, 2], [3, 4]], \"Q\": [[5, 6], [7, 8], [9, 10]]}", TROP_WEIGHTS_W, 2, 3, 17,
          67 },
        { "{\"K\": [1, 2], \"Q\": [3, 4]}", TROP_WEIGHTS_W, 2, 2, 3, 8 },
    };
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("w.json"));
    for (size_t k = 0; k < sizeof read / sizeof *read; k++) {
        double *w = NULL;
        write_text(path, read[k].text);
        assert_ok(read_direction(&w, path, read[k].part, read[k].rows, read[k].columns));
        assert_true(w[0] == read[k].first);
        assert_true(w[read[k].rows * read[k].columns - 1] == read[k].last);
        trop_alloc_free(w);
    }
    unlink(path);
}

static void wrong_weights_are_refused(void **state)
{
    static const struct {
        const char *text;
        int64_t part, rows, columns;
        const char *words;
    } refused[] = {
        { "{\"W\": [[1, 2]]}", TROP_WEIGHTS_P, 2, 1, "p: is missing" },
        { "{\"p\": [1, 2]}", TROP_WEIGHTS_P, 3, 1, "p is 2: must be 3 numbers" },
        { "{\"p\": 1}", TROP_WEIGHTS_P, 1, 1, "p is one number: must be 1 numbers" },
        { "{\"W\": [[1, 2]]}", TROP_WEIGHTS_W, 3, 1, "W is 1 x 2: must be 3 numbers" },
        { "{\"W\": [[1, 2]]}", TROP_WEIGHTS_W, 2, 2, "W is 1 x 2: must be 2 x 2" },
        { "{\"W\": [1, 2]}", TROP_WEIGHTS_W, 2, 2, "W is 2: must be 2 x 2" },
        { "{\"W\": [[1, \"nan\"]]}", TROP_WEIGHTS_W, 1, 2, "W: number 1 of it (from 0) is not" },
        { "{\"K\": [[1, 2]]}", TROP_WEIGHTS_W, 1, 1, "Q: is missing" },
        { "{\"Q\": [[1, 2]]}", TROP_WEIGHTS_W, 1, 1, "K: is missing" },
        { "{\"K\": [[1, 2]], \"Q\": [[1, 2, 3]]}", TROP_WEIGHTS_W, 1, 1, "Q is 1 x 3" },
        { "{\"w\": [[1]]}", TROP_WEIGHTS_W, 1, 1, "w: unknown key; did you mean W?" },
        { "{", TROP_WEIGHTS_W, 1, 1, "line 1" },
    };
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("w.json"));
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        double *w = NULL;
        write_text(path, refused[k].text);
        assert_says(read_direction(&w, path, refused[k].part, refused[k].rows, refused[k].columns),
                    TROP_ERR_IO, refused[k].words);
        assert_null(w);
    }
    /* A vector may be a row, as a line of a table is. */
    double *row = NULL;
    write_text(path, "{\"p\": [[1, 2]]}");
    assert_int_equal(read_direction(&row, path, TROP_WEIGHTS_P, 2, 1), TROP_OK);
    assert_true(row[0] == 1 && row[1] == 2);
    trop_alloc_free(row);
    unlink(path);
}

static void selected_sets_become_weights(void **state)
{
    static const double shared[] = { 0.5, 0.5, 0, 0, 0, 1 };
    static const double given[] = { 0.75, 0, 0.25, 0, 2, 0 };
    double *weights = NULL;
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("s.json"));
    write_text(path, "{\"sets\": [[1, 0], [2]]}");
    assert_ok(trop_weights_file_equal(&weights, path, 2, 3));
    assert_memory_equal(weights, shared, sizeof shared);
    trop_alloc_free(weights);
    write_text(path, "{\"weights\": [[0.75, 0, 0.25], [0, 2, 0]]}");
    assert_ok(trop_weights_file_equal(&weights, path, 2, 3));
    assert_memory_equal(weights, given, sizeof given);
    trop_alloc_free(weights);
    unlink(path);
}

static void wrong_sets_are_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } refused[] = {
        { "{}", "must have one of sets and weights" },
        { "{\"sets\": [[0], [1]], \"weights\": [[1, 0, 0], [1, 0, 0]]}", "must have one of" },
        { "{\"sets\": [[0]]}", "sets: 1 lists: must be 2, one for each input" },
        { "{\"sets\": [[0], []]}", "sets[1]: selects no token" },
        { "{\"sets\": [[0], [3]]}", "sets[1][0] is 3: must be from 0 to 2" },
        { "{\"sets\": [[0], [-1]]}", "sets[1][0] is -1" },
        { "{\"sets\": [[0], [1, 2, 1]]}", "sets[1]: has token 1 twice" },
        { "{\"sets\": [[0], 1]}", "sets[1] is a number" },
        { "{\"weights\": [[1, 0], [0, 1]]}", "weights: must be 2 x 3" },
        { "{\"weights\": [[1, 0, 0], [0, 0, 0]]}", "weights[1]: selects no token" },
        { "{\"weights\": [[1, 0, 0], [0, -1, 0]]}", "weights[1][1] is -1" },
        { "{\"weights\": [[1, 0, 0], [0, \"nan\", 0]]}", "not finite" },
        { "{\"set\": [[0], [1]]}", "set: unknown key; did you mean sets?" },
    };
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("s.json"));
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        double *weights = NULL;
        write_text(path, refused[k].text);
        assert_says(trop_weights_file_equal(&weights, path, 2, 3), TROP_ERR_IO, refused[k].words);
        assert_null(weights);
    }
    unlink(path);
}

/* ---- memory -------------------------------------------------------------------------------- */

static const char *target;

static enum trop_status dumped(void)
{
    const double point[] = { 1, 2 }, query[] = { 1 }, right[] = { 1 };
    const int64_t zero[] = { 0 }, origin[] = { -1 };
    const struct trop_problem problem = { 2,    1,      1,    1,    1,     point, query,
                                          zero, origin, zero, zero, right, zero,  zero };
    struct trop_dump *dump = NULL;
    enum trop_status status = trop_dump_write(target, &problem, 0, 2.0);

    if (status == TROP_OK) {
        status = trop_dump_read(&dump, target);
    }
    trop_dump_free(dump);
    unlink(target);
    return status;
}

static enum trop_status weighed(void)
{
    double *w = NULL, *weights = NULL;
    enum trop_status status = read_direction(&w, target, TROP_WEIGHTS_W, 1, 2);

    trop_alloc_free(w);
    if (status == TROP_OK) {
        write_text(target, "{\"sets\": [[0, 1]]}");
        status = trop_weights_file_equal(&weights, target, 1, 2);
        write_text(target, "{\"K\": [[1, 2]], \"Q\": [[1, 2], [3, 4]]}");
        trop_alloc_free(weights);
    }
    return status;
}

static void no_memory_is_told(void **state)
{
    char path[256];

    (void)state;
    target = path;
    snprintf(path, sizeof path, "%s", scratch("a.json"));
    alloc_refuse_each(dumped);
    snprintf(path, sizeof path, "%s", scratch("a.h5"));
    alloc_refuse_each(dumped);
    snprintf(path, sizeof path, "%s", scratch("w.json"));
    write_text(path, "{\"K\": [[1, 2]], \"Q\": [[1, 2], [3, 4]]}");
    alloc_refuse_each(weighed);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_survive_both_formats_bit_by_bit),
        cmocka_unit_test(an_empty_problem_survives),
        cmocka_unit_test(every_wrong_member_is_refused),
        cmocka_unit_test(another_layout_is_refused_in_hdf5),
        cmocka_unit_test(a_dump_is_written_whole_or_refused),
        cmocka_unit_test(dumps_cut_at_any_byte_are_refused),
        cmocka_unit_test(directions_have_the_shape_that_is_asked_for),
        cmocka_unit_test(wrong_weights_are_refused),
        cmocka_unit_test(selected_sets_become_weights),
        cmocka_unit_test(wrong_sets_are_refused),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
