/* edit.c -- a case changed by a line of text. */
#include "claim/edit.h"

#include "base/math/pow.h"
#include "claim/tokens.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 100

/* A reader of one text. */
struct edit {
    struct trop_case *c;
    const struct trop_claim *claim;
    const char *text, *at;
    int64_t depth;   /* of what is being read: parentheses, signs, powers */
    int64_t judging; /* 1: an entry that is not there is NaN, so that its line is open */
};

static _Noreturn void refuse(const struct edit *e, const char *what)
{
    trop_case_refuse(e->c, "edit \"%.200s\": %s at \"%.60s\"", e->text, what, e->at);
}

static void skip(struct edit *e)
{
    e->at += strspn(e->at, " \n");
}

static int take(struct edit *e, const char *word)
{
    const size_t length = strlen(word);

    skip(e);
    const int is_name = isalpha((unsigned char)word[0]);
    if (strncmp(e->at, word, length) != 0 ||
        (is_name && (isalnum((unsigned char)e->at[length]) || e->at[length] == '_'))) {
        return 0;
    }
    e->at += length;
    return 1;
}

static void want(struct edit *e, const char *word)
{
    if (!take(e, word)) {
        refuse(e, word);
    }
}

static int64_t whole(struct edit *e)
{
    char *end = NULL;

    skip(e);
    const int64_t value = strtoll(e->at, &end, 10);
    if (end == e->at) {
        refuse(e, "a whole number is expected");
    }
    e->at = end;
    return value;
}

/* ---- elements: of each axis from first to last ---- */

struct part {
    double *values;
    int64_t rank, shape[TROP_CASE_RANK], first[TROP_CASE_RANK], last[TROP_CASE_RANK];
};

static void name_of(char out[32], struct edit *e)
{
    size_t length = 0;

    skip(e);
    while (isalnum((unsigned char)e->at[length]) || e->at[length] == '_') {
        length++;
    }
    if (length == 0 || length > 31) {
        refuse(e, "a name is expected");
    }
    memcpy(out, e->at, length);
    out[length] = '\0';
    e->at += length;
}

static void part_axis(struct part *p, struct edit *e, int64_t axis)
{
    const int64_t size = p->shape[axis];

    if (take(e, "*")) {
        return;
    }
    const int64_t first = whole(e), from = first < 0 ? first + size : first;
    int64_t last = from;
    if (take(e, ":")) {
        const int64_t end = whole(e);
        last = (end < 0 ? end + size : end) - 1;
    }
    if (from < 0 || last < from || last >= size) {
        refuse(e, "there is no such element");
    }
    p->first[axis] = from;
    p->last[axis] = last;
}

/* What work has not come to: NaN, whatever its indices. */
static struct part no_part(struct edit *e)
{
    static double nothing = NAN;

    if (take(e, "[")) {
        e->at += strcspn(e->at, "];");
        want(e, "]");
    }
    return (struct part){ .values = &nothing };
}

/* The elements behind a name that has been read, and that the case has. */
static struct part part_of(struct edit *e, const char *name)
{
    struct part p = { .values = trop_case_array(e->c, name) };

    if (!p.values && e->judging) {
        return no_part(e);
    }
    if (!p.values) {
        refuse(e, "the case has no such entry");
    }
    if (trop_case_view(e->c, name).rows == 0) {
        refuse(e, "an entry without elements before this");
    }
    for (int64_t axis = 0; axis < TROP_CASE_RANK && trop_case_size(e->c, name, axis) > 0; axis++) {
        p.shape[axis] = trop_case_size(e->c, name, axis);
        p.last[axis] = p.shape[axis] - 1;
        p.rank++;
    }
    if (take(e, "[")) {
        for (int64_t axis = 0; axis == 0 || take(e, ","); axis++) {
            if (axis == p.rank) {
                refuse(e, "there is no such axis");
            }
            part_axis(&p, e, axis);
        }
        want(e, "]");
    }
    return p;
}

static int64_t part_count(const struct part *p)
{
    int64_t count = 1;

    for (int64_t axis = 0; axis < p->rank; axis++) {
        count *= p->last[axis] - p->first[axis] + 1;
    }
    return count;
}

