/* proof_cells.c -- what is proved of a cloud: kinds of claims of the verb cells. */
#include "run/proof/proof.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/status.h"
#include "run/proof/proof_cloud.h"
#include "shape/cells/cells_internal.h"
#include "shape/nearest/nearest.h"

#include <string.h>

/* ---- origin-outside: a direction in which every token is below 0 ----------------------------- */

static int64_t outside_count(const struct trop_job *job)
{
    const struct trop_cells *cells = job->numbers;

    return cells->origin.side == TROP_SIDE_OUTSIDE;
}

static enum trop_status outside_write(struct trop_proof *proof, const struct trop_job *job,
                                      int64_t k)
{
    const struct trop_cells *cells = job->numbers;

    (void)k;
    trop_proof_says(proof,
                    "The origin is outside the convex hull of the %lld tokens in dimension %lld.",
                    (long long)cells->n, (long long)cells->d);
    trop_proof_symbols(proof, "0 is not in conv{x_0, ..., x_(n-1)}");
    trop_proof_input(proof, "tokens", "tokens", cells->x, cells->n, cells->d);
    trop_proof_witness(proof);
    trop_proof_doubles(proof, "direction", cells->origin_direction, cells->d, -1);
    return TROP_OK;
}

/* ---- origin-inside: tokens of which a combination is 0 --------------------------------------- */

/* In a flat cloud the atoms combine to 0 up to rounding only. */
static int64_t inside_count(const struct trop_job *job)
{
    const struct trop_cells *cells = job->numbers;

    return cells->origin.side == TROP_SIDE_INSIDE && cells->dimension == cells->d;
}

static enum trop_status inside_write(struct trop_proof *proof, const struct trop_job *job,
                                     int64_t k)
{
    const struct trop_cells *cells = job->numbers;

    (void)k;
    trop_proof_says(proof, "The origin is in the convex hull of the %lld tokens in dimension %lld.",
                    (long long)cells->n, (long long)cells->d);
    trop_proof_symbols(proof, "0 = sum_i lambda_i x_i, lambda >= 0, sum_i lambda_i = 1");
    trop_proof_input(proof, "tokens", "tokens", cells->x, cells->n, cells->d);
    trop_proof_witness(proof);
    trop_proof_integers(proof, "atoms", cells->origin_atoms, cells->origin.atoms, -1);
    return TROP_OK;
}

/* ---- hull-outline: all vertices of a cloud in the plane -------------------------------------- */

static int64_t outline_count(const struct trop_job *job)
{
    const struct trop_cells *cells = job->numbers;

    return cells->d == 2 && cells->dimension == 2;
}

static enum trop_status outline_write(struct trop_proof *proof, const struct trop_job *job,
                                      int64_t k)
{
    const struct trop_cells *cells = job->numbers;
    const int64_t *outline;
    const int64_t corners = trop_hull_outline(&outline, cells->hull);

    (void)k;
    trop_proof_says(
        proof,
        "The convex hull of the %lld tokens in the plane has these %lld vertices and no others.",
        (long long)cells->n, (long long)corners);
    trop_proof_symbols(proof,
                       "conv{x_0, ..., x_(n-1)} = conv{x_i : i in outline}, counterclockwise");
    trop_proof_input(proof, "tokens", "tokens", cells->x, cells->n, 2);
    trop_proof_integers(proof, "outline", outline, corners, -1);
    trop_proof_witness(proof);
    return TROP_OK;
}

/* ---- hull-vertices: for each a direction in which it is alone on top ------------------------- */

/* In the plane there is an outline, unless the cloud is flat. */
static int64_t vertices_count(const struct trop_job *job)
{
    return !outline_count(job);
}

/* 1 when token v alone is on top in direction w. */
static int is_top(const struct trop_cells *cells, const double *w, int64_t v)
{
    const double *x = cells->x, *top = x + v * cells->d;

    for (int64_t j = 0; j < cells->n; j++) {
        const double *at = x + j * cells->d;
        if (trop_decide_score(w, at, top, cells->d, 0, 0) >= 0 &&
            !trop_decide_equal(at, top, cells->d)) {
            return 0;
        }
    }
    return 1;
}

/* The direction from the mean of the vertices to v, or from the nearest point of the hull of the
 * others; 0 when v is alone on top in neither. others (vertices) is scratch. */
static int find_direction(double *w, const struct trop_cells *cells, struct trop_nearest *nearest,
                          int64_t v, int64_t *others)
{
    const int64_t d = cells->d, count = cells->vertices;
    const double *x = cells->x;
    struct trop_nearest_answer answer;
    int64_t kept = 0;

    for (int64_t c = 0; c < d; c++) {
        w[c] = x[v * d + c];
        for (int64_t p = 0; p < count; p++) {
            w[c] -= x[cells->vertex[p] * d + c] / (double)count;
        }
    }
    for (int64_t p = 0; p < count; p++) {
        if (cells->vertex[p] != v) {
            others[kept++] = cells->vertex[p];
        }
    }
    if (kept == 0 || is_top(cells, w, v)) {
        return 1;
    }
    trop_nearest_find(&answer, nearest, x, others, kept, x + v * d, 0);
    memcpy(w, trop_nearest_direction(nearest), (size_t)d * sizeof *w);
    return is_top(cells, w, v);
}

