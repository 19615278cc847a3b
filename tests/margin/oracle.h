/* oracle.h -- a max-margin problem answered by tests/oracle.py and by us, and the two compared.
 *
 * tests/oracle.py asks SciPy (NNLS, HiGHS) and cvxopt (coneqp, cp, sdp) for W and lambda, and turns
 * them into bounds that hold for the rows A_j it reads, whatever the solvers did. Ours are bounds
 * too, so two brackets of one optimum must overlap; no tolerance enters when the rows are exact:
 *
 *   ours.lower <= oracle.upper   and   oracle.lower <= ours.upper.
 *
 * Exact they are when points and queries lie on a grid: a difference then has at most 53 bits and
 * the product with a query too, which is asserted. On other data an entry of A_j is off by two
 * roundings, 2.1 u of itself, so <A_j, W> is off by less than 2.1 sqrt(8) u |A_j|_dual |W| <=
 * 6 u kappa in any of the norms up to order 8, and with all right sides 1 the optimum by as much of
 * itself; 8 u kappa is allowed there.
 *
 * TROP_SOURCE is the source folder. */
#ifndef TROP_TESTS_ORACLE_H
#define TROP_TESTS_ORACLE_H

#include "margin_support.h"
#include "scratch.h"

#include <sys/wait.h>

#define UNIT 0x1p-53

/* ---- instances ------------------------------------------------------------------------------ */

struct instance {
    struct sample sample;
    const char *kind;
    int64_t norm; /* enum trop_margin_norm */
    double p;     /* of lp */
    int exact;    /* the rows that oracle.py reads are the rows of the problem */
    char answer;  /* of the oracle: b (bounds), i (infeasible), u (undecided) */
    double lower, upper;
};

static const char *const norm_names[] = { "l2", "lp", "l1", "linf", "nuclear", "spectral" };
static const double exponents[] = { 1.01, 1.05, 1.1, 1.25, 1.5, 1.75, 2.5, 3, 4, 6, 8, 16, 64 };

enum { NORMS = sizeof norm_names / sizeof norm_names[0] };

/* ---- asking the oracle --------------------------------------------------------------------- */

/* a - b and a * b without a rounding. */
static inline int is_exact_difference(double a, double b)
{
    const double s = a - b, t = s - a;
    return (a - (s - t)) - (b + t) == 0;
}

static inline int is_exact_product(double a, double b)
{
    return fma(a, b, -(a * b)) == 0;
}

static inline void check_exact(const struct trop_problem *problem, int64_t j)
{
    const double *plus = problem->point + problem->plus[j] * problem->rows;
    const double *minus = problem->point + problem->minus[j] * problem->rows;
    const double *z = problem->query + problem->asked[j] * problem->columns;

    for (int64_t a = 0; a < problem->rows; a++) {
        assert_true(is_exact_difference(plus[a], minus[a]));
        for (int64_t b = 0; b < problem->columns; b++) {
            assert_true(is_exact_product(plus[a] - minus[a], z[b]));
        }
    }
}

static inline void write_instance(FILE *file, const struct instance *it)
{
    const struct trop_problem *problem = &it->sample.problem;
    double row[64];

    fprintf(file, "{\"norm\": \"%s\", \"p\": %.17g, \"rows\": %lld, \"columns\": %lld, \"A\": [",
            norm_names[it->norm], it->p, (long long)problem->rows, (long long)problem->columns);
    for (int64_t j = 0; j < problem->count; j++) {
        if (it->exact) {
            check_exact(problem, j);
        }
        sample_row(row, problem, j);
        for (int64_t a = 0; a < problem->rows * problem->columns; a++) {
            fprintf(file, "%s%.17g", a > 0 ? ", " : j > 0 ? "], [" : "[", row[a]);
        }
    }
    fprintf(file, "]], \"right\": [");
    for (int64_t j = 0; j < problem->count; j++) {
        fprintf(file, "%s%.17g", j > 0 ? ", " : "", problem->right[j]);
    }
    fprintf(file, "], \"equal\": [");
    for (int64_t j = 0; j < problem->count; j++) {
        fprintf(file, "%s%d", j > 0 ? ", " : "", (int)problem->equal[j]);
    }
    fprintf(file, "]}\n");
}

