/* test_study_cli.c -- the verb study: its words, JSON and refusals, Ctrl-C, shards of schedulers.
 */
#include "cli_support.h"

static const char small[] = "verb: flow\nrule: localmax\nn: 6\nsteps: 9\nepsilon: 0:0.2:0.1\n"
                            "seed: 1..4\nkeep: [clusters, diameter]\n";

static int clear(void **state)
{
    (void)state;
    DIR *open = opendir(scratch_folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        char log[600];
        struct stat about;
        snprintf(log, sizeof log, "%s/%s/log", scratch_folder, entry->d_name);
        if (stat(log, &about) == 0) {
            scratch_clear(AT_FDCWD, log);
        }
    }
    if (open) {
        closedir(open);
    }
    scratch_empty();
    return 0;
}

static void assert_counts(const char *line, int code, int points, int done, int left)
{
    json_t *object = object_of(line, code);

    assert_int_equal(json_integer_value(json_object_get(object, "points")), points);
    assert_int_equal(json_integer_value(json_object_get(object, "done")), done);
    assert_int_equal(json_integer_value(json_object_get(object, "left")), left);
    assert_true(json_is_integer(json_object_get(object, "failed")));
    assert_true(json_is_number(json_object_get(object, "seconds")));
    json_decref(object);
}

static void a_study_runs_and_is_counted(void **state)
{
    (void)state;
    put("s.yaml", small);
    assert_counts("study run s.yaml --out s --shard 1/3 --json", 0, 4, 4, 0);
    assert_counts("study status s --json", 0, 12, 4, 8);
    assert_counts("study run s.yaml --out s --json", 0, 12, 12, 0);
    assert_counts("study run s.yaml --out s --threads 1 --json", 0, 12, 12, 0);
    assert_int_equal(tropism("study status s"), 0);
    assert_non_null(strstr(answer.out, "done         12\n"));
    /* without its words */
    assert_int_equal(tropism("study --action status --file s"), 0);
}

/* A list names one file, an option the other; what is in the folder beside them says nothing. */
static void a_file_that_changes_is_not_mixed_with_itself(void **state)
{
    (void)state;
    put("t.csv", "0,0\n1,0\n0,1\n");
    put("u.csv", "0,0\n2,0\n0,1\n");
    put("w.csv", ".1\n.2\n");
    put("localmax", "a file with the name of a rule\n");
    put("f.yaml", "verb: flow\nrule: localmax\nsteps: 3\ntokens: [t.csv, u.csv]\n"
                  "epsilon: '@w.csv'\nkeep: [clusters]\n");
    assert_counts("study run f.yaml --out f --shard 0/2 --json", 0, 1, 1, 0);
    put("localmax", "and other words\n");
    put("w.csv", ".1\n.3\n");
    assert_int_equal(tropism("study run f.yaml --out f --shard 1/2"), 2);
    assert_non_null(strstr(answer.err, "w.csv: has changed since f began"));
    put("w.csv", ".1\n.2\n");
    put("u.csv", "0,0\n3,0\n0,1\n");
    assert_int_equal(tropism("study run f.yaml --out f --shard 1/2"), 2);
    assert_non_null(strstr(answer.err, "u.csv: has changed since f began"));
    put("u.csv", "0,0\n2,0\n0,1\n");
    assert_counts("study run f.yaml --out f --json", 0, 2, 2, 0);
    /* A folder of its own, merged with that one. */
    assert_counts("study run f.yaml --out g --shard 0/2 --json", 0, 1, 1, 0);
    assert_counts("study merge f g --json", 0, 2, 2, 0);
    put("u.csv", "0,0\n3,0\n0,1\n");
    assert_counts("study run f.yaml --out h --shard 1/2 --json", 0, 1, 1, 0);
    assert_int_equal(tropism("study merge f h"), 1);
    assert_non_null(strstr(answer.err, "h: its u.csv held something else than that of f"));
    assert_int_equal(tropism("study merge f g h"), 1);
    assert_non_null(strstr(answer.err, "h: its u.csv held something else than that of f"));
}

