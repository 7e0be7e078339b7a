"""The right to bill: orders need it only if they are billed."""

from collections.abc import Sequence

from masthead.model.actors import Principal
from masthead.model.identity.rights import MissingRight, Right
from masthead.model.orders.entry import OrderCreate
from masthead.model.subscriptions.renewals import RenewalCreate


def require_bill(principal: Principal, bodies: Sequence[OrderCreate | RenewalCreate]) -> None:
    """Raises: MissingRight if an order is billed, and the key may not do that."""
    if Right.BILL not in principal.rights and any(each.is_billed for each in bodies):
        raise MissingRight([Right.BILL])
