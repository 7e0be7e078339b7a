"""The routes of the API for sandboxes."""

from masthead.api.endpoints import Endpoints
from masthead.api.sandbox import handlers
from masthead.model.identity.rights import Right

_SANDBOX = Endpoints("/v1/sandbox/", rights=())

SANDBOX_ROUTES = (
    _SANDBOX.get("clock/", handlers.get_sandbox_clock),
    _SANDBOX.post(
        "clock/",
        handlers.move_sandbox_clock,
        Right.SETTINGS,
        is_long=True,
        afterwards=handlers.finish_move,
    ),
    _SANDBOX.post("reset/", handlers.reset_sandbox, Right.SETTINGS, is_long=True),
    _SANDBOX.get("emails/", handlers.list_sandbox_emails, Right.SEE_MONEY, Right.DOWNLOAD),
)
