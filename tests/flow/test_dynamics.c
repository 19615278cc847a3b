/* test_dynamics.c -- the rows of the dynamics, and what their names promise. */
#include "support.h"

#include "flow/flow.h"

#include <stddef.h>

static void every_row_stands_at_its_name(void **state)
{
    (void)state;
    for (int64_t k = 0; trop_dynamics_name[k]; k++) {
        const struct trop_dynamics *row = trop_dynamics_at(k);
        assert_string_equal(row->name, trop_dynamics_name[k]);
        assert_true(row->meaning && row->step);
        assert_true(!row->velocity || row->continuous);
    }
}

/* 1 when "a|b" holds the name. */
static int lists(const char *list, const char *name)
{
    size_t size = strlen(name);

    for (const char *at = list; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        if (strncmp(at, name, size) == 0 && (at[size] == '|' || at[size] == '\0')) {
            return 1;
        }
    }
    return 0;
}

static void the_lists_of_names_are_those_of_the_rows(void **state)
{
    (void)state;
#define MEMBER(member) offsetof(struct trop_dynamics, member)
    static const struct {
        const char *list;
        size_t member;
        int value;
    } all[] = {
        { TROP_DYNAMICS_IF_CONTINUOUS, MEMBER(continuous), 1 },
        { TROP_DYNAMICS_IF_INTEGRATED, MEMBER(integrated), 1 },
        { TROP_DYNAMICS_IF_SPHERE, MEMBER(sphere), 1 },
        { TROP_DYNAMICS_IF_RANDOM, MEMBER(random), 1 },
        { TROP_DYNAMICS_IF_UNNORMALISED, MEMBER(unnormalised), 1 },
        { TROP_DYNAMICS_UNLESS_AVERAGES, MEMBER(averages), 0 },
        { TROP_DYNAMICS_IF_CLOSED_FORM, MEMBER(closed_form), 1 },
        { TROP_DYNAMICS_IF_PIECES, MEMBER(pieces), 1 },
        { TROP_DYNAMICS_IF_GAMMA, MEMBER(gamma), 1 },
        { TROP_DYNAMICS_IF_VALUE, MEMBER(value), 1 },
        { TROP_DYNAMICS_IF_LEAPS, MEMBER(leaps), 1 },
    };

    for (size_t m = 0; m < sizeof all / sizeof all[0]; m++) {
        for (int64_t k = 0; trop_dynamics_name[k]; k++) {
            const char *row = (const char *)trop_dynamics_at(k);
            int set = *(const int *)(row + all[m].member);
            assert_int_equal(lists(all[m].list, trop_dynamics_name[k]), set == all[m].value);
        }
    }
}

/* Softmax of no V, with the default step: one token is its own average. */
static void a_token_alone_rests_where_x_is_its_average(void **state)
{
    (void)state;
    for (int64_t k = 0; trop_dynamics_name[k]; k++) {
        double x[] = { 0.6, 0.8 };
        struct trop_flow_options o = options_of(x, 1, 2, "softmax");
        o.dynamics = k;
        struct trop_flow *flow = flow_of(&o);
        assert_ok(trop_flow_step(flow, 3));
        int rests = memcmp(trop_flow_tokens(flow), x, sizeof x) == 0;
        assert_int_equal(rests, trop_dynamics_at(k)->averages);
        trop_flow_free(flow);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_stands_at_its_name),
        cmocka_unit_test(the_lists_of_names_are_those_of_the_rows),
        cmocka_unit_test(a_token_alone_rests_where_x_is_its_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
