/* fw_rem_own_cell.c -- which vertices own their cells, seen from their neighbours (Frank-Wolfe
 * paper, the remark on polytopes in section 4).
 *
 * v owns its cell when <B v, v> > <B v, w> for every other vertex w. A linear functional that falls
 * along every edge at v has its only maximum over the polytope there, so
 *
 *   v owns its cell  <=>  <B v, w - v> < 0 for the neighbours w of v,
 *
 * for any B. Printed, the test also has w = 0, that is <B v, v> > 0. That is a fact apart, true of
 * every positive definite B: with B = -1 and K = [1, 2] the vertex 1 owns its cell, -1 > -2, and
 * <B v, 0 - v> = 1. For B = I, <v, w - v> < 0 says that the angle at v between w and the origin is
 * acute. The inequalities are strict: with <= a vertex that scores as much with another as with
 * itself, as (1, 0) does with (1, 1) for B = I, would pass, and it is in two cells.
 *
 * Owning is decided exactly over all pairs by trop_cells; the test over the edges of the hull is
 * in double, and the hypothesis no-ties keeps every difference of scores away from 0 by more than
 * its rounding.
 */
#include "claim/fw/fw.h"

#include "claim/tokens.h"

#include <float.h>
#include <math.h>

/* ---- instances ---- */

static enum trop_status draw_cloud(struct trop_case *c)
{
    return trop_tokens_gaussian(c, 8 + trop_case_pick(c, 18, 0, 8),
                                trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 2)));
}

/* By turns a positive definite B, and any symmetric B for a cloud beside the origin: when the
 * origin is in the hull a vertex that owns its cell has <B v, v> > <B v, 0> = 0, and the printed
 * form is right. */
static enum trop_status draw_printed(struct trop_case *c)
{
    const int beside = c->trial % 2 == 1, given = trop_case_has(c, "tokens");
    enum trop_status status = draw_cloud(c);

    for (int64_t i = 0; status == TROP_OK && beside && !given && i < trop_case_size(c, "tokens", 0);
         i++) {
        trop_case_array(c, "tokens")[i * trop_case_size(c, "tokens", 1)] += 4;
    }
    return status == TROP_OK ? trop_fw_draw_matrix(c, beside ? -2 : .3, 2) : status;
}

static enum trop_status draw_general(struct trop_case *c)
{
    enum trop_status status = draw_cloud(c);

    return status == TROP_OK ? trop_fw_draw_any_matrix(c) : status;
}

static enum trop_status draw_plain(struct trop_case *c)
{
    enum trop_status status = draw_cloud(c);

    if (status == TROP_OK && !trop_case_has(c, "B")) {
        status = trop_fw_draw_identity(c, trop_case_size(c, "tokens", 1), 1);
    }
    return status == TROP_OK ? trop_fw_draw_fits(c, "B", trop_case_size(c, "tokens", 1)) : status;
}

/* B = -1, K = [1, 2]. */
static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    static const double tokens[] = { 1, 2 };
    enum trop_status status = trop_fw_draw_given(c, "tokens", tokens, 2, 1);

    (void)k;
    return status == TROP_OK ? trop_fw_draw_identity(c, 1, -1) : status;
}

/* ---- work: "edges" (count, 2) of the hull ---- */

static enum trop_status work(struct trop_case *c)
{
    struct trop_hull *hull = NULL;
    const int64_t *list = NULL;
    double *edges = NULL;
    int64_t count = 0;
    enum trop_status status =
        trop_hull_create(&hull, trop_case_array(c, "tokens"), trop_case_size(c, "tokens", 0),
                         trop_case_size(c, "tokens", 1), c->threads);

    if (status == TROP_OK) {
        status = trop_hull_edges(&list, &count, hull);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&edges, c, "edges", count, 2, 0);
    }
    for (int64_t k = 0; k < 2 * count && status == TROP_OK; k++) {
        edges[k] = (double)list[k];
    }
    trop_hull_free(hull);
    return status;
}

/* ---- the tests ---- */

enum test { EDGES, EDGES_AND_ORIGIN, WEAK, ANGLES };

/* Cosine of the angle at v between w and the origin. */
static double cosine(const double *v, const double *w, int64_t d)
{
    double product = 0, edge = 0, way = 0;

    for (int64_t a = 0; a < d; a++) {
        product += (w[a] - v[a]) * -v[a];
        edge += (w[a] - v[a]) * (w[a] - v[a]);
        way += v[a] * v[a];
    }
    return product / sqrt(edge * way);
}

