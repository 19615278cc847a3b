/* test_boxes.c -- nearest points and diameters by boxes against looking at every pair. */
#include "support.h"

#include "attend/tree/tree.h"
#include "base/rng.h"
#include "shape/boxes.h"
#include "shape/cloud.h"

#define MOST 700

enum kind { GAUSS, LATTICE, RING, LINE, EQUAL, GEOMETRIC, KINDS };

static double drawn(int64_t i, int64_t c, uint64_t seed)
{
    return trop_rng_normal(seed, TROP_RNG_TEST, (uint64_t)i, (uint64_t)c);
}

/* A cloud of a kind, times 2^exponent. */
static void fill(double *x, int kind, int64_t n, int64_t d, int exponent, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < d; c++) {
            double g = drawn(i, c, seed), angle = 2 * acos(-1) * (double)i / (double)n;
            double ring = c == 0 ? cos(angle) : c == 1 ? sin(angle) : 0;
            double of[] = { g, floor(2 * g), ring, (double)c * g, 1, ldexp(g, -(int)(i % 60)) };
            of[LINE] = drawn(i, 0, seed) * (double)(c + 1);
            x[i * d + c] = ldexp(of[kind], exponent);
        }
    }
}

static void check_nearest(const struct trop_tree *tree, const double *x, const double *query)
{
    double least = INFINITY, distance;
    int64_t at = -1;

    for (int64_t j = 0; j < tree->n; j++) {
        double r = trop_cloud_distance(query, x + j * tree->d, tree->d);
        at = r < least ? j : at;
        least = r < least ? r : least;
    }
    for (int64_t near = 0; near < tree->n; near += 1 + tree->n / 3) {
        assert_int_equal(trop_boxes_nearest(&distance, tree, x, query, near), at);
        assert_true(distance == least);
    }
}

static void check_cloud(const double *x, int64_t n, int64_t d, uint64_t seed)
{
    struct trop_tree *tree;
    double query[6], diameter, most = 0;

    assert_ok(trop_tree_create(&tree, n, d));
    trop_tree_build(tree, x, n, 2);
    for (int64_t q = 0; q < 20; q++) {
        for (int64_t c = 0; c < d; c++) {
            query[c] = x[q % n * d + c] * (q % 2 ? 1 : drawn(q, c, seed + 1));
        }
        check_nearest(tree, x, query);
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            most = fmax(most, trop_cloud_distance(x + i * d, x + j * d, d));
        }
    }
    assert_ok(trop_boxes_diameter(&diameter, x, n, d, 0));
    assert_true(diameter == most);
    trop_tree_free(tree);
}

/* What is left out is farther, and what is clearly farther is left out. */
static void beyond_is_told_without_all_coordinates(void **state)
{
    (void)state;
    static double x[2 * 67];
    int exponents[] = { 0, 500, -530, 1000, -1060 };

    for (int64_t d = 1; d <= 67; d++) {
        for (int e = 0; e < 5; e++) {
            fill(x, GAUSS, 2, d, exponents[e], (uint64_t)d);
            double r = trop_cloud_distance(x, x + d, d);
            assert_false(trop_cloud_beyond(x, x + d, d, r));
            assert_false(trop_cloud_beyond(x, x + d, d, 2 * r));
            assert_false(trop_cloud_beyond(x, x + d, d, INFINITY));
            assert_true(e >= 2 || trop_cloud_beyond(x, x + d, d, r / 2));
        }
    }
}

static void boxes_give_what_every_pair_gives(void **state)
{
    (void)state;
    static double x[MOST * 6];
    int exponents[] = { 0, 500, -530, 900, -1000 };
    int64_t sizes[] = { 1, 2, 33, 100, MOST };

    for (int kind = 0; kind < KINDS; kind++) {
        for (int64_t d = 1; d <= 6; d++) {
            for (int s = 0; s < 5; s++) {
                int e = exponents[(kind + d + s) % 5];
                fill(x, kind, sizes[s], d, e, (uint64_t)(kind + s));
                check_cloud(x, sizes[s], d, (uint64_t)s);
            }
        }
    }
}

/* Every part of the tree's promise, by looking. */
static void a_tree_holds_every_point_once_in_tight_boxes(void **state)
{
    (void)state;
    static double x[MOST * 3];
    struct trop_tree *t;
    int64_t seen[MOST] = { 0 };

    for (int kind = 0; kind < KINDS; kind++) {
        fill(x, kind, MOST, 3, 0, 5);
        assert_ok(trop_tree_create(&t, MOST, 3));
        trop_tree_build(t, x, MOST, 2);
        for (int64_t k = 0; k < t->count; k++) {
            const struct trop_tree_node *node = t->node + k;
            for (int64_t c = 0; c < 3; c++) {
                double low = INFINITY, high = -INFINITY;
                for (int64_t p = node->first; p < node->last; p++) {
                    low = fmin(low, x[t->order[p] * 3 + c]);
                    high = fmax(high, x[t->order[p] * 3 + c]);
                }
                assert_true(t->low[k * 3 + c] == low && t->high[k * 3 + c] == high);
            }
            if (node->child) {
                assert_int_equal(t->node[node->child].first, node->first);
                assert_int_equal(t->node[node->child].last, t->node[node->child + 1].first);
                assert_int_equal(t->node[node->child + 1].last, node->last);
            }
        }
        for (int64_t p = 0; p < MOST; p++) {
            seen[t->order[p]]++;
            assert_true(t->xt[2 * t->stride + p] == x[t->order[p] * 3 + 2]);
        }
        for (int64_t p = 0; p < MOST; p++) {
            assert_int_equal(seen[p], kind + 1);
        }
        trop_tree_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beyond_is_told_without_all_coordinates),
        cmocka_unit_test(boxes_give_what_every_pair_gives),
        cmocka_unit_test(a_tree_holds_every_point_once_in_tight_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