/* Those vertices for which there is one. */
static enum trop_status vertices_write(struct trop_proof *proof, const struct trop_job *job,
                                       int64_t k)
{
    const struct trop_cells *cells = job->numbers;
    struct trop_nearest *nearest = NULL;
    double *directions = NULL;
    int64_t *others = NULL, *list = NULL, count = 0;
    enum trop_status status = trop_nearest_create(&nearest, cells->d);

    (void)k;
    if (status == TROP_OK &&
        !TROP_ALLOC(TROP_PART(directions, cells->vertices * cells->d),
                    TROP_PART(others, cells->vertices), TROP_PART(list, cells->vertices))) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for %lld directions", (long long)cells->vertices);
    }
    for (int64_t p = 0; p < cells->vertices && status == TROP_OK; p++) {
        list[count] = cells->vertex[p];
        count += find_direction(directions + count * cells->d, cells, nearest, list[count], others);
    }
    if (status == TROP_OK) {
        trop_proof_says(proof,
                        "Each of these %lld tokens is a vertex of the convex hull of all %lld, in "
                        "dimension %lld.",
                        (long long)count, (long long)cells->n, (long long)cells->d);
        trop_proof_symbols(proof,
                           "<w_v, x_v> > <w_v, x_j> where x_j is not x_v, for v in vertices");
        trop_proof_input(proof, "tokens", "tokens", cells->x, cells->n, cells->d);
        trop_proof_integers(proof, "vertices", list, count, -1);
        trop_proof_witness(proof);
        trop_proof_doubles(proof, "directions", directions, count, cells->d);
    }
    trop_nearest_free(nearest);
    TROP_FREE(directions, others, list);
    return status;
}

/* ---- cells, generic: who is in which cell ---------------------------------------------------- */

static int64_t generic_count(const struct trop_job *job)
{
    return ((const struct trop_cells *)job->numbers)->generic;
}

static int64_t cells_count(const struct trop_job *job)
{
    return !generic_count(job);
}

static void put_labels(struct trop_proof *proof, const struct trop_cells *cells, const char *more)
{
    trop_proof_symbols(proof,
                       "<B x_i, x_l> > <B x_i, x_v> for v in vertices, where x_v is not x_l, l = "
                       "labels_i%s",
                       more);
    trop_proof_cloud(proof, &cells->options.cloud, "tokens", cells->x, cells->n);
    trop_proof_integers(proof, "vertices", cells->vertex, cells->vertices, -1);
    trop_proof_integers(proof, "labels", cells->labels, cells->n, -1);
    trop_proof_witness(proof);
}

static enum trop_status generic_write(struct trop_proof *proof, const struct trop_job *job,
                                      int64_t k)
{
    const struct trop_cells *cells = job->numbers;

    (void)k;
    trop_proof_says(proof,
                    "Each of the %lld tokens is in the cell of one of these %lld alone, and these "
                    "are in their own: where they are all the vertices, the hypotheses of theorem "
                    "4.2 hold.",
                    (long long)cells->n, (long long)cells->vertices);
    put_labels(proof, cells, "; labels_v = v");
    return TROP_OK;
}

/* Two vertices with the largest score. */
static void find_wall(int64_t pair[2], const struct trop_cells *cells, int64_t i)
{
    const int64_t d = cells->d;
    const double *x = cells->x;

    pair[0] = pair[1] = cells->vertex[0];
    for (int64_t p = 1; p < cells->vertices; p++) {
        const int64_t v = cells->vertex[p];
        const int sign = trop_decide_bilinear(&cells->options.cloud.key_query, x + i * d, x + v * d,
                                              x + pair[0] * d, d);
        pair[0] = sign > 0 ? v : pair[0];
        pair[1] = sign >= 0 ? v : pair[1];
    }
}

static enum trop_status cells_write(struct trop_proof *proof, const struct trop_job *job, int64_t k)
{
    const struct trop_cells *cells = job->numbers;
    int64_t *walls = trop_alloc(2 * cells->n, sizeof *walls), count = 0;

    (void)k;
    if (!walls) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for walls");
    }
    for (int64_t i = 0; i < cells->n; i++) {
        if (cells->labels[i] < 0) {
            find_wall(walls + 2 * count++, cells, i);
        }
    }
    trop_proof_says(proof,
                    "Of the cells of these %lld tokens, each of the %lld is in that of its label "
                    "and in no other, or on a wall between two where the label is -1.",
                    (long long)cells->vertices, (long long)cells->n);
    put_labels(proof, cells, "");
    trop_proof_integers(proof, "walls", walls, count, 2);
    trop_alloc_free(walls);
    return TROP_OK;
}

const struct trop_proof_kind trop_proof_cells[] = {
    { "origin-outside", outside_count, outside_write, NULL },
    { "origin-inside", inside_count, inside_write, NULL },
    { "hull-outline", outline_count, outline_write, NULL },
    { "hull-vertices", vertices_count, vertices_write, NULL },
    { "generic", generic_count, generic_write, NULL },
    { "cells", cells_count, cells_write, NULL },
    { 0 },
};