static double *part_at(const struct part *p, int64_t k)
{
    int64_t at = 0, step = 1;

    for (int64_t axis = p->rank - 1; axis >= 0; axis--) {
        const int64_t size = p->last[axis] - p->first[axis] + 1;
        at += (p->first[axis] + k % size) * step;
        step *= p->shape[axis];
        k /= size;
    }
    return p->values + at;
}

/* ---- the right side, read again for every element ---- */

static double sum(struct edit *e, int64_t k, int64_t count);

/* A function of the elements of an array. */
static double call_of_all(struct edit *e, const char *name)
{
    void *mark = trop_case_mark(e->c);
    char array[32];

    name_of(array, e);
    const struct part p = part_of(e, array);
    const int64_t count = part_count(&p);
    double *all = trop_case_scratch(e->c, count), least = INFINITY, largest = -INFINITY;
    for (int64_t at = 0; at < count; at++) {
        all[at] = *part_at(&p, at);
        least = fmin(least, all[at]);
        largest = fmax(largest, all[at]);
    }
    const double norm = trop_tokens_norm(all, count);
    trop_case_release(e->c, mark); /* it is called for every element of the left side */
    if (e->judging && !trop_case_has(e->c, array)) {
        return NAN;
    }
    return strcmp(name, "least") == 0 ? least : strcmp(name, "largest") == 0 ? largest : norm;
}

/* A function of what follows. */
static double call(struct edit *e, const char *name, int64_t k, int64_t count)
{
    double value = 0;

    if (strcmp(name, "norm") == 0 || strcmp(name, "least") == 0 || strcmp(name, "largest") == 0) {
        value = call_of_all(e, name);
    } else if (strcmp(name, "abs") == 0) {
        value = fabs(sum(e, k, count));
    } else if (strcmp(name, "floor") == 0) {
        value = floor(sum(e, k, count));
    } else {
        refuse(e, "there is no such function before this");
    }
    want(e, ")");
    return value;
}

static double factor(struct edit *e, int64_t k, int64_t count);

/* Without its power. */
static double base(struct edit *e, int64_t k, int64_t count)
{
    double value = 0;
    char *end = NULL;

    if (take(e, "(")) {
        value = sum(e, k, count);
        want(e, ")");
    } else if (isalpha((unsigned char)*e->at)) {
        char name[32];
        name_of(name, e);
        if (take(e, "(")) {
            value = call(e, name, k, count);
        } else {
            const struct part p = part_of(e, name);
            const int64_t own = part_count(&p);
            if (own != 1 && own != count) {
                refuse(e, "another number of elements before this");
            }
            value = *part_at(&p, own == 1 ? 0 : k);
        }
    } else {
        value = strtod(e->at, &end);
        if (end == e->at) {
            refuse(e, "a number or a name is expected");
        }
        e->at = end;
    }
    return value;
}

static double factor(struct edit *e, int64_t k, int64_t count)
{
    double value = 0;

    if (++e->depth > DEEPEST) {
        refuse(e, "too deep");
    }
    if (take(e, "-")) {
        value = -factor(e, k, count);
    } else {
        value = base(e, k, count);
        value = take(e, "^") ? trop_pow(value, factor(e, k, count)) : value;
    }
    e->depth--;
    return value;
}

static double product(struct edit *e, int64_t k, int64_t count)
{
    double value = factor(e, k, count);

    for (;;) {
        if (take(e, "*")) {
            value *= factor(e, k, count);
        } else if (take(e, "/")) {
            value /= factor(e, k, count);
        } else {
            return value;
        }
    }
}

static double sum(struct edit *e, int64_t k, int64_t count)
{
    double value = product(e, k, count);

    for (;;) {
        if (take(e, "+")) {
            value += product(e, k, count);
        } else if (take(e, "-")) {
            value -= product(e, k, count);
        } else {
            return value;
        }
    }
}

/* ---- statements ---- */

/* Every element from the values that all of them had before. */
static void change(struct edit *e, const struct part *p, char how)
{
    const int64_t count = part_count(p);
    double *values = trop_case_scratch(e->c, count);
    const char *start = e->at;

    for (int64_t k = 0; k < count; k++) {
        const double old = *part_at(p, k);
        e->at = start;
        const double value = sum(e, k, count);
        values[k] = how == '+'   ? old + value
                    : how == '-' ? old - value
                    : how == '*' ? old * value
                    : how == '/' ? old / value
                                 : value;
    }
    for (int64_t k = 0; k < count; k++) {
        *part_at(p, k) = values[k];
    }
}

