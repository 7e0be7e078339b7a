"""The routes of the pages of privacy."""

from masthead.model.identity.rights import Right
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.privacy import retention, subscriber

_SUBSCRIBER = "/desk/{subdomain}/subscribers/{id}"

PRIVACY_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_SUBSCRIBER}/privacy/", subscriber.show_privacy, PageAccess.MEMBER, rights=()),
    PageRoute(
        f"{_SUBSCRIBER}/privacy/{{format}}/",
        subscriber.download_everything,
        PageAccess.MEMBER,
        rights=(Right.SEE_MONEY, Right.DOWNLOAD, Right.ERASE),
    ),
    PageRoute(
        f"{_SUBSCRIBER}/erase/",
        subscriber.erase,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.ERASE,),
    ),
    PageRoute(
        "/desk/{subdomain}/settings/privacy/",
        retention.edit_retention,
        PageAccess.MEMBER,
        "GET POST",
        rights=(Right.ERASE, Right.SETTINGS),
    ),
)
