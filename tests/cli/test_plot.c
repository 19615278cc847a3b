/* test_plot.c -- pictures of results: every kind from the file that it draws, and what is refused.
 */
#include "support.h"

#include "program.h"

#include <gif_lib.h>

static void run(const char *words)
{
    if (tropism(words) != 0) {
        fail_msg("%s: %s", words, answer.err);
    }
}

static int make_files(void **state)
{
    (void)state;
    run("flow --n 12 --d 2 --rule localmax --epsilon .3 --gamma .3 --steps 9 --record tokens --out "
        "flow.h5");
    run("flow --n 7 --d 4 --rule softmax --beta 2 --gamma .5 --steps 5 --record tokens --out "
        "space.h5");
    run("flow --n 5 --d 1 --rule hardmax --gamma .5 --steps 5 --record tokens --out line.h5");
    run("flow --n 6 --d 2 --rule localmax --epsilon .1 --gamma .3 --until converged --out e1.h5");
    run("flow --n 6 --d 2 --rule localmax --epsilon 9 --gamma .3 --until converged --out e2.h5");
    run("flow --n 6 --d 2 --rule localmax --epsilon .1 --gamma .6 --until converged --out e3.h5");
    run("flow --n 6 --d 2 --rule localmax --epsilon .1 --gamma .3 --until converged --seed 2 --out "
        "e4.h5");
    run("flow --n 6 --d 2 --rule localmax --epsilons .1,9 --gamma .3 --until converged --copies 1 "
        "--out "
        "copies.h5");
    run("flow --n 6 --d 3 --rule softmax --beta 9 --gamma .1 --leap --steps inf --out leap.h5");
    run("cells --n 9 --d 2 --eta .05 --erode .03 --out cells.h5");
    run("cells --n 9 --d 2 --out plain.h5");
    run("train --data attsvm --steps 0 --out still.h5");
    run("escape --init polygon --n 3 --beta 2 --runs 40 --gamma .1 --radius .05 --out one.h5");
    run("escape --init polygon --n 3 --beta 2,3 --runs 40 --gamma .1 --radius .05 --out escape.h5");
    run("train --data mm-fig-1a --optimizer ngd --steps 50 --out train.h5");
    run("train --data attsvm --n 3 --T 4 --d 3 --steps 3000 --out cross.h5");
    run("train --data attsvm --steps 2 --out short.h5");
    run("path --data mm-fig-1a --radius 3,9 --out path.h5");
    return 0;
}

/* The first bytes of a file. */
static void head(unsigned char out[8], const char *name)
{
    FILE *file = fopen(scratch(name), "rb");

    assert_non_null(file);
    assert_int_equal(fread(out, 1, 8, file), 8);
    fclose(file);
}

/* Names are joined by commas inside the program, and may have their own. */
static void files_are_many_and_have_commas_in_their_names(void **state)
{
    char line[4096] = "plot";
    size_t used = strlen(line);

    (void)state;
    run("flow --n 4 --rule hardmax --gamma .5 --steps 1 --out a,b.h5");
    run("flow --n 4 --rule hardmax --gamma .5 --steps 1 --out ,c.h5");
    for (int k = 0; k < 65; k++) {
        used +=
            (size_t)snprintf(line + used, sizeof line - used, " %s", k % 2 ? ",c.h5" : "a,b.h5");
    }
    snprintf(line + used, sizeof line - used, " --kind clusters --against gamma --out many.svg");
    run(line);
    run("plot a,b.h5 --kind graph --out one.svg");
    assert_int_equal(tropism("plot a,b.h5 no.h5 --kind clusters --against gamma --out x.svg"), 1);
    assert_non_null(strstr(answer.err, "no.h5: No such file"));
    assert_int_equal(tropism("plot a,b.h5 a --kind clusters --against gamma --out x.svg"), 2);
    assert_non_null(strstr(answer.err, "file = a: must be a result"));
}

