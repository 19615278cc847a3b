/* test_shortlist.c -- hardmax by the shortlist against hardmax by all scores, bit by bit.
 *
 * The direct kernel is the judge: displacements and notes of every row are compared by memcmp
 * at every step of runs, by the cells of the list and by a search among its points. Lists that lack
 * something, or are of another step, are shown to be noticed.
 */
#include "support.h"

#include "alloc_failing.c"
#include "attend/fan.h"
#include "attend/tree/tree_top.h"
#include "shape/shortlist.h"

#define MOST 4096 /* tokens */
#define WIDE 6    /* dimensions */

/* ---- clouds ---------------------------------------------------------------------------------- */

enum cloud {
    GAUSS,
    LATTICE,   /* whole numbers from -2 to 2, with 0 and -0 */
    LINE,      /* along one direction, coordinates rounded */
    DIAGONAL,  /* exactly on the diagonal */
    POLYGON,   /* on a circle in the first two coordinates, turned */
    DOUBLED,   /* many tokens at few places */
    EQUAL,     /* all at one place */
    PAIR,      /* at two places */
    FLAT,      /* the last coordinate is the sum of the others, exactly */
    EDGES,     /* corners of a cube, dyadic points on its edges, and those an ulp beside */
    TINY,      /* Gaussian times 1e-300 */
    HUGE_,     /* Gaussian times 1e300 */
    FAR,       /* a cloud of size 1e-9 at distance 1000 */
    THIN,      /* 1000 times as long as wide, turned */
    CLUSTERED, /* close to the corners of a simplex */
    SPHERE,    /* of radius 1, by rounded coordinates */
    BOWL,      /* the last coordinate is the sum of the squares of the others */
    CLOUDS
};

/* Corners of the cube [-1, 1]^d, or between two of them, or next to that. */
static double edge_value(uint64_t seed, int64_t i, int64_t c, int64_t d)
{
    uint64_t at = (uint64_t)(i * 16 + c);
    double corner = whole(seed, at, 2) ? 1 : -1;
    int64_t kind = i % 3, along = i % d;

    if (kind > 0 && c == along) {
        return (double)whole(seed + 1, at, 9) * 0.25 - 1;
    }
    if (kind == 2 && c == (along + 1) % d) {
        return whole(seed + 2, at, 2) ? corner * (1 - 0x1p-53) : corner;
    }
    return corner;
}

static double value_of(enum cloud cloud, int64_t i, int64_t c, int64_t d, uint64_t seed)
{
    uint64_t at = (uint64_t)(i * WIDE + c), first = (uint64_t)(i * WIDE);
    double angle = 0.3 + 0.2617993877991494 * (double)(i % 24), g = normal(seed, at);

    switch (cloud) {
    case LATTICE:
        return ((double)whole(seed, at, 5) - 2) * (i % 2 ? -1 : 1);
    case LINE:
        return 0.1 * (double)(c + 1) * normal(seed, first) + 0.3;
    case DIAGONAL:
        return normal(seed, first);
    case POLYGON:
        return c == 0 ? cos(angle) : c == 1 ? sin(angle) : (double)(i % 3);
    case DOUBLED:
        return normal(seed, (uint64_t)(i % 12 * WIDE + c));
    case EQUAL:
        return 0.7 - (double)c;
    case PAIR:
        return i % 5 ? 0.5 + (double)c : -1.25;
    case EDGES:
        return edge_value(seed, i, c, d);
    case TINY:
        return 1e-300 * g;
    case HUGE_:
        return 1e300 * g;
    case FAR:
        return 1000 + 1e-9 * g;
    case THIN:
        return normal(seed, first) * (double)(c + 1) + 1e-3 * g;
    case CLUSTERED:
        return (i % (d + 1) == c ? 1 : 0) + 1e-6 * uniform(seed, at) * (i > d);
    default:
        return g;
    }
}

static void draw(double *x, enum cloud cloud, int64_t n, int64_t d, uint64_t seed)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t c = 0; c < d; c++) {
            double value = value_of(cloud, i, c, d, seed);
            if (cloud == FLAT) { /* quarters: sums are exact */
                value = floor(4 * value) / 4;
                value = c == d - 1 && d > 1 ? sum : value;
                sum += value;
            }
            value = cloud == BOWL && c == d - 1 ? sum : value;
            sum += cloud == BOWL || cloud == SPHERE ? value * value : 0;
            x[i * d + c] = value;
        }
        for (int64_t c = 0; c < d && cloud == SPHERE; c++) {
            x[i * d + c] /= sqrt(sum);
        }
    }
}

