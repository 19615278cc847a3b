/* flow.c -- 64 Gaussian tokens in the plane under hardmax, until they rest. */
#include <stdio.h>
#include <tropism.h>

int main(void)
{
    const char *options[] = { "n",     "64",        "d",     "2",   "rule", "hardmax",
                              "until", "converged", "steps", "1e6", NULL };
    struct trop_flow *flow = NULL;
    struct trop_value leaders, kind;
    double clusters;

    if (trop_flow_create_from(&flow, options) || trop_flow_run(flow, NULL, NULL) ||
        trop_flow_number(&clusters, flow, "clusters") ||
        trop_flow_value(&leaders, flow, "leaders") ||
        trop_flow_value(&kind, flow, "certificate.kind")) {
        fprintf(stderr, "%s\n", trop_error());
        trop_flow_free(flow);
        return 1;
    }
    printf("%.0f clusters, certified by %s\nleaders:", clusters, kind.text);
    for (int64_t i = 0; i < leaders.shape[0]; i++) {
        printf(" %lld", (long long)leaders.integers[i]);
    }
    printf("\n");
    trop_flow_free(flow);
    return 0;
}