static inline void fail_with_errors(int status)
{
    char text[2000] = { 0 };
    FILE *file = fopen(scratch("errors"), "r");

    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    fail_msg("tests/oracle.py ended with %d; it needs /usr/bin/python3 with python3-cvxopt and "
             "python3-scipy (scripts/dependencies.sh test): %s",
             WIFEXITED(status) ? WEXITSTATUS(status) : -1, text);
}

static inline void read_answer(FILE *file, struct instance *it)
{
    char line[200];

    assert_non_null(fgets(line, sizeof line, file));
    it->answer = line[0] == 'i' || line[0] == 'u' ? line[0] : 'b';
    if (it->answer == 'b' && sscanf(line, "%lf %lf", &it->lower, &it->upper) != 2) {
        fail_msg("tests/oracle.py wrote: %s", line);
    }
}

static const char *file_name; /* of the problems */

/* All of them in one run: starting Python takes longer than solving most of them. */
static inline void ask(struct instance *list, int64_t count, const char *name)
{
    file_name = name;
    char command[2000];
    FILE *file = fopen(scratch(file_name), "w");

    assert_non_null(file);
    for (int64_t k = 0; k < count; k++) {
        write_instance(file, &list[k]);
    }
    assert_int_equal(fclose(file), 0);
    assert_non_null(getenv("TROP_SOURCE"));
    snprintf(command, sizeof command, "/usr/bin/python3 '%s/tests/oracle.py' %s >%s 2>%s",
             getenv("TROP_SOURCE"), scratch(file_name), scratch("answers"), scratch("errors"));
    int status = system(command);
    if (status != 0) {
        fail_with_errors(status);
    }
    file = fopen(scratch("answers"), "r");
    assert_non_null(file);
    for (int64_t k = 0; k < count; k++) {
        read_answer(file, &list[k]);
    }
    fclose(file);
}

/* ---- our answer ---------------------------------------------------------------------------- */

struct ours {
    char outcome[32], kind[32];
    double lower, upper, gap;
};

static inline double number_at(const struct trop_margin *margin, const char *name)
{
    struct trop_value value = { 0 };

    assert_ok(trop_margin_value(&value, margin, name));
    return value.kind == TROP_KIND_NUMBER ? value.number : NAN;
}

static inline void text_at(char *out, size_t size, const struct trop_margin *margin,
                           const char *name)
{
    struct trop_value value = { 0 };

    assert_ok(trop_margin_value(&value, margin, name));
    snprintf(out, size, "%s", value.kind == TROP_KIND_TEXT ? value.text : "");
}

/* The minimal build has no CLP, and says so of l1 and linf; no other may. */
static inline int is_absent(enum trop_status status)
{
    return status == TROP_ERR_UNSUPPORTED && strcmp(trop_lapack_core(), "none") == 0;
}

static inline struct ours solve(const struct instance *it, int64_t norm)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    struct ours out = { .gap = NAN };

    o.problem = &it->sample.problem;
    o.norm = norm;
    o.p = norm == TROP_MARGIN_LP ? it->p : o.p;
    o.threads = 1;
    assert_ok(trop_margin_create(&margin, &o));
    enum trop_status status = trop_margin_run(margin, NULL, NULL);
    if (is_absent(status)) {
        trop_margin_free(margin);
        snprintf(out.outcome, sizeof out.outcome, "absent");
        return out;
    }
    if (status != TROP_ERR_STOPPED) { /* the outcome says what it means */
        assert_ok(status);
    }
    text_at(out.outcome, sizeof out.outcome, margin, "outcome");
    text_at(out.kind, sizeof out.kind, margin, "certificate.kind");
    out.lower = number_at(margin, "lower");
    out.upper = number_at(margin, "upper");
    out.gap = number_at(margin, "gap");
    trop_margin_free(margin);
    return out;
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* The q-norm of v, 1 <= q <= infinity. */
static inline double vector_norm(const double *v, int64_t count, double q)
{
    double top = 0, sum = 0;

    for (int64_t c = 0; c < count; c++) {
        top = fmax(top, fabs(v[c]));
    }
    for (int64_t c = 0; c < count && top > 0 && isfinite(q); c++) {
        sum += pow(fabs(v[c]) / top, q);
    }
    return isfinite(q) ? top * pow(sum, 1 / q) : top;
}

/* |A_j|_dual: of an outer product the entrywise norms are products, and so are the nuclear and the
 * spectral norm, with q = 2. */
