"""The pages of copy keys: find the copy of a key, or report the copies of several."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from http import HTTPStatus

from msgspec import structs
from starlette.responses import Response

from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.dispatch.runs import DispatchLine
from masthead.model.errors import Invalid
from masthead.model.pagination import PageRequest
from masthead.model.returns.copy_references import read_reference
from masthead.model.returns.delivery_reports import (
    DeliveryReport,
    PostalAddress,
    ReportKind,
    is_same_address,
)
from masthead.model.returns.report_inputs import (
    CarrierReportKind,
    CarrierReportOutcome,
    CarrierReportResult,
    CopyReportQuery,
    DeliveryReportCreate,
)
from masthead.model.translations import counted, gettext as _, ngettext_noop
from masthead.model.types.full_names import full_name
from masthead.model.types.text import MAX_TEXT
from masthead.services.returns.reports import record_reports
from masthead.store.dispatch import lines, runs
from masthead.store.engine.interface import Connection
from masthead.store.returns import delivery_reports, shipped
from masthead.store.returns.shipped import ReportedCopy
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form
from masthead.web.returns.forms import KeysForm
from masthead.web.returns.overview import render_returns

REPORTS = 10
# What is said about copies, by result; nothing about those that did not match
_RESULTS = {
    CarrierReportOutcome.RECORDED: ngettext_noop(
        "{count} copy recorded.", "{count} copies recorded."
    ),
    CarrierReportOutcome.MARKED: ngettext_noop(
        "{count} copy marked as sent.", "{count} copies marked as sent."
    ),
    CarrierReportOutcome.ALREADY_SENT: ngettext_noop(
        "{count} copy was sent before.", "{count} copies were sent before."
    ),
    CarrierReportOutcome.OUTDATED: ngettext_noop(
        "{count} copy recorded, but the address has been changed since.",
        "{count} copies recorded, but the addresses have been changed since.",
    ),
    CarrierReportOutcome.UNCHANGED: ngettext_noop(
        "{count} copy was recorded before.", "{count} copies were recorded before."
    ),
}


async def look_up_key(context: PageContext) -> Response:
    """Ask for a copy key, and show its copy."""
    key = context.query.get("key", "").strip()[:MAX_TEXT]
    if not key:
        problem = _("Type the copy key on the label, or the copy ID.") if context.query else ""
        return context.render(
            "returns/copy_key.html", status=HTTPStatus.OK, key="", line=None, problem=problem
        )
    try:
        async with context.db.read(aside=True) as db:
            return await _show(context, db, key)
    except Invalid as reason:
        problem = str(reason)
        return context.render(
            "returns/copy_key.html", status=HTTPStatus.OK, key=key, line=None, problem=problem
        )


async def _show(context: PageContext, db: Connection, key: str) -> Response:
    found = await _find(db, context.account_id, key)
    if isinstance(found, ReportedCopy):
        return await _show_copy(context, db, found)
    return await _show_line(context, db, found, key)


async def _show_line(
    context: PageContext, db: Connection, line: DispatchLine, key: str
) -> Response:
    address = PostalAddress.from_row(structs.asdict(line))
    reports = await _list_reports(context, db, line.copy_id, line.subscription_id)
    return context.render(
        "returns/copy_key.html",
        belongs_to=_section_of(context, key, line.subscriber_id),
        key=key,
        problem="",
        line=line,
        printed=printed(key_of(context.account_id, line.id)),
        name=full_name(line.first_name, line.last_name, line.company, _("Subscriber")),
        subscriber_id=line.subscriber_id,
        issue_number=line.issue_number,
        run=await runs.get_dispatch(db, context.account_id, line.dispatch_id),
        address=address,
        reports=reports,
        is_returned=_is_returned(reports, line.id),
        held=await _count_holds(db, context.account_id, line.subscription_id, address),
    )


async def _show_copy(context: PageContext, db: Connection, copy: ReportedCopy) -> Response:
    """A copy that was in no mailing, with the present address of its subscription."""
    siblings = await delivery_reports.find_sibling_subscriptions(
        db, context.account_id, [copy.subscription_id]
    )
    [subscription] = [each for each in siblings if each.id == copy.subscription_id]
    address = PostalAddress.from_row(structs.asdict(subscription))
    reports = await _list_reports(context, db, copy.id, copy.subscription_id)
    return context.render(
        "returns/copy_without_mailing.html",
        belongs_to=_section_of(context, str(copy.id), subscription.subscriber_id),
        key=str(copy.id),
        problem="",
        copy=copy,
        subscription=subscription,
        name=full_name(
            subscription.first_name, subscription.last_name, subscription.company, _("Subscriber")
        ),
        address=address,
        subscriber_id=subscription.subscriber_id,
        issue_number=copy.issue_number,
        reports=reports,
        is_returned=_is_returned(reports, None),
        held=await _count_holds(db, context.account_id, copy.subscription_id, address),
    )


def _section_of(context: PageContext, key: str, subscriber_id: str) -> str:
    """The subscriber, if the link of their page leads here with the ID of a copy; else empty."""
    return context.url("subscribers", subscriber_id) if key.isdigit() else ""


async def _list_reports(
    context: PageContext, db: Connection, copy_id: int, subscription_id: str
) -> Sequence[DeliveryReport]:
    """The carriers' reports on a copy. Queries: one."""
    page = await delivery_reports.list_reports(
        db,
        context.account_id,
        CopyReportQuery(copy=copy_id, subscription=subscription_id),
        PageRequest(REPORTS, None, b""),
    )
    return page.items