static void every_kind_draws_its_file(void **state)
{
    static const char *const plots[] = {
        "flow.h5",
        "paths",
        "space.h5",
        "paths",
        "line.h5",
        "paths",
        "cells.h5",
        "cells",
        "plain.h5",
        "cells",
        "flow.h5",
        "energy",
        "cells.h5",
        "energy",
        "flow.h5",
        "graph",
        "space.h5",
        "graph",
        "line.h5",
        "graph",
        "flow.h5",
        "attention",
        "e1.h5 e2.h5 --against epsilon",
        "clusters",
        "copies.h5 --against n",
        "clusters",
        "copies.h5",
        "clusters",
        "escape.h5",
        "survival",
        "one.h5",
        "survival",
        "leap.h5",
        "staircase",
        "train.h5",
        "training",
        "cross.h5",
        "training",
        "train.h5",
        "correlation",
        "train.h5 cross.h5",
        "bregman",
        "path.h5",
        "bregman",
        "train.h5",
        "loss",
        "path.h5",
        "loss",
        "train.h5",
        "norm",
        "train.h5 cross.h5",
        "outcomes",
        "cross.h5",
        "heat",
        "train.h5 --x history/step --y history/loss,history/saturation",
        "curve",
    };
    unsigned char first[8];

    (void)state;
    for (size_t k = 0; k < sizeof plots / sizeof plots[0]; k += 2) {
        char words[256];
        snprintf(words, sizeof words, "plot %s --kind %s --out out.png", plots[k], plots[k + 1]);
        remove(scratch("out.png"));
        run(words);
        head(first, "out.png");
        assert_memory_equal(first, "\x89PNG\r\n\x1a\n", 8);
    }
}

/* ---- the max-margin direction of a training run ---- */

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(scratch(name), "wb");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The picture of a run: where its dashed ray leads (0: there is none), and where its line ends. */
static int read_ray(double ray[4], double end[2], const char *name)
{
    static char text[400000];

    read_text(text, sizeof text, scratch(name));
    const char *line = strstr(text, "stroke-width:1.2;"), *dashed = strstr(text, "dasharray");
    assert_non_null(line);
    const char *stop = strstr(line, "\"/>"), *last = NULL;
    for (const char *at = line; at < stop; at++) {
        last = strncmp(at, " L ", 3) == 0 ? at : last;
    }
    assert_non_null(last);
    assert_int_equal(sscanf(last, " L %lf %lf", end, end + 1), 2);
    if (!dashed) {
        return 0;
    }
    assert_int_equal(
        sscanf(strstr(dashed, " d=\""), " d=\"M %lf %lf L %lf %lf", ray, ray + 1, ray + 2, ray + 3),
        4);
    return 1;
}

/* Trains on one input with two tokens, draws, and measures how far, in points, the last weights lie
 * off the ray. Weights of one constraint A move along A, which is also its max-margin solution; by
 * lp mirror descent their duals do, which is its lp solution. */
static double off_the_ray(const char *words)
{
    char line[400];
    double ray[4], end[2];

    snprintf(line, sizeof line, "train --steps 60 --out one.h5 %s --optimizer %s", words,
             strstr(words, "--p") ? "nmirror" : "ngd");
    run(line);
    run("plot one.h5 --kind training --out one.svg");
    if (!read_ray(ray, end, "one.svg")) {
        fail_msg("%s: no ray", words);
    }
    const double dx = ray[2] - ray[0], dy = ray[3] - ray[1];
    const double x = end[0] - ray[0], y = end[1] - ray[1];
    assert_true(dx * x + dy * y > 0);
    return fabs(dx * y - dy * x) / hypot(dx, dy);
}

