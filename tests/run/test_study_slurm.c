/* test_study_slurm.c -- job scripts for Slurm: what they say, and what they do when programs of the
 * test stand for Slurm and for this one. tests/slurm.sh runs one under a real Slurm. */
#include "support.h"

#include "base/alloc.h"
#include "run/study/study_slurm.h"
#include "scratch.h"

#include <sys/stat.h>
#include <sys/wait.h>

/* ---- times ----------------------------------------------------------------------------------- */

/* man sbatch, --time: minutes, minutes:seconds, hours:minutes:seconds, days-hours,
 * days-hours:minutes and days-hours:minutes:seconds. */
static void times_are_read_as_slurm_reads_them(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds; /* 0: refused */
    } cases[] = {
        { "90", 5400 },
        { "1:30", 90 },
        { "0:01", 1 },
        { "1:00:00", 3600 },
        { "48:00:00", 172800 },
        { "2-3", 183600 },
        { "2-03:30", 185400 },
        { "2-3:30:05", 185405 },
        { "0-1", 3600 },
        { "366-0", 31622400 },
        { "366-0:0:1", 0 },
        { "", 0 },
        { "0", 0 },
        { "0:00:00", 0 },
        { "1h", 0 },
        { "90m", 0 },
        { "1:60", 0 },
        { "1:00:60", 0 },
        { "1-24", 0 },
        { "1-2-3", 0 },
        { "1:2:3:4", 0 },
        { "1-2:3:4:5", 0 },
        { "1:", 0 },
        { ":1", 0 },
        { "-1", 0 },
        { "1-", 0 },
        { " 1", 0 },
        { "1 ", 0 },
        { "1.5", 0 },
        { "UNLIMITED", 0 },
        { "9999999", 0 },
        { "99999999999999999999", 0 },
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int64_t seconds = 0;
        const enum trop_status status = trop_study_slurm_time(&seconds, cases[k].text);
        if (seconds != cases[k].seconds || (status == TROP_OK) != (cases[k].seconds > 0)) {
            fail_msg("%s: %lld seconds, status %d", cases[k].text, (long long)seconds, (int)status);
        }
        if (status != TROP_OK && !strstr(trop_error(), cases[k].text)) {
            fail_msg("%s is not in: %s", cases[k].text, trop_error());
        }
    }
}

/* ---- the text -------------------------------------------------------------------------------- */

static struct trop_study_options asked(const char *file, const char *out, int64_t tasks)
{
    struct trop_study_options options = trop_study_options_default();

    options.file = file;
    options.out = out;
    options.tasks = tasks;
    return options;
}

/* Writes the script into the folder of the test. */
static void write_script(const struct trop_study_options *options, int64_t points)
{
    char *text;

    assert_int_equal(trop_study_slurm_text(&text, points, options), TROP_OK);
    scratch_fill(scratch("job.sh"), text, strlen(text));
    trop_alloc_free(text);
}

/* What a command of the shell prints, in the folder of the test, whose programs come first. */
static char printed[20000];
static int run(const char *command)
{
    char line[3000];

    snprintf(line, sizeof line, "cd %s && export PATH=%s:\"$PATH\" && (%s) 2>&1", scratch_folder,
             scratch_folder, command);
    FILE *pipe = popen(line, "r");
    printed[fread(printed, 1, sizeof printed - 1, pipe)] = '\0';
    return WEXITSTATUS(pclose(pipe));
}

static void has(const char *text)
{
    if (!strstr(printed, text)) {
        fail_msg("\"%s\" is not in:\n%s", text, printed);
    }
}

static void lacks(const char *text)
{
    if (strstr(printed, text)) {
        fail_msg("\"%s\" is in:\n%s", text, printed);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    char *text = NULL;
    struct trop_study_options options = asked("a.yaml", NULL, 8);

    (void)state;
    assert_int_equal(trop_study_slurm_text(&text, 9, &options), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "out"));
    options = asked(NULL, "out", 8);
    assert_int_equal(trop_study_slurm_text(&text, 9, &options), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "file"));
    options = asked("a.yaml", "out", 0);
    assert_int_equal(trop_study_slurm_text(&text, 9, &options), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "tasks"));
    options = asked("a.yaml", "out", 8);
    options.time = "soon";
    assert_int_equal(trop_study_slurm_text(&text, 9, &options), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "soon"));
    assert_null(text);
}

