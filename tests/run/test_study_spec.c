/* test_study_spec.c -- the file of a study: ranges, lists, points, what is refused, what changed.
 */
#include "support.h"

#include "alloc_failing.c"
#include "run/study/study_log.h"
#include "run/study/spec/study_read.h"

static struct trop_study_spec spec;

static enum trop_status read_text(const char *text)
{
    trop_study_spec_free(&spec);
    return trop_study_spec_read(&spec, text, "s.yaml", NULL);
}

static const char *value_text(int64_t axis, int64_t k, int64_t value)
{
    static char out[4][256];
    static int next;
    char *text = out[next++ % 4];

    trop_study_spec_text(text, 256, &spec, axis, k, value);
    return text;
}

static void refused(const char *text, const char *sentence)
{
    const enum trop_status status = read_text(text);

    assert_true(status == TROP_ERR_ARG || status == TROP_ERR_IO);
    if (!strstr(trop_error(), sentence)) {
        fail_msg("%s: not in '%s'", sentence, trop_error());
    }
}

static void the_example_is_read(void **state)
{
    (void)state;
    assert_ok(read_text("verb: flow\nrule: localmax\nepsilon: 0:1:0.02\nalpha: [0.5, 1, 2]\n"
                        "n: 64\nseed: 1..1000\nuntil: converged\n"
                        "keep: [clusters, converged, steps, diameter, certificate.kind]\n"));
    assert_string_equal(spec.verb, "flow");
    assert_int_equal(spec.axes_count, 3);
    assert_int_equal(spec.count, 51 * 3 * 1000);
    assert_int_equal(spec.fixed_count, 3);
    assert_int_equal(spec.keep_count, 5);
    assert_string_equal(spec.axes[0].names[0], "epsilon");
    assert_string_equal(value_text(0, 0, 7), "0.14");
    assert_string_equal(value_text(0, 0, 50), "1");
    assert_string_equal(value_text(1, 0, 2), "2");
    assert_string_equal(value_text(2, 0, 999), "1000");
    /* The last axis is the fastest. */
    const int64_t point = (7 * 3 + 2) * 1000 + 41;
    assert_int_equal(trop_study_spec_place(&spec, 0, point), 7);
    assert_int_equal(trop_study_spec_place(&spec, 1, point), 2);
    assert_int_equal(trop_study_spec_place(&spec, 2, point), 41);
    for (int k = 0; k < 3; k++) {
        assert_true(spec.axes[k].numeric[0]);
    }
}

/* Value k of a range is the double next to the decimal that a person would write. */
static void ranges_are_decimals(void **state)
{
    static const struct {
        const char *text;
        int64_t count;
        const char *first, *second, *last;
    } ranges[] = {
        { "0:1:0.1", 11, "0", "0.1", "1" },
        { "0:1:0.3", 4, "0", "0.3", "0.9" },
        { "1:0:-0.25", 5, "1", "0.75", "0" },
        { "-1:1:0.5", 5, "-1", "-0.5", "1" },
        { "-0.05:0.05:0.05", 3, "-0.05", "0", "0.05" },
        { "1e-3:3e-3:1e-3", 3, "0.001", "0.002", "0.003" },
        { "10:1e3:10", 100, "10", "20", "1000" },
        { "2:4", 3, "2", "3", "4" },
        { "0.5:2.5", 3, "0.5", "1.5", "2.5" },
        { ".5:1:.25", 3, "0.5", "0.75", "1" },
        { "1e-17:3e-17:1e-17", 3, "0.00000000000000001", "0.00000000000000002",
          "0.00000000000000003" },
    };
    struct trop_study_axis axis;
    char text[64];
    int is;

    (void)state;
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++) {
        axis = (struct trop_study_axis){ 0 };
        assert_ok(trop_study_range_read(&axis, &is, "beta", ranges[k].text));
        assert_true(is);
        assert_int_equal(axis.count, ranges[k].count);
        trop_study_range_text(text, sizeof text, &axis, 0);
        assert_string_equal(text, ranges[k].first);
        trop_study_range_text(text, sizeof text, &axis, 1);
        assert_string_equal(text, ranges[k].second);
        trop_study_range_text(text, sizeof text, &axis, axis.count - 1);
        assert_string_equal(text, ranges[k].last);
    }
    static const char *const none[] = { "",      "1",       "softmax", "geometric:0.5,0.9",
                                        "1:x",   "a..b",    "../x",    "1:2:3:4",
                                        "1:2,3", "1:",      ":1",      "1..",
                                        "..2",   "1..2.5",  "1..2..3", "inf:1",
                                        "0x1:2", "x.h5:/a", "1e:2",    "--1:2",
                                        "1::2",  "1:2:",    "1 : 2",   "nan:1:1" };
    for (size_t k = 0; k < sizeof none / sizeof none[0]; k++) {
        assert_ok(trop_study_range_read(&axis, &is, "beta", none[k]));
        if (is) {
            fail_msg("'%s' is taken for a range", none[k]);
        }
    }
}