static void the_ray_is_that_of_the_model_that_was_trained(void **state)
{
    static const char *const runs[] = {
        "--data one.json --model prompt",
        "--data one.json --model cross",
        "--data one.json --model self",
        "--data one.json --model self --row 1",
        "--data two.json --model sequence --mask causal",
        "--data one.json --model joint",
        "--data one.json --model kq --width 1 --start start.json",
        "--data two.json --model self",
        "--data two.json --model self --row 1",
        "--data two.json",
        "--data one.json --model self --row 1 --p 3",
    };

    (void)state;
    write_text("one.json", "{\"X\": [[[1, 0.5], [-0.5, 2]]], \"z\": [[0.3, -1]], \"y\": [1], "
                           "\"v\": [1, 0.2]}");
    write_text("two.json", "{\"X\": [[[1, 0.5], [-0.5, 2]]], \"y\": [1], \"v\": [1, 0.2]}");
    /* K along x_0 - x_1 and Q along z: they stay so. */
    write_text("start.json", "{\"K\": [[1.5], [-1.5]], \"Q\": [[0.3], [-1]]}");
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        const double off = off_the_ray(runs[k]);
        if (!(off < 1e-3)) { /* digits of an SVG: 1e-6, times the length of a ray over a point's */
            fail_msg("%s: %g points off the ray", runs[k], off);
        }
    }
}

/* A title stands above the axes, which begin lower. */
static double top_of_axes(const char *name)
{
    static char text[400000];
    double top = 0;

    read_text(text, sizeof text, scratch(name));
    const char *axes = strstr(text, "stroke-width:0.7;");
    assert_non_null(axes);
    assert_int_equal(sscanf(strstr(axes, " d=\""), " d=\"M %*f %lf", &top), 1);
    return top;
}

static void without_a_ray_the_picture_says_why(void **state)
{
    static const char *const plots[] = {
        "short.h5 --axes 0,1", /* undecided inputs */
        "none.h5 --axes 0,1",  /* compare = none */
        "joint.h5 --axes 0,9", /* an entry of v */
    };
    double ray[4], end[2];

    (void)state;
    run("train --data attsvm --n 3 --T 4 --d 3 --steps 100 --compare none --out none.h5");
    run("train --data attsvm --n 3 --T 4 --d 3 --steps 3000 --model joint --out joint.h5");
    run("plot joint.h5 --kind training --out ray.svg");
    assert_true(read_ray(ray, end, "ray.svg"));
    for (size_t k = 0; k < sizeof plots / sizeof plots[0]; k++) {
        char words[200];
        snprintf(words, sizeof words, "plot %s --kind training --out note.svg", plots[k]);
        run(words);
        assert_false(read_ray(ray, end, "note.svg"));
        assert_true(top_of_axes("note.svg") > top_of_axes("ray.svg") + 5);
    }
}

/* ---- legends, clusters, scales ---- */

/* How often the text is in the picture that these words ask for. */
static int64_t count_in(const char *plot, const char *text)
{
    static char svg[400000];
    char words[200];
    int64_t count = 0;

    snprintf(words, sizeof words, "plot %s --out c.svg", plot);
    run(words);
    read_text(svg, sizeof svg, scratch("c.svg"));
    for (const char *at = strstr(svg, text); at; at = strstr(at + 1, text)) {
        count++;
    }
    return count;
}

static int64_t count_in_clusters(const char *files, const char *text)
{
    char words[200];

    snprintf(words, sizeof words, "%s --kind clusters --against epsilon", files);
    return count_in(words, text);
}

/* The hull at the end, and what stands for it in the legend. */
static void hulls_are_in_the_legend(void **state)
{
    (void)state;
    assert_int_equal(count_in("flow.h5", "fill:rgb(80%,80%,80%);fill-opacity:0.5"), 2);
}

static void files_that_differ_otherwise_are_curves_of_their_own(void **state)
{
    (void)state;
    /* The legend has dashes for the second curve, which is a point. */
    assert_int_equal(count_in_clusters("e1.h5 e2.h5", "dasharray"), 0);
    assert_int_equal(count_in_clusters("e1.h5 e2.h5 e4.h5", "dasharray"), 0);
    assert_int_equal(count_in_clusters("e1.h5 e2.h5 e3.h5", "dasharray"), 1);
}

