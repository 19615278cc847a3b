/* test_tree.c -- points in nested boxes, and exact maximisers found through them. */
#include "support.h"

#include "attend/attend_internal.h"
#include "attend/tree/tree.h"
#include "attend/tree/tree_maximum.h"
#include "attend/tree/tree_slab.h"
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
        trop_tree_build(tree, x, n, 2);
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

/* Levels are dealt to workers from some thousands of points on. */
static void workers_change_no_bit_of_a_tree(void **state)
{
    (void)state;
    enum { N = 40000, D = 3 };
    struct trop_tree *tree[2] = { NULL };
    double *many = calloc((size_t)N * D, sizeof *many);

    normals(many, N * D, 21);
    for (int k = 0; k < 2; k++) {
        assert_ok(trop_tree_create(&tree[k], N, D));
        assert_ok(trop_tree_slab_create(tree[k]));
        trop_tree_build(tree[k], many, N, k == 0 ? 1 : 5);
        trop_tree_slab_build(tree[k], k == 0 ? 1 : 5);
    }
    size_t nodes = (size_t)tree[0]->count;
    assert_int_equal(tree[0]->count, tree[1]->count);
    assert_memory_equal(tree[0]->node, tree[1]->node, nodes * sizeof *tree[0]->node);
    assert_memory_equal(tree[0]->low, tree[1]->low, nodes * D * sizeof(double));
    assert_memory_equal(tree[0]->high, tree[1]->high, nodes * D * sizeof(double));
    assert_memory_equal(tree[0]->slab, tree[1]->slab, nodes * (D + 2) * sizeof(double));
    assert_memory_equal(tree[0]->order, tree[1]->order, N * sizeof *tree[0]->order);
    assert_memory_equal(tree[0]->xt, tree[1]->xt, (size_t)(D * tree[0]->stride) * sizeof(double));
    for (int k = 0; k < 2; k++) {
        trop_tree_free(tree[k]);
    }
    free(many);
}

/* The lead is at least that of every pair, and one corner reaches it. */
static void a_lead_bounds_every_pair_of_two_boxes(void **state)
{
    (void)state;
    enum { N = 400, D = 3 };
    struct trop_tree *tree = NULL;

    normals(x, N * D, 5);
    assert_ok(trop_tree_create(&tree, N, D));
    trop_tree_build(tree, x, N, 2);
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

/* Points on a circle, a sphere, ..., and a scale and a place of their own. */
static void fill_sphere(int64_t n, int64_t d, double scale, double place)
{
    normals(x, n * d, 90 + (uint64_t)d);
    for (int64_t i = 0; i < n; i++) {
        double size = 0;
        for (int64_t c = 0; c < d; c++) {
            size += x[i * d + c] * x[i * d + c];
        }
        for (int64_t c = 0; c < d; c++) {
            x[i * d + c] = place + scale * (x[i * d + c] / sqrt(size));
        }
    }
}

/* The largest <y, x - w> over the points of a node and the corners of a box, with a rounding
 * that is far below that of the bound. */
static long double largest(const struct trop_tree *t, int64_t node, const double *low,
                           const double *high, const double *w)
{
    long double most = -INFINITY;

    for (int64_t p = t->node[node].first; p < t->node[node].last; p++) {
        long double sum = 0;
        for (int64_t c = 0; c < t->d; c++) {
            long double away = (long double)t->xt[c * t->stride + p] - (long double)w[c];
            long double under = (long double)low[c] * away, over = (long double)high[c] * away;
            sum += under > over ? under : over;
        }
        most = sum > most ? sum : most;
    }
    return most;
}

/* Queries of all sizes, from a point to a wide box, on thin and collapsed clouds. */
static void a_slab_bounds_every_point_of_its_node(void **state)
{
    static const double scales[] = { 1, 1e-9, 1e90, 0x1p-340 };
    (void)state;
    for (int64_t d = 2; d <= 6; d++) {
        for (int k = 0; k < 8; k++) {
            struct trop_tree *tree = NULL;
            int64_t n = 700, closer = 0;
            double size = scales[k % 4];
            fill_sphere(n, d, size, k < 4 ? 0 : 3 * size);
            assert_ok(trop_tree_create(&tree, n, d));
            assert_ok(trop_tree_slab_create(tree));
            trop_tree_build(tree, x, n, 2);
            trop_tree_slab_build(tree, 2);
            for (int64_t node = 0; node < tree->count; node++) {
                double low[6], high[6], y[6], w[6], wide = ldexp(1, (int)-node % 40);
                for (int64_t c = 0; c < d; c++) {
                    double at = x[(node * 7 % n) * d + c] / size;
                    low[c] = at - wide * uniform(11, (uint64_t)(node * 9 + c));
                    high[c] = at + wide * uniform(12, (uint64_t)(node * 9 + c));
                    y[c] = node % 3 ? high[c] : low[c];
                    w[c] = x[(node * 11 % n) * d + c];
                }
                double lead = trop_tree_slab_lead(tree, node, low, high, w);
                double rounding = 1e-14 * (double)d * size * (k < 4 ? 2 : 8);
                assert_true((long double)lead >= largest(tree, node, low, high, w));
                assert_true(lead <= trop_tree_lead(tree, node, low, high, w));
                assert_true((long double)(trop_tree_slab_reach(tree, node, y, w) + rounding) >=
                            largest(tree, node, y, y, w));
                closer += lead < trop_tree_lead(tree, node, low, high, w);
            }
            assert_true(d > 3 || closer > 10);
            trop_tree_free(tree);
        }
    }
}

/* Leaves that may hold a maximiser: on a circle, with leaves of angle s, boxes leave those up to
 * an angle of about sqrt(s), slabs those up to a few s. */
static void slabs_leave_few_leaves_of_a_circle(void **state)
{
    (void)state;
    struct trop_tree *tree = NULL;
    int64_t boxes = 0, slabs = 0, leaves = 0;

    fill_sphere(MOST, 2, 1, 0);
    assert_ok(trop_tree_create(&tree, MOST, 2));
    assert_ok(trop_tree_slab_create(tree));
    trop_tree_build(tree, x, MOST, 2);
    trop_tree_slab_build(tree, 2);
    for (int64_t k = 0; k < tree->count; k++) {
        const double *low = tree->low + 2 * k, *high = tree->high + 2 * k;
        const double *w = x + 2 * tree->order[tree->node[k].first];
        for (int64_t l = 0; l < tree->count && tree->node[k].child == 0; l++) {
            if (tree->node[l].child == 0) {
                boxes += trop_tree_lead(tree, l, low, high, w) >= 0;
                slabs += trop_tree_slab_lead(tree, l, low, high, w) >= 0;
            }
        }
        leaves += tree->node[k].child == 0;
    }
    /* From an end of the leaf: itself, and two on either side at most. */
    assert_true(slabs <= 5 * leaves);
    assert_true(boxes >= 2 * slabs);
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
    trop_tree_build(keys, s->keys, n, 2);
    if (!full) { /* with slabs as without */
        assert_ok(trop_tree_slab_create(keys));
        trop_tree_slab_build(keys, 2);
    }
    trop_tree_build(queries, s->y, n, 2);
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
        cmocka_unit_test(workers_change_no_bit_of_a_tree),
        cmocka_unit_test(a_lead_bounds_every_pair_of_two_boxes),
        cmocka_unit_test(a_slab_bounds_every_point_of_its_node),
        cmocka_unit_test(slabs_leave_few_leaves_of_a_circle),
        cmocka_unit_test(maxima_are_those_of_the_direct_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