/* {a b; c d}: every number has a letter of the text at least. */
static void put_array(struct edit *e, const char *name)
{
    double *out = trop_case_scratch(e->c, (int64_t)strlen(e->at));
    int64_t rows = 1, count = 0;

    while (!take(e, "}")) {
        rows += take(e, ";");
        out[count++] = factor(e, 0, 1);
    }
    if (count == 0 || count % rows) {
        refuse(e, "rows of one length are expected before this");
    }
    trop_case_copy_in(e->c, name, out, rows > 1 ? rows : count, rows > 1 ? count / rows : 0, 0);
}

static void put_zeros(struct edit *e, const char *name)
{
    int64_t shape[TROP_CASE_RANK] = { 0 }, rank = 0;

    want(e, "(");
    do {
        if (rank == TROP_CASE_RANK) {
            refuse(e, "too many axes");
        }
        shape[rank] = whole(e);
        if (shape[rank++] < 1) {
            refuse(e, "an axis of one element at least is expected before this");
        }
    } while (take(e, ","));
    want(e, ")");
    trop_case_zeros(e->c, name, shape[0], shape[1], shape[2]);
}

static void assign(struct edit *e)
{
    char name[32];
    char how = '=';

    name_of(name, e);
    skip(e);
    const int is_whole = *e->at != '[';
    const struct part p = trop_case_has(e->c, name) ? part_of(e, name) : (struct part){ 0 };
    skip(e);
    if (*e->at && strchr("+-*/", *e->at)) {
        how = *e->at++;
    }
    want(e, "=");
    if (how == '=' && is_whole && take(e, "{")) {
        put_array(e, name);
    } else if (how == '=' && is_whole && take(e, "zeros")) {
        put_zeros(e, name);
    } else if (p.values) {
        change(e, &p, how);
    } else if (how != '=') {
        refuse(e, "the case has no such entry before this");
    } else {
        trop_case_try(e->c, trop_case_put(e->c, name, sum(e, 0, 1)));
    }
}

static void swap(struct edit *e)
{
    char name[32];

    name_of(name, e);
    const struct part a = part_of(e, name);
    name_of(name, e);
    const struct part b = part_of(e, name);
    if (part_count(&a) != part_count(&b)) {
        refuse(e, "another number of elements before this");
    }
    for (int64_t k = 0; k < part_count(&a); k++) {
        const double kept = *part_at(&a, k);
        *part_at(&a, k) = *part_at(&b, k);
        *part_at(&b, k) = kept;
    }
}

/* What was changed for the work is put back from the case as it was. */
static void restore(struct trop_case *c, const struct trop_case *before,
                    const struct trop_case *changed)
{
    for (int64_t k = 0; k < changed->count; k++) {
        const struct trop_case_entry *old = NULL, *entry = changed->entries + k;
        for (int64_t at = 0; at < before->count && !old; at++) {
            old = strcmp(before->entries[at].name, entry->name) == 0 ? before->entries + at : NULL;
        }
        const int64_t *shape = entry->shape;
        int64_t count = 1;
        for (int64_t axis = 0; axis < entry->rank; axis++) {
            count *= shape[axis];
        }
        const int is_same = old && old->rank == entry->rank &&
                            memcmp(old->shape, shape, sizeof old->shape) == 0 &&
                            memcmp(old->values, entry->values, (size_t)count * 8) == 0;
        if (is_same) {
            continue;
        }
        if (!old) {
            trop_case_drop(c, entry->name);
        } else if (old->rank == 0) {
            trop_case_put(c, old->name, old->values[0]);
        } else {
            trop_case_copy_in(c, old->name, old->values, old->shape[0], old->shape[1],
                              old->shape[2]);
        }
    }
}

static void changes(struct edit *e)
{
    do {
        assign(e);
    } while (take(e, ","));
}

/* Works on a copy, and takes these entries from it. */
static void work_aside(struct edit *e, char (*names)[32], int64_t count, int with)
{
    struct trop_case *c = e->c;

    e->c = trop_case_aside(c);
    if (with) {
        changes(e);
    }
    trop_case_try(c, trop_claim_work(e->claim, e->c));
    for (int64_t k = 0; k < count; k++) {
        const struct part p = part_of(e, names[k]);
        if (p.rank == 0) {
            trop_case_put(c, names[k], *p.values);
        } else {
            trop_case_copy_in(c, names[k], p.values, p.shape[0], p.shape[1], p.shape[2]);
        }
    }
    e->c = c;
}