/* Between one and two clusters there is no tick at a half. */
static void ticks_of_counts_are_whole(void **state)
{
    static char svg[400000];
    int64_t ticks = 0;

    (void)state;
    run("plot e1.h5 e2.h5 --kind clusters --against epsilon --out ticks.svg");
    read_text(svg, sizeof svg, scratch("ticks.svg"));
    const char *path = svg;
    for (int k = 0; k < 3; k++) { /* the axes, the ticks of x, those of y */
        path = strstr(path + 1, "stroke-width:0.7;");
        assert_non_null(path);
    }
    path = strstr(path, " d=\"");
    for (const char *at = path; at < strstr(path, "/>"); at++) {
        ticks += strncmp(at, " L ", 3) == 0;
    }
    assert_int_equal(ticks, 2);
}

/* The scale of a matrix with both signs reaches from blue to orange, palette.c. */
static void a_matrix_with_signs_has_white_zeros(void **state)
{
    static char svg[400000];

    (void)state;
    run("plot cross.h5 --kind heat --out heat.svg");
    read_text(svg, sizeof svg, scratch("heat.svg"));
    assert_non_null(strstr(svg, "rgb(2.352941%,18.823529%,43.529412%)"));
    assert_non_null(strstr(svg, "rgb(81.176471%,30.588235%,6.27451%)"));
}

/* In the cells, after the axes: neither end of a range of one sign. */
static void a_matrix_of_zeros_is_white(void **state)
{
    static char svg[400000];

    (void)state;
    run("plot still.h5 --kind heat --out zero.svg");
    read_text(svg, sizeof svg, scratch("zero.svg"));
    assert_non_null(strstr(svg, "rgb(2.352941%,18.823529%,43.529412%)")); /* of the scale */
    assert_non_null(strstr(svg, "rgb(81.176471%,30.588235%,6.27451%)"));
}

/* Tokens at one place: axes around it that are as wide as the picture allows. */
static void a_cloud_at_one_place_has_axes_of_ordinary_width(void **state)
{
    static char svg[400000];
    double left = 0, top, right = 0, bottom = 0;

    (void)state;
    run("flow --n 1 --d 2 --rule hardmax --gamma .5 --steps 2 --record tokens --out point.h5");
    run("plot point.h5 --width 360 --height 270 --out point.svg");
    read_text(svg, sizeof svg, scratch("point.svg"));
    const char *axes = strstr(svg, "stroke-width:0.7;");
    assert_non_null(axes);
    assert_int_equal(sscanf(strstr(axes, " d=\""), " d=\"M %lf %lf L %lf %*f L %*f %lf", &left,
                            &top, &right, &bottom),
                     4);
    assert_true(right - left > 180 && bottom - top > 135); /* halves of the picture */
}

/* Copies with one start each are the flows that they are of. */
static void copies_stand_where_their_flows_do(void **state)
{
    static char flows[400000], copies[400000];

    (void)state;
    run("plot e1.h5 e2.h5 --kind clusters --against epsilon --out flows.svg");
    run("plot copies.h5 --against epsilon --out copies.svg");
    read_text(flows, sizeof flows, scratch("flows.svg"));
    read_text(copies, sizeof copies, scratch("copies.svg"));
    assert_string_equal(flows, copies);
}

/* Axes have the last word of a name, however it is given. */
static void labels_are_words(void **state)
{
    static char one[400000], other[400000];

    (void)state;
    run("plot train.h5 --kind curve --x history/step --y history/log_norm --out one.svg");
    run("plot train.h5 --kind curve --x /result/history/step --y /result/history/log_norm --out "
        "other.svg");
    read_text(one, sizeof one, scratch("one.svg"));
    read_text(other, sizeof other, scratch("other.svg"));
    assert_string_equal(one, other);
}

static void same_picture(const char *line, const char *another, int is_same)
{
    static char one[400000], other[400000];
    char words[300];

    snprintf(words, sizeof words, "plot %s --out one.svg", line);
    run(words);
    snprintf(words, sizeof words, "plot %s --out other.svg", another);
    run(words);
    read_text(one, sizeof one, scratch("one.svg"));
    read_text(other, sizeof other, scratch("other.svg"));
    if ((strcmp(one, other) == 0) != is_same) {
        fail_msg("%s and %s: should %sbe the same picture", line, another, is_same ? "" : "not ");
    }
}

