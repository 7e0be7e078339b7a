"""The claims: their list, what the post loses by issue and country, and their replacements."""

from collections.abc import AsyncIterator
from functools import partial

import msgspec
from starlette.responses import Response

from masthead.model.claims.inputs import ClaimQuery
from masthead.model.claims.rules import ClaimCount, ClaimReason, ClaimStatus
from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.errors import Invalid
from masthead.model.file_names import file_name
from masthead.model.translations import counted, gettext as _
from masthead.model.types.countries import known_country
from masthead.services.claims import records as service
from masthead.services.claims.rows import ClaimRow, list_rows
from masthead.services.dispatch.runs import freeze_dispatch
from masthead.store.claims import records as store
from masthead.store.dispatch.open_claims import count_open
from masthead.web.kit.context import PageContext
from masthead.web.kit.filters import decode_filters, read_filters
from masthead.web.kit.formatting import country_in, get_locale
from masthead.web.kit.table_file import asked_ending, table_file

ISSUES = 12  # with claims, in the counts
COLUMNS = (
    "issue_number country country_name sent claims rate never_arrived damaged replacements"
).split()


async def list_claims(context: PageContext) -> Response:
    """The claims that match the filters, newest first, and the counts."""
    return await _render_claims(context)


async def _render_claims(context: PageContext, *, problem: str = "") -> Response:
    """problem: why an action was refused."""
    page, rows = None, list[ClaimRow]()
    async with context.db.replica.read(aside=True) as db:
        try:
            query, request = decode_filters(context, ClaimQuery)
            page = await store.list_claims(
                db, context.account_id, query, request, zone=context.zone
            )
            rows = await list_rows(db, context.account_id, page.items)
        except Invalid as reason:
            problem = problem or str(reason)
        waiting = await count_open(db, context.account_id)
        counts = await context.count_once(
            db,
            "claims by issue and country",
            partial(store.count_claims, db, context.account_id, issues=ISSUES),
        )
    return context.render(
        "claims/list.html",
        page=page,
        rows=rows,
        waiting=waiting,
        issues=_by_issue(counts),
        filters=read_filters(context, ClaimQuery),
        statuses=list(ClaimStatus),
        reasons=list(ClaimReason),
        problem=problem,
    )


def _by_issue(counts: list[ClaimCount]) -> list[tuple[ClaimCount, list[ClaimCount]]]:
    """The totals of each issue, with its countries that have claims."""
    grouped: dict[int, list[ClaimCount]] = {}
    for each in counts:
        grouped.setdefault(each.issue_number, []).append(each)
    return [
        (_total(countries), [each for each in countries if each.claims])
        for countries in grouped.values()
    ]


def _total(countries: list[ClaimCount]) -> ClaimCount:
    return ClaimCount(
        issue_number=countries[0].issue_number,
        issue_id=countries[0].issue_id,
        country="",
        sent=sum(each.sent for each in countries),
        claims=sum(each.claims for each in countries),
        never_arrived=sum(each.never_arrived for each in countries),
        damaged=sum(each.damaged for each in countries),
        replacements=sum(each.replacements for each in countries),
    )


async def download_counts(context: PageContext) -> Response:
    """A file with the claims by issue and country."""
    name = file_name("claims-by-issue-and-country.{ending}", ending=asked_ending(context))
    return await table_file(context, name, COLUMNS, _read_counts(context), title=_("Claims"))


async def _read_counts(context: PageContext) -> AsyncIterator[list[dict[str, object]]]:
    async with context.db.read(aside=True) as db:
        counts = await store.count_claims(db, context.account_id, issues=ISSUES)
    locale = get_locale(context.membership.locale)
    yield [
        {
            **msgspec.structs.asdict(each),
            "country": known_country(each.country),
            "country_name": country_in(each.country, locale),
            "rate": None if each.rate is None else f"{each.rate:.4f}",
        }
        for each in counts
    ]


async def close_claim(context: PageContext) -> Response:
    """Withdraw a claim, and those of the other copies in its row. Raises: NotFound."""
    others = (str(each) for each in context.fields.getlist("with"))
    ids = list(dict.fromkeys((context.path["id"], *others)))
    try:
        await service.close_claims(context.db, context.account_id, ids, by=context.actor)
    except Invalid as reason:
        return await _render_claims(context, problem=str(reason))
    message = counted(
        "The claim is withdrawn. No replacement will be sent.",
        "The claims of {count} copies are withdrawn. No replacements will be sent.",
        len(ids),
    )
    return context.redirect(context.url("claims"), message=message)


async def send_replacements(context: PageContext) -> Response:
    """Freeze a run of the replacements of an issue, without other copies. Raises: NotFound."""
    selection = DispatchSelection(only_replacements=True)
    try:
        run = await freeze_dispatch(
            context.db, context.account_id, context.path["id"], selection, by=context.actor
        )
    except Invalid as reason:
        return await _render_claims(context, problem=str(reason))
    count = run.replacements
    message = counted(
        "Mailing {number} of issue {issue} is prepared with {count} replacement. Download its "
        "addresses.",
        "Mailing {number} of issue {issue} is prepared with {count} replacements. "
        "Download its addresses.",
        count,
        number=run.number,
        issue=run.issue_number,
    )
    return context.redirect(context.url("dispatches", run.id), message=message)
