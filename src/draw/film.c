/* film.c -- an animated GIF.
 *
 * Each frame brings the colours that it needs (quantise.c) and only the rectangle in which it
 * differs from the one before; it stays until the next one is drawn upon it. The film is made in
 * memory and takes its name when it is closed; it repeats forever.
 */
#include "draw/figure.h"

#include <gif_lib.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "draw/figure_internal.h"
#include "draw/quantise.h"

#define LARGEST 65535 /* pixels: GIF's own limit */
/* Viewers take 0 and 1/100 s for "not said". */
#define SHORTEST 2

struct trop_film {
    char *path;
    GifFileType *gif; /* NULL before the first frame */
    int64_t width, height;
    uint32_t *shown; /* (height, width) what is on the screen */
    uint32_t *next;
    uint32_t *part;       /* the rectangle that changes, dense */
    unsigned char *index; /* and its places in the palette */
    struct trop_figure_bytes bytes;
    enum trop_status status; /* the first failure, and its sentence */
    char sentence[256];
};

/* ---- making and freeing ---- */

enum trop_status trop_film_create(struct trop_film **out, const char *path)
{
    size_t length = path ? strlen(path) : 0;

    if (length < 5 || strcmp(path + length - 4, ".gif") != 0) {
        return trop_fail(TROP_ERR_ARG, "film %s: its name must end in .gif",
                         path ? path : "without a name");
    }
    struct trop_film *film = trop_alloc(1, sizeof *film);
    char *copy = trop_alloc((int64_t)length + 1, 1);
    if (!film || !copy) {
        TROP_FREE(film, copy);
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for a film", path);
    }
    memcpy(copy, path, length);
    film->path = copy;
    *out = film;
    return TROP_OK;
}

void trop_film_abandon(struct trop_film *film)
{
    if (!film) {
        return;
    }
    if (film->gif) {
        EGifCloseFile(film->gif, NULL);
    }
    TROP_FREE(film->path, film->shown, film->next, film->part, film->index, film->bytes.bytes,
              film);
}

static enum trop_status remember(struct trop_film *film, enum trop_status status)
{
    if (status != TROP_OK && film->status == TROP_OK) {
        film->status = status;
        strncpy(film->sentence, trop_error(), sizeof film->sentence - 1);
    }
    return status;
}

static enum trop_status refuse(struct trop_film *film)
{
    if (film->bytes.failed) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for the film", film->path);
    }
    const char *reason = film->gif ? GifErrorString(film->gif->Error) : NULL;
    return trop_fail(TROP_ERR_MEMORY, "%s: giflib could not write: %s", film->path,
                     reason ? reason : "no memory");
}

/* ---- the stream ---- */

static int write_bytes(GifFileType *gif, const GifByteType *data, int size)
{
    struct trop_film *film = gif->UserData;
    return trop_figure_append(&film->bytes, data, size) ? size : 0;
}

/* The extension by which films repeat; a count of 0 is forever. */
static int put_loop(GifFileType *gif)
{
    static const unsigned char forever[3] = { 1, 0, 0 };

    return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(gif, 3, forever) == GIF_OK &&
           EGifPutExtensionTrailer(gif) == GIF_OK;
}

static enum trop_status begin(struct trop_film *film, int64_t width, int64_t height)
{
    int error = 0;

    if (width > LARGEST || height > LARGEST) {
        return trop_fail(TROP_ERR_ARG, "%s: frames must not be larger than %d pixels", film->path,
                         LARGEST);
    }
    film->width = width;
    film->height = height;
    if (!TROP_ALLOC(TROP_PART(film->shown, width * height), TROP_PART(film->next, width * height),
                    TROP_PART(film->part, width * height),
                    TROP_PART(film->index, width * height))) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for frames of %lld x %lld pixels",
                         film->path, (long long)width, (long long)height);
    }
    film->gif = EGifOpen(film, write_bytes, &error);
    if (!film->gif) {
        return refuse(film);
    }
    EGifSetGifVersion(film->gif, true);
    if (EGifPutScreenDesc(film->gif, (int)width, (int)height, 8, 0, NULL) != GIF_OK ||
        !put_loop(film->gif)) {
        return refuse(film);
    }
    return TROP_OK;
}

/* ---- a frame ---- */

struct rectangle {
    int64_t left, top, width, height;
};

/* What differs between shown and next: one pixel when nothing does, since a frame has to have
 * one. */
static struct rectangle difference(const struct trop_film *film, int first)
{
    int64_t left = film->width;
    int64_t right = -1;
    int64_t top = film->height;
    int64_t bottom = -1;

    if (first) {
        return (struct rectangle){ 0, 0, film->width, film->height };
    }
    for (int64_t k = 0; k < film->width * film->height; k++) {
        if (film->shown[k] != film->next[k]) {
            int64_t x = k % film->width;
            int64_t y = k / film->width;
            left = x < left ? x : left;
            right = x > right ? x : right;
            top = y < top ? y : top;
            bottom = y;
        }
    }
    if (right < 0) {
        return (struct rectangle){ 0, 0, 1, 1 };
    }
    return (struct rectangle){ left, top, right - left + 1, bottom - top + 1 };
}

