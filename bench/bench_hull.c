/* bench_hull.c -- hardmax through the hull: a list and the rows by it, against all scores.
 *
 * One line for every cloud, in words that a program can read:
 *
 *   seconds         making the list of the first step, and its rows with notes
 *   update, rows    its two parts
 *   direct_seconds  the same rows by all scores: the smaller of 4,096 rows on all n tokens,
 *                   times n / 4,096 (two handles on two threads), and of all rows of 32,768
 *                   of the tokens, times (n / 32,768)^2, which stay in the cache
 *   ratio           direct_seconds / seconds
 *
 * and one for runs of several steps: the shortest and the longest step, loading included, and
 * how many lists were kept from the step before. The first 256 rows are compared by memcmp.
 */
#include "base/parallel.h"
#include "job.h"
#include "shape/shortlist.h"

#define TOKENS 1000000
#define ROWS 4096
#define PART 32768
#define THREADS 2
#define COMPARED 256
#define HULL_CORNERS 64

enum hull_cloud { H_GAUSS, H_BALL, H_FEW, H_CUBE, H_THIN, H_LINE, H_SPHERE, H_BOWL, H_CLOUDS };

static const char *const names[H_CLOUDS] = { "gauss", "ball", "few",    "cube",
                                             "thin",  "line", "sphere", "bowl" };

/* On a sphere and on a bowl, x_d = x_1^2 + ... + x_(d-1)^2, every token is a vertex. */

/* Convex combinations of the first tokens, with exponential weights. */
static void combine(double *row, const double *x, int64_t i, int64_t d)
{
    double sum = 0;

    memset(row, 0, (size_t)d * sizeof *row);
    for (int64_t k = 0; k < HULL_CORNERS; k++) {
        double w = -log(trop_rng_uniform(2, TROP_RNG_TEST, (uint64_t)i, (uint64_t)k));
        sum += w;
        for (int64_t c = 0; c < d; c++) {
            row[c] += w * x[k * d + c];
        }
    }
    for (int64_t c = 0; c < d; c++) {
        row[c] /= sum;
    }
}

static void fill(double *x, enum hull_cloud cloud, int64_t n, int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = x + i * d, square = 0;
        for (int64_t c = 0; c < d; c++) {
            row[c] = trop_rng_normal(1, TROP_RNG_TEST, (uint64_t)i, (uint64_t)c);
            square += row[c] * row[c];
        }
        double u = trop_rng_uniform(3, TROP_RNG_TEST, (uint64_t)i, 0);
        for (int64_t c = 0; c < d; c++) {
            double v = trop_rng_uniform(4, TROP_RNG_TEST, (uint64_t)i, (uint64_t)c);
            row[c] = cloud == H_BALL     ? row[c] * pow(u, 1 / (double)d) / sqrt(square)
                     : cloud == H_CUBE   ? 2 * v - 1
                     : cloud == H_LINE   ? row[0]
                     : cloud == H_THIN   ? row[0] * (double)(c + 1) + (c > 0 ? 1e-3 * row[c] : 0)
                     : cloud == H_SPHERE ? row[c] / sqrt(square)
                     : cloud == H_BOWL && c == d - 1 ? square - row[c] * row[c]
                                                     : row[c];
        }
        if (cloud == H_FEW && i >= HULL_CORNERS) {
            combine(row, x, i, d);
        }
    }
}

static void must(enum trop_status status)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s\n", trop_error());
        exit(1);
    }
}

/* ---- the direct kernel ----------------------------------------------------------------------- */

struct looks {
    struct trop_attend *attend[THREADS];
    int64_t found[THREADS];
};

static void look_at_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct looks *looks = context;
    const struct trop_scene *s = trop_attend_scene(looks->attend[worker]);

    for (int64_t i = first; i < last; i++) {
        looks->found[worker] +=
            trop_attend_look(looks->attend[worker], s->y + i * s->d, s->n)->best;
    }
}

static const struct trop_rule_numbers hardmax = { .rule = &trop_rule_hardmax };
static const struct trop_matrix identity = { .scale = 1 };

static double direct_rows(const double *x, int64_t d)
{
    struct looks looks = { 0 };

    for (int w = 0; w < THREADS; w++) {
        must(trop_attend_create(&looks.attend[w], TOKENS, d, 1, trop_kernel_choose(0), 0));
        must(trop_attend_load(looks.attend[w], x, NULL, TOKENS, &identity, &hardmax));
    }
    double start = now();
    trop_parallel(THREADS, ROWS, look_at_rows, &looks);
    double seconds = (now() - start) * TOKENS / ROWS;
    for (int w = 0; w < THREADS; w++) {
        trop_attend_free(looks.attend[w]);
    }
    return seconds;
}

static double direct_part(const double *x, double *out, struct trop_attend_note *notes, int64_t d)
{
    struct trop_attend *attend;
    double factor = (double)TOKENS / PART;

    must(trop_attend_create(&attend, PART, d, THREADS, trop_kernel_choose(0), 0));
    must(trop_attend_load(attend, x, NULL, PART, &identity, &hardmax));
    double start = now();
    must(trop_attend_rows(out, notes, attend, 0));
    double seconds = (now() - start) * factor * factor;
    trop_attend_free(attend);
    return seconds;
}

