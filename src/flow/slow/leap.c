/* leap.c -- many steps at once of a softmax flow that hardly moves.
 *
 * At large beta tokens near the vertices of their hull move by e^(-c beta) per step. With m_j
 * the masses,
 *
 *   g_i = gamma sum_{j != i} a_ij (x_j - x_i),
 *   log a_ij = log m_j + beta <B x_i, x_j - x_i> - log Z_i
 *
 * has no cancellation, and one exponent is factored out of all g_i, so that nothing underflows
 * at any beta (claim fw-rem-slow-field). Rounding x changes g by beta R^2 u of itself. On
 * the sphere the difference x_j - x_i is projected on the tangent space, which leaves out x_i
 * itself; USA has 1/M in place of Z.
 *
 * The layer's map is x + g(x). Its k-fold iterate is the time-k flow of a field
 *
 *   g~ = g - 1/2 g'g + O(q^2) g,   q = |g'|,
 *
 * (backward error analysis of Euler's method with step 1), so that a leap is right to about q^2;
 * it is taken only while q^2 is below the tolerance, and the derivative g'g, a small correction,
 * by a central difference along g. For the ODEs of the sphere g~ = g.
 *
 * Time runs away as e^(c beta) while places move by O(1), so places are followed in arc length:
 *
 *   dx/ds = g~/|g~|,   dt/ds = 1/|g~|,   |.| the largest length of a token's velocity,
 *
 * by Dormand and Prince's pair (flow/ode/ode.c); t is one more unknown, scaled by what has gone
 * before, or by what it would be over the whole leap at the speed of its start, so that the error
 * of the time is relative too: once a phase has sped up, its time is nothing against the past, and
 * arcs are as long as the path allows. The unknowns are displacements, and places are kept in two
 * doubles: what is far below an ulp adds up, and is right relative to itself.
 */
#include "flow/slow/leap.h"

#include "attend/attend.h"
#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/linalg.h"
#include "base/math/log.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

struct trop_leap {
    int64_t n, d;
    struct trop_ode *ode;
    double *y;        /* (d) query */
    double *weight;   /* (n) exponents of a row */
    double *exponent; /* (n) of a token's own velocity */
    double *plus;     /* (n, d) velocities beside the path */
    double *minus;    /* (n, d) */
    double *beside;   /* (n, d) places beside the path */
    double *place;    /* (n, d) on the path */
    double *start;    /* (n d + 1) the velocity at the start */
    double *state;    /* (n d + 1) displacements, and the time */
    const struct trop_leap_model *model;
    const double *x, *low; /* where a leap starts */
    double log_start;      /* speed at the start of a leap */
    double beside_by;      /* how far beside the path g' is taken from */
    double stretch;        /* what t's unknown is scaled by */
    double arc;            /* of the last leap */
};

void trop_leap_free(struct trop_leap *leap)
{
    if (!leap) {
        return;
    }
    trop_ode_free(leap->ode);
    TROP_FREE(leap->y, leap->weight, leap->exponent, leap->plus, leap->minus, leap->beside,
              leap->place, leap->start, leap->state, leap);
}

enum trop_status trop_leap_create(struct trop_leap **out, int64_t n, int64_t d)
{
    struct trop_leap *leap = trop_alloc(1, sizeof *leap);
    int64_t size = trop_alloc_product(n, d);

    if (!leap) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a leap");
    }
    leap->n = n;
    leap->d = d;
    if (!TROP_ALLOC(TROP_PART(leap->y, d), TROP_PART(leap->weight, n), TROP_PART(leap->exponent, n),
                    TROP_PART(leap->plus, size), TROP_PART(leap->minus, size),
                    TROP_PART(leap->beside, size), TROP_PART(leap->place, size),
                    TROP_PART(leap->start, size + 1), TROP_PART(leap->state, size + 1)) ||
        trop_ode_create(&leap->ode, size + 1) != TROP_OK) {
        trop_leap_free(leap);
        return trop_fail(TROP_ERR_MEMORY, "no memory for leaps of %lld tokens", (long long)n);
    }
    *out = leap;
    return TROP_OK;
}

/* ---- the field ------------------------------------------------------------------------------- */

/* The row of token i: exponents log m_j + beta <B x_i, x_j - x_i> in weight; the largest of
 * those that pull anywhere (-infinity: none), and log Z. */
