/* test_draw.c -- the parts of a drawing: ticks, colours, contours, fewer colours. */
#include "support.h"

#include "base/alloc.h"
#include "draw/contour.h"
#include "draw/figure.h"
#include "draw/palette.h"
#include "draw/panel.h"
#include "draw/quantise.h"
#include "draw/text.h"
#include "draw/ticks.h"
#include "draw_support.h"

/* ---- ticks ---- */

static void expect_ticks(const struct trop_ticks *ticks, const char *const *texts, int64_t count)
{
    assert_int_equal(ticks->count, count);
    for (int64_t k = 0; k < count; k++) {
        assert_string_equal(ticks->text[k], texts[k]);
    }
}

#define EXPECT(...) \
    do { \
        const char *const texts[] = { __VA_ARGS__ }; \
        expect_ticks(&ticks, texts, (int64_t)(sizeof texts / sizeof *texts)); \
    } while (0)

static void linear_ticks_are_round_numbers(void **state)
{
    struct trop_ticks ticks;

    (void)state;
    trop_ticks_linear(&ticks, 0.0, 1.0, 6, 0);
    EXPECT("0.0", "0.2", "0.4", "0.6", "0.8", "1.0");
    trop_ticks_linear(&ticks, -0.1, 1.2, 3, 0);
    EXPECT("0.0", "0.5", "1.0");
    trop_ticks_linear(&ticks, -7.0, 12.0, 5, 0);
    EXPECT("−5", "0", "5", "10");
    trop_ticks_linear(&ticks, 0.0, 123456.0, 4, 0);
    EXPECT("0", "50000", "100000");
    trop_ticks_linear(&ticks, 0.0, 4.1e-6, 5, 0);
    EXPECT("0", "10⁻⁶", "2×10⁻⁶", "3×10⁻⁶", "4×10⁻⁶");
    trop_ticks_linear(&ticks, -2e12, 1e12, 7, 0);
    EXPECT("−2×10¹²", "−1.5×10¹²", "−10¹²", "−5×10¹¹", "0", "5×10¹¹", "10¹²");
    trop_ticks_linear(&ticks, 0.0, 0.004, 5, 0);
    EXPECT("0.000", "0.001", "0.002", "0.003", "0.004");
    trop_ticks_linear(&ticks, 0.2, 3.4, 9, 1);
    EXPECT("1", "2", "3");
}

static void logarithmic_ticks_are_powers_of_ten(void **state)
{
    struct trop_ticks ticks;

    (void)state;
    trop_ticks_log(&ticks, 1e-2, 1e2, 9, 0);
    EXPECT("0.01", "0.1", "1", "10", "100");
    assert_int_equal(ticks.minors, 4 * 8); /* 2 to 9 in each of four decades */
    trop_ticks_log(&ticks, 5e-9, 2e-5, 9, 0);
    EXPECT("10⁻⁸", "10⁻⁷", "10⁻⁶", "10⁻⁵");
    trop_ticks_log(&ticks, 1e-300, 1e300, 7, 0);
    EXPECT("10⁻³⁰⁰", "10⁻²⁰⁰", "10⁻¹⁰⁰", "10⁰", "10¹⁰⁰", "10²⁰⁰", "10³⁰⁰");
    trop_ticks_log(&ticks, 1e-40, 1.0, 6, 0);
    EXPECT("10⁻⁴⁰", "10⁻³⁰", "10⁻²⁰", "10⁻¹⁰", "10⁰");
    assert_int_equal(ticks.minors, 4 * 4); /* every second power between them */
    trop_ticks_log(&ticks, 1.5, 8.0, 9, 0);
    EXPECT("2", "5");
    trop_ticks_log(&ticks, 0.4, 6.0, 9, 0);
    EXPECT("0.5", "1", "2", "5");
    trop_ticks_log(&ticks, 2.1, 4.3, 9, 0); /* no 1, 2 or 5 */
    EXPECT("2.5", "3.0", "3.5", "4.0");
    /* of counts */
    trop_ticks_log(&ticks, 0.8, 12.0, 9, 1);
    EXPECT("1", "10");
    assert_int_equal(ticks.minors, 8); /* 2 to 9 */
    trop_ticks_log(&ticks, 0.4, 6.0, 9, 1);
    EXPECT("1", "2", "5");
    trop_ticks_log(&ticks, 2.1, 4.3, 9, 1);
    EXPECT("3", "4");
    trop_ticks_log(&ticks, 0.7, 1.4, 9, 1);
    EXPECT("1");
}

