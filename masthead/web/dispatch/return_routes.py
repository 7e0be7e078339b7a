"""The routes of the pages about what carriers report."""

from masthead.http_body import MAX_BODY
from masthead.model.carriers.uploads import MAX_UPLOAD
from masthead.web.dispatch import copy_key, return_files, return_keys, returns
from masthead.web.kit.router import PageAccess, PageRoute

_DESK = "/desk/{subdomain}"
_RETURNS = "/desk/{subdomain}/returns"

RETURN_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_DESK}/copy-key/", copy_key.look_up_key, PageAccess.MEMBER),
    PageRoute(f"{_RETURNS}/", returns.show_returns, PageAccess.MEMBER),
    PageRoute(
        f"{_RETURNS}/files/",
        return_files.upload_file,
        PageAccess.MEMBER,
        "POST",
        max_body=MAX_UPLOAD + MAX_BODY,
    ),
    PageRoute(f"{_RETURNS}/files/{{id}}/", return_files.import_file, PageAccess.MEMBER, "GET POST"),
    PageRoute(f"{_RETURNS}/files/{{id}}/report/", return_files.download_report, PageAccess.MEMBER),
    PageRoute(f"{_RETURNS}/keys/", return_keys.report_keys, PageAccess.MEMBER, "POST"),
    PageRoute(f"{_RETURNS}/accept-all/", returns.accept_all, PageAccess.MEMBER, "POST"),
    PageRoute(f"{_RETURNS}/{{id}}/accept/", returns.accept_address, PageAccess.MEMBER, "POST"),
    PageRoute(f"{_RETURNS}/{{id}}/dismiss/", returns.dismiss_report, PageAccess.MEMBER, "POST"),
)
