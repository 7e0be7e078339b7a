"""Compare two readers before they are merged, and say what to know about the merge."""

from collections import defaultdict
from collections.abc import Sequence

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.resources import Subscriber
from masthead.model.translations import gettext as _
from masthead.services.readers.correct import name_of, require_live
from masthead.store import subscribers
from masthead.store.engine.interface import Connection, Row
from masthead.store.readers import comparisons as store
from masthead.store.readers import records


class ComparedReader(Struct, frozen=True):
    """One of two readers. row: the columns. totals: as the API shows them.

    subscriptions: the newest ones. copies, unsent: numbers of copies. claims, notes: how many.
    """

    row: Row
    name: str
    totals: Subscriber
    subscriptions: Sequence[Row]
    copies: int
    unsent: int
    claims: int
    notes: int


class FrozenCopies(Struct, frozen=True):
    """A run that holds copies of the merged reader. subscriptions: how many of theirs."""

    run_id: str
    run: int
    issue: int
    subscriptions: Sequence[str]


class Comparison(Struct, frozen=True):
    """Two readers side by side, the one that stays first.

    shared_issues: of which both have an unsent copy. frozen: the runs that hold copies of the
    merged reader. has_gift_between: whether one gave the other a subscription.
    is_unsubscribed: whether the reader that stays gets no renewal letters after the merge, because
    the other one has unsubscribed.
    """

    kept: ComparedReader
    merged: ComparedReader
    shared_issues: Sequence[int]
    frozen: Sequence[FrozenCopies]
    has_gift_between: bool
    is_unsubscribed: bool


async def compare_readers(
    db: Connection, account_id: int, *, kept_id: str, merged_id: str
) -> Comparison:
    """What a merge of two readers would join. Queries: eight. Raises: NotFound, Invalid."""
    if kept_id == merged_id:
        raise Invalid(_("A subscriber cannot be merged with itself. Choose another one."))
    ids = [kept_id, merged_id]
    rows = [await records.get_reader(db, account_id, id) for id in ids]
    for row in rows:
        require_live(row)
    totals = [await subscribers.get_subscriber(db, account_id, id) for id in ids]
    figures = await store.list_figures(db, account_id, ids)
    listed = await store.list_subscriptions(db, account_id, ids)
    kept, merged = (
        ComparedReader(
            row=row,
            name=name_of(row),
            totals=total,
            subscriptions=[each for each in listed if each["subscriber_id"] == row["id"]],
            **{name: figures[row["id"]][name] for name in _FIGURES},
        )
        for row, total in zip(rows, totals, strict=True)
    )
    return Comparison(
        kept=kept,
        merged=merged,
        shared_issues=await store.list_shared_issues(db, account_id, ids),
        frozen=_frozen(await store.list_frozen(db, account_id, [merged_id])),
        has_gift_between=any(
            each["gifter_id"] in ids and each["gifter_id"] != each["subscriber_id"]
            for each in listed
        ),
        is_unsubscribed=(
            merged.row["unsubscribed_at"] is not None and kept.row["unsubscribed_at"] is None
        ),
    )


_FIGURES = ("copies", "unsent", "claims", "notes")


def _frozen(rows: Sequence[Row]) -> list[FrozenCopies]:
    """The runs that hold some copies, each with the subscriptions."""
    held = defaultdict[tuple[str, int, int], list[str]](list)
    for row in rows:
        held[row["run_id"], row["run"], row["issue_number"]].append(row["subscription_id"])
    return [FrozenCopies(*run, ids) for run, ids in held.items()]
