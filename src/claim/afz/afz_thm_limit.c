/* afz_thm_limit.c -- where hardmax ends: at leaders, or at projections of the origin onto faces.
 *
 * The theorem: every token converges. Leaders reach the vertices of a polytope K in finitely many
 * layers; a token that is no leader converges to a vertex of K or to the projection of the origin
 * onto a face of K in the norm |z|_A.
 *
 * Reading. The limits are those that the library proves (neighbour sets that last from some layer
 * on, and so a closed form); a run without such a proof is no instance. With s a limit and K the
 * hull of the limits of leaders, the two alternatives together say
 *
 *   s in K   and   <A s, w> <= <A s, s> for all w in K:
 *
 * the w with equality are a face F that contains s, A s is orthogonal to F, and so s is the point
 * of aff(F) with the least A-norm; a vertex is the case F = {s}. The converse is false where 0 is
 * outside K: on a face that 0 sees, its projection is where its functional is least, and no token
 * rests there. So what is judged says more than the theorem. Both are judged, s in K by the proved
 * distance from the hull.
 *
 * Closed-form limits are means of tokens that stand still after a finite number of layers, each
 * rounding 4 u R, contracted by 1 - gamma: 4 u R/gamma each and twice that together; doubled for
 * the mean: 16 u R/gamma. A score takes that times |A| R, and its own rounding.
 *
 * Every third draw is symmetric to the last bit, a rectangle with tokens on its axis, where the
 * second alternative occurs: it has probability 0 for other clouds.
 */
#include "claim/afz/afz.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the instance ---- */

/* (+-a, +-b) and (+-c, 0) with c < a, for A = diag(p, q): each token of the second pair scores
 * equally with two corners. */
static void draw_rectangle(struct trop_case *c)
{
    const double a = .5 + trop_case_uniform(c, 18, 0), b = .5 + trop_case_uniform(c, 18, 1);
    const double inner = a * (.1 + .8 * trop_case_uniform(c, 18, 2));
    const double x[] = { a, b, a, -b, -a, -b, -a, b, inner, 0, -inner, 0 };
    const double matrix[] = { .5 + trop_case_uniform(c, 18, 3), 0, 0,
                              .5 + trop_case_uniform(c, 18, 4) };

    trop_case_copy_in(c, "tokens", x, 6, 2, 0);
    trop_case_copy_in(c, "A", matrix, 2, 2, 0);
}

static void draw(struct trop_case *c)
{
    if (c->trial % 3 == 2 && !trop_case_has(c, "tokens") && !trop_case_has(c, "A")) {
        draw_rectangle(c);
    }
    trop_afz_draw(c);
}

static void work(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    struct trop_flow *flow = trop_case_flow(c, TROP_AFZ_FLOW " until=converged steps=5000");
    struct trop_value limits = { 0 };

    trop_case_try(c, trop_flow_run(flow, NULL, NULL));
    trop_case_try(c, trop_flow_value(&limits, flow, "limits"));
    const int is_proved = limits.kind == TROP_KIND_NUMBERS;
    trop_case_put(c, "certified", is_proved);
    trop_case_copy_in(c, "limits", is_proved ? limits.numbers : x.at, x.rows, x.columns, 0);
    trop_afz_take_leaders(c, flow);
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_AFZ_HYPOTHESES,
    { "certified", "the limits of the run are proved",
      .holds = "the limits are proved: certified == 1", .late = 1,
      .broken = "the limits are not proved", .edit = "certified = 0" },
    { 0 },
};

/* ---- the conclusion ---- */

struct limits {
    const double *a, *s, *leaders; /* (d, d), (n, d), (n) */
    int64_t n, d;
    double close, equal; /* allowances of places and of scores */
    int64_t is_fast;     /* a layer takes tokens within rounding of where they go */
};

static void conclude_scores(struct trop_judge *judge, const struct limits *l, int64_t i)
{
    const double *s = l->s + i * l->d;
    const double own = trop_afz_score(l->a, s, s, l->d);

    for (int64_t w = 0; w < l->n; w++) {
        if (l->leaders[w] != 1) {
            continue;
        }
        const double score = trop_afz_score(l->a, s, l->s + w * l->d, l->d);
        trop_judge_at_most(judge, "score of a limit with a vertex, less its own", -1, score - own,
                           0, l->equal);
        if (l->leaders[i] == 1 && w != i) {
            trop_judge_truth(judge, "leaders end at different vertices", -1,
                             score < own  ? 1
                             : l->is_fast ? -1
                                          : 0);
        }
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view s = trop_case_view(c, "limits");
    struct limits l = { .a = trop_case_array(c, "A"),
                        .s = s.at,
                        .leaders = trop_case_array(c, "leaders"),
                        .n = s.rows,
                        .d = s.columns };
    const double *x = trop_case_array(c, "tokens"), alpha = trop_case_number(c, "alpha");
    const double radius = trop_tokens_radius(x, l.n, l.d);
    const double slow = 16 * (1 + alpha) / alpha, rounding = trop_afz_rounding(l.a, x, l.n, l.d);
    double *vertices = trop_case_scratch(c, l.n * l.d);
    int64_t count = 0;

    l.is_fast = alpha > 1e3;
    l.close = trop_tokens_allow(DBL_EPSILON * slow, 1) * radius;
    l.equal = rounding * (1 + trop_tokens_allow(DBL_EPSILON * slow, 1) / DBL_EPSILON);
    for (int64_t i = 0; i < l.n; i++) {
        if (l.leaders[i] == 1) {
            memcpy(vertices + count++ * l.d, trop_case_view_row(s, i),
                   (size_t)l.d * sizeof *vertices);
        }
    }
    trop_judge_at_least(judge, "leaders", -1, (double)count, 1, 0);
    if (count == 0) {
        return;
    }
    struct trop_hull *hull = trop_case_hull(c, vertices, count, l.d);
    for (int64_t i = 0; i < l.n; i++) {
        trop_judge_at_most(judge, "distance of a limit from the polytope", -1,
                           trop_case_place(c, hull, trop_case_view_row(s, i)).lower, 0, l.close);
        conclude_scores(judge, &l, i);
    }
}

static const struct trop_spoil spoils[] = {
    { "a limit that is no leader's is moved inwards by 1e-6", NULL },
    { 0 },
};

const struct trop_claim trop_afz_thm_limit = {
    .id = "afz-thm-limit",
    .title = "hardmax ends at leaders and projections",
    .statement = "Every token converges; leaders end at the vertices of a polytope, and every "
                 "other token at one of these or at the projection of the origin onto one of its "
                 "faces, in the norm of A.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read on runs whose limits are proved in closed form: a limit s is in the polytope, "
              "and its functional <A s, .> is largest there at s itself, which is the same.",
    .inputs = "tokens A alpha",
    .hypotheses = hypotheses,
    .run = { draw, work, conclude },
    .spoils = spoils,
    .trials = 100,
};
