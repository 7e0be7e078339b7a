"""The routes of the files of lists."""

from masthead.model.identity.rights import Right
from masthead.web.exports import csv_style, downloads, everything
from masthead.web.kit.router import PageAccess, PageRoute

_FILE = "downloads/{list}/{format}/"

_EXPORT = "/desk/{subdomain}/settings/export"

EXPORT_PAGES: tuple[PageRoute, ...] = (
    PageRoute(
        f"/desk/{{subdomain}}/{_FILE}",
        downloads.download_list,
        PageAccess.MEMBER,
        rights=(Right.DOWNLOAD,),
    ),
    PageRoute(
        "/desk/{subdomain}/csv-style/",
        csv_style.choose_csv_style,
        PageAccess.MEMBER,
        "POST",
        rights=(),
    ),
    PageRoute(
        f"/desk/{{subdomain}}/settings/{_FILE}",
        downloads.download_settings_list,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
    ),
    PageRoute(
        f"{_EXPORT}/",
        everything.show_exports,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
    ),
    PageRoute(
        f"{_EXPORT}/{{id}}/zip/",
        everything.download_archive,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
    ),
    PageRoute(
        f"{_EXPORT}/{{id}}/delete/",
        everything.delete_archive,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.SETTINGS),
    ),
)
