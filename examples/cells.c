/* cells.c -- 64 Gaussian tokens in the plane: their hull, and who owns which part of it. */
#include <stdio.h>
#include <tropism.h>

int main(void)
{
    const char *options[] = { "n", "64", "d", "2", NULL };
    struct trop_cells *cells = NULL;
    struct trop_hull_measures hull;
    struct trop_value vertices, owns, labels, obstacle;

    if (trop_cells_create_from(&cells, options) ||
        trop_hull_measure(&hull, trop_cells_hull(cells)) ||
        trop_cells_value(&vertices, cells, "vertices") ||
        trop_cells_value(&owns, cells, "owns_cell") || trop_cells_value(&labels, cells, "labels") ||
        trop_cells_value(&obstacle, cells, "obstacle")) {
        fprintf(stderr, "%s\n", trop_error());
        trop_cells_free(cells);
        return 1;
    }
    printf("diameter %.4f, width %.4f, area %.4f\n", hull.diameter, hull.width, hull.volume);
    for (int64_t k = 0; k < vertices.shape[0]; k++) {
        int64_t v = vertices.integers[k], tokens = 0;
        for (int64_t i = 0; i < labels.shape[0]; i++) {
            tokens += labels.integers[i] == v;
        }
        printf("vertex %2lld: %2lld tokens%s\n", (long long)v, (long long)tokens,
               owns.integers[k] ? "" : ", itself elsewhere");
    }
    printf("theorem 4.2: %s\n", obstacle.kind == TROP_KIND_NULL ? "applies" : obstacle.text);
    trop_cells_free(cells);
    return 0;
}
