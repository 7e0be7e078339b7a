"""Settings: the sources of orders."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response
from wtforms import RadioField

from masthead.model.errors import NotFound
from masthead.model.inputs import ListQuery
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import SourceType
from masthead.model.types.source_names import shown_source
from masthead.services import sources as service
from masthead.store import sources as store
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, name_field
from masthead.web.settings.activation import activation

TYPES: Mapping[str, str] = {
    SourceType.SHOP.value: gettext_noop("Shop: for orders that are added one by one"),
    SourceType.IMPORT.value: gettext_noop(
        "Import: for orders that are imported from another system"
    ),
}


class SourceForm(BaseForm):
    """The name of a source."""

    name = name_field("Give the source a name.")


class NewSourceForm(SourceForm):
    """A new source, of a type that takes orders from outside."""

    type = RadioField("Type", choices=choices_of(TYPES.items()), default=SourceType.SHOP.value)


async def list_sources(context: PageContext) -> Response:
    """List the sources of the account, newest first. Raises: Invalid."""
    _query, request = decode_filters(context, ListQuery)
    page = await store.list_sources(context.db, context.account_id, request)
    filters = read_filters(context, ListQuery)
    return context.render("settings/sources.html", page=page, filters=filters)


async def create_source(context: PageContext) -> Response:
    """Add a source."""

    async def save(form: NewSourceForm, db: Database) -> Response:
        name, type = form.name.data or "", SourceType(form.type.data)
        made = await service.create_source(
            db, context.account_id, name=name, type=type, by=context.actor
        )
        return context.redirect(
            context.url("settings", "sources"), message=_("{name} is added.").format(name=made.name)
        )

    return await handle_form(context, NewSourceForm, "settings/source_new.html", save)


async def rename_source(context: PageContext) -> Response:
    """Rename a source. Raises: NotFound."""
    source = await store.find_source(context.db, context.account_id, context.path["id"])
    if source is None:
        raise NotFound("source", context.path["id"])
    initial: dict[str, Any] = {"name": shown_source(source.name)}

    async def save(form: SourceForm, db: Database) -> Response:
        renamed = await service.rename_source(
            db, context.account_id, source.id, name=form.name.data or "", by=context.actor
        )
        text = _("{name} is renamed to {new_name}.")
        message = text.format(name=shown_source(source.name), new_name=renamed.name)
        return context.redirect(context.url("settings", "sources"), message=message)

    return await handle_form(
        context, SourceForm, "settings/source_edit.html", save, initial=initial, source=source
    )


activate_source, deactivate_source = activation(
    "sources",
    service.set_source_active,
    gettext_noop("{name} is inactive. Its existing orders do not change."),
)