/* ---- one comparison -------------------------------------------------------------------------- */

struct bench {
    int64_t n, d;
    double *x;
    double matrix[WIDE * WIDE];
    struct trop_matrix key_query;
    const double *mass;
    int64_t ties;
    struct trop_attend *direct, *listed;
    struct trop_shortlist *shortlist;
    struct trop_tree_top *top;
    const struct trop_attend_list *list;
    double *a, *b;
    struct trop_attend_note *na, *nb;
};

/* B: the identity, its negative, a random one, the first coordinate alone. */
static void take_matrix(struct bench *t, int kind, uint64_t seed)
{
    for (int64_t k = 0; k < t->d * t->d; k++) {
        t->matrix[k] = kind == 2 ? normal(seed, (uint64_t)k) : k == 0;
    }
    t->key_query =
        (struct trop_matrix){ .values = kind < 2 ? NULL : t->matrix, .scale = kind == 1 ? -1 : 1 };
}

static struct bench *bench_create(int64_t n, int64_t d, int64_t workers, int always)
{
    struct bench *t = calloc(1, sizeof *t);
    const struct trop_kernel *kernel = trop_kernel_choose(0);

    t->n = n;
    t->d = d;
    t->x = calloc((size_t)(n * d), sizeof *t->x);
    t->a = calloc((size_t)(n * d), sizeof *t->a);
    t->b = calloc((size_t)(n * d), sizeof *t->b);
    t->na = calloc((size_t)n, sizeof *t->na);
    t->nb = calloc((size_t)n, sizeof *t->nb);
    assert_ok(trop_attend_create(&t->direct, n, d, workers, kernel, 0));
    assert_ok(trop_attend_create(&t->listed, n, d, workers, kernel, 0));
    assert_ok(trop_shortlist_create(&t->shortlist, n, d, workers, always));
    if (d > 1) {
        assert_ok(trop_tree_top_create(&t->top, n, d, workers));
    }
    take_matrix(t, 0, 0);
    return t;
}

static void bench_free(struct bench *t)
{
    trop_attend_free(t->direct);
    trop_attend_free(t->listed);
    trop_shortlist_free(t->shortlist);
    trop_tree_top_free(t->top);
    free(t->x);
    free(t->a);
    free(t->b);
    free(t->na);
    free(t->nb);
    free(t);
}

/* Both ways; the rows by a list of the caller's when there is one. */
static int same(struct bench *t, const struct trop_attend_list *list)
{
    struct trop_rule_numbers numbers = { .rule = &trop_rule_hardmax, .ties = t->ties };
    size_t row = (size_t)t->d * sizeof *t->a;

    memset(t->nb, 1, (size_t)t->n * sizeof *t->nb);
    memset(t->b, 1, (size_t)t->n * row);
    assert_ok(trop_attend_load(t->direct, t->x, t->mass, t->n, &t->key_query, &numbers));
    assert_ok(trop_attend_load(t->listed, t->x, t->mass, t->n, &t->key_query, &numbers));
    assert_ok(trop_attend_rows(t->a, t->na, t->direct, 0));
    assert_ok(trop_attend_rows_listed(t->b, t->nb, t->listed, list));
    return memcmp(t->a, t->b, (size_t)t->n * row) == 0 &&
           memcmp(t->na, t->nb, (size_t)t->n * sizeof *t->na) == 0;
}

/* As dynamics_layer.c: gamma = 1 ends at the place of the leader. */
static void step(struct bench *t, double gamma)
{
    for (int64_t i = 0; i < t->n; i++) {
        for (int64_t c = 0; c < t->d; c++) {
            int64_t k = i * t->d + c;
            t->b[k] = gamma < 1         ? fma(gamma, t->a[k], t->x[k])
                      : t->na[i].unique ? t->x[t->na[i].best * t->d + c]
                                        : t->x[k] + t->a[k];
        }
    }
    memcpy(t->x, t->b, (size_t)(t->n * t->d) * sizeof *t->x);
}

