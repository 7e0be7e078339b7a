"""The lists of who lapsed and who is about to."""

from datetime import date
from functools import partial

from msgspec import Struct
from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.renewals.ending import EndingRange
from masthead.model.renewals.lapsed import (
    MAX_AGO,
    Candidate,
    RenewalList,
    RenewalListQuery,
    RenewalStage,
)
from masthead.model.types.enums import Medium
from masthead.store.engine.interface import Connection
from masthead.store.letters.latest import LatestLetter, list_latest
from masthead.store.renewals import lists as store
from masthead.store.renewals.ending import count_ended, find_soon
from masthead.store.renewals.lists import ListCount
from masthead.web.kit.choices import list_countries, name_sources
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.letter_figures import list_line, stage_of_list
from masthead.web.kit.shown_pages import ShownPage, show_page

FILTERS = ("medium", "country", "source", "is_comp", "has_letter")
WITH_LETTERS = (RenewalList.ENDING, RenewalList.NEXT, RenewalList.LAPSED)


class Tabs(Struct, frozen=True):
    """What the tabs of the lists show.

    current: the number of the current issue, 0 without issues. counts: of all lists. incomplete:
    how many ended but are not Complete, which has no tab.
    """

    current: int
    counts: dict[RenewalList, ListCount]
    incomplete: int


class Found(Struct, frozen=True):
    """What a page shows.

    total: the rows of this list that match the filters. stage: of the letters to this list, if
    there are any; line: how they differ from it. letters: the last one of each period that got
    one; None for a list to which none are sent.
    """

    tabs: Tabs
    page: ShownPage[Candidate]
    total: int
    stage: RenewalStage | None
    line: str
    letters: dict[int, LatestLetter] | None


async def list_ending(context: PageContext) -> Response:
    """What ends with the current issue."""
    return await _show(context, RenewalList.ENDING)


async def list_next(context: PageContext) -> Response:
    """What ends with the next issue."""
    return await _show(context, RenewalList.NEXT)


async def list_lapsed(context: PageContext) -> Response:
    """What ended some issues ago and was not renewed."""
    return await _show(context, RenewalList.LAPSED)


async def list_past_due(context: PageContext) -> Response:
    """What is past due."""
    return await _show(context, RenewalList.PAST_DUE)


async def list_stopped(context: PageContext) -> Response:
    """What does not renew any more, because the renewals were stopped."""
    return await _show(context, RenewalList.STOPPED)


async def _show(context: PageContext, kind: RenewalList) -> Response:
    filters = read_filters(context, RenewalListQuery)
    values = {name: text for name, text in filters.values.items() if text}
    shared = {name: text for name, text in values.items() if name != "ago"}
    found, problem = None, ""
    try:
        async with context.db.replica.read(aside=True) as db:
            found = await _find(context, db, kind)
    except Invalid as reason:
        problem = str(reason)
    return context.render(
        "renewals/list.html",
        found=found,
        problem=problem,
        kind=kind,
        lists=RenewalList,
        with_letters=WITH_LETTERS,
        filters=filters,
        values=values,
        shared=shared,
        is_filtered=any(filters.values[name] for name in FILTERS),
        ago=filters.values["ago"] or "1",
        most_ago=MAX_AGO,
        sort=filters.values["sort"],
        media=[each.value for each in Medium],
        countries=list_countries(context.locale),
        sources=await name_sources(context),
    )


async def _find(context: PageContext, db: Connection, kind: RenewalList) -> Found:
    """What the page shows. Raises: Invalid."""
    query, request = decode_filters(context, RenewalListQuery, is_reversible=True)
    account_id, today = context.account_id, context.membership.daily_date
    tabs = await count_tabs(context, db, await find_soon(db, account_id, today), query.ago)
    current = tabs.current
    page = await store.list_renewals(
        db, account_id, kind, query, request, current=current, today=today
    )
    total = listed = tabs.counts[kind]
    if any(getattr(query, name) is not None for name in FILTERS):
        total = await store.count_renewals(
            db, account_id, kind, query, current=current, today=today
        )
    stage = stage_of_list(kind, query.ago)
    line = list_line(listed) if stage and current else ""
    shown = show_page(context, request, page, key=lambda each: each.list_key)
    letters = None
    if kind in WITH_LETTERS:
        letters = await list_latest(db, account_id, [each.period_id for each in page.items])
    return Found(tabs, shown, total.rows, stage, line, letters)


async def count_tabs(
    context: PageContext, db: Connection, soon: EndingRange | None, ago: int = 1
) -> Tabs:
    """The counts of the lists. soon: the current issue and the next one. ago: of what lapsed."""
    id, today = context.account_id, context.membership.daily_date
    count = partial(_count, db, id, ago, soon, today)
    return Tabs(soon.first if soon else 0, *await context.count_once(db, ("renewals", ago), count))


async def _count(
    db: Connection, account_id: int, ago: int, soon: EndingRange | None, today: date
) -> tuple[dict[RenewalList, ListCount], int]:
    """The rows of each list, and how many ended but are not Complete."""
    query, current = RenewalListQuery(ago=ago), soon.first if soon else 0
    counts = {
        each: await store.count_renewals(db, account_id, each, query, current=current, today=today)
        for each in RenewalList
    }
    return counts, await count_ended(db, account_id, soon) if soon else 0
