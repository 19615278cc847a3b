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
 * of aff(F) with the least A-norm; a vertex is the case F = {s}. Conversely such a projection is
 * the maximum of its own functional on K. Both are judged, s in K by the proved distance from the
 * hull.
 *
 * Closed-form limits are means of tokens that stand still after a finite number of layers, each
 * rounding 4 u R, contracted by 1 - gamma: 4 u R/gamma each and twice that together; doubled for
 * the mean: 16 u R/gamma. A score takes that times |A| R, and its own rounding.
 *
 * Every third draw is symmetric to the last bit, a rectangle with tokens on its axis, where the
 * second alternative occurs: it has probability 0 for other clouds.
 */
#include "claim/afz/afz.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LAYERS 5000

/* ---- the instance ---- */

/* (+-a, +-b) and (+-c, 0) with c < a, for A = diag(p, q): each token of the second pair scores
 * equally with two corners. */
static enum trop_status draw_rectangle(struct trop_case *c)
{
    const double a = .5 + trop_case_uniform(c, 18, 0), b = .5 + trop_case_uniform(c, 18, 1);
    const double inner = a * (.1 + .8 * trop_case_uniform(c, 18, 2));
    const double x[] = { a, b, a, -b, -a, -b, -a, b, inner, 0, -inner, 0 };
    double *tokens = NULL, *matrix = NULL;
    enum trop_status status = trop_case_make(&tokens, c, "tokens", 6, 2, 0);

    if (status == TROP_OK) {
        memcpy(tokens, x, sizeof x);
        status = trop_case_make(&matrix, c, "A", 2, 2, 0);
    }
    if (status == TROP_OK) {
        matrix[0] = .5 + trop_case_uniform(c, 18, 3);
        matrix[3] = .5 + trop_case_uniform(c, 18, 4);
    }
    return status;
}

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = TROP_OK;

    if (c->trial % 3 == 2 && !trop_case_has(c, "tokens") && !trop_case_has(c, "A")) {
        status = draw_rectangle(c);
    }
    return status == TROP_OK ? trop_afz_draw(c) : status;
}

/* ---- limits ---- */

static enum trop_status take(struct trop_case *c, const struct trop_flow *flow, int64_t n,
                             int64_t d)
{
    struct trop_value limits = { 0 }, leaders = { 0 };
    double *s = NULL, *flags = NULL;
    enum trop_status status = trop_flow_value(&limits, flow, "limits");

    if (status == TROP_OK) {
        status = trop_case_put(c, "certified", limits.kind == TROP_KIND_NUMBERS);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&s, c, "limits", n, d, 0);
    }
    if (status == TROP_OK && limits.kind == TROP_KIND_NUMBERS) {
        memcpy(s, limits.numbers, (size_t)(n * d) * sizeof *s);
    }
    if (status == TROP_OK) {
        status = trop_flow_value(&leaders, flow, "leaders");
    }
    if (status == TROP_OK) {
        status = trop_case_make(&flags, c, "leaders", n, 0, 0);
    }
    for (int64_t k = 0; status == TROP_OK && k < leaders.shape[0]; k++) {
        flags[leaders.integers[k]] = 1;
    }
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    struct trop_flow_options o = trop_afz_options(c);
    struct trop_flow *flow = NULL;

    o.cloud.n = trop_case_size(c, "tokens", 0);
    o.cloud.d = trop_case_size(c, "tokens", 1);
    o.cloud.tokens = trop_case_array(c, "tokens");
    o.until = TROP_UNTIL_CONVERGED;
    o.steps = (struct trop_count){ .value = LAYERS, .log10 = 3.7 };
    o.threads = 1;
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = trop_flow_run(flow, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = take(c, flow, o.cloud.n, o.cloud.d);
    }
    trop_flow_free(flow);
    return status;
}

static enum trop_status certified(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "the limits are proved", -1, trop_case_number(c, "certified") == 1);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_AFZ_HYPOTHESES,
    { "certified", "the limits of the run are proved", certified, 1 },
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

static enum trop_status conclude_places(struct trop_judge *judge, const struct limits *l,
                                        const double *vertices, int64_t count)
{
    struct trop_hull *hull = NULL;
    struct trop_hull_position place;
    enum trop_status status = trop_hull_create(&hull, vertices, count, l->d, 1);

    for (int64_t i = 0; i < l->n && status == TROP_OK; i++) {
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, l->s + i * l->d);
        if (status == TROP_OK) {
            trop_judge_at_most(judge, "distance of a limit from the polytope", -1, place.lower, 0,
                               l->close);
            conclude_scores(judge, l, i);
        }
    }
    trop_hull_free(hull);
    return status;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    struct limits l = { .a = trop_case_array(c, "A"),
                        .s = trop_case_array(c, "limits"),
                        .leaders = trop_case_array(c, "leaders"),
                        .n = trop_case_size(c, "limits", 0),
                        .d = trop_case_size(c, "limits", 1) };
    const double *x = trop_case_array(c, "tokens");
    const double alpha = trop_case_number(c, "alpha"), radius = trop_tokens_radius(x, l.n, l.d);
    double *vertices = NULL;
    int64_t count = 0;
    struct trop_case *scratch = NULL;
    enum trop_status status = trop_case_create(&scratch, 0, 0, 0, 1);

    const double slow = 16 * (1 + alpha) / alpha, rounding = trop_afz_rounding(l.a, x, l.n, l.d);
    l.is_fast = alpha > 1e3;
    l.close = trop_tokens_allow(DBL_EPSILON * slow, 1) * radius;
    l.equal = rounding * (1 + trop_tokens_allow(DBL_EPSILON * slow, 1) / DBL_EPSILON);
    if (status == TROP_OK) {
        status = trop_case_make(&vertices, scratch, "vertices", l.n, l.d, 0);
    }
    for (int64_t i = 0; status == TROP_OK && i < l.n; i++) {
        if (l.leaders[i] == 1) {
            memcpy(vertices + count++ * l.d, l.s + i * l.d, (size_t)l.d * sizeof *vertices);
        }
    }
    trop_judge_at_least(judge, "leaders", -1, (double)count, 1, 0);
    if (status == TROP_OK && count > 0) {
        status = conclude_places(judge, &l, vertices, count);
    }
    trop_case_free(scratch);
    return status;
}

/* ---- ways to be wrong ---- */

/* The limit of a token that is no leader moves towards the origin: it stays in a polytope that
 * contains 0, but scores less with itself. */
static enum trop_status move_limit(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "limits", 0), d = trop_case_size(c, "limits", 1);
    const double *leaders = trop_case_array(c, "leaders");
    int64_t i = 0;

    while (i < n - 1 && leaders[i] == 1) {
        i++;
    }
    for (int64_t p = 0; p < d; p++) {
        trop_case_array(c, "limits")[i * d + p] *= 1 - 1e-6;
    }
    return TROP_OK;
}

static enum trop_status no_proof(struct trop_case *c)
{
    return trop_case_put(c, "certified", 0);
}

static const struct trop_spoil spoils[] = {
    { "a limit that is no leader's is moved inwards by 1e-6", NULL, move_limit },
    TROP_AFZ_SPOILS,
    { "the limits are not proved", "certified", no_proof },
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
    .inputs = trop_afz_inputs,
    .hypotheses = hypotheses,
    .draw = draw,
    .work = work,
    .conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
