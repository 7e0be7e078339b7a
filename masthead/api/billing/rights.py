"""The right to bill: orders need it only if they are billed."""

from collections.abc import Sequence

from masthead.model.actors import Principal
from masthead.model.identity.rights import MissingRight, Right
from masthead.model.orders.entry import OrderCreate
from masthead.model.subscriptions.renewals import RenewalCreate


def require_bill(principal: Principal, bodies: Sequence[OrderCreate | RenewalCreate]) -> None:
    """Raises: MissingRight if an order is billed, and the key may not do that."""
    require_bill_if(principal, any(bool(each.is_billed) for each in bodies))


def require_bill_if(principal: Principal, is_billed: bool) -> None:
    """Raises: MissingRight if something is billed, and the key may not do that."""
    if is_billed and Right.BILL not in principal.rights:
        raise MissingRight([Right.BILL])
