/* test_outside.c -- claims from a shared object: what is refused, and every way a check can end.
 *
 * The files are made by cmake/tests.cmake in claims/ of the build: diameter is the example of the
 * manual, verdicts and the wrong ones are outside_*.c.
 */
#include "claim/outside/outside.h"
#include "support.h"
#include "program.h"
#include "tropism_lab.h"

static const char *file_of(const char *name)
{
    static char paths[4][512];
    static int turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/claims/%s.so", getenv("TROP_BUILD"), name);
    return path;
}

/* ---- files ---- */

static int answers(const char *verb, const char *text, int code, const char *sentence)
{
    char line[900];

    snprintf(line, sizeof line, "%s %s", verb, text);
    if (tropism(line) != code || !strstr(answer.err, sentence)) {
        fail_with_answer(line, sentence);
    }
    return answer.code;
}

static void test_a_file_that_is_none_is_refused_with_its_reason(void **state)
{
    static char bytes[200000];
    FILE *file = fopen(file_of("diameter"), "rb");
    const size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;

    (void)state;
    assert_true(size > 1000 && size < sizeof bytes);
    fclose(file);
    scratch_fill(scratch("cut.so"), bytes, 500);
    scratch_fill(scratch("short.so"), bytes, 10);
    put("text.so", "not a shared object, and longer than twenty letters\n");
    bytes[18] ^= 0x55;
    scratch_fill(scratch("other.so"), bytes, size);
    bytes[18] ^= 0x55;
    bytes[16] = 1; /* ET_REL: what cc -c makes */
    scratch_fill(scratch("object.so"), bytes, size);

    answers("check", "./none.so", 1, "./none.so: No such file or directory");
    answers("check", "none.so", 1, "./none.so: No such file or directory");
    answers("check", "./none", 1, "./none: No such file or directory");
    answers("check", "./", 1, "is a folder");
    answers("check", "./cut.so", 1, "./cut.so: ");
    answers("check", "./short.so", 1, "is not a shared object; 'cc -shared");
    answers("check", "./text.so", 1, "is not a shared object; 'cc -shared");
    answers("check", "./object.so", 1, "is not a shared object; 'cc -shared");
    answers("check", "./other.so", 1, "another kind of machine");
    answers("claims", "./other.so", 1, "another kind of machine");
    answers("check", ":my-lem.so", 2, "its path has no letters");
    answers("check", ".so", 2, "there is none of this id");
}

static void test_a_file_of_another_header_is_refused_with_both_numbers(void **state)
{
    char both[128];

    (void)state;
    snprintf(both, sizeof both, "version %d of tropism_claim.h, and this program has version %d",
             TROP_CLAIM_ABI + 1, TROP_CLAIM_ABI);
    answers("check", file_of("version"), 1, both);
    snprintf(both, sizeof both, "struct trop_claim has %zu bytes there and %zu in this program",
             sizeof(struct trop_claim) + 8, sizeof(struct trop_claim));
    answers("check", file_of("size"), 1, both);
    answers("check", file_of("silent"), 1, "returns nothing");
    answers("check", file_of("entryless"), 1, "has no function tropism_claims");
}

/* Who changes one of these raises TROP_CLAIM_ABI, and these numbers. */
static void test_the_header_changes_with_its_version(void **state)
{
    void *const *functions = (void *const *)((const int64_t *)&trop_outside_api + 2);
    const size_t count = (sizeof trop_outside_api - 16) / sizeof *functions;

    (void)state;
    assert_int_equal(TROP_CLAIM_ABI, 2);
    assert_int_equal(sizeof(struct trop_claim), 216);
    assert_int_equal(sizeof(struct trop_hypothesis), 56);
    assert_int_equal(sizeof(struct trop_spoil), 24);
    assert_int_equal(sizeof(struct trop_input), 24);
    assert_int_equal(sizeof(struct trop_claim_file), 72);
    assert_int_equal(count, 73);
    for (size_t k = 0; k < count; k++) {
        assert_non_null(functions[k]);
    }
}

/* ---- rows ---- */

static void no_part(struct trop_case *c)
{
    (void)c;
}

static void no_conclusion(struct trop_judge *judge, const struct trop_case *c)
{
    (void)judge;
    (void)c;
}

