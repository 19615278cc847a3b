/* lm_thm_t5.c -- the quiescence certificate.
 *
 * A partition into groups such that at step 0, for every token i of a group G,
 *
 *   Q1   max_{j in G} S_ij - min_{j in G} S_ij <= inf eps
 *   Q2   min_{j in G} S_ij - max_{l not in G} S_il > sup eps
 *
 * has C_i(t) = G forever, with the mean mu of each group at rest and
 *
 *   x_i(t) = mu + (1-gamma)^t (x_i(0) - mu).
 *
 * Q1 and Q2 are signs of expressions linear in each token, whose extremes over the hulls of the
 * groups are at tokens of step 0. The partition is found here from the scores of the first tokens;
 * the certificate of the library is compared with it afterwards.
 */
#include "claim/lm/lm.h"

#include <math.h>

enum { USE_KIND = 32, USE_SWING };

/* A third each: A = I and constant epsilon, A nearly I and not symmetric, swinging epsilon. */
static void draw(struct trop_case *c)
{
    const int64_t kind = trop_case_has(c, "tokens") ? 0 : c->trial % 3;

    trop_lm_draw_groups(c);
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *A = kind == 1 ? trop_case_absent(c, "A", d, d, 0) : NULL;
    for (int64_t k = 0; A && k < d * d; k++) {
        A[k] = (k % (d + 1) == 0) + .03 * trop_case_normal(c, USE_KIND, k);
    }
    if (kind == 2) {
        trop_case_default(c, "swing", .05 * trop_case_uniform(c, USE_SWING, 0));
    }
}

/* ---- the conclusion ---- */

/* C_i(t) is the group of i; pairs in doubt count neither way. */
static void judge_sets(struct trop_judge *judge, const struct trop_case *c,
                       const struct trop_lm_partition *p)
{
    for (int64_t t = 0; t < trop_case_size(c, "path", 0); t++) {
        const int64_t *sets = trop_lm_sets(c, t);
        int64_t wrong = 0;
        for (int64_t k = 0; k < p->n * p->n; k++) {
            const int is_mate = p->labels[k / p->n] == p->labels[k % p->n];
            wrong += sets[k] >= 0 && sets[k] != is_mate;
        }
        trop_judge_at_most(judge, "pairs that the sets have wrong", t, (double)wrong, 0, 0);
    }
}

/* |x_i(t+1) - x_j(t+1)| / |x_i(t) - x_j(t)| inside a group, which needs no mean, while the distance
 * is far above its rounding. */
static void judge_rate(struct trop_judge *judge, const struct trop_case *c,
                       const struct trop_lm_partition *p)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double gamma = trop_case_number(c, "gamma"), unit = trop_lm_step_error(c);

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        const double error = (double)(t + 2) * unit;
        for (int64_t i = 0; i < p->n; i++) {
            for (int64_t j = 0; j < i; j++) {
                const double gap = trop_lm_gap(path, t, i, j);
                if (p->labels[i] == p->labels[j] && gap > 1e4 * error) {
                    trop_judge_near(judge, "factor by which a distance shrinks", t,
                                    trop_lm_gap(path, t + 1, i, j) / gap, 1 - gamma,
                                    4 * error / gap);
                }
            }
        }
    }
}

static void judge_library(struct trop_judge *judge, const struct trop_case *c,
                          const struct trop_lm_partition *p)
{
    const struct trop_view limits = trop_case_view(c, "limits");

    trop_judge_near(judge, "certificate of the library is quiescence", -1,
                    trop_case_number(c, "kind"), 1, 0);
    trop_judge_near(judge, "step of the library's certificate", -1, trop_case_number(c, "since"), 0,
                    0);
    trop_judge_near(judge, "groups of the library's certificate", -1, trop_case_number(c, "groups"),
                    (double)p->groups, 0);
    trop_judge_near(judge, "rate of the library's certificate", -1, trop_case_number(c, "rate"),
                    1 - trop_case_number(c, "gamma"), 4e-16);
    for (int64_t i = 0; i < p->n; i++) {
        trop_judge_at_most(judge, "distance of the library's limit from the mean", -1,
                           trop_tokens_distance(p->means + p->labels[i] * p->d,
                                                trop_case_view_row(limits, i), p->d),
                           0, trop_lm_step_error(c));
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_lm_partition p = trop_lm_groups(c);

    trop_lm_judge_closed_form(judge, c, &p);
    judge_rate(judge, c, &p);
    judge_sets(judge, c, &p);
    judge_library(judge, c, &p);
}

const struct trop_claim trop_lm_thm_t5 = {
    .id = "lm-thm-t5",
    .title = "quiescence certificate",
    .statement = "When the neighbour sets are a partition in which scores inside a group differ by "
                 "at most inf eps and exceed those outside by more than sup eps, the sets stay "
                 "forever and every token goes straight to the mean of its group, by 1 - gamma a "
                 "step.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Checked over the steps of the path: closed form, means at rest, sets, rate; and the "
              "certificate of the library against the partition that is found here.",
    .inputs = "tokens A gamma epsilon swing ratio steps",
    .hypotheses = TROP_HYPOTHESES(TROP_LM_STEP_SIZE, TROP_LM_QUIESCENT),
    .run = { draw, trop_lm_limits_and_path, conclude },
    .spoils = TROP_SPOILS(
        { "the path of gamma + 1e-6", NULL, .edit = "work path with gamma += 1e-6" },
        { "the farthest token of the last step is 1e-6 farther out than before", NULL },
        { "a limit of the library is off by 1e-6", NULL, .edit = "limits[0,0] += 1e-6" },
        /* A token then hears only those next to it in score: the sets overlap. */
        { "epsilon = 1e-4, below the spread of the groups", "quiescent",
          .edit = "drop swing; epsilon = 1e-4" },
        { "epsilon = 1.5, the gap between groups of a triangle", "quiescent",
          .edit = "drop swing; epsilon = 1.5" },
        { "epsilon grows by 5 percent a step", "quiescent", .edit = "drop swing; ratio = 1.05" }),
    .trials = 100,
};
