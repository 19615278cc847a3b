/* test_model_graph.c -- Graph-SVM against closures of matrices; copies of problems; memory. */
#include "support.h"

#include "margin/model/model_internal.h"

#include "alloc_failing.c"

#define WORDS 12
#define MOST 64

static double embedding[WORDS * WORDS];
static int64_t ids[MOST * WORDS], next[MOST];

/* Words of unit vectors. */
static struct trop_data vocabulary_of(int64_t words, int64_t n, int64_t T)
{
    memset(embedding, 0, sizeof embedding);
    for (int64_t k = 0; k < words; k++) {
        embedding[k * words + k] = 1;
    }
    return (struct trop_data){ .n = n,
                               .T = T,
                               .d = words,
                               .vocabulary = embedding,
                               .words = words,
                               .ids = ids,
                               .next = next };
}

static struct trop_model_problem build(const struct trop_data *data)
{
    struct trop_model_choice choice = { .model = TROP_MODEL_AUTO };
    struct trop_model_problem made;

    assert_ok(trop_model_build(&made, data, &choice));
    return made;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* edge[i][j]: some input that ends in last is followed by i and holds j. reach: its closure, by
 * Warshall's algorithm. */
static void close_graph(int edge[WORDS][WORDS], int reach[WORDS][WORDS],
                        const struct trop_data *data, int64_t last)
{
    memset(edge, 0, sizeof(int[WORDS][WORDS]));
    for (int64_t i = 0; i < data->n; i++) {
        for (int64_t t = 0; t < data->T && ids[(i + 1) * data->T - 1] == last; t++) {
            edge[next[i]][ids[i * data->T + t]] |= ids[i * data->T + t] != next[i];
        }
    }
    memcpy(reach, edge, sizeof(int[WORDS][WORDS]));
    for (int64_t k = 0; k < WORDS; k++) {
        for (int64_t i = 0; i < WORDS; i++) {
            for (int64_t j = 0; j < WORDS; j++) {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
}

/* The constraints of one last word, from constraint j on; returns the one behind them. */
static int64_t check_graph(const struct trop_problem *p, const struct trop_data *data, int64_t last,
                           int64_t j)
{
    int edge[WORDS][WORDS], reach[WORDS][WORDS];

    close_graph(edge, reach, data, last);
    for (int64_t b = 0; b < data->words; b++) {
        int64_t least = 0;
        while (least < b && !(reach[least][b] && reach[b][least])) {
            least++;
        }
        if (least < b) {
            assert_true(j < p->count && p->equal[j] == 1 && p->right[j] == 0);
            assert_true(p->plus[j] == least && p->minus[j] == b);
            assert_true(p->input[j] == last && p->token[j] == b);
            assert_true(p->query[p->asked[j] * p->columns + last] == 1);
            j++;
        }
    }
    for (int64_t a = 0; a < data->words; a++) {
        for (int64_t b = 0; b < data->words; b++) {
            if (edge[a][b] && !reach[b][a]) {
                assert_true(j < p->count && p->equal[j] == 0 && p->right[j] == 1);
                assert_true(p->plus[j] == a && p->minus[j] == b);
                assert_true(p->input[j] == last && p->token[j] == b);
                assert_true(p->query[p->asked[j] * p->columns + last] == 1);
                j++;
            }
        }
    }
    return j;
}

static void priorities_are_those_of_the_closure(void **state)
{
    (void)state;
    int64_t equalities = 0, inequalities = 0;
    for (uint64_t seed = 0; seed < (uint64_t)cases(500, 20000); seed++) {
        const int64_t words = 2 + whole(seed, 1, WORDS - 1), n = 1 + whole(seed, 2, MOST - 1);
        const int64_t T = 1 + whole(seed, 3, 5), lasts = 1 + whole(seed, 4, words);
        struct trop_data data = vocabulary_of(words, n, T);
        for (int64_t k = 0; k < n * T; k++) {
            ids[k] = whole(seed + 1000000, (uint64_t)k, k % T == T - 1 ? lasts : words);
        }
        for (int64_t i = 0; i < n; i++) {
            next[i] = ids[i * T + whole(seed + 2000000, (uint64_t)i, T)];
        }
        struct trop_model_problem made = build(&data);
        int64_t j = 0;
        for (int64_t last = 0; last < words; last++) {
            j = check_graph(&made.problem, &data, last, j);
        }
        assert_int_equal(j, made.problem.count);
        assert_int_equal(made.problem.points, words);
        int64_t query = 0;
        for (int64_t last = 0; last < words; last++) {
            int asks = 0;
            for (int64_t i = 0; i < n; i++) {
                asks |= ids[(i + 1) * T - 1] == last;
            }
            assert_true(!asks || made.problem.query[query * words + last] == 1);
            query += asks;
        }
        assert_int_equal(made.problem.queries, query);
        for (j = 0; j < made.problem.count; j++) {
            equalities += made.problem.equal[j];
            inequalities += !made.problem.equal[j];
        }
        trop_model_free(&made);
    }
    /* The sample holds plenty of both. */
    assert_true(equalities > 500 && inequalities > 500);
}

/* A path of 50,000 words, then closed to a cycle: no recursion to overflow a stack. */
static void long_paths_and_cycles_are_searched(void **state)
{
    (void)state;
    const int64_t words = 50000, last = words - 1;
    int64_t *long_ids = calloc((size_t)words * 3, sizeof *long_ids);
    int64_t *long_next = calloc((size_t)words, sizeof *long_next);
    double *line = calloc((size_t)words, sizeof *line);
    struct trop_data data = { .n = words - 2,
                              .T = 3,
                              .d = 1,
                              .vocabulary = line,
                              .words = words,
                              .ids = long_ids,
                              .next = long_next };
    for (int64_t i = 0; i < words - 1; i++) {
        long_next[i] = long_ids[3 * i] = i;
        long_ids[3 * i + 1] = (i + 1) % (words - 1);
        long_ids[3 * i + 2] = last;
    }
    struct trop_model_problem made = build(&data);
    /* Words 0 .. words - 3 each over the next and over the last. */
    assert_int_equal(made.problem.count, 2 * (words - 2));
    assert_int_equal(made.problem.equal[0], 0);
    trop_model_free(&made);
    data.n = words - 1;
    made = build(&data);
    assert_int_equal(made.problem.count, (words - 2) + (words - 1));
    for (int64_t j = 0; j < made.problem.count; j++) {
        assert_int_equal(made.problem.equal[j], j < words - 2);
    }
    trop_model_free(&made);
    free(long_ids);
    free(long_next);
    free(line);
}

/* Huang, Liang, Yang (2024): with orthonormal words, those that follow, O, and those that never
 * do, N, the solution has e' W e_k = |N| / (|O| + |N|) on O, -|O| / (|O| + |N|) on N and 0
 * elsewhere. It satisfies every constraint with equality and is sum_j A_j / (|O| + |N|), a
 * positive combination: so it is optimal, and the constraints are those of the paper. */
static void the_closed_form_of_partial_orders_holds(void **state)
{
    (void)state;
    const int64_t words = 8, winners = 3, losers = 4;
    struct trop_data data = vocabulary_of(words, winners, 5);
    double w[64] = { 0 }, sum[64] = { 0 };

    for (int64_t i = 0; i < winners; i++) {
        const int64_t list[] = { i, 3, 4, 5, 6 };
        memcpy(ids + i * 5, list, sizeof list);
        next[i] = i;
    }
    for (int64_t a = 0; a < winners + losers; a++) {
        w[a * words + 6] = (double)(a < winners ? losers : -winners) / (double)(winners + losers);
    }
    struct trop_model_problem made = build(&data);
    const struct trop_problem *p = &made.problem;
    assert_int_equal(p->count, winners * losers);
    for (int64_t j = 0; j < p->count; j++) {
        const double *z = p->query + p->asked[j] * words;
        double value = 0;
        for (int64_t a = 0; a < words; a++) {
            for (int64_t b = 0; b < words; b++) {
                double left = p->point[p->plus[j] * words + a] - p->point[p->minus[j] * words + a];
                value += left * w[a * words + b] * z[b];
                sum[a * words + b] += left * z[b] / (double)(winners + losers);
            }
        }
        assert_near(value, 1, 2 * 0x1p-53); /* 4/7 + 3/7 */
        assert_true(p->equal[j] == 0 && p->right[j] == 1);
    }
    for (int64_t k = 0; k < words * words; k++) {
        assert_near(sum[k], w[k], 4 * 0x1p-53); /* four sevenths added up */
    }
    trop_model_free(&made);
}

static void options_without_meaning_for_graphs_are_refused(void **state)
{
    (void)state;
    struct trop_data data = vocabulary_of(3, 1, 1);
    struct trop_model_problem made;
    double weights[3] = { 1, 1, 1 };
    int64_t relaxed[1] = { 0 };
    struct trop_model_choice choice = { .model = TROP_MODEL_GRAPH, .weights = weights };

    ids[0] = next[0] = 0;
    assert_int_equal(trop_model_build(&made, &data, &choice), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "weights: not for the graph model");
    assert_int_equal(trop_model_finite(&made, &data, &choice), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "weights: not for the graph model");
    choice = (struct trop_model_choice){ .model = TROP_MODEL_GRAPH, .relaxed = relaxed };
    assert_int_equal(trop_model_build(&made, &data, &choice), TROP_ERR_ARG);
    assert_string_equal(trop_error(), "relaxed: not for the graph model");
    choice.relaxed = NULL;
    assert_ok(trop_model_build(&made, &data, &choice));
    assert_int_equal(made.problem.count, 0);
    trop_model_free(&made);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static double point[] = { 1, 2, 3, 4, 5, 6 }, query[] = { 1, -1, 2 }, right[] = { 1, 0, 2.5 };
static int64_t plus[] = { 0, 1, -1 }, minus[] = { 2, -1, 1 }, asked[] = { 0, 0, 0 };
static int64_t equal[] = { 0, 0, 1 }, input[] = { 0, 0, 1 }, token[] = { 2, 1, 0 };

static struct trop_problem problem_of(void)
{
    return (struct trop_problem){ 2,    3,     3,     1,     3,     point, query,
                                  plus, minus, asked, equal, right, input, token };
}

static void a_copy_owns_everything(void **state)
{
    (void)state;
    struct trop_problem p = problem_of(), none = { .rows = 1, .columns = 1 };
    struct trop_model_problem copy;

    assert_ok(trop_model_copy(&copy, &p));
    const struct trop_problem *c = &copy.problem;
    assert_true(c->rows == 2 && c->columns == 3 && c->points == 3 && c->queries == 1);
    assert_int_equal(c->count, 3);
    assert_true(c->point != point && memcmp(c->point, point, sizeof point) == 0);
    assert_true(c->query != query && memcmp(c->query, query, sizeof query) == 0);
    assert_true(c->right != right && memcmp(c->right, right, sizeof right) == 0);
    assert_true(c->plus != plus && memcmp(c->plus, plus, sizeof plus) == 0);
    assert_true(c->minus != minus && memcmp(c->minus, minus, sizeof minus) == 0);
    assert_true(c->asked != asked && memcmp(c->asked, asked, sizeof asked) == 0);
    assert_true(c->equal != equal && memcmp(c->equal, equal, sizeof equal) == 0);
    assert_true(c->input != input && memcmp(c->input, input, sizeof input) == 0);
    assert_true(c->token != token && memcmp(c->token, token, sizeof token) == 0);
    trop_model_free(&copy);
    assert_null(copy.problem.point);
    trop_model_free(&copy);
    trop_model_free(NULL);
    assert_ok(trop_model_copy(&copy, &none));
    assert_int_equal(copy.problem.count, 0);
    trop_model_free(&copy);
}

static void assert_refused(const struct trop_problem *problem, const char *words)
{
    struct trop_model_problem copy;

    assert_int_equal(trop_model_copy(&copy, problem), TROP_ERR_ARG);
    if (!strstr(trop_error(), words)) {
        fail_msg("\"%s\" does not say \"%s\"", trop_error(), words);
    }
}

static void broken_problems_are_refused(void **state)
{
    (void)state;
    struct trop_problem p;
#define REFUSED(member, value, words) \
    p = problem_of(); \
    p.member = value; \
    assert_refused(&p, words)
#define SPOILT(place, value, words) \
    do { \
        __typeof__(place) kept = place; \
        p = problem_of(); \
        place = value; \
        assert_refused(&p, words); \
        place = kept; \
    } while (0)

    assert_refused(NULL, "problem: missing");
    REFUSED(rows, 0, "problem: 0 rows, must be at least 1");
    REFUSED(columns, -1, "problem: -1 columns, must be at least 1");
    REFUSED(points, -1, "problem: -1 points, must be at least 0");
    REFUSED(queries, -3, "problem: -3 queries, must be at least 0");
    REFUSED(count, -3, "problem: -3 constraints, must be at least 0");
    REFUSED(points, INT64_MAX, "are too many");
    REFUSED(queries, INT64_MAX, "are too many");
    REFUSED(rows, INT64_MAX, "are too many");
    REFUSED(point, NULL, "problem: point is missing");
    REFUSED(query, NULL, "problem: query is missing");
    REFUSED(plus, NULL, "problem: plus is missing");
    REFUSED(minus, NULL, "problem: minus is missing");
    REFUSED(asked, NULL, "problem: asked is missing");
    REFUSED(equal, NULL, "problem: equal is missing");
    REFUSED(right, NULL, "problem: right is missing");
    REFUSED(input, NULL, "problem: input is missing");
    REFUSED(token, NULL, "problem: token is missing");
    SPOILT(plus[1], 3, "problem: plus of constraint 1 is 3, must be from -1 to 2");
    SPOILT(minus[2], -2, "problem: minus of constraint 2 is -2, must be from -1 to 2");
    SPOILT(asked[0], 1, "problem: asked of constraint 0 is 1, must be from 0 to 0");
    SPOILT(equal[0], 2, "problem: equal of constraint 0 is 2, must be from 0 to 1");
    SPOILT(input[1], -1, "problem: input of constraint 1 is -1, must be from 0");
    SPOILT(token[1], -1, "problem: token of constraint 1 is -1, must be from 0");
    SPOILT(point[3], NAN, "problem: point 1 has nan at place 1, must be finite");
    SPOILT(query[2], INFINITY, "problem: query 0 has inf at place 2, must be finite");
    SPOILT(right[1], 0.5, "problem: right of constraint 1 is 0.5, must be 0 or 1 unless");
    SPOILT(right[0], NAN, "problem: right of constraint 0 is nan, must be 0 or 1 unless");
    SPOILT(right[2], INFINITY, "problem: right of constraint 2 is inf, must be finite");
#undef REFUSED
#undef SPOILT
}

/* ---- memory ---------------------------------------------------------------------------------- */

static enum trop_status attempt_copy(void)
{
    struct trop_problem p = problem_of();
    struct trop_model_problem copy;
    enum trop_status status = trop_model_copy(&copy, &p);

    if (status == TROP_OK) {
        trop_model_free(&copy);
    }
    return status;
}

/* The model of attempt_build. */
static int64_t attempted;

static enum trop_status attempt_build(void)
{
    static const double tokens[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    static const double labels[2] = { 1, -1 }, weights[6] = { 1, 0, 1, 0, 1, 1 };
    static const int64_t select[6] = { 0, 1, 2, 0, 1, 2 }, words[6] = { 0, 1, 2, 1, 0, 2 };
    struct trop_data data = { .n = 2,
                              .T = 3,
                              .d = 2,
                              .x = tokens,
                              .y = labels,
                              .labels = 1,
                              .z = attempted == TROP_MODEL_SEQUENCE ? NULL : tokens,
                              .queries = 1,
                              .vocabulary = tokens,
                              .words = 3,
                              .ids = words,
                              .next = select };
    struct trop_model_choice choice = { .model = attempted, .select = select };
    struct trop_model_problem made;
    enum trop_status status;

    if (attempted < 0) {
        choice = (struct trop_model_choice){ .model = TROP_MODEL_CROSS, .weights = weights };
        status = trop_model_finite(&made, &data, &choice);
    } else {
        status = trop_model_build(&made, &data, &choice);
    }
    if (status == TROP_OK) {
        trop_model_free(&made);
    }
    return status;
}

static void every_refused_allocation_is_reported(void **state)
{
    (void)state;
    alloc_refuse_each(attempt_copy);
    for (attempted = -1; attempted <= TROP_MODEL_GRAPH; attempted++) {
        alloc_refuse_each(attempt_build);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(priorities_are_those_of_the_closure),
        cmocka_unit_test(long_paths_and_cycles_are_searched),
        cmocka_unit_test(the_closed_form_of_partial_orders_holds),
        cmocka_unit_test(options_without_meaning_for_graphs_are_refused),
        cmocka_unit_test(a_copy_owns_everything),
        cmocka_unit_test(broken_problems_are_refused),
        cmocka_unit_test(every_refused_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
