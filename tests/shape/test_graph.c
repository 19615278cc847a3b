/* test_graph.c -- the neighbour digraph against its definition and a matrix closure. */
#include "support.h"

#include "alloc_failing.c"
#include "shape/graph.h"

#define MOST 12
#define ROOM 64

/* A cloud, what is loaded of it, and the graph. */
static double x[ROOM * 3], displacement[ROOM * 3];
static struct trop_attend *attend;
static struct trop_attend_note notes[ROOM];

struct model {
    int64_t n, d;
    struct trop_matrix b;
    struct trop_rule_numbers numbers;
};

static struct model model_of(int64_t n, int64_t d, double epsilon)
{
    return (struct model){
        .n = n,
        .d = d,
        .b = { .scale = 1 },
        .numbers = { .rule = &trop_rule_localmax, .epsilon = epsilon },
    };
}

static void load(const struct model *m)
{
    assert_ok(trop_attend_create(&attend, m->n, m->d, 1, trop_kernel_choose(0), 0));
    assert_ok(trop_attend_load(attend, x, NULL, m->n, &m->b, &m->numbers));
    assert_ok(trop_attend_rows(displacement, notes, attend, 0));
}

static struct trop_graph *graph_of(const struct model *m, const int64_t *vertex, int64_t vertices)
{
    struct trop_graph *graph = NULL;
    load(m);
    assert_ok(trop_graph_create(&graph, attend, notes, vertex, vertices, INT64_MAX));
    trop_attend_free(attend);
    return graph;
}

/* ---- by definition --------------------------------------------------------------------------- */

static int arc[ROOM][ROOM], reach[ROOM][ROOM];

static double score(const struct model *m, int64_t i, int64_t j)
{
    double s = 0;
    for (int64_t a = 0; a < m->d; a++) {
        for (int64_t c = 0; c < m->d; c++) {
            double b = m->b.values ? m->b.values[a * m->d + c] : a == c ? m->b.scale : 0;
            s += b * x[i * m->d + c] * x[j * m->d + a];
        }
    }
    return s;
}

/* Scores are whole or half numbers, or far from ties: plain double tells. Returns how many
 * tokens are aligned. */
static int64_t define_arcs(const struct model *m)
{
    int first = m->numbers.rule == &trop_rule_hardmax && m->numbers.ties == TROP_TIES_FIRST;
    double epsilon = m->numbers.rule == &trop_rule_hardmax ? 0 : m->numbers.epsilon;
    int64_t aligned = 0;

    for (int64_t i = 0; i < m->n; i++) {
        int64_t visible = m->numbers.mask == TROP_MASK_CAUSAL ? i + 1 : m->n, taken = 0;
        double best = -INFINITY;
        for (int64_t j = 0; j < visible; j++) {
            best = fmax(best, score(m, i, j));
        }
        for (int64_t j = 0; j < m->n; j++) {
            arc[i][j] = j < visible && score(m, i, j) >= best - epsilon && !(first && taken);
            taken += arc[i][j];
        }
        aligned += score(m, i, i) >= best;
    }
    return aligned;
}

