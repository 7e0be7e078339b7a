"""The route of the API for events."""

from masthead.api.endpoints import Endpoints
from masthead.api.events import handlers as events
from masthead.model.identity.rights import Right

_EVENTS = Endpoints("/v1/events/", rights=(Right.SEE_MONEY, Right.DOWNLOAD))

EVENT_ROUTE = _EVENTS.get("", events.list_events)