static void run(struct bench *t, const char *what, double gamma, int64_t steps)
{
    for (int64_t k = 0; k < steps; k++) {
        assert_ok(trop_shortlist_update(&t->list, t->shortlist, t->x, t->n));
        struct trop_attend_list whole = *t->list;
        whole.fan = NULL;
        whole.top = t->top;
        whole.always = 1;
        if (!same(t, &whole)) {
            fail_msg("%s, step %lld: rows by a search differ", what, (long long)k);
        }
        if (!same(t, t->list)) {
            for (int64_t i = 0; i < t->n; i++) {
                if (t->na[i].best != t->nb[i].best || t->na[i].set != t->nb[i].set) {
                    fail_msg("%s, step %lld: token %lld has leader %lld, by the list %lld", what,
                             (long long)k, (long long)i, (long long)t->na[i].best,
                             (long long)t->nb[i].best);
                }
            }
            fail_msg("%s, step %lld: rows differ", what, (long long)k);
        }
        step(t, gamma);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static const double gammas[] = { 0.1, 0.5, 1 };

/* One run of every cloud in every dimension, the other choices going round; all of them in the
 * full tier. */
static void small_clouds(void **state)
{
    double mass[96];
    (void)state;

    for (int64_t i = 0; i < 96; i++) {
        mass[i] = i % 7 == 3 ? 0 : 1 + (double)(i % 4);
    }
    for (int64_t d = 1; d <= WIDE; d++) {
        int64_t n = d < 3 ? 96 : d < 5 ? 72 : 40;
        struct bench *t = bench_create(n, d, 1, 1);
        for (int64_t cloud = 0, turn = d; cloud < CLOUDS; cloud++) {
            for (int64_t k = 0; k < cases(d < 4 ? 9 : 2, d < 4 ? 72 : 12); k++, turn += 7) {
                char what[99];
                snprintf(what, sizeof what, "d = %lld, cloud %lld, case %lld", (long long)d,
                         (long long)cloud, (long long)turn);
                draw(t->x, (enum cloud)cloud, n, d, (uint64_t)turn);
                take_matrix(t, (int)(turn % 4), (uint64_t)turn);
                t->ties = turn / 2 % 3;
                t->mass = turn % 5 < 2 ? mass : NULL;
                run(t, what, gammas[turn % 3], d < 4 ? 5 : 3);
            }
        }
        bench_free(t);
    }
}

/* Fewer tokens than corners of anything. */
static void few_tokens(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= WIDE; d++) {
        for (int64_t n = 1; n <= 9; n++) {
            struct bench *t = bench_create(n, d, 1, 1);
            t->ties = n % 3;
            take_matrix(t, (int)((n + d) % 4), 5);
            draw(t->x, n % 2 ? GAUSS : LATTICE, n, d, (uint64_t)(n * d));
            run(t, "few tokens", 0.5, 4);
            bench_free(t);
        }
    }
}

/* Lists by their own judgement, with cells that are not known, and several workers. */
static void large_clouds(void **state)
{
    static const enum cloud few[] = { GAUSS, LATTICE, DIAGONAL, DOUBLED, FLAT, CLUSTERED, THIN };
    (void)state;

    for (int64_t d = 2; d <= 3; d++) {
        int64_t n = d == 2 ? 1500 : 4096, lists = 0;
        for (int64_t k = 0; k < 7; k++) {
            struct bench *t = bench_create(n, d, 1 + k % 3, 0);
            t->ties = k % 3;
            draw(t->x, few[k], n, d, 3);
            take_matrix(t, k % 2 ? 0 : 2, 8);
            run(t, "many tokens", gammas[k % 3], cases(2, 12));
            lists += t->list->count > 0;
            bench_free(t);
        }
        assert_true(lists >= 4);
    }
}

/* Clouds whose tokens are all on the hull: the list is searched by its own judgement, which a list
 * with its tokens moved on by one place shows, and so are late rows of several workers. */
static void all_on_the_hull(void **state)
{
    static const enum cloud round[] = { SPHERE, BOWL, SPHERE, LINE };
    (void)state;

    for (int64_t k = 0; k < 4; k++) {
        int64_t n = 20000, d = k == 2 ? 2 : 3;
        struct bench *t = bench_create(n, d, 1 + k, 0);
        int64_t *token = calloc((size_t)n, sizeof *token);
        draw(t->x, round[k], n, d, 5);
        for (int64_t i = 0; i < n / 8 * d; i++) { /* some of them twice */
            t->x[n * d - 1 - i] = t->x[n / 4 * d - 1 - i];
        }
        take_matrix(t, k == 0 ? 2 : 0, 8);
        t->ties = k % 3;
        run(t, "all on the hull", 0.5, 2);
        draw(t->x, round[k], n, d, 6);
        assert_ok(trop_shortlist_update(&t->list, t->shortlist, t->x, n));
        assert_null(t->list->fan);
        struct trop_attend_list moved = *t->list;
        for (int64_t j = 0; j < n; j++) {
            token[j] = t->list->token[(j + 1) % n];
        }
        moved.token = token;
        assert_false(same(t, &moved));
        free(token);
        bench_free(t);
    }
}

/* The list of a run is not that of its first step: in some of 300 Gaussian runs a token that was
 * no vertex at first has the maximum for some query within 6 steps. The list of the first step,
 * kept, gives other rows there; the updated one does not. */
static void emerging_leaders(void **state)
{
    int64_t emerged = 0, wrong = 0, kept = 0;
    struct bench *first = bench_create(64, 2, 1, 1);
    (void)state;

    for (uint64_t seed = 0; seed < 300; seed++) {
        struct bench *t = bench_create(64, 2, 1, 1);
        int64_t listed[64] = { 0 }, new = 0, off = 0;
        const struct trop_attend_list *old;
        draw(t->x, GAUSS, 64, 2, seed);
        assert_ok(trop_shortlist_update(&old, first->shortlist, t->x, 64));
        for (int64_t k = 0; k < old->count; k++) {
            listed[old->token[k]] = 1;
        }
        for (int64_t k = 0; k < 6; k++) {
            run(t, "emerging", 0, 1);
            kept += trop_shortlist_notes(t->shortlist).kept;
            for (int64_t i = 0; i < 64; i++) {
                new += !listed[t->na[i].best];
            }
            off += !same(t, old);
            step(t, 0.5);
        }
        emerged += new > 0;
        wrong += off > 0;
        assert_true(new == 0 || off > 0);
        bench_free(t);
    }
    bench_free(first);
    print_message("emerged in %lld runs, old lists wrong in %lld, lists kept %lld\n",
                  (long long)emerged, (long long)wrong, (long long)kept);
    assert_true(emerged >= 3);
    assert_true(wrong >= emerged);
}

/* A list that still holds is kept, and no longer when one token comes onto the boundary. */
static void kept_while_it_holds(void **state)
{
    struct bench *t = bench_create(64, 2, 1, 1);
    static const double corner[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
    (void)state;

    for (int64_t i = 0; i < 128; i++) {
        t->x[i] = i < 8 ? corner[i / 2][i % 2] : 0.5 * uniform(4, (uint64_t)i);
    }
    take_matrix(t, 3, 0);
    for (int64_t k = 0; k < 4; k++) {
        run(t, "kept", 0, 1);
        assert_int_equal(trop_shortlist_notes(t->shortlist).kept, k == 1 || k == 2);
        assert_int_equal(t->list->count, k < 3 ? 4 : 5);
        t->x[2 * 20 + 1] -= 0.1; /* inside */
        if (k == 2) {
            t->x[2 * 30] = 1; /* on the edge x = 1, where B of rank one looks */
        }
    }
    bench_free(t);
}

/* ---- lists that lack something are noticed ------------------------------------------------- */

/* The list of t without its last token at a point, or without the point's number in any cell. */
static int noticed_without(struct bench *t, int64_t point)
{
    struct trop_attend_list less = *t->list;
    struct trop_fan fan = *t->list->fan;
    int64_t start[MOST + 1], token[MOST], count = 0;
    int64_t size = fan.faces * fan.room;
    int32_t *pool = calloc((size_t)size, sizeof *pool);

    memcpy(pool, fan.pool, (size_t)size * sizeof *pool);
    for (int64_t p = 0; p < less.points; p++) {
        int64_t last = less.start[p + 1];
        int single = last - less.start[p] == 1;
        start[p] = count;
        for (int64_t k = less.start[p]; k < last; k++) {
            if (p != point || k < last - 1 || single) {
                token[count++] = less.token[k];
            }
        }
        /* a single token: its place in the cells goes to a neighbour in the list */
        for (int64_t k = 0; p == point && single && k < size; k++) {
            pool[k] = pool[k] == point ? (int32_t)(point == 0) : pool[k];
        }
    }
    start[less.points] = count;
    fan.pool = pool;
    less.count = count;
    less.start = start;
    less.token = token;
    less.fan = &fan;
    int noticed = !same(t, &less);
    free(pool);
    return noticed;
}

static void lists_that_lack(void **state)
{
    static const enum cloud few[] = { DOUBLED, LATTICE, EDGES, POLYGON };
    (void)state;

    for (int64_t k = 0; k < 4; k++) {
        for (int kind = 0; kind < 4; kind += 3) {
            struct bench *t = bench_create(96, 2, 1, 1);
            int64_t noticed = 0;
            draw(t->x, few[k], 96, 2, 11);
            t->ties = TROP_TIES_INDICES;
            take_matrix(t, kind, 0);
            assert_ok(trop_shortlist_update(&t->list, t->shortlist, t->x, t->n));
            assert_true(same(t, t->list));
            for (int64_t p = 0; p < t->list->points; p++) {
                noticed += noticed_without(t, p);
            }
            /* With B = I the leaders are vertices that queries look at; with B of rank one
             * whole edges tie, tokens in their middle included. */
            assert_true(noticed >= 2);
            bench_free(t);
        }
    }
}

/* ---- other calls --------------------------------------------------------------------------- */

static void other_rules(void **state)
{
    struct bench *t = bench_create(600, 2, 2, 0);
    struct trop_rule_numbers numbers = { .rule = &trop_rule_hardmax, .mask = TROP_MASK_CAUSAL };
    (void)state;

    draw(t->x, GAUSS, 600, 2, 1);
    assert_ok(trop_shortlist_update(&t->list, t->shortlist, t->x, 600));
    assert_true(t->list->count > 0);
    for (int k = 0; k < 2; k++) {
        assert_ok(trop_attend_load(t->direct, t->x, NULL, 600, &t->key_query, &numbers));
        assert_ok(trop_attend_load(t->listed, t->x, NULL, 600, &t->key_query, &numbers));
        assert_ok(trop_attend_rows(t->a, NULL, t->direct, 0));
        assert_ok(trop_attend_rows_listed(t->b, NULL, t->listed, t->list));
        assert_memory_equal(t->a, t->b, 1200 * sizeof *t->a);
        numbers.mask = TROP_MASK_FULL; /* and without notes */
    }
    assert_false(trop_shortlist_pays(1000000, WIDE + 1, 0));
    assert_false(trop_shortlist_pays(100, 2, 0));
    assert_true(trop_shortlist_pays(1000000, 3, 10));
    assert_false(trop_shortlist_pays(1000000, 3, 250000));
    bench_free(t);
}

/* Fewer tokens than before, as merging leaves them, and more again. */
static void other_counts(void **state)
{
    struct bench *t = bench_create(90, 3, 1, 1);
    (void)state;

    for (int64_t k = 0; k < 12; k++) {
        t->n = k % 3 == 2 ? 4 : 90 - 13 * (k % 3);
        draw(t->x, k % 2 ? GAUSS : LATTICE, t->n, 3, (uint64_t)k);
        run(t, "other counts", 0.5, 2);
    }
    t->n = 90;
    bench_free(t);
}

/* A first list, and that of tokens that have moved; and room for a search. */
static enum trop_status attempt(void)
{
    struct trop_shortlist *shortlist = NULL;
    struct trop_tree_top *top = NULL;
    const struct trop_attend_list *list;
    double x[180];
    enum trop_status status = trop_tree_top_create(&top, 60, 3, 2);

    trop_tree_top_free(top);
    if (status == TROP_OK) {
        status = trop_shortlist_create(&shortlist, 60, 3, 2, 1);
    }

    for (uint64_t k = 0; k < 2 && status == TROP_OK; k++) {
        draw(x, GAUSS, 60, 3, k);
        status = trop_shortlist_update(&list, shortlist, x, 60);
    }
    trop_shortlist_free(shortlist);
    return status;
}

static void out_of_memory(void **state)
{
    (void)state;
    alloc_refuse_each(attempt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_clouds),     cmocka_unit_test(few_tokens),
        cmocka_unit_test(large_clouds),     cmocka_unit_test(all_on_the_hull),
        cmocka_unit_test(emerging_leaders), cmocka_unit_test(kept_while_it_holds),
        cmocka_unit_test(lists_that_lack),  cmocka_unit_test(other_rules),
        cmocka_unit_test(other_counts),     cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
