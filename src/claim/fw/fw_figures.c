/* fw_figures.c -- what figures and tables of the Frank-Wolfe paper share. */
#include "claim/fw/fw_figures.h"

#include "base/math/cos.h"
#include "base/math/exp.h"
#include "base/field.h"
#include "base/math/log.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum trop_status trop_fw_figures_settings(struct trop_case *c, const double *table, int64_t rows,
                                          int64_t columns)
{
    double *settings = NULL;

    if (trop_case_has(c, "settings")) {
        return trop_sample_shape(c, "settings", rows, columns, 0);
    }
    enum trop_status status = trop_case_make(&settings, c, "settings", rows, columns, 0);
    if (status == TROP_OK) {
        memcpy(settings, table, (size_t)(rows * columns) * sizeof *settings);
    }
    return status;
}

enum trop_status trop_fw_figures_mistake(struct trop_case *c, int64_t at, double value,
                                         enum trop_status (*work)(struct trop_case *c))
{
    double *setting = trop_case_array(c, "settings") + at;
    const double right = *setting;

    *setting = value;
    enum trop_status status = work(c);
    *setting = right;
    return status;
}

double trop_fw_figures_number(const struct trop_flow *flow, const char *name)
{
    double value = NAN;

    return trop_flow_number(&value, flow, name) == TROP_OK ? value : NAN;
}

int64_t trop_fw_figures_length(const struct trop_flow *flow, const char *name)
{
    struct trop_value value = { 0 };

    return trop_flow_value(&value, flow, name) == TROP_OK ? value.shape[0] : 0;
}

enum trop_status trop_fw_figures_exit(double *out, const struct trop_escape *escape,
                                      const char *name, int64_t row)
{
    return trop_field_cell_number(out, trop_escape_field_table(), escape, "betas", name, row);
}

double trop_fw_figures_slope(const double *y, int64_t count)
{
    const double middle = .5 * (double)(count - 1);
    double xy = 0, xx = 0;

    for (int64_t k = 0; k < count; k++) {
        xy += ((double)k - middle) * y[k];
        xx += ((double)k - middle) * ((double)k - middle);
    }
    return xy / xx;
}

double trop_fw_figures_crossing(int64_t kappa, double beta)
{
    double sum = 0;

    for (int64_t j = 1; j < kappa; j++) {
        sum += trop_exp(-beta * (1 - trop_cos(2 * PI * (double)j / (double)kappa)));
    }
    return sum / (1 + sum);
}

double trop_fw_figures_log_median(double p, double tokens)
{
    /* ceil has no effect where the median is so large that every double is a whole number. */
    return trop_log(ceil(trop_log(.5) / (tokens * trop_log1p(-p))));
}
