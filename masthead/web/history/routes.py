"""The routes of the pages about what happened."""

from masthead.web.history import pages
from masthead.web.kit.router import PageAccess, PageRoute

_DESK = "/desk/{subdomain}"

HISTORY_PAGES: tuple[PageRoute, ...] = (
    PageRoute(
        f"{_DESK}/subscribers/{{id}}/history/", pages.show_subscriber, PageAccess.MEMBER, rights=()
    ),
    PageRoute(
        f"{_DESK}/subscriptions/{{id}}/history/",
        pages.show_subscription,
        PageAccess.MEMBER,
        rights=(),
    ),
    PageRoute(f"{_DESK}/issues/{{id}}/history/", pages.show_issue, PageAccess.MEMBER, rights=()),
)