def _is_returned(reports: Sequence[DeliveryReport], line_id: int | None) -> bool:
    return any(
        each.kind is ReportKind.UNDELIVERABLE and each.line_id == line_id for each in reports
    )


async def _count_holds(
    db: Connection, account_id: int, subscription_id: str, address: PostalAddress
) -> int:
    """How many subscriptions of the same subscriber are on hold at an address. Queries: two."""
    siblings = await delivery_reports.find_sibling_subscriptions(db, account_id, [subscription_id])
    found = await delivery_reports.list_of_subscriptions(
        db, account_id, [row.id for row in siblings]
    )
    return len(
        {
            each.subscription_id
            for each in found
            if each.kind is ReportKind.UNDELIVERABLE and is_same_address(each.old_address, address)
        }
    )


async def _find(db: Connection, account_id: int, key: str) -> DispatchLine | ReportedCopy:
    """The line of a copy key or the newest one of a copy id; without any, the copy.

    Raises: Invalid.
    """
    reference = read_reference(account_id, key)
    id = reference.line
    if reference.copy:
        copies = await shipped.find_copies(db, account_id, [reference.copy])
        copy = copies.get(reference.copy)
        if copy is not None and copy.line_id is None:
            return copy
        id = copy.line_id or 0 if copy else 0
    line = await lines.find_line(db, account_id, id)
    if line is None:
        raise Invalid(_("No copy of this account has this key or ID. Check it again."))
    return line


async def find_line(db: Connection, account_id: int, key: str) -> DispatchLine:
    """The line of a copy key, or the newest line of a copy id. Raises: Invalid."""
    found = await _find(db, account_id, key)
    if isinstance(found, ReportedCopy):
        raise Invalid(_("This copy was in no mailing."))
    return found


async def report_keys(context: PageContext) -> Response:
    """Report the copies with these keys; those that do not match stay in the form.

    It can be sent again: what is recorded already does not change.
    """
    form = KeysForm(context.form_data)
    problems: list[tuple[str, str]] = []

    async def save() -> Response:
        keys = form.list_keys()
        if form.kind.data == CarrierReportKind.MOVED.value:
            if len(keys) > 1:
                raise Invalid(_("Type one copy key at a time if a subscriber moved."), field="keys")
            return context.redirect(context.url("copy-key", "moved", key=keys[0]))
        results = await record_reports(
            context.db,
            context.account_id,
            [_report(form, key) for key in keys],
            by=context.actor,
        )
        pairs = list(zip(keys, results, strict=True))
        problems.extend((key, result.message) for key, result in pairs if result.message)
        message = _count(results)
        if not problems and (shown := context.fields.get("look_up")):
            if results[0].result is CarrierReportOutcome.RECORDED:
                message = _("It is recorded that the copy came back.")
            return context.redirect(context.url("copy-key", key=shown), message=message)
        if not problems:
            return context.redirect(context.url("returns"), message=message)
        form.keys.data = "\n".join(key for key, _ in problems)
        form.form_errors.append(message)
        is_any = any(each.result is CarrierReportOutcome.RECORDED for each in results)
        return await show(HTTPStatus.OK if is_any else HTTPStatus.BAD_REQUEST)

    async def show(status: HTTPStatus) -> Response:
        return await render_returns(context, status=status, keys_form=form, results=problems)

    return await process_form(context, form, save, show)


def _report(form: KeysForm, key: str) -> DeliveryReportCreate:
    day: date | None = form.day.data
    kind = CarrierReportKind(form.kind.data)
    reason = form.reason.data or None
    return DeliveryReportCreate(key=key, kind=kind, date=day, reason=reason)


def _count(results: list[CarrierReportResult]) -> str:
    """How many copies had each result, in words."""
    counts = Counter(each.result for each in results)
    parts = [counted(*forms, n) for result, forms in _RESULTS.items() if (n := counts[result])]
    return " ".join(parts) or _("Nothing was changed.")
