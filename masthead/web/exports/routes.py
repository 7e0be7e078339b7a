"""The routes of the files of lists."""

from masthead.web.exports import csv_style, downloads, everything
from masthead.web.kit.router import PageAccess, PageRoute

_FILE = "downloads/{list}/{format}/"

_EXPORT = "/desk/{subdomain}/settings/export"

EXPORT_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"/desk/{{subdomain}}/{_FILE}", downloads.download_list, PageAccess.MEMBER),
    PageRoute(
        "/desk/{subdomain}/csv-style/", csv_style.choose_csv_style, PageAccess.MEMBER, "POST"
    ),
    PageRoute(
        f"/desk/{{subdomain}}/settings/{_FILE}",
        downloads.download_settings_list,
        PageAccess.OWNER,
    ),
    PageRoute(f"{_EXPORT}/", everything.show_exports, PageAccess.OWNER, "GET POST"),
    PageRoute(f"{_EXPORT}/{{id}}/zip/", everything.download_archive, PageAccess.OWNER),
    PageRoute(f"{_EXPORT}/{{id}}/delete/", everything.delete_archive, PageAccess.OWNER, "POST"),
)
