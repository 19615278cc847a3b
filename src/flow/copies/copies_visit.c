/* copies_visit.c -- what a visitor of copies is shown, and whether lanes know it.
 *
 * Lanes have a copy's tokens, its time and what is proved of it. A result or a watched number that
 * is of the present state is had by looking at that state (flow_look.c); one that a flow gathers on
 * its way, step by step, is not known to lanes, and copies that are asked for it are flows.
 */
#include "flow/copies/copies.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

#define BIT(field) ((uint64_t)1 << TROP_FLOW_WATCH_##field)
/* Of the watched numbers, those that all steps have a part in. */
#define GATHERED \
    (BIT(LEADERS) | BIT(SWITCHES) | BIT(POTENTIAL_RISE) | BIT(DIRICHLET_RISE) | BIT(SPREAD_RISE) | \
     BIT(SUPPORT_RISE) | BIT(ENERGY_FALL) | BIT(GAP_LEAST) | BIT(GAP_BOUND) | BIT(GAP_RATIO))

/* Of the results. */
static const char *const gathered[] = { "leaders", "target", "switches", "last_switch", NULL };
/* What is had by attending to the last state once more. */
static const char *const attended[] = { "gap_max", "energy", "interaction", NULL };

/* What no attempt to end has a part in, but in the steps that it saves. */
static const char *const plain[] = { "steps",    "log10_steps", "time",     "tokens",
                                     "clusters", "diameter",    "residual", NULL };

static int is_among(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

static int is_field(const char *name)
{
    const struct trop_field *field = trop_flow_field_table();

    while (field->name && strcmp(field->name, name) != 0) {
        field++;
    }
    return field->name != NULL;
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static enum trop_status read_fields(struct trop_copies *c, const char *names)
{
    c->attends = c->shows_ends = !names;
    snprintf(c->unknown, sizeof c->unknown, "%s", names ? "" : gathered[0]);
    while (names && *names) {
        char name[64];
        const size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), names);
        if (!is_field(name)) {
            return trop_fail(TROP_ERR_ARG, "fields = %s: not a result of a flow", name);
        }
        c->attends |= is_among(attended, name);
        c->shows_ends |= !is_among(plain, name);
        c->methods |= strcmp(name, "attention") == 0;
        if (!c->unknown[0] && is_among(gathered, name)) {
            snprintf(c->unknown, sizeof c->unknown, "%s", name);
        }
        names += length + (names[length] == ',');
    }
    return TROP_OK;
}

enum trop_status trop_copies_visit_read(struct trop_copies *c,
                                        const struct trop_copies_visitor *visitor)
{
    if (!visitor) {
        return TROP_OK;
    }
    c->visitor = *visitor;
    c->visitor.fields = c->visitor.watch = NULL; /* read here, once */
    enum trop_status status = read_fields(c, visitor->fields);
    const char *left = visitor->look && visitor->watch && *visitor->watch ? visitor->watch : NULL;
    while (left && status == TROP_OK) {
        const struct trop_field *field;
        status = trop_flow_watch_next(&field, &left, "watch");
        if (status == TROP_OK) {
            const uint64_t bit = UINT64_C(1) << (field - trop_flow_watch_table());
            c->watched |= bit;
            if ((bit & GATHERED) && !c->unknown[0]) {
                snprintf(c->unknown, sizeof c->unknown, "%s", field->name);
            }
        }
    }
    if (status == TROP_OK && visitor->look && visitor->every < 1) {
        status =
            trop_fail(TROP_ERR_ARG, "every = %lld: must be at least 1", (long long)visitor->every);
    }
    return status;
}

/* ---- why not --------------------------------------------------------------------------------- */

static int is_constant(const struct trop_schedule *schedule)
{
    return schedule->kind == TROP_SCHEDULE_CONSTANT || schedule->kind == TROP_SCHEDULE_UNSET;
}

static int same(char *out, const char *what, const char *is, const char *known)
{
    snprintf(out, TROP_COPIES_SENTENCE, "%s = %s: lanes have %s", what, is, known);
    return 1;
}

/* The rule and how tokens move. */
static int refuses_motion(char *out, const struct trop_flow *f)
{
    const struct trop_flow_options *o = &f->options;
    const struct trop_dynamics *dynamics = f->dynamics;

    if (!f->rule->lanes) {
        return same(out, "rule", f->rule->name, "softmax, hardmax and localmax");
    }
    if (!trop_rule_shifts(f->rule, o->form)) {
        return same(out, "form", o->form == TROP_FORM_COSINE ? "cosine" : "relative",
                    "additive and probability");
    }
    if (!dynamics->lanes || trop_flow_is_piecewise(f)) {
        return same(out, dynamics->lanes ? "rule" : "dynamics",
                    dynamics->lanes ? f->rule->name : dynamics->name,
                    dynamics->lanes ? "the ODE of softmax" : "layer, ode, sa, usa and sa-step");
    }
    if (dynamics->continuous && f->integrator != &trop_ode_euler &&
        f->integrator != &trop_ode_rk4) {
        return same(out, "integrator", f->integrator->name, "euler and rk4");
    }
    if (dynamics->continuous ? o->value.values != NULL : f->step_map != NULL) {
        snprintf(out, TROP_COPIES_SENTENCE, "value: lanes have a number, not a matrix");
        return 1;
    }
    /* Steps that are averages from the first one on stay so; whether others become such as time
     * goes on is for the flow to see. */
    if (dynamics->closed_form && trop_flow_has_sets(f) && !trop_flow_averages(f) &&
        !is_constant(&f->gamma)) {
        snprintf(out, TROP_COPIES_SENTENCE, "gamma: leaves (0, 1], and varies in time");
        return 1;
    }
    return 0;
}

