/* bench_margin.c -- max-margin problems in every norm, and training steps.
 *
 *   bench_margin          everything
 *   bench_margin DIR      the peers' problems alone, and writes them to DIR for peers_margin.py
 *   bench_margin gates    iteration counts alone: deterministic, for comparison with a record
 *
 * Problems that peers solve too, SEEDS draws each, one thread, seconds of processor time (the
 * machine may be shared), smallest of several runs of all that a user gets through the public
 * interface: making the problem, solution and proved bounds. told: the same with support, rank and
 * all else that a result tells, which is found when it is read.
 *
 *   p        vector p, n = 50, T = 10, d = 50: 450 constraints, 50 unknowns. Unit tokens; 450
 *            half-spaces of R^50 at random have nothing in common, so a margin is planted: of each
 *            input the token that is best along a unit vector u is moved by u / 4.
 *   p-close  the same without the move: barely feasible.
 *   W        matrix W, the same n, T, d, unit tokens, queries and decoder: 2,500 unknowns.
 *   l1.75, l3, nuclear   W likewise, in other norms.
 *
 * Further cases, as many threads as there are cores, seconds by the clock, and for l2 the ratio to
 * an outsider in the same run: Hildreth's dual coordinate ascent on the Gram matrix, in plain
 * double, until its own duality gap is 1e-8 (it does not get to ours). Training: microseconds of a
 * normalised mirror step, one thread, and the ratio to the same step with the gradient and the
 * powers as the papers' scripts have them (naive formulas, libm's pow and exp). */
#include "tropism.h"

#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double time_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void)
{
    return time_of(CLOCK_MONOTONIC);
}

static void check(enum trop_status status)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s\n", trop_error());
        exit(1);
    }
}

/* ---- data: unit tokens, queries and decoder -------------------------------------------------- */

struct sample {
    struct trop_data data;
    double *x, *z, *v, *y;
};

static void draw(struct sample *s, int64_t n, int64_t T, int64_t d, uint64_t seed)
{
    s->x = malloc((size_t)(n * T * d) * sizeof(double));
    s->z = malloc((size_t)(n * d) * sizeof(double));
    s->v = malloc((size_t)d * sizeof(double));
    s->y = malloc((size_t)n * sizeof(double));
    if (!s->x || !s->z || !s->v || !s->y) {
        exit(1);
    }
    for (int64_t k = 0; k < n * T; k++) {
        trop_rng_sphere(s->x + k * d, d, seed + 0, TROP_RNG_DATA, (uint64_t)k);
    }
    for (int64_t i = 0; i < n; i++) {
        trop_rng_sphere(s->z + i * d, d, seed + 1, TROP_RNG_DATA, (uint64_t)i);
        s->y[i] = trop_rng_uniform(seed + 2, TROP_RNG_DATA, (uint64_t)i, 0) < 0.5 ? -1 : 1;
    }
    trop_rng_sphere(s->v, d, seed + 3, TROP_RNG_DATA, 0);
    s->data = (struct trop_data){ .n = n,
                                  .T = T,
                                  .d = d,
                                  .x = s->x,
                                  .y = s->y,
                                  .labels = 1,
                                  .z = s->z,
                                  .queries = 1,
                                  .v = s->v };
}

static void drop(struct sample *s)
{
    free(s->x);
    free(s->z);
    free(s->v);
    free(s->y);
}

/* ---- the outsider ---------------------------------------------------------------------------- */

static double gram(const struct trop_problem *p, int64_t j, int64_t k)
{
    const double *zj = p->query + p->asked[j] * p->columns;
    const double *zk = p->query + p->asked[k] * p->columns;
    double x = 0, z = 0;

    for (int64_t a = 0; a < p->rows; a++) {
        x += (p->point[p->plus[j] * p->rows + a] - p->point[p->minus[j] * p->rows + a]) *
             (p->point[p->plus[k] * p->rows + a] - p->point[p->minus[k] * p->rows + a]);
    }
    for (int64_t b = 0; b < p->columns; b++) {
        z += zj[b] * zk[b];
    }
    return x * z;
}

