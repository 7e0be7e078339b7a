"""The routes of the page for orders."""

from masthead.model.identity.rights import Right
from masthead.web.kit.desk_pages import DeskPages
from masthead.web.orders import order_create

_ORDER = DeskPages("subscriptions/new/", rights=())

ORDER_PAGES = (
    _ORDER.form("", order_create.add_order, Right.TAKE_ORDERS),
    _ORDER.change("source/", order_create.add_source, Right.TAKE_ORDERS),
)
