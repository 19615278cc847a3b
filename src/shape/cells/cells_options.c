/* cells_options.c -- the options of the cells: defaults, table, and what they must satisfy. */
#include "shape/cells/cells_internal.h"

#include "base/option.h"
#include "base/status.h"
#include "shape/cloud_options.h"

struct trop_cells_options trop_cells_options_default(void)
{
    return (struct trop_cells_options){
        .cloud = trop_cloud_options_default(),
        .eta = TROP_CELLS_OFF,
        .erode = TROP_CELLS_OFF,
    };
}

static const char *const off_names[] = { "off", NULL };

#define AT(member) #member, offsetof(struct trop_cells_options, member)
static const struct trop_option table[] = {
    TROP_CLOUD_TOKENS(trop_cells_options),
    TROP_CLOUD_DRAWN(trop_cells_options, "seed of the drawn tokens"),
    TROP_CLOUD_SCORES(trop_cells_options),
    { AT(query), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "further points to label", NULL, NULL },
    { AT(eta), TROP_TYPE_DOUBLE, 0, 1e300, 0, off_names,
      "least lead of a vertex in its dominance cone", NULL, NULL },
    { AT(erode), TROP_TYPE_DOUBLE, 0, 1e300, 0, off_names,
      "radius by which dominance cones are eroded (eta 0 unless given)", NULL, NULL },
    TROP_OPTION_THREADS(AT(threads)),
    { 0 },
};
#undef AT

const struct trop_option *trop_cells_option_table(void)
{
    return table;
}

enum trop_status trop_cells_check(const struct trop_cells_options *o)
{
    enum trop_status status = trop_option_check(o, table);

    if (status == TROP_OK && (o->queries < 0 || (o->queries > 0 && !o->query))) {
        status = trop_fail(TROP_ERR_ARG, "queries = %lld: must be the rows of query",
                           (long long)o->queries);
    }
    if (status == TROP_OK && o->cloud.masses) {
        status = trop_fail(TROP_ERR_ARG, "masses: are for flows and consensus");
    }
    if (status == TROP_OK) {
        status = trop_cloud_check(&o->cloud);
    }
    return status == TROP_OK ? trop_cloud_check_points(o->query, o->queries, o->cloud.d, "query")
                             : status;
}
