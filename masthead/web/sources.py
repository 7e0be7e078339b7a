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
from masthead.web.forms import PaperForm, choices_of, trimmed
from masthead.web.lists import asked_for, decode_asked
from masthead.web.visit import Visit

TYPES: Mapping[str, str] = {
    SourceType.SHOP.value: "Shop: orders that people or programs add one by one",
    SourceType.IMPORT.value: "Import: lists that come from another system",
}


class SourceForm(PaperForm):
    """What a source is called."""

    name = StringField("Name", [DataRequired("Give the source a name.")], [trimmed])


class NewSourceForm(SourceForm):
    """A new source, of those kinds that take orders from outside."""

    type = RadioField("Kind", choices=choices_of(TYPES.items()), default=SourceType.SHOP.value)


async def list_sources(visit: Visit) -> Response:
    """The sources of the account, newest first. Raises: Invalid."""
    _, request = decode_asked(visit, ListQuery)
    page = await store.list_sources(visit.db, visit.account_id, request)
    asked = asked_for(visit, ListQuery)
    return visit.page("settings/sources.html", page=page, asked=asked)


async def make_source(visit: Visit) -> Response:
    """Make a source."""

    async def save(form: NewSourceForm, db: Database) -> Response:
        name, type = form.name.data or "", SourceType(form.type.data)
        made = await service.create_source(
            db, visit.account_id, name=name, type=type, by=visit.actor
        )
        return visit.go(visit.at("settings", "sources"), said=f"{made.name} takes orders now.")

    return await visit.answer(NewSourceForm, "settings/source_new.html", save)


async def rename_source(visit: Visit) -> Response:
    """Call a source something else. Raises: NotFound."""
    source = await store.find_source(visit.db, visit.account_id, visit.path["id"])
    if source is None:
        raise NotFound("source", visit.path["id"])
    initial: dict[str, Any] = {"name": source.name}

    async def save(form: SourceForm, db: Database) -> Response:
        renamed = await service.rename_source(
            db, visit.account_id, source.id, name=form.name.data or "", by=visit.actor
        )
        said = f"{source.name} is called {renamed.name} now; its subscriptions say so too."
        return visit.go(visit.at("settings", "sources"), said=said)

    return await visit.answer(
        SourceForm, "settings/source_edit.html", save, initial=initial, source=source
    )


async def activate_source(visit: Visit) -> Response:
    """Take orders from a source again. Raises: NotFound."""
    source = await service.activate_source(
        visit.db, visit.account_id, visit.path["id"], by=visit.actor
    )
    return visit.go(visit.at("settings", "sources"), said=f"{source.name} takes orders again.")


async def deactivate_source(visit: Visit) -> Response:
    """Take no new orders from a source. Raises: NotFound."""
    source = await service.deactivate_source(
        visit.db, visit.account_id, visit.path["id"], by=visit.actor
    )
    said = f"{source.name} takes no new orders; what came from it stays."
    return visit.go(visit.at("settings", "sources"), said=said)