static void row_exponents(double *top, double *log_z, double *farthest, struct trop_leap *leap,
                          const struct trop_leap_model *model, const double *x, int64_t i)
{
    int64_t d = model->d;
    const double *xi = x + i * d;
    double most = trop_log(model->mass[i]), sum = 0;

    *top = -INFINITY;
    *farthest = 0;
    trop_attend_query(leap->y, xi, d, model->key_query);
    for (int64_t j = 0; j < model->n; j++) {
        double s = 0, r = 0;
        for (int64_t c = 0; c < d; c++) {
            double t = x[j * d + c] - xi[c];
            s = fma(leap->y[c], t, s);
            r = fma(t, t, r);
        }
        leap->weight[j] = fma(model->beta, s, trop_log(model->mass[j]));
        if (r > 0) {
            *top = fmax(*top, leap->weight[j]);
            *farthest = fmax(*farthest, r);
        }
        most = fmax(most, leap->weight[j]);
    }
    for (int64_t j = 0; j < model->n; j++) {
        sum += trop_exp(leap->weight[j] - most);
    }
    *farthest = sqrt(*farthest);
    *log_z = most + trop_log(sum);
    if (model->unnormalised) {
        /* exp(beta s_ij - shift)/M: what the row left out is the score of i on itself. */
        double own = model->beta * trop_linalg_dot(leap->y, xi, d);
        *log_z = trop_log(model->total_mass) - own + model->shift;
    }
}

/* out (d): sum_j exp(w_j - top) (x_j - x_i), on the sphere without its part along x_i; what
 * rounding leaves of a pull along x_i (of an antipode) is none. Returns the sum of those weights,
 * of others than i. */
static double pull(double *out, const struct trop_leap *leap, const struct trop_leap_model *model,
                   const double *x, int64_t i, double top)
{
    int64_t d = model->d;
    const double *xi = x + i * d;
    double others = 0, along = 0;

    memset(out, 0, (size_t)d * sizeof *out);
    for (int64_t j = 0; j < model->n; j++) {
        if (j == i || leap->weight[j] - top < -745) {
            continue;
        }
        double w = trop_exp(fmin(leap->weight[j] - top, 0));
        others += w;
        for (int64_t c = 0; c < d; c++) {
            out[c] = fma(w, x[j * d + c] - xi[c], out[c]);
        }
    }
    if (!model->sphere) {
        return others;
    }
    for (int64_t c = 0; c < d; c++) {
        along = fma(xi[c], out[c], along);
    }
    for (int64_t c = 0; c < d; c++) {
        out[c] = fma(-along, xi[c], out[c]);
    }
    if (trop_linalg_norm(out, d) <= 0x1p-50 * others) {
        memset(out, 0, (size_t)d * sizeof *out);
    }
    return others;
}

struct trop_leap_speed trop_leap_velocity(double *out, struct trop_leap *leap,
                                          const struct trop_leap_model *model, const double *x)
{
    struct trop_leap_speed speed = { -INFINITY, 0 };
    double query = 0, bend = 0;
    double log_step = model->sphere ? 0 : trop_log(model->gamma);
    int64_t d = model->d;

    for (int64_t i = 0; i < model->n; i++) {
        double top, log_z, farthest;
        row_exponents(&top, &log_z, &farthest, leap, model, x, i);
        leap->exponent[i] = -INFINITY;
        if (top == -INFINITY) {
            memset(out + i * d, 0, (size_t)d * sizeof *out);
            continue;
        }
        double others = pull(out + i * d, leap, model, x, i, top);
        double size = trop_linalg_norm(out + i * d, d), scale = top - log_z + log_step;
        query = fmax(query, trop_linalg_norm(leap->y, d));
        if (size > 0) {
            /* g_i = exp(scale) out_i; g changes as x_j - x_i does, and as its weights. A token
             * that symmetry keeps at rest says nothing. */
            double share = trop_exp(scale) * others;
            speed.quick = fmax(speed.quick, share);
            bend = fmax(bend, share * farthest);
            leap->exponent[i] = scale + trop_log(size);
            for (int64_t c = 0; c < d; c++) {
                out[i * d + c] /= size;
            }
            speed.log = fmax(speed.log, leap->exponent[i]);
        }
    }
    /* Both arguments of <B x_i, x_j - x_i> may change, also those of a token at the origin. */
    speed.quick = fma(fabs(model->beta) * query, bend, speed.quick);
    for (int64_t i = 0; i < model->n; i++) {
        double share = leap->exponent[i] > -INFINITY ? trop_exp(leap->exponent[i] - speed.log) : 0;
        for (int64_t c = 0; c < d; c++) {
            out[i * d + c] *= share;
        }
    }
    return speed;
}

