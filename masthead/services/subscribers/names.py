"""The names of those who changed subscribers."""

from collections import defaultdict
from collections.abc import Collection
from typing import Protocol

from masthead.model.actors import describe_command
from masthead.model.translations import gettext as _
from masthead.store.audit import subscription_history as history
from masthead.store.engine.interface import Connection


class Done(Protocol):
    """Something that a user, a key or a program did."""

    @property
    def actor_kind(self) -> str:
        """Whether it was a user, a key or a command."""
        ...

    @property
    def actor_id(self) -> str:
        """Who it was."""
        ...


ActorKey = tuple[str, str]  # the kind and the id of an actor


async def name_actors(
    db: Connection, account_id: int, actors: Collection[ActorKey]
) -> dict[ActorKey, str]:
    """The name of each user, key or program. Queries: two at most."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for kind, id in actors:
        ids[kind].add(id)
    users = await history.find_user_names(db, account_id, ids["user"]) if ids["user"] else {}
    keys = await history.find_keys(db, account_id, ids["key"]) if ids["key"] else {}

    def name_of(kind: str, id: str) -> str:
        if kind == "user":
            return users.get(id, id)
        if kind == "key":
            return _("API key {name}").format(name=keys.get(id, id))
        return describe_command(id)

    return {actor: name_of(*actor) for actor in actors}


async def name_actor(db: Connection, account_id: int, done: Done) -> str:
    """The name of who did something. Queries: two at most."""
    actor = (done.actor_kind, done.actor_id)
    return (await name_actors(db, account_id, [actor]))[actor]