static void write_data(const char *folder, uint64_t seed)
{
    struct trop_dataset *dataset;

    assert_int_equal(trop_dataset_create(&dataset, "attsvm", 3, 4, 5, seed), TROP_OK);
    assert_int_equal(trop_dataset_write(dataset, scratch(folder)), TROP_OK);
    trop_dataset_free(dataset);
}

static void swap(const char *from, const char *to)
{
    assert_int_equal(rename(scratch(from), scratch(to)), 0);
}

/* The arrays of a folder are its contents: other numbers, and one more array. */
static void a_folder_that_changes_is_not_mixed_with_itself(void **state)
{
    (void)state;
    write_data("mine", 7);
    write_data("other", 8);
    put("d.yaml", "verb: train\ndata: mine\nsteps: 2\neta: [.1, .2]\nkeep: [steps]\n");
    assert_counts("study run d.yaml --out d --shard 0/2 --json", 0, 1, 1, 0);
    put("mine/README.txt", "a file that is no array\n");
    assert_counts("study run d.yaml --out d --shard 0/2 --json", 0, 1, 1, 0);
    swap("mine/X.npy", "X.npy");
    swap("other/X.npy", "mine/X.npy");
    assert_int_equal(tropism("study run d.yaml --out d --shard 1/2"), 2);
    assert_non_null(strstr(answer.err, "mine: has changed since d began"));
    swap("X.npy", "mine/X.npy");
    swap("mine/y.npy", "y.npy");
    assert_int_equal(tropism("study run d.yaml --out d --shard 1/2"), 2);
    assert_non_null(strstr(answer.err, "mine: has changed since d began"));
    swap("y.npy", "mine/y.npy");
    assert_counts("study run d.yaml --out d --json", 0, 2, 2, 0);
}

/* Of a run with more points than its table shows, and of a table. */
static void a_study_is_told_on_a_page(void **state)
{
    static char page[2000000];

    (void)state;
    put("big.yaml", "# <b>\nverb: flow\nrule: localmax\nn: [4, 0]\nsteps: 2\nepsilon: [0, 0.1]\n"
                    "alpha: [1, 2, 4]\nseed: 1..9\nkeep: [clusters, diameter]\n");
    assert_int_equal(tropism("study run big.yaml --out big --report big.html"), 0);
    assert_non_null(strstr(answer.out, "written to   big.html\n"));
    read_text(page, sizeof page, scratch("big.html"));
    assert_non_null(strstr(page, "108 points: 54 done, 54 failed (0 of them late), 0 left."));
    assert_non_null(strstr(page, "<code>alpha</code></th><td>3</td><td>1, 2, 4</td>"));
    assert_non_null(strstr(page, "The first 50 of 108 rows"));
    assert_non_null(strstr(page, "<code>heat</code>: the mean over two options: clusters over n"));
    assert_non_null(strstr(page, "tropism study run big.yaml --out big</code>"));
    assert_non_null(
        strstr(page, "study = tr.study(&quot;big.yaml&quot;).run(out=&quot;big&quot;)"));
    assert_null(strstr(page, "<b>"));
    assert_null(strstr(page, "<script"));
    assert_int_equal(
        tropism("study table big --by epsilon --mean clusters --deviation --report table.html"), 0);
    read_text(page, sizeof page, scratch("table.html"));
    assert_non_null(strstr(page, "<th>clusters_deviation</th></tr>"));
    assert_non_null(strstr(page, "study.table(by=&quot;epsilon&quot;, mean=&quot;clusters&quot;, "
                                 "deviation=True)"));
    assert_null(strstr(page, "The first 50"));
    assert_int_equal(tropism("study status big --report x.html"), 2);
    assert_non_null(strstr(answer.err, "report: applies with"));
    assert_int_equal(tropism("study table big --report x.pdf"), 2);
    assert_non_null(strstr(answer.err, "must end in .html"));
}

