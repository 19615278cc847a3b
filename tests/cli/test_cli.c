/* test_cli.c -- the program, from outside: what it prints and writes.
 *
 * Golden values are those of claim lm-rem-golden (G1 to G4), and
 * not of the program. TROP_BUILD is the folder of the program. */
#include "cli_support.h"

static int make_files(void **state)
{
    const double four[] = { 1, .5, -1, .25 };
    (void)state;
    put("two.csv", "1\n0.5\n");
    put("three.csv", "1\n-1\n0.05\n");
    put("plane.csv", "1,0\n0,1\n-1,-1\n");
    put("leader.csv", "1,0.3333333333333333\n-0.08333333333333333,0.08333333333333333\n-1,-1\n"
                      "0,0.25\n-0.3,-0.7\n-0.6,-0.9\n0.8,0.1\n0.6,0.15\n");
    put("square.csv", "1,1\n-1,1\n-1,-1\n1,-1\n-0.5,0\n0.5,0\n");
    put("gamma.csv", "0.5\n0.25\n");
    put("mass2.csv", "1\n2\n");
    put("good.yaml", "n: 5\nd: 2\nrule: hardmax\nsteps: 3\nseed: 7\n");
    put("tokens.yaml", "init: sphere\nn: 9\nd: 4\nsteps: 1\nalpha: 1\n");
    put_npy("good.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", four, 32);
    return 0;
}

/* ---- golden values ----------------------------------------------------------------------- */

static void two_tokens_meet_where_the_paper_says(void **state)
{
    (void)state;
    json_t *three = object_of("flow --tokens two.csv --rule localmax --epsilon 0.3 --alpha 1 "
                              "--steps 3 --json",
                              0);
    assert_true(number_at(three, "tokens", 0, 0) == .9296875);
    assert_true(number_at(three, "tokens", 1, 0) == .7890625);
    json_decref(three);
    json_t *end = object_of("flow --tokens two.csv --rule localmax --epsilon 0.3 --alpha 1 "
                            "--until converged --json",
                            0);
    assert_true(fabs(number_at(end, "tokens", 0, 0) - .859375) < 1e-11);
    assert_true(fabs(number_at(end, "tokens", 1, 0) - .859375) < 1e-11);
    assert_true(json_is_true(json_object_get(end, "converged")));
    json_decref(end);
    json_t *hard = object_of("flow --tokens two.csv --rule hardmax --alpha 1 --json", 0);
    assert_true(fabs(number_at(hard, "tokens", 1, 0) - 1) < 1e-11);
    json_decref(hard);
}

static void a_limit_need_not_be_a_vertex(void **state)
{
    (void)state;
    json_t *ten = object_of("flow --tokens three.csv --rule localmax --epsilon 0.2 --alpha 1 "
                            "--steps 10 --json",
                            0);
    /* .05 (2/3)^10, through ten roundings */
    assert_true(fabs(number_at(ten, "tokens", 2, 0) - .05 * pow(2. / 3, 10)) < 1e-15);
    assert_true(number_at(ten, "tokens", 0, 0) == 1);
    json_decref(ten);
    json_t *hard = object_of("flow --tokens three.csv --rule hardmax --alpha 1 --json", 0);
    assert_true(fabs(number_at(hard, "tokens", 2, 0) - 1) < 1e-11);
    json_decref(hard);
}

