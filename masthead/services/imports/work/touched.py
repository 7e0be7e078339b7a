"""What happened since an import to what it made: such rows stay, or stop an undo."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from masthead.model.audit_entries import EntryType
from masthead.model.imports.batches import ImportRow
from masthead.model.translations import gettext as _
from masthead.store.engine.interface import Connection
from masthead.store.imports import batch_rows, undo as store
from masthead.store.subscriptions import periods

# Changes that no person made, or that only repeat others
_NOT_TOUCHED = {EntryType.SUBSCRIPTION_UPDATE_STATUS, EntryType.SUBSCRIPTION_TAKE_BACK}


def _words() -> Mapping[str, str]:
    """What an entry type did to a subscription, in a word."""
    return {
        EntryType.SUBSCRIPTION_RENEW: _("renewed"),
        EntryType.SUBSCRIPTION_CANCEL: _("cancelled"),
        EntryType.SUBSCRIPTION_REFUND: _("refunded"),
        EntryType.SUBSCRIPTION_DELETE_REFUND: _("refund deleted"),
        EntryType.SUBSCRIPTION_CHANGE_PRICE: _("price changed"),
        EntryType.SUBSCRIPTION_MOVE: _("moved to another subscriber"),
    }


async def find_touched(
    db: Connection, account_id: int, batch_id: str, number: int, rows: Sequence[ImportRow]
) -> dict[str, list[str]]:
    """What happened since to the subscriptions of rows of a batch, by subscription.

    Rows of which nothing is named can be taken back. Queries: about ten.
    """
    ids = {row.subscription_id for row in rows if row.subscription_id}
    made = await batch_rows.list_of_subscriptions(db, account_id, batch_id, ids)
    found = defaultdict[str, dict[str, None]](dict)  # ordered, without repetitions
    await _add_copies(db, account_id, made, found)
    await _add_periods(db, account_id, made, found)
    for what, word in (
        ("line", _("in a mailing")),
        ("invoice", _("on an invoice")),
        ("claim", _("claimed")),
        ("report", _("reported as undeliverable or moved")),
        ("address", _("change of address planned")),
        ("letter", _("renewal letter written")),
    ):
        for id in await store.find_about(db, account_id, what, ids):
            found[id][word] = None
    await _add_changes(db, account_id, number, ids, found)
    own = {row.subscriber_id for row in made if row.made and row.made.subscriber}
    new_people = {id for id in own if id}
    words = {"note": _("note added"), "merge": _("merged"), "erasure": _("erased")}
    noted = [
        (id, word)
        for what, word in words.items()
        for id in await store.find_about(db, account_id, what, new_people)
    ]
    noted += [
        (change.subject_id, _("subscriber changed"))
        for change in await store.list_changes(db, account_id, "subscriber", new_people)
        if change.import_number != number
    ]
    for id, word in noted:
        for row in made:
            if row.subscriber_id == id and row.subscription_id:
                found[row.subscription_id][word] = None
    return {id: list(words) for id, words in found.items()}


async def _add_copies(
    db: Connection,
    account_id: int,
    made: Sequence[ImportRow],
    found: defaultdict[str, dict[str, None]],
) -> None:
    """Add the subscriptions of which more copies are sent than came as sent."""
    ids = {row.subscription_id for row in made if row.subscription_id}
    counts = await store.count_copies(db, account_id, ids)
    for row in made:
        assert row.subscription_id is not None
        count = counts.get(row.period_id or 0)
        if count and count.sent > (row.made.sent if row.made else 0):
            found[row.subscription_id][_("sent")] = None
        if count and count.in_runs:
            found[row.subscription_id][_("in a mailing")] = None


async def _add_periods(
    db: Connection,
    account_id: int,
    made: Sequence[ImportRow],
    found: defaultdict[str, dict[str, None]],
) -> None:
    """Add the subscriptions that were renewed by others since."""
    own = defaultdict[str, set[int]](set)
    for row in made:
        assert row.subscription_id is not None
        assert row.period_id is not None
        own[row.subscription_id].add(row.period_id)
    known = await periods.list_periods(db, account_id, list(own))
    for id, ids in own.items():
        if any(row.id > min(ids) and row.id not in ids for row in known.get(id, ())):
            found[id][_("renewed")] = None


async def _add_changes(
    db: Connection,
    account_id: int,
    number: int,
    ids: set[str],
    found: defaultdict[str, dict[str, None]],
) -> None:
    """Add the subscriptions that were changed since, as the audit trail says."""
    words, begun = _words(), set[str]()
    for change in await store.list_changes(db, account_id, "subscription", ids):
        if change.import_number == number:
            begun.add(change.subject_id)
        elif change.subject_id in begun and change.action not in _NOT_TOUCHED:
            found[change.subject_id][words.get(change.action, _("changed"))] = None
    for id in ids - begun:  # its entries were erased
        found[id][_("changed")] = None
