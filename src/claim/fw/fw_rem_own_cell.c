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

#include "attend/decide.h"
#include "claim/shown.h"

#include <math.h>

/* ---- instances ---- */

/* By turns a positive definite B, and any symmetric B for a cloud beside the origin: when the
 * origin is in the hull a vertex that owns its cell has <B v, v> > <B v, 0> = 0, and the printed
 * form is right. */
static void draw_printed(struct trop_case *c)
{
    const int beside = c->trial % 2 == 1, given = trop_case_has(c, "tokens");

    trop_fw_draw_cloud(c, 8, 8, 2);
    const struct trop_view x = trop_case_view(c, "tokens");
    for (int64_t i = 0; beside && !given && i < x.rows; i++) {
        trop_case_view_row(x, i)[0] += 4;
    }
    trop_fw_draw_matrix(c, beside ? -2 : .3, 2);
}

static void draw_general(struct trop_case *c)
{
    trop_fw_draw_cloud(c, 8, 8, 2);
    trop_fw_draw_any_matrix(c);
}

static void draw_plain(struct trop_case *c)
{
    trop_fw_draw_cloud(c, 8, 8, 2);
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *b = trop_case_absent(c, "B", d, d, 0);

    for (int64_t a = 0; b && a < d; a++) {
        b[a * d + a] = 1;
    }
}

/* "edges" (count, 2) of the hull. */
static void work(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t *list = NULL;
    int64_t count = 0;

    trop_case_try(c, trop_hull_edges(&list, &count, trop_case_hull(c, x.at, x.rows, x.columns)));
    double *edges = trop_case_zeros(c, "edges", count, 2, 0);
    for (int64_t k = 0; k < 2 * count; k++) {
        edges[k] = (double)list[k];
    }
}

/* ---- hypotheses ---- */

/* For each pair of tokens, and of each with itself less 0: scores differ, or tie exactly if they
 * may. */
static void judge_ties(struct trop_judge *judge, const struct trop_case *c, const char *name,
                       int may_tie)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double error = 4 * trop_fw_error(c, x);

    for (int64_t k = 0; k < x.rows * x.rows; k++) {
        const int64_t i = k / x.rows, j = k % x.rows;
        const double *v = trop_case_view_row(x, i), *w = trop_case_view_row(x, j);
        const double own = trop_fw_score(c, v, v);
        const double gap = i == j && !may_tie ? own : own - trop_fw_score(c, v, w);
        trop_judge_truth(judge, name, -1, (may_tie && gap == 0) || fabs(gap) > error);
    }
}

static void no_ties(struct trop_judge *judge, const struct trop_case *c)
{
    judge_ties(judge, c, "two scores of a token differ", 0);
}

static void no_near_ties(struct trop_judge *judge, const struct trop_case *c)
{
    judge_ties(judge, c, "two scores of a token are equal or differ", 1);
}

static void plain(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view b = trop_case_view(c, "B");

    for (int64_t k = 0; k < b.rows * b.rows; k++) {
        trop_judge_truth(judge, "B is the identity", -1, b.at[k] == (k % (b.rows + 1) == 0));
    }
}

/* (1, 0) scores 1 with itself and with (1, 1). */
#define TIE "tokens = {1 0; 1 1; -1 .5}; B = {1 0; 0 1}"

/* clang-format off */
#define NO_TIES \
    { "no-ties", "no vertex is on a wall, beyond rounding", .judge = no_ties, \
      .broken = "a vertex scores as much with another as with itself", .edit = TIE }
/* clang-format on */

static const struct trop_hypothesis hypotheses[] = { NO_TIES, { 0 } };

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
    const struct trop_view x = trop_case_view(c, "tokens"), edges = trop_case_view(c, "edges");
    const double *v = trop_case_view_row(x, i), own = trop_fw_score(c, v, v);
    int yes = test != EDGES_AND_ORIGIN || own > 0;

    for (int64_t k = 0; k < 2 * edges.rows; k++) {
        if ((int64_t)edges.at[k] == i) {
            const double *w = trop_case_view_row(x, (int64_t)edges.at[k % 2 ? k - 1 : k + 1]);
            const double score = trop_fw_score(c, v, w);
            yes = yes && (test == ANGLES ? cosine(v, w, x.columns) > 0
                          : test == WEAK ? score <= own
                                         : score < own);
        }
    }
    return yes;
}

static void compare(struct trop_judge *judge, const struct trop_case *c, enum test test)
{
    struct trop_cells *cells =
        trop_case_cells(c, trop_case_view(c, "tokens"), NULL, "key_query=@B");
    struct trop_value vertices, owns;

    trop_case_try(c, trop_cells_value(&vertices, cells, "vertices"));
    trop_case_try(c, trop_cells_value(&owns, cells, "owns_cell"));
    for (int64_t k = 0; k < vertices.shape[0]; k++) {
        trop_judge_near(judge, "a vertex owns its cell: by its neighbours, and by all vertices", -1,
                        passes(c, vertices.integers[k], test), (double)owns.integers[k], 0);
    }
}

static void conclude_printed(struct trop_judge *judge, const struct trop_case *c)
{
    compare(judge, c, EDGES_AND_ORIGIN);
}

static void conclude_edges(struct trop_judge *judge, const struct trop_case *c)
{
    compare(judge, c, EDGES);
}

static void conclude_weak(struct trop_judge *judge, const struct trop_case *c)
{
    compare(judge, c, WEAK);
}

static void conclude_angles(struct trop_judge *judge, const struct trop_case *c)
{
    compare(judge, c, ANGLES);
}

/* ---- proof files ---- */

