/* spoils_fw.c -- claims of the Frank-Wolfe paper made wrong by functions. */
#include "claim/fw/fw.h"
#include "spoils.h"

#include <string.h>

static void wrong_label(struct trop_case *c)
{
    double *labels = trop_case_array(c, "labels");

    labels[0] = (double)(((int64_t)labels[0] + 1) % trop_case_size(c, "tokens", 0));
}

/* The middle of two points of one cell becomes a point of another: the first one with another
 * label. */
static void bent_cell(struct trop_case *c)
{
    const struct trop_view points = trop_case_view(c, "points");
    const double *labels = trop_case_array(c, "labels"), *shared = trop_case_array(c, "shared");
    int64_t i = 0, j = 0;

    while (i + 1 < points.rows && shared[i] < 0) {
        i++;
    }
    while (j + 1 < points.rows && labels[j] == shared[i]) {
        j++;
    }
    memcpy(trop_case_view_row(trop_case_view(c, "middles"), i), trop_case_view_row(points, j),
           (size_t)points.columns * sizeof *points.at);
}

/* At every step the first token has the place of the one with the largest energy at step 0, and all
 * others rest at .99 of it. */
static void rest_below(struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth;
    const double *top = path.at;

    for (int64_t i = 1; i < n; i++) {
        const double *x = path.at + i * d;
        top = trop_fw_score(c, x, x) > trop_fw_score(c, top, top) ? x : top;
    }
    for (int64_t a = 0; a < d; a++) {
        const double place = top[a];
        for (int64_t k = 0; k < path.rows * n; k++) {
            path.at[k * d + a] = k % n == 0 ? place : .99 * place;
        }
    }
}

#define WRONG_LABEL "a point is given to the next token's cell"
#define BENT "the middle of two points of a cell is in another one"

const struct spoiler spoils_fw[] = {
    { "fw-lem-cells", WRONG_LABEL, wrong_label },
    { "fw-lem-cells-general", WRONG_LABEL, wrong_label },
    { "fw-prop-4.5", WRONG_LABEL, wrong_label },
    { "fw-rem-power", WRONG_LABEL, wrong_label },
    { "fw-lem-cells", BENT, bent_cell },
    { "fw-lem-cells-general", BENT, bent_cell },
    { "fw-prop-trash", "tokens that rest at .99 of the one with the largest energy", rest_below },
    { 0 },
};