static void row_refuses(const struct trop_claim *claim, const char *sentence)
{
    const struct trop_claim *claims[] = { claim };

    assert_int_equal(trop_outside_rows("./mine.so", claims, 1), TROP_ERR_IO);
    if (!strstr(trop_error(), sentence)) {
        fail_msg("\"%s\" does not say \"%s\"", trop_error(), sentence);
    }
}

static const struct trop_claim good = {
    .id = "my-lem", .title = "t", .statement = "s", .run = { no_part, NULL, no_conclusion, NULL }
};

#define WITH(member, value, sentence) \
    do { \
        struct trop_claim row = good; \
        row.member = value; \
        row_refuses(&row, sentence); \
    } while (0)

static void test_ids_are_words_of_their_own(void **state)
{
    const struct trop_claim *twice[] = { &good, &good };
    const struct trop_claim *nothing[] = { NULL };
    char name[80];

    (void)state;
    assert_ok(trop_outside_rows("./mine.so", twice, 1));
    assert_int_equal(trop_outside_rows("./mine.so", twice, 2), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "my-lem: two claims have this id"));
    assert_int_equal(trop_outside_rows("./mine.so", nothing, 1), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "claim 0 has no row"));
    assert_int_equal(trop_outside_rows("./mine.so", nothing, 0), TROP_ERR_IO);
    assert_non_null(strstr(trop_error(), "has no claims"));
    memset(name, 'a', sizeof name);
    name[61] = '\0';
    WITH(id, NULL, "claim 0 has no id");
    WITH(id, "", "\"\" is not an id");
    WITH(id, "My-lem", "\"My-lem\" is not an id");
    WITH(id, "a/b", "is not an id");
    WITH(id, "-a", "is not an id");
    WITH(id, "..", "is not an id");
    WITH(id, name, "is not an id");
    WITH(id, "fw-thm-3.1", "is the id of a claim of the papers");
}

static void test_rows_that_are_not_whole_are_refused(void **state)
{
    static const struct trop_input shapeless[] = { { "x", NULL, "m" }, { 0 } };
    static const struct trop_published published[] = { { "p", 1 }, { 0 } };

    (void)state;
    WITH(title, NULL, "my-lem: has no title");
    WITH(statement, NULL, "my-lem: has no statement");
    WITH(run.draw, NULL, "has no function draw");
    WITH(run.conclude, NULL, "has no function conclude");
    WITH(status, 7, "there is no such status or source: 7, 0");
    WITH(status, TROP_CLAIM_NEEDS_DATA, "are of claims of the papers");
    WITH(published, published, "are of claims of the papers");
    WITH(repaired, "my-other", "its repaired form my-other is not in this file");
    WITH(exhibits, 1, "has 1 exhibits, and neither");
    WITH(trials, -1, "trials = -1: must not be negative");
    WITH(inputs, "tokens qqq", "the input qqq is no word that is known");
    WITH(words, shapeless, "the word x has no shape");
}

static void test_hypotheses_and_spoils_are_whole(void **state)
{
    void (*const judge)(struct trop_judge *, const struct trop_case *) = no_conclusion;

    (void)state;
    WITH(hypotheses, TROP_HYPOTHESES({ "h", "m" }), "hypothesis h has no judge");
    WITH(hypotheses, TROP_HYPOTHESES({ "h", NULL, .judge = judge }), "hypothesis h has no meaning");
    WITH(hypotheses, TROP_HYPOTHESES({ "h", "m", .judge = judge, .holds = "x > 0" }),
         "hypothesis h has two judges");
    WITH(hypotheses, TROP_HYPOTHESES({ "h", "m", .judge = judge, .broken = "b" }),
         "hypothesis h has .broken without .edit");
    WITH(hypotheses, TROP_HYPOTHESES({ "h", "m", .judge = judge, .edit = "x = 1" }),
         "hypothesis h has .edit without .broken");
    WITH(hypotheses, TROP_HYPOTHESES({ "h", "m", .judge = judge }, { "h", "m", .holds = "x > 0" }),
         "two hypotheses have the name h");
    WITH(spoils, TROP_SPOILS({ "larger", NULL, NULL }), "spoil \"larger\" has no edit");
    WITH(spoils, TROP_SPOILS({ "larger", "h", "x = 1" }),
         "spoil \"larger\" is of the hypothesis h, which is not there");
}

