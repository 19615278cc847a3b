/* optimizer.c -- the table of the optimisers, and what they share. */
#include "learn/optimizer/optimizer.h"

#include "base/math/exp.h"
#include "kernel/kernel_gradient.h"

#include <math.h>

#define LOG_2 0.6931471805599453

#define ENTRY(NAME, name) [TROP_OPTIMIZER_##NAME] = &trop_optimizer_##name
static const struct trop_optimizer *const optimizers[] = { TROP_OPTIMIZER_LIST(ENTRY) };

#define NAMED(NAME, name) [TROP_OPTIMIZER_##NAME] = #name
const char *const trop_optimizer_names[] = { TROP_OPTIMIZER_LIST(NAMED), NULL };

const struct trop_optimizer *trop_optimizer_of(int64_t optimizer)
{
    return optimizers[optimizer];
}

void trop_optimizer_prepare(struct trop_optimizer_settings *settings)
{
    const struct trop_power p = trop_power_of(settings->p);

    settings->powers[0] = trop_power_less_one(p);
    settings->powers[1] = trop_power_reciprocal(settings->powers[0]);
    settings->powers[2] = trop_power_dual(p);
    settings->powers[3] = p;
}

struct trop_optimizer_settings trop_optimizer_settings_of(const struct trop_train_options *o)
{
    struct trop_optimizer_settings settings = {
        .p = o->p,
        .epsilon = o->gradient_epsilon,
        .momentum = o->momentum,
        .beta1 = o->beta1,
        .beta2 = o->beta2,
        .adam_epsilon = o->adam_epsilon,
        .width = o->bend,
        .polynomial = o->polynomial,
    };

    trop_optimizer_prepare(&settings);
    return settings;
}

int trop_optimizer_still(const struct trop_optimizer_step *step)
{
    for (int64_t k = 0; k < trop_optimizer_size(step); k++) {
        if (step->gradient->values[k] != 0) {
            return step->gradient->log_scale == -INFINITY;
        }
    }
    return 1;
}

double trop_optimizer_divisor(const struct trop_optimizer_step *step, double size)
{
    const double epsilon = step->settings->epsilon;

    return epsilon > 0 ? size + epsilon * trop_exp(-step->gradient->log_scale) : size;
}

/* Values so small that their successors would vanish beside their scale: a power of two moves to
 * the scale, which changes no value. */
static void rescale(double *mean, double *log_scale, int64_t size)
{
    const double most = trop_kernel_choose(0)->gradient->most(mean, size);
    int exponent = 0;

    if (!(most > 0 && most < 0x1p-64)) {
        return;
    }
    frexp(most, &exponent);
    for (int64_t k = 0; k < size; k++) {
        mean[k] = ldexp(mean[k], -exponent);
    }
    *log_scale += (double)exponent * LOG_2;
}

/* sqrt(a^2 + b^2) for a, b >= 0: squares of numbers far below 1 would vanish. */
static double hypotenuse(double a, double b)
{
    const double high = a > b ? a : b, low = a > b ? b : a;
    const double ratio = high > 0 ? low / high : 0;

    return high * sqrt(1 + ratio * ratio);
}

void trop_optimizer_average(double *mean, double *log_scale, const struct trop_tensor *gradient,
                            double keep, int power)
{
    const int64_t size = gradient->rows * gradient->columns;
    const double top = fmax(*log_scale, gradient->log_scale);
    const double share_old = power == 2 ? sqrt(keep) : keep;
    const double share_new = power == 2 ? sqrt(1 - keep) : 1 - keep;
    const double old = *log_scale == top ? share_old : share_old * trop_exp(*log_scale - top);
    const double fresh =
        gradient->log_scale == top ? share_new : share_new * trop_exp(gradient->log_scale - top);

    for (int64_t k = 0; k < size; k++) {
        const double g = gradient->values[k];
        mean[k] =
            power == 2 ? hypotenuse(old * mean[k], fresh * fabs(g)) : old * mean[k] + fresh * g;
    }
    *log_scale = top;
    rescale(mean, log_scale, size);
}
