"""Settings: sources, where orders come from."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from wtforms import RadioField, StringField
from wtforms.validators import DataRequired

from masthead.model.errors import NotFound
from masthead.model.inputs import ListQuery
from masthead.model.types.enums import SourceType
from masthead.services import sources as service
from masthead.store import sources as store
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.forms import BaseForm, choices_of, trimmed

TYPES: Mapping[str, str] = {
    SourceType.SHOP.value: "Shop: orders that people or programs add one by one",
    SourceType.IMPORT.value: "Import: lists that come from another system",
}


class SourceForm(BaseForm):
    """What a source is called."""

    name = StringField("Name", [DataRequired("Give the source a name.")], [trimmed])


class NewSourceForm(SourceForm):
    """A new source, of those kinds that take orders from outside."""

    type = RadioField("Kind", choices=choices_of(TYPES.items()), default=SourceType.SHOP.value)


async def list_sources(context: PageContext) -> Response:
    """The sources of the account, newest first. Raises: Invalid."""
    _, request = decode_filters(context, ListQuery)
    page = await store.list_sources(context.db, context.account_id, request)
    filters = read_filters(context, ListQuery)
    return context.render("settings/sources.html", page=page, filters=filters)


async def make_source(context: PageContext) -> Response:
    """Make a source."""

    async def save(form: NewSourceForm, db: Database) -> Response:
        name, type = form.name.data or "", SourceType(form.type.data)
        made = await service.create_source(
            db, context.account_id, name=name, type=type, by=context.actor
        )
        return context.redirect(
            context.url("settings", "sources"), message=f"{made.name} takes orders now."
        )

    return await context.handle_form(NewSourceForm, "settings/source_new.html", save)


async def rename_source(context: PageContext) -> Response:
    """Call a source something else. Raises: NotFound."""
    source = await store.find_source(context.db, context.account_id, context.path["id"])
    if source is None:
        raise NotFound("source", context.path["id"])
    initial: dict[str, Any] = {"name": source.name}

    async def save(form: SourceForm, db: Database) -> Response:
        renamed = await service.rename_source(
            db, context.account_id, source.id, name=form.name.data or "", by=context.actor
        )
        said = f"{source.name} is called {renamed.name} now; its subscriptions say so too."
        return context.redirect(context.url("settings", "sources"), message=said)

    return await context.handle_form(
        SourceForm, "settings/source_edit.html", save, initial=initial, source=source
    )


async def activate_source(context: PageContext) -> Response:
    """Take orders from a source again. Raises: NotFound."""
    source = await service.activate_source(
        context.db, context.account_id, context.path["id"], by=context.actor
    )
    return context.redirect(
        context.url("settings", "sources"), message=f"{source.name} takes orders again."
    )


async def deactivate_source(context: PageContext) -> Response:
    """Take no new orders from a source. Raises: NotFound."""
    source = await service.deactivate_source(
        context.db, context.account_id, context.path["id"], by=context.actor
    )
    said = f"{source.name} takes no new orders; what came from it stays."
    return context.redirect(context.url("settings", "sources"), message=said)