/* The number that a text says: −1.5×10⁻⁶ is -1.5e-6, and 10⁻⁶ is 1e-6. */
static double said(const char *text)
{
    static const char *const raised[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
    char plain[64] = "";
    const char *ten = strstr(text, "10");
    const char *times = strstr(text, "×");

    for (const char *c = text; *c;) {
        size_t length = strlen(plain);
        if (times && c == times) {
            c += strlen("×") + 2; /* and the 10 */
            strcat(plain, "e");
        } else if (!times && ten && c == ten && (unsigned char)c[2] >= 0x80) {
            c += 2;
            strcat(plain, "1e");
        } else if (strncmp(c, "−", 3) == 0 || strncmp(c, "⁻", 3) == 0) {
            c += 3;
            strcat(plain, "-");
        } else if ((unsigned char)*c < 0x80) {
            plain[length] = *c++;
            plain[length + 1] = 0;
        } else {
            int digit = 0;
            while (strncmp(c, raised[digit], strlen(raised[digit])) != 0) {
                digit++;
                assert_true(digit < 10);
            }
            c += strlen(raised[digit]);
            plain[length] = (char)('0' + digit);
            plain[length + 1] = 0;
        }
    }
    return strtod(plain, NULL);
}

/* Every tick lies in the range, they ascend, and each text reads back as its place. */
static void ticks_say_where_they_are(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 3000; k++) {
        double size = pow(10.0, 600.0 * uniform(1, k) - 300.0);
        double low = size * normal(2, k);
        double high = low + size * pow(10.0, -8.0 * uniform(3, k)) * (0.1 + uniform(4, k));
        struct trop_ticks ticks;
        if (!(low < high) || !isfinite(high)) {
            continue;
        }
        int64_t most = 2 + whole(5, k, 9);
        trop_ticks_linear(&ticks, low, high, most, 0);
        assert_true(ticks.count >= 1 && ticks.count <= most);
        for (int64_t j = 0; j < ticks.count; j++) {
            /* fit() lets a multiple of 1e-9 steps beyond the end pass. */
            double slack = 1e-8 * (high - low);
            assert_true(ticks.at[j] >= low - slack && ticks.at[j] <= high + slack);
            assert_true(j == 0 || ticks.at[j] > ticks.at[j - 1]);
            /* A power beyond 10^22 and the product with it are rounded: two half ulps. */
            assert_near(said(ticks.text[j]), ticks.at[j], 0x1p-51 * fabs(ticks.at[j]));
        }
    }
}

static void extreme_ranges_have_ticks(void **state)
{
    static const double ranges[][2] = { { -1.7e308, 1.7e308 }, { 0.0, 5e-324 },
                                        { 1e16, 1e16 + 4.0 },  { 1.0, 1.0 + 0x1p-52 },
                                        { -1e-310, 1e-310 },   { 1e308, 1.7e308 } };
    struct trop_ticks ticks;

    (void)state;
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        trop_ticks_linear(&ticks, ranges[k][0], ranges[k][1], 6, 0);
        assert_true(ticks.count >= 1 && ticks.count <= 6);
        for (int64_t j = 0; j < ticks.count; j++) {
            assert_true(isfinite(ticks.at[j]));
        }
    }
    trop_ticks_log(&ticks, 5e-324, 1.7e308, 9, 0);
    assert_true(ticks.count >= 2);
}