/* max 1'lambda - lambda' G lambda / 2 by coordinates; returns the sweeps. */
static int64_t hildreth(const struct trop_problem *p)
{
    const int64_t m = p->count;
    double *g = malloc((size_t)(m * m) * sizeof *g), *l = calloc((size_t)m, sizeof *l);
    double *gl = calloc((size_t)m, sizeof *gl);
    int64_t sweep = 0;

    if (!g || !l || !gl) {
        exit(1);
    }
    for (int64_t j = 0; j < m; j++) {
        for (int64_t k = 0; k <= j; k++) {
            g[j * m + k] = g[k * m + j] = gram(p, j, k);
        }
    }
    for (double gap = 1; gap > 1e-8 && sweep < 100000; sweep++) {
        for (int64_t j = 0; j < m; j++) {
            const double next = fmax(0, l[j] + (1 - gl[j]) / g[j * m + j]), step = next - l[j];
            for (int64_t k = 0; step != 0 && k < m; k++) {
                gl[k] += step * g[j * m + k];
            }
            l[j] = next;
        }
        double sum = 0, square = 0, least = INFINITY;
        for (int64_t j = 0; j < m; j++) {
            sum += l[j];
            square += l[j] * gl[j];
            least = fmin(least, gl[j]);
        }
        gap = least > 0 ? square / (least * sum) - 1 : 1; /* |W| / margin over sum / |W| */
    }
    free(g);
    free(l);
    free(gl);
    return sweep;
}

/* ---- problems -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int64_t norm;
    double p;
    int64_t n, T, d;
    int outside;
} cases[] = {
    { "l2", TROP_MARGIN_L2, 2, 6, 8, 10, 1 },
    { "l2", TROP_MARGIN_L2, 2, 10, 10, 40, 1 },
    { "l2", TROP_MARGIN_L2, 2, 20, 30, 60, 1 },
    { "l2", TROP_MARGIN_L2, 2, 50, 100, 200, 0 },
    { "l1.5", TROP_MARGIN_LP, 1.5, 6, 8, 10, 0 },
    { "l1.5", TROP_MARGIN_LP, 1.5, 20, 30, 60, 0 },
    { "l3", TROP_MARGIN_LP, 3, 20, 30, 60, 0 },
    { "l4", TROP_MARGIN_LP, 4, 20, 30, 60, 0 },
    { "l1", TROP_MARGIN_L1, 2, 10, 10, 40, 0 },
    { "linf", TROP_MARGIN_LINF, 2, 10, 10, 40, 0 },
    { "nuclear", TROP_MARGIN_NUCLEAR, 2, 10, 10, 40, 0 },
    { "spectral", TROP_MARGIN_SPECTRAL, 2, 10, 10, 40, 0 },
};

static void measure(size_t k)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    struct sample s;
    double best = INFINITY, gap = NAN, iterations = NAN, total = 0;

    draw(&s, cases[k].n, cases[k].T, cases[k].d, 1);
    o.data = &s.data;
    o.norm = cases[k].norm;
    o.p = cases[k].p;
    for (int run = 0; run < 3 && (run == 0 || total < 3); run++) {
        trop_margin_free(margin);
        margin = NULL;
        const double start = now();
        check(trop_margin_create(&margin, &o));
        check(trop_margin_run(margin, NULL, NULL));
        best = fmin(best, now() - start);
        total += now() - start;
    }
    check(trop_margin_number(&gap, margin, "gap"));
    check(trop_margin_number(&iterations, margin, "iterations"));
    printf("margin %-9s n %3lld T %3lld d %3lld  gap %8.1e  iterations %4.0f  %9.4f s",
           cases[k].name, (long long)cases[k].n, (long long)cases[k].T, (long long)cases[k].d, gap,
           iterations, best);
    if (cases[k].outside) {
        const double start = now();
        const int64_t sweeps = hildreth(trop_margin_problem(margin));
        printf("   %6.1f x Hildreth (%lld sweeps to 1e-8)", (now() - start) / best,
               (long long)sweeps);
    }
    printf("\n");
    trop_margin_free(margin);
    drop(&s);
}

/* ---- problems that peers solve too ----------------------------------------------------------- */

#define SEEDS 5

static const struct peer {
    const char *name;
    const char *norm_name;
    int64_t norm;
    double p;
    int64_t n, T, d;
    double planted; /* by how much the best tokens move; -1: a problem with queries */
} peers[] = {
    { "p", "l2", TROP_MARGIN_L2, 2, 50, 10, 50, 0.25 },
    { "p-close", "l2", TROP_MARGIN_L2, 2, 50, 10, 50, 0 },
    { "W", "l2", TROP_MARGIN_L2, 2, 50, 10, 50, -1 },
    { "l1.75", "lp", TROP_MARGIN_LP, 1.75, 6, 8, 10, -1 },
    { "l3", "lp", TROP_MARGIN_LP, 3, 6, 8, 10, -1 },
    { "nuclear", "nuclear", TROP_MARGIN_NUCLEAR, 2, 4, 5, 20, -1 },
};
#define PEERS (sizeof peers / sizeof peers[0])

/* Moves the best token of each input (the one farthest along v) by `way` along v. There are no
 * queries: the model is a vector. */
