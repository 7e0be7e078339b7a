"""The files of the lists of renewal letters, and of subscriptions that end or have ended."""

from typing import Any

from msgspec import structs

from masthead.model.file_names import file_name_noop
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest, page_of
from masthead.model.renewals.ending import Ending, EndingRange
from masthead.model.renewals.lapsed import Candidate
from masthead.model.renewals.rates import EndedQuery
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.full_names import full_name
from masthead.services.renewals import RenewedOrder, find_renewals
from masthead.store.engine.interface import Connection
from masthead.store.letters import records as letters
from masthead.store.letters.records import LetterBatch, WrittenLetter
from masthead.store.letters.renewed import list_renewed
from masthead.store.letters.rounds import find_round, list_rounds
from masthead.store.renewals import ending as renewals, rates
from masthead.web.downloads.list_file import ListFile, Parts, read_pages, read_query
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import country_cells, get_locale
from masthead.web.renewals.ending import COLUMNS as ENDING_COLUMNS, ending_row

MAX_BATCHES = 1_000_000
_BATCHES = "stage channel is_automatic issue letters created_at".split()
_ENDED_WITH_ISSUE = [
    *ENDING_COLUMNS,
    *"renewed_date renewal_order_id first_issue renewed_how letter_date".split(),
]
_LETTERS = (
    "full_name status reason stage channel created_at ended_at subscriber_id subscription_id"
).split()
_RENEWED = "full_name stage channel created_at ended_at subscriber_id subscription_id".split()


async def _read_batches(context: PageContext) -> Parts:
    async with context.db.read(aside=True) as db:
        found = await letters.list_batches(db, context.account_id, MAX_BATCHES)
    yield [_batch_row(batch) for batch in found]


def _batch_row(batch: LetterBatch) -> dict[str, Any]:
    return {
        **structs.asdict(batch),
        "stage": batch.stage.words,
        "channel": batch.channel.words,
        "is_automatic": batch.actor_kind == "command",
        "issue": batch.issue_number,
    }


def _read_letters(context: PageContext) -> Parts:
    batch = context.query.get("batch", "")

    async def list_page(db: Connection, request: PageRequest) -> Page[WrittenLetter]:
        found = await letters.list_letters(
            db, context.account_id, batch, after=request.after or "", limit=request.fetch
        )
        return page_of(found[: request.limit], [each.id for each in found], request)

    return read_pages(context, list_page, _letter_row)


def _read_renewed(context: PageContext) -> Parts:
    """Who renewed after the round of a batch; without one, after the newest round."""
    batch = context.query.get("batch", "")

    async def list_page(db: Connection, request: PageRequest) -> Page[WrittenLetter]:
        if batch:
            of_round = await letters.get_batch(db, context.account_id, batch)
            rounds = [await find_round(db, context.account_id, of_round)]
        else:
            rounds = await list_rounds(db, context.account_id, 1)
        ids = [each.id for found in rounds for each in found.batches]
        found = await list_renewed(
            db, context.account_id, ids, after=request.after or "", limit=request.fetch
        )
        return page_of(found[: request.limit], [each.id for each in found], request)

    return read_pages(context, list_page, _letter_row)


def _letter_row(letter: WrittenLetter) -> dict[str, Any]:
    return {
        **structs.asdict(letter),
        "full_name": letter.full_name,
        "stage": letter.stage.words,
        "channel": letter.channel.words,
        "status": letter.status.words,
        "reason": letter.reason.words if letter.reason else letter.error,
    }


async def _read_ended(context: PageContext) -> Parts:
    read_query(context, ListQuery)
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        soon = await renewals.find_soon(db, context.account_id, today)

    async def list_page(db: Connection, request: PageRequest) -> Page[Ending]:
        return await renewals.list_ended(db, context.account_id, request, soon or EndingRange(0, 0))

    async for part in read_pages(context, list_page, lambda item: ending_row(context, item)):
        yield part


def _read_ended_with_issue(context: PageContext) -> Parts:
    query, _is_ascending = read_query(context, EndedQuery)

    async def list_page(
        db: Connection, request: PageRequest
    ) -> Page[tuple[Candidate, RenewedOrder | None]]:
        page = await rates.list_ended(db, context.account_id, query, request)
        ids = [each.subscription_id for each in page.items]
        renewals = await find_renewals(db, context.account_id, query.issue, ids, zone=context.zone)
        items = [(each, renewals.get(each.subscription_id)) for each in page.items]
        return Page(items=items, has_more=page.has_more, cursor=page.cursor)

    return read_pages(context, list_page, lambda found: _ended_row(context, *found))


def _ended_row(
    context: PageContext, item: Candidate, renewal: RenewedOrder | None
) -> dict[str, Any]:
    name = full_name(
        item.subscriber_first_name, item.subscriber_last_name, item.subscriber_company, ""
    )
    letter = renewal.letter if renewal else None
    return {
        **structs.asdict(item),
        "status": _(item.status.value),
        "medium": _(item.medium.value),
        "full_name": name,
        "email": context.real_email(item.email),
        **country_cells(item.country, get_locale(context.locale)),
        "renewed_date": renewal.order.order_date if renewal else None,
        "renewal_order_id": renewal.order.order_id if renewal else None,
        "first_issue": renewal.order.first_issue if renewal else None,
        "renewed_how": renewal.words if renewal else "",
        "letter_date": letter.ended_at.astimezone(context.zone).date() if letter else None,
    }


def _read_memberships(context: PageContext) -> Parts:
    read_query(context, ListQuery)
    today = context.membership.daily_date

    async def list_page(db: Connection, request: PageRequest) -> Page[Ending]:
        return await renewals.list_ending_memberships(db, context.account_id, request, today=today)

    return read_pages(context, list_page, lambda item: ending_row(context, item))


LETTER_FILES = {
    "letter-batches": ListFile(
        gettext_noop("Renewal letters"),
        file_name_noop("letter-batches-{day}.{ending}"),
        _BATCHES,
        _read_batches,
    ),
    "letters": ListFile(
        gettext_noop("Renewal letters"),
        file_name_noop("letters-{day}.{ending}"),
        _LETTERS,
        _read_letters,
    ),
    "renewed-letters": ListFile(
        gettext_noop("Renewed since these letters"),
        file_name_noop("renewed-since-letters-{day}.{ending}"),
        _RENEWED,
        _read_renewed,
    ),
    "ended": ListFile(
        gettext_noop("Subscriptions"),
        file_name_noop("ended-{day}.{ending}"),
        ENDING_COLUMNS,
        _read_ended,
    ),
    "ended-with-issue": ListFile(
        gettext_noop("Subscriptions"),
        file_name_noop("ended-with-issue-{day}.{ending}"),
        _ENDED_WITH_ISSUE,
        _read_ended_with_issue,
    ),
    "memberships": ListFile(
        gettext_noop("Memberships"),
        file_name_noop("memberships-{day}.{ending}"),
        ENDING_COLUMNS,
        _read_memberships,
    ),
}
