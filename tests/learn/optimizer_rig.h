/* optimizer_rig.h -- one tensor and its optimiser. */
#ifndef TROP_TESTS_OPTIMIZER_RIG_H
#define TROP_TESTS_OPTIMIZER_RIG_H

#include "support.h"

#include "learn/optimizer/optimizer.h"

#define UNIT 0x1p-53

enum { ROWS = 5, COLUMNS = 7, SIZE = ROWS * COLUMNS, ROOM = 4096 };

struct rig {
    const struct trop_optimizer *optimizer;
    struct trop_optimizer_settings settings;
    struct trop_tensor weight, gradient;
    struct trop_optimizer_step step;
    double w[SIZE], g[SIZE], state[TROP_OPTIMIZER_STATES][SIZE], scratch[ROOM];
};

static inline const struct trop_optimizer *named(const char *name)
{
    int64_t k = 0;
    while (strcmp(trop_optimizer_names[k], name) != 0) {
        k++;
    }
    return trop_optimizer_of(k);
}

static inline struct trop_optimizer_settings settings_of(double p)
{
    struct trop_optimizer_settings o = {
        .p = p, .momentum = 0.9, .beta1 = 0.9, .beta2 = 0.999, .width = 0.7
    };
    trop_optimizer_prepare(&o);
    return o;
}

/* Weights are scale times normal numbers. */
static inline void rig_make(struct rig *r, const char *name,
                            const struct trop_optimizer_settings *o, double scale, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    r->optimizer = named(name);
    r->settings = *o;
    r->weight = (struct trop_tensor){ "W", ROWS, COLUMNS, r->w, 0 };
    r->gradient = (struct trop_tensor){ "W", ROWS, COLUMNS, r->g, 0 };
    r->step = (struct trop_optimizer_step){ .settings = &r->settings,
                                            .weight = &r->weight,
                                            .gradient = &r->gradient,
                                            .state = { r->state[0], r->state[1] },
                                            .scratch = r->scratch };
    normals(r->w, SIZE, seed);
    for (int64_t k = 0; k < SIZE; k++) {
        r->w[k] *= scale;
    }
    if (r->optimizer->room) {
        assert_true(r->optimizer->room(ROWS, COLUMNS) <= ROOM);
    }
    if (r->optimizer->start) {
        r->optimizer->start(&r->step);
    }
}

/* A step of size eta along normal numbers at the scale log_scale; the first entry may be 0. */
static inline void rig_step(struct rig *r, double eta, double log_scale, uint64_t seed)
{
    normals(r->g, SIZE, seed);
    r->gradient.log_scale = log_scale;
    r->step.eta = eta;
    assert_ok(r->optimizer->step(&r->step));
    r->step.k++;
}

#endif