static void close_matrix(int64_t n)
{
    memcpy(reach, arc, sizeof reach);
    for (int64_t k = 0; k < n; k++) {
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
}

static void check_arcs(const struct trop_graph *g)
{
    int64_t arcs = 0, one_way = 0;
    for (int64_t i = 0; i < g->n; i++) {
        int64_t m = g->start[g->set[i]];
        for (int64_t j = 0; j < g->n; j++) {
            int listed = m < g->start[g->set[i] + 1] && g->member[m] == j;
            assert_int_equal(listed, arc[i][j]);
            m += listed;
            arcs += i != j && arc[i][j];
            one_way += i != j && arc[i][j] && !arc[j][i];
        }
        assert_int_equal(m, g->start[g->set[i] + 1]);
    }
    assert_int_equal(g->arcs, arcs);
    assert_int_equal(g->one_way, one_way);
}

static void check_components(const struct trop_graph *g)
{
    int64_t count = 0, sinks = 0;

    close_matrix(g->n);
    for (int64_t i = 0; i < g->n; i++) {
        int64_t first = i, closed = 1;
        for (int64_t j = 0; j < g->n; j++) {
            int together = i == j || (reach[i][j] && reach[j][i]);
            assert_int_equal(g->component[i] == g->component[j], together);
            first = together && j < first ? j : first;
            for (int64_t k = 0; together && k < g->n; k++) {
                closed &= !arc[j][k] || k == i || (reach[i][k] && reach[k][i]);
            }
        }
        if (first == i) {
            assert_int_equal(g->component[i], count);
            assert_int_equal(g->sink[count], closed);
            sinks += closed;
            count++;
        }
    }
    assert_int_equal(g->components, count);
    assert_int_equal(g->sinks, sinks);
}

static void check_caps(const struct trop_graph *g, const int64_t *vertex, int64_t vertices)
{
    int64_t remaining = 0, acting = 0, captured[ROOM];

    for (int64_t i = 0; i < g->n; i++) {
        captured[i] = -1;
        for (int64_t k = 0; captured[i] < 0 && k < vertices; k++) {
            int64_t v = vertex[k];
            int holds = arc[v][v] && arc[v][i];
            for (int64_t j = 0; j < g->n; j++) {
                holds &= !arc[i][j] || arc[v][j];
            }
            captured[i] = holds ? v : -1;
        }
        assert_int_equal(g->captured[i], captured[i]);
        remaining += captured[i] < 0;
    }
    for (int64_t j = 0; j < g->n; j++) {
        int heard = 0;
        for (int64_t i = 0; i < g->n; i++) {
            heard |= captured[i] >= 0 && arc[i][j];
        }
        acting += captured[j] < 0 && heard;
    }
    assert_int_equal(g->remaining, remaining);
    assert_int_equal(g->acting, acting);
}

static void check(const struct model *m, uint64_t seed)
{
    int64_t list[ROOM], count = 0, aligned = define_arcs(m);
    struct trop_graph *g = graph_of(m, NULL, 0);

    assert_int_equal(g->aligned, aligned);
    check_arcs(g);
    check_components(g);
    for (int64_t i = 0; i < m->n; i++) {
        if (g->self[i]) {
            list[count++] = i;
        }
    }
    check_caps(g, list, count);
    trop_graph_free(g);
    /* Any list of vertices, in any order. */
    count = whole(seed, 900, m->n + 1);
    for (int64_t k = 0; k < count; k++) {
        list[k] = (m->n - 1 - k + whole(seed, 901, m->n)) % m->n;
    }
    g = graph_of(m, list, count);
    check_caps(g, list, count);
    trop_graph_free(g);
}

static void graphs_are_those_of_their_definition(void **state)
{
    (void)state;
    int64_t chains = 0;
    for (uint64_t seed = 0; seed < (uint64_t)cases(3000, 100000); seed++) {
        double b[9];
        struct model m = model_of(1 + whole(seed, 0, MOST), 1 + whole(seed, 1, 3), 0);
        int lattice = seed % 2 == 0;
        for (int64_t k = 0; k < m.n * m.d; k++) {
            x[k] = lattice ? (double)(whole(seed, (uint64_t)(100 + k), 7) - 3)
                           : normal(seed, (uint64_t)k);
        }
        for (int64_t k = 0; k < m.d * m.d; k++) {
            b[k] = (double)(whole(seed, (uint64_t)(200 + k), 5) - 2);
        }
        m.numbers.epsilon = lattice ? (double)whole(seed, 2, 9) / 2 : 2 * uniform(seed, 3);
        m.numbers.rule = seed % 5 == 0 ? &trop_rule_hardmax : &trop_rule_localmax;
        m.numbers.ties = whole(seed, 4, 3);
        m.numbers.mask = seed % 7 == 0 ? TROP_MASK_CAUSAL : TROP_MASK_FULL;
        m.b.values = seed % 3 ? b : NULL;
        check(&m, seed);
        chains += !reach[0][m.n - 1];
    }
    assert_true(chains > 100); /* not all of them are one component */
}

/* ---- golden examples ----------------------------------------------------------------------- */

static void expect(const struct model *m, int64_t components, int64_t sinks, int64_t arcs,
                   int64_t one_way, int64_t aligned, int64_t remaining, int64_t acting)
{
    struct trop_graph *g = graph_of(m, NULL, 0);
    assert_int_equal(g->components, components);
    assert_int_equal(g->sinks, sinks);
    assert_int_equal(g->arcs, arcs);
    assert_int_equal(g->one_way, one_way);
    assert_int_equal(g->aligned, aligned);
    assert_int_equal(g->remaining, remaining);
    assert_int_equal(g->acting, acting);
    trop_graph_free(g);
}

static void a_token_between_two_leaders_hears_and_is_not_heard(void **state)
{
    (void)state;
    /* G2 of claim lm-rem-golden: the third token hears all three (scores .05, -.05, .0025), the
     * leaders themselves. */
    double line[] = { 1, -1, 0.05 };
    memcpy(x, line, sizeof line);
    struct model m = model_of(3, 1, 0.2);
    expect(&m, 3, 2, 2, 2, 2, 1, 0);
}

static void inner_tokens_of_the_square_bridge_its_corners(void **state)
{
    (void)state;
    /* G4 of claim lm-rem-golden. Hardmax: an inner token hears the two corners on its side. Epsilon
     * = 1: each inner token hears everything (its scores are within .5 of 0), a corner only itself.
     * Epsilon = 1.5: a corner hears the inner token on its side too (2 - .5), which hears all
     * (lm-thm-t9): one component; the corners are captured, the inner tokens are not, and act. */
    double square[] = { 1, 1, 1, -1, -1, -1, -1, 1, -.5, 0, .5, 0 };
    memcpy(x, square, sizeof square);
    struct model m = model_of(6, 2, 1);
    expect(&m, 5, 4, 10, 8, 4, 2, 0);
    m.numbers.epsilon = nextafter(1, 0);
    struct trop_graph *g = graph_of(&m, NULL, 0);
    assert_int_equal(g->arcs, 2 * 3); /* the far corners, on the tie, are gone */
    trop_graph_free(g);
    m.numbers.epsilon = 1.5;
    expect(&m, 1, 1, 14, 4, 4, 2, 2); /* 4 + 10 arcs; 5 pairs go both ways */
    m.numbers.rule = &trop_rule_hardmax;
    expect(&m, 6, 4, 4, 4, 4, 2, 0);
    m.numbers.ties = TROP_TIES_FIRST;
    expect(&m, 6, 4, 2, 2, 4, 2, 0);
}

static void equal_norms_make_balls(void **state)
{
    (void)state;
    /* lm-thm-t10: with |x_i| equal, C_i is the ball of radius sqrt(2 epsilon). Exactly on points of
     * norm 5, ties included; and on random spheres, where rounding of the norms (1e-16)
     * meets no tie. */
    double points[][2] = { { 5, 0 },  { 4, 3 },  { 3, 4 },  { 0, 5 },  { -3, 4 },  { -4, 3 },
                           { -5, 0 }, { 4, -3 }, { 3, -4 }, { 0, -5 }, { -3, -4 }, { -4, -3 } };
    int64_t mutual = 0;
    for (uint64_t seed = 0; seed < (uint64_t)cases(600, 20000); seed++) {
        int64_t d = seed % 2 ? 3 : 2, n = 2 + whole(seed, 0, 30);
        struct model m =
            model_of(n, d, seed % 2 ? 2 * uniform(seed, 1) : (double)whole(seed, 1, 51));
        for (int64_t i = 0; i < n; i++) {
            if (seed % 2) {
                trop_rng_sphere(x + i * d, d, seed, TROP_RNG_TEST, (uint64_t)i);
            } else {
                memcpy(x + i * d, points[whole(seed, (uint64_t)(9 + i), 12)], 2 * sizeof *x);
            }
        }
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) {
                double square = 0;
                for (int64_t c = 0; c < d; c++) {
                    square += (x[i * d + c] - x[j * d + c]) * (x[i * d + c] - x[j * d + c]);
                }
                arc[i][j] = square <= 2 * m.numbers.epsilon;
            }
        }
        struct trop_graph *g = graph_of(&m, NULL, 0);
        check_arcs(g);
        assert_int_equal(g->one_way, 0);
        assert_int_equal(g->aligned, n);
        assert_int_equal(g->sinks, g->components);
        mutual += g->arcs;
        trop_graph_free(g);
    }
    assert_true(mutual > 1000);
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void sets_past_the_limit_are_refused(void **state)
{
    (void)state;
    double line[] = { 1, -1, 0.05 };
    struct trop_graph *g = NULL;
    memcpy(x, line, sizeof line);
    struct model m = model_of(3, 1, 0.2);
    load(&m);
    assert_ok(trop_graph_create(&g, attend, notes, NULL, 0, 5)); /* 1 + 1 + 3 entries */
    trop_graph_free(g);
    g = NULL;
    assert_int_equal(trop_graph_create(&g, attend, notes, NULL, 0, 4), TROP_ERR_UNSUPPORTED);
    assert_null(g);
    assert_non_null(strstr(trop_error(), "4 entries"));
    trop_attend_free(attend);
    m.numbers.rule = &trop_rule_softmax;
    m.numbers.beta = 1;
    load(&m);
    assert_int_equal(trop_graph_create(&g, attend, notes, NULL, 0, 100), TROP_ERR_UNSUPPORTED);
    assert_non_null(strstr(trop_error(), "rule = softmax"));
    trop_attend_free(attend);
    trop_graph_free(NULL);
}

static enum trop_status attempt(void)
{
    struct trop_graph *g = NULL;
    enum trop_status status = trop_graph_create(&g, attend, notes, NULL, 0, INT64_MAX);
    assert_true((status == TROP_OK) == (g != NULL));
    trop_graph_free(g);
    return status;
}

static void no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    struct model m = model_of(40, 2, 2); /* many large sets: member grows more than once */
    normals(x, 80, 5);
    load(&m);
    alloc_refuse_each(attempt);
    trop_attend_free(attend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_are_those_of_their_definition),
        cmocka_unit_test(a_token_between_two_leaders_hears_and_is_not_heard),
        cmocka_unit_test(inner_tokens_of_the_square_bridge_its_corners),
        cmocka_unit_test(equal_norms_make_balls),
        cmocka_unit_test(sets_past_the_limit_are_refused),
        cmocka_unit_test(no_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