/* The rest of the options. */
static int refuses_options(char *out, const struct trop_flow *f)
{
    const struct trop_flow_options *o = &f->options;
    const struct {
        int is;
        const char *sentence;
    } rows[] = {
        { o->draw_key_query != TROP_DRAW_KEY_QUERY_NONE || o->draw_value != TROP_DRAW_VALUE_NONE,
          "draw_key_query, draw_value: lanes share one matrix" },
        { o->clock != TROP_CLOCK_TIME, "clock = gradient: lanes have time" },
        { o->mask != TROP_MASK_FULL, "mask = causal: lanes have full" },
        { o->cloud.masses != NULL, "masses: in lanes every token has mass 1" },
        { o->leap != 0, "leap: lanes take every step" },
        { o->method == TROP_METHOD_TREE, "method = tree: lanes look at every pair" },
        { o->precision != TROP_PRECISION_DOUBLE, "precision = single: lanes have double" },
        { o->device != TROP_DEVICE_CPU, "device: lanes are the processor's" },
        { o->merge != TROP_MERGE_OFF, "merge: lanes keep the tokens apart" },
        { o->closed_form == TROP_CLOSED_FORM_ONLY, "closed_form = only: lanes take steps" },
    };

    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        if (rows[k].is) {
            snprintf(out, TROP_COPIES_SENTENCE, "%s", rows[k].sentence);
            return 1;
        }
    }
    if (f->n > TROP_COPIES_TOKENS || f->n * f->d > TROP_COPIES_NUMBERS) {
        snprintf(out, TROP_COPIES_SENTENCE,
                 "n = %lld, d = %lld: lanes have up to %d tokens and n d = %d", (long long)f->n,
                 (long long)f->d, TROP_COPIES_TOKENS, TROP_COPIES_NUMBERS);
        return 1;
    }
    return 0;
}

void trop_copies_judge_lanes(struct trop_copies *c)
{
    char *out = c->alone;

    if (refuses_options(out, c->model) || refuses_motion(out, c->model)) {
        return;
    }
    /* Which of the methods of hardmax pays is asked at every step. */
    if (c->methods && c->model->rule->best_only && !c->unknown[0]) {
        snprintf(c->unknown, sizeof c->unknown, "attention");
    }
    if (c->unknown[0]) {
        snprintf(out, TROP_COPIES_SENTENCE, "%s: is gathered from all steps, which lanes do not do",
                 c->unknown);
    }
}

const char *trop_copies_alone(const struct trop_copies *copies)
{
    return copies->alone;
}

/* ---- visits ---------------------------------------------------------------------------------- */

void trop_copies_end(struct trop_copies_worker *w, enum trop_status status)
{
    if (status != TROP_OK && w->status == TROP_OK) {
        w->status = status;
        snprintf(w->sentence, sizeof w->sentence, "%s", trop_error());
        atomic_store(&w->copies->stop, 1);
    }
}

void trop_copies_show(struct trop_copies_worker *w, int64_t copy, enum trop_status status,
                      struct trop_flow *flow)
{
    const struct trop_copies_visitor *visitor = &w->copies->visitor;

    if (visitor->end && w->status == TROP_OK) {
        trop_copies_end(w, visitor->end(visitor->context, copy, status, flow));
    }
}

enum trop_status trop_copies_look(struct trop_copies_worker *w, int64_t copy,
                                  struct trop_flow *flow, int64_t *looked)
{
    const struct trop_copies *c = w->copies;
    const int64_t step = trop_flow_moves(flow);

    if (!c->visitor.look || step % c->visitor.every != 0 || step <= *looked) {
        return TROP_OK;
    }
    *looked = step;
    flow->watched = c->watched;
    flow->seen.looked = 0;
    enum trop_status status = trop_flow_look(flow);
    if (status == TROP_OK) {
        trop_flow_expand(flow);
        trop_copies_end(w, c->visitor.look(c->visitor.context, copy, flow));
    }
    /* Lanes have what is watched only where they look. */
    flow->watched = c->alone[0] ? c->watched : 0;
    return status == TROP_OK && w->status != TROP_OK ? TROP_ERR_STOPPED : status;
}

enum trop_status trop_copies_walk(struct trop_copies_worker *w, int64_t copy,
                                  struct trop_flow *flow, int64_t *looked)
{
    const struct trop_copies_visitor *visitor = &w->copies->visitor;
    enum trop_status status = trop_flow_step(flow, 0);

    for (;;) {
        const int64_t step = trop_flow_moves(flow);
        int64_t steps = trop_flow_stride(flow);
        if (status == TROP_OK) {
            status = trop_copies_look(w, copy, flow, looked);
        }
        if (status != TROP_OK || trop_flow_done(flow)) {
            return status == TROP_OK ? trop_flow_judge(flow) : status;
        }
        if (trop_copies_stopped(w->copies, w - w->copies->crew)) {
            return TROP_ERR_STOPPED;
        }
        if (visitor->look && visitor->every - step % visitor->every < steps) {
            steps = visitor->every - step % visitor->every;
        }
        status = trop_flow_step(flow, steps);
    }
}
