"""The events of an account, and whether they show what the API shows."""

from typing import Any

import msgspec

from masthead.model.events.types import PublicEventType
from masthead.store.events import log
from tests.conftest import Cast
from tests.support.walk import walk

ALL = 100_000  # more than a test has
PATHS = {
    "subscription": "/v1/subscriptions/",
    "subscriber": "/v1/subscribers/",
    "issue": "/v1/issues/",
    "dispatch": "/v1/dispatches/",
    "claim": "/v1/claims/",
    "delivery_report": "/v1/delivery-reports/",
}
# What follows from other records, whose changes are other events
_OF_OTHERS = {
    "subscription": {
        *("next_charge_date", "start_issue", "issue_list", "total_length", "source"),
        *("subscriber", "product", "gifter"),
    },
    "subscriber": {
        *("latest_country", "latest_order_date", "has_active_subscription"),
        *("subscription_count", "ltv"),
    },
    "issue": set[str](),
    "dispatch": {"held", "sent", "left", "by_country", "by_medium"},
    "claim": {"issue"},
    "delivery_report": set[str](),
}


async def list_events(cast: Cast, *, after: int = 0, **filters: Any) -> list[dict[str, Any]]:
    """All events after a number that match the filters, oldest first."""
    _span, found = await log.list_events(
        cast.db, cast.account_id, after=after, fetch=ALL, **filters
    )
    events: list[dict[str, Any]] = msgspec.json.decode(msgspec.json.encode(found))
    return events


async def last_event(cast: Cast, type: PublicEventType) -> dict[str, Any]:
    """The newest event of a type."""
    return (await list_events(cast, type=type))[-1]


async def show_all(cast: Cast) -> list[str]:
    """The records whose last event does not show what the API shows; empty if all do."""
    last = {
        (each["record"]["type"], each["record"]["id"]): each for each in await list_events(cast)
    }
    wrong = []
    for type, path in PATHS.items():
        for shown in await walk(cast, path, limit=200):
            event = last.get((type, shown["id"]))
            if event is None:
                wrong.append(f"{type} {shown['id']} has no event")
            elif event["type"] != "copy.sent" and event["data"] is not None:
                own, of_event = own_state(type, shown), own_state(type, event["data"])
                if own != {name: of_event[name] for name in own}:
                    wrong.append(f"{event['type']} shows {of_event}, but the API {own}")
    return wrong


def own_state(type: str, record: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record that only change with an event about it."""
    own = {name: value for name, value in record.items() if name not in _OF_OTHERS[type]}
    if type == "subscription":
        others = {"is_complete", "issue_list", "source"}
        own["periods"] = [
            {name: each[name] for name in each if name not in others} for each in own["periods"]
        ]
    return own
