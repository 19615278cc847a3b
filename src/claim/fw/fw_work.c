/* fw_work.c -- what the library computes for the claims of the Frank-Wolfe paper. */
#include "claim/fw/fw.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define USE_SHIFT 69 /* of the random numbers of a case */

/* ---- flows ---- */

void trop_fw_work_path(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), TROP_FW_FLOW);
}

/* Uniform on a cube that is inside the ball. */
struct trop_case *trop_fw_work_nearby(const struct trop_case *c, int64_t k)
{
    struct trop_case *other = trop_case_aside(c);
    const struct trop_view x = trop_case_view(other, "tokens");
    const double side = trop_case_number(c, "radius") / sqrt((double)x.columns);

    for (int64_t e = 0; e < x.rows * x.columns; e++) {
        x.at[e] += side * (2 * trop_case_uniform(c, USE_SHIFT, k * x.rows * x.columns + e) - 1);
    }
    return other;
}

/* ---- cells ---- */

struct trop_value trop_fw_work_cells_of(const struct trop_case *c, struct trop_view x,
                                        const char *queries, const char *field)
{
    struct trop_value value = { 0 };

    trop_case_try(c,
                  trop_cells_value(&value, trop_case_cells(c, x, queries, "key_query=@B"), field));
    return value;
}

const int64_t *trop_fw_work_owners(const struct trop_case *c)
{
    return trop_fw_work_cells_of(c, trop_case_view(c, "tokens"), NULL, "labels").integers;
}

void trop_fw_work_points(struct trop_case *c)
{
    const struct trop_value found =
        trop_fw_work_cells_of(c, trop_case_view(c, "tokens"), "points", "query_labels");
    double *labels = trop_case_zeros(c, "labels", found.shape[0], 0, 0);

    for (int64_t i = 0; i < found.shape[0]; i++) {
        labels[i] = (double)found.integers[i];
    }
}

/* ---- for claims that return a status; they go with the last of these ---- */

struct trop_flow_options trop_fw_work_options(const struct trop_case *c, int64_t rule)
{
    struct trop_flow_options o = trop_flow_options_default();

    o.rule = rule;
    if (trop_case_has(c, "B")) {
        o.cloud.key_query = (struct trop_matrix){ .scale = NAN, .values = trop_case_array(c, "B") };
    }
    if (trop_case_has(c, "beta") && trop_case_size(c, "beta", 0) == 0) {
        o.beta = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT,
                                         .a = trop_case_number(c, "beta") };
    }
    if (trop_case_size(c, "gamma", 0) > 0) {
        o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_VALUES,
                                          .values = trop_case_array(c, "gamma"),
                                          .count = trop_case_size(c, "gamma", 0) };
    } else if (trop_case_has(c, "gamma")) {
        o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT,
                                          .a = trop_case_number(c, "gamma") };
    }
    return o;
}

enum trop_status trop_fw_work_layer(struct trop_case *c, const char *name,
                                    const struct trop_flow_options *options)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *out = NULL;
    enum trop_status status = trop_tokens_flow(c, options, 1);

    if (status == TROP_OK) {
        status = trop_case_make(&out, c, name, n, d, 0);
    }
    if (status == TROP_OK) {
        memcpy(out, trop_case_array(c, "path") + n * d, (size_t)(n * d) * sizeof *out);
        trop_case_drop(c, "path");
    }
    return status;
}

enum trop_status trop_fw_work_take(struct trop_case *c, const char *name,
                                   const struct trop_case *from)
{
    const int64_t rows = trop_case_size(from, "path", 0), n = trop_case_size(from, "path", 1),
                  d = trop_case_size(from, "path", 2);
    double *path = NULL;
    enum trop_status status = trop_case_make(&path, c, name, rows, n, d);

    if (status == TROP_OK) {
        memcpy(path, trop_case_array(from, "path"), (size_t)(rows * n * d) * sizeof *path);
    }
    return status;
}

enum trop_status trop_fw_work_shifted(struct trop_case **out, const struct trop_case *c, int64_t k)
{
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double side = trop_case_number(c, "radius") / sqrt((double)d);
    enum trop_status status = trop_case_copy(out, c);

    for (int64_t e = 0; status == TROP_OK && e < n * d; e++) {
        trop_case_array(*out, "tokens")[e] +=
            side * (2 * trop_case_uniform(c, USE_SHIFT, k * n * d + e) - 1);
    }
    return status;
}

enum trop_status trop_fw_work_with(struct trop_case *c, double factor)
{
    const int64_t steps = trop_case_integer(c, "steps");
    struct trop_flow_options o = trop_fw_work_options(c, TROP_RULE_HARDMAX);
    double *gamma = trop_alloc(steps + 1, sizeof *gamma);

    if (!gamma) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld steps", (long long)steps);
    }
    for (int64_t t = 0; t <= steps; t++) {
        gamma[t] = factor * trop_fw_gamma(c, t);
    }
    o.gamma =
        (struct trop_schedule){ .kind = TROP_SCHEDULE_VALUES, .values = gamma, .count = steps + 1 };
    enum trop_status status = trop_tokens_flow(c, &o, steps);
    trop_alloc_free(gamma);
    return status;
}

enum trop_status trop_fw_work(struct trop_case *c)
{
    return trop_fw_work_with(c, 1);
}

enum trop_status trop_fw_work_cells(struct trop_cells **out, const struct trop_case *c,
                                    const double *x, int64_t n, const double *query, int64_t m)
{
    struct trop_cells_options o = trop_cells_options_default();

    o.cloud.n = n;
    o.cloud.d = trop_case_size(c, "tokens", 1);
    o.cloud.tokens = x;
    o.cloud.key_query = (struct trop_matrix){ .scale = NAN, .values = trop_case_array(c, "B") };
    o.query = query;
    o.queries = m;
    o.threads = c->threads;
    return trop_cells_create(out, &o);
}

enum trop_status trop_fw_work_labels(int64_t *out, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    struct trop_cells *cells = NULL;
    struct trop_value labels;
    enum trop_status status =
        trop_fw_work_cells(&cells, c, trop_case_array(c, "tokens"), n, NULL, 0);

    if (status == TROP_OK) {
        status = trop_cells_value(&labels, cells, "labels");
    }
    if (status == TROP_OK) {
        memcpy(out, labels.integers, (size_t)n * sizeof *out);
    }
    trop_cells_free(cells);
    return status;
}
