/* device.h -- another machine than the processor's cores, for the rows of attention.
 *
 * A device is a row like a kernel (kernel.h): a table of operations, with the same bits. It comes
 * in a library of its own, libtropism-cuda, which is loaded when it is asked for (device_load.c),
 * and it declines by name what it has not. Only this header is shared: no type of a device's own
 * library crosses it, and nothing is allocated on one side and freed on the other.
 */
#ifndef TROP_KERNEL_DEVICE_H
#define TROP_KERNEL_DEVICE_H

#include "tropism.h"

/* Why an operation failed, for the person: what trop_fail says behind "device = cuda: ". */
struct trop_device_told {
    char sentence[256];
};

/* What trop_rule.device says of a rule; 0: no device has it. */
enum trop_device_rule {
    TROP_DEVICE_NONE,
    TROP_DEVICE_SOFTMAX,
    TROP_DEVICE_HARDMAX,
    TROP_DEVICE_LOCALMAX
};

/* What the rows of one sweep are told: a scene (attend/row.h) and what is known of its keys. Arrays
 * are the caller's. */
struct trop_device_scene {
    int64_t n, stride;
    const double *xt;    /* (d, stride) tokens by coordinate, scaled; they are the keys as well */
    const double *y;     /* (n, d) scaled queries, or NULL: the columns of xt */
    const double *mass;  /* (n) or NULL: all 1 */
    const double *reach; /* (d) max_j |xt_cj| */
    int64_t rule;        /* enum trop_device_rule */
    int64_t causal;      /* 1: token i sees 0 .. i */
    int64_t first;       /* 1: hardmax takes the lowest of its maximisers */
    int64_t scale;       /* displacements are those of xt times 2^scale */
    int64_t scaled;      /* 1: xt or y are not the tokens themselves, so that nothing exact can be
                            decided from them */
    double beta;         /* of softmax: trop_row_beta */
    double shift, delta; /* of localmax: the set is s_j - m + shift + delta m >= 0 */
    double multiple;     /* queries are keys times this, above 0; 0: they are not */
    const double *most;  /* (norms) of softmax: max over l <= j of |key_l|^2, */
    const double *least; /* (norms) min; */
    int64_t norms;       /* n, or 1 where all rows see all tokens */
    int64_t margins;     /* 1: notes have second */
};

/* What a row is left for the caller to do. */
enum trop_device_doubt {
    TROP_DEVICE_SURE,
    TROP_DEVICE_MAXIMUM, /* its maximisers: double does not tell them apart */
    TROP_DEVICE_ROW      /* all of it */
};

struct trop_device_note {
    int64_t best;    /* the lowest exact maximiser */
    int64_t ties;    /* how many there are */
    int64_t members; /* of localmax: how many tokens are in the set, */
    int64_t lowest;  /* and the first of them */
    int64_t second;  /* the column of the largest computed score behind them, -1: none */
    uint64_t set;    /* the sum of trop_kernel_tag of the maximisers, of localmax of the set */
    double shift;    /* of softmax: weights are exp(beta s - shift), */
    double total;    /* and this is their sum by mass */
    int32_t unique;  /* 1: the maximisers are one point */
    int32_t doubt;   /* enum trop_device_doubt */
};

struct trop_device {
    const char *version; /* of the library it comes in, which must be that of this one */
    int64_t size;        /* of this struct */
    const char *name;

    /* Memory on device number index for n tokens of dimension d. */
    enum trop_status (*create)(void **out, struct trop_device_told *told, int64_t index, int64_t n,
                               int64_t d);
    void (*free)(void *handle);
    /* displacement (n, d): average minus token; notes (n). Rows in doubt have what their doubt
     * leaves. */
    enum trop_status (*rows)(double *displacement, struct trop_device_note *notes, void *handle,
                             struct trop_device_told *told, const struct trop_device_scene *scene);
    /* Steps of the layer with the tokens where they are. stay: the tokens of a scene without a
     * mask, with B = t I and nothing scaled; what their flow knows of targets and leaders. look:
     * their rows, queries being factor x; square: the largest |avg - x|^2; sure: 1 when move may
     * follow, 0 when the step is for the processor. move: a step of gamma; proved: targets and
     * leaders stay. leave: where the tokens are, (d, stride); switches: the changes of target since
     * stay, and the step of the last. */
    enum trop_status (*stay)(void *handle, struct trop_device_told *told,
                             const struct trop_device_scene *scene, const int64_t *target,
                             const int64_t *led, int64_t last_switch);
    enum trop_status (*look)(int64_t *sure, double *square, void *handle,
                             struct trop_device_told *told, double beta, double factor);
    enum trop_status (*move)(void *handle, struct trop_device_told *told, double gamma,
                             int64_t step, int64_t proved);
    enum trop_status (*leave)(double *xt, int64_t *target, int64_t *led, int64_t *switches,
                              void *handle, struct trop_device_told *told);
    /* What stands in a result: the device's own name. out: size characters. */
    void (*describe)(char *out, int64_t size, void *handle);
    /* What the machine can do, for benchmarks: fma and exponentials in a second. */
    enum trop_status (*rates)(double *fma_rate, double *exp_rate, void *handle,
                              struct trop_device_told *told);
};

/* What libtropism-cuda exports, under this name. */
#define TROP_DEVICE_ENTRY "trop_device_entry"
typedef const struct trop_device *trop_device_entry_function(void);

/* device_load.c: the row of the library that is found, not yet checked. */
enum trop_status trop_device_load(const struct trop_device **out);

/* The row at an index of trop_device_names() above 0, loaded and checked; number: which of its
 * devices. */
enum trop_status trop_device_choose(const struct trop_device **out, int64_t *number, int64_t index);

extern const char *const trop_device_name[]; /* NULL-ended, "cpu" first: trop_device_names() */

#endif
