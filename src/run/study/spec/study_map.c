/* study_map.c -- where the points of one study are in another.
 *
 * Two studies are compared option by option. An option that was fixed may have become an axis, and
 * an axis may have other values; the point of the other study is the one with equal values, numbers
 * compared as numbers. An option that only one of the two has is not comparable: nobody knows what
 * it was.
 */
#include "run/study/study_log.h"
#include "run/study/spec/study_read.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_MAX INT64_C(10000000) /* values of an axis that are compared one by one */

/* How the values of an axis are found. */
struct way {
    int64_t count, stride; /* of the axis in the study that the points are of */
    int64_t *table;        /* (count) points to add, -1: the value is not there; NULL: ranges */
    int64_t first, step;   /* value k is that of ((first + k step) / divisor) */
    int64_t divisor, limit, pace;
};

struct trop_study_map {
    struct way *way; /* (ways), by the axes of the study that the points are of */
    int64_t ways;
    int64_t base; /* of what was fixed and is an axis now */
};

/* ---- values in order --------------------------------------------------------------------------
 */

/* The values of the options of an axis side by side. */
struct tuple {
    const struct trop_study_axis *axis;
    char *const *texts; /* (width) */
    int64_t value;
};

static int compare_texts(const char *a, const char *b)
{
    double one, two;

    if (strcmp(a, b) == 0) {
        return 0;
    }
    const int numbers = trop_study_range_number(&one, a) && trop_study_range_number(&two, b);
    return numbers && one == two ? 0 : numbers ? (one > two) - (one < two) : strcmp(a, b);
}

static int compare(const void *a, const void *b)
{
    const struct tuple *one = a, *two = b;
    int order = 0;

    for (int64_t k = 0; k < one->axis->width && order == 0; k++) {
        order = compare_texts(one->texts[k], two->texts[k]);
    }
    return order;
}

/* The value of a range that a text is, -1: none. */
static int64_t in_range(const struct trop_study_axis *axis, const char *text)
{
    char own[64];
    double number;

    if (!trop_study_range_number(&number, text)) {
        return -1;
    }
    double scale = 1;
    for (int64_t k = 0; k < axis->decimals; k++) {
        scale *= 10;
    }
    const double guess = nearbyint((number * scale - (double)axis->first) / (double)axis->step);
    if (!(guess >= 0 && guess < (double)axis->count)) {
        return -1;
    }
    trop_study_range_text(own, sizeof own, axis, (int64_t)guess);
    return compare_texts(own, text) == 0 ? (int64_t)guess : -1;
}

/* The places in `to` of the values of `from`; where they are the texts of an axis, by search. */
static enum trop_status fill(int64_t *table, struct trop_study_spec *texts,
                             const struct trop_study_axis *from, const struct trop_study_axis *to)
{
    struct tuple *sorted = NULL, key = { .axis = from };
    char own[64], *range[1] = { own };

    if (to->texts) {
        sorted = trop_study_spec_own(texts, to->count, sizeof *sorted);
        if (!sorted) {
            return trop_fail(TROP_ERR_MEMORY, "no memory to compare two studies");
        }
        for (int64_t v = 0; v < to->count; v++) {
            sorted[v] = (struct tuple){ to, to->texts + v * to->width, v };
        }
        qsort(sorted, (size_t)to->count, sizeof *sorted, compare);
    }
    for (int64_t v = 0; v < from->count; v++) {
        if (!from->texts) {
            trop_study_range_text(own, sizeof own, from, v);
        }
        key.texts = from->texts ? from->texts + v * from->width : range;
        const struct tuple *found =
            sorted ? bsearch(&key, sorted, (size_t)to->count, sizeof *sorted, compare) : NULL;
        table[v] = found ? found->value : to->texts ? -1 : in_range(to, key.texts[0]);
    }
    return TROP_OK;
}

/* ---- options ----------------------------------------------------------------------------------
 */

static const char *fixed_text(const struct trop_study_spec *spec, const char *name)
{
    for (int64_t k = 0; k < spec->fixed_count; k++) {
        if (strcmp(spec->fixed[2 * k], name) == 0) {
            return spec->fixed[2 * k + 1];
        }
    }
    return NULL;
}