static void lists_go_side_by_side(void **state)
{
    (void)state;
    assert_ok(read_text("verb: flow\nseed: 1..3\nn: [8, 16]\nbeta: [1, 2, 3]\nd: 2:3\n"
                        "together: [n, d]\nkeep: clusters\n"));
    assert_int_equal(spec.axes_count, 3);
    assert_int_equal(spec.count, 3 * 2 * 3);
    assert_int_equal(spec.axes[1].width, 2);
    assert_string_equal(spec.axes[1].names[1], "d");
    assert_string_equal(value_text(1, 0, 1), "16");
    assert_string_equal(value_text(1, 1, 1), "3");
    assert_string_equal(spec.axes[2].names[0], "beta");

    assert_ok(read_text("verb: flow\nd: [2, 3]\nseed: 1..2\nbeta: [1, 2]\nn: [8, 16]\n"
                        "together: [[n, d], [seed, beta]]\nkeep: clusters\n"));
    assert_int_equal(spec.axes_count, 2);
    assert_int_equal(spec.count, 4);
    assert_string_equal(spec.axes[0].names[0], "n");
    assert_string_equal(spec.axes[1].names[1], "beta");
    assert_string_equal(value_text(1, 0, 1), "2");
}

static void points_are_a_table(void **state)
{
    const char *text = "verb: flow\npoints: p.csv\nseed: [1, 2]\nkeep: clusters\n";

    (void)state;
    trop_study_spec_free(&spec);
    assert_ok(trop_study_spec_read(&spec, text, "s.yaml",
                                   "n, beta,rule\n8,1,softmax\n16, 2,"
                                   "hardmax\n32,0.5,softmax\n"));
    assert_int_equal(spec.count, 6);
    assert_int_equal(spec.axes[0].width, 3);
    assert_string_equal(value_text(0, 1, 1), "2");
    assert_string_equal(value_text(0, 2, 2), "softmax");
    assert_true(spec.axes[0].numeric[0] && !spec.axes[0].numeric[2]);
    trop_study_spec_free(&spec);
    assert_int_equal(trop_study_spec_read(&spec, text, "s.yaml", "n,betta\n8,1\n"), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "did you mean beta?"));
    assert_int_equal(trop_study_spec_read(&spec, text, "s.yaml", "n,beta\n8,y\n8,x\n"),
                     TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "line 2: beta = y"));
    assert_int_equal(trop_study_spec_read(&spec, text, "s.yaml", "n,beta\n"), TROP_ERR_ARG);
    assert_int_equal(trop_study_spec_read(&spec, text, "s.yaml", "n,out\n8,x.h5\n"), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "column 2: out: not in a study"));
    assert_int_equal(trop_study_spec_read(&spec, text, "s.yaml", "n,seed\n8,1\n"), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "seed"));
    assert_int_equal(trop_study_spec_read(&spec, text, "s.yaml", "n,beta\n8\n"), TROP_ERR_IO);
    assert_int_not_equal(trop_study_spec_read(&spec, text, "s.yaml", NULL), TROP_OK);
}