static void a_leader_emerges(void **state)
{
    (void)state;
    json_t *first = object_of("flow --tokens leader.csv --rule hardmax --alpha 0.5 --steps 0 "
                              "--json",
                              0);
    json_t *leaders = json_object_get(first, "leaders");
    assert_int_equal(json_array_size(leaders), 2);
    assert_int_equal(json_integer_value(json_array_get(leaders, 1)), 2);
    json_decref(first);
    json_t *end = object_of("flow --tokens leader.csv --rule hardmax --alpha 0.5 --until converged "
                            "--json",
                            0);
    leaders = json_object_get(end, "leaders");
    assert_int_equal(json_array_size(leaders), 3);
    assert_int_equal(json_integer_value(json_array_get(leaders, 1)), 1);
    assert_true(fabs(number_at(end, "tokens", 1, 0) + .05555556) < 1e-8);
    assert_true(fabs(number_at(end, "tokens", 1, 1) - .13888889) < 1e-8);
    assert_true(fabs(number_at(end, "tokens", 3, 1) - 1. / 3) < 1e-9);
    assert_int_equal(json_integer_value(json_object_get(end, "clusters")), 3);
    json_decref(end);
    json_t *local = object_of("flow --tokens leader.csv --rule localmax --epsilon 0.1 --alpha 0.5 "
                              "--until converged --json",
                              0);
    assert_true(fabs(number_at(local, "tokens", 0, 0) - .93043337) < 1e-8);
    assert_true(fabs(number_at(local, "tokens", 5, 1) + .97247332) < 1e-8);
    json_decref(local);
}

static void a_tie_at_the_edge_is_inside(void **state)
{
    (void)state;
    json_t *one = object_of("flow --tokens square.csv --rule localmax --epsilon 1 --alpha 0.5 "
                            "--steps 200 --json",
                            0);
    assert_true(fabs(number_at(one, "tokens", 4, 0)) < 1e-9);
    assert_true(number_at(one, "tokens", 0, 0) == 1 && number_at(one, "tokens", 2, 1) == -1);
    json_decref(one);
    json_t *hard = object_of("flow --tokens square.csv --rule hardmax --alpha 0.5 --steps 200 "
                             "--json",
                             0);
    assert_true(fabs(number_at(hard, "tokens", 4, 0) + 1) < 1e-9);
    assert_true(fabs(number_at(hard, "tokens", 5, 0) - 1) < 1e-9);
    json_decref(hard);
}

/* ---- good input --------------------------------------------------------------------------- */

static void counts_beyond_every_integer_are_taken(void **state)
{
    static const char *const steps[] = { "1e400", "inf", "1e18", "10" };
    (void)state;
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        char line[200];
        snprintf(line, sizeof line,
                 "flow --tokens two.csv --rule hardmax --until converged --json --steps %s",
                 steps[k]);
        json_t *object = object_of(line, 0);
        assert_true(json_is_integer(json_object_get(object, "steps")));
        json_decref(object);
    }
}

static void json_is_the_only_thing_on_stdout(void **state)
{
    static const char *const members[] = {
        "steps",  "log10_steps", "converged",   "residual", "tokens",       "clusters",
        "labels", "leaders",     "target",      "diameter", "cluster_list", "gap_max",
        "energy", "method",      "certificate", "version",  "seed",         "seconds",
    };
    (void)state;
    json_t *object = object_of("flow --n 12 --d 3 --seed 18446744073709551615 --steps 5 --json", 0);
    for (size_t k = 0; k < sizeof members / sizeof members[0]; k++) {
        if (!json_object_get(object, members[k])) {
            fail_msg("no member %s", members[k]);
        }
    }
    assert_string_equal(json_string_value(json_object_get(object, "version")), trop_version());
    assert_string_equal(json_string_value(json_object_get(object, "seed")), "18446744073709551615");
    assert_true(json_is_string(json_object_get(json_object_get(object, "certificate"), "kind")));
    assert_int_equal(answer.out[strlen(answer.out) - 1], '\n');
    json_decref(object);
}

static void doubles_read_back_to_the_same_bits(void **state)
{
    const char *pairs[] = {
        "n", "30", "d", "3", "rule", "softmax", "beta", "2", "steps", "7", NULL
    };
    struct trop_flow *flow = NULL;
    (void)state;
    json_t *object = object_of("flow --n 30 --d 3 --rule softmax --beta 2 --steps 7 --json", 0);
    assert_int_equal(trop_flow_create_from(&flow, pairs), TROP_OK);
    assert_int_equal(trop_flow_run(flow, NULL, NULL), TROP_OK);
    for (size_t i = 0; i < 90; i++) {
        double there = number_at(object, "tokens", i / 3, i % 3);
        assert_memory_equal(&there, trop_flow_tokens(flow) + i, sizeof there);
    }
    trop_flow_free(flow);
    json_decref(object);
}

