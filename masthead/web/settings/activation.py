"""Settings: activate and deactivate sources, products and export profiles."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from starlette.responses import Response

from masthead.model.translations import gettext as _
from masthead.web.kit.context import PageContext
from masthead.web.kit.router import Handler


def activation(
    page: str, set_active: Callable[..., Awaitable[Any]], inactive: str
) -> tuple[Handler, Handler]:
    """The handlers that activate and deactivate a record of a page of the settings.

    inactive: the message afterwards, with `{name}`.
    """

    async def save(context: PageContext, *, is_active: bool) -> Response:
        id, by = context.path["id"], context.actor
        record = await set_active(context.db, context.account_id, id, is_active=is_active, by=by)
        message = _("{name} is active.") if is_active else _(inactive)
        address = context.url("settings", page)
        return context.redirect(address, message=message.format(name=record.name))

    return partial(save, is_active=True), partial(save, is_active=False)