static void work(struct edit *e)
{
    const struct trop_case *before = NULL, *changed = NULL;
    char names[8][32];
    int64_t count = 0;
    int with = take(e, "with");

    for (; !with && isalpha((unsigned char)*e->at) && count < 8; with = take(e, "with")) {
        name_of(names[count++], e);
    }
    if (count > 0) {
        work_aside(e, names, count, with);
        return;
    }
    if (with) {
        before = trop_case_aside(e->c);
        changes(e);
        changed = trop_case_aside(e->c);
    }
    trop_case_try(e->c, trop_claim_work(e->claim, e->c));
    if (before) {
        restore(e->c, before, changed);
    }
}

static void edit(void *context, struct trop_case *c)
{
    struct edit *e = context;
    char name[32];

    (void)c;
    do {
        if (take(e, "drop")) {
            name_of(name, e);
            trop_case_drop(e->c, name);
        } else if (take(e, "swap")) {
            swap(e);
        } else if (take(e, "work")) {
            work(e);
        } else {
            assign(e);
        }
        skip(e);
    } while (take(e, ";"));
    if (*e->at) {
        refuse(e, "the end or ';' is expected");
    }
}

enum trop_status trop_edit(struct trop_case *c, const struct trop_claim *claim, const char *text)
{
    return trop_case_part(c, edit,
                          &(struct edit){ .c = c, .claim = claim, .text = text, .at = text });
}

/* ---- hypotheses ---- */

enum relation { AT_MOST, AT_LEAST, EQUAL, BELOW, ABOVE, RELATIONS };

struct comparison {
    double left, right;
    enum relation relation;
    int truth;          /* NaN is in no relation: not decided */
    const char *middle; /* where the relation stands */
};

static struct comparison comparison(struct edit *e)
{
    static const char *const signs[] = { "<=", ">=", "==", "<", ">" };
    struct comparison found = { .left = sum(e, 0, 1), .middle = e->at };

    while (found.relation < RELATIONS && !take(e, signs[found.relation])) {
        found.relation++;
    }
    if (found.relation == RELATIONS) {
        refuse(e, "a comparison is expected");
    }
    const double a = found.left, b = found.right = sum(e, 0, 1);
    found.truth = isnan(a) || isnan(b)         ? -1
                  : found.relation == AT_MOST  ? a <= b
                  : found.relation == AT_LEAST ? a >= b
                  : found.relation == EQUAL    ? a == b
                  : found.relation == BELOW    ? a < b
                                               : a > b;
    return found;
}

/* The text without blanks around it. */
static const char *named(struct trop_judge *judge, const char *from, const char *to)
{
    while (to > from && to[-1] == ' ') {
        to--;
    }
    return trop_judge_name(judge, "%.*s", (int)(to - from), from);
}

/* One line; its name is told, or what is left of the relation, or all of it for a truth. */
static void judge_line(struct edit *e, struct trop_judge *judge)
{
    skip(e);
    const char *start = e->at, *end = start + strcspn(start, ";"), *colon = strstr(start, ": ");
    const int is_told = colon && colon < end;
    e->at = is_told ? colon + 1 : start;
    const struct comparison first = comparison(e);
    int truth = first.truth, count = 1;

    for (; take(e, "and"); count++) {
        const struct comparison next = comparison(e);
        truth = truth == 0 || next.truth == 0 ? 0 : truth < 0 || next.truth < 0 ? -1 : 1;
    }
    if (count > 1 || first.relation > AT_LEAST) {
        trop_judge_truth(judge, named(judge, start, is_told ? colon : e->at), -1, truth);
    } else {
        (first.relation == AT_MOST ? trop_judge_at_most : trop_judge_at_least)(
            judge, named(judge, start, is_told ? colon : first.middle), -1, first.left, first.right,
            0);
    }
}

void trop_edit_judge(struct trop_judge *judge, const struct trop_case *c, const char *text)
{
    struct edit e = { .c = (struct trop_case *)c, .text = text, .at = text, .judging = 1 };

    do {
        judge_line(&e, judge);
    } while (take(&e, ";"));
    if (*e.at) {
        refuse(&e, "the end or ';' is expected");
    }
}