static void tokens_are_printed_when_few_or_asked_for(void **state)
{
    (void)state;
    json_t *few = object_of("flow --n 1000 --d 10 --steps 0 --json", 0);
    assert_int_equal(json_array_size(json_object_get(few, "tokens")), 1000);
    json_decref(few);
    json_t *many = object_of("flow --n 1001 --d 10 --steps 0 --json", 0);
    assert_null(json_object_get(many, "tokens"));
    json_decref(many);
    json_t *asked = object_of("flow --n 1001 --d 10 --steps 0 --json --print-tokens", 0);
    assert_int_equal(json_array_size(json_object_get(asked, "tokens")), 1001);
    json_decref(asked);
}

static void records_are_in_the_json(void **state)
{
    (void)state;
    json_t *object =
        object_of("flow --n 5 --steps 10 --record residual,tokens --every 4 --json", 0);
    json_t *record = json_object_get(object, "record");
    json_t *step = json_object_get(record, "step");
    assert_int_equal(json_array_size(step), 3);
    assert_int_equal(json_integer_value(json_array_get(step, 2)), 8);
    assert_int_equal(json_array_size(json_object_get(record, "residual")), 3);
    assert_int_equal(json_array_size(json_array_get(json_object_get(record, "tokens"), 0)), 5);
    json_decref(object);
}

static void the_command_line_wins_over_a_file(void **state)
{
    (void)state;
    json_t *file = object_of("flow --from good.yaml --json", 0);
    assert_int_equal(json_array_size(json_object_get(file, "labels")), 5);
    assert_int_equal(json_integer_value(json_object_get(file, "steps")), 3);
    assert_int_equal(json_integer_value(json_object_get(file, "seed")), 7);
    json_decref(file);
    json_t *both = object_of("flow --n 6 --from good.yaml --json --steps=4", 0);
    assert_int_equal(json_array_size(json_object_get(both, "labels")), 6);
    assert_int_equal(json_integer_value(json_object_get(both, "steps")), 4);
    json_decref(both);
    /* also over what it excludes: init, n and d of the file, alpha against gamma */
    json_t *tokens = object_of("flow --from tokens.yaml --tokens plane.csv --gamma 0.5 --json", 0);
    assert_int_equal(json_array_size(json_object_get(tokens, "labels")), 3);
    json_decref(tokens);
}

/* 1e17 is a whole number, on the command line and in a file; of three steps it records the start.
 */
static void whole_numbers_may_have_exponents(void **state)
{
    (void)state;
    const char *lines[] = { "flow --n 5 --steps 3 --record residual --every 1e17 --json",
                            "flow --from seldom.yaml --json" };
    put("seldom.yaml", "n: 5\nsteps: 3\nrecord: residual\nevery: 1e17\n");
    for (int k = 0; k < 2; k++) {
        json_t *object = object_of(lines[k], 0);
        json_t *step = json_object_get(json_object_get(object, "record"), "step");
        assert_int_equal(json_array_size(step), 1);
        json_decref(object);
    }
    unlink(scratch("seldom.yaml"));
}

static void matrices_schedules_and_masses_come_from_files(void **state)
{
    (void)state;
    json_t *object = object_of("flow --tokens good.npy --key-query good.npy --gamma @gamma.csv "
                               "--masses mass2.csv --rule hardmax --steps 2 --json",
                               0);
    assert_int_equal(json_integer_value(json_object_get(object, "steps")), 2);
    json_decref(object);
    json_t *value = object_of("flow --tokens good.npy --value -0.5 --steps 1 --json", 0);
    json_decref(value);
}

static void results_go_to_files_of_three_kinds(void **state)
{
    static const char *const names[] = { "x.h5", "x.json", "x.npy" };
    (void)state;
    for (int k = 0; k < 3; k++) {
        char line[100], bytes[16];
        snprintf(line, sizeof line, "flow --n 5 --steps 2 --out %s", names[k]);
        assert_int_equal(tropism(line), 0);
        read_text(bytes, sizeof bytes, scratch(names[k]));
        assert_memory_equal(bytes, k == 0 ? "\x89HDF" : k == 1 ? "{\"st" : "\x93NUM", 4);
        unlink(scratch(names[k]));
    }
}

