/* test_draw_passage.c -- texts whose words are shaded: shades, lines, what is cut, and files.
 *
 * Places are read off the SVG, which says of every word where it begins and how long it is.
 */
#include "support.h"

#include "alloc_failing.c"
#include "draw/palette.h"
#include "draw_support.h"
#include "scratch.h"

#define LONG 60

/* ---- reading a picture ---- */

struct word {
    double x, y, width;
    char text[64];
};

static int64_t read_words(struct word *out, int64_t room, const char *svg)
{
    int64_t count = 0;

    for (const char *at = strstr(svg, "<text "); at; at = strstr(at + 1, "<text ")) {
        struct word *word = out + count++;
        assert_true(count <= room);
        assert_int_equal(sscanf(at, "<text x=\"%lf\" y=\"%lf\" textLength=\"%lf\"", &word->x,
                                &word->y, &word->width),
                         3);
        const char *begin = strchr(at, '>') + 1;
        const char *title = strncmp(begin, "<title>", 7) == 0 ? strstr(begin, "</title>") : NULL;
        begin = title ? title + 8 : begin;
        snprintf(word->text, sizeof word->text, "%.*s", (int)strcspn(begin, "<"), begin);
    }
    return count;
}

static char *svg_of(struct trop_figure *figure)
{
    char *svg = NULL;
    int64_t size = 0;

    assert_ok(trop_figure_svg(&svg, &size, figure));
    return svg;
}

/* ---- texts ---- */

static char many[LONG * 8];
static double equal[LONG];

static struct trop_passage_text words_of(int64_t count)
{
    many[0] = '\0';
    for (int64_t k = 0; k < count; k++) {
        snprintf(many + strlen(many), sizeof many - strlen(many), "%sw%lld", k > 0 ? " " : "",
                 (long long)k);
        equal[k] = 1 / (double)count;
    }
    return (struct trop_passage_text){ "good", "predicted good", 0, many, equal, count };
}

static void shades_are_logarithms_from_an_equal_share_on(void **state)
{
    const struct trop_palette_rgb blue = trop_palette_colour(0);
    double rgb[3];

    (void)state;
    for (int k = 0; k < 3; k++) { /* white below and at an equal share, and where there is none */
        trop_passage_colour(rgb, (double[]){ 0, 1, NAN }[k]);
        assert_true(rgb[0] == 1 && rgb[1] == 1 && rgb[2] == 1);
    }
    assert_int_equal(trop_passage_colour(rgb, 1), 0);
    for (int power = 1; power <= 3; power++) { /* 2, 4, 8: a third, two thirds, all of the way */
        trop_passage_colour(rgb, (double)(1 << power));
        assert_near(rgb[0], 1 + power / 3. * (blue.red - 1), 1e-15);
        assert_near(rgb[2], 1 + power / 3. * (blue.blue - 1), 1e-15);
    }
    assert_int_equal(trop_passage_colour(rgb, 1e300), 1);
    assert_near(rgb[0], blue.red, 1e-15);
}

static void lines_break_where_the_width_ends(void **state)
{
    const struct trop_passage_text text = words_of(LONG);
    struct word words[LONG + 20];

    (void)state;
    for (double width = 150; width <= 600; width += 75) {
        struct trop_figure *figure = figure_of(width, 100);
        assert_ok(trop_figure_passage(figure, &text, 1, 100, 1));
        char *svg = svg_of(figure);
        const int64_t count = read_words(words, LONG + 20, svg);
        assert_int_equal(count, LONG + 2 + 5); /* with class and prediction, and the legend */
        int64_t breaks = 0;
        for (int64_t k = 2; k < LONG + 2; k++) {
            char name[16];
            snprintf(name, sizeof name, "w%lld", (long long)k - 2);
            assert_string_equal(words[k].text, name);
            assert_true(words[k].x + words[k].width <= width - 8 + 1e-2);
            if (k > 2 && words[k].y > words[k - 1].y) {
                /* It had no room on the line before. */
                assert_near(words[k].x, words[2].x, 1e-2);
                assert_true(words[k - 1].x + words[k - 1].width + 3 + words[k].width > width - 8);
                breaks++;
            } else if (k > 2) {
                assert_true(words[k].x > words[k - 1].x + words[k - 1].width);
            }
        }
        assert_true(breaks >= 2);
        trop_alloc_free(svg);
        trop_figure_free(figure);
    }
}

/* Commas stand at their words, and begin no line. */
static void marks_belong_to_their_words(void **state)
{
    static const double weight[12] = { 1 };
    const struct trop_passage_text text = { "a",    "b", 0, "one , two ( three ) four . five , six",
                                            weight, 11 };
    struct word words[40];

    (void)state;
    for (double width = 90; width <= 300; width += 7) {
        struct trop_figure *figure = figure_of(width, 100);
        assert_ok(trop_figure_passage(figure, &text, 1, 100, 1));
        char *svg = svg_of(figure);
        const int64_t count = read_words(words, 40, svg);
        for (int64_t k = 3; k < count && words[k].text[0] != 'a'; k++) {
            const int glued = strchr(",).", words[k].text[0]) || words[k - 1].text[0] == '(';
            if (words[k].text[0] && glued) {
                assert_near(words[k].y, words[k - 1].y, 1e-9);
                assert_near(words[k].x - words[k - 1].x - words[k - 1].width, 1.3, 0.02);
            }
        }
        trop_alloc_free(svg);
        trop_figure_free(figure);
    }
    assert_true(trop_passage_is_glued("study", 5, ",", 1));
    assert_true(trop_passage_is_glued("(", 1, "so", 2));
    assert_false(trop_passage_is_glued("study", 5, "(", 1));
    assert_false(trop_passage_is_glued(NULL, 0, "word", 4));
}

