/* fw_figures.c -- what figures and tables of the Frank-Wolfe paper share. */
#include "claim/fw/fw_figures.h"

#include "base/field.h"

#include <math.h>
#include <string.h>

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

void trop_fw_figures_part(double *x, double *y, const double *points, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        x[k] = points[2 * k];
        y[k] = points[2 * k + 1];
    }
}
