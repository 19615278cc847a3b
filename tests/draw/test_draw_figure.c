/* test_draw_figure.c -- whole figures: files, places of legends, oddities and refusals. */
#include "support.h"

#include <sys/stat.h>

#include "alloc_failing.c"
#include "draw/figure_internal.h"
#include "draw_support.h"
#include "scratch.h"

/* ---- a figure with everything ---- */

static void fill_lines(struct trop_panel *panel)
{
    const double x[5] = { 1.0, 2.0, NAN, 4.0, 5.0 };
    const double y[5] = { 1.0, 3.0, 2.0, INFINITY, 0.5 };
    const double error[5] = { 0.1, 0.2, 0.3, NAN, 0.1 };

    trop_panel_title(panel, "a < b & \"c\" > 'd', β₁ = 10⁻⁶");
    trop_panel_x(panel, "time t (s)", TROP_SCALE_LINEAR);
    trop_panel_y(panel, "energy", TROP_SCALE_LOG);
    trop_panel_line(panel, x, y, 5, trop_figure_pen(0), "line & <dots>");
    trop_panel_dots(panel, x, y, 5, trop_figure_dot(0), "line & <dots>");
    trop_panel_stairs(panel, x, y, 5, trop_figure_pen(1), "stairs");
    trop_panel_errors(panel, x, y, error, 5, trop_figure_pen(2));
    trop_panel_arrow(panel, 1.0, 1.0, 3.0, 2.0, trop_figure_pen(3));
    trop_panel_ray(panel, 1.0, 1.0, 1.0, 1.0, trop_figure_pen(4), "ray");
    trop_panel_level(panel, 2.0, trop_figure_pen(5), "level");
    trop_panel_upright(panel, 2.0, trop_figure_pen(6), NULL);
    trop_panel_text(panel, 2.0, 3.0, "peak", 1, 1, TROP_COLOUR_BLACK);
}

static void fill_areas(struct trop_panel *left, struct trop_panel *right)
{
    const double x[4] = { 0.0, 1e12, 2.0, NAN };
    const double y[4] = { 0.0, 1.0, -1e12, 1.0 };
    const double values[6] = { 1.0, -2.0, 3.0, NAN, 4.0, 5.0 };
    const char *const names[3] = { "one", "two", "three" };
    static double array[400 * 3];

    for (int64_t k = 0; k < 1200; k++) {
        array[k] = sin((double)k);
    }
    array[7] = NAN;
    trop_panel_range_x(left, -1.0, 5.0);
    trop_panel_range_y(left, -2.0, 5.0);
    trop_panel_clip(left, x, y, 3);
    trop_panel_polygon(left, x, y, 4, 2, 0.3, trop_figure_pen(0), "area");
    trop_panel_clip(left, NULL, NULL, 0);
    trop_panel_bars(left, values, 3, 2, names);
    trop_panel_names_x(left, names, 3);
    trop_panel_image(right, array, 400, 3, 0.0, 3.0, 0.0, 1.0, 0.0, 0.0, "value v");
    trop_panel_contours(right, array, 400, 3, 0.0, 3.0, 0.0, 1.0, 3, trop_figure_pen(0));
}

static void fill(struct trop_figure *figure)
{
    trop_figure_grid(figure, 2, 2);
    trop_figure_title(figure, "All of it & <more>");
    fill_lines(trop_figure_panel(figure, 0, 0));
    fill_areas(trop_figure_panel(figure, 0, 1), trop_figure_panel(figure, 1, 0));
}

/* ---- files --------------------------------------------------------------------------------- */

static unsigned char *read_whole(int64_t *size, const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = calloc(1, 1 << 22);

    assert_non_null(file);
    *size = (int64_t)fread(bytes, 1, (1 << 22) - 1, file);
    assert_true(*size > 0 && *size < (1 << 22) - 1);
    fclose(file);
    return bytes;
}

