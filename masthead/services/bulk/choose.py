"""Find the rows of a choice, and refuse an action if they are not those that the page showed."""

from collections.abc import Iterable, Sequence

from masthead.model.bulk import MAX_CHOSEN, Chosen, ChosenList, RowChoice
from masthead.model.errors import Invalid
from masthead.model.ids import LAST_ID
from masthead.model.queries import SubscriptionQuery
from masthead.model.search import search_terms
from masthead.model.translations import format_number, gettext as _
from masthead.store import bulk as store
from masthead.store.engine.interface import Connection
from masthead.store.search import text_index
from masthead.store.subscriptions.bundles import list_one_of_each, list_others
from masthead.store.subscriptions.filters import SUBSCRIPTIONS, filters_of


async def choose(
    db: Connection, account_id: int, choice: RowChoice, *, expected: str | None = None
) -> Chosen:
    """The rows of a choice; read aside. For merged subscribers, those that were kept.

    expected: the fingerprint of the rows that the page showed, None if it shows them only now.
    Queries: four, and those of a search. Raises: Invalid if there are none, more than
    `MAX_CHOSEN`, or not those that the page showed.
    """
    ids = choice.ids
    if choice.query is not None:
        ids = await _list_matching(db, account_id, choice, MAX_CHOSEN + 1)
    if len(ids) > MAX_CHOSEN:
        raise Invalid(
            _(
                "An action takes at most {most} rows at a time, and these are more. Use the search "
                "or the filters to choose fewer."
            ).format(most=MAX_CHOSEN)
        )
    if choice.listed is ChosenList.SUBSCRIBERS:
        found = _newest_first(await store.list_kept(db, account_id, ids))
        rows = owners = found
    else:
        if choice.query is None:  # a row of the list is all copies for one address
            ids = [*ids, *await list_others(db, account_id, ids)]
        owned = await store.find_owners(db, account_id, ids)
        found, owners = _newest_first(owned), _newest_first(owned.values())
        rows = await list_one_of_each(db, account_id, found)
    if not found:
        raise Invalid(_("No rows are chosen. Tick the boxes of some rows first."))
    chosen = Chosen(choice.listed, found, rows, owners)
    if expected not in (None, chosen.fingerprint):
        raise Invalid(
            _(
                "The list has changed since the page was opened, and now has {n} of these rows. "
                "Nothing has been done. Please check the names and confirm again."
            ).format(n=format_number(len(rows)))
        )
    return chosen


def _newest_first(ids: Iterable[str]) -> list[str]:
    """The ids, each once. A dict keeps their order: databases return them nearly sorted."""
    return sorted(dict.fromkeys(ids), reverse=True)


async def _list_matching(
    db: Connection, account_id: int, choice: RowChoice, limit: int
) -> Sequence[str]:
    """The rows that match the filters, newest first."""
    query = choice.query
    assert query is not None
    terms = search_terms(query.search or "")
    if isinstance(query, SubscriptionQuery):
        if not terms:
            return await store.list_subscription_ids(db, account_id, query, limit)
        return await text_index.find_ids(
            db,
            account_id,
            text_index.SUBSCRIPTIONS,
            terms,
            after=LAST_ID,
            limit=limit,
            listed=SUBSCRIPTIONS,
            filters=filters_of(query),
        )
    if not terms:
        return await store.list_subscriber_ids(db, account_id, limit)
    return await text_index.find_ids(
        db, account_id, text_index.SUBSCRIBERS, terms, after=LAST_ID, limit=limit
    )