/* Texts of an axis never touch, measured with the font. */
static void tick_texts_stand_clear(void **state)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 4, 4);
    cairo_t *cairo = cairo_create(surface);

    (void)state;
    trop_text_begin(cairo);
    for (uint64_t k = 0; k < 2000; k++) {
        double size = pow(10.0, 24.0 * uniform(11, k) - 12.0);
        struct trop_panel_axis axis = { .scale = whole(12, k, 2) };
        double length = 20.0 + 400.0 * uniform(13, k);
        double low = size * normal(14, k);
        axis.from = axis.scale == TROP_SCALE_LOG ? fabs(low) : low;
        axis.to = axis.scale == TROP_SCALE_LOG ? axis.from * pow(10.0, 30.0 * uniform(15, k)) + size
                                               : low + size * uniform(15, k);
        axis.start = trop_panel_scaled(&axis, axis.from);
        axis.end = trop_panel_scaled(&axis, axis.to);
        trop_panel_choose(cairo, &axis, length, 8.0, 1, 0);
        double right = -INFINITY;
        /* The longest texts, such as −1.25×10⁻¹², take 50 points. */
        assert_true(axis.ticks.count >= (length > 200.0 && axis.to > axis.from * 1.1 ? 2 : 1));
        for (int64_t j = 0; j < axis.ticks.count; j++) {
            double at = (trop_panel_scaled(&axis, axis.ticks.at[j]) - axis.start) /
                        (axis.end - axis.start) * length;
            double half = 0.5 * trop_text_width(cairo, axis.ticks.text[j], 8.0);
            assert_true(at - half > right + 2.0); /* points of white */
            right = at + half;
        }
    }
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
}

/* Marks are ticks while their texts have room; round numbers are then. */
static void marks_are_ticks_where_there_is_room(void **state)
{
    static const char *const texts[] = { "0.5", "2", "8", "32" };
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 4, 4);
    cairo_t *cairo = cairo_create(surface);
    struct trop_panel_axis axis = {
        .scale = TROP_SCALE_LOG, .from = 0.25, .to = 64, .marks = { 0.5, 2, 8, 32 }, .marked = 4
    };

    (void)state;
    trop_text_begin(cairo);
    axis.start = trop_panel_scaled(&axis, axis.from);
    axis.end = trop_panel_scaled(&axis, axis.to);
    trop_panel_choose(cairo, &axis, 200.0, 8.0, 1, 0);
    expect_ticks(&axis.ticks, texts, 4);
    trop_panel_choose(cairo, &axis, 20.0, 8.0, 1, 0);
    assert_true(axis.ticks.count < 4);
    axis.marks[3] = 128; /* out of sight */
    trop_panel_choose(cairo, &axis, 200.0, 8.0, 1, 0);
    assert_string_equal(axis.ticks.text[0], "1");
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
}

/* ---- colours ------------------------------------------------------------------------------- */

static void lines_differ_in_grey(void **state)
{
    (void)state;
    for (int64_t j = 0; j < TROP_PALETTE_COUNT; j++) {
        double a = trop_palette_lightness(trop_palette_colour(j));
        assert_true(a > 25.0 && a < 80.0);
        for (int64_t k = 0; k < j; k++) {
            double b = trop_palette_lightness(trop_palette_colour(k));
            assert_true(fabs(a - b) >= (j - k == 1 || j - k == TROP_PALETTE_COUNT - 1 ? 8.0 : 4.0));
        }
    }
    /* Published values: L* of sRGB red is 53.24, of green 87.73, of blue 32.30. */
    assert_near(trop_palette_lightness((struct trop_palette_rgb){ 1, 0, 0 }), 53.24, 0.01);
    assert_near(trop_palette_lightness((struct trop_palette_rgb){ 0, 1, 0 }), 87.73, 0.01);
    assert_near(trop_palette_lightness((struct trop_palette_rgb){ 0, 0, 1 }), 32.30, 0.01);
}

