/* test_draw_pixels.c -- what is and what is not painted, pixel by pixel. */
#include "support.h"

#include <sys/stat.h>

#include "draw/figure_internal.h"
#include "draw_support.h"
#include "scratch.h"

/* ---- pixels ---- */

/* The colour at a place of the data, 0xRRGGBB. */
static uint32_t pixel_at(struct trop_figure *figure, double x, double y)
{
    cairo_surface_t *picture = NULL;
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);

    assert_ok(trop_figure_picture(&picture, figure));
    int64_t column = (int64_t)(TROP_FIGURE_PIXELS * trop_panel_at_x(panel, x));
    int64_t row = (int64_t)(TROP_FIGURE_PIXELS * trop_panel_at_y(panel, y));
    assert_true(column >= 0 && column < cairo_image_surface_get_width(picture));
    assert_true(row >= 0 && row < cairo_image_surface_get_height(picture));
    uint32_t pixel;
    memcpy(&pixel,
           cairo_image_surface_get_data(picture) + row * cairo_image_surface_get_stride(picture) +
               4 * column,
           sizeof pixel);
    cairo_surface_destroy(picture);
    return pixel & 0xffffff;
}

static struct trop_panel *unit_panel(struct trop_figure *figure)
{
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    trop_panel_bare(panel);
    trop_panel_range_x(panel, 0.0, 1.0);
    trop_panel_range_y(panel, 0.0, 1.0);
    return panel;
}

#define BLUE 0x0072b2
#define WHITE 0xffffff

static void a_line_breaks_where_there_is_no_number(void **state)
{
    static const double gaps[3] = { NAN, INFINITY, -INFINITY };
    const struct trop_pen pen = { .width = 6.0 };

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct trop_figure *figure = figure_of(100.0, 100.0);
        const double x[5] = { 0.1, 0.4, 0.5, 0.6, 0.9 };
        const double y[5] = { 0.5, 0.5, gaps[k], 0.5, 0.5 };
        trop_panel_line(unit_panel(figure), x, y, 5, pen, NULL);
        assert_int_equal(pixel_at(figure, 0.2, 0.5), BLUE);
        assert_int_equal(pixel_at(figure, 0.5, 0.5), WHITE);
        assert_int_equal(pixel_at(figure, 0.8, 0.5), BLUE);
        trop_figure_free(figure);
    }
}

static void a_polygon_cuts_what_follows(void **state)
{
    struct trop_figure *figure = figure_of(100.0, 100.0);
    struct trop_panel *panel = unit_panel(figure);
    const double square[2][4] = { { 0, 1, 1, 0 }, { 0, 0, 0.6, 0.6 } };
    const double triangle[2][3] = { { 0, 1, 0 }, { 0, 0, 1 } };
    const double upper[2][4] = { { 0.6, 1, 1, 0.6 }, { 0.8, 0.8, 1, 1 } };
    const struct trop_pen none = { .colour = TROP_COLOUR_NONE };

    (void)state;
    trop_panel_clip(panel, triangle[0], triangle[1], 3);
    trop_panel_polygon(panel, square[0], square[1], 4, 0, 0.0, none, NULL);
    trop_panel_clip(panel, NULL, NULL, 0);
    trop_panel_polygon(panel, upper[0], upper[1], 4, 0, 0.0, none, NULL);
    assert_int_equal(pixel_at(figure, 0.3, 0.3), BLUE);
    assert_int_equal(pixel_at(figure, 0.8, 0.4), WHITE); /* in the square, not in the triangle */
    assert_int_equal(pixel_at(figure, 0.1, 0.8), WHITE); /* in the triangle, not in the square */
    assert_int_equal(pixel_at(figure, 0.8, 0.9), BLUE);  /* the clip is gone */
    trop_figure_free(figure);
}

/* A cone whose corners are a million million panels away has its edges where they belong. */
static void far_corners_keep_their_directions(void **state)
{
    struct trop_figure *figure = figure_of(200.0, 200.0);
    struct trop_panel *panel = unit_panel(figure);
    const double x[3] = { 0.0, 1e9, 1e9 };
    const double y[3] = { 0.0, 2e8, 6e8 };
    const double line[2][2] = { { -1e11, 1e11 }, { 0.9, 0.9 } };

    (void)state;
    trop_panel_polygon(panel, x, y, 3, 0, 0.0, (struct trop_pen){ .colour = TROP_COLOUR_NONE },
                       NULL);
    trop_panel_line(panel, line[0], line[1], 2, (struct trop_pen){ .width = 4.0 }, NULL);
    assert_int_equal(pixel_at(figure, 0.9, 0.9 * 0.22), BLUE);
    assert_int_equal(pixel_at(figure, 0.9, 0.9 * 0.18), WHITE);
    assert_int_equal(pixel_at(figure, 0.9, 0.9 * 0.58), BLUE);
    assert_int_equal(pixel_at(figure, 0.9, 0.9 * 0.62), WHITE);
    assert_int_equal(pixel_at(figure, 0.5, 0.9), BLUE);
    trop_figure_free(figure);
}

