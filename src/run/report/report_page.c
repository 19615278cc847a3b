/* report_page.c -- a page in the look of the reports, of what a program puts there. */
#include "run/report/report.h"

#include "run/setup/setup.h"

enum trop_status trop_report_page(const char *path, const char *title, const char *content)
{
    struct trop_html page = { 0 };

    if (!trop_setup_ends(path, ".html")) {
        return trop_fail(TROP_ERR_ARG, "report = %s: must end in .html", path);
    }
    trop_html_begin(&page, title, trop_report_style);
    trop_html_put(&page, content);
    return trop_html_write(&page, path);
}
