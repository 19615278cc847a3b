/* study_change.c -- two studies compared: what changed, and where the points of one are in the
 * other.
 */
#include "run/study/study_log.h"
#include "run/study/spec/study_read.h"

#include "base/checksum.h"

#include <stdio.h>
#include <string.h>

static uint64_t add(uint64_t sum, const char *text)
{
    return trop_checksum_bytes(sum, text, (int64_t)strlen(text));
}

/* Fixed options in the order of their names, so that the order of the file does not count. */
static uint64_t add_fixed(uint64_t sum, const struct trop_study_spec *spec)
{
    uint64_t all = 0;

    for (int64_t k = 0; k < spec->fixed_count; k++) {
        all += add(add(1, spec->fixed[2 * k]), spec->fixed[2 * k + 1]);
    }
    return trop_checksum_words(sum, &all, 1);
}

uint64_t trop_study_change_id(const struct trop_study_spec *spec)
{
    uint64_t sum = add_fixed(add(1, spec->verb), spec);

    for (int64_t a = 0; a < spec->axes_count; a++) {
        const struct trop_study_axis *axis = spec->axes + a;
        const int64_t numbers[] = { axis->width, axis->count, axis->first, axis->step,
                                    axis->decimals };
        sum = trop_checksum_words(sum, numbers, 5);
        for (int64_t k = 0; k < axis->width; k++) {
            sum = add(sum, axis->names[k]);
        }
        for (int64_t k = 0; axis->texts && k < axis->count * axis->width; k++) {
            sum = add(sum, axis->texts[k]);
        }
    }
    for (int64_t k = 0; k < spec->keep_count; k++) {
        sum = add(sum, spec->keep[k]);
    }
    return sum;
}

/* ---- in words -------------------------------------------------------------------------------- */

/* Text that is cut where its room ends. */
struct words {
    char *out;
    int64_t size, used;
};

static void say(struct words *w, const char *text)
{
    const int64_t left = w->size - w->used;

    if (left > 1) {
        snprintf(w->out + w->used, (size_t)left, "%s", text);
        w->used += (int64_t)strlen(w->out + w->used);
    }
}

static void say_axis(struct words *w, const struct trop_study_axis *axis, int64_t k)
{
    char text[96], number[64];

    if (!axis->texts) {
        struct trop_study_axis step = *axis;
        step.first = axis->step;
        for (int64_t v = 0; v < 2; v++) {
            trop_study_range_text(number, sizeof number, axis, v * (axis->count - 1));
            snprintf(text, sizeof text, "%s%s", v ? ":" : "", number);
            say(w, text);
        }
        trop_study_range_text(number, sizeof number, &step, 0);
        snprintf(text, sizeof text, ":%s", number);
        say(w, text);
        return;
    }
    for (int64_t v = 0; v < axis->count && v < 4; v++) {
        snprintf(text, sizeof text, "%s%.60s", v ? ", " : "[", axis->texts[v * axis->width + k]);
        say(w, text);
    }
    snprintf(text, sizeof text, axis->count > 4 ? ", ... of %lld]" : "]", (long long)axis->count);
    say(w, text);
}

/* What the study says of an option; 0: nothing. */
static int say_option(struct words *w, const struct trop_study_spec *spec, const char *name)
{
    for (int64_t f = 0; f < spec->fixed_count; f++) {
        if (strcmp(spec->fixed[2 * f], name) == 0) {
            say(w, spec->fixed[2 * f + 1]);
            return 1;
        }
    }
    for (int64_t a = 0; a < spec->axes_count; a++) {
        for (int64_t k = 0; k < spec->axes[a].width; k++) {
            if (strcmp(spec->axes[a].names[k], name) == 0) {
                say_axis(w, spec->axes + a, k);
                return 1;
            }
        }
    }
    return 0;
}

static void say_change(struct words *w, const struct trop_study_spec *was,
                       const struct trop_study_spec *is, const char *name)
{
    char before[400] = "", now[400] = "", text[1000];
    struct words b = { before, sizeof before, 0 }, n = { now, sizeof now, 0 };

    const int had = say_option(&b, was, name), has = say_option(&n, is, name);
    if (had == has && strcmp(before, now) == 0) {
        return;
    }
    snprintf(text, sizeof text, "%s%s %s%s and %s%s", w->used ? "; " : "", name,
             had ? "was " : "was not there", before, has ? "is " : "is not there", now);
    say(w, text);
}

static void say_keep(struct words *w, const struct trop_study_spec *spec)
{
    for (int64_t k = 0; k < spec->keep_count; k++) {
        say(w, k ? ", " : "[");
        say(w, spec->keep[k]);
    }
    say(w, "]");
}

void trop_study_change_words(char *out, int64_t size, const struct trop_study_spec *was,
                             const struct trop_study_spec *is)
{
    const struct trop_study_spec *both[] = { was, is };
    char ignored[8], before[400] = "", now[400] = "";
    struct words w = { out, size, 0 }, b = { before, sizeof before, 0 }, n = { now, sizeof now, 0 },
                 nothing = { ignored, sizeof ignored, 0 };

    out[0] = '\0';
    if (strcmp(was->verb, is->verb) != 0) {
        snprintf(out, (size_t)size, "verb was %s and is %s", was->verb, is->verb);
        return;
    }
    for (int s = 0; s < 2; s++) { /* every name once */
        for (int64_t f = 0; f < both[s]->fixed_count; f++) {
            nothing.used = 0;
            if (s == 0 || !say_option(&nothing, was, both[s]->fixed[2 * f])) {
                say_change(&w, was, is, both[s]->fixed[2 * f]);
            }
        }
        for (int64_t a = 0; a < both[s]->axes_count; a++) {
            for (int64_t k = 0; k < both[s]->axes[a].width; k++) {
                nothing.used = 0;
                if (s == 0 || !say_option(&nothing, was, both[s]->axes[a].names[k])) {
                    say_change(&w, was, is, both[s]->axes[a].names[k]);
                }
            }
        }
    }
    say_keep(&b, was);
    say_keep(&n, is);
    if (strcmp(before, now) != 0) {
        say(&w, w.used ? "; keep was " : "keep was ");
        say(&w, before);
        say(&w, " and is ");
        say(&w, now);
    }
    if (w.used == 0) {
        say(&w, "values of an axis or the order of axes");
    }
}
