/* outside_verdicts.c -- a file of claims, one for each way in which a check can end. */
#include <tropism_claim.h>

#include <math.h>
#include <stddef.h>

static void draw(struct trop_case *c)
{
    trop_case_default(c, "x", trop_case_uniform(c, 16, 0));
}

static void refuse(struct trop_case *c)
{
    if (trop_case_number(c, "x") != 0) {
        trop_case_refuse(c, "x = %g: is refused by the file", 3.5);
    }
}

static void at_most_one(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "x", -1, trop_case_number(c, "x"), 1, 0);
}

static void at_most_half(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_most(judge, "x", -1, trop_case_number(c, "x"), .5, 0);
}

static void anything(struct trop_judge *judge, const struct trop_case *c)
{
    (void)c;
    trop_judge_truth(judge, "nothing is asked", -1, 1);
}

static void unknown(struct trop_judge *judge, const struct trop_case *c)
{
    (void)c;
    trop_judge_at_most(judge, "no number", -1, (double)NAN, 1, 0);
}

static void doubled(struct trop_case *c)
{
    double *twice = trop_case_scratch(c, 1);

    twice[0] = 2 * trop_case_number(c, "x");
    trop_case_copy_in(c, "twice", twice, 1, 0, 0);
}

static void twice(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view v = trop_case_view(c, "twice");

    trop_judge_near(judge, trop_judge_name(judge, "2 x of %d", (int)v.rows), -1, v.at[0],
                    2 * trop_case_number(c, "x"), 0);
}

#define WORDS .inputs = "x", .words = words
static const struct trop_input words[] = { { "x", "", "a number" }, { NULL, NULL, NULL } };

static const struct trop_hypothesis positive[] = {
    { .name = "positive",
      .meaning = "x > 0",
      .holds = "x > 0",
      .broken = "x = -1",
      .edit = "x = -1" },
    { .name = NULL },
};
static const struct trop_hypothesis beyond[] = {
    { .name = "beyond", .meaning = "x is at least 2", .holds = "x >= 2" },
    { .name = NULL },
};
static const struct trop_spoil larger[] = { { "x = 2", NULL, "x = 2" }, { NULL, NULL, NULL } };
static const struct trop_spoil unreadable[] = { { "x is unreadable", NULL, "x = = 2" },
                                                { "x = 2", NULL, "x = 2" },
                                                { NULL, NULL, NULL } };
static const struct trop_spoil of_twice[] = { { "2 x is larger", NULL, "twice[0] += 1" },
                                              { "the work of another x", NULL, "work with x += 1" },
                                              { NULL, NULL, NULL } };
static const char *const at_two[] = { "x = 2" };

static const struct trop_claim holds = { .id = "t-holds",
                                         .title = "x is at most 1",
                                         .statement = "A number on (0, 1) is at most 1.",
                                         .hypotheses = positive,
                                         .spoils = larger,
                                         WORDS,
                                         .run = { draw, NULL, at_most_one, NULL } };
static const struct trop_claim violated = { .id = "t-violated",
                                            .title = "x is at most 1/2",
                                            .statement = "A number on (0, 1) is at most 1/2.",
                                            .hypotheses = positive,
                                            .spoils = larger,
                                            .repaired = "t-holds",
                                            WORDS,
                                            .run = { draw, NULL, at_most_half, NULL } };
static const struct trop_claim untested = { .id = "t-untested",
                                            .title = "anything",
                                            .statement = "Nothing is asked of a number.",
                                            .hypotheses = positive,
                                            .spoils = larger,
                                            WORDS,
                                            .run = { draw, NULL, anything, NULL } };
static const struct trop_claim spoilless = { .id = "t-spoilless",
                                             .title = "x is at most 1, without spoils",
                                             .statement = "A number on (0, 1) is at most 1.",
                                             WORDS,
                                             .run = { draw, NULL, at_most_one, NULL } };
static const struct trop_claim unread = { .id = "t-unread",
                                          .title = "a spoil that cannot be read",
                                          .statement = "A number on (0, 1) is at most 1.",
                                          .spoils = unreadable,
                                          WORDS,
                                          .run = { draw, NULL, at_most_one, NULL } };
static const struct trop_claim never = { .id = "t-never",
                                         .title = "no instance is of it",
                                         .statement = "A number on (0, 1) above 2 is at most 1.",
                                         .hypotheses = beyond,
                                         .spoils = larger,
                                         .trials = 5,
                                         WORDS,
                                         .run = { draw, NULL, at_most_one, NULL } };
static const struct trop_claim is_open = { .id = "t-open",
                                           .title = "no number is measured",
                                           .statement = "What is no number is at most 1.",
                                           .spoils = larger,
                                           WORDS,
                                           .run = { draw, NULL, unknown, NULL } };
static const struct trop_claim refusing = { .id = "t-refusing",
                                            .title = "work that refuses",
                                            .statement = "Nothing, since x is refused.",
                                            WORDS,
                                            .run = { draw, refuse, at_most_one, NULL } };
static const struct trop_claim worked = { .id = "t-worked",
                                          .title = "what work computes",
                                          .statement = "The double of a number is twice of it.",
                                          .spoils = of_twice,
                                          WORDS,
                                          .run = { draw, doubled, twice, NULL } };
static const struct trop_claim exhibited = { .id = "t-exhibited",
                                             .title = "x is at most 1, and 2 is known",
                                             .statement = "A positive number is at most 1.",
                                             .spoils = larger,
                                             .exhibits = 1,
                                             .exhibited = at_two,
                                             WORDS,
                                             .run = { draw, NULL, at_most_one, NULL } };

/* Squares at 0, 1, 2 beside published ones. */
static void squares(struct trop_case *c)
{
    double *out = trop_case_zeros(c, "squares", 3, 0, 0);

    for (int k = 0; k < 3; k++) {
        out[k] = k * k;
    }
}

static void compare(struct trop_judge *judge, const struct trop_case *c)
{
    for (int k = 0; k < 3; k++) {
        trop_judge_near(judge, trop_judge_name(judge, "square of %d", k), -1,
                        trop_case_array(c, "squares")[k], k * k + .25 * (k > 0), .5);
    }
}

static void draw_squares(struct trop_figure *figure, const struct trop_case *c)
{
    static const double at[] = { 0, 1, 2 };
    struct trop_panel *panel = trop_picture_axes(figure, 0, 0, "squares", "k", "square");

    trop_picture_logs(panel, 0, 0);
    trop_picture_curve(panel, at, trop_case_array(c, "squares"), 3, 0, "ours");
    trop_picture_dots(panel, at, at, 3, 1, NULL);
    trop_picture_level(panel, 1, 2, "one");
    trop_picture_text(panel, 1, 1, "here");
}

static const struct trop_claim figure = { .id = "t-fig-squares",
                                          .title = "squares",
                                          .statement = "Squares of 0, 1 and 2.",
                                          .source = TROP_CLAIM_DERIVED,
                                          .size = { 200, 150 },
                                          WORDS,
                                          .run = { draw, squares, compare, draw_squares } };

TROP_CLAIMS(&holds, &violated, &untested, &spoilless, &unread, &never, &is_open, &refusing, &worked,
            &exhibited, &figure);