static void a_list_of_one_is_a_value(void **state)
{
    (void)state;
    assert_ok(read_text("verb: path\ndata: mm-fig-1a\nradius: [\"10:100:10\"]\nseed: 1..2\n"));
    assert_int_equal(spec.count, 2);
    assert_string_equal(spec.fixed[2], "radius");
    assert_string_equal(spec.fixed[3], "10:100:10");
    assert_ok(read_text("verb: flow\nbeta: [3]\n"));
    assert_int_equal(spec.count, 1);
    assert_int_equal(spec.axes_count, 0);
    assert_true(spec.keep_count > 10); /* every single value */
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    refused("verb: flow\nbeta: 1\nbeta: 2\n", "given twice");
    refused("verb: flow\nkey-query: 1\nkey_query: 2\n", "given twice");
    refused("verb: flow\nbetta: 1\n", "did you mean beta?");
    refused("verb: flow\ntogehter: [n, d]\n", "did you mean together?");
    refused("vreb: flow\n", "did you mean verb?");
    refused("beta: 1\n", "verb: must be one word");
    refused("verb: [flow, cells]\n", "verb: must be one word");
    refused("verb: flwo\n", "must be one of");
    refused("verb: doctor\n", "computes numbers");
    refused("verb: study\n", "verb = study");
    refused("", "verb: must be one word");
    refused("- a\n- b\n", "must be a mapping");
    refused("verb: flow\nbeta: []\n", "empty list");
    refused("verb: flow\nn: 0\n", "n = 0");
    refused("verb: flow\nn: -4:0\n", "n = -4");
    refused("verb: flow\nn: 0:2000000\n", "n = 0");
    refused("verb: flow\nbeta: [y, x]\n", "beta = y");
    refused("verb: flow\nseed: 1.5:3.5\n", "seed = 1.5");
    refused("verb: flow\nn: [4, 0]\nd: [0, 2]\ntogether: [n, d]\n", "d = 0: ");
    refused("verb: flow\nbeta: [1, 2, 1]\n", "stands in the list twice");
    refused("verb: flow\nbeta: 0:1:0\n", "must not be 0");
    refused("verb: flow\nbeta: 1:0:0.1\n", "a step below 0");
    refused("verb: flow\nbeta: 0:1:-0.1\n", "a step above 0");
    refused("verb: flow\nbeta: 0:1:1e-25\n", "17 digits");
    refused("verb: flow\nseed: 9..1\n", "a step below 0");
    refused("verb: flow\nout: x.h5\n", "own folder");
    refused("verb: flow\nthreads: 2\n", "command line");
    refused("verb: flow\nrecord: diameter\n", "keep: [record.NAME]");
    refused("verb: flow\nbeta: {a: 1}\n", "mapping inside");
    refused("verb: flow\nbeta: [[1, [2]]]\n", "list in a list");
    refused("verb: flow\nkeep: [clusterz]\n", "did you mean clusters?");
    refused("verb: flow\nkeep: [clusters, clusters]\n", "given twice");
    refused("verb: flow\nkeep: [cluster_list]\n", "cluster_list/COLUMN");
    refused("verb: flow\nkeep: [cluster_list/mess]\n", "did you mean mass?");
    refused("verb: flow\nkeep: [record.diametre]\n", "diameter");
    refused("verb: cells\nkeep: [record.diameter]\n", "records nothing");
    refused("verb: flow\nn: [8, 9]\nd: [2, 3, 4]\ntogether: [n, d]\n", "has 2 values, d has 3");
    refused("verb: flow\nn: [8, 9]\ntogether: [n, d]\n", "d has no list");
    refused("verb: flow\nn: [8, 9]\ntogether: [n, n]\n", "given twice");
    refused("verb: flow\nn: [8, 9]\ntogether: n\n", "list of names");
    refused("verb: flow\nn: [8, 9]\ntogether: [n]\n", "two or more");
    refused("verb: flow\nseed: 1..10000000\nn: 1..10000000\n", "more than 1000000000000 points");
    refused("verb: flow\nseed: 1..99999999999999999999\n", "");
    refused("verb: flow\nbeta: \"\\x00\"\n", "zero byte");
    refused("verb: flow\nbeta: &a 1\n", "anchors");
}