/* y = x / 2 from (0.2, 0.1) on: nothing before that, straight or, on a logarithmic axis, curved. */
static void a_ray_begins_at_its_place(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        struct trop_figure *figure = figure_of(200.0, 200.0);
        struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
        trop_panel_bare(panel);
        trop_panel_x(panel, "", k % 2);
        trop_panel_y(panel, "", k % 2);
        trop_panel_range_x(panel, k < 2 ? 0.01 : 1.0, k < 2 ? 1.0 : 0.01);
        trop_panel_range_y(panel, 0.01, 1.0);
        trop_panel_ray(panel, 0.2, 0.1, 3e-5, 1.5e-5, (struct trop_pen){ .width = 5.0 }, NULL);
        assert_int_equal(pixel_at(figure, 0.3, 0.15), BLUE);
        assert_int_equal(pixel_at(figure, 0.9, 0.45), BLUE);
        assert_int_equal(pixel_at(figure, 0.1, 0.05), WHITE);
        assert_int_equal(pixel_at(figure, 0.5, 0.5), WHITE);
        trop_figure_free(figure);
    }
}

/* Row 0 is at y0, whichever end that is; a hole is white; small cells as well as large ones. */
static void zero_is_white_between_signs(void **state)
{
    static const double values[4] = { -2, 0, 0, 2 };

    (void)state;
    for (int has_sign = 0; has_sign < 2; has_sign++) {
        struct trop_figure *figure = figure_of(100.0, 100.0);
        trop_panel_image(unit_panel(figure), values, 2, 2, 0, 1, 0, 1, -2, has_sign ? 2 : 3, NULL);
        assert_int_equal(pixel_at(figure, 0.25, 0.25), has_sign ? 0x06306f : 0x220476);
        assert_int_equal(pixel_at(figure, 0.75, 0.25) == WHITE, has_sign);
        trop_figure_free(figure);
    }
}

static void images_lie_as_they_are_told(void **state)
{
    static double values[300 * 300];

    (void)state;
    for (int64_t side = 10; side <= 300; side += 290) {
        for (int turned = 0; turned < 2; turned++) {
            struct trop_figure *figure = figure_of(100.0, 100.0);
            for (int64_t k = 0; k < side * side; k++) {
                int64_t r = k / side;
                int64_t c = k % side;
                values[k] = r < side / 2 ? (c < side / 2 ? 0.0 : NAN) : 1.0;
            }
            trop_panel_image(unit_panel(figure), values, side, side, 0.0, 1.0, turned ? 1.0 : 0.0,
                             turned ? 0.0 : 1.0, 0.0, 0.0, NULL);
            double low = turned ? 0.8 : 0.2;
            assert_int_equal(pixel_at(figure, 0.2, low), 0x220476); /* the ends of the map */
            assert_int_equal(pixel_at(figure, 0.8, low), WHITE);
            /* Up to the very edge: the last pixel is there. */
            assert_int_equal(pixel_at(figure, 0.2, turned ? 0.997 : 0.003), 0x220476);
            assert_int_equal(pixel_at(figure, 0.997, turned ? 0.003 : 0.997), 0xffed7d);
            assert_int_equal(pixel_at(figure, 0.8, 1.0 - low), 0xffed7d);
            trop_figure_free(figure);
        }
    }
}

static void bars_stand_side_by_side_on_zero(void **state)
{
    struct trop_figure *figure = figure_of(200.0, 200.0);
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    const double values[4] = { 1.0, -2.0, 3.0, NAN };

    (void)state;
    trop_panel_bare(panel);
    trop_panel_bars(panel, values, 2, 2, NULL);
    assert_int_equal(pixel_at(figure, -0.2, 0.5), BLUE);
    assert_int_equal(pixel_at(figure, -0.2, 1.5), WHITE);
    assert_int_equal(pixel_at(figure, -0.2, -0.5), WHITE);
    assert_int_not_equal(pixel_at(figure, 0.2, -1.0), WHITE);
    assert_int_equal(pixel_at(figure, 0.8, 2.5), BLUE);
    assert_int_equal(pixel_at(figure, 1.2, 0.5), WHITE); /* NaN is no bar */
    assert_int_equal(pixel_at(figure, 1.2, -1.0), WHITE);
    trop_figure_free(figure);
}

/* ---- extremes ---- */

static void a_million_points_make_a_small_file(void **state)
{
    enum { COUNT = 1000000 };
    double *x = malloc(COUNT * sizeof *x);
    double *y = malloc(COUNT * sizeof *y);
    struct trop_figure *figure = figure_of(360.0, 240.0);
    struct stat status;

    (void)state;
    for (int64_t k = 0; k < COUNT; k++) {
        x[k] = (double)k;
        y[k] = uniform(1, (uint64_t)k);
    }
    y[654321] = 3.0; /* must not be lost */
    trop_panel_line(trop_figure_panel(figure, 0, 0), x, y, COUNT, (struct trop_pen){ 0 }, NULL);
    const char *path = scratch("many.pdf");
    assert_ok(trop_figure_write(figure, path));
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size < 200000);
    remove(path);
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    assert_int_not_equal(pixel_at(figure, 654321.0, 2.3), WHITE);
    assert_true(panel->y.to > 3.0);
    trop_figure_free(figure);
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_breaks_where_there_is_no_number),
        cmocka_unit_test(a_polygon_cuts_what_follows),
        cmocka_unit_test(far_corners_keep_their_directions),
        cmocka_unit_test(a_ray_begins_at_its_place),
        cmocka_unit_test(zero_is_white_between_signs),
        cmocka_unit_test(images_lie_as_they_are_told),
        cmocka_unit_test(bars_stand_side_by_side_on_zero),
        cmocka_unit_test(a_million_points_make_a_small_file),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
