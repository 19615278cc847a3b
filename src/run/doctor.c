/* doctor.c -- what this build and this machine can do, and whether they do it right.
 *
 * The self-test runs small flows with answers known by hand on every kernel that
 * runs here. The first two are G1 and G2 of claim lm-rem-golden, alpha = 1: two tokens
 * on a line that meet at .859375, and three of which one comes to rest between the
 * others; under hardmax both have limits that are tokens. The cells of a square with its
 * centre are its quarters, and the centre is in none of them alone.
 */
#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"
#include "io/h5/h5.h"
#include "io/json/json_read.h"
#include "io/sqlite.h"
#include "io/yaml.h"
#include "margin/norm.h"
#include "run/verb.h"
#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TESTS_MAX 32
#define LIBRARIES 8

struct library {
    const char *name, *use;
    char version[64];
};

struct test {
    const char *kernel, *name;
    int ok;
    char found[160];
};

struct trop_doctor {
    const char *version, *kernel, *blas;
    int64_t cores;
    struct library *libraries;
    int64_t library_count;
    struct test *tests; /* (TESTS_MAX) */
    int64_t count, failed;
    int healthy;
    char kernels[128];
    char warning[256];
};

/* ---- self-test -------------------------------------------------------------------------- */

#define NO_ANSWER \
    { \
        0 \
    }
static const struct {
    const char *name;
    int64_t n, d;
    double tokens[8];
    const char *options[12];
    double answer[8]; /* where every token comes to rest */
    double tolerance; /* 0: the bits of the baseline kernel only */
} cases[] = {
    { "two tokens, localmax",
      2,
      1,
      { 1, .5 },
      { "rule", "localmax", "epsilon", "0.3", "alpha", "1", "steps", "200" },
      { .859375, .859375 },
      1e-12 },
    { "three tokens, localmax",
      3,
      1,
      { 1, -1, .05 },
      { "rule", "localmax", "epsilon", "0.2", "alpha", "1", "steps", "200" },
      { 1, -1, 0 },
      1e-12 },
    { "three tokens, hardmax",
      3,
      1,
      { 1, -1, .05 },
      { "rule", "hardmax", "alpha", "1", "steps", "200" },
      { 1, -1, 1 },
      1e-12 },
    { "64 tokens, softmax",
      64,
      3,
      NO_ANSWER,
      { "rule", "softmax", "beta", "4", "steps", "50" },
      NO_ANSWER,
      0 },
    { "64 tokens, hardmax", 64, 2, NO_ANSWER, { "rule", "hardmax", "steps", "50" }, NO_ANSWER, 0 },
};
#undef NO_ANSWER
#define CASES ((int64_t)(sizeof cases / sizeof cases[0]))

/* Runs a case on a kernel; *flow is the caller's to free. */
static enum trop_status run_case(struct trop_flow **flow, int64_t which, const char *kernel)
{
    struct trop_flow_options options = trop_flow_options_default();
    const struct trop_option *table = trop_flow_option_table();
    enum trop_status status = trop_option_set(&options, table, "kernel", kernel);

    for (int k = 0; cases[which].options[k] && status == TROP_OK; k += 2) {
        status =
            trop_option_set(&options, table, cases[which].options[k], cases[which].options[k + 1]);
    }
    options.cloud.n = cases[which].n;
    options.cloud.d = cases[which].d;
    options.cloud.tokens = cases[which].tolerance > 0 ? cases[which].tokens : NULL;
    options.threads = 1;
    if (status == TROP_OK) {
        status = trop_flow_create(flow, &options);
    }
    return status == TROP_OK ? trop_flow_run(*flow, NULL, NULL) : status;
}

static int answer_is_right(char *found, size_t size, int64_t which, const double *tokens)
{
    for (int64_t i = 0; i < cases[which].n && cases[which].tolerance > 0; i++) {
        if (!(fabs(tokens[i] - cases[which].answer[i]) <= cases[which].tolerance)) {
            snprintf(found, size, "token %lld is at %.17g, must be at %.17g", (long long)i,
                     tokens[i], cases[which].answer[i]);
            return 0;
        }
    }
    return 1;
}

/* The answer on one kernel, and its bits against those of the baseline. */
static enum trop_status examine(struct trop_doctor *doctor, int64_t which, const char *kernel)
{
    struct trop_flow *flow = NULL, *baseline = NULL;
    struct test *test = doctor->tests + doctor->count++;
    enum trop_status status = run_case(&flow, which, kernel);

