/* proof_cells.c -- what is proved of a cloud: kinds of claims of the verb cells. */
#include "run/proof/proof.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/status.h"
#include "run/proof/proof_cloud.h"
#include "shape/cells/cells_internal.h"
#include "shape/nearest/nearest.h"

#include <math.h>
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

#define MOST 0x1p30 /* products of whole numbers that the checker is given: minutes */
#define ATOMS 65    /* of a combination, which the checker solves for */

/* In a flat cloud the atoms combine to 0 up to rounding only. */
static int64_t inside_count(const struct trop_job *job)
{
    const struct trop_cells *cells = job->numbers;

    return cells->origin.side == TROP_SIDE_INSIDE && cells->dimension == cells->d &&
           cells->origin.atoms <= ATOMS;
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

static int is_small(const struct trop_cells *cells)
{
    return (double)cells->n * (double)cells->d * (double)(cells->vertices + cells->d) <= MOST;
}

/* ---- hull-outline: all vertices of a cloud in the plane -------------------------------------- */

static int64_t outline_count(const struct trop_job *job)
{
    const struct trop_cells *cells = job->numbers;

    return cells->d == 2 && cells->dimension == 2 && is_small(cells);
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
    return is_small(job->numbers) && !outline_count(job);
}

/* 1 when token v alone is on top in direction w. A sum of d products, each rounded with its
 * difference, is off by at most (d + 2) u times the sum of their sizes; where it is not above that,
 * exact sums decide. */
static int is_top(const struct trop_cells *cells, const double *w, int64_t v)
{
    const int64_t d = cells->d;
    const double *top = cells->x + v * d;

    for (int64_t j = 0; j < cells->n; j++) {
        const double *at = cells->x + j * d;
        double lead = 0, size = 0x1p-900;
        for (int64_t c = 0; c < d; c++) {
            const double t = w[c] * (top[c] - at[c]);
            lead += t;
            size += fabs(t);
        }
        if (!(lead > (double)(d + 4) * 0x1p-52 * size) &&
            trop_decide_score(w, at, top, d, 0, 0) >= 0 && !trop_decide_equal(at, top, d)) {
            return 0;
        }
    }
    return 1;
}

/* The direction to v from the mean of the vertices, or from the nearest point of the hull of the
 * others (vertices - 1); 0 when v is alone on top in neither. */
static int find_direction(double *w, const struct trop_cells *cells, struct trop_nearest *nearest,
                          const double *mean, int64_t v, const int64_t *others)
{
    const double *x = cells->x + v * cells->d;
    struct trop_nearest_answer answer;

    for (int64_t c = 0; c < cells->d; c++) {
        w[c] = x[c] - mean[c];
    }
    if (cells->vertices == 1 || is_top(cells, w, v)) {
        return 1;
    }
    trop_nearest_find(&answer, nearest, cells->x, others, cells->vertices - 1, x, 0);
    memcpy(w, trop_nearest_direction(nearest), (size_t)cells->d * sizeof *w);
    return is_top(cells, w, v);
}

/* The mean of the vertices. */
static void find_mean(double *mean, const struct trop_cells *cells)
{
    for (int64_t p = 0; p < cells->vertices; p++) {
        for (int64_t c = 0; c < cells->d; c++) {
            mean[c] += cells->x[cells->vertex[p] * cells->d + c] / (double)cells->vertices;
        }
    }
}

/* Those vertices for which there is one. */
static enum trop_status vertices_write(struct trop_proof *proof, const struct trop_job *job,
                                       int64_t k)
{
    const struct trop_cells *cells = job->numbers;
    struct trop_nearest *nearest = NULL;
    double *directions = NULL, *mean = NULL;
    int64_t *others = NULL, *list = NULL, count = 0;
    enum trop_status status = trop_nearest_create(&nearest, cells->d);

    (void)k;
    if (status == TROP_OK &&
        !TROP_ALLOC(TROP_PART(directions, cells->vertices * cells->d), TROP_PART(mean, cells->d),
                    TROP_PART(others, cells->vertices), TROP_PART(list, cells->vertices))) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for %lld directions", (long long)cells->vertices);
    }
    if (status == TROP_OK) {
        find_mean(mean, cells);
        /* others is all vertices but the present one: p - 1 takes the place that p had. */
        memcpy(others, cells->vertex + 1, (size_t)(cells->vertices - 1) * sizeof *others);
        for (int64_t p = 0; p < cells->vertices; p++) {
            list[count] = cells->vertex[p];
            count += find_direction(directions + count * cells->d, cells, nearest, mean,
                                    list[count], others);
            others[p] = cells->vertex[p];
        }
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
    TROP_FREE(directions, mean, others, list);
    return status;
}

/* ---- cells, generic: who is in which cell ---------------------------------------------------- */

static int64_t generic_count(const struct trop_job *job)
{
    const struct trop_cells *cells = job->numbers;

    return cells->generic && is_small(cells);
}

static int64_t cells_count(const struct trop_job *job)
{
    return is_small(job->numbers) && !generic_count(job);
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