static void test_claims_of_a_file_are_named_by_it(void **state)
{
    char text[600];

    (void)state;
    answers("check", file_of("verdicts"), 2, "has 11 claims, name one as ");
    snprintf(text, sizeof text, "%s:t-hold", file_of("verdicts"));
    answers("check", text, 2, "there is none of this id in the file, did you mean t-holds?");
    answers("claims", text, 2, "did you mean t-holds?");
    snprintf(text, sizeof text, "%s:t-holds", file_of("verdicts"));
    answers("reproduce", text, 2, "is not a figure or table");
    answers("check", text, 0, "verdicts.so: the code in this file is run");
    assert_non_null(strstr(answer.out, "spoils        2 of 2 caught"));
    answers("claims", text, 0, "the code in this file is run");
    assert_non_null(strstr(answer.out, "inputs      x: a number"));
    answers("claims", file_of("verdicts"), 0, "the code in this file is run");
    assert_non_null(strstr(answer.out, "11 claims. 'tropism claims FILE:ID'"));
    answers("check", "fw-thm-3.1 --trials 1 --counterexample none", 0, "");
    assert_null(strstr(answer.err, "is run"));
}

/* ---- verdicts ---- */

struct expected {
    const char *id, *verdict;
    int untested; /* -1: null */
    int64_t applicable, violations, spoils, caught;
};

static json_t *checked(const char *name, const char *id, const char *more)
{
    char line[900];

    snprintf(line, sizeof line, "check %s:%s --json %s", file_of(name), id, more);
    return object_of(line, 0);
}

static int64_t whole_of(const json_t *object, const char *name)
{
    return (int64_t)json_integer_value(json_object_get(object, name));
}

/* Uniform numbers on (0, 1): every instance of t-holds holds, half of those of t-violated do. */
static void test_every_way_a_check_can_end(void **state)
{
    static const struct expected expected[] = {
        { "t-holds", "holds", 0, 100, 0, 2, 2 },
        { "t-untested", "holds", 1, 100, 0, 2, 1 },
        { "t-spoilless", "holds", 1, 100, 0, 0, 0 },
        { "t-unread", "holds", 0, 100, 0, 2, 1 },
        { "t-worked", "holds", 0, 100, 0, 2, 2 },
        { "t-never", "not-decidable", 1, 0, 0, 1, 0 },
        { "t-open", "not-decidable", 1, 0, 0, 1, 0 },
        { "t-exhibited", "violated", 0, 100, 1, 1, 1 },
    };

    (void)state;
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        const struct expected *e = expected + k;
        json_t *found = checked("verdicts", e->id, "--counterexample none");
        const json_t *untested = json_object_get(found, "untested");
        const char *verdict = json_string_value(json_object_get(found, "verdict"));
        if (strcmp(verdict, e->verdict) != 0 || json_is_true(untested) != (e->untested == 1) ||
            whole_of(found, "applicable") != e->applicable ||
            whole_of(found, "violations") != e->violations ||
            (int64_t)json_array_size(json_object_get(found, "spoils")) != e->spoils ||
            whole_of(found, "caught") != e->caught) {
            fail_with_answer(e->id, "ends otherwise");
        }
        json_decref(found);
    }
}

static void test_what_was_not_caught_is_told(void **state)
{
    char line[600];

    (void)state;
    snprintf(line, sizeof line, "check %s:t-untested", file_of("verdicts"));
    assert_int_equal(tropism(line), 0);
    assert_non_null(strstr(answer.out, "t-untested: holds, untested (conjectured)"));
    assert_non_null(strstr(answer.out, "1 of 2 caught"));
    assert_non_null(strstr(answer.out, "x = 2: the conclusion is not violated"));
    snprintf(line, sizeof line, "check %s:t-unread", file_of("verdicts"));
    assert_int_equal(tropism(line), 0);
    assert_non_null(strstr(answer.out, "x is unreadable: edit \"x = = 2\""));
    snprintf(line, sizeof line, "check %s:t-never", file_of("verdicts"));
    assert_int_equal(tropism(line), 0);
    assert_non_null(strstr(answer.out, "x = 2: no instance to try it on"));
    snprintf(line, sizeof line, "check %s:t-refusing --set x=2", file_of("verdicts"));
    answers("check", line + 6, 2, "x = 3.5: is refused by the file");
}

