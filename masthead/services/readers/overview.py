"""What the page of a reader shows besides their subscriptions: gifts, notes and merges."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.readers.merges import UNDO_SPAN
from masthead.model.readers.notes import ReaderNote
from masthead.model.resources import Subscription
from masthead.services.readers.correct import name_of
from masthead.services.readers.names import name_actors
from masthead.services.readers.notes import list_notes
from masthead.store import subscriptions
from masthead.store.engine.interface import Connection
from masthead.store.read_model import subscription_query
from masthead.store.readers import merges

SHOWN = 50  # merged readers on a page
SHOWN_GIFTS = 20


class MergedReader(Struct, frozen=True):
    """A reader that was merged into the one of the page.

    email: empty for a placeholder. undo_until: None if the merge cannot be undone any more.
    """

    id: str
    name: str
    email: str
    merge_id: str
    merged_at: datetime
    by: str
    undo_until: datetime | None


class ReaderOverview(Struct, frozen=True):
    """The notes on a reader, the readers merged into them, and the gifts they gave, newest first.

    has_more_gifts: whether there are more than those.
    """

    notes: Sequence[ReaderNote]
    merged: Sequence[MergedReader]
    gifts: Sequence[Subscription]
    has_more_gifts: bool


async def get_overview(db: Connection, account_id: int, id: str) -> ReaderOverview:
    """The overview of a reader. Queries: nine at most."""
    given = await subscriptions.list_newest_given(db, account_id, id, SHOWN_GIFTS + 1)
    gifts = await subscription_query.find_subscriptions(db, account_id, given[:SHOWN_GIFTS])
    rows = await merges.list_merged(db, account_id, id, SHOWN)
    names = await name_actors(
        db, account_id, [(row["actor_kind"], row["actor_id"]) for row in rows]
    )
    moment = now()
    return ReaderOverview(
        notes=await list_notes(db, account_id, id),
        merged=[
            MergedReader(
                id=row["id"],
                name=name_of(row),
                email="" if row["is_placeholder"] else row["email"],
                merge_id=row["merge_id"],
                merged_at=row["created_at"],
                by=names[row["actor_kind"], row["actor_id"]],
                undo_until=until if (until := row["created_at"] + UNDO_SPAN) > moment else None,
            )
            for row in rows
        ],
        gifts=[gifts[each] for each in given[:SHOWN_GIFTS]],
        has_more_gifts=len(given) > SHOWN_GIFTS,
    )
