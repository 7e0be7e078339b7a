"""The files of the lists of issues, copies, runs, claims and delivery problems."""

from typing import Any

from msgspec import structs

from masthead.model.claims.inputs import ClaimQuery
from masthead.model.dispatch.runs import Dispatch
from masthead.model.file_names import file_name_noop
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest
from masthead.model.queries import CopyQuery, IssueCopyQuery
from masthead.model.resources import Issue
from masthead.model.returns.delivery_reports import DeliveryReport, PostalAddress, ReportKind
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _, gettext_noop, pgettext
from masthead.services.claims.rows import ClaimRow, list_rows
from masthead.store import copies
from masthead.store.claims import records as claims
from masthead.store.dispatch import runs
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues
from masthead.store.reports import fulfilment
from masthead.store.returns import delivery_reports
from masthead.store.subscriptions import records as subscriptions
from masthead.web.downloads.list_file import ListFile, Parts, read_pages, read_query
from masthead.web.kit.context import PageContext
from masthead.web.kit.formatting import country_cells, get_locale

_ISSUES = (
    "issue issue_name release_date date_as_start_issue recurring_charge_date newsstand_ean "
    "copies_to_send"
).split()
_ADDRESS = "first_name last_name company address1 address2 city state postcode".split()
_COPIES = (
    *"copy_id issue issue_name status date_sent country country_name".split(),
    *_ADDRESS,
    *("subscriber_id", "subscription_id"),
)
_RUNS = "issue issue_name mailing status lines copies replacements date_sent created_at".split()
_CLAIMS = (
    *"issue copies reason status replacement date_sent date_created country country_name".split(),
    *("notes", *_ADDRESS, "copy_id", "subscriber_id", "subscription_id"),
)
_REPORTS = (
    "problem issue full_name reason day old_address new_address created_at copy_id subscriber_id "
    "subscription_id"
).split()


def _read_issues(context: PageContext) -> Parts:
    _query, is_ascending = read_query(context, ListQuery, is_sortable=True)
    to_send: dict[int, int] = {}

    async def list_page(db: Connection, request: PageRequest) -> Page[Issue]:
        page = await issues.list_issues(db, context.account_id, request)
        numbers = [item.number for item in page.items]
        to_send.update(await fulfilment.count_unsent(db, context.account_id, numbers))
        return page

    def row(item: Issue) -> dict[str, Any]:
        return {
            **structs.asdict(item),
            "issue": item.number,
            "issue_name": item.name,
            "release_date": item.release_date_actual or item.release_date_fuzzy,
            "copies_to_send": to_send.pop(item.number, 0),
        }

    return read_pages(context, list_page, row, is_ascending=is_ascending)


def _read_copies(context: PageContext) -> Parts:
    query, _is_ascending = read_query(context, IssueCopyQuery)
    asked = CopyQuery(issue=context.query.get("issue", ""), **structs.asdict(query))
    locale = get_locale(context.locale)

    async def list_page(
        db: Connection, request: PageRequest
    ) -> Page[tuple[Any, StoredSubscription]]:
        page = await copies.list_copies(context.db, context.account_id, asked, request)
        ids = {item.subscription_id for item in page.items}
        facts = await subscriptions.find_rows(db, context.account_id, ids)
        items = [(item, facts[item.subscription_id]) for item in page.items]
        return Page(items=items, has_more=page.has_more, cursor=page.cursor)

    def row(found: tuple[Any, StoredSubscription]) -> dict[str, Any]:
        item, facts = found
        return {
            **{name: getattr(facts, name) for name in _ADDRESS},
            **structs.asdict(item),
            "copy_id": str(item.id),
            "issue": item.issue.number,
            "issue_name": item.issue.name,
            "status": pgettext("copy", item.status.value),
            **country_cells(item.country, locale),
        }

    return read_pages(context, list_page, row)


def _read_runs(context: PageContext) -> Parts:
    async def list_page(db: Connection, request: PageRequest) -> Page[Dispatch]:
        return await runs.list_dispatches(db, context.account_id, request)

    def row(item: Dispatch) -> dict[str, Any]:
        return {
            **structs.asdict(item),
            "issue": item.issue_number,
            "mailing": item.number,
            "status": item.status.words,
        }

    return read_pages(context, list_page, row)


def _read_claims(context: PageContext) -> Parts:
    query, _is_ascending = read_query(context, ClaimQuery)
    locale = get_locale(context.locale)

    async def list_page(db: Connection, request: PageRequest) -> Page[ClaimRow]:
        page = await claims.list_claims(db, context.account_id, query, request, zone=context.zone)
        items = await list_rows(db, context.account_id, page.items)
        return Page(items=items, has_more=page.has_more, cursor=page.cursor)

    def row(found: ClaimRow) -> dict[str, Any]:
        item = found.first
        return {
            **{name: getattr(found.owner, name) for name in _ADDRESS},
            **structs.asdict(item),
            "copies": len(found.claims),
            "copy_id": str(item.copy_id),
            "issue": item.issue.number,
            "status": item.status.words,
            "reason": item.reason.words,
            "replacement": _("yes") if item.replacement else _("no"),
            **country_cells(item.country, locale),
        }

    return read_pages(context, list_page, row)


async def _read_reports(context: PageContext) -> Parts:
    asked = context.query.get("kind", "")
    subscription = context.query.get("subscription") or None
    for kind in [each for each in ReportKind if asked in ("", each.value)]:

        async def list_page(
            db: Connection, request: PageRequest, kind: ReportKind = kind
        ) -> Page[DeliveryReport]:
            return await delivery_reports.list_open(
                db, context.account_id, kind, request, subscription_id=subscription
            )

        async for part in read_pages(context, list_page, _report_row):
            yield part


def _report_row(item: DeliveryReport) -> dict[str, Any]:
    return {
        **structs.asdict(item),
        "full_name": item.full_name,
        "problem": _(item.kind.value),
        "issue": item.issue_number,
        "copy_id": str(item.copy_id),
        "day": item.report_date,
        "old_address": _on_one_line(item.old_address),
        "new_address": _on_one_line(item.new_address) if item.new_address else None,
    }


def _on_one_line(address: PostalAddress) -> str:
    return ", ".join(filter(None, structs.astuple(address)))


SENDING_FILES = {
    "issues": ListFile(
        gettext_noop("Issues"), file_name_noop("issues-{day}.{ending}"), _ISSUES, _read_issues
    ),
    "copies": ListFile(
        gettext_noop("Copies"), file_name_noop("copies-{day}.{ending}"), _COPIES, _read_copies
    ),
    "mailings": ListFile(
        gettext_noop("Mailings"), file_name_noop("mailings-{day}.{ending}"), _RUNS, _read_runs
    ),
    "claims": ListFile(
        gettext_noop("Claims"), file_name_noop("claims-{day}.{ending}"), _CLAIMS, _read_claims
    ),
    "delivery-problems": ListFile(
        gettext_noop("Delivery problems"),
        file_name_noop("delivery-problems-{day}.{ending}"),
        _REPORTS,
        _read_reports,
    ),
}
