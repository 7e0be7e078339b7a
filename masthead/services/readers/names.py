"""The names of those who changed readers."""

from collections import defaultdict
from collections.abc import Collection

from masthead.model.translations import gettext as _
from masthead.store.audit import subscription_history as history
from masthead.store.engine.interface import Connection

ActorKey = tuple[str, str]  # the kind and the id of an actor


async def name_actors(
    db: Connection, account_id: int, actors: Collection[ActorKey]
) -> dict[ActorKey, str]:
    """The name of each user, key or program. Queries: two at most."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for kind, id in actors:
        ids[kind].add(id)
    users = await history.find_emails(db, account_id, ids["user"]) if ids["user"] else {}
    keys = await history.find_keys(db, account_id, ids["key"]) if ids["key"] else {}

    def name_of(kind: str, id: str) -> str:
        if kind == "user":
            return users.get(id, id)
        if kind == "key":
            return _("API key {name}").format(name=keys.get(id, id))
        return _("masthead {command}").format(command=id)

    return {actor: name_of(*actor) for actor in actors}
