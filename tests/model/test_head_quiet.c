/* test_head_quiet.c -- sets that a head would keep apart, against reachability by brute force. */
#include "model/head/head.h"

#include "base/rng.h"
#include "support.h"

#define MOST 7

/* Keys are unit vectors, so that queries are the scores. */
struct case_of {
    int64_t n;
    double q[MOST * MOST], k[MOST * MOST];
};

static void draw(struct case_of *c, int64_t n, uint64_t seed, int whole)
{
    c->n = n;
    memset(c->k, 0, sizeof c->k);
    for (int64_t e = 0; e < n * n; e++) {
        const double u = trop_rng_normal(seed, TROP_RNG_TEST, (uint64_t)e, 5);
        c->q[e] = whole ? floor(2 * u) : u; /* whole ones tie */
        c->k[e] = e / n == e % n;
    }
}

static int sees(int64_t i, int64_t j, int64_t causal, int64_t window)
{
    return (!causal || j <= i) && (window == 0 || (j > i - window && (causal || j < i + window)));
}

static double top_of(const struct case_of *c, int64_t i, int64_t causal, int64_t window)
{
    double top = -INFINITY;

    for (int64_t j = 0; j < c->n; j++) {
        top = sees(i, j, causal, window) ? fmax(top, c->q[i * c->n + j]) : top;
    }
    return top;
}

/* Closed components: classes of tokens that reach each other, from which nothing else is reached.
 */
static int64_t brute_sets(const struct case_of *c, double epsilon, int64_t causal, int64_t window)
{
    int reach[MOST][MOST];
    int64_t sets = 0;

    for (int64_t i = 0; i < c->n; i++) {
        for (int64_t j = 0; j < c->n; j++) {
            reach[i][j] = i == j || (sees(i, j, causal, window) &&
                                     top_of(c, i, causal, window) - c->q[i * c->n + j] <= epsilon);
        }
    }
    for (int64_t m = 0; m < c->n; m++) {
        for (int64_t i = 0; i < c->n; i++) {
            for (int64_t j = 0; j < c->n; j++) {
                reach[i][j] |= reach[i][m] && reach[m][j];
            }
        }
    }
    for (int64_t i = 0; i < c->n; i++) {
        int closed = 1, first = 1;
        for (int64_t j = 0; j < c->n; j++) {
            closed &= !reach[i][j] || reach[j][i];
            first &= !(j < i && reach[i][j] && reach[j][i]);
        }
        sets += closed && first;
    }
    return sets;
}

static double brute_epsilon(const struct case_of *c, int64_t causal, int64_t window)
{
    double least = brute_sets(c, 0, causal, window) == 1 ? 0 : INFINITY;

    for (int64_t e = 0; e < c->n * c->n; e++) {
        const double drop = top_of(c, e / c->n, causal, window) - c->q[e];
        if (sees(e / c->n, e % c->n, causal, window) && drop < least &&
            brute_sets(c, drop, causal, window) == 1) {
            least = drop;
        }
    }
    return least;
}

static void sets_and_epsilon_are_those_of_brute_force(void **state)
{
    int64_t several = 0, never = 0;

    (void)state;
    for (uint64_t seed = 0; seed < 600; seed++) {
        const int64_t n = 1 + (int64_t)(seed % MOST), causal = seed / 7 % 2;
        const int64_t window = (int64_t)(seed / 14 % 3);
        struct case_of c;
        struct trop_head_result *head = NULL;
        draw(&c, n, seed, seed % 2 == 0);
        const struct trop_head_input input = {
            .n = n,
            .d = n,
            .q = c.q,
            .k = c.k,
            .v = c.k,
            .scale = 1,
            .causal = causal,
            .window = window,
        };
        assert_ok(trop_head_create(&head, n, n, 0, TROP_HEAD_MEASURE_QUIET));
        assert_ok(trop_head_measure(head, &input));
        const double epsilon = brute_epsilon(&c, causal, window);
        assert_int_equal(head->quiet_sets, brute_sets(&c, 0, causal, window));
        if (isinf(epsilon)) {
            assert_true(isinf(head->quiet_epsilon));
        } else {
            assert_near(head->quiet_epsilon, epsilon, 1e-15 * (1 + epsilon));
        }
        several += head->quiet_sets > 1;
        never += isinf(epsilon);
        trop_head_free(head);
    }
    assert_true(several > 100 && never > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_and_epsilon_are_those_of_brute_force),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
