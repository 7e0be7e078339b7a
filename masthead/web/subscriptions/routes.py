"""The routes of the pages that change a subscription."""

from masthead.web.kit.router import Handler, PageAccess, PageRoute
from masthead.web.subscriptions import cancel, edit, refund, renew, reopen, terms

_HANDLERS: dict[str, Handler] = {
    "edit": edit.edit_subscription,
    "cancel": cancel.cancel_subscription,
    "refund": refund.refund_subscription,
    "renew": renew.renew_subscription,
    "reopen": reopen.reopen,
    "terms": terms.change_subscription_terms,
}

SUBSCRIPTION_PAGES: tuple[PageRoute, ...] = tuple(
    PageRoute(
        f"/desk/{{subdomain}}/subscriptions/{{id}}/{name}/", handler, PageAccess.MEMBER, "GET POST"
    )
    for name, handler in _HANDLERS.items()
)
