/* mm_best.c -- inputs with several best tokens (max-margin paper, appendix D: ATT-SVM'). */
#include "claim/mm/mm.h"

#include <stdio.h>
#include <string.h>

int trop_mm_best_is(const struct trop_mm *m, int64_t i, int64_t t)
{
    return trop_mm_score(m, i, t) >= trop_mm_score(m, i, trop_mm_optimal(m, i));
}

/* The best token that p prefers. */
static int64_t preferred(const struct trop_mm *m, int64_t i, const double *p)
{
    int64_t a = trop_mm_optimal(m, i);

    for (int64_t t = 0; t < m->T; t++) {
        a = trop_mm_best_is(m, i, t) && trop_mm_lead(m, i, t, a, p) > 0 ? t : a;
    }
    return a;
}

/* "0|2,1": the best tokens of every input, as the library takes ATT-SVM'. */
void trop_mm_best_solve(struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);
    char select[900];
    int64_t used = 0;

    for (int64_t i = 0; i < m.n; i++) {
        const char *mark = i > 0 ? "," : "";
        for (int64_t t = 0; t < m.T && used < 880; t++) {
            if (trop_mm_best_is(&m, i, t)) {
                used += snprintf(select + used, sizeof select - (size_t)used, "%s%lld", mark,
                                 (long long)t);
                mark = "|";
            }
        }
    }
    if (used >= 880) {
        trop_case_refuse(c, "too many inputs to write their best tokens down");
    }
    trop_case_solve(c, "p_mm", "lower upper outcome", "model=prompt select=%s", select);
}

/* The max-margin problem of what p prefers, from its rows. */
void trop_mm_best_solve_choice(double *out, double *lower, const struct trop_case *c,
                               const double *p)
{
    const struct trop_mm m = trop_mm_of(c);
    const int64_t room = m.n * m.T + 1;
    int64_t *plus = trop_case_scratch_integers(c, 2 * room), *minus = plus + room;
    int64_t *zeros = trop_case_scratch_integers(c, room);
    double *right = trop_case_scratch(c, room), one = 1;
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_problem problem = {
        .rows = m.dk,
        .columns = 1,
        .points = m.n * m.T,
        .queries = 1,
        .point = m.key,
        .query = &one,
        .plus = plus,
        .minus = minus,
        .asked = zeros,
        .equal = zeros,
        .right = right,
        .input = zeros,
        .token = zeros,
    };

    for (int64_t at = 0; at < m.n * m.T; at++) {
        const int64_t i = at / m.T;
        plus[problem.count] = i * m.T + preferred(&m, i, p);
        minus[problem.count] = at;
        right[problem.count] = 1;
        problem.count += !trop_mm_best_is(&m, i, at % m.T);
    }
    o.problem = &problem;
    const struct trop_margin *margin = trop_case_margin(c, &o);
    memcpy(out, trop_margin_weights(margin), (size_t)m.dk * sizeof *out);
    *lower = trop_case_told(c, trop_margin_field_table(), margin, "lower");
}