/* Token i alone has its largest score, so it is a vertex and owns its cell; w = 0 fails. */
/* clang-format off */
static const char *const shown_printed[] = {
    "q = dot(B, tokens[i])",
    "all(dot(q, a) < dot(q, tokens[i]) for a in tokens if a != tokens[i])",
    "dot(q, tokens[i]) <= 0",
    NULL,
};
/* Token i is a vertex, alone on top in the direction w; no token scores more with it than itself,
 * and token j, another point, as much: so another vertex does, and i is in two cells. */
static const char *const shown_weak[] = {
    "all(dot(w, a) < dot(w, tokens[i]) for a in tokens if a != tokens[i])",
    "q = dot(B, tokens[i])",
    "all(dot(q, a) <= dot(q, tokens[i]) for a in tokens)",
    "dot(q, tokens[j]) == dot(q, tokens[i]) and tokens[j] != tokens[i]",
    NULL,
};
/* clang-format on */

/* Tokens at another place than token i: list. Returns how many. */
static int64_t others_of(int64_t *list, struct trop_view x, int64_t i)
{
    int64_t count = 0;

    for (int64_t j = 0; j < x.rows; j++) {
        if (!trop_decide_equal(trop_case_view_row(x, j), trop_case_view_row(x, i), x.columns)) {
            list[count++] = j;
        }
    }
    return count;
}

/* Whether token i scores more with itself than with every other point, and not above 0; exactly. */
static int is_printed(const struct trop_case *c, int64_t i, const int64_t *others, int64_t count)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const struct trop_matrix b = { .values = trop_case_array(c, "B") };
    const double *v = trop_case_view_row(x, i), *zero = trop_case_scratch(c, x.columns);
    int yes = trop_decide_bilinear(&b, v, v, zero, x.columns) <= 0;

    for (int64_t k = 0; k < count && yes; k++) {
        const double *w = trop_case_view_row(x, others[k]);
        yes = trop_decide_bilinear(&b, v, w, v, x.columns) < 0;
    }
    return yes;
}

static int show_printed(struct trop_case *c, int64_t step)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    int64_t *others = trop_case_scratch_integers(c, x.rows);
    int found = 0;

    (void)step;
    for (int64_t i = 0; i < x.rows && !found; i++) {
        found = is_printed(c, i, others, others_of(others, x, i));
        trop_case_put(c, "i", (double)i);
    }
    return found;
}

/* Whether no token scores more with token i than itself, exactly; *tie is another point that scores
 * as much, -1: none. */
static int is_weak(const struct trop_case *c, int64_t i, const int64_t *others, int64_t count,
                   int64_t *tie)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const struct trop_matrix b = { .values = trop_case_array(c, "B") };
    const double *v = trop_case_view_row(x, i);
    int yes = 1;

    *tie = -1;
    for (int64_t k = 0; k < count && yes; k++) {
        const int sign =
            trop_decide_bilinear(&b, v, trop_case_view_row(x, others[k]), v, x.columns);
        *tie = sign == 0 ? others[k] : *tie;
        yes = sign <= 0;
    }
    return yes && *tie >= 0;
}

static int show_weak(struct trop_case *c, int64_t step)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    double *w = trop_case_zeros(c, "w", x.columns, 0, 0);
    int64_t *others = trop_case_scratch_integers(c, x.rows), tie = -1;
    int found = 0;

    (void)step;
    for (int64_t i = 0; i < x.rows && !found; i++) {
        const int64_t count = others_of(others, x, i);
        found = is_weak(c, i, others, count, &tie) &&
                trop_shown_outside(w, c, x, others, count, trop_case_view_row(x, i), 0);
        trop_case_put(c, "i", (double)i);
        trop_case_put(c, "j", (double)tie);
    }
    return found;
}

static const struct trop_spoil spoils[] = {
    { "every edge is dropped", NULL, .edit = "edges = -1" },
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
    .inputs = "tokens B",
    .hypotheses = hypotheses,
    .run = { draw_printed, work, conclude_printed },
    .exhibited = (const char *const[]){ "tokens = {1; 2}; B = zeros(1, 1); B = -1" },
    .exhibits = 1,
    .shown = shown_printed,
    .show = show_printed,
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
    .inputs = "tokens B",
    .hypotheses = TROP_HYPOTHESES({ "no-near-ties", "scores tie exactly or differ beyond rounding",
                                    .judge = no_near_ties,
                                    .broken = "two scores of a vertex differ by an ulp",
                                    .edit = TIE "; tokens[1,0] -= 2^-52" }),
    .run = { draw_general, work, conclude_weak },
    .exhibited = (const char *const[]){ TIE },
    .exhibits = 1,
    .shown = shown_weak,
    .show = show_weak,
    .spoils = spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_own_cell_repaired = {
    .id = "fw-rem-own-cell-repaired",
    .title = "own cells by neighbours",
    .statement = "For any B a vertex v of the hull owns its cell if and only if <B v, w - v> < 0 "
                 "for every neighbour w of v.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens B",
    .hypotheses = hypotheses,
    .run = { draw_general, work, conclude_edges },
    .spoils = spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_angle = {
    .id = "fw-rem-angle",
    .title = "own cells by angles",
    .statement = "For B = I a vertex v of the hull owns its cell if and only if the angle at v "
                 "between the origin and every neighbour of v is acute.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens B",
    .hypotheses = TROP_HYPOTHESES({ "identity", "B is the identity", .judge = plain,
                                    .broken = "an entry on the diagonal of B is 3/2",
                                    .edit = "B[0,0] = 1.5" },
                                  NO_TIES),
    .run = { draw_plain, work, conclude_angles },
    .spoils = spoils,
    .trials = 60,
};
