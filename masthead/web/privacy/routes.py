"""The routes of the pages of privacy."""

from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.privacy import retention, subscriber

_SUBSCRIBER = "/desk/{subdomain}/subscribers/{id}"

PRIVACY_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_SUBSCRIBER}/privacy/", subscriber.show_privacy, PageAccess.MEMBER),
    PageRoute(
        f"{_SUBSCRIBER}/privacy/{{format}}/", subscriber.download_everything, PageAccess.OWNER
    ),
    PageRoute(f"{_SUBSCRIBER}/erase/", subscriber.erase, PageAccess.OWNER, "GET POST"),
    PageRoute(
        "/desk/{subdomain}/settings/privacy/",
        retention.edit_retention,
        PageAccess.OWNER,
        "GET POST",
    ),
)