/* Rows go to the file or to the screen; a picture names the option that was typed. */
static void a_table_in_a_file_is_not_printed(void **state)
{
    (void)state;
    put("s.yaml", small);
    assert_int_equal(tropism("study run s.yaml --out t"), 0);
    assert_int_equal(tropism("study table t --out all.csv"), 0);
    assert_string_equal(answer.out, "rows         12\nwritten to   all.csv\n");
    assert_int_equal(tropism("plot t --kind heat --x epsilon --y seed --of clustrs --out p.svg"),
                     2);
    assert_non_null(strstr(answer.err, "of = clustrs: the study has no such column"));
    assert_int_equal(tropism("plot t --kind heat --x epsilno --y seed --of clusters --out p.svg"),
                     2);
    assert_non_null(strstr(answer.err, "x = epsilno: the study has no such column"));
}

/* Folders are separated by commas inside the program. */
static void a_folder_may_have_a_comma(void **state)
{
    (void)state;
    put("s.yaml", small);
    assert_counts("study run s.yaml --out p,q --shard 0/3 --json", 0, 4, 4, 0);
    assert_counts("study run s.yaml --out r, --shard 1/3 --json", 0, 4, 4, 0);
    assert_counts("study status p,q --json", 0, 12, 4, 8);
    assert_counts("study merge p,q r, --json", 0, 12, 8, 4);
    assert_int_equal(tropism("study table p,q"), 0);
}

/* A value that its option refuses is told once, and its points are rows. */
static void refused_values_are_told(void **state)
{
    (void)state;
    put("n.yaml", "verb: flow\nn: [4, 0, 8]\nseed: 1..2\nsteps: 2\nkeep: clusters\n");
    assert_int_equal(tropism("study run n.yaml --out n"), 0);
    assert_non_null(strstr(answer.err, "2 of 6 points will be refused: n = 0: must be"));
    assert_non_null(strstr(answer.out, "failed       2\n"));
    put("m.yaml", "verb: flow\nn: [0, -1]\nkeep: clusters\n");
    assert_int_equal(tropism("study run m.yaml --out m"), 2);
}

/* What is found wrong at a point is said at the end, that of the first point; nothing at all is no
 * success, but for a part of a study. */
static void failures_are_told(void **state)
{
    (void)state;
    put("all.yaml", "verb: train\ndata: nowhere\nsteps: [1, 2, 3]\nkeep: steps\n");
    assert_int_equal(tropism("study run all.yaml --out all --shard 1/2"), 0);
    assert_non_null(strstr(answer.err, "1 of 3 points failed, point 1: data = nowhere: must be"));
    assert_counts("study run all.yaml --out all --json", 1, 3, 0, 0);
    assert_non_null(strstr(answer.err, "no point has a result"));
    assert_int_equal(tropism("study status all"), 0);
    assert_non_null(strstr(answer.err, "3 of 3 points failed; the first, point 0: data = nowhere"));
    assert_non_null(strstr(answer.err, "relative to the folder in which the command runs"));
    put("some.yaml", "verb: flow\nrule: [topk, softmax]\nk: 2\nn: 4\nsteps: 2\nkeep: clusters\n");
    assert_counts("study run some.yaml --out some --json", 0, 2, 1, 0);
    assert_int_equal(tropism("study run some.yaml --out some"), 0);
    assert_non_null(strstr(answer.err, "1 of 2 points failed, point 1: "));
    assert_null(strstr(answer.err, "relative to"));
    put("s.yaml", small);
    assert_int_equal(tropism("study run s.yaml --out s"), 0);
    assert_null(strstr(answer.err, "failed"));
}

static void histories_are_drawn(void **state)
{
    (void)state;
    put("h.yaml", "verb: train\ndata: attsvm\nsteps: 4\neta: [0.1, 0.2]\nseed: 1..3\n"
                  "keep: [loss, history/loss, history/step]\n");
    assert_int_equal(tropism("study run h.yaml --out h"), 0);
    assert_int_equal(tropism("plot h --kind bands --x history/step --of history/loss --out h.svg"),
                     0);
    unlink(scratch("h.svg"));
    assert_int_equal(tropism("plot h --kind bands --x step --of history/loss --out h.svg"), 2);
    assert_non_null(strstr(answer.err, "did you mean history/step?"));
    assert_int_equal(tropism("study table h --by step --mean loss"), 2);
    assert_non_null(strstr(answer.err, "did you mean history/step?"));
    assert_int_equal(tropism("study table h --by eta --mean loss,history/loss"), 2);
    assert_non_null(strstr(answer.err, "mean = history/loss: is an array at every point"));
    assert_int_equal(tropism("study table h --by eta --mean loss"), 0);
}

