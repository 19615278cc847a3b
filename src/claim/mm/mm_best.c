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

/* The best tokens that p does not prefer get the key of one that is not best, and ask for no more
 * than it does. */
void trop_mm_best_solve_choice(double *out, double *lower, const struct trop_case *c,
                               const double *p)
{
    void *mark = trop_case_mark(c);
    struct trop_case *own = trop_case_aside(c);
    const struct trop_mm m = trop_mm_of(c);
    double *alpha = trop_case_zeros(own, "alpha", m.n, 0, 0);
    double *key = trop_case_copy_in(own, "K", m.key, m.n, m.T, m.dk);

    for (int64_t at = 0; at < m.n * m.T; at++) {
        const int64_t i = at / m.T, a = preferred(&m, i, p);
        int64_t other = 0;
        while (other < m.T - 1 && trop_mm_best_is(&m, i, other)) {
            other++;
        }
        alpha[i] = (double)a;
        if (at % m.T != a && trop_mm_best_is(&m, i, at % m.T)) {
            memcpy(key + at * m.dk, m.key + (i * m.T + other) * m.dk, (size_t)m.dk * sizeof *key);
        }
    }
    trop_case_solve(own, "own", "lower", "model=prompt select=@alpha");
    memcpy(out, trop_case_array(own, "own"), (size_t)m.dk * sizeof *out);
    *lower = trop_case_number(own, "own_lower");
    trop_case_release(c, mark);
}
