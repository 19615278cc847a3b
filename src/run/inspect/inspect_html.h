/* inspect_html.h -- what the parts of the page of an inspection share. */
#ifndef TROP_RUN_INSPECT_HTML_H
#define TROP_RUN_INSPECT_HTML_H

#include "io/html.h"
#include "run/inspect/inspect.h"

#define TROP_INSPECT_FEW 56 /* tokens whose words stand side by side under arcs */

/* Where on a scale of colours white is, and where it ends. */
enum trop_inspect_scale {
    TROP_INSPECT_FROM_ZERO, /* white at 0, dark at the largest */
    TROP_INSPECT_SHARE,     /* white at 0, dark at 1 */
    TROP_INSPECT_SIGNED,    /* white at 0, blue above, orange below, both to the same size */
    TROP_INSPECT_FROM_ONE,  /* white at 1, dark at the largest */
    TROP_INSPECT_BELOW_ONE  /* white at 1, dark at the least */
};

/* A number of a head as the page tells it. */
struct trop_inspect_told {
    const char *name;  /* that of the result, with dots */
    const char *title; /* of its map */
    const char *definition, *certificate;
    int64_t scale; /* enum trop_inspect_scale */
};

/* inspect_html_numbers.c: in the order of enum trop_inspect_number, and of layers. */
extern const struct trop_inspect_told trop_inspect_numbers[TROP_INSPECT_NUMBERS];
extern const struct trop_inspect_told trop_inspect_layer_numbers[TROP_INSPECT_LAYER_NUMBERS];

/* inspect_html_map.c: a map of layers and heads for every number that some head has. */
void trop_inspect_html_maps(struct trop_html *page, const struct trop_inspect *inspect);
/* Whether some head has the number. */
int trop_inspect_html_has(const struct trop_inspect *inspect, int number);
/* Five digits, or "inf"; "none" of NaN. */
void trop_inspect_html_number(char out[32], double value);
/* A token as it is seen, without blanks about it: what cannot be seen has a sign. */
void trop_inspect_html_token(struct trop_html *page, const struct trop_inspect_text *text,
                             int64_t token);

/* inspect_html_data.c: the head that is shown first, what the script reads, and tables of it for
 * who reads without one. */
int64_t trop_inspect_html_first(const struct trop_inspect *inspect);
enum trop_status trop_inspect_html_data(struct trop_html *page, const struct trop_inspect *inspect);
enum trop_status trop_inspect_html_words(struct trop_html *page,
                                         const struct trop_inspect *inspect);
void trop_inspect_html_table(struct trop_html *page, const struct trop_inspect *inspect);

/* inspect_html_depth.c: cosine and rank of the stream through the layers. */
enum trop_status trop_inspect_html_depth(struct trop_html *page,
                                         const struct trop_inspect *inspect);

/* inspect_html.css, inspect_html.js, made C by the build: rules of CSS, and the script. */
extern const unsigned char trop_inspect_style[], trop_inspect_script[];

#endif