static void the_summary_is_in_words(void **state)
{
    static const char *const lines[] = { "steps",    "converged", "certificate",
                                         "clusters", "leaders",   "residual" };
    (void)state;
    assert_int_equal(tropism("flow --tokens leader.csv --rule hardmax --until converged"), 0);
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        if (!strstr(answer.out, lines[k])) {
            fail_with_answer("flow", lines[k]);
        }
    }
    assert_string_equal(answer.err, "");
}

static void seconds_and_threads_change_no_result(void **state)
{
    static char first[sizeof answer.out];
    (void)state;
    assert_int_equal(tropism("flow --n 100 --steps 20 --threads 1 --json"), 0);
    memcpy(first, answer.out, sizeof first);
    assert_int_equal(tropism("flow --n 100 --steps 20 --threads 3 --json"), 0);
    *strstr(first, "\"seconds\"") = '\0';
    *strstr(answer.out, "\"seconds\"") = '\0';
    assert_string_equal(first, answer.out);
}

/* ---- help --------------------------------------------------------------------------------- */

static void check_width(const char *line)
{
    assert_int_equal(tropism(line), 0);
    for (const char *at = answer.out; *at; at += strcspn(at, "\n") + 1) {
        if (strcspn(at, "\n") > 79) {
            fail_with_answer(line, "wider than 79 columns");
        }
        if (!strchr(at, '\n')) {
            break;
        }
    }
}

static void help_fits_and_names_every_option(void **state)
{
    static const char *const lines[] = { "help",         "--help",         "help flow",
                                         "flow --help",  "doctor --help",  "help doctor",
                                         "help --help",  "help help",      "help cells",
                                         "cells --help", "help threshold", "help margin",
                                         "help train",   "help path",      "study --help" };
    (void)state;
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++) {
        check_width(lines[k]);
    }
    assert_help_lists("flow", trop_flow_option_table());
    assert_help_lists("flow", trop_job_option_table("flow"));
    assert_help_lists("cells", trop_cells_option_table());
    assert_help_lists("cells", trop_job_option_table("cells"));
    assert_help_lists("threshold", trop_threshold_option_table());
    assert_help_lists("threshold", trop_job_option_table("threshold"));
    assert_help_lists("margin", trop_margin_option_table());
    assert_help_lists("margin", trop_job_option_table("margin"));
    assert_help_lists("train", trop_train_option_table());
    assert_help_lists("train", trop_job_option_table("train"));
    assert_help_lists("path", trop_path_option_table());
    assert_help_lists("path", trop_job_option_table("path"));
}

static void versions_and_pages_are_printed(void **state)
{
    static const char *const pages[] = { "options", "results", "man", "bash", "zsh", "fish" };
    static char first[sizeof answer.out];
    (void)state;
    assert_int_equal(tropism("--version"), 0);
    assert_non_null(strstr(answer.out, trop_version()));
    for (size_t k = 0; k < sizeof pages / sizeof pages[0]; k++) {
        char line[64];
        snprintf(line, sizeof line, "help --generate %s", pages[k]);
        assert_int_equal(tropism(line), 0);
        memcpy(first, answer.out, sizeof first);
        assert_true(strlen(first) > 500);
        assert_int_equal(tropism(line), 0);
        assert_string_equal(first, answer.out);
    }
    assert_int_equal(tropism(""), 2);
}

static void the_doctor_finds_nothing_wrong(void **state)
{
    (void)state;
    json_t *object = object_of("doctor --json", 0);
    assert_true(json_is_true(json_object_get(object, "healthy")));
    assert_true(json_array_size(json_object_get(object, "tests")) >= 5);
    json_decref(object);
    assert_int_equal(tropism("doctor"), 0);
    assert_non_null(strstr(answer.out, "ok"));
}

/* ---- ending early --------------------------------------------------------------------------- */

static void remove_parts(const char *name)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s/%s %s/%s.parts", scratch_folder, name,
             scratch_folder, name);
    assert_int_equal(system(command), 0);
}