static void names_reach_the_shell_as_they_are(void **state)
{
    static const char *const names[] = {
        "plain.yaml",
        "two words.yaml",
        "it's.yaml",
        "a\"b$HOME`id`.yaml",
        "100%/\\n.yaml",
        "line\n#SBATCH --array=0-9\ntouch here\n.yaml",
        "''",
        "\xc3\xa9t\xc3\xa9;&|<>*?.yaml",
    };

    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        struct trop_study_options options = asked(names[k], names[k], 4);
        char both[200];
        write_script(&options, 100);
        snprintf(both, sizeof both, "%s|%s", names[k], names[k]);
        assert_int_equal(run("sh -n job.sh"), 0);
        assert_int_equal(run("sed '/^# ---- what/,$d' job.sh >head.sh; . ./head.sh; printf '%s|%s' "
                             "\"$file\" \"$out\""),
                         0);
        assert_string_equal(printed, both);
        /* Comments and directives end where the variables begin: none is of the name. */
        run("sed '/^$/,$d' job.sh");
        lacks("array=0-9");
        lacks("\ntouch");
        has("#SBATCH --array=0-3\n");
        assert_int_equal(run("grep -cE '^#SBATCH --job-name=[A-Za-z0-9_][A-Za-z0-9_.-]*$' job.sh"),
                         0);
    }
}

static void directives_say_what_was_asked(void **state)
{
    struct trop_study_options options = asked("dir/my study.v2.yaml", "out", 500);

    (void)state;
    options.time = "90";
    options.threads = 4;
    write_script(&options, 1000000);
    run("cat job.sh");
    has("#!/bin/sh\n#SBATCH --job-name=my_study.v2\n#SBATCH --array=0-499\n"
        "#SBATCH --time=0-01:30:00\n");
    has("#SBATCH --cpus-per-task=4\n");
    has("\nthreads=4\npoint_limit=\n");
    has("\nshards=500\n");
    /* No task without a point. */
    write_script(&options, 7);
    run("cat job.sh");
    has("#SBATCH --array=0-6\n");
    has("\nshards=7\n");
    /* The directive stands before anybody can ask the site: the usual limit, and shards that go
     * evenly: 3,000 in 1,000 tasks. */
    options.tasks = 3000;
    options.threads = 0;
    write_script(&options, 1000000);
    run("cat job.sh");
    has("#SBATCH --array=0-999\n");
    has("\nshards=3000\n");
    lacks("--cpus-per-task");
    options.point_limit = 0.1;
    write_script(&options, 100);
    run("sed '/^# ---- what/,$d' job.sh >head.sh; . ./head.sh; echo \"$point_limit\"");
    assert_true(strtod(printed, NULL) == 0.1);
}

/* ---- what a script does ---------------------------------------------------------------------- */

/* Programs that write down how they were called, a line a call with < > about each word. */
static void put_program(const char *name, const char *lines)
{
    char text[2000];

    snprintf(text, sizeof text,
             "#!/bin/sh\nprintf '%%s' \"%s\" >>log\nfor word; do printf ' <%%s>' \"$word\"; done "
             ">>log\necho >>log\n%s\n",
             name, lines);
    scratch_fill(scratch(name), text, strlen(text));
    chmod(scratch(name), 0777);
}

static int put_programs(void **state)
{
    (void)state;
    scratch("");
    put_program("sbatch", "id=$(cat id); echo $((id + 1)) >id; echo \"$id;cluster\"\n"
                          "[ ! -e refuse ]");
    put_program("scontrol", "cat config");
    put_program("tropism", "case $2 in\n"
                           "status) printf '{\"points\": 90, \"left\": %s, \"seconds\": 1}' "
                           "\"$(cat left)\" ;;\n"
                           "run) [ ! -e fail ] ;;\nesac");
    scratch_fill(scratch("study.yaml"), "", 0);
    run("echo 41 >id; echo 90 >left; : >config");
    const struct trop_study_options options = asked("study.yaml", "o %u", 8);
    write_script(&options, 90);
    return 0;
}

static int drop_programs(void **state)
{
    (void)state;
    scratch_empty();
    return 0;
}