/* A single point is seen: its picture is not that of another without it. */
static void a_single_point_is_seen(void **state)
{
    static char one[400000];

    (void)state;
    run("escape --init polygon --n 3 --beta 2 --runs 1 --out alone.h5");
    run("plot alone.h5 --out one.svg");
    read_text(one, sizeof one, scratch("one.svg"));
    assert_non_null(strstr(one, "stroke-width:5;")); /* of a disc: lines have 1.3 */
    same_picture("still.h5 --kind loss --log none", "still.h5 --kind norm --log none", 0);
}

/* loss is drawn with both axes logarithmic, clusters with none, and labelled ε and β. */
static void axes_are_as_options_say(void **state)
{
    static const struct {
        const char *line, *another;
        int is_same;
    } rows[] = {
        { "train.h5 --kind loss", "train.h5 --kind loss --log xy", 1 },
        { "train.h5 --kind loss", "train.h5 --kind loss --log none", 0 },
        { "train.h5 --kind loss --log x", "train.h5 --kind loss --log y", 0 },
        { "train.h5 --kind norm", "train.h5 --kind norm --x-label step", 1 },
        { "train.h5 --kind norm", "train.h5 --kind norm --y-label size", 0 },
        { "copies.h5 --against epsilon", "copies.h5 --against epsilon --x-label ε", 1 },
        { "copies.h5 --against epsilon", "copies.h5 --against epsilon --log none", 1 },
        { "flow.h5 --kind graph", "flow.h5 --kind graph --x-label first", 0 },
    };

    (void)state;
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        same_picture(rows[k].line, rows[k].another, rows[k].is_same);
    }
}

static void auto_takes_what_the_file_is_about(void **state)
{
    static const char *const pairs[][2] = { { "flow.h5", "paths" },    { "leap.h5", "staircase" },
                                            { "cells.h5", "cells" },   { "escape.h5", "survival" },
                                            { "train.h5", "bregman" }, { "path.h5", "bregman" } };

    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        char words[256], first[200000], second[200000];
        snprintf(words, sizeof words, "plot %s --out a.svg", pairs[k][0]);
        run(words);
        snprintf(words, sizeof words, "plot %s --kind %s --out b.svg", pairs[k][0], pairs[k][1]);
        run(words);
        read_text(first, sizeof first, scratch("a.svg"));
        read_text(second, sizeof second, scratch("b.svg"));
        assert_true(strlen(first) > 1000);
        assert_string_equal(first, second);
    }
}

/* The height of the axes: the longest run of pixels in a column that are not ground. */
static int longest_run(const SavedImage *frame)
{
    const int width = frame->ImageDesc.Width, height = frame->ImageDesc.Height;
    int longest = 0;

    for (int x = 0; x < width; x++) {
        for (int y = 0, run = 0; y < height; y++) {
            run = frame->RasterBits[y * width + x] != frame->RasterBits[0] ? run + 1 : 0;
            longest = run > longest ? run : longest;
        }
    }
    return longest;
}

/* Of which a legend leaves no third: it has none. */
static void a_film_has_a_frame_for_every_record(void **state)
{
    int error = 0;

    (void)state;
    run("plot flow.h5 --out film.gif --width 200 --height 150");
    GifFileType *gif = DGifOpenFileName(scratch("film.gif"), &error);
    assert_non_null(gif);
    assert_int_equal(DGifSlurp(gif), GIF_OK);
    assert_int_equal(gif->ImageCount, 10);
    assert_true(longest_run(gif->SavedImages) > gif->SHeight / 2);
    DGifCloseFile(gif, &error);
}