static void long_texts_are_cut_with_dots(void **state)
{
    const struct trop_passage_text text = words_of(LONG);
    struct word words[LONG + 20];
    struct trop_figure *figure = figure_of(200, 100);

    (void)state;
    assert_ok(trop_figure_passage(figure, &text, 1, 2, 1));
    char *svg = svg_of(figure);
    const int64_t count = read_words(words, LONG + 20, svg);
    const struct word *dots = words + count - 6; /* before the legend */
    assert_string_equal(dots->text, "...");
    assert_near(dots->y - words[2].y, 15, 1e-9); /* on the second line */
    assert_true(dots->x + dots->width <= 192.01);
    trop_alloc_free(svg);
    trop_figure_free(figure);
}

/* A height that is said is kept: lines go, then texts; else the figure becomes as high as needed.
 */
static void a_figure_grows_or_leaves_out(void **state)
{
    const struct trop_passage_text text = words_of(LONG);
    const struct trop_passage_text texts[3] = { text, text, text };
    double high = 0;

    (void)state;
    for (int grow = 1; grow >= 0; grow--) {
        struct word words[4 * LONG];
        struct trop_figure *figure = figure_of(300, 130);
        assert_ok(trop_figure_passage(figure, texts, 3, 8, grow));
        char *svg = svg_of(figure);
        const int64_t count = read_words(words, 4 * LONG, svg);
        assert_int_equal(sscanf(strstr(svg, "height=\""), "height=\"%lfpt\"", &high), 1);
        if (grow) {
            assert_int_equal(count, 3 * (LONG + 2) + 5);
            assert_true(high > 200);
        } else {
            assert_near(high, 130, 0);
            assert_true(count < 3 * LONG);
        }
        assert_true(words[count - 1].y < high);
        trop_alloc_free(svg);
        trop_figure_free(figure);
    }
}

static void a_word_without_room_is_shortened(void **state)
{
    static char word[400];
    const double one = 1;
    struct word words[12];

    (void)state;
    for (int k = 0; k < 100; k++) {
        memcpy(word + 2 * k, "é", 3);
    }
    const struct trop_passage_text text = { "", "", 0, word, &one, 1 };
    struct trop_figure *figure = figure_of(200, 100);
    assert_ok(trop_figure_passage(figure, &text, 1, 8, 1));
    char *svg = svg_of(figure);
    read_words(words, 12, svg);
    assert_non_null(strstr(svg, "é...<"));
    assert_true(words[0].x + words[0].width <= 192.01);
    trop_alloc_free(svg);
    trop_figure_free(figure);
}

static void letters_are_escaped_and_every_format_is_written(void **state)
{
    static const double weight[] = { 0.7, 0.2, 0.1 };
    static const char *const names[] = { "p.svg", "p.pdf", "p.png" };
    static const char *const heads[] = { "<svg", "%PDF", "\x89PNG" };
    const struct trop_passage_text text = { "<class>", "a & b", 1, "<b> & \xff", weight, 3 };
    struct trop_figure *figure = figure_of(300, 100);

    (void)state;
    trop_figure_title(figure, "1 < 2");
    assert_ok(trop_figure_passage(figure, &text, 1, 8, 1));
    char *svg = svg_of(figure);
    assert_non_null(strstr(svg, ">&lt;class&gt;</text>"));
    assert_non_null(strstr(svg, ">a &amp; b</text>"));
    assert_non_null(strstr(svg, "<title>0.7, 2.1 of an equal share</title>&lt;b&gt;</text>"));
    assert_non_null(strstr(svg, ">1 &lt; 2</text>"));
    assert_non_null(strstr(svg, ">?</text>"));
    assert_null(strstr(svg, "<b>"));
    trop_alloc_free(svg);
    for (int k = 0; k < 3; k++) {
        char head[8] = "";
        assert_ok(trop_figure_write(figure, scratch(names[k])));
        FILE *file = fopen(scratch(names[k]), "rb");
        assert_non_null(file);
        assert_int_equal(fread(head, 1, 4, file), 4);
        assert_memory_equal(head, heads[k], 4);
        fclose(file);
        unlink(scratch(names[k]));
    }
    trop_figure_free(figure);
}

static enum trop_status draw_once(void)
{
    const struct trop_passage_text text = words_of(5);
    struct trop_figure *figure = NULL;
    char *svg = NULL;
    int64_t size = 0;
    enum trop_status status = trop_figure_create(&figure, 300, 100);

    if (status == TROP_OK) {
        status = trop_figure_passage(figure, &text, 1, 8, 1);
    }
    if (status == TROP_OK) {
        status = trop_figure_svg(&svg, &size, figure);
    }
    trop_alloc_free(svg);
    trop_figure_free(figure);
    return status;
}

static void no_memory_is_told(void **state)
{
    (void)state;
    alloc_refuse_each(draw_once);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shades_are_logarithms_from_an_equal_share_on),
        cmocka_unit_test(lines_break_where_the_width_ends),
        cmocka_unit_test(marks_belong_to_their_words),
        cmocka_unit_test(long_texts_are_cut_with_dots),
        cmocka_unit_test(a_figure_grows_or_leaves_out),
        cmocka_unit_test(a_word_without_room_is_shortened),
        cmocka_unit_test(letters_are_escaped_and_every_format_is_written),
        cmocka_unit_test(no_memory_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
