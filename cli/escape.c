/* escape.c -- the verb escape: first exits at finite beta. */
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define VERB "escape"

static struct trop_value cell_of(const struct trop_job *job, const char *column, int64_t row)
{
    return cli_print_cell(job, "betas", column, row);
}

/* ---- the summary ------------------------------------------------------------------- */

#define WIDTH 12 /* of a column */

/* A count of steps by its logarithm: "never", "937", "1.3193e+25", "10^434.05"; "-": not known. */
static void print_steps(const struct trop_value *value)
{
    const double log10 = value->number;
    char text[32];

    if (value->kind != TROP_KIND_NUMBER) {
        snprintf(text, sizeof text, "-");
    } else if (isinf(log10)) {
        snprintf(text, sizeof text, "%s", log10 > 0 ? "never" : "0");
    } else if (log10 < 6) {
        snprintf(text, sizeof text, "%.0f", pow(10, log10));
    } else if (log10 < 300) {
        snprintf(text, sizeof text, "%.4e", pow(10, log10));
    } else {
        snprintf(text, sizeof text, "10^%.6g", log10);
    }
    printf(" %*s", WIDTH, text);
}

/* 1 when the result says how long the flow shadows hardmax. */
static int shadowed(const struct trop_job *job)
{
    return cell_of(job, "log10_shadow", 0).kind != TROP_KIND_NULL;
}

static void print_row(const struct trop_job *job, int64_t row)
{
    static const char *const names[] = { "bound.log10_exact", "bound.log10_repaired",
                                         "bound.log10_printed", "log10_arrival" };
    struct trop_value median = cell_of(job, "log10_median", row);
    struct trop_value interval = cell_of(job, "log10_interval", row);

    printf("%10.6g", cell_of(job, "beta", row).number);
    print_steps(&median);
    for (int end = 0; end < 2; end++) {
        const int known = interval.kind == TROP_KIND_NUMBERS;
        const struct trop_value value = { .kind = known ? TROP_KIND_NUMBER : TROP_KIND_NULL,
                                          .number = known ? interval.numbers[end] : 0 };
        print_steps(&value);
    }
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        struct trop_value value = cell_of(job, names[k], row);
        print_steps(&value);
    }
    if (shadowed(job)) {
        struct trop_value value = cell_of(job, "log10_shadow", row);
        print_steps(&value);
    }
    printf("\n");
}

/* Each hypothesis that fails, a line or two, with what the table of fields says of it. */
static void print_failed(const char *names)
{
    static const char start[] = "hypothesis ";

    for (const struct trop_field *field = trop_escape_field_table(); field->name; field++) {
        const char *const name = strrchr(field->name, '.');
        const size_t length = name ? strlen(name + 1) : 0;
        const char *const at = length ? strstr(names, name + 1) : NULL;
        if (at && strncmp(field->meaning, start, strlen(start)) == 0 &&
            (at[length] == ',' || at[length] == '\0')) {
            printf("%-13sfails: ", "hypothesis");
            cli_print_words(field->meaning + strlen(start), 20);
        }
    }
}

/* What the columns of bounds are. */
static void print_legend(void)
{
    printf("\nexact: median by the exact law, where it is known. repaired, printed: lower bounds\n"
           "of the median by theorem 5.4, as corrected here and as the paper prints it (which\n"
           "is false). arrival: first step at which every token is near its vertex.\n");
}

static void print_summary(const struct trop_job *job)
{
    struct trop_value failed = cli_print_value(job, "hypotheses.failed");
    struct trop_value fit = cli_print_value(job, "exponent.fit");
    struct trop_value error = cli_print_value(job, "exponent.standard_error");
    struct trop_value advice = cli_print_value(job, "advice");

    long long groups = (long long)cli_print_value(job, "constants.groups").integer;
    printf("%-13s%lld in %lld group%s\n", "tokens",
           (long long)cli_print_value(job, "constants.n").integer, groups, groups == 1 ? "" : "s");
    cli_print_number(job, "c0", "constants.c0", 6);
    if (failed.kind == TROP_KIND_TEXT) {
        print_failed(failed.text);
    } else {
        printf("%-13s%s\n", "hypotheses", "all hold");
    }
    if (fit.kind == TROP_KIND_NUMBER) {
        printf("%-13s%.6g", "exponent", fit.number);
        printf(error.kind == TROP_KIND_NUMBER ? " +- %.2g\n" : "\n", error.number);
    }
    if (advice.kind == TROP_KIND_TEXT) {
        printf("%-13s", "advice");
        cli_print_words(advice.text, 13);
    }
    cli_print_out(job);
    printf("\n%10s%13s%13s%13s%13s%13s%13s%13s", "beta", "median", "from (99%)", "to (99%)",
           "exact", "repaired", "printed", "arrival");
    if (shadowed(job)) {
        printf("%13s", "shadow");
    }
    printf("\n");
    for (int64_t row = 0; row < cli_print_value(job, "betas").shape[0]; row++) {
        print_row(job, row);
    }
    print_legend();
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "Groups are the cells of the cloud at step 0 (tropism cells); a token on a wall\n"
    "between two is refused. The exit is the first step, counted from 1, after which\n"
    "some token is farther than RADIUS from the convex hull of its group at step 0.\n"
    "The chain's waiting is skipped exactly in law, the flow's by leaps: beta may be\n"
    "1e4. At beta 0 and below exits come within a few steps. In a cloud of one group\n"
    "no token can leave: never. LIST is 2,4,6 or 2:60 or 2:60:2, or such parts with\n"
    "commas between. A MATRIX is identity, a number times it, or a file (.npy, .csv,\n"
    "FILE.h5:/path, - for standard input).\n"
    "\n"
    "Exit status: 0 done; 1 a failure, a file that cannot be read or written or has\n"
    "wrong contents, or a study that ended early (--time-limit, Ctrl-C; what is\n"
    "known is printed); 2 a wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "", "In HDF5 these are the datasets of `/result`.", trop_escape_field_table, NULL },
    { "beside the result",
      "In JSON only. `tokens` (n, d) is there too when n d is at most 10000 or with\n"
      "`--print-tokens`; in HDF5 it is `/input/tokens`.",
      trop_job_stamp_table, NULL },
    { 0 },
};

const struct cli_verb cli_escape = {
    .name = VERB,
    .unit = "runs",
    .print = print_summary,
    .notes = notes,
    .examples = "tropism escape --init polygon --n 3 --beta 2:6\n"
                "tropism escape --init polygon --n 3 --beta 4,8,16,32,64 --dynamics flow\n"
                "tropism escape --tokens x.csv --beta 2:60:2 --gamma 0.2 --runs 500 --json\n",
    .sections = sections,
};