static void read_log(void)
{
    run("cat log; rm -f log");
}

static void an_array_and_a_job_behind_it_are_submitted(void **state)
{
    char line[400];

    (void)state;
    assert_int_equal(run("sh job.sh --account='my group'"), 0);
    has("array 41, then job 42");
    read_log();
    /* Where the program is: a job may have another PATH. */
    snprintf(line, sizeof line,
             "sbatch <--parsable> <--account=my group> <--array=0-7> "
             "<--output=o %%%%u/slurm/%%A_%%a.txt> <job.sh> <work> <1> <8> <> <%s/tropism>\n",
             scratch_folder);
    has(line);
    snprintf(line, sizeof line,
             "sbatch <--parsable> <--account=my group> <--array=0> <--dependency=afterany:41> "
             "<--output=o %%%%u/slurm/%%A.txt> <job.sh> <collect> <1> <8> <41> <%s/tropism> <> "
             "<--account=my group>\n",
             scratch_folder);
    has(line);
}

static void an_array_is_as_large_as_the_site_takes(void **state)
{
    (void)state;
    run("echo 'MaxArraySize            = 3' >config");
    assert_int_equal(run("sh job.sh"), 0);
    has("at most 3 tasks");
    read_log();
    has("<--array=0-2>");
    has("<work> <1> <3>");
    run("printf 'MaxArraySize = 1001\\nSchedulerParameters = a=1,max_array_tasks=5,b\\n' >config");
    assert_int_equal(run("sh job.sh"), 0);
    read_log();
    has("<--array=0-4>");
    run("echo 'MaxArraySize = 0' >config");
    assert_int_equal(run("sh job.sh"), 1);
    has("no arrays");
    read_log();
    lacks("sbatch");
}

/* Three tasks take eight shards, each once. */
static void tasks_share_the_shards(void **state)
{
    (void)state;
    assert_int_equal(run("for k in 0 1 2; do SLURM_ARRAY_JOB_ID=41 SLURM_ARRAY_TASK_ID=$k "
                         "SLURM_CPUS_ON_NODE=2 sh job.sh work 1 3 '' tropism; done"),
                     0);
    assert_int_equal(run("sort log"), 0);
    for (int shard = 0; shard < 8; shard++) {
        char line[200];
        snprintf(line, sizeof line,
                 "tropism <study> <run> <study.yaml> <--out> <o %%u> <--shard> <%d/8> <--threads> "
                 "<2>\n",
                 shard);
        has(line);
    }
    assert_int_equal(run("[ $(wc -l <log) = 8 ]"), 0);
    /* Seconds of a point, where there are some. */
    run("rm log; sed 's/^point_limit=/&30/' job.sh >limited.sh; SLURM_ARRAY_JOB_ID=41 "
        "SLURM_ARRAY_TASK_ID=7 sh limited.sh work 1 8 '' tropism");
    read_log();
    has("<--threads> <1> <--point-limit> <30>\n");
    run("rm 'o %u/slurm/done-41-7'");
    /* One that fails says so, and does not say that it is done. */
    assert_int_equal(run("ls 'o %u/slurm'"), 0);
    assert_string_equal(printed, "done-41-0\ndone-41-1\ndone-41-2\n");
    assert_int_equal(run("rm -r 'o %u'; : >fail; SLURM_ARRAY_JOB_ID=41 SLURM_ARRAY_TASK_ID=0 sh "
                         "job.sh work 1 3 '' tropism"),
                     1);
    run("ls 'o %u/slurm'");
    assert_string_equal(printed, "");
}

static void what_is_missing_is_asked_again(void **state)
{
    (void)state;
    run("mkdir -p 'o %u/slurm'; cd 'o %u/slurm'; : >done-41-0; : >done-41-3; : >done-7-4");
    run("echo 12 >left");
    assert_int_equal(run("sh job.sh collect 1 8 41 tropism '' --mem=1G"), 0);
    read_log();
    has("sbatch <--parsable> <--mem=1G> <--array=1-2,4-7> <--output=o %%u/slurm/%A_%a.txt> "
        "<job.sh> "
        "<work> <2> <8> <41> <tropism>\n");
    has("<collect> <2> <8> <41> <tropism> <12> <--mem=1G>\n");
    lacks("<merge>");
    /* All said that they were done, and points are left: all are asked. */
    run("for k in 1 2 4 5 6 7; do : >\"o %u/slurm/done-41-$k\"; done");
    assert_int_equal(run("sh job.sh collect 2 8 41 tropism 13"), 0);
    read_log();
    has("<--array=0-7>");
    /* A lone one, at the end. */
    run("rm 'o %u/slurm/done-41-7' 'o %u/slurm/done-41-4'");
    assert_int_equal(run("sh job.sh collect 2 8 41 tropism 13"), 0);
    read_log();
    has("<--array=4,7>");
}

