"""The row of a subscriber whom an order creates: who gets the copies, or who gives them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from masthead.model.orders.order import Giver, Order
from masthead.model.subscribers.corrections import FORMS_OF_ADDRESS, NAMES, OWN_ADDRESS
from masthead.model.types.email_addresses import email_key


def new_subscriber(
    who: Order | Giver, *, id: str, n: int, placeholder: str, moment: datetime
) -> Mapping[str, Any]:
    """The columns without the totals. A giver has a postal address of their own.

    placeholder: the email address of somebody without one.
    """
    email = who.email or placeholder
    is_giver = isinstance(who, Giver)
    return {
        "id": id,
        "n": n,
        "email": email,
        "email_key": email_key(email),
        "is_placeholder": who.email is None,
        **{name: getattr(who, name) for name in (*FORMS_OF_ADDRESS, *NAMES)},
        **{name: getattr(who, name) if is_giver else None for name in OWN_ADDRESS},
        "created_at": moment,
    }
