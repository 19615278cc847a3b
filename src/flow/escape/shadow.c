/* shadow.c -- how long the softmax flow stays near the hardmax flow.
 *
 * From the same tokens, SA_beta follows SA_infinity for a time that grows as e^(c beta), until a
 * token leaves its vertex. Both are stepped side by side while hardmax still moves, some 30/gamma
 * steps; from then on hardmax stands at its limits, which are proved (flow/flow_proof.c), and the
 * softmax flow goes on in leaps (flow/slow/slow.c) until a token is farther than the distance from
 * where its twin stands.
 */
#include "flow/escape/shadow.h"

#include "base/math/log.h"
#include "base/status.h"
#include "flow/flow.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

#define PATIENCE 1000000 /* steps that hardmax may take to settle, moves of the softmax flow */

struct pair {
    struct trop_flow *hard;
    struct trop_slow *soft;
    double distance;
};

/* How far the farthest token is from its twin; which one. */
static double apart(const struct pair *p, const struct trop_slow *soft, int64_t *token)
{
    const double *twin = trop_flow_tokens(p->hard);
    double farthest = 0;

    for (int64_t i = 0; i < soft->n; i++) {
        double r =
            trop_cloud_distance(soft->x + soft->owner[i] * soft->d, twin + i * soft->d, soft->d);
        if (r > farthest) {
            farthest = r;
            *token = i;
        }
    }
    return farthest;
}

static double beyond(void *context, const struct trop_slow *soft)
{
    const struct pair *p = context;
    int64_t token;

    return apart(p, soft, &token) - p->distance;
}

static enum trop_status create(struct pair *p, const double *x, const struct trop_leap_model *model,
                               double tolerance)
{
    double radius = trop_cloud_radius(x, model->n, model->d);
    struct trop_flow_options hard = trop_flow_options_default();
    struct trop_slow_options soft = {
        .x = x,
        .model = *model,
        .tolerance = tolerance,
        .merge = 8 * 0x1p-52 * radius / model->gamma,
    };

    hard.cloud.n = model->n;
    hard.cloud.d = model->d;
    hard.cloud.tokens = x;
    hard.rule = TROP_RULE_HARDMAX;
    hard.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = model->gamma };
    hard.cloud.key_query = *model->key_query;
    hard.threads = 1;
    hard.steps = (struct trop_count){ PATIENCE, 6 };
    hard.until = TROP_UNTIL_CONVERGED;
    enum trop_status status = trop_flow_create(&p->hard, &hard);
    return status == TROP_OK ? trop_slow_create(&p->soft, &soft) : status;
}

/* Side by side while hardmax moves; 1 when they have come apart. */
static int side_by_side(struct trop_shadow *out, struct pair *p, enum trop_status *status)
{
    int64_t t = 0;

    while (*status == TROP_OK && !trop_flow_done(p->hard)) {
        double end = trop_log((double)++t);
        *status = trop_flow_step(p->hard, 1);
        while (*status == TROP_OK && !p->soft->resting && !trop_slow_is_over(p->soft, end)) {
            *status = trop_slow_move(p->soft, end, NULL);
        }
        if (*status == TROP_OK && apart(p, p->soft, &out->token) > p->distance) {
            out->until = (struct trop_slow_clock){ (double)t, end };
            return 1;
        }
    }
    out->settled = t;
    if (*status == TROP_OK && !p->hard->verdict.converged) {
        *status = trop_fail(TROP_ERR_NUMERIC,
                            "shadow: the hardmax flow has not settled in %lld "
                            "steps",
                            (long long)t);
    }
    return 0;
}

static enum trop_status in_leaps(struct trop_shadow *out, struct pair *p)
{
    struct trop_slow_event event = { beyond, p, 0 };
    enum trop_status status = TROP_OK;
    int64_t moves = 0;

    while (status == TROP_OK && !event.happened && !p->soft->resting && moves++ < PATIENCE) {
        status = trop_slow_move(p->soft, INFINITY, &event);
    }
    if (status == TROP_OK && event.happened) {
        out->until = p->soft->clock;
        out->until.count = ceil(out->until.count);
        apart(p, p->soft, &out->token);
    } else if (status == TROP_OK && !p->soft->resting) {
        status = trop_fail(TROP_ERR_NUMERIC, "shadow: no end in %d moves", PATIENCE);
    } else {
        out->token = -1; /* at rest, and never apart */
    }
    return status;
}

enum trop_status trop_shadow_find(struct trop_shadow *out, const double *x,
                                  const struct trop_leap_model *model, double distance,
                                  double tolerance)
{
    struct pair pair = { .distance = distance };
    struct trop_shadow answer = { { INFINITY, INFINITY }, -1, 0 };
    enum trop_status status = create(&pair, x, model, tolerance);

    if (status == TROP_OK && !side_by_side(&answer, &pair, &status) && status == TROP_OK) {
        status = in_leaps(&answer, &pair);
    }
    trop_flow_free(pair.hard);
    trop_slow_free(pair.soft);
    if (status == TROP_OK) {
        *out = answer;
    }
    return status;
}