static void rounds_come_to_an_end(void **state)
{
    (void)state;
    run("mkdir -p 'o %u/slurm'; : >'o %u/slurm/done-41-1'");
    /* Nothing is left. */
    run("echo 0 >left");
    assert_int_equal(run("sh job.sh collect 1 8 41 tropism 90"), 0);
    read_log();
    has("tropism <study> <merge> <o %u>\n");
    lacks("sbatch");
    run("ls 'o %u/slurm'");
    assert_string_equal(printed, "");
    /* A round that did nothing, and the last one. */
    run("echo 5 >left");
    assert_int_equal(run("sh job.sh collect 2 8 41 tropism 5"), 1);
    has("5 points are left");
    read_log();
    has("<merge>");
    lacks("sbatch");
    assert_int_equal(run("sh job.sh collect 20 8 41 tropism 6"), 1);
    read_log();
    has("<merge>");
    lacks("sbatch");
    assert_int_equal(run("sh job.sh collect 19 8 41 tropism 6"), 0);
    read_log();
    has("sbatch");
    /* What is left cannot be told. */
    run("echo >left");
    assert_int_equal(run("sh job.sh collect 1 8 41 tropism 6"), 1);
    read_log();
    lacks("sbatch");
}

/* sbatch job.sh: the first task of the array sees to the job behind it, once. */
static void a_script_can_be_given_to_sbatch(void **state)
{
    static const char *const task = "SLURM_ARRAY_JOB_ID=40 SLURM_ARRAY_TASK_COUNT=8 "
                                    "SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_ID=%s sh job.sh";
    char line[200];

    (void)state;
    snprintf(line, sizeof line, task, "3");
    assert_int_equal(run(line), 0);
    read_log();
    has("<3/8>");
    lacks("sbatch");
    snprintf(line, sizeof line, task, "0 SLURM_RESTART_COUNT=1");
    assert_int_equal(run(line), 0);
    read_log();
    lacks("sbatch");
    snprintf(line, sizeof line, task, "0");
    assert_int_equal(run(line), 0);
    read_log();
    has("<0/8>");
    has("<--array=0> <--dependency=afterany:40>");
    has("<collect> <1> <8> <40> <tropism> <>\n");
    /* Where nodes may not submit, the task computes all the same. */
    snprintf(line, sizeof line, task, "0");
    run(": >refuse");
    assert_int_equal(run(line), 0);
    read_log();
    has("<0/8>");
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    assert_int_equal(run("TROPISM=/no/where sh job.sh"), 1);
    has("/no/where");
    run(": >refuse");
    assert_int_equal(run("sh job.sh"), 1);
    has("not accepted");
    run("rm study.yaml");
    assert_int_equal(run("sh job.sh"), 1);
    has("study.yaml: not here");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read_as_slurm_reads_them),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test_setup_teardown(names_reach_the_shell_as_they_are, NULL, drop_programs),
        cmocka_unit_test_setup_teardown(directives_say_what_was_asked, NULL, drop_programs),
#define WITH_PROGRAMS(test) cmocka_unit_test_setup_teardown(test, put_programs, drop_programs)
        WITH_PROGRAMS(an_array_and_a_job_behind_it_are_submitted),
        WITH_PROGRAMS(an_array_is_as_large_as_the_site_takes),
        WITH_PROGRAMS(tasks_share_the_shards),
        WITH_PROGRAMS(what_is_missing_is_asked_again),
        WITH_PROGRAMS(rounds_come_to_an_end),
        WITH_PROGRAMS(a_script_can_be_given_to_sbatch),
        WITH_PROGRAMS(what_is_not_there_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