static const struct trop_study_axis *same_axis(const struct trop_study_spec *spec,
                                               const struct trop_study_axis *axis)
{
    for (int64_t a = 0; a < spec->axes_count; a++) {
        int is_same = spec->axes[a].width == axis->width;
        for (int64_t k = 0; is_same && k < axis->width; k++) {
            is_same = strcmp(spec->axes[a].names[k], axis->names[k]) == 0;
        }
        if (is_same) {
            return spec->axes + a;
        }
    }
    return NULL;
}

/* The options of an axis where the study has them fixed, as an axis of one value; 0: it has not. */
static int fixed_axis(struct trop_study_axis *out, char **texts, const struct trop_study_spec *spec,
                      const struct trop_study_axis *axis)
{
    for (int64_t k = 0; k < axis->width; k++) {
        texts[k] = (char *)fixed_text(spec, axis->names[k]); /* only read */
        if (!texts[k]) {
            return 0;
        }
    }
    *out = *axis;
    out->texts = texts;
    out->count = 1;
    out->stride = 0;
    return 1;
}

static enum trop_status refuse(const char *name)
{
    return trop_fail(TROP_ERR_ARG, "%s: one study has it, the other has not", name);
}

static enum trop_status refuse_values(const char *name)
{
    return trop_fail(TROP_ERR_ARG, "%s: not all values of before are there", name);
}

/* Two ranges with as many decimals: by arithmetic. */
static int by_ranges(struct way *way, const struct trop_study_axis *from,
                     const struct trop_study_axis *to, int partial)
{
    if (from->texts || to->texts || from->decimals != to->decimals) {
        return 0;
    }
    way->first = from->first - to->first;
    way->step = from->step;
    way->divisor = to->step;
    way->limit = to->count;
    way->pace = to->stride;
    const int64_t last = way->first + (from->count - 1) * way->step;
    const int all = way->first % to->step == 0 && last % to->step == 0 &&
                    (from->count == 1 || way->step % to->step == 0) && way->first / to->step >= 0 &&
                    way->first / to->step < to->count && last / to->step >= 0 &&
                    last / to->step < to->count;
    return all || partial;
}

/* Where the values of axis `from` are in the other study. */
static enum trop_status find_way(struct way *way, struct trop_study_spec *room,
                                 const struct trop_study_axis *from,
                                 const struct trop_study_spec *to, int partial)
{
    struct trop_study_axis one;
    char **texts = trop_study_spec_own(room, from->width, sizeof *texts);
    const struct trop_study_axis *there = same_axis(to, from);

    if (!texts) {
        return trop_fail(TROP_ERR_MEMORY, "no memory to compare two studies");
    }
    if (!there && fixed_axis(&one, texts, to, from)) {
        there = &one;
    }
    way->count = from->count;
    way->stride = from->stride;
    if (!there) {
        return refuse(from->names[0]);
    }
    if (by_ranges(way, from, there, partial)) {
        return TROP_OK;
    }
    if (from->count > TABLE_MAX) {
        return refuse_values(from->names[0]);
    }
    way->table = trop_alloc(from->count, sizeof *way->table);
    if (!way->table) {
        return trop_fail(TROP_ERR_MEMORY, "no memory to compare two studies");
    }
    enum trop_status status = fill(way->table, room, from, there);
    for (int64_t v = 0; v < from->count && status == TROP_OK; v++) {
        if (way->table[v] < 0 && !partial) {
            return refuse_values(from->names[0]);
        }
        way->table[v] = way->table[v] < 0 ? -1 : way->table[v] * there->stride;
    }
    return status;
}

