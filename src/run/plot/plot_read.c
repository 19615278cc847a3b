/* plot_read.c -- numbers of a result's file, and points of any dimension in a plane.
 *
 * Principal axes are found by subspace iteration on the covariance, from fixed vectors: a picture
 * needs a few digits, and the same ones every time.
 */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/option.h"
#include "base/status.h"
#include "run/verb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TURNS 200

enum trop_status trop_plot_numbers(struct trop_array *out, struct trop_plot_file *file,
                                   const char *name, int64_t rank, const char *why)
{
    struct trop_array array = { 0 };

    if (!trop_h5_exists(file->h5, name)) {
        return trop_fail(TROP_ERR_IO, "%s: has no %s; %s", file->path, name, why);
    }
    enum trop_status status = trop_h5_numbers(&array, file->h5, name);
    if (status == TROP_OK && array.rank != rank) {
        trop_array_free(&array);
        status = trop_fail(TROP_ERR_IO, "%s: %s has %lld axes, must have %lld", file->path, name,
                           (long long)array.rank, (long long)rank);
    }
    if (status == TROP_OK) {
        *out = array;
    }
    return status;
}

void trop_plot_option(char out[256], struct trop_plot_file *file, const char *name)
{
    char *text = NULL;

    out[0] = '\0';
    if (trop_h5_text(&text, file->h5, "/options", name) == TROP_OK) {
        snprintf(out, 256, "%s", text);
    }
    trop_alloc_free(text);
}

void trop_plot_words_of(char out[128], const char *name, int64_t length)
{
    static const char *const words[][2] = {
        { "alpha", "α" }, { "beta", "β" },   { "gamma", "γ" }, { "epsilon", "ε" },
        { "eta", "η" },   { "lambda", "λ" }, { "kappa", "κ" }, { "log10", "log₁₀" },
    };
    size_t used = 0;

    out[0] = '\0';
    for (int64_t at = 0; at < length && used < 110;) {
        int64_t size = 0;
        while (at + size < length && !strchr("_./", name[at + size])) {
            size++;
        }
        const char *word = NULL;
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            if ((int64_t)strlen(words[k][0]) == size &&
                strncmp(words[k][0], name + at, (size_t)size) == 0) {
                word = words[k][1];
            }
        }
        used +=
            (size_t)snprintf(out + used, 128 - used, "%s%.*s", used ? " " : "",
                             word ? 16 : (int)(size < 100 ? size : 100), word ? word : name + at);
        at += size + 1;
    }
}

/* An option of the verb that is written much like it; NULL: none. */
static const char *near(const struct trop_verb *verb, const char *name)
{
    const char *nearest = NULL;

    for (int64_t k = 0; verb && verb->kinds[k]; k++) {
        const char *one = trop_option_nearest(verb->kinds[k]->table(), name);
        if (one &&
            (!nearest || trop_option_distance(name, one) < trop_option_distance(name, nearest))) {
            nearest = one;
        }
    }
    return nearest;
}

enum trop_status trop_plot_check_against(struct trop_plot *plot)
{
    const char *against = plot->options.against;

    for (int64_t f = 0; f < plot->count; f++) {
        struct trop_plot_file *file = plot->files + f;
        char *text = NULL;
        const enum trop_status status = trop_h5_text(&text, file->h5, "/options", against);
        trop_alloc_free(text);
        if (status != TROP_OK) {
            const char *nearest = near(trop_verb_find(file->verb), against);
            return trop_fail(TROP_ERR_ARG, "against = %s: %s has no such option%s%s%s", against,
                             file->path, nearest ? ", did you mean " : "", nearest ? nearest : "",
                             nearest ? "?" : "");
        }
    }
    return TROP_OK;
}

double trop_plot_number(struct trop_plot_file *file, const char *name)
{
    struct trop_array array = { 0 };
    double number = NAN;

    if (trop_h5_exists(file->h5, name) && trop_h5_numbers(&array, file->h5, name) == TROP_OK) {
        number = array.rank == 0 ? array.data[0] : (double)NAN;
    }
    trop_array_free(&array);
    return number;
}

enum trop_status trop_plot_offsets(struct trop_array *out, struct trop_plot_file *file,
                                   const char *name)
{
    char offsets[128];

    snprintf(offsets, sizeof offsets, "%s_offsets", name);
    return trop_plot_numbers(out, file, offsets, 1, "it is written by another version");
}

/* ---- principal axes ---- */

static double dot(const double *a, const double *b, int64_t d)
{
    double sum = 0;

    for (int64_t k = 0; k < d; k++) {
        sum += a[k] * b[k];
    }
    return sum;
}

/* Orthogonal to first (NULL: to nothing) and of length 1; 0 when nothing is left. */
static int normalise(double *a, const double *first, int64_t d)
{
    const double along = first ? dot(a, first, d) : 0;

    for (int64_t k = 0; first && k < d; k++) {
        a[k] -= along * first[k];
    }
    const double length = sqrt(dot(a, a, d));
    for (int64_t k = 0; length > 0 && k < d; k++) {
        a[k] /= length;
    }
    return length > 0;
}

static void turn(double *a, const double *first, double *scratch, const double *x,
                 const double *mean, int64_t n, int64_t d)
{
    for (int64_t t = 0; t < TURNS; t++) {
        /* y = C a for the covariance C of the points about their mean. */
        memset(scratch, 0, (size_t)d * sizeof *scratch);
        for (int64_t i = 0; i < n; i++) {
            double along = 0;
            for (int64_t k = 0; k < d; k++) {
                along += (x[i * d + k] - mean[k]) * a[k];
            }
            for (int64_t k = 0; k < d; k++) {
                scratch[k] += along * (x[i * d + k] - mean[k]);
            }
        }
        if (!normalise(scratch, first, d)) {
            return;
        }
        memcpy(a, scratch, (size_t)d * sizeof *a);
    }
}

void trop_plot_axes(double *axes, const double *x, int64_t n, int64_t d)
{
    double *scratch = trop_alloc(2 * d, sizeof *scratch);
    double *mean = scratch ? scratch + d : NULL;

    memset(axes, 0, (size_t)(2 * d) * sizeof *axes);
    axes[0] = 1;
    axes[d > 1 ? d + 1 : 1] = d > 1;
    if (d <= 2 || !scratch) {
        trop_alloc_free(scratch);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < d; k++) {
            mean[k] += x[i * d + k] / (double)n;
        }
    }
    for (int64_t k = 0; k < d; k++) { /* not orthogonal to any axis by accident */
        axes[k] = 1 + .1 * (double)k;
        axes[d + k] = 1 - .3 * (double)(k % 5);
    }
    normalise(axes, NULL, d);
    turn(axes, NULL, scratch, x, mean, n, d);
    normalise(axes + d, axes, d);
    turn(axes + d, axes, scratch, x, mean, n, d);
    trop_alloc_free(scratch);
}

void trop_plot_project(double *px, double *py, const double *axes, const double *x, int64_t n,
                       int64_t d)
{
    for (int64_t i = 0; i < n; i++) {
        px[i] = dot(axes, x + i * d, d);
        py[i] = dot(axes + d, x + i * d, d);
    }
}
