"""The route of the API for events."""

from masthead.api.events import handlers as events
from masthead.api.route import Route
from masthead.model.events.inputs import EventQuery
from masthead.model.events.resources import EventPage
from masthead.model.identity.rights import Right

EVENT_ROUTE = Route(
    method="GET",
    path="/v1/events/",
    handler=events.list_events,
    summary="List what happened in the account, oldest first",
    rights=(Right.SEE_MONEY, Right.DOWNLOAD),
    query=EventQuery,
    response=EventPage,
)