static void test_a_counterexample_is_judged_again(void **state)
{
    json_t *found = checked("verdicts", "t-violated", "--counterexample again.h5");
    const int64_t violations = whole_of(found, "violations");
    json_t *repaired = json_object_get(found, "repaired");

    (void)state;
    assert_true(violations > 25 && violations < 75);
    assert_string_equal(json_string_value(json_object_get(repaired, "verdict")), "holds");
    json_decref(found);
    found = checked("verdicts", "t-violated", "--instance again.h5");
    assert_string_equal(json_string_value(json_object_get(found, "verdict")), "violated");
    assert_int_equal(whole_of(found, "attempted"), 1);
    assert_true(json_is_null(json_object_get(found, "untested")) ||
                !json_object_get(found, "untested"));
    json_decref(found);
    char text[600];
    snprintf(text, sizeof text, "%s:t-holds --instance again.h5", file_of("verdicts"));
    answers("check", text, 1, "is a case of t-violated, not of t-holds");
}

static void test_threads_change_no_bit(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        static const char *const ids[] = { "my-lem-diameter", "my-lem-contraction", "t-never" };
        static const char *const verdicts[] = { "holds", "violated", "not-decidable" };
        const char *file = k < 2 ? "diameter" : "verdicts", *id = ids[k];
        const char *more = k < 2 ? "" : "--trials 7";
        char line[2][64];
        snprintf(line[0], sizeof line[0], "--counterexample none --threads 1 %s", more);
        snprintf(line[1], sizeof line[1], "--counterexample none --threads 4 %s", more);
        json_t *one = checked(file, id, line[0]);
        json_t *four = checked(file, id, line[1]);
        json_object_del(one, "seconds");
        json_object_del(four, "seconds");
        if (!json_equal(one, four)) {
            fail_with_answer(id, "another number of threads");
        }
        assert_string_equal(json_string_value(json_object_get(one, "verdict")), verdicts[k]);
        assert_int_equal(whole_of(one, "attempted"), k < 2 ? 200 : 20 * 7 + 100);
        json_decref(one);
        json_decref(four);
    }
}

static void test_a_figure_of_a_file_is_reproduced(void **state)
{
    static const unsigned char png[] = { 0x89, 'P', 'N', 'G' };
    unsigned char head[24] = { 0 };
    char line[700];

    (void)state;
    snprintf(line, sizeof line, "reproduce %s:t-fig-squares --out drawn --json",
             file_of("verdicts"));
    json_t *found = object_of(line, 0);
    assert_string_equal(json_string_value(json_object_get(found, "verdict")), "independent");
    assert_int_equal(json_array_size(json_object_get(found, "rows")), 3);
    json_decref(found);
    FILE *file = fopen(scratch("drawn/t-fig-squares.png"), "rb");
    assert_non_null(file);
    assert_int_equal(fread(head, 1, sizeof head, file), sizeof head);
    fclose(file);
    assert_memory_equal(head, png, sizeof png);
    assert_int_equal(head[18] * 256 + head[19], 400); /* two pixels a point */
    assert_int_equal(head[22] * 256 + head[23], 300);
}

/* What a search does not refute may be a check that cannot see anything. */
static void test_a_search_tries_spoils_too(void **state)
{
    static const char *const ids[] = { "t-untested", "t-holds" };

    (void)state;
    for (int k = 0; k < 2; k++) {
        json_t *found =
            checked("verdicts", ids[k], "--search 1000 --restarts 2 --counterexample none");
        assert_int_equal(json_is_true(json_object_get(found, "untested")), k == 0);
        assert_int_equal(whole_of(found, "caught"), k + 1);
        json_decref(found);
    }
}

