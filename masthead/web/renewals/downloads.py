"""Download a renewal list: with all its facts, or for a mail merge, as CSV or XLSX."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.file_names import file_name, file_name_noop
from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.renewals.files import (
    LIST_COLUMNS,
    MERGE_COLUMNS,
    FileFacts,
    list_rows,
    merge_rows,
)
from masthead.model.renewals.lapsed import Candidate, RenewalList, RenewalListQuery
from masthead.model.reports.column_names import translated_columns
from masthead.model.translations import gettext as _, in_language
from masthead.services.child_process import run_in_file_thread
from masthead.services.download_records import record_renewal_download
from masthead.services.subscriptions.renewal_prices import find_renewal_prices
from masthead.store import accounts
from masthead.store.renewals import lists as store
from masthead.store.renewals.ending import find_soon
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters
from masthead.web.kit.table_file import table_file

ROWS = 2000  # to read at a time: each time the whole list is sorted again


class FileKind(Struct, frozen=True):
    """A kind of file. ending: of its name."""

    ending: str
    columns: Sequence[str]
    rows: Callable[[Sequence[Candidate], FileFacts], list[dict[str, Any]]]


KINDS = {
    "csv": FileKind("csv", LIST_COLUMNS, list_rows),
    "xlsx": FileKind("xlsx", LIST_COLUMNS, list_rows),
    "merge-csv": FileKind("csv", MERGE_COLUMNS, merge_rows),
    "merge-xlsx": FileKind("xlsx", MERGE_COLUMNS, merge_rows),
}
LIST_NAMES = {
    RenewalList.ENDING: file_name_noop("ending-now.{ending}"),
    RenewalList.NEXT: file_name_noop("ending-next.{ending}"),
    RenewalList.LAPSED: file_name_noop("lapsed-{ago}.{ending}"),
    RenewalList.PAST_DUE: file_name_noop("past-due.{ending}"),
    RenewalList.STOPPED: file_name_noop("renewals-stopped.{ending}"),
}
MERGE_NAMES = {
    RenewalList.ENDING: file_name_noop("ending-now-mail-merge.{ending}"),
    RenewalList.NEXT: file_name_noop("ending-next-mail-merge.{ending}"),
    RenewalList.LAPSED: file_name_noop("lapsed-{ago}-mail-merge.{ending}"),
    RenewalList.PAST_DUE: file_name_noop("past-due-mail-merge.{ending}"),
    RenewalList.STOPPED: file_name_noop("renewals-stopped-mail-merge.{ending}"),
}


async def download_list(context: PageContext) -> Response:
    """A file of a renewal list with its filters; the download is recorded. Raises: Invalid."""
    kind, listed = _read_kind(context), _read_list(context)
    query, _request = decode_filters(context, RenewalListQuery)
    names = MERGE_NAMES if kind.columns is MERGE_COLUMNS else LIST_NAMES
    name = file_name(names[listed], ago=query.ago, ending=kind.ending)
    async with context.db.read(aside=True) as db:
        account = await accounts.get_account(db, context.account_id)
        prices = await find_renewal_prices(db, account)
    # A list is for who downloads it; a mail merge is for subscribers
    locale = account.locale if kind.columns is MERGE_COLUMNS else context.locale
    facts = FileFacts(
        home=account.country,
        locale=locale,
        placeholder_domain=context.web.placeholder_domain,
        prices=prices,
    )
    await record_renewal_download(context.db, context.account_id, file=name, by=context.actor)
    parts = _read_rows(context, listed, query, lambda found: kind.rows(found, facts))
    with in_language(locale):
        headings, title = translated_columns(kind.columns), _("Subscriptions")
    return await table_file(
        context, name, kind.columns, parts, headings=headings, title=title, is_recorded=True
    )


def _read_kind(context: PageContext) -> FileKind:
    text = context.query.get("format", "csv")
    if text not in KINDS:
        raise Invalid(
            _("format is “{text}”; expected one of {known}.").format(
                text=text[:80], known=", ".join(KINDS)
            ),
            field="format",
        )
    return KINDS[text]


def _read_list(context: PageContext) -> RenewalList:
    text = context.query.get("list", "")
    if text not in set(RenewalList):
        known = ", ".join(filter(None, RenewalList))
        raise Invalid(
            _(
                "list is “{text}”; expected one of {known}, or nothing for the current issue."
            ).format(text=text[:80], known=known),
            field="list",
        )
    return RenewalList(text)


async def _read_rows(
    context: PageContext,
    listed: RenewalList,
    query: RenewalListQuery,
    build: Callable[[Sequence[Candidate]], list[dict[str, Any]]],
) -> AsyncIterator[list[dict[str, Any]]]:
    """The rows of the file, in batches."""
    today = context.membership.daily_date
    async with context.db.read(aside=True) as db:
        soon = await find_soon(db, context.account_id, today)
    current = soon.first if soon else 0

    async def list_page(request: PageRequest) -> Page[Candidate]:
        async with context.db.replica.read(is_long=True) as db:
            return await store.list_renewals(
                db, context.account_id, listed, query, request, current=current, today=today
            )

    async for page in all_pages(list_page, limit=ROWS):
        yield await run_in_file_thread(build, page)
