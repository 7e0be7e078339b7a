"""The routes of the API for sending out an issue; `routes` has them with the others."""

from masthead.api.dispatch import handlers as dispatches
from masthead.api.endpoints import Endpoints
from masthead.model.identity.rights import Right

_DISPATCHES = Endpoints("/v1/dispatches/", rights=(Right.DISPATCH,))

DISPATCH_ROUTES = (
    _DISPATCHES.get("", dispatches.list_dispatches),
    _DISPATCHES.post("", dispatches.create_dispatch, status=201, is_long=True),
    _DISPATCHES.get("{id}/", dispatches.get_dispatch, is_composed=True),
    _DISPATCHES.get("{id}/lines/", dispatches.list_dispatch_lines),
    _DISPATCHES.post(
        "{id}/mark-sent/", dispatches.mark_dispatch_sent, is_long=True, requires_body=False
    ),
    _DISPATCHES.post("{id}/undo/", dispatches.undo_dispatch, is_long=True),
    _DISPATCHES.post("{id}/discard/", dispatches.discard_dispatch, is_long=True),
)
