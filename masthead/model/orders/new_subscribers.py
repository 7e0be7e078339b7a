"""The row of a subscriber whom an order creates: who gets the copies, or who gives them."""

from collections.abc import Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any

from masthead.model.orders.order import Giver, Order
from masthead.model.subscribers.corrections import FORMS_OF_ADDRESS, NAMES
from masthead.model.types.postal_fields import ADDRESS_FIELDS

_NAMED = (*FORMS_OF_ADDRESS, *NAMES)
_named_values, _address_values = attrgetter(*_NAMED), attrgetter(*ADDRESS_FIELDS)
_NO_ADDRESS = dict.fromkeys(ADDRESS_FIELDS)


def new_subscriber(
    who: Order | Giver, *, id: str, n: int, placeholder: str, email_key: str, moment: datetime
) -> Mapping[str, Any]:
    """The columns without the totals. A giver has a postal address of their own.

    placeholder: the email address of somebody without one. email_key: of the address.
    """
    own = _NO_ADDRESS
    if isinstance(who, Giver):
        own = dict(zip(ADDRESS_FIELDS, _address_values(who), strict=True))
    return {
        "id": id,
        "n": n,
        "email": who.email or placeholder,
        "email_key": email_key,
        "is_placeholder": who.email is None,
        **dict(zip(_NAMED, _named_values(who), strict=True)),
        **own,
        "created_at": moment,
    }