static void plant(struct sample *s, double way)
{
    const int64_t T = s->data.T, d = s->data.d;

    for (int64_t i = 0; i < s->data.n; i++) {
        double *best = NULL, most = -INFINITY;
        for (int64_t t = 0; t < T; t++) {
            double *x = s->x + (i * T + t) * d, score = 0;
            for (int64_t c = 0; c < d; c++) {
                score += x[c] * s->v[c];
            }
            best = score > most ? x : best;
            most = fmax(score, most);
        }
        for (int64_t c = 0; c < d; c++) {
            best[c] += way * s->v[c];
        }
        s->y[i] = 1;
    }
    s->data.z = NULL;
    s->data.queries = 0;
}

/* DIR/NAME-SEED.bin: the numbers count, rows, columns, then the constraints' x_plus - x_minus
 * (count, rows) and z (count, columns), all doubles: A_j = (x_plus - x_minus) z', A_j W >= 1. */
static void write_problem(const char *folder, const char *name, int seed,
                          const struct trop_problem *p)
{
    char path[1000];
    const double head[] = { (double)p->count, (double)p->rows, (double)p->columns };

    snprintf(path, sizeof path, "%s/%s-%d.bin", folder, name, seed);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    fwrite(head, sizeof head[0], 3, file);
    for (int64_t j = 0; j < p->count; j++) {
        for (int64_t a = 0; a < p->rows; a++) {
            const double left =
                p->point[p->plus[j] * p->rows + a] - p->point[p->minus[j] * p->rows + a];
            fwrite(&left, sizeof left, 1, file);
        }
    }
    for (int64_t j = 0; j < p->count; j++) {
        fwrite(p->query + p->asked[j] * p->columns, sizeof(double), (size_t)p->columns, file);
    }
    if (fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* One draw: the seconds of the fastest of several runs, and those with all that is told; its gap
 * and iterations. */
static double solve_peer(const struct peer *peer, int seed, const char *folder, int runs,
                         double *told, double *gap, double *iterations)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    struct sample s;
    double best = INFINITY, total = 0, any;

    *told = INFINITY;
    draw(&s, peer->n, peer->T, peer->d, (uint64_t)(100 * seed));
    if (peer->planted >= 0) {
        plant(&s, peer->planted);
    }
    o.data = &s.data;
    o.norm = peer->norm;
    o.p = peer->p;
    o.threads = 1;
    for (int run = 0; run < runs && (run < 3 || total < 0.3); run++) {
        trop_margin_free(margin);
        margin = NULL;
        const double start = time_of(CLOCK_THREAD_CPUTIME_ID);
        check(trop_margin_create(&margin, &o));
        check(trop_margin_run(margin, NULL, NULL));
        const double seconds = time_of(CLOCK_THREAD_CPUTIME_ID) - start;
        best = fmin(best, seconds);
        total += seconds;
        check(trop_margin_number(&any, margin, "support_doubtful"));
        *told = fmin(*told, time_of(CLOCK_THREAD_CPUTIME_ID) - start);
    }
    check(trop_margin_number(gap, margin, "gap"));
    check(trop_margin_number(iterations, margin, "iterations"));
    if (folder) {
        write_problem(folder, peer->name, seed, trop_margin_problem(margin));
    }
    trop_margin_free(margin);
    drop(&s);
    return best;
}

static void measure_peer(const struct peer *peer, const char *folder)
{
    double seconds[SEEDS], told[SEEDS], gap[SEEDS], iterations[SEEDS];

    for (int seed = 0; seed < SEEDS; seed++) {
        seconds[seed] =
            solve_peer(peer, seed + 1, folder, 50, &told[seed], &gap[seed], &iterations[seed]);
    }
    qsort(seconds, SEEDS, sizeof *seconds, by_size);
    qsort(told, SEEDS, sizeof *told, by_size);
    qsort(gap, SEEDS, sizeof *gap, by_size);
    qsort(iterations, SEEDS, sizeof *iterations, by_size);
    printf(
        "margin problem=%s norm=%s n=%lld T=%lld d=%lld threads=1 seeds=%d seconds=%.3e told=%.3e "
        "gap=%.1e iterations=%.0f\n",
        peer->name, peer->norm_name, (long long)peer->n, (long long)peer->T, (long long)peer->d,
        SEEDS, seconds[SEEDS / 2], told[SEEDS / 2], gap[SEEDS - 1], iterations[SEEDS / 2]);
    fflush(stdout);
}

/* Prints the sum over the draws rather than a median: it shows a change in any of them. */
static void print_gate(const struct peer *peer)
{
    double sum = 0;

    for (int seed = 0; seed < SEEDS; seed++) {
        double told, gap, iterations;
        solve_peer(peer, seed + 1, NULL, 1, &told, &gap, &iterations);
        sum += iterations;
    }
    printf("gate margin-%s-%s iterations=%.0f\n", peer->norm_name, peer->name, sum);
}

/* ---- training -------------------------------------------------------------------------------- */

#define STEPS 20000

/* nmirror, computed as the papers' scripts do. */
static double plain_steps(const struct trop_data *data, double p)
{
    const int64_t d = data->d, T = data->T, size = d * d;
    const double q = p / (p - 1);
    double *w = calloc((size_t)size, sizeof *w), *g = malloc((size_t)size * sizeof *g);
    double *a = malloc((size_t)T * sizeof *a), *u = malloc((size_t)d * sizeof *u), norm = 0;

    if (!w || !g || !a || !u) {
        exit(1);
    }
    for (int64_t k = 0; k < STEPS; k++) {
        memset(g, 0, (size_t)size * sizeof *g);
        for (int64_t i = 0; i < data->n; i++) {
            const double *x = data->x + i * T * d, *z = data->z + i * d;
            double top = -INFINITY, sum = 0, f = 0;
            for (int64_t c = 0; c < d; c++) {
                u[c] = 0;
                for (int64_t b = 0; b < d; b++) {
                    u[c] += w[c * d + b] * z[b];
                }
            }
            for (int64_t t = 0; t < T; t++) {
                a[t] = 0;
                for (int64_t c = 0; c < d; c++) {
                    a[t] += x[t * d + c] * u[c];
                }
                top = fmax(top, a[t]);
            }
            for (int64_t t = 0; t < T; t++) {
                sum += a[t] = exp(a[t] - top);
            }
            for (int64_t t = 0; t < T; t++) {
                double score = 0;
                for (int64_t c = 0; c < d; c++) {
                    score += x[t * d + c] * data->v[c];
                }
                a[t] /= sum;
                f += a[t] * score;
            }
            const double slope = -data->y[i] / (1 + exp(data->y[i] * f)) / (double)data->n;
            for (int64_t t = 0; t < T; t++) {
                double score = 0;
                for (int64_t c = 0; c < d; c++) {
                    score += x[t * d + c] * data->v[c];
                }
                const double weight = slope * a[t] * (score - f);
                for (int64_t c = 0; c < d; c++) {
                    for (int64_t b = 0; b < d; b++) {
                        g[c * d + b] += weight * x[t * d + c] * z[b];
                    }
                }
            }
        }
        norm = 0;
        for (int64_t e = 0; e < size; e++) {
            norm += pow(fabs(g[e]), q);
        }
        norm = pow(norm, 1 / q) + 2.22e-16;
        for (int64_t e = 0; e < size; e++) {
            const double dual = copysign(pow(fabs(w[e]), p - 1), w[e]) - 0.1 * g[e] / norm;
            w[e] = copysign(pow(fabs(dual), 1 / (p - 1)), dual);
        }
    }
    free(w);
    free(g);
    free(a);
    free(u);
    return norm;
}

static void measure_training(double p)
{
    struct trop_train_options o = trop_train_options_default();
    struct sample s;
    double best = INFINITY, plain = INFINITY;

    draw(&s, 6, 8, 10, 1);
    o.data = &s.data;
    o.p = p;
    o.steps = STEPS;
    o.compare = TROP_TRAIN_COMPARE_NONE;
    o.threads = 1;
    check(trop_option_set(&o, trop_train_option_table(), "optimizer", "nmirror"));
    for (int run = 0; run < 3; run++) {
        struct trop_train *train = NULL;
        check(trop_train_create(&train, &o));
        double start = now();
        check(trop_train_run(train, NULL, NULL));
        best = fmin(best, now() - start);
        trop_train_free(train);
        start = now();
        if (isnan(plain_steps(&s.data, p))) {
            printf("the plain steps end in NaN\n");
        }
        plain = fmin(plain, now() - start);
    }
    printf("train nmirror p = %-5g n   6 T   8 d  10  %8.2f us a step   %6.1f x plain formulas\n",
           p, 1e6 * best / STEPS, plain / best);
    drop(&s);
}

int main(int count, char **words)
{
    const int gates = count > 1 && strcmp(words[1], "gates") == 0;
    const char *folder = count > 1 && !gates ? words[1] : NULL;

    for (size_t k = 0; k < PEERS && !gates; k++) {
        measure_peer(&peers[k], folder);
    }
    for (size_t k = 0; k < PEERS; k++) {
        print_gate(&peers[k]);
    }
    if (count > 1) {
        return 0;
    }
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        measure(k);
    }
    measure_training(3);
    measure_training(1.75);
    measure_training(1.3);
    return 0;
}
