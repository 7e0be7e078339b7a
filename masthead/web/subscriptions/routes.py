"""The routes of the pages that change a subscription."""

from masthead.model.identity.rights import Right
from masthead.web.kit.router import Handler, PageAccess, PageRoute
from masthead.web.subscriptions import (
    cancel,
    copy_count,
    edit,
    holds,
    move,
    price,
    refund,
    renew,
    reopen,
    skip,
    terms,
)

_HANDLERS: dict[str, tuple[Handler, tuple[Right, ...]]] = {
    "copies": (copy_count.change_copies, (Right.SEE_MONEY, Right.CORRECT)),
    "edit": (edit.edit_subscription, (Right.CORRECT,)),
    "cancel": (cancel.cancel_subscription, (Right.SEE_MONEY, Right.CORRECT)),
    "hold": (holds.hold, (Right.CORRECT,)),
    "release": (holds.release, (Right.CORRECT,)),
    "move": (move.move, (Right.SEE_MONEY, Right.CORRECT)),
    "price": (price.change_order_price, (Right.SEE_MONEY, Right.CORRECT)),
    "refund": (refund.refund_subscription, (Right.SEE_MONEY, Right.CORRECT)),
    "renew": (renew.renew_subscription, (Right.SEE_MONEY,)),
    "reopen": (reopen.reopen, (Right.SEE_MONEY, Right.CORRECT)),
    "skip": (skip.skip, (Right.CORRECT,)),
    "terms": (terms.change_subscription_terms, (Right.SEE_MONEY, Right.CORRECT)),
}

SUBSCRIPTION_PAGES: tuple[PageRoute, ...] = tuple(
    PageRoute(
        f"/desk/{{subdomain}}/subscriptions/{{id}}/{name}/",
        handler,
        PageAccess.MEMBER,
        "GET POST",
        rights=rights,
    )
    for name, (handler, rights) in _HANDLERS.items()
)