/* velocity (n, d): g~ by its own common factor, whose logarithm is returned. */
static double modified(double *velocity, struct trop_leap *leap, const double *x)
{
    const struct trop_leap_model *model = leap->model;
    int64_t size = model->n * model->d;
    struct trop_leap_speed speed = trop_leap_velocity(velocity, leap, model, x);

    if (model->sphere || speed.quick < 1e-14 || speed.log == -INFINITY) {
        return speed.log;
    }
    for (int64_t k = 0; k < size; k++) {
        leap->beside[k] = fma(leap->beside_by, velocity[k], x[k]);
    }
    struct trop_leap_speed plus = trop_leap_velocity(leap->plus, leap, model, leap->beside);
    for (int64_t k = 0; k < size; k++) {
        leap->beside[k] = fma(-leap->beside_by, velocity[k], x[k]);
    }
    struct trop_leap_speed minus = trop_leap_velocity(leap->minus, leap, model, leap->beside);
    /* g'g = e^log (g(x + r v) - g(x - r v)) / (2 r), and all of it over e^log. */
    double up = trop_exp(plus.log - speed.log), down = trop_exp(minus.log - speed.log);
    double half = 0.5 * trop_exp(speed.log) / (2 * leap->beside_by), largest = 0;
    for (int64_t k = 0; k < size; k++) {
        velocity[k] -= half * (up * leap->plus[k] - down * leap->minus[k]);
    }
    for (int64_t i = 0; i < model->n; i++) {
        largest = fmax(largest, trop_linalg_norm(velocity + i * model->d, model->d));
    }
    for (int64_t k = 0; k < size; k++) {
        velocity[k] /= largest;
    }
    return speed.log + trop_log(largest);
}

/* ---- the leap -------------------------------------------------------------------------------- */

/* The unknowns are x less its start, and t, by arc length s. */
static enum trop_status field(void *context, double *velocity, const double *state, double s)
{
    struct trop_leap *leap = context;
    int64_t size = leap->model->n * leap->model->d;

    (void)s;
    for (int64_t k = 0; k < size; k++) {
        leap->place[k] = leap->x[k] + (leap->low[k] + state[k]);
    }
    double log_speed = modified(velocity, leap, leap->place);
    /* A stage that lands where all is slow, or at rest, is one of too long an arc: its error
     * must be large, not infinite. */
    velocity[size] = leap->stretch * trop_exp(fmin(leap->log_start - log_speed, 600));
    return TROP_OK;
}

enum trop_status trop_leap_run(double *log_time, struct trop_leap *leap,
                               const struct trop_leap_model *model, double *x, double *low,
                               double *reach, const struct trop_leap_goal *goal)
{
    int64_t size = model->n * model->d;
    double s = 0, h = *reach;

    leap->model = model;
    leap->x = x;
    leap->low = low;
    /* The leap becomes shorter when the time would not suffice at the speed of the start. */
    leap->ode->size = size + 1;
    leap->ode->context = leap;
    leap->ode->field = field;
    leap->ode->accuracy = goal->tolerance;
    leap->ode->scale = goal->scale;
    leap->beside_by = 1e-3 * goal->scale;
    leap->log_start = modified(leap->start, leap, leap->x);
    /* Times as arcs at the speed of the start; t's unknown is scale when t is as large as what
     * has gone before, or as the time of the arc at that speed, of which no more counts than
     * what a change of the exponents by one leaves: the rest may be over in no time. */
    double past = trop_exp(fmin(goal->log_past + leap->log_start, 700));
    h = fmin(h, trop_exp(fmin(goal->log_most + leap->log_start, 700)));
    leap->stretch = goal->scale / fmax(fmin(h, 10 * goal->scale), past);
    memset(leap->state, 0, (size_t)(size + 1) * sizeof *leap->state);
    leap->start[size] = leap->stretch;
    double allowed = h;
    enum trop_status status =
        trop_ode_dopri5.step(leap->ode, leap->state, &s, &h, INFINITY, leap->start);
    if (status != TROP_OK) {
        return status;
    }
    *log_time = trop_log(leap->state[size] / leap->stretch) - leap->log_start;
    /* An arc cut short by the time says nothing about the next. */
    *reach = s == allowed && allowed < *reach ? fmax(h, *reach) : h;
    leap->arc = s;
    /* low takes what rounding leaves out of x + displacement. */
    for (int64_t k = 0; k < size; k++) {
        double moved = leap->state[k] + low[k];
        double sum = x[k] + moved;
        low[k] = moved - (sum - x[k]);
        x[k] = sum;
    }
    return TROP_OK;
}

double trop_leap_arc(const struct trop_leap *leap)
{
    return leap->arc;
}