static void the_map_grows_lighter_throughout(void **state)
{
    double last = -1.0;

    (void)state;
    for (int64_t k = 0; k <= 1000; k++) {
        double now = trop_palette_lightness(trop_palette_map((double)k / 1000.0));
        assert_true(now > last);
        last = now;
    }
    assert_true(last > 90.0);
    assert_true(trop_palette_lightness(trop_palette_map(0.0)) < 16.0);
    assert_near(trop_palette_map(NAN).red, trop_palette_map(0.0).red, 0.0);
    assert_near(trop_palette_map(7.0).red, trop_palette_map(1.0).red, 0.0);
}

/* ---- contours ---- */

struct seen {
    double first[2], last[2], worst, turned, step;
    double level;
    int64_t starts, points;
};

#define SIDE 41

static void on_circle(void *context, double u, double v, int start)
{
    struct seen *seen = context;
    double x = (u - 20.0) * seen->step;
    double y = (v - 20.0) * seen->step;

    seen->worst = fmax(seen->worst, fabs(x * x + y * y - seen->level));
    if (start) {
        seen->starts++;
        seen->first[0] = x;
        seen->first[1] = y;
    } else {
        seen->turned +=
            atan2(seen->last[0] * y - seen->last[1] * x, seen->last[0] * x + seen->last[1] * y);
    }
    seen->last[0] = x;
    seen->last[1] = y;
    seen->points++;
}

static void contours_of_a_bowl_are_circles(void **state)
{
    static double values[SIDE * SIDE];
    const double step = 0.1;

    (void)state;
    for (int64_t k = 0; k < SIDE * SIDE; k++) {
        double x = ((double)(k % SIDE) - 20.0) * step;
        double y = ((double)(k / SIDE) - 20.0) * step;
        values[k] = x * x + y * y;
    }
    for (int64_t k = 1; k < 30; k++) {
        struct seen seen = { .step = step, .level = 0.123 * (double)k };
        assert_ok(trop_contour(values, SIDE, SIDE, seen.level, on_circle, &seen));
        /* x^2 is off its chord by at most h^2 / 4. */
        assert_true(seen.worst <= 0.25 * step * step + 1e-12);
        assert_int_equal(seen.starts, 1);
        assert_true(seen.points > 10);
        assert_near(seen.first[0], seen.last[0], 1e-12);
        assert_near(seen.first[1], seen.last[1], 1e-12);
        assert_near(fabs(seen.turned), 2.0 * 3.14159265358979, 1e-9);
    }
}

struct pieces {
    double at[8][2];
    int64_t count, starts;
};

static void collect(void *context, double u, double v, int start)
{
    struct pieces *pieces = context;

    assert_true(pieces->count < 8);
    pieces->at[pieces->count][0] = u;
    pieces->at[pieces->count++][1] = v;
    pieces->starts += start;
}

/* Above the mean of the corners the two low corners are one region, below it the high ones. */
static void a_saddle_is_cut_by_its_middle(void **state)
{
    const double values[4] = { 1.0, 0.0, 0.0, 1.0 }; /* high at (0, 0) and (1, 1) */

    (void)state;
    for (int high = 0; high < 2; high++) {
        struct pieces pieces = { 0 };
        assert_ok(trop_contour(values, 2, 2, high ? 0.6 : 0.4, collect, &pieces));
        assert_int_equal(pieces.starts, 2);
        assert_int_equal(pieces.count, 4);
        for (int64_t k = 0; k < 4; k += 2) {
            double u = 0.5 * (pieces.at[k][0] + pieces.at[k + 1][0]);
            double v = 0.5 * (pieces.at[k][1] + pieces.at[k + 1][1]);
            /* The line stands before a corner of its diagonal: u = v, or u + v = 1. */
            assert_near(high ? u - v : u + v - 1.0, 0.0, 1e-15);
        }
    }
}

static void contours_keep_out_of_what_is_not_a_number(void **state)
{
    double values[9] = { 0, 1, 2, 0, NAN, 2, 0, 1, 2 };
    struct pieces pieces = { 0 };

    (void)state;
    assert_ok(trop_contour(values, 3, 3, 0.5, collect, &pieces));
    assert_int_equal(pieces.count, 0); /* all four squares touch the middle */
}

