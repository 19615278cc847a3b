/* mm_best.c -- inputs with several best tokens (max-margin paper, appendix D: ATT-SVM'). */
#include "claim/mm/mm.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>

int trop_mm_best_is(const struct trop_mm *m, int64_t i, int64_t t)
{
    return trop_mm_score(m, i, t) >= trop_mm_score(m, i, trop_mm_optimal(m, i));
}

/* The best token that p prefers, and its lead over those that are not best. */
int64_t trop_mm_best_preferred(double *lead, const struct trop_mm *m, int64_t i, const double *p)
{
    int64_t a = trop_mm_optimal(m, i);

    for (int64_t t = 0; t < m->T; t++) {
        a = trop_mm_best_is(m, i, t) && trop_mm_lead(m, i, t, a, p) > 0 ? t : a;
    }
    *lead = INFINITY;
    for (int64_t t = 0; t < m->T; t++) {
        *lead = trop_mm_best_is(m, i, t) ? *lead : fmin(*lead, trop_mm_lead(m, i, a, t, p));
    }
    return a;
}

/* "0|2,1": the best tokens of every input, as the library takes ATT-SVM'. */
enum trop_status trop_mm_best_solve(struct trop_case *c)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_mm m;
    char select[1024];
    int64_t used = 0;

    trop_mm_open(&m, c);
    for (int64_t i = 0; i < m.n; i++) {
        const char *mark = i > 0 ? "," : "";
        for (int64_t t = 0; t < m.T && used < 1000; t++) {
            if (trop_mm_best_is(&m, i, t)) {
                used += snprintf(select + used, sizeof select - (size_t)used, "%s%lld", mark,
                                 (long long)t);
                mark = "|";
            }
        }
    }
    if (used >= 1000) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "too many inputs to write their best tokens down");
    }
    o.model = TROP_MODEL_PROMPT;
    o.select = select;
    return trop_mm_solve_with(c, &o, "p_mm");
}

/* The rows of one choice of best tokens against those that are not best. */
static int64_t list_rows(int64_t *plus, int64_t *minus, const struct trop_mm *m, const double *p)
{
    int64_t count = 0;
    double lead = 0;

    for (int64_t i = 0; i < m->n; i++) {
        const int64_t a = trop_mm_best_preferred(&lead, m, i, p);
        for (int64_t t = 0; t < m->T; t++) {
            plus[count] = i * m->T + a;
            minus[count] = i * m->T + t;
            count += !trop_mm_best_is(m, i, t);
        }
    }
    return count;
}

/* The max-margin problem of what p prefers, from its rows: "own" and what goes with it. */
enum trop_status trop_mm_best_solve_choice(struct trop_case *c, const struct trop_mm *m,
                                           const double *p)
{
    const int64_t room = m->n * m->T + 1;
    int64_t *integers = trop_alloc(4 * room, sizeof *integers);
    double *right = trop_alloc(room, sizeof *right), one = 1;
    struct trop_margin_options o = trop_margin_options_default();

    if (!integers || !right) {
        trop_alloc_free(integers);
        trop_alloc_free(right);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the rows of a choice");
    }
    struct trop_problem problem = {
        .rows = m->dk,
        .columns = 1,
        .points = m->n * m->T,
        .queries = 1,
        .count = list_rows(integers, integers + room, m, p),
        .point = m->key,
        .query = &one,
        .plus = integers,
        .minus = integers + room,
        .asked = integers + 2 * room,
        .equal = integers + 2 * room,
        .right = right,
        .input = integers + 3 * room,
        .token = integers + 3 * room,
    };
    for (int64_t j = 0; j < problem.count; j++) {
        right[j] = 1;
    }
    o.problem = &problem;
    enum trop_status status = trop_mm_solve_with(c, &o, "choice");
    trop_alloc_free(integers);
    trop_alloc_free(right);
    return status;
}