static void what_cannot_be_drawn_is_refused(void **state)
{
    static const struct wrong wrong[] = {
        { "plot", 2, "file" },
        { "plot flow.h5", 2, "out" },
        { "plot flow.h5 --out x.jpg", 2, ".png" },
        { "plot flow.h5 --out none/x.png", 1, "none" },
        { "plot flow.h5 --kind survival --out x.png", 2, "escape" },
        { "plot flow.h5 --kind pahts --out x.png", 2, "paths" },
        { "plot e1.h5 --out x.png", 1, "--record tokens" },
        { "plot flow.h5 --kind graph --record 99 --out x.png", 2, "record" },
        { "plot flow.h5 --kind staircase --out x.png", 1, "--leap" },
        { "plot space.h5 --kind energy --out x.png", 2, "d = 4" },
        { "plot cells.h5 --out x.gif", 2, "cannot be a film" },
        { "plot train.h5 --kind training --axes 0,7 --out x.png", 2, "axes" },
        { "plot train.h5 --kind training --axes 0 --out x.png", 2, "axes = 0: must be two" },
        { "plot train.h5 --kind training --axes 0;1 --out x.png", 2, "axes = 0;1: must be two" },
        { "plot train.h5 --kind training --axes 5 --out x.png", 2, "axes = 5: must be two" },
        { "plot train.h5 --kind training --axes=-1 --out x.png", 2, "axes = -1: must be two" },
        { "plot train.h5 --kind curve --out x.png", 2, "--x" },
        { "plot train.h5 --kind curve --x history/step --y history/nothing --out x.png", 1,
          "nothing" },
        { "plot e1.h5 e2.h5 --kind clusters --out x.png", 2, "--against" },
        { "plot e1.h5 e2.h5 --kind clusters --against rule --out x.png", 2, "rule" },
        { "plot e1.h5 e2.h5 --kind clusters --against epsiln --out x.png", 2, "mean epsilon?" },
        { "plot train.h5 cross.h5 --kind outcomes --against nosuch --out x.png", 2, "nosuch" },
        { "plot copies.h5 --kind energy --out x.png", 2, "has copies" },
        { "plot absent.h5 --out x.png", 1, "absent.h5" },
        { "plot flow.h5 space.h5 --out x.png", 2, "one file" },
        { "plot short.h5 --kind bregman --out x.png", 1, "undecided" },
        { "plot flow.json --out x.png", 2, "HDF5" },
        { "plot train.h5 --kind curve --x history/step --y history/loss --log x --out x.png", 2,
          "log = x: the axis step has the number 0" },
        { "plot escape.h5 --log y --out x.png", 2, "has the number 0" },
        { "plot copies.h5 --log y --out x.png", 2, "no logarithmic form" },
        { "plot flow.h5 --kind paths --log x --out x.png", 2, "log: applies with kind" },
        { "plot train.h5 --kind loss --log z --out x.png", 2, "log" },
        { "plot still.h5 --kind loss --out x.png", 1, "no number has a place on its axes" },
        { "plot still.h5 --kind norm --out x.png", 1, "no number has a place on its axes" },
    };

    (void)state;
    assert_refused(wrong, sizeof wrong / sizeof wrong[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_draws_its_file),
        cmocka_unit_test(files_are_many_and_have_commas_in_their_names),
        cmocka_unit_test(the_ray_is_that_of_the_model_that_was_trained),
        cmocka_unit_test(without_a_ray_the_picture_says_why),
        cmocka_unit_test(hulls_are_in_the_legend),
        cmocka_unit_test(files_that_differ_otherwise_are_curves_of_their_own),
        cmocka_unit_test(ticks_of_counts_are_whole),
        cmocka_unit_test(a_matrix_with_signs_has_white_zeros),
        cmocka_unit_test(a_matrix_of_zeros_is_white),
        cmocka_unit_test(a_cloud_at_one_place_has_axes_of_ordinary_width),
        cmocka_unit_test(copies_stand_where_their_flows_do),
        cmocka_unit_test(labels_are_words),
        cmocka_unit_test(axes_are_as_options_say),
        cmocka_unit_test(a_single_point_is_seen),
        cmocka_unit_test(auto_takes_what_the_file_is_about),
        cmocka_unit_test(a_film_has_a_frame_for_every_record),
        cmocka_unit_test(what_cannot_be_drawn_is_refused),
    };

    return cmocka_run_group_tests(tests, make_files, remove_files);
}