/* ---- fewer colours ------------------------------------------------------------------------- */

static void few_colours_are_kept(void **state)
{
    static uint32_t pixels[5000];
    static unsigned char index[5000];
    struct trop_quantise_palette palette;

    (void)state;
    for (int64_t k = 0; k < 5000; k++) {
        pixels[k] =
            (uint32_t)(trop_rng_bits(3, TROP_RNG_TEST, (uint64_t)whole(4, (uint64_t)k, 256), 7) &
                       0xffffff);
    }
    assert_ok(trop_quantise(&palette, index, pixels, 5000));
    assert_int_equal(palette.count, 256);
    for (int64_t k = 0; k < 5000; k++) {
        const unsigned char *c = palette.rgb[index[k]];
        assert_int_equal((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2], pixels[k]);
    }
}

static void flat_areas_stay_and_the_rest_is_near(void **state)
{
    enum { COUNT = 60000 };
    static uint32_t pixels[COUNT];
    static unsigned char index[COUNT];
    struct trop_quantise_palette palette;

    (void)state;
    for (int64_t k = 0; k < COUNT; k++) {
        /* Half of them a hundred flat colours, hardly different, the rest 64 x 64 shades. */
        pixels[k] = k % 2 ? 0x007200 + (uint32_t)(k / 2 % 100)
                          : (uint32_t)(whole(5, (uint64_t)k, 64) * 4) << 16 |
                                (uint32_t)(whole(6, (uint64_t)k, 64) * 4);
    }
    assert_ok(trop_quantise(&palette, index, pixels, COUNT));
    assert_true(palette.count <= 256);
    for (int64_t k = 0; k < COUNT; k++) {
        const unsigned char *c = palette.rgb[index[k]];
        if (k % 2) {
            assert_int_equal((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2], pixels[k]);
        } else {
            /* 128 boxes on 256 x 256: sides of 16 or 32, and a mean that is at most one side away;
             * where weights are uneven a box may be twice as long as its neighbours. */
            assert_true(labs((long)c[0] - (long)(pixels[k] >> 16 & 255)) <= 32);
            assert_true(labs((long)c[2] - (long)(pixels[k] & 255)) <= 32);
        }
    }
}

/* ---- texts --------------------------------------------------------------------------------- */

static void copies_are_valid_utf8(void **state)
{
    static const char *const cases[][2] = {
        { "β = 4, x₁²", "β = 4, x₁²" },
        { "a\nb\tc\x7f", "a b c " },
        { "\xff\xfe ok", "?? ok" },
        { "cut \xce", "cut ?" },
        { "\xc0\xaf", "??" },
        { "\xe0\x80\xaf", "???" },
        { "\xed\xa0\x80", "???" },
        { "\xf4\x90\x80\x80", "????" },
        { "\xf0\x9d\x94\xbc", "\xf0\x9d\x94\xbc" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char *copy = trop_text_copy(cases[k][0]);
        assert_string_equal(copy, cases[k][1]);
        trop_alloc_free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_ticks_are_round_numbers),
        cmocka_unit_test(logarithmic_ticks_are_powers_of_ten),
        cmocka_unit_test(ticks_say_where_they_are),
        cmocka_unit_test(extreme_ranges_have_ticks),
        cmocka_unit_test(tick_texts_stand_clear),
        cmocka_unit_test(marks_are_ticks_where_there_is_room),
        cmocka_unit_test(lines_differ_in_grey),
        cmocka_unit_test(the_map_grows_lighter_throughout),
        cmocka_unit_test(contours_of_a_bowl_are_circles),
        cmocka_unit_test(a_saddle_is_cut_by_its_middle),
        cmocka_unit_test(contours_keep_out_of_what_is_not_a_number),
        cmocka_unit_test(few_colours_are_kept),
        cmocka_unit_test(flat_areas_stay_and_the_rest_is_near),
        cmocka_unit_test(copies_are_valid_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
