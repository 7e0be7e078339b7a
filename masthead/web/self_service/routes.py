"""The routes of the pages of the desk about the page for subscribers."""

from masthead.model.identity.rights import Right
from masthead.services.pictures import MAX_UPLOAD
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.self_service import requests, settings

_DESK = "/desk/{subdomain}"
_SETTINGS = "/desk/{subdomain}/settings/self-service"

SELF_SERVICE_PAGES: tuple[PageRoute, ...] = (
    PageRoute(
        f"{_SETTINGS}/",
        settings.edit_settings,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/logo/upload/",
        settings.upload_logo,
        PageAccess.MEMBER,
        "GET POST",
        max_file=MAX_UPLOAD,
        rights=(Right.SETTINGS,),
    ),
    PageRoute(
        f"{_SETTINGS}/preview/",
        settings.preview_page,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY, Right.SETTINGS),
    ),
    PageRoute(
        f"{_SETTINGS}/colours/", settings.send_colours, PageAccess.MEMBER, rights=(Right.SETTINGS,)
    ),
    PageRoute(
        f"{_SETTINGS}/logo/", settings.send_logo, PageAccess.MEMBER, rights=(Right.SETTINGS,)
    ),
    PageRoute(f"{_DESK}/requests/", requests.show_requests, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_DESK}/requests/{{id}}/send/",
        requests.send_replacement,
        PageAccess.MEMBER,
        "POST",
        rights=(),
    ),
    PageRoute(
        f"{_DESK}/requests/{{id}}/close/",
        requests.close_request,
        PageAccess.MEMBER,
        "POST",
        rights=(),
    ),
)