/* Whether the neighbours of token i let it own its cell. */
static int passes(const struct trop_case *c, int64_t i, enum test test)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const double *edges = trop_case_array(c, "edges"), *v = x + i * trop_case_size(c, "tokens", 1);
    const int64_t d = trop_case_size(c, "tokens", 1), count = trop_case_size(c, "edges", 0);
    const double own = trop_fw_score(b, v, v, d);
    int yes = test != EDGES_AND_ORIGIN || own > 0;

    for (int64_t k = 0; k < 2 * count; k++) {
        if ((int64_t)edges[k] == i) {
            const double *w = x + (int64_t)edges[k % 2 ? k - 1 : k + 1] * d;
            const double score = trop_fw_score(b, v, w, d);
            yes = yes && (test == ANGLES ? cosine(v, w, d) > 0
                          : test == WEAK ? score <= own
                                         : score < own);
        }
    }
    return yes;
}

static enum trop_status compare(struct trop_judge *judge, const struct trop_case *c, enum test test)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    struct trop_cells *cells = NULL;
    struct trop_value vertices, owns;
    enum trop_status status =
        trop_fw_work_cells(&cells, c, trop_case_array(c, "tokens"), n, NULL, 0);

    if (status == TROP_OK) {
        status = trop_cells_value(&vertices, cells, "vertices");
    }
    if (status == TROP_OK) {
        status = trop_cells_value(&owns, cells, "owns_cell");
    }
    for (int64_t k = 0; status == TROP_OK && k < vertices.shape[0]; k++) {
        trop_judge_near(judge, "a vertex owns its cell: by its neighbours, and by all vertices", -1,
                        passes(c, vertices.integers[k], test), (double)owns.integers[k], 0);
    }
    trop_cells_free(cells);
    return status;
}

static enum trop_status conclude_printed(struct trop_judge *judge, const struct trop_case *c)
{
    return compare(judge, c, EDGES_AND_ORIGIN);
}

static enum trop_status conclude_edges(struct trop_judge *judge, const struct trop_case *c)
{
    return compare(judge, c, EDGES);
}

static enum trop_status conclude_weak(struct trop_judge *judge, const struct trop_case *c)
{
    return compare(judge, c, WEAK);
}

static enum trop_status conclude_angles(struct trop_judge *judge, const struct trop_case *c)
{
    return compare(judge, c, ANGLES);
}

/* ---- hypotheses ---- */

static enum trop_status no_ties(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double error = 4 * trop_fw_score_error(b, trop_tokens_radius(x, n, d), d);

    for (int64_t k = 0; k < n * n; k++) {
        const double *v = x + k / n * d, *w = x + k % n * d;
        const double own = trop_fw_score(b, v, v, d);
        trop_judge_truth(judge, "two scores of a token differ", -1,
                         k / n == k % n ? fabs(own) > error
                                        : fabs(own - trop_fw_score(b, v, w, d)) > error);
    }
    return TROP_OK;
}

/* Scores may tie, if they are exactly equal in double; near ties are refused. */
static enum trop_status no_near_ties(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double error = 4 * trop_fw_score_error(b, trop_tokens_radius(x, n, d), d);

    for (int64_t k = 0; k < n * n; k++) {
        const double *v = x + k / n * d, *w = x + k % n * d;
        const double gap = trop_fw_score(b, v, v, d) - trop_fw_score(b, v, w, d);
        trop_judge_truth(judge, "two scores of a token are equal or differ", -1,
                         gap == 0 || fabs(gap) > error);
    }
    return TROP_OK;
}

static enum trop_status plain(struct trop_judge *judge, const struct trop_case *c)
{
    const double *b = trop_case_array(c, "B");
    const int64_t d = trop_case_size(c, "B", 0);

    for (int64_t k = 0; k < d * d; k++) {
        trop_judge_truth(judge, "B is the identity", -1, b[k] == (k % (d + 1) == 0));
    }
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "no-ties", "no vertex is on a wall, beyond rounding", no_ties, 0 },
    { 0 },
};

static const struct trop_hypothesis weak_hypotheses[] = {
    { "no-near-ties", "scores tie exactly or differ beyond rounding", no_near_ties, 0 },
    { 0 },
};

static const struct trop_hypothesis plain_hypotheses[] = {
    { "identity", "B is the identity", plain, 0 },
    { "no-ties", "no vertex is on a wall, beyond rounding", no_ties, 0 },
    { 0 },
};

/* ---- ways to be wrong ---- */

/* Drops the edges along which the score of a vertex rises: each becomes an edge from a vertex to
 * itself. */
