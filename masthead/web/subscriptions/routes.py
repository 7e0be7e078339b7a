"""The routes of the pages that change a subscription."""

from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.subscriptions import cancel, edit

_SUBSCRIPTION = "/desk/{subdomain}/subscriptions/{id}"

SUBSCRIPTION_PAGES: tuple[PageRoute, ...] = (
    PageRoute(f"{_SUBSCRIPTION}/edit/", edit.edit_subscription, PageAccess.MEMBER, "GET POST"),
    PageRoute(
        f"{_SUBSCRIPTION}/cancel/", cancel.cancel_subscription, PageAccess.MEMBER, "GET POST"
    ),
)
