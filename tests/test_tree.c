/* test_tree.c -- points in nested boxes, and exact maximisers found through them. */
#include "support.h"

#include "attend/attend_internal.h"
#include "attend/tree.h"
#include "attend/tree_maximum.h"
#include "base/alloc.h"

#define MOST 3000

static double x[MOST * 6], b[36];

/* ---- the tree ---------------------------------------------------------------------------- */

static void a_tree_holds_every_point_once_in_tight_boxes(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 6; d++) {
        struct trop_tree *tree = NULL;
        int64_t n = 1000 + d, seen = 0;
        normals(x, n * d, (uint64_t)d);
        assert_ok(trop_tree_create(&tree, n, d));
        trop_tree_build(tree, x, n);
        for (int64_t j = 0; j < n; j++) {
            seen += tree->order[j] * 7919 % 1009;
            seen -= j * 7919 % 1009;
            for (int64_t c = 0; c < d; c++) {
                assert_true(tree->xt[c * tree->stride + j] == x[tree->order[j] * d + c]);
            }
        }
        assert_int_equal(seen, 0);
        for (int64_t k = 0; k < tree->count; k++) {
            const struct trop_tree_node *node = tree->node + k;
            if (node->child) {
                assert_int_equal(tree->node[node->child].first, node->first);
                assert_int_equal(tree->node[node->child].last, tree->node[node->child + 1].first);
                assert_int_equal(tree->node[node->child + 1].last, node->last);
            } else {
                assert_true(node->last - node->first <= TROP_TREE_LEAF);
            }
            for (int64_t c = 0; c < d; c++) {
                double low = INFINITY, high = -INFINITY;
                for (int64_t p = node->first; p < node->last; p++) {
                    low = fmin(low, tree->xt[c * tree->stride + p]);
                    high = fmax(high, tree->xt[c * tree->stride + p]);
                }
                assert_true(low == tree->low[k * d + c] && high == tree->high[k * d + c]);
            }
        }
        trop_tree_free(tree);
    }
}

/* The lead is at least that of every pair, and one corner reaches it. */
static void a_lead_bounds_every_pair_of_two_boxes(void **state)
{
    (void)state;
    enum { N = 400, D = 3 };
    struct trop_tree *tree = NULL;

    normals(x, N * D, 5);
    assert_ok(trop_tree_create(&tree, N, D));
    trop_tree_build(tree, x, N);
    for (int64_t k = 0; k < tree->count; k++) {
        double low[D], high[D], w[D];
        double most = -INFINITY;
        for (int c = 0; c < D; c++) {
            double u = normal(6, (uint64_t)(k * 9 + c)), v = normal(7, (uint64_t)(k * 9 + c));
            low[c] = fmin(u, v);
            high[c] = fmax(u, v);
            w[c] = normal(8, (uint64_t)(k * 9 + c));
        }
        double lead = trop_tree_lead(tree, k, low, high, w);
        for (int corner = 0; corner < 64; corner++) {
            double value = 0;
            for (int c = 0; c < D; c++) {
                double y = corner >> c & 1 ? high[c] : low[c];
                value += y * ((corner >> (c + D) & 1 ? tree->high : tree->low)[k * D + c] - w[c]);
            }
            most = fmax(most, value);
        }
        assert_true(lead >= most);
        assert_near(lead, most, 1e-13 * (1 + fabs(most)));
    }
    trop_tree_free(tree);
}

/* ---- maxima -------------------------------------------------------------------------------- */

enum cloud { GAUSS, LATTICE, CIRCLE, COPIES, COLLAPSED, ORIGIN, CLOUDS };

static void fill(enum cloud cloud, int64_t n, int64_t d)
{
    normals(x, n * d, 40 + (uint64_t)d);
    for (int64_t k = 0; k < n * d; k++) {
        double angle = 6.28 * uniform(3, (uint64_t)(k / d));
        x[k] = cloud == LATTICE     ? (double)whole(1, (uint64_t)k, 7) - 3
               : cloud == CIRCLE    ? (k % d == 0   ? cos(angle)
                                       : k % d == 1 ? sin(angle)
                                                    : 0)
               : cloud == COPIES    ? x[k % d + d * (k / d % 3)]
               : cloud == COLLAPSED ? 3 + 0x1p-50 * (double)whole(2, (uint64_t)k, 9)
               : cloud == ORIGIN    ? (k / d % 3 ? 0 : x[k])
                                    : x[k];
    }
}

/* Rows of the direct search and of the tree's, leaf by leaf. */
static void compare(struct trop_attend *attend, int64_t n, int64_t d, int full)
{
    const struct trop_scene *s = trop_attend_scene(attend);
    struct trop_tree *keys = NULL, *queries = NULL;
    struct trop_tree_maximum *m = NULL;
    static int64_t tied[MOST];

    assert_ok(trop_tree_create(&keys, n, d));
    assert_ok(trop_tree_create(&queries, n, d));
    assert_ok(trop_tree_maximum_create(&m, n, d));
    trop_tree_build(keys, s->keys, n);
    trop_tree_build(queries, s->y, n);
    for (int64_t k = 0; k < queries->count; k++) {
        const struct trop_tree_node *node = queries->node + k;
        if (node->child) {
            continue;
        }
        trop_tree_maximum_aim(m, s, keys, queries->low + k * d, queries->high + k * d, full);
        for (int64_t p = node->first; p < node->last; p++) {
            int64_t i = queries->order[p];
            struct trop_row *direct = trop_attend_look(attend, s->y + i * d, n);
            struct trop_row row = { .scene = s, .n = n, .i = i, .y = s->y + i * d, .tied = tied };
            trop_tree_maximum_row(m, &row);
            assert_int_equal(row.best, direct->best);
            assert_int_equal(row.distinct, direct->distinct);
            assert_int_equal(row.ties, direct->ties);
            assert_true(row.bound == direct->bound);
            assert_true(fabs(row.top - direct->top) <= 2 * row.bound);
            if (full) {
                assert_memory_equal(tied, direct->tied, (size_t)row.ties * sizeof *tied);
            }
        }
    }
    trop_tree_maximum_free(m);
    trop_tree_free(queries);
    trop_tree_free(keys);
}

static void maxima_are_those_of_the_direct_search(void **state)
{
    (void)state;
    struct trop_rule_numbers numbers = { .rule = &trop_rule_softmax, .beta = 1 };
    int64_t n = cases(500, MOST);

    normals(b, 36, 77);
    for (int64_t d = 1; d <= 6; d++) {
        struct trop_attend *attend = NULL;
        assert_ok(trop_attend_create(&attend, n, d, 1, trop_kernel_choose(0), 0));
        for (int cloud = 0; cloud < CLOUDS; cloud++) {
            for (int sign = -1; sign <= 2; sign++) {
                struct trop_matrix matrix = { .scale = sign, .values = sign == 2 ? b : NULL };
                fill((enum cloud)cloud, n, d);
                assert_ok(trop_attend_load(attend, x, NULL, n, &matrix, &numbers));
                compare(attend, n, d, cloud % 2 == sign % 2);
            }
        }
        trop_attend_free(attend);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_holds_every_point_once_in_tight_boxes),
        cmocka_unit_test(a_lead_bounds_every_pair_of_two_boxes),
        cmocka_unit_test(maxima_are_those_of_the_direct_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