static inline double dual_size(const struct trop_problem *problem, int64_t j, int64_t norm,
                               double p)
{
    const double exponent[NORMS] = { 2, p / (p - 1), (double)INFINITY, 1, 2, 2 };
    const double *plus = problem->point + problem->plus[j] * problem->rows;
    const double *minus = problem->point + problem->minus[j] * problem->rows;
    double left[8];

    for (int64_t a = 0; a < problem->rows; a++) {
        left[a] = plus[a] - minus[a];
    }
    return vector_norm(left, problem->rows, exponent[norm]) *
           vector_norm(problem->query + problem->asked[j] * problem->columns, problem->columns,
                       exponent[norm]);
}

static inline double kappa_of(const struct instance *it, double size)
{
    double most = 0;

    for (int64_t j = 0; j < it->sample.problem.count; j++) {
        most = fmax(most, dual_size(&it->sample.problem, j, it->norm, it->p));
    }
    return most * size;
}

/* The gaps that issue 5 promises. */
static inline double promised(int64_t norm, double p)
{
    switch ((enum trop_margin_norm)norm) {
    case TROP_MARGIN_L2:
        return 1e-10;
    case TROP_MARGIN_LP:
        return p >= 1.05 && p <= 4 ? 1e-10 : p > 4 && p <= 8 ? 1e-9 : 1e-8;
    case TROP_MARGIN_L1:
    case TROP_MARGIN_LINF:
        return 1e-9;
    case TROP_MARGIN_NUCLEAR:
    case TROP_MARGIN_SPECTRAL:
        break;
    }
    return 1e-8;
}

/* What is wrong with our answer beside the oracle's; NULL: nothing. */
static inline const char *disagreement(const struct instance *it, const struct ours *ours)
{
    const int is_infeasible = strcmp(ours->outcome, "infeasible") == 0;

    if (it->answer == 'i') {
        return !is_infeasible                                      ? "not infeasible"
               : strcmp(ours->kind, "none") == 0 || !ours->kind[0] ? "without a proof"
               : !(isinf(ours->upper) && ours->lower >= 0)         ? "with an upper bound"
                                                                   : NULL;
    }
    if (it->answer == 'u') {
        return NULL;
    }
    const double kappa = kappa_of(it, ours->upper), slack = it->exact ? 1 : 1 + 8 * UNIT * kappa;
    return is_infeasible                          ? "called infeasible"
           : strcmp(ours->outcome, "solved") != 0 ? "not solved"
           : !(ours->lower <= ours->upper)        ? "bounds that cross"
           : !(ours->lower <= it->upper * slack)  ? "a lower bound above the optimum"
           : !(it->lower <= ours->upper * slack)  ? "an upper bound below the optimum"
           /* the quotient has two roundings, and kappa a few of pow's */
           : !(ours->upper / ours->lower - 1 <=
               fmax(promised(it->norm, it->p), 8 * UNIT * kappa) * (1 + 1e-9) + 4 * UNIT)
               ? "a gap wider than promised"
               : NULL;
}

static int64_t wrong;

static inline void judge(const struct instance *it, int64_t k, int64_t norm)
{
    const struct ours ours = solve(it, norm);
    const char *what = strcmp(ours.outcome, "absent") == 0 ? NULL : disagreement(it, &ours);

    if (what) {
        wrong++;
        print_error("problem %lld of %s (%s, p = %g; %s): %s\n"
                    "  ours: %s %s [%.17g, %.17g], gap %.3g; oracle: %c [%.17g, %.17g]\n",
                    (long long)k + 1, scratch(file_name), norm_names[norm], it->p, it->kind, what,
                    ours.outcome, ours.kind, ours.lower, ours.upper, ours.gap, it->answer,
                    it->lower, it->upper);
    }
}

/* Files of problems that went wrong are kept. */
static inline void finish(struct instance *list, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        sample_free(&list[k].sample);
    }
    free(list);
    const int64_t here = wrong;
    wrong = 0;
    assert_int_equal(here, 0);
    unlink(scratch(file_name));
    unlink(scratch("answers"));
    unlink(scratch("errors"));
}

static inline int64_t count_answers(const struct instance *list, int64_t count, char answer)
{
    int64_t found = 0;

    for (int64_t k = 0; k < count; k++) {
        found += list[k].answer == answer;
    }
    return found;
}

#endif
