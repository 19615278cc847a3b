/* test_print.c -- the summary that a verb has when it has none of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include <tropism_lab.h>

#include "../../cli/print.c"

/* What cli_print_result writes of a job. */
static void summary_of(char *out, size_t size, const struct trop_job *job)
{
    FILE *file = tmpfile();
    const int stdout_before = dup(STDOUT_FILENO);

    assert_non_null(file);
    fflush(stdout);
    assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0);
    cli_print_result(job);
    fflush(stdout);
    dup2(stdout_before, STDOUT_FILENO);
    close(stdout_before);
    rewind(file);
    out[fread(out, 1, size - 1, file)] = '\0';
    fclose(file);
}

/* Four tokens at the corners of a square of side sqrt(2): area 2, every cell a quarter of it. */
static void any_result_has_a_summary(void **state)
{
    static const char *const pairs[] = { "init", "polygon", "n", "4", NULL };
    struct trop_job *job = NULL;
    char text[8192];

    (void)state;
    assert_int_equal(trop_job_create_from(&job, "cells", pairs), TROP_OK);
    assert_int_equal(trop_job_run(job, NULL, NULL), TROP_OK);
    summary_of(text, sizeof text, job);
    assert_non_null(strstr(text, "\nlabels           (4)\n"));
    assert_non_null(strstr(text, "\ngeneric          yes\n"));
    assert_non_null(strstr(text, "\ndimension        2\n"));
    assert_non_null(strstr(text, "\nedges            (4, 2)\n"));
    assert_non_null(strstr(text, "\nwidth            1.414213562\n"));
    assert_null(strstr(text, "\nobstacle ")); /* there is none */
    assert_non_null(strstr(text, "\ncells\n       vertex "));
    assert_non_null(strstr(text, "\n            3 "));
    assert_int_equal(cli_print_failures(), 0);
    trop_job_free(job);
}

/* A table ends after 24 rows and says how many there are. */
static void a_long_list_is_cut(void **state)
{
    static const char *const pairs[] = { "init", "polygon", "n", "30", NULL };
    struct trop_job *job = NULL;
    char text[16384];

    (void)state;
    assert_int_equal(trop_job_create_from(&job, "cells", pairs), TROP_OK);
    summary_of(text, sizeof text, job);
    assert_non_null(strstr(text, "\n           23 "));
    assert_null(strstr(text, "\n           24 "));
    assert_non_null(strstr(text, "\n and 6 more\n"));
    trop_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_result_has_a_summary),
        cmocka_unit_test(a_long_list_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
