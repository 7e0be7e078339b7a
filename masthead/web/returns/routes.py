"""The routes of the pages about what carriers report."""

from masthead.model.identity.rights import Right
from masthead.model.returns.uploads import MAX_UPLOAD
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.returns import copy_keys, files, moved, overview

_DESK = "/desk/{subdomain}"
_RETURNS = "/desk/{subdomain}/returns"

RETURN_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_DESK}/copy-key/", copy_keys.look_up_key, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_DESK}/copy-key/moved/",
        moved.enter_address,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(f"{_RETURNS}/", overview.show_returns, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_RETURNS}/files/",
        files.upload_file,
        PageAccess.MEMBER,
        "POST",
        max_file=MAX_UPLOAD,
        rights=(Right.DISPATCH,),
    ),
    PageRoute(
        f"{_RETURNS}/files/{{id}}/",
        files.import_file,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(
        f"{_RETURNS}/files/{{id}}/report/",
        files.download_report,
        PageAccess.MEMBER,
        rights=(Right.DOWNLOAD, Right.DISPATCH),
    ),
    PageRoute(
        f"{_RETURNS}/keys/",
        copy_keys.report_keys,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(
        f"{_RETURNS}/accept-all/",
        overview.accept_all,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(
        f"{_RETURNS}/{{id}}/accept/",
        overview.accept_address,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.DISPATCH,),
    ),
    PageRoute(
        f"{_RETURNS}/{{id}}/dismiss/",
        overview.dismiss_report,
        PageAccess.MEMBER,
        "POST",
        rights=(Right.DISPATCH,),
    ),
)