/* What was fixed: is it still, or a value of an axis? */
static enum trop_status find_base(int64_t *base, struct trop_study_spec *room,
                                  const struct trop_study_spec *from,
                                  const struct trop_study_spec *to)
{
    for (int64_t k = 0; k < to->fixed_count; k++) {
        const char *name = to->fixed[2 * k], *text = fixed_text(from, name);
        int is_axis = 0;
        for (int64_t a = 0; a < from->axes_count; a++) {
            for (int64_t l = 0; l < from->axes[a].width; l++) {
                is_axis |= strcmp(from->axes[a].names[l], name) == 0;
            }
        }
        if (!text && !is_axis) {
            return refuse(name);
        }
        if (text && compare_texts(text, to->fixed[2 * k + 1]) != 0) {
            return refuse_values(name);
        }
    }
    int64_t covered = 0; /* fixed options of before that are axes now, or still fixed */
    for (int64_t a = 0; a < to->axes_count; a++) {
        const struct trop_study_axis *axis = to->axes + a;
        struct trop_study_axis one;
        char **texts = trop_study_spec_own(room, axis->width, sizeof *texts);
        int64_t value;
        if (!texts) {
            return trop_fail(TROP_ERR_MEMORY, "no memory to compare two studies");
        }
        if (same_axis(from, axis)) {
            continue;
        }
        if (!fixed_axis(&one, texts, from, axis)) {
            return refuse(axis->names[0]);
        }
        enum trop_status status = fill(&value, room, &one, axis);
        if (status != TROP_OK || value < 0) {
            return status != TROP_OK ? status : refuse_values(axis->names[0]);
        }
        *base += value * axis->stride;
        covered += axis->width;
    }
    for (int64_t k = 0; k < from->fixed_count; k++) {
        covered += fixed_text(to, from->fixed[2 * k]) != NULL;
    }
    return covered == from->fixed_count ? TROP_OK
                                        : trop_fail(TROP_ERR_ARG, "an option was taken out");
}

/* ---- the map ----------------------------------------------------------------------------------
 */

enum trop_status trop_study_map_create(struct trop_study_map **out,
                                       const struct trop_study_spec *from,
                                       const struct trop_study_spec *to, int partial)
{
    struct trop_study_spec room = { 0 };
    struct trop_study_map *map = trop_alloc(1, sizeof *map);
    enum trop_status status = TROP_OK;

    if (!map || !(map->way = trop_alloc(from->axes_count, sizeof *map->way))) {
        trop_alloc_free(map);
        return trop_fail(TROP_ERR_MEMORY, "no memory to compare two studies");
    }
    map->ways = from->axes_count;
    if (strcmp(from->verb, to->verb) != 0) {
        status = trop_fail(TROP_ERR_ARG, "verb: %s and %s are two", from->verb, to->verb);
    }
    int is_same = from->keep_count == to->keep_count;
    for (int64_t k = 0; is_same && k < to->keep_count; k++) {
        is_same = strcmp(from->keep[k], to->keep[k]) == 0;
    }
    if (status == TROP_OK && !is_same) {
        status = trop_fail(TROP_ERR_ARG, "keep: other fields are kept");
    }
    if (status == TROP_OK) {
        status = find_base(&map->base, &room, from, to);
    }
    for (int64_t a = 0; a < from->axes_count && status == TROP_OK; a++) {
        status = find_way(map->way + a, &room, from->axes + a, to, partial);
    }
    trop_study_spec_free(&room);
    if (status != TROP_OK) {
        trop_study_map_free(map);
        return status;
    }
    *out = map;
    return TROP_OK;
}

void trop_study_map_free(struct trop_study_map *map)
{
    if (map) {
        for (int64_t a = 0; a < map->ways; a++) {
            trop_alloc_free(map->way[a].table);
        }
        TROP_FREE(map->way, map);
    }
}

int64_t trop_study_map_point(const struct trop_study_map *map, int64_t point)
{
    int64_t there = map->base;

    for (int64_t a = 0; a < map->ways; a++) {
        const struct way *way = map->way + a;
        const int64_t value = point / way->stride % way->count;
        if (way->table) {
            if (way->table[value] < 0) {
                return -1;
            }
            there += way->table[value];
            continue;
        }
        const int64_t sum = way->first + value * way->step;
        if (sum % way->divisor != 0 || sum / way->divisor < 0 || sum / way->divisor >= way->limit) {
            return -1;
        }
        there += sum / way->divisor * way->pace;
    }
    return there;
}