/* A diameter of 2 and one of 1e-16: their deviation is larger than their mean. */
static void bands_below_zero_have_no_logarithm(void **state)
{
    (void)state;
    put("l.yaml",
        "verb: flow\nrule: softmax\nn: 6\nsteps: [1, 300]\nseed: [1, 2]\nkeep: diameter\n");
    assert_int_equal(tropism("study run l.yaml --out l"), 0);
    assert_int_equal(tropism("plot l --kind bands --x seed --of diameter --log y --out l.svg"), 2);
    assert_non_null(strstr(answer.err, "--band quantiles"));
    assert_int_equal(
        tropism("plot l --kind bands --x seed --of diameter --log y --band quantiles --out l.svg"),
        0);
    unlink(scratch("l.svg"));
}

/* Said where it is so: own data, the start of zeros, all inputs in a step. */
static void seeds_that_draw_nothing_are_told(void **state)
{
    static const struct {
        const char *more;
        int told;
    } studies[] = { { "", 1 },
                    { "batch: 3\n", 1 }, /* all of them */
                    { "batch: 2\n", 0 },
                    { "start: normal\n", 0 },
                    { "batch: [0, 1]\n", 0 } };
    char text[200];

    (void)state;
    write_data("mine", 7);
    for (size_t k = 0; k < sizeof studies / sizeof studies[0]; k++) {
        snprintf(text, sizeof text, "verb: train\ndata: mine\nsteps: 2\nseed: 1..2\nkeep: loss\n%s",
                 studies[k].more);
        put("n.yaml", text);
        assert_int_equal(tropism("study run n.yaml --out n"), 0);
        assert_int_equal(strstr(answer.err, "seed: has no effect") != NULL, studies[k].told);
        scratch_clear(AT_FDCWD, scratch("n"));
    }
    assert_int_equal(tropism("train --data mine --steps 2 --seed 3"), 0);
    assert_non_null(strstr(answer.err, "seed: has no effect"));
    assert_int_equal(tropism("train --data mine --steps 2"), 0);
    assert_null(strstr(answer.err, "seed"));
    assert_int_equal(tropism("train --data attsvm --steps 2 --seed 3"), 0);
    assert_null(strstr(answer.err, "seed"));
    scratch_clear(AT_FDCWD, scratch("mine"));
}

static void schedulers_say_which_part(void **state)
{
    (void)state;
    put("s.yaml", small);
    setenv("SLURM_ARRAY_TASK_ID", "7", 1);
    setenv("SLURM_ARRAY_TASK_MIN", "5", 1);
    setenv("SLURM_ARRAY_TASK_COUNT", "4", 1);
    assert_counts("study run s.yaml --out s --json", 0, 3, 3, 0);
    assert_non_null(strstr(answer.err, "shard 2/4, by SLURM_ARRAY_TASK_ID"));
    setenv("SLURM_ARRAY_TASK_COUNT", "2", 1);
    assert_int_equal(tropism("study run s.yaml --out s"), 2);
    unsetenv("SLURM_ARRAY_TASK_ID");
    setenv("SLURM_PROCID", "1", 1);
    setenv("SLURM_NTASKS", "2", 1);
    assert_counts("study run s.yaml --out t --json", 0, 6, 6, 0);
    assert_non_null(strstr(answer.err, "shard 1/2, by SLURM_PROCID"));
    /* what is given wins */
    assert_counts("study run s.yaml --out t --shard 0/1 --json", 0, 12, 12, 0);
    unsetenv("SLURM_PROCID");
    unsetenv("SLURM_NTASKS");
    unsetenv("SLURM_ARRAY_TASK_MIN");
    unsetenv("SLURM_ARRAY_TASK_COUNT");
}