static void test_a_study_says_that_it_runs_code(void **state)
{
    char text[700];

    (void)state;
    snprintf(text, sizeof text, "verb: check\nclaim: %s:t-holds\nseed: 1..3\nkeep: [verdict]\n",
             file_of("verdicts"));
    put("fixed.yaml", text);
    snprintf(text, sizeof text,
             "verb: check\nclaim: [fw-lem-hull, \"%s:t-holds\"]\nkeep: [verdict]\n",
             file_of("verdicts"));
    put("swept.yaml", text);
    put("papers.yaml", "verb: check\nclaim: fw-lem-hull\nseed: 1..2\nkeep: [verdict]\n");
    answers("study", "run fixed.yaml --out fixed", 0, "verdicts.so:t-holds: the code in this file");
    answers("study", "run swept.yaml --out swept", 0, "verdicts.so:t-holds: the code in this file");
    answers("study", "run papers.yaml --out papers", 0, "");
    assert_null(strstr(answer.err, "the code"));
}

static int64_t listed(const char *path)
{
    const char *pairs[] = { "claim", path, NULL };
    struct trop_job *job = NULL;
    struct trop_value claims;

    assert_ok(trop_job_create_from(&job, "claims", pairs));
    assert_ok(trop_job_run(job, NULL, NULL));
    assert_ok(trop_job_value(&claims, job, "claims"));
    const int64_t count = claims.shape[0];
    trop_job_free(job);
    return count;
}

static void copy_file(const char *to, const char *from)
{
    static char bytes[200000];
    FILE *file = fopen(from, "rb");

    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    unlink(to); /* as a linker does: who has it open keeps the old one */
    scratch_fill(to, bytes, size);
}

/* A session that goes on, such as one of Python, sees what was compiled last. */
static void test_a_file_that_was_compiled_again_is_read_again(void **state)
{
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("again.so"));
    copy_file(path, file_of("diameter"));
    assert_int_equal(listed(path), 2);
    copy_file(path, file_of("verdicts"));
    assert_int_equal(listed(path), 11);
}

static void test_small_counterexamples_are_found(void **state)
{
    json_t *found = checked("verdicts", "t-violated", "--shrink --counterexample none");
    const json_t *shrunk = json_object_get(found, "shrunk");

    (void)state;
    assert_string_equal(json_string_value(json_object_get(shrunk, "instance")), "x = 1");
    json_decref(found);
}

static int at_once(void *context, int64_t done, int64_t total)
{
    (void)done;
    (void)total;
    return ++*(int *)context > 2;
}

static void test_a_check_is_stopped_between_instances(void **state)
{
    char text[600];
    const char *pairs[] = { "claim", text, "threads", "1", "trials", "100000", NULL };
    struct trop_job *job = NULL;
    int asked = 0;

    (void)state;
    snprintf(text, sizeof text, "%s:t-never", file_of("verdicts"));
    assert_ok(trop_job_create_from(&job, "check", pairs));
    assert_int_equal(trop_job_run(job, at_once, &asked), TROP_ERR_STOPPED);
    assert_int_equal(asked, 3);
    assert_non_null(strstr(trop_job_notice(job), "the code in this file is run"));
    trop_job_free(job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file_that_is_none_is_refused_with_its_reason),
        cmocka_unit_test(test_a_file_of_another_header_is_refused_with_both_numbers),
        cmocka_unit_test(test_the_header_changes_with_its_version),
        cmocka_unit_test(test_ids_are_words_of_their_own),
        cmocka_unit_test(test_rows_that_are_not_whole_are_refused),
        cmocka_unit_test(test_hypotheses_and_spoils_are_whole),
        cmocka_unit_test(test_claims_of_a_file_are_named_by_it),
        cmocka_unit_test(test_every_way_a_check_can_end),
        cmocka_unit_test(test_what_was_not_caught_is_told),
        cmocka_unit_test(test_a_counterexample_is_judged_again),
        cmocka_unit_test(test_threads_change_no_bit),
        cmocka_unit_test(test_a_figure_of_a_file_is_reproduced),
        cmocka_unit_test(test_a_file_that_was_compiled_again_is_read_again),
        cmocka_unit_test(test_a_search_tries_spoils_too),
        cmocka_unit_test(test_a_study_says_that_it_runs_code),
        cmocka_unit_test(test_small_counterexamples_are_found),
        cmocka_unit_test(test_a_check_is_stopped_between_instances),
    };

    return cmocka_run_group_tests(tests, NULL, remove_files);
}
