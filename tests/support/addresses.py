"""Plan changes of addresses, through the services."""

from datetime import date, timedelta
from typing import Any

from masthead.model.addresses.changes import NewAddress
from masthead.model.addresses.days import find_span
from masthead.model.clock import now
from masthead.services.addresses.changes import ChangeResult, change_addresses
from masthead.services.addresses.requests import ChangeRequest
from masthead.store.issues.records import list_releases
from tests.conftest import BY, Cast

TODAY = now().date()
LATER = (TODAY + timedelta(days=60)).isoformat()
EARLIER = (TODAY - timedelta(days=30)).isoformat()
VIENNA = NewAddress(address1="Ring 1", city="Wien", postcode="1010", country="AT")
HOME = {"address1": "Weg 1", "city": "Berlin", "postcode": "10115", "country": "DE"}


async def move(
    cast: Cast,
    *subscriptions: dict[str, Any],
    first: int | None = None,
    last: int | None = None,
    to: NewAddress = VIENNA,
) -> ChangeResult:
    """Change the address of subscriptions of a subscriber, as their page does."""
    request = ChangeRequest(
        subscription_ids=[each["id"] for each in subscriptions],
        address=to,
        first_issue=first,
        last_issue=last,
    )
    subscriber = subscriptions[0]["subscriber"]["id"]
    return await change_addresses(cast.db, cast.account_id, subscriber, request, by=BY)


async def move_for_days(
    cast: Cast,
    subscription: dict[str, Any],
    first: date,
    last: date | None = None,
    *,
    to: NewAddress = VIENNA,
) -> ChangeResult:
    """Change the address of a subscription for days, as its page does."""
    span = find_span(await list_releases(cast.db, cast.account_id), first, last)
    request = ChangeRequest(
        subscription_ids=[subscription["id"]],
        address=to,
        first_issue=span.first.number,
        last_issue=span.last.number if span.last else None,
        first_day=first,
        last_day=last,
    )
    subscriber = subscription["subscriber"]["id"]
    return await change_addresses(cast.db, cast.account_id, subscriber, request, by=BY)
