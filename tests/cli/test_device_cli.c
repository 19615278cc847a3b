/* test_device_cli.c -- --device where there is no GPU: one sentence for each thing that is missing,
 * and one for each thing that a device does not do. */
#include "support.h"
#include "program.h"

/* Runs the program from a folder with a libtropism-cuda.so, or with none: a link to the program
 * stands beside it, and the library is looked for there. */
static int from(const char *folder, const char *line)
{
    char link[600], words[2000], *argv[40] = { link };
    int count = 1;

    scratch("");
    snprintf(link, sizeof link, "%s/device/%s", getenv("TROP_BUILD"), folder);
    mkdir(link, 0777);
    snprintf(link, sizeof link, "%s/device/%s/tropism", getenv("TROP_BUILD"), folder);
    unlink(link);
    assert_int_equal(symlink("../../tropism", link), 0);
    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word && count < 39; word = strtok(NULL, " ")) {
        argv[count++] = word;
    }
    pid_t child = fork();
    if (child == 0) {
        unsetenv("LD_LIBRARY_PATH");
        if (chdir(scratch_folder) != 0 ||
            dup2(open(".out", O_WRONLY | O_CREAT | O_TRUNC, 0666), 1) < 0 ||
            dup2(open(".err", O_WRONLY | O_CREAT | O_TRUNC, 0666), 2) < 0) {
            _exit(99);
        }
        execv(link, argv);
        _exit(98);
    }
    finish(child);
    return answer.code;
}

#define RUN "flow --n 8 --d 2 --rule softmax --device cuda"

static void a_missing_library_is_told(void **state)
{
    (void)state;
    assert_int_equal(from("none", RUN), 1);
    assert_non_null(strstr(answer.err, "needs libtropism-cuda.so, which a build makes where nvcc "
                                       "is installed"));
}

static void another_version_is_refused(void **state)
{
    (void)state;
    assert_int_equal(from("version", RUN), 1);
    assert_non_null(strstr(answer.err, "is of version 0.0.1, and this is " TROP_VERSION "\n"));
    assert_int_equal(from("size", RUN), 1);
    assert_non_null(strstr(answer.err, "and this is " TROP_VERSION ", of another build\n"));
    assert_int_equal(from("entry", RUN), 1);
    assert_non_null(strstr(answer.err, "has no trop_device_entry, so it is not of this version"));
}

/* Where the library is built and there is no driver or no device; on a machine with one it runs. */
static void a_machine_without_a_device_is_told(void **state)
{
    char path[600];

    (void)state;
    snprintf(path, sizeof path, "%s/libtropism-cuda.so", getenv("TROP_BUILD"));
    if (access(path, R_OK) != 0) {
        skip();
    }
    const int code = tropism(RUN);
    if (code == 0) {
        return;
    }
    assert_int_equal(code, 1);
    const char *const sentences[] = { "device = cuda: there is no NVIDIA driver on this machine",
                                      "device = cuda: the driver is too old",
                                      "device = cuda: the driver finds no device" };
    int told = 0;
    for (int k = 0; k < 3; k++) {
        told |= strstr(answer.err, sentences[k]) != NULL;
    }
    assert_true(told);
    assert_ptr_equal(strchr(answer.err, '\n'), answer.err + strlen(answer.err) - 1);
}

/* What a device does not do is refused by name before any library is looked for. */
static void what_a_device_does_not_do_is_refused_by_name(void **state)
{
    (void)state;
    const struct {
        const char *options, *sentence;
    } rows[] = {
        { "--rule minp", "device = cuda: is for rule = softmax|hardmax|localmax, not minp" },
        { "--rule localmax --form cosine", "not cosine" },
        { "--rule topk", "not topk" },
        { "--rule softmax --method tree", "device = cuda: has method = rows" },
        { "--rule hardmax --method direct", "device = cuda: has method = rows" },
        { "--rule softmax --precision single", "device = cuda: has precision = double" },
        { "--rule softmax --leap", "device = cuda: takes no leaps" },
        { "--rule softmax --dynamics chain", "device = cuda: draws no tokens" },
        { "--rule hardmax --dynamics ode", "device = cuda: does not go from piece to piece" },
        { "--rule softmax --copies 3", "device = cuda: has single flows" },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        char line[300];
        snprintf(line, sizeof line, "flow --n 8 --d 2 --device cuda %s", rows[k].options);
        assert_int_equal(from("none", line), 2);
        if (!strstr(answer.err, rows[k].sentence)) {
            fail_msg("%s: %s", rows[k].options, answer.err);
        }
    }
    assert_int_equal(tropism("flow --n 8 --d 2 --rule topk --device cpu --steps 2"), 0);
    assert_int_equal(tropism("flow --n 8 --d 2 --rule softmax --device gpu"), 2);
    assert_non_null(strstr(answer.err, "device = gpu: must be one of cpu, cuda, cuda:0"));
    assert_int_equal(tropism("cells --n 8 --d 2 --device cuda"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_library_is_told),
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(a_machine_without_a_device_is_told),
        cmocka_unit_test(what_a_device_does_not_do_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
