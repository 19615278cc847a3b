/* quiescence_witness.c -- the groups behind a certificate, as lists that others can check. */
#include "shape/quiescence_internal.h"

#include "attend/exact.h"

#include <string.h>

static int64_t classes_of(const struct trop_quiescence_scratch *s, int64_t n)
{
    int64_t classes = 0;

    for (int64_t i = 0; i < n; i++) {
        classes = s->class[i] >= classes ? s->class[i] + 1 : classes;
    }
    return classes;
}

/* 1 when class k, whose set is marked, hears the closed group g. */
static int hears(const struct trop_quiescence_scratch *s, int64_t k, int64_t g)
{
    for (int64_t m = s->first[g]; s->closed[g] && m < s->first[g] + s->size[g]; m++) {
        if (s->inner[s->order[m]] && s->in[s->order[m]] == k + 1) {
            return 1;
        }
    }
    return 0;
}

/* Is sum share (x - limit) = 0 over the closed groups that the marked class k hears? */
static int is_exact(const struct trop_quiescence_scratch *s, const struct trop_scene *scene,
                    int64_t k)
{
    struct trop_exact sum;

    for (int64_t c = 0; c < s->d; c++) {
        trop_exact_clear(&sum);
        for (int64_t j = 0; j < scene->n; j++) {
            if (s->in[j] == k + 1 && s->closed[s->class[j]] && s->share[j] != 0) {
                trop_exact_add(&sum, s->share[j], scene->x[j * s->d + c], 1);
                trop_exact_subtract(&sum, s->share[j], s->limit[k * s->d + c], 1);
            }
        }
        if (trop_exact_sign(&sum) != 0) {
            return 0;
        }
    }
    return 1;
}

int64_t trop_quiescence_witness(int64_t *class, int64_t *inside, int64_t *pairs, int *exact,
                                struct trop_quiescence_scratch *s, struct trop_attend *attend)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    const int64_t n = scene->n, classes = classes_of(s, n);
    int64_t count = 0;

    *exact = 1;
    for (int64_t k = 0; k < classes; k++) {
        if (s->closed[k]) {
            continue;
        }
        trop_quiescence_mark(s, attend, k);
        *exact = *exact && is_exact(s, scene, k);
        for (int64_t g = 0; g < classes; g++) {
            if (hears(s, k, g)) {
                if (pairs) {
                    pairs[2 * count] = k;
                    pairs[2 * count + 1] = g;
                }
                count++;
            }
        }
    }
    memcpy(class, s->class, (size_t)n * sizeof *class);
    memcpy(inside, s->inner, (size_t)n * sizeof *inside);
    return count;
}