static int holds(const unsigned char *bytes, int64_t size, const char *text)
{
    int64_t length = (int64_t)strlen(text);

    for (int64_t k = 0; k + length <= size; k++) {
        if (memcmp(bytes + k, text, (size_t)length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Writes the same figure twice, from two descriptions; equal bytes come back, once. */
static unsigned char *write_twice(int64_t *size, const char *ending)
{
    unsigned char *bytes[2];
    int64_t sizes[2];

    for (int k = 0; k < 2; k++) {
        char name[32];
        struct trop_figure *figure = figure_of(360.0, 241.5);
        fill(figure);
        snprintf(name, sizeof name, "figure%d%s", k, ending);
        const char *path = scratch(name);
        assert_ok(trop_figure_write(figure, path));
        trop_figure_free(figure);
        bytes[k] = read_whole(&sizes[k], path);
        remove(path);
        if (k == 0 && strcmp(ending, ".pdf") == 0) {
            sleep(1); /* a date would differ */
        }
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], (size_t)sizes[0]);
    free(bytes[1]);
    *size = sizes[0];
    return bytes[0];
}

static void a_pdf_embeds_its_fonts(void **state)
{
    int64_t size;
    unsigned char *bytes = write_twice(&size, ".pdf");

    (void)state;
    assert_memory_equal(bytes, "%PDF-1.", 7);
    assert_true(holds(bytes, size, "/FontFile"));
    assert_true(holds(bytes, size, "/MediaBox [ 0 0 360 241.5 ]"));
    free(bytes);
}

static void an_svg_needs_no_fonts(void **state)
{
    int64_t size;
    unsigned char *bytes = write_twice(&size, ".svg");

    (void)state;
    assert_memory_equal(bytes, "<?xml", 5);
    assert_true(holds(bytes, size, "width=\"360pt\" height=\"241.5pt\""));
    assert_false(holds(bytes, size, "<text"));
    assert_false(holds(bytes, size, "font-family"));
    assert_false(holds(bytes, size, "b & ")); /* no letter of ours is left to be escaped */
    assert_memory_equal(bytes + size - 7, "</svg>\n", 7);
    free(bytes);
}

static int64_t big_endian(const unsigned char *bytes)
{
    return (int64_t)bytes[0] << 24 | (int64_t)bytes[1] << 16 | (int64_t)bytes[2] << 8 | bytes[3];
}

static void a_png_has_two_pixels_a_point(void **state)
{
    int64_t size;
    unsigned char *bytes = write_twice(&size, ".png");

    (void)state;
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(big_endian(bytes + 16), 720);
    assert_int_equal(big_endian(bytes + 20), 483);
    free(bytes);
}

static void the_svg_in_memory_is_the_file(void **state)
{
    struct trop_figure *figure = figure_of(360.0, 241.5);
    int64_t size, length;
    char *text = NULL;
    unsigned char *bytes = write_twice(&size, ".svg");

    (void)state;
    fill(figure);
    assert_ok(trop_figure_svg(&text, &length, figure));
    assert_int_equal(length, size);
    assert_memory_equal(text, bytes, (size_t)size + 1); /* with the zero */
    trop_alloc_free(text);
    free(bytes);
    trop_figure_free(figure);
}

/* ---- places -------------------------------------------------------------------------------- */

static int covers(const struct trop_panel *panel, double x, double y)
{
    const struct trop_panel_box *box = &panel->legend;
    double px = trop_panel_at_x(panel, x);
    double py = trop_panel_at_y(panel, y);

    return px > box->left && px < box->left + box->width && py > box->top &&
           py < box->top + box->height;
}

/* Points along every segment, closer together than a point of paper. */
static int covers_line(const struct trop_panel *panel, const double *x, const double *y,
                       int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        for (int64_t j = 0; j <= 500; j++) {
            double t = (double)j / 500.0;
            if (covers(panel, x[k - 1] + t * (x[k] - x[k - 1]), y[k - 1] + t * (y[k] - y[k - 1]))) {
                return 1;
            }
        }
    }
    return 0;
}

static void legends_cover_no_data(void **state)
{
    int64_t outside = 0;
    int64_t total = cases(60, 500);

    (void)state;
    for (int64_t k = 0; k < total; k++) {
        uint64_t seed = 100 + (uint64_t)k;
        struct trop_figure *figure = figure_of(300.0, 200.0);
        struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
        double x[300], y[300], u[10], v[10];
        char *text = NULL;
        int64_t size = 0;

        normals(x, 300, seed);
        normals(y, 300, seed + 1000);
        normals(u, 10, seed + 2000);
        normals(v, 10, seed + 3000);
        int64_t dots = 1 + whole(seed, 1, k % 2 ? 40 : 300);
        int64_t corners = 2 + whole(seed, 2, 4);
        trop_panel_dots(panel, x, y, dots, (struct trop_dot){ 0 }, "some dots");
        trop_panel_line(panel, u, v, corners, (struct trop_pen){ .colour = 1 }, "a line");
        assert_ok(trop_figure_svg(&text, &size, figure));
        trop_alloc_free(text);
        assert_true(panel->legend.width > 0.0);
        for (int64_t j = 0; j < dots; j++) {
            assert_false(covers(panel, x[j], y[j]));
        }
        assert_false(covers_line(panel, u, v, corners));
        assert_true(panel->legend.left >= 0.0 && panel->legend.top >= 0.0);
        assert_true(panel->legend.left + panel->legend.width <= 300.0);
        assert_true(panel->legend.top + panel->legend.height <= 200.0);
        outside += panel->outside != TROP_PANEL_INSIDE;
        trop_figure_free(figure);
    }
    /* The samples are such that both happen. */
    assert_true(outside > 0 && outside < total);
}

static void equal_units_are_equally_long(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 40; k++) {
        struct trop_figure *figure = figure_of(150.0 + 300.0 * uniform(1, k), 200.0);
        struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
        double x[5], y[5];
        char *text = NULL;
        int64_t size = 0;
        normals(x, 5, 50 + k);
        normals(y, 5, 90 + k);
        trop_panel_equal(panel);
        trop_panel_dots(panel, x, y, 5, (struct trop_dot){ 0 }, NULL);
        trop_panel_text(panel, x[0], y[0], "a place", 1, 1, TROP_COLOUR_BLACK);
        assert_ok(trop_figure_svg(&text, &size, figure));
        trop_alloc_free(text);
        double right = trop_panel_at_x(panel, 1.0) - trop_panel_at_x(panel, 0.0);
        double up = trop_panel_at_y(panel, 0.0) - trop_panel_at_y(panel, 1.0);
        assert_near(right / up, 1.0, 1e-9);
        for (int j = 0; j < 5; j++) {
            assert_true(trop_panel_at_x(panel, x[j]) >= panel->box.left);
            assert_true(trop_panel_at_y(panel, y[j]) >= panel->box.top);
        }
        trop_figure_free(figure);
    }
}

/* ---- extremes ---- */

static void nothing_is_too_odd_to_be_drawn(void **state)
{
    static const double sets[][3] = {
        { NAN, NAN, NAN },          { INFINITY, -INFINITY, NAN }, { 0.0, 0.0, 0.0 },
        { 1e308, -1e308, 1.7e308 }, { 5e-324, 0.0, 1e-323 },      { 1.0, 1.0 + 0x1p-52, 1.0 },
        { -1.0, -2.0, -3.0 },       { 1e-300, 1.0, 1e300 },
    };
    int64_t count = (int64_t)(sizeof sets / sizeof *sets);

    (void)state;
    for (int64_t k = 0; k < count * count * 4; k++) {
        struct trop_figure *figure = figure_of(200.0, 150.0);
        struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
        const double *x = sets[k % count];
        const double *y = sets[k / count % count];
        char *text = NULL;
        int64_t size = 0;
        trop_panel_x(panel, "x", k / count / count % 2);
        trop_panel_y(panel, "y", k / count / count / 2);
        trop_panel_line(panel, x, y, 3, trop_figure_pen(0), "line");
        trop_panel_stairs(panel, x, y, 3, trop_figure_pen(0), "stairs");
        trop_panel_dots(panel, x, y, 3, trop_figure_dot(1), "dots");
        trop_panel_errors(panel, x, y, x, 3, trop_figure_pen(0));
        trop_panel_polygon(panel, x, y, 3, 1, 0.5, trop_figure_pen(1), NULL);
        trop_panel_ray(panel, x[0], y[0], x[1], y[1], trop_figure_pen(1), NULL);
        trop_panel_arrow(panel, x[0], y[0], x[1], y[1], trop_figure_pen(1));
        trop_panel_contours(panel, x, 3, 1, 0.0, 1.0, 0.0, 1.0, 3, trop_figure_pen(1));
        trop_panel_image(panel, x, 3, 1, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, "");
        trop_panel_line(panel, NULL, NULL, 0, trop_figure_pen(1), "");
        trop_panel_text(panel, x[0], y[0], "\xff", 0, 0, 3);
        assert_ok(trop_figure_svg(&text, &size, figure));
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        trop_alloc_free(text);
        trop_figure_free(figure);
    }
}

/* ---- refusals ---- */

static void expect_refusal(struct trop_figure *figure, const char *path, const char *word)
{
    assert_int_equal(trop_figure_write(figure, path), TROP_ERR_ARG);
    assert_non_null(strstr(trop_error(), word));
    trop_figure_free(figure);
}

static void mistakes_are_told_when_the_figure_is_written(void **state)
{
    struct trop_figure *figure = NULL;
    const char *path = scratch("refused.svg");

    (void)state;
    assert_int_equal(trop_figure_create(&figure, NAN, 100.0), TROP_ERR_ARG);
    assert_int_equal(trop_figure_create(&figure, 100.0, 1e9), TROP_ERR_ARG);
    expect_refusal(figure_of(100.0, 100.0), "picture.jpeg", ".pdf, .svg or .png");
    expect_refusal(figure_of(100.0, 100.0), ".png", ".pdf, .svg or .png");
    figure = figure_of(100.0, 100.0);
    trop_panel_title(trop_figure_panel(figure, 1, 0), "nowhere");
    expect_refusal(figure, path, "grid");
    figure = figure_of(100.0, 100.0);
    trop_figure_panel(figure, 0, 0);
    trop_figure_grid(figure, 2, 2);
    expect_refusal(figure, path, "before the first panel");
    figure = figure_of(100.0, 100.0);
    trop_panel_range_x(trop_figure_panel(figure, 0, 0), 1.0, 1.0);
    expect_refusal(figure, path, "range of an axis");
    figure = figure_of(100.0, 100.0);
    trop_panel_range_x(trop_figure_panel(figure, 0, 0), 0.0, 1.0);
    trop_panel_x(trop_figure_panel(figure, 0, 0), "x", TROP_SCALE_LOG);
    expect_refusal(figure, path, "logarithmic");
    figure = figure_of(100.0, 100.0);
    trop_panel_line(trop_figure_panel(figure, 0, 0), NULL, NULL, -1, trop_figure_pen(0), NULL);
    expect_refusal(figure, path, "count of points");
    figure = figure_of(100.0, 100.0);
    trop_panel_image(trop_figure_panel(figure, 0, 0), &(double){ 1.0 }, 1, 1, 0.0, 0.0, 0.0, 1.0,
                     0.0, 0.0, NULL);
    expect_refusal(figure, path, "rectangle");
    figure = figure_of(100.0, 100.0);
    assert_int_equal(trop_figure_write(figure, "/no/such/folder/a.svg"), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "/no/such/folder/a.svg"));
    /* A name that is taken by a folder: what was written beside it goes. */
    path = scratch("folder.svg");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(trop_figure_write(figure, path), TROP_ERR_IO);
    assert_int_equal(rmdir(path), 0);
    trop_figure_free(figure);
    assert_int_equal(scratch_count(), 0);
}

static enum trop_status attempt(void)
{
    struct trop_figure *figure = NULL;
    enum trop_status status = trop_figure_create(&figure, 300.0, 200.0);
    const char *path = scratch("memory.svg");

    if (status != TROP_OK) {
        return status;
    }
    fill(figure);
    status = trop_figure_write(figure, path);
    trop_figure_free(figure);
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
        cmocka_unit_test(a_pdf_embeds_its_fonts),
        cmocka_unit_test(an_svg_needs_no_fonts),
        cmocka_unit_test(a_png_has_two_pixels_a_point),
        cmocka_unit_test(the_svg_in_memory_is_the_file),
        cmocka_unit_test(legends_cover_no_data),
        cmocka_unit_test(equal_units_are_equally_long),
        cmocka_unit_test(nothing_is_too_odd_to_be_drawn),
        cmocka_unit_test(mistakes_are_told_when_the_figure_is_written),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