/* ---- through the hull ------------------------------------------------------------------------ */

struct hull_job {
    int64_t d;
    double *x, *out, *other;
    struct trop_attend_note *notes;
    struct trop_attend *attend;
    struct trop_shortlist *shortlist;
    const struct trop_attend_list *list;
    double update, rows, load;
};

static void step_once(struct hull_job *job)
{
    double start = now();
    must(trop_attend_load(job->attend, job->x, NULL, TOKENS, &identity, &hardmax));
    double loaded = now();
    must(trop_shortlist_update(&job->list, job->shortlist, job->x, TOKENS));
    double listed = now();
    must(trop_attend_rows_listed(job->out, job->notes, job->attend, job->list));
    job->load = loaded - start;
    job->update = listed - loaded;
    job->rows = now() - listed;
}

/* Compares the first rows with those computed from all scores one by one. */
static void compare(struct hull_job *job)
{
    const struct trop_scene *s = trop_attend_scene(job->attend);

    for (int64_t i = 0; i < COMPARED; i++) {
        struct trop_row *row = trop_attend_look(job->attend, s->y + i * job->d, TOKENS);
        row->i = i;
        hardmax.rule->weigh(row);
        trop_row_displace(job->other + i * job->d, row);
    }
    if (memcmp(job->other, job->out, (size_t)(COMPARED * job->d) * sizeof *job->out) != 0) {
        fprintf(stderr, "rows by the list differ from rows by all scores\n");
        exit(1);
    }
}

static void first_step(struct hull_job *job, const char *name, double direct)
{
    double update = 0, rows = 0, best = INFINITY;

    for (int k = 0; k < RUNS; k++) {
        trop_shortlist_free(job->shortlist);
        job->shortlist = NULL;
        must(trop_shortlist_create(&job->shortlist, TOKENS, job->d, THREADS, 0));
        step_once(job);
        if (job->update + job->rows < best) {
            best = job->update + job->rows;
            update = job->update;
            rows = job->rows;
        }
    }
    compare(job);
    struct trop_shortlist_notes notes = trop_shortlist_notes(job->shortlist);
    printf("hardmax-hull n=%d d=%lld cloud=%s threads=%d seconds=%.4f update=%.4f rows=%.4f "
           "direct_seconds=%.1f ratio=%.0f survivors=%lld points=%lld rivals=%.2f\n",
           TOKENS, (long long)job->d, name, THREADS, best, update, rows, direct, direct / best,
           (long long)notes.survivors, (long long)notes.points, notes.rivals);
    fflush(stdout);
}

static void several_steps(struct hull_job *job, const char *name, double gamma, int64_t steps)
{
    double least = INFINITY, most = 0, sum = 0;
    int64_t kept = 0, survivors = 0;

    for (int64_t k = 0; k < steps; k++) {
        step_once(job);
        double seconds = job->load + job->update + job->rows;
        struct trop_shortlist_notes notes = trop_shortlist_notes(job->shortlist);
        least = seconds < least ? seconds : least;
        most = seconds > most ? seconds : most;
        sum += seconds;
        kept += notes.kept;
        survivors = notes.survivors > survivors ? notes.survivors : survivors;
        for (int64_t c = 0; c < TOKENS * job->d; c++) {
            job->x[c] += gamma * job->out[c];
        }
    }
    printf("hardmax-hull-run n=%d d=%lld cloud=%s threads=%d gamma=%g steps=%lld seconds_mean=%.4f "
           "seconds_least=%.4f seconds_most=%.4f lists_kept=%lld most_survivors=%lld\n",
           TOKENS, (long long)job->d, name, THREADS, gamma, (long long)steps, sum / (double)steps,
           least, most, (long long)kept, (long long)survivors);
    fflush(stdout);
}

static void measure(int64_t d)
{
    struct hull_job job = { .d = d };
    size_t size = (size_t)(TOKENS * d) * sizeof *job.x;

    job.x = malloc(size);
    job.out = malloc(size);
    job.other = malloc(size);
    job.notes = malloc(TOKENS * sizeof *job.notes);
    if (!job.x || !job.out || !job.other || !job.notes) {
        exit(1);
    }
    must(trop_attend_create(&job.attend, TOKENS, d, THREADS, trop_kernel_choose(0), 0));
    fill(job.x, H_GAUSS, TOKENS, d);
    double direct = direct_rows(job.x, d), part = direct_part(job.x, job.out, job.notes, d);
    printf("hardmax-direct n=%d d=%lld threads=%d rows_scaled=%.1f part_scaled=%.1f\n", TOKENS,
           (long long)d, THREADS, direct, part);
    direct = part < direct ? part : direct;
    for (int cloud = 0; cloud < H_CLOUDS; cloud++) {
        fill(job.x, (enum hull_cloud)cloud, TOKENS, d);
        first_step(&job, names[cloud], direct);
        if (cloud == H_GAUSS || cloud == H_FEW) {
            several_steps(&job, names[cloud], 0.5, 30);
        }
    }
    trop_shortlist_free(job.shortlist);
    trop_attend_free(job.attend);
    free(job.x);
    free(job.out);
    free(job.other);
    free(job.notes);
}

int main(void)
{
    measure(2);
    measure(3);
    return 0;
}