    *test = (struct test){ .kernel = kernel, .name = cases[which].name };
    if (status == TROP_OK) {
        status = run_case(&baseline, which, "baseline");
    }
    if (status != TROP_OK) {
        snprintf(test->found, sizeof test->found, "%.150s", trop_error());
    } else if (memcmp(trop_flow_tokens(flow), trop_flow_tokens(baseline),
                      (size_t)(cases[which].n * cases[which].d) * sizeof(double)) != 0) {
        snprintf(test->found, sizeof test->found, "its bits differ from those of baseline");
    } else {
        test->ok = answer_is_right(test->found, sizeof test->found, which, trop_flow_tokens(flow));
    }
    doctor->failed += !test->ok;
    trop_flow_free(flow);
    trop_flow_free(baseline);
    return status == TROP_ERR_MEMORY ? status : TROP_OK;
}

/* No kernel is at work in the cells: their signs are decided exactly. */
static enum trop_status examine_cells(struct trop_doctor *doctor)
{
    static const double square[] = { 1, 1, -1, 1, -1, -1, 1, -1, 0, 0 };
    static const int64_t answer[] = { 0, 1, 2, 3, -1 };
    struct trop_cells_options options = trop_cells_options_default();
    struct test *test = doctor->tests + doctor->count++;
    struct trop_cells *cells = NULL;
    struct trop_value labels = { 0 };

    options.cloud.n = 5;
    options.cloud.tokens = square;
    options.threads = 1;
    *test = (struct test){ .kernel = "-", .name = "a square, cells" };
    enum trop_status status = trop_cells_create(&cells, &options);
    if (status == TROP_OK) {
        status = trop_cells_value(&labels, cells, "labels");
    }
    if (status != TROP_OK) {
        snprintf(test->found, sizeof test->found, "%.150s", trop_error());
    } else if (memcmp(labels.integers, answer, sizeof answer) != 0) {
        snprintf(test->found, sizeof test->found, "a token is in the cell of another vertex");
    } else {
        test->ok = 1;
    }
    doctor->failed += !test->ok;
    trop_cells_free(cells);
    return status == TROP_ERR_MEMORY ? status : TROP_OK;
}

static enum trop_status examine_all(struct trop_doctor *doctor)
{
    for (const char *const *name = trop_kernel_names() + 1; *name; name++) {
        /* A kernel that this machine cannot run is refused. */
        const char *pairs[] = { "n", "2", "d", "1", "kernel", *name, NULL };
        struct trop_flow *flow = NULL;
        enum trop_status status = trop_flow_create_from(&flow, pairs);
        trop_flow_free(flow);
        if (status == TROP_ERR_MEMORY) {
            return status;
        }
        if (status != TROP_OK) {
            continue;
        }
        size_t used = strlen(doctor->kernels);
        snprintf(doctor->kernels + used, sizeof doctor->kernels - used, "%s%s", used ? ", " : "",
                 *name);
        for (int64_t which = 0; which < CASES && doctor->count < TESTS_MAX - 1; which++) {
            status = examine(doctor, which, *name);
            if (status != TROP_OK) {
                return status;
            }
        }
    }
    return TROP_OK;
}

/* ---- what is built in --------------------------------------------------------------------- */