/* A value that its option refuses is a row of the study, as long as others are left. */
static void values_that_are_refused_are_points(void **state)
{
    char words[400];

    (void)state;
    assert_ok(read_text("verb: flow\nn: [4, 0, 8]\nbeta: 1:3\nseed: [1, -1, 2, x]\n"));
    assert_int_equal(spec.count, 36);
    for (int64_t point = 0; point < 36; point++) {
        assert_int_equal(trop_study_refused_point(&spec, point), point / 12 == 1 || point % 2 == 1);
    }
    trop_study_refused_words(words, sizeof words, &spec);
    assert_non_null(strstr(words, "24 of 36 points will be refused: n = 0: must be"));
    assert_non_null(strstr(words, "; seed = -1: must be"));
    assert_non_null(strstr(words, "(and 1 more value)"));
    /* The first that is not refused. */
    assert_ok(read_text("verb: flow\nn: 0:2\nseed: [1, 2]\nbeta: [x, 1]\n"));
    assert_int_equal(trop_study_refused_none(&spec), 1 * 4 + 1);
    /* Halves of a whole number, though both ends are allowed. */
    assert_ok(read_text("verb: flow\nseed: 1:3:0.5\n"));
    assert_true(!trop_study_refused_point(&spec, 0) && trop_study_refused_point(&spec, 1));
    assert_ok(read_text("verb: flow\nn: [4, 0]\nd: [2, 3]\ntogether: [n, d]\nseed: 1..3\n"));
    assert_int_equal(trop_study_refused_none(&spec), 0);
    assert_true(trop_study_refused_point(&spec, 3) && !trop_study_refused_point(&spec, 2));
    assert_ok(read_text("verb: flow\nbeta: 1:3\n"));
    trop_study_refused_words(words, sizeof words, &spec);
    assert_string_equal(words, "");
}

static void a_study_of_many_points_takes_no_room(void **state)
{
    (void)state;
    assert_ok(read_text("verb: flow\nseed: 1..1000000000\nbeta: 0:9:0.01\nkeep: clusters\n"));
    assert_int_equal(spec.count, INT64_C(901) * 1000000000);
    assert_string_equal(value_text(0, 0, 999999999), "1000000000");
}

/* ---- what changed ---------------------------------------------------------------------------- */

static int64_t moved(const char *from, const char *to, int64_t point)
{
    struct trop_study_spec a = { 0 }, b = { 0 };
    struct trop_study_map *map = NULL;
    int64_t there = -2;

    assert_ok(trop_study_spec_read(&a, from, "a.yaml", NULL));
    assert_ok(trop_study_spec_read(&b, to, "b.yaml", NULL));
    if (trop_study_map_create(&map, &a, &b, 0) == TROP_OK) {
        /* Every option has the same value at both points. */
        there = trop_study_map_point(map, point);
        assert_true(there >= 0 && there < b.count);
    }
    trop_study_map_free(map);
    trop_study_spec_free(&a);
    trop_study_spec_free(&b);
    return there;
}

#define FLOW "verb: flow\nkeep: clusters\n"

