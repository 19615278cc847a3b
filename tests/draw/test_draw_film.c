/* test_draw_film.c -- films, read back with giflib. */
#include "support.h"

#include <gif_lib.h>

#include "alloc_failing.c"
#include "draw/figure_internal.h"
#include "draw_support.h"
#include "scratch.h"

#define FRAMES 5

/* Frame k: a square that moves, and at the end does not. */
static struct trop_figure *frame(int64_t k, double width)
{
    struct trop_figure *figure = NULL;
    double at = 0.15 * (double)(k < 4 ? k : 3);
    const double x[4] = { at, at + 0.3, at + 0.3, at };
    const double y[4] = { 0.2, 0.2, 0.5, 0.5 };

    if (trop_figure_create(&figure, width, 60.0) != TROP_OK) {
        return NULL;
    }
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    trop_panel_range_x(panel, 0.0, 1.0);
    trop_panel_range_y(panel, 0.0, 1.0);
    trop_panel_polygon(panel, x, y, 4, k, 0.0, (struct trop_pen){ .colour = 2 }, "moves");
    return figure;
}

static enum trop_status make(const char *path)
{
    struct trop_film *film = NULL;
    enum trop_status status = trop_film_create(&film, path);

    if (status != TROP_OK) {
        return status;
    }
    for (int64_t k = 0; k < FRAMES && status == TROP_OK; k++) {
        struct trop_figure *figure = frame(k, 80.0);
        status = figure ? trop_film_add(film, figure, 0.1 * (double)(k + 1)) : TROP_ERR_MEMORY;
        trop_figure_free(figure);
        if (!figure) {
            trop_film_abandon(film);
            return TROP_ERR_MEMORY;
        }
    }
    return trop_film_close(film);
}

/* Paints one stored image on the screen, as a viewer does. */
static void show(uint32_t *screen, int64_t width, const SavedImage *image)
{
    const GifImageDesc *desc = &image->ImageDesc;

    assert_non_null(desc->ColorMap);
    for (int64_t k = 0; k < (int64_t)desc->Width * desc->Height; k++) {
        GifColorType c = desc->ColorMap->Colors[image->RasterBits[k]];
        screen[(desc->Top + k / desc->Width) * width + desc->Left + k % desc->Width] =
            (uint32_t)c.Red << 16 | (uint32_t)c.Green << 8 | c.Blue;
    }
}

/* The greatest difference of a channel between the screen and frame k. */
static int64_t difference(const uint32_t *screen, int64_t k)
{
    struct trop_figure *figure = frame(k, 80.0);
    cairo_surface_t *picture = NULL;
    int64_t worst = 0;

    assert_ok(trop_figure_picture(&picture, figure));
    int64_t width = cairo_image_surface_get_width(picture);
    int64_t height = cairo_image_surface_get_height(picture);
    for (int64_t j = 0; j < width * height; j++) {
        uint32_t pixel;
        memcpy(&pixel,
               cairo_image_surface_get_data(picture) +
                   j / width * cairo_image_surface_get_stride(picture) + 4 * (j % width),
               sizeof pixel);
        for (int shift = 0; shift <= 16; shift += 8) {
            int64_t off =
                llabs((long long)(pixel >> shift & 255) - (long long)(screen[j] >> shift & 255));
            worst = off > worst ? off : worst;
        }
    }
    cairo_surface_destroy(picture);
    trop_figure_free(figure);
    return worst;
}

static void a_film_shows_its_frames(void **state)
{
    static uint32_t screen[160 * 120];
    const char *path = scratch("film.gif");
    int error = 0;

    (void)state;
    assert_ok(make(path));
    GifFileType *gif = DGifOpenFileName(path, &error);
    assert_non_null(gif);
    assert_int_equal(DGifSlurp(gif), GIF_OK);
    assert_int_equal(gif->SWidth, 160);
    assert_int_equal(gif->SHeight, 120);
    assert_int_equal(gif->ImageCount, FRAMES);
    for (int k = 0; k < FRAMES; k++) {
        GraphicsControlBlock block;
        assert_int_equal(DGifSavedExtensionToGCB(gif, k, &block), GIF_OK);
        assert_int_equal(block.DelayTime, 10 * (k + 1));
        assert_int_equal(block.DisposalMode, DISPOSE_DO_NOT);
        show(screen, 160, &gif->SavedImages[k]);
        /* Fewer than 256 colours, so none is changed. */
        assert_int_equal(difference(screen, k), 0);
    }
    /* Only what changes is stored: the ordinate's numbers stay. */
    assert_true(gif->SavedImages[1].ImageDesc.Width < 120);
    DGifCloseFile(gif, &error);
    remove(path);
}

static void a_film_repeats_and_is_the_same_each_time(void **state)
{
    static unsigned char bytes[2][1 << 20];
    size_t sizes[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        const char *path = scratch("again.gif");
        assert_ok(make(path));
        FILE *file = fopen(path, "rb");
        sizes[k] = fread(bytes[k], 1, sizeof bytes[k], file);
        fclose(file);
        remove(path);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    assert_memory_equal(bytes[0], "GIF89a", 6);
    /* The extension, a block of 3 bytes: 1, and how often: 0 forever. */
    size_t at = 0;
    while (at + 16 < sizes[0] && memcmp(bytes[0] + at, "NETSCAPE2.0", 11) != 0) {
        at++;
    }
    assert_true(at + 16 < sizes[0]);
    assert_memory_equal(bytes[0] + at + 11, "\3\1\0\0\0", 5);
}

static void a_film_that_failed_leaves_no_file(void **state)
{
    struct trop_film *film = NULL;
    struct trop_figure *figure = frame(0, 80.0);
    struct trop_figure *other = frame(1, 90.0);

    (void)state;
    assert_int_equal(trop_film_create(&film, "film.mp4"), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), ".gif"));
    assert_ok(trop_film_create(&film, scratch("none.gif")));
    assert_int_equal(trop_film_close(film), TROP_ERR_ARG); /* no frame */

    assert_ok(trop_film_create(&film, scratch("sizes.gif")));
    assert_ok(trop_film_add(film, figure, 1.0));
    assert_int_equal(trop_film_add(film, other, 1.0), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), "180 x 120"));
    assert_int_equal(trop_film_close(film), TROP_ERR_ARG);

    assert_ok(trop_film_create(&film, scratch("time.gif")));
    assert_int_equal(trop_film_add(film, figure, NAN), TROP_ERR_ARG);
    trop_film_abandon(film);
    trop_film_abandon(NULL);
    trop_figure_free(figure);
    trop_figure_free(other);
    assert_int_equal(scratch_count(), 0);
}

static enum trop_status attempt(void)
{
    const char *path = scratch("memory.gif");
    enum trop_status status = make(path);
    remove(path);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    alloc_refuse_each(attempt);
    assert_int_equal(scratch_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_film_shows_its_frames),
        cmocka_unit_test(a_film_repeats_and_is_the_same_each_time),
        cmocka_unit_test(a_film_that_failed_leaves_no_file),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