static int has_integrator(const char *name)
{
    for (const char *const *names = trop_integrator_names(); *names; names++) {
        if (strcmp(*names, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Facets in three dimensions are Qhull's: only with it has a cube a volume. */
static enum trop_status look_at_qhull(struct library *library)
{
    const double cube[] = {
        0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1
    };
    struct trop_hull_measures measures = { .volume = NAN };
    struct trop_hull *hull = NULL;
    enum trop_status status = trop_hull_create(&hull, cube, 8, 3, 1);

    if (status == TROP_OK) {
        status = trop_hull_measure(&measures, hull);
    }
    trop_hull_free(hull);
    *library = (struct library){ .name = "Qhull", .use = "hulls in 3 to 6 dimensions" };
    snprintf(library->version, sizeof library->version, "%s",
             status == TROP_OK && fabs(measures.volume - 1) < 1e-9 ? "built in" : "none");
    return status == TROP_ERR_MEMORY ? status : TROP_OK;
}

/* The problem min |W| s.t. <(3, 4), W> >= 1 in a norm; NaN when it is not solved. */
static enum trop_status solve_one(double *found, int64_t norm)
{
    const double point[] = { 3, 4 }, query[] = { 1 }, right[] = { 1 };
    const int64_t plus[] = { 0 }, minus[] = { -1 }, zero[] = { 0 };
    const struct trop_problem problem = {
        .rows = 2,
        .columns = 1,
        .points = 1,
        .queries = 1,
        .count = 1,
        .point = point,
        .query = query,
        .plus = plus,
        .minus = minus,
        .asked = zero,
        .equal = zero,
        .right = right,
        .input = zero,
        .token = zero,
    };
    struct trop_margin_options options = trop_margin_options_default();
    struct trop_margin *margin = NULL;

    options.problem = &problem;
    options.norm = norm;
    options.p = 3;
    options.threads = 1;
    enum trop_status status = trop_margin_create(&margin, &options);
    if (status == TROP_OK) {
        status = trop_margin_run(margin, NULL, NULL);
    }
    *found = NAN;
    if (status == TROP_OK) {
        status = trop_margin_number(found, margin, "norm");
    }
    trop_margin_free(margin);
    return status == TROP_ERR_MEMORY ? status : TROP_OK;
}

static enum trop_status examine_margins(struct trop_doctor *doctor)
{
    for (int64_t k = 0; k < TROP_NORM_COUNT && doctor->count < TESTS_MAX; k++) {
        const struct trop_norm *norm = trop_norm_of(k);
        struct test *test = doctor->tests + doctor->count++;
        double found;
        enum trop_status status = solve_one(&found, k);
        if (status != TROP_OK) {
            return status;
        }
        *test = (struct test){ .kernel = "-", .name = norm->test };
        test->ok = fabs(found - norm->test_norm) <= 1e-9;
        doctor->failed += !test->ok;
        if (!test->ok) {
            snprintf(test->found, sizeof test->found, "the norm is %.17g, must be %.17g", found,
                     norm->test_norm);
        }
    }
    return TROP_OK;
}

static enum trop_status look_at_machine(struct trop_doctor *doctor)
{
    doctor->version = trop_version();
    doctor->kernel = trop_kernel_in_use();
    doctor->blas = trop_lapack_core();
    doctor->cores = trop_parallel_cores();
    doctor->library_count = LIBRARIES;
    if (!TROP_ALLOC(TROP_PART(doctor->libraries, LIBRARIES), TROP_PART(doctor->tests, TESTS_MAX))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a self-test");
    }
    /* OpenBLAS takes kernels of 2004 for a processor that it does not know. */
    static const char *const old[] = { "Prescott", "Core2",      "Penryn",  "Dunnington", "Nehalem",
                                       "Banias",   "Katmai",     "Atom",    "Northwood",  "Opteron",
                                       "Athlon",   "Coppermine", "generic", "GENERIC" };
    const char *better = strcmp(doctor->kernel, "avx512") == 0 ? "SkylakeX" : "Haswell";
    for (size_t k = 0; k < sizeof old / sizeof old[0] && strcmp(doctor->kernel, "baseline") != 0;
         k++) {
        if (strcmp(doctor->blas, old[k]) == 0) {
            snprintf(doctor->warning, sizeof doctor->warning,
                     "OpenBLAS does not know this processor and runs as %s, several times slower "
                     "than it could; set OPENBLAS_CORETYPE=%s in the environment",
                     doctor->blas, better);
        }
    }
    struct library *l = doctor->libraries;
    l[0] = (struct library){ .name = "HDF5", .use = "recorded runs" };
    trop_h5_version(l[0].version);
    l[1] = (struct library){ .name = "libyaml", .use = "options in a file" };
    snprintf(l[1].version, sizeof l[1].version, "%s", trop_yaml_version());
    l[2] = (struct library){ .name = "LAPACK", .use = "systems of more than 64 unknowns" };
    snprintf(l[2].version, sizeof l[2].version, "%.60s", trop_lapack_core());
    l[3] = (struct library){ .name = "SUNDIALS", .use = "integrator cvode" };
    snprintf(l[3].version, sizeof l[3].version, "%s",
             has_integrator("cvode") ? "built in" : "none");
    l[6] = (struct library){ .name = "jansson", .use = "training data and problems in JSON" };
    snprintf(l[6].version, sizeof l[6].version, "%s", trop_json_read_version());
    l[7] = (struct library){ .name = "SQLite", .use = "catalogues of studies" };
    snprintf(l[7].version, sizeof l[7].version, "%.20s",
             trop_sqlite_version()[0] ? trop_sqlite_version() : "none");
    double found;
    enum trop_status status = solve_one(&found, TROP_MARGIN_L1);
    l[5] = (struct library){ .name = "CLP", .use = "margins in l1 and linf" };
    snprintf(l[5].version, sizeof l[5].version, "%s",
             fabs(found - 0.25) <= 1e-9 ? "built in" : "none");
    return status == TROP_OK ? look_at_qhull(l + 4) : status;
}

static void release(void *numbers)
{
    struct trop_doctor *doctor = numbers;

    TROP_FREE(doctor->libraries, doctor->tests, doctor);
}

/* Lists what is built in, and runs small problems with known answers on every kernel. */
static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    struct trop_doctor *doctor = trop_alloc(1, sizeof *doctor);

    (void)setup;
    (void)job;
    if (!doctor) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a self-test");
    }
    enum trop_status status = look_at_machine(doctor);
    if (status == TROP_OK) {
        status = examine_all(doctor);
    }
    if (status == TROP_OK) {
        status = examine_cells(doctor);
    }
    if (status == TROP_OK) {
        status = examine_margins(doctor);
    }
    if (status != TROP_OK) {
        release(doctor);
        return status;
    }
    doctor->healthy = doctor->failed == 0 && doctor->count > 0;
    *out = doctor;
    return TROP_OK;
}

/* ---- fields --------------------------------------------------------------------------------- */

static int not_ok(const void *handle, int64_t row)
{
    return !((const struct trop_doctor *)handle)->tests[row].ok;
}

#define AT(member) TROP_FIELD_AT(struct trop_doctor, member)
#define TEXT(member) .kind = TROP_KIND_TEXT, AT(member)
#define LIST(member) .kind = TROP_KIND_LIST, AT(member)
#define LIBRARY(member) \
    .kind = TROP_KIND_TEXT, \
    TROP_FIELD_THROUGH(struct trop_doctor, libraries, struct library, member)
#define TEST(member) TROP_FIELD_THROUGH(struct trop_doctor, tests, struct test, member)

static const struct trop_field library_columns[] = {
    { "name", "name of the library", LIBRARY(name) },
    { "version", "version of the library, core that BLAS uses, or none", LIBRARY(version),
      .inside = 1 },
    { "use", "purpose of the library", LIBRARY(use) },
    { 0 },
};

static const struct trop_field test_columns[] = {
    { "kernel", "which kernel, - where none is at work", .kind = TROP_KIND_TEXT, TEST(kernel) },
    { "name", "which flow or cloud", .kind = TROP_KIND_TEXT, TEST(name) },
    { "ok", "the known answer, with the bits of baseline", .kind = TROP_KIND_BOOLEAN, TEST(ok) },
    { "found", "result of the test if it is wrong; null when ok", .kind = TROP_KIND_TEXT,
      TEST(found), .inside = 1, .when = not_ok },
    { 0 },
};

static const struct trop_field fields[] = {
    { "version", "version of tropism", TEXT(version) },
    { "kernel", "kernel that auto takes here", TEXT(kernel) },
    { "kernels", "kernels that run here", TEXT(kernels), .inside = 1 },
    { "blas", "BLAS core in use, or none", TEXT(blas) },
    { "cores", "workers that threads = 0 takes", .kind = TROP_KIND_INTEGER, AT(cores) },
    { "libraries", "libraries that this build uses, an object for each", LIST(library_count),
      .columns = library_columns },
    { "warning", "what makes this machine slower than it could be; null: nothing", AT(warning),
      .form = trop_field_said_inside },
    { "healthy", "every test of the self-test is ok", .kind = TROP_KIND_BOOLEAN, AT(healthy) },
    { "tests", "results of the self-test, an object for each test", LIST(count),
      .columns = test_columns },
    { 0 },
};

const struct trop_field *trop_doctor_field_table(void)
{
    return fields;
}

const struct trop_noun trop_doctor_noun = {
    .create = create,
    .free = release,
    .fields = trop_doctor_field_table,
    .bare = 1,
};