static void points_are_found_where_axes_grew(void **state)
{
    (void)state;
    const char *was = FLOW "beta: [1, 2]\nseed: 1..10\n";

    assert_int_equal(moved(was, was, 13), 13);
    assert_int_equal(moved(was, FLOW "beta: [1, 2]\nseed: 1..20\n", 13), 23);
    assert_int_equal(moved(was, FLOW "beta: [0.5, 1, 1.5, 2.0]\nseed: 1..10\n", 13), 33);
    assert_int_equal(moved(was, FLOW "beta: 0:2:0.5\nseed: 0..10\n", 13), 4 * 11 + 4);
    assert_int_equal(moved(was, FLOW "seed: 1..10\nbeta: [2, 1]\n", 13), 3 * 2);
    assert_int_equal(moved(FLOW "beta: 0:1:0.5\nseed: 4\n", FLOW "beta: 0:1:0.1\nseed: 1..5\n", 1),
                     5 * 5 + 3);
    assert_int_equal(moved(was, FLOW "beta: [1, 3]\nseed: 1..10\n", 13), -2);
    assert_int_equal(moved(was, FLOW "beta: [1, 2]\nseed: 2..10\n", 13), -2);
    assert_int_equal(moved(was, FLOW "beta: [1, 2]\nseed: 1..10\nn: 8\n", 13), -2);
    assert_int_equal(moved(was, FLOW "beta: [1, 2]\n", 13), -2);
    assert_int_equal(moved(was, "verb: flow\nkeep: steps\nbeta: [1, 2]\nseed: 1..10\n", 13), -2);
    assert_int_equal(moved(FLOW "n: [8, 9]\nd: [2, 3]\ntogether: [n, d]\n",
                           FLOW "n: [7, 8, 9]\nd: [4, 2, 3]\ntogether: [n, d]\n", 1),
                     2);
}

static void words_say_what_changed(void **state)
{
    struct trop_study_spec a = { 0 }, b = { 0 };
    char words[400];

    (void)state;
    assert_ok(
        trop_study_spec_read(&a, FLOW "epsilon: 0:1:0.5\nrule: localmax\nn: 64\n", "a", NULL));
    assert_ok(trop_study_spec_read(
        &b, "verb: flow\nkeep: [clusters, steps]\nepsilon: 0:1:0.25\nrule: localmax\nd: 3\n", "b",
        NULL));
    trop_study_change_words(words, sizeof words, &a, &b);
    assert_string_equal(words, "n was 64 and is not there; epsilon was 0:1:0.5 and is 0:1:0.25; "
                               "d was not there and is 3; keep was [clusters] and is [clusters, "
                               "steps]");
    trop_study_spec_free(&b);
    /* Comments and the order of options are no change. */
    assert_ok(trop_study_spec_read(
        &b, "# again\nn: 64\nrule: localmax\nkeep: [clusters]\nepsilon: 0:1:0.50\nverb: flow\n",
        "b", NULL));
    assert_true(a.id == b.id);
    trop_study_spec_free(&a);
    trop_study_spec_free(&b);
}

static void memory_that_ends_is_told(void **state)
{
    const char *text = "verb: flow\nn: [8, 16]\nd: 2:3\ntogether: [n, d]\nseed: 1..5\n"
                       "beta: [1, 2]\nkeep: [clusters, record.diameter]\n";
    enum trop_status status;

    (void)state;
    trop_study_spec_free(&spec);
    const int64_t before = alloc_live;
    for (int64_t k = 0;; k++) {
        alloc_refused = k;
        status = trop_study_spec_read(&spec, text, "s.yaml", NULL);
        if (status == TROP_OK) {
            break;
        }
        assert_int_equal(status, TROP_ERR_MEMORY);
        assert_int_equal(alloc_live, before);
        assert_true(k < 1000);
    }
    alloc_refused = -1;
    trop_study_spec_free(&spec);
    assert_int_equal(alloc_live, before);
}

static int close_all(void **state)
{
    (void)state;
    trop_study_spec_free(&spec);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_is_read),
        cmocka_unit_test(ranges_are_decimals),
        cmocka_unit_test(lists_go_side_by_side),
        cmocka_unit_test(points_are_a_table),
        cmocka_unit_test(a_list_of_one_is_a_value),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(values_that_are_refused_are_points),
        cmocka_unit_test(a_study_of_many_points_takes_no_room),
        cmocka_unit_test(points_are_found_where_axes_grew),
        cmocka_unit_test(words_say_what_changed),
        cmocka_unit_test(memory_that_ends_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, close_all);
}