static enum trop_status drop_edges(struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *b = trop_case_array(c, "B");
    const int64_t d = trop_case_size(c, "tokens", 1), count = trop_case_size(c, "edges", 0);
    double *edges = trop_case_array(c, "edges");

    for (int64_t k = 0; k < count; k++) {
        const double *v = x + (int64_t)edges[2 * k] * d, *w = x + (int64_t)edges[2 * k + 1] * d;
        const int rises = trop_fw_score(b, v, w, d) > trop_fw_score(b, v, v, d) ||
                          trop_fw_score(b, w, v, d) > trop_fw_score(b, w, w, d);
        if (rises) {
            edges[2 * k] = edges[2 * k + 1] = -1;
        }
    }
    return TROP_OK;
}

/* (1, 0) scores 1 with itself and with (1, 1). */
static enum trop_status tie(struct trop_case *c)
{
    static const double tokens[] = { 1, 0, 1, 1, -1, .5 };
    enum trop_status status = trop_fw_draw_given(c, "tokens", tokens, 3, 2);

    return status == TROP_OK ? trop_fw_draw_identity(c, 2, 1) : status;
}

static enum trop_status exhibit_tie(struct trop_case *c, int64_t k)
{
    (void)k;
    return tie(c);
}

/* (1, 0) scores less with the second by an ulp. */
static enum trop_status near_tie(struct trop_case *c)
{
    enum trop_status status = tie(c);

    if (status == TROP_OK) {
        trop_case_array(c, "tokens")[2] -= DBL_EPSILON;
    }
    return status;
}

static enum trop_status stretch(struct trop_case *c)
{
    trop_case_array(c, "B")[0] = 1.5;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the edges along which a score rises are dropped", NULL, drop_edges },
    { "a vertex scores as much with another as with itself", "no-ties", tie },
    { 0 },
};

static const struct trop_spoil weak_spoils[] = {
    { "the edges along which a score rises are dropped", NULL, drop_edges },
    { "two scores of a vertex differ by an ulp", "no-near-ties", near_tie },
    { 0 },
};

static const struct trop_spoil plain_spoils[] = {
    { "the edges along which a score rises are dropped", NULL, drop_edges },
    { "an entry on the diagonal of B is 3/2", "identity", stretch },
    { "a vertex scores as much with another as with itself", "no-ties", tie },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "whose hull K is" },
    { "B", "(d, d)", "key-query matrix" },
    { 0 },
};

const struct trop_claim trop_fw_rem_own_cell = {
    .id = "fw-rem-own-cell",
    .title = "own cells by neighbours and the origin",
    .statement = "A vertex v of the hull owns its cell if and only if <B v, w - v> < 0 for w = 0 "
                 "and for every neighbour w of v.",
    .status = TROP_CLAIM_FALSE,
    .remark =
        "w = 0 does not belong there: for B = -1 and the interval [1, 2] the vertex 1 owns "
        "its cell. The condition on w = 0 is always true for a positive definite B, and follows "
        "from the others when the origin is in the hull.",
    .repaired = "fw-rem-own-cell-repaired",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw_printed,
    .old_work = work,
    .old_conclude = conclude_printed,
    .old_exhibit = exhibit,
    .exhibits = 1,
    .spoils = spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_own_cell_weak = {
    .id = "fw-rem-own-cell-weak",
    .title = "own cells by neighbours, not strictly",
    .statement = "A vertex v of the hull owns its cell if and only if <B v, w - v> <= 0 for every "
                 "neighbour w of v.",
    .status = TROP_CLAIM_FALSE,
    .remark = "A vertex that scores as much with a neighbour as with itself passes and is in two "
              "cells: (1,0) of the triangle with (1,1) and (-1,1/2), for B = I. Without such ties "
              "it is the repaired form.",
    .repaired = "fw-rem-own-cell-repaired",
    .old_inputs = inputs,
    .hypotheses = weak_hypotheses,
    .old_draw = draw_general,
    .old_work = work,
    .old_conclude = conclude_weak,
    .old_exhibit = exhibit_tie,
    .exhibits = 1,
    .spoils = weak_spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_own_cell_repaired = {
    .id = "fw-rem-own-cell-repaired",
    .title = "own cells by neighbours",
    .statement = "For any B a vertex v of the hull owns its cell if and only if <B v, w - v> < 0 "
                 "for every neighbour w of v.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw_general,
    .old_work = work,
    .old_conclude = conclude_edges,
    .spoils = spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_angle = {
    .id = "fw-rem-angle",
    .title = "own cells by angles",
    .statement = "For B = I a vertex v of the hull owns its cell if and only if the angle at v "
                 "between the origin and every neighbour of v is acute.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = plain_hypotheses,
    .old_draw = draw_plain,
    .old_work = work,
    .old_conclude = conclude_angles,
    .spoils = plain_spoils,
    .trials = 60,
};
