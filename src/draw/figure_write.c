/* figure_write.c -- one drawing as PDF, SVG and PNG.
 *
 * Equal figures give equal bytes: Cairo's only use of the clock, the date in a PDF, is set to a
 * fixed one, and the names inside an SVG are made its own. Fonts are
 * embedded in the PDF; an SVG carries the outlines of its letters.
 */
#include "draw/figure_internal.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "draw/passage.h"

/* Any date will do, as long as it is always the same. */
#define DATE "2000-01-01T00:00:00Z"

static cairo_status_t append(void *context, const unsigned char *data, unsigned int size)
{
    return trop_figure_append(context, data, (int64_t)size) ? CAIRO_STATUS_SUCCESS
                                                            : CAIRO_STATUS_WRITE_ERROR;
}

/* What Cairo says in the words of this library. */
static enum trop_status told(cairo_status_t status)
{
    if (status == CAIRO_STATUS_SUCCESS) {
        return TROP_OK;
    }
    return trop_fail(status == CAIRO_STATUS_NO_MEMORY ? TROP_ERR_MEMORY : TROP_ERR_UNSUPPORTED,
                     "Cairo could not draw the figure: %s", cairo_status_to_string(status));
}

static enum trop_status draw_on(cairo_surface_t *surface, struct trop_figure *figure, double scale)
{
    cairo_t *cairo = cairo_create(surface);

    cairo_scale(cairo, scale, scale);
    enum trop_status status = trop_figure_draw(figure, cairo);
    if (status == TROP_OK) {
        status = told(cairo_status(cairo));
    }
    cairo_destroy(cairo);
    return status;
}

/* Finishes a surface that writes into bytes, and frees both when something failed. */
static enum trop_status finish(enum trop_status status, cairo_surface_t *surface,
                               struct trop_figure_bytes *bytes)
{
    cairo_surface_finish(surface);
    if (status == TROP_OK && !bytes->failed) {
        status = told(cairo_surface_status(surface));
    }
    cairo_surface_destroy(surface);
    if (status == TROP_OK && bytes->failed) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for the file of a figure");
    }
    if (status != TROP_OK) {
        trop_alloc_free(bytes->bytes);
        *bytes = (struct trop_figure_bytes){ 0 };
    }
    return status;
}

static enum trop_status make_pdf(struct trop_figure_bytes *bytes, struct trop_figure *figure)
{
    cairo_surface_t *surface =
        cairo_pdf_surface_create_for_stream(append, bytes, figure->width, figure->height);

    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, DATE);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "tropism");
    if (figure->title) {
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, figure->title);
    }
    return finish(draw_on(surface, figure, 1.0), surface, bytes);
}

/* Letters of a passage are letters. */
static enum trop_status make_svg_of_passage(struct trop_figure_bytes *bytes,
                                            const struct trop_figure *figure)
{
    char head[256];
    const int length =
        snprintf(head, sizeof head,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%gpt\" height=\"%gpt\" "
                 "viewBox=\"0 0 %g %g\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                 figure->width, figure->height, figure->width, figure->height);

    trop_figure_append(bytes, (const unsigned char *)head, length);
    trop_passage_svg(bytes, figure->passage);
    trop_figure_append(bytes, (const unsigned char *)"</svg>\n", 7);
    if (bytes->failed) {
        trop_alloc_free(bytes->bytes);
        *bytes = (struct trop_figure_bytes){ 0 };
        return trop_fail(TROP_ERR_MEMORY, "no memory for the file of a figure");
    }
    return TROP_OK;
}

static enum trop_status make_svg(struct trop_figure_bytes *bytes, struct trop_figure *figure)
{
    if (figure->passage) {
        return make_svg_of_passage(bytes, figure);
    }
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(append, bytes, figure->width, figure->height);

    enum trop_status status = finish(draw_on(surface, figure, 1.0), surface, bytes);
    if (status == TROP_OK && trop_figure_renumber(bytes) != TROP_OK) {
        trop_alloc_free(bytes->bytes);
        *bytes = (struct trop_figure_bytes){ 0 };
        status = trop_fail(TROP_ERR_MEMORY, "no memory for the file of a figure");
    }
    return status;
}

enum trop_status trop_figure_picture(cairo_surface_t **out, struct trop_figure *figure)
{
    int width = (int)ceil(TROP_FIGURE_PIXELS * figure->width);
    int height = (int)ceil(TROP_FIGURE_PIXELS * figure->height);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    enum trop_status status = told(cairo_surface_status(surface));

    if (status == TROP_OK) {
        status = draw_on(surface, figure, TROP_FIGURE_PIXELS);
    }
    if (status != TROP_OK) {
        cairo_surface_destroy(surface);
        return status;
    }
    cairo_surface_flush(surface);
    *out = surface;
    return TROP_OK;
}

static enum trop_status make_png(struct trop_figure_bytes *bytes, struct trop_figure *figure)
{
    cairo_surface_t *surface = NULL;
    enum trop_status status = trop_figure_picture(&surface, figure);

    if (status != TROP_OK) {
        return status;
    }
    cairo_status_t wrote = cairo_surface_write_to_png_stream(surface, append, bytes);
    if (!bytes->failed) {
        status = told(wrote);
    }
    return finish(status, surface, bytes);
}

/* ---- the interface ---- */

enum trop_status trop_figure_write(struct trop_figure *figure, const char *path)
{
    static const struct {
        const char *ending;
        enum trop_status (*make)(struct trop_figure_bytes *, struct trop_figure *);
    } formats[] = { { ".pdf", make_pdf }, { ".svg", make_svg }, { ".png", make_png } };
    size_t length = path ? strlen(path) : 0;

    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++) {
        if (length < 5 || strcmp(path + length - 4, formats[k].ending) != 0) {
            continue;
        }
        struct trop_figure_bytes bytes = { 0 };
        enum trop_status status = formats[k].make(&bytes, figure);
        if (status == TROP_OK) {
            status = trop_figure_store(&bytes, path);
        }
        trop_alloc_free(bytes.bytes);
        return status;
    }
    return trop_fail(TROP_ERR_ARG, "figure %s: its name must end in .pdf, .svg or .png",
                     path ? path : "without a name");
}

enum trop_status trop_figure_svg(char **out, int64_t *size, struct trop_figure *figure)
{
    struct trop_figure_bytes bytes = { 0 };
    enum trop_status status = make_svg(&bytes, figure);

    if (status != TROP_OK) {
        return status;
    }
    *out = (char *)bytes.bytes;
    *size = bytes.size;
    return TROP_OK;
}
