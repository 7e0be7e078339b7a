"""The routes of the pages of subscriptions: the lists, each subscription, and its changes."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.subscriptions import (
    cancel,
    copy_count,
    edit,
    holds,
    list_page,
    move,
    price,
    refund,
    refund_delete,
    renew,
    reopen,
    skip,
    subscription,
    terms,
)

_SUBSCRIPTIONS = DeskPages("subscriptions/", rights=())
_SUBSCRIPTION = DeskPages("subscriptions/{id}/", rights=())

SUBSCRIPTION_PAGES = (
    _SUBSCRIPTIONS.page("", list_page.list_subscriptions),
    _SUBSCRIPTIONS.page("held/", holds.list_held),
    _SUBSCRIPTION.page("", subscription.show_subscription),
    _SUBSCRIPTION.change("sent/", subscription.mark_copy_sent, Right.DISPATCH),
    _SUBSCRIPTION.form("copies/", copy_count.change_copies, Right.SEE_MONEY, Right.CORRECT),
    _SUBSCRIPTION.form("edit/", edit.edit_subscription, Right.CORRECT),
    _SUBSCRIPTION.form("cancel/", cancel.cancel_subscription, Right.TAKE_ORDERS, Right.CORRECT),
    _SUBSCRIPTION.form("hold/", holds.hold, Right.CORRECT),
    _SUBSCRIPTION.form("release/", holds.release, Right.CORRECT),
    _SUBSCRIPTION.form("move/", move.move, Right.SEE_MONEY, Right.CORRECT),
    _SUBSCRIPTION.form("price/", price.change_order_price, Right.SEE_MONEY, Right.CORRECT),
    _SUBSCRIPTION.form("refund/", refund.refund_subscription, Right.SEE_MONEY, Right.CORRECT),
    _SUBSCRIPTION.confirmation(
        "refund/{refund}/delete/", refund_delete.delete, Right.SEE_MONEY, Right.CORRECT
    ),
    _SUBSCRIPTION.form("renew/", renew.renew_subscription, Right.TAKE_ORDERS),
    _SUBSCRIPTION.form("reopen/", reopen.reopen, Right.TAKE_ORDERS, Right.CORRECT),
    _SUBSCRIPTION.form("skip/", skip.skip, Right.CORRECT),
    _SUBSCRIPTION.form("terms/", terms.change_subscription_terms, Right.SEE_MONEY, Right.CORRECT),
)