static int put_delay(GifFileType *gif, double seconds)
{
    GraphicsControlBlock block = { .DisposalMode = DISPOSE_DO_NOT,
                                   .UserInputFlag = false,
                                   .DelayTime = (int)fmax(floor(100.0 * seconds + 0.5), SHORTEST),
                                   .TransparentColor = NO_TRANSPARENT_COLOR };
    GifByteType bytes[4];

    size_t size = EGifGCBToExtension(&block, bytes);
    return EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, (int)size, bytes) == GIF_OK;
}

static int put_image(struct trop_film *film, struct rectangle at,
                     const struct trop_quantise_palette *palette)
{
    /* A colour map has a power of two of entries; those beyond the palette are black. */
    int size = 2;
    while (size < palette->count) {
        size *= 2;
    }
    ColorMapObject *map = GifMakeMapObject(size, NULL);
    for (int64_t k = 0; map && k < palette->count; k++) {
        map->Colors[k] =
            (GifColorType){ palette->rgb[k][0], palette->rgb[k][1], palette->rgb[k][2] };
    }
    int fine = map && EGifPutImageDesc(film->gif, (int)at.left, (int)at.top, (int)at.width,
                                       (int)at.height, false, map) == GIF_OK;

    for (int64_t r = 0; fine && r < at.height; r++) {
        fine = EGifPutLine(film->gif, film->index + r * at.width, (int)at.width) == GIF_OK;
    }
    if (map) {
        GifFreeMapObject(map);
    }
    return fine;
}

static enum trop_status take(struct trop_film *film, cairo_surface_t *picture, double seconds)
{
    int64_t width = cairo_image_surface_get_width(picture);
    int64_t height = cairo_image_surface_get_height(picture);
    int64_t stride = cairo_image_surface_get_stride(picture);
    const unsigned char *pixels = cairo_image_surface_get_data(picture);
    int first = film->gif == NULL;

    if (first) {
        enum trop_status status = begin(film, width, height);
        if (status != TROP_OK) {
            return status;
        }
    }
    if (width != film->width || height != film->height) {
        return trop_fail(TROP_ERR_ARG,
                         "%s: a frame of %lld x %lld pixels must be as large as the first one, "
                         "%lld x %lld",
                         film->path, (long long)width, (long long)height, (long long)film->width,
                         (long long)film->height);
    }
    for (int64_t r = 0; r < height; r++) {
        memcpy(film->next + r * width, pixels + r * stride, (size_t)width * sizeof *film->next);
    }
    /* The byte above red, green and blue means nothing. */
    for (int64_t k = 0; k < width * height; k++) {
        film->next[k] &= 0xffffff;
    }
    struct rectangle at = difference(film, first);
    struct trop_quantise_palette palette;
    for (int64_t r = 0; r < at.height; r++) {
        memcpy(film->part + r * at.width, film->next + (at.top + r) * film->width + at.left,
               (size_t)at.width * sizeof *film->part);
    }
    if (trop_quantise(&palette, film->index, film->part, at.width * at.height) != TROP_OK) {
        return trop_fail(TROP_ERR_MEMORY, "%s: no memory for the colours of a frame", film->path);
    }
    if (!put_delay(film->gif, seconds) || !put_image(film, at, &palette)) {
        return refuse(film);
    }
    uint32_t *shown = film->shown;
    film->shown = film->next;
    film->next = shown;
    return TROP_OK;
}

enum trop_status trop_film_add(struct trop_film *film, struct trop_figure *figure, double seconds)
{
    cairo_surface_t *picture = NULL;

    if (film->status != TROP_OK) {
        return trop_fail(film->status, "%s", film->sentence);
    }
    if (!(seconds >= 0.0 && seconds <= 655.0)) {
        return remember(film,
                        trop_fail(TROP_ERR_ARG, "%s: a frame of %g seconds: must be from 0 to 655",
                                  film->path, seconds));
    }
    enum trop_status status = trop_figure_picture(&picture, figure);
    if (status == TROP_OK) {
        status = take(film, picture, seconds);
        cairo_surface_destroy(picture);
    }
    return remember(film, status);
}

/* ---- the end ---- */

enum trop_status trop_film_close(struct trop_film *film)
{
    enum trop_status status = TROP_OK;

    if (film->status != TROP_OK) {
        status = trop_fail(film->status, "%s", film->sentence);
    } else if (!film->gif) {
        status = trop_fail(TROP_ERR_ARG, "%s: a film must have a frame", film->path);
    } else if (EGifCloseFile(film->gif, NULL) != GIF_OK || film->bytes.failed) {
        film->gif = NULL;
        status = refuse(film);
    } else {
        film->gif = NULL;
        status = trop_figure_store(&film->bytes, film->path);
    }
    trop_film_abandon(film);
    return status;
}
