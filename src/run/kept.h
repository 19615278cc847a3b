/* kept.h -- the options and arrays of a setup, kept so that a result's file alone can
 * repeat it. */
#ifndef TROP_RUN_KEPT_H
#define TROP_RUN_KEPT_H

#include "io/h5/h5.h"
#include "io/json/json.h"
#include "run/setup/setup.h"

#define TROP_KEPT_INPUTS 8
#define TROP_KEPT_MACHINE 4

/* What an option was, as text. */
struct trop_kept_text {
    const char *name;
    char *text;
    const struct trop_option *option;
    int applies; /* 1: it has a part in the result */
    int given;   /* 1: it was not left at its default */
};

struct trop_kept_input {
    const char *name; /* of the option */
    double *values;
    int64_t rank, shape[3];
    const char *axes[3];
};

/* Zero-initialised by the caller; each list ends at a name NULL or at its end. */
struct trop_kept {
    struct trop_kept_text options[2 * TROP_SETUP_MAX]; /* that decide the result */
    struct trop_kept_text machine[TROP_KEPT_MACHINE];  /* that do not */
    struct trop_kept_input input[TROP_KEPT_INPUTS];
    int drawn; /* the tokens were drawn, not given */
};

/* tokens: the cloud at the start, (n, d), given or drawn. What was kept before a failure
 * is released by close as well. */
enum trop_status trop_kept_open(struct trop_kept *kept, struct trop_setup *setup,
                                const double *tokens);
/* An option that changed meanwhile; text is kept's from here on. */
void trop_kept_replace(struct trop_kept *kept, const char *name, char *text);
void trop_kept_close(struct trop_kept *kept);
/* Option k = 0, 1, ... of those that apply and have a value; NULL behind the last. */
const struct trop_kept_text *trop_kept_at(const struct trop_kept *kept, int64_t k);
/* The member options of an object that is open: those. */
void trop_kept_json(const struct trop_kept *kept, struct trop_json *json);
/* /options, /machine and /input. */
enum trop_status trop_kept_put(const struct trop_kept *kept, struct trop_h5 *h5);

#endif