static void a_changed_file_is_refused_or_extends(void **state)
{
    (void)state;
    put("s.yaml", small);
    assert_int_equal(tropism("study run s.yaml --out s"), 0);
    put("s.yaml", "verb: flow\nrule: localmax\nn: 6\nsteps: 9\nepsilon: 0:0.3:0.1\nseed: 1..4\n"
                  "keep: [clusters, diameter]\n");
    assert_int_equal(tropism("study run s.yaml --out s"), 2);
    assert_non_null(strstr(answer.err, "epsilon was 0:0.2:0.1 and is 0:0.3:0.1"));
    assert_counts("study run s.yaml --out s --extend --json", 0, 16, 16, 0);
}

static void what_is_wrong_is_said(void **state)
{
    static const struct wrong wrong[] = {
        { "study", 2, "which study?" },
        { "study run", 2, "which study?" },
        { "study run s.yaml", 2, "which folder?" },
        { "study rnu s.yaml --out s", 2, "must be one of run, status, merge, table, slurm" },
        { "study status", 2, "which folder?" },
        { "study status a b", 2, "one folder at a time" },
        { "study status nothing", 1, "nothing" },
        { "study run none.yaml --out s", 1, "none.yaml" },
        { "study run bad.yaml --out s", 2, "did you mean epsilon?" },
        { "study run s.yaml --out s --shard 2/2", 2, "from 0 to N - 1" },
        { "study run s.yaml --out s --shard -1/2", 2, "from 0 to N - 1" },
        { "study run s.yaml --out s --shard 1", 2, "from 0 to N - 1" },
        { "study run s.yaml --out s --point-limit -1", 2, "at least 0" },
        { "study status s --shard 0/2", 2, "action" },
        { "study run s.yaml --ouut s", 2, "did you mean --out?" },
        { "study run s.yaml --out s.yaml", 2, "is read too (file)" },
        { "study table s --out t.pdf", 2, ".csv or .json" },
    };

    (void)state;
    put("s.yaml", small);
    put("bad.yaml", "verb: flow\nepsilno: 0:1:0.1\n");
    assert_refused(wrong, sizeof wrong / sizeof wrong[0]);
}

static void ctrl_c_keeps_what_is_done(void **state)
{
    (void)state;
    put("long.yaml", "verb: flow\nrule: topk\nk: 3\nn: 200\nsteps: 2000\nseed: 1..200\n"
                     "keep: diameter\n");
    json_t *object = interrupted("study run long.yaml --out long --json", 300);
    assert_int_equal(json_integer_value(json_object_get(object, "points")), 200);
    json_decref(object);
}

static void help_has_every_option(void **state)
{
    (void)state;
    assert_help_lists_options("study");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_study_runs_and_is_counted, clear),
        cmocka_unit_test_teardown(a_file_that_changes_is_not_mixed_with_itself, clear),
        cmocka_unit_test_teardown(a_folder_that_changes_is_not_mixed_with_itself, clear),
        cmocka_unit_test_teardown(a_study_is_told_on_a_page, clear),
        cmocka_unit_test_teardown(a_table_in_a_file_is_not_printed, clear),
        cmocka_unit_test_teardown(a_folder_may_have_a_comma, clear),
        cmocka_unit_test_teardown(refused_values_are_told, clear),
        cmocka_unit_test_teardown(failures_are_told, clear),
        cmocka_unit_test_teardown(histories_are_drawn, clear),
        cmocka_unit_test_teardown(bands_below_zero_have_no_logarithm, clear),
        cmocka_unit_test_teardown(seeds_that_draw_nothing_are_told, clear),
        cmocka_unit_test_teardown(schedulers_say_which_part, clear),
        cmocka_unit_test_teardown(a_changed_file_is_refused_or_extends, clear),
        cmocka_unit_test_teardown(what_is_wrong_is_said, clear),
        cmocka_unit_test_teardown(ctrl_c_keeps_what_is_done, clear),
        cmocka_unit_test_teardown(help_has_every_option, clear),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
