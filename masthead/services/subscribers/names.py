"""The names of those who changed subscribers."""

from collections.abc import Collection

from masthead.model.actors import describe_command
from masthead.model.history.entries import Record
from masthead.model.privacy.erasures import Erasure
from masthead.model.translations import gettext as _
from masthead.store.audit.names import find_actor_names
from masthead.store.engine.interface import Connection


async def name_actors(
    db: Connection, account_id: int, actors: Collection[Record]
) -> dict[Record, str]:
    """The name of each user, key or program. Queries: two at most."""
    found = await find_actor_names(db, account_id, set(actors))

    def name_of(kind: str, id: str) -> str:
        name = found.get((kind, id), id)
        if kind == "key":
            return _("API key {name}").format(name=name)
        return name if kind == "user" else describe_command(name)

    return {actor: name_of(*actor) for actor in actors}


async def name_actor(db: Connection, account_id: int, erasure: Erasure) -> str:
    """The name of who erased a subscriber. Queries: two at most."""
    actor = (erasure.actor_kind, erasure.actor_id)
    return (await name_actors(db, account_id, [actor]))[actor]
