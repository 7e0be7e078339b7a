"""The table of renewal rates, its file, and the lists behind its figures."""

from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.file_names import file_name
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.renewals.rates import (
    WITHIN,
    EndedQuery,
    IssueRate,
    RateQuery,
    Renewed,
    by_issue,
    total_of,
)
from masthead.model.translations import gettext as _
from masthead.model.types.enums import Medium
from masthead.services.renewals import find_renewals
from masthead.store.issues.records import find_release_dates
from masthead.store.letters.rounds import count_renewed_since, list_rounds
from masthead.store.renewals import rates as store
from masthead.store.renewals.ending import find_soon
from masthead.web.kit.choices import name_sources
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.letter_figures import find_figures
from masthead.web.kit.shown_pages import show_page
from masthead.web.kit.table_file import asked_ending, table_file

COLUMNS = (
    "last_issue ended renewed_with_next renewed_within_2 renewed_within_3 not_renewed"
    " share_with_next share_within_2 share_within_3 is_final renews_automatically not_decided"
).split()


async def show_rates(context: PageContext) -> Response:
    """How many of those who ended with each issue renewed within three issues."""
    rows: list[IssueRate] = []
    problem, counted_at, figures = "", None, None
    try:
        rows = await _read(context)
    except Invalid as reason:
        problem = str(reason)
    async with context.db.read(aside=True) as db:
        counted_at = await store.find_counted_at(db, context.account_id)
        later = [row.issue_number + WITHIN for row in rows if not row.is_final]
        final_from = await find_release_dates(db, context.account_id, later) if later else {}
        rounds = await list_rounds(db, context.account_id, 1)
        renewed = await count_renewed_since(db, context.account_id, rounds)
        if rows:
            figures = await find_figures(context, db, RenewalStage.LAST)
    return context.render(
        "renewals/rates.html",
        rows=rows,
        total=total_of(rows),
        is_open=any(not row.is_final for row in rows),
        final_from=final_from,
        within=WITHIN,
        figures=figures,
        last_round=rounds[0] if rounds else None,
        renewed=next(iter(renewed.values()), None),
        counted_at=counted_at,
        problem=problem,
        filters=read_filters(context, RateQuery),
        media=[each.value for each in Medium],
        sources=await name_sources(context),
    )


async def _read(context: PageContext) -> list[IssueRate]:
    """The figures that match the filters. Raises: Invalid."""
    query, _request = decode_filters(context, RateQuery)
    async with context.db.read() as db:
        found = await store.list_rates(db, context.account_id)
        soon = await find_soon(db, context.account_id, context.membership.daily_date)
    return by_issue(found, query, current=soon.first if soon else 0)


async def download_rates(context: PageContext) -> Response:
    """The table as a file; it has no personal data. Raises: Invalid."""
    name = file_name("retention.{ending}", ending=asked_ending(context))
    rows = await _read(context)

    async def parts() -> AsyncIterator[list[dict[str, Any]]]:
        yield [_row(each) for each in rows]

    return await table_file(context, name, COLUMNS, parts(), title=_("Retention"))


def _row(each: IssueRate) -> dict[str, Any]:
    return {
        "last_issue": each.issue_number,
        "ended": each.ended,
        "renewed_with_next": each.within_1,
        "renewed_within_2": each.within_2,
        "renewed_within_3": each.within_3,
        "not_renewed": each.not_renewed if each.is_final else "",
        "share_with_next": f"{each.share(each.within_1):.4f}",
        "share_within_2": f"{each.share(each.within_2):.4f}",
        "share_within_3": f"{each.share(each.within_3):.4f}",
        "is_final": each.is_final,
        "renews_automatically": "" if each.is_final else each.automatic,
        "not_decided": "" if each.is_final else each.open,
    }


async def list_ended(context: PageContext) -> Response:
    """The subscriptions of one figure of the table, and what renewed them. Raises: Invalid."""
    query, request = decode_filters(context, EndedQuery, is_reversible=True)
    async with context.db.read(aside=True) as db:
        page = await store.list_ended(db, context.account_id, query, request)
        ids = [each.subscription_id for each in page.items]
        renewals = await find_renewals(db, context.account_id, query.issue, ids, zone=context.zone)
    return context.render(
        "renewals/ended.html",
        page=show_page(context, request, page, key=lambda each: each.subscription_id),
        renewals=renewals,
        query=query,
        renewed=Renewed,
        filters=read_filters(context, EndedQuery),
    )