static void a_time_limit_ends_with_what_there_is(void **state)
{
    (void)state;
    json_t *object = object_of("flow --n 200 --steps 1e9 --time-limit 0.2 --json", 1);
    assert_string_equal(json_string_value(json_object_get(object, "outcome")), "running");
    assert_non_null(strstr(answer.err, "time limit"));
    json_decref(object);
    object = object_of("flow --n 200 --steps 1e9 --time-limit 0.2 --json --out slow.h5", 1);
    json_decref(object);
    assert_non_null(strstr(answer.err, "--resume slow.h5"));
    /* a fresh run must not trample on it */
    assert_int_equal(tropism("flow --n 5 --out slow.h5"), 1);
    assert_non_null(strstr(answer.err, "--resume slow.h5"));
    remove_parts("slow.h5");
}

/* A run that is on its way, as its first part says. */
static pid_t start_held(void)
{
    struct stat about;
    pid_t child = start("flow --n 200 --steps 1e9 --json --out held.h5 --checkpoint 1000000000", 0);

    for (int k = 0; k < 2000 && stat(scratch("held.h5.parts/000001.h5"), &about) != 0; k++) {
        nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
    }
    return child;
}

static void ended_with_a_result_and_a_checkpoint(pid_t child)
{
    struct stat about;
    json_error_t error;

    finish(child);
    assert_int_equal(answer.code, 1);
    json_t *object = json_loads(answer.out, 0, &error);
    assert_true(json_is_object(object));
    json_decref(object);
    assert_non_null(strstr(answer.err, "--resume held.h5"));
    assert_int_equal(stat(scratch("held.h5.parts/000001.h5"), &about), 0);
    remove_parts("held.h5");
}

/* Ctrl-C, the end of a job, the end of a terminal, which is told twice. */
static void a_signal_ends_with_a_result_and_a_checkpoint(void **state)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    (void)state;

    for (size_t k = 0; k < sizeof signals / sizeof signals[0]; k++) {
        pid_t child = start_held();
        kill(child, signals[k]);
        if (signals[k] == SIGHUP) {
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
            kill(child, SIGHUP);
        }
        ended_with_a_result_and_a_checkpoint(child);
    }
}

/* Under nohup the terminal may go: only the request that follows ends the run. */
static void a_run_under_nohup_outlives_its_terminal(void **state)
{
    (void)state;
    signal(SIGHUP, SIG_IGN);
    pid_t child = start_held();
    signal(SIGHUP, SIG_DFL);
    kill(child, SIGHUP);
    nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    kill(child, SIGTERM);
    ended_with_a_result_and_a_checkpoint(child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_tokens_meet_where_the_paper_says),
        cmocka_unit_test(a_limit_need_not_be_a_vertex),
        cmocka_unit_test(a_leader_emerges),
        cmocka_unit_test(a_tie_at_the_edge_is_inside),
        cmocka_unit_test(counts_beyond_every_integer_are_taken),
        cmocka_unit_test(json_is_the_only_thing_on_stdout),
        cmocka_unit_test(doubles_read_back_to_the_same_bits),
        cmocka_unit_test(tokens_are_printed_when_few_or_asked_for),
        cmocka_unit_test(records_are_in_the_json),
        cmocka_unit_test(the_command_line_wins_over_a_file),
        cmocka_unit_test(whole_numbers_may_have_exponents),
        cmocka_unit_test(matrices_schedules_and_masses_come_from_files),
        cmocka_unit_test(results_go_to_files_of_three_kinds),
        cmocka_unit_test(the_summary_is_in_words),
        cmocka_unit_test(seconds_and_threads_change_no_result),
        cmocka_unit_test(help_fits_and_names_every_option),
        cmocka_unit_test(versions_and_pages_are_printed),
        cmocka_unit_test(the_doctor_finds_nothing_wrong),
        cmocka_unit_test(a_time_limit_ends_with_what_there_is),
        cmocka_unit_test(a_signal_ends_with_a_result_and_a_checkpoint),
        cmocka_unit_test(a_run_under_nohup_outlives_its_terminal),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
