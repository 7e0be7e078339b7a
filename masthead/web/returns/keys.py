"""Report copies by the keys that somebody types or scans."""

from datetime import date
from http import HTTPStatus

from starlette.responses import Response

from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.returns.report_inputs import (
    CarrierReportKind,
    CarrierReportOutcome,
    CarrierReportResult,
    DeliveryReportCreate,
)
from masthead.model.translations import gettext as _
from masthead.model.translations import ngettext
from masthead.services.returns.reports import record_reports
from masthead.web.kit.context import PageContext
from masthead.web.returns.forms import KeysForm
from masthead.web.returns.overview import render_returns


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
            today=now().date(),
            by=context.actor,
        )
        pairs = list(zip(keys, results, strict=True))
        problems.extend((key, result.message) for key, result in pairs if result.message)
        message = _count(results)
        if not problems and "is_look_up" in context.fields:
            return context.redirect(context.url("copy-key", key=keys[0]), message=message)
        if not problems:
            return context.redirect(context.url("returns"), message=message)
        form.keys.data = "\n".join(key for key, _ in problems)
        form.form_errors.append(message)
        return await show(HTTPStatus.OK)

    async def show(status: HTTPStatus) -> Response:
        return await render_returns(context, status=status, keys_form=form, results=problems)

    return await context.process_form(form, save, show)


def _report(form: KeysForm, key: str) -> DeliveryReportCreate:
    day: date | None = form.day.data
    kind = CarrierReportKind(form.kind.data)
    reason = form.reason.data or None
    return DeliveryReportCreate(key=key, kind=kind, date=day, reason=reason)


def _count(results: list[CarrierReportResult]) -> str:
    """How many copies had each result, in words."""
    parts = []
    for outcome in CarrierReportOutcome:
        if count := sum(result.result is outcome for result in results):
            parts += _result_in_words(outcome, count)
    return " ".join(parts) or _("Nothing was changed.")


def _result_in_words(outcome: CarrierReportOutcome, count: int) -> list[str]:
    """A sentence about the copies with this result; none for those that did not match."""
    match outcome:
        case CarrierReportOutcome.MARKED:
            text = ngettext("{count} copy marked as sent.", "{count} copies marked as sent.", count)
        case CarrierReportOutcome.ALREADY_SENT:
            text = ngettext(
                "{count} copy was sent before.", "{count} copies were sent before.", count
            )
        case CarrierReportOutcome.RECORDED:
            text = ngettext("{count} copy recorded.", "{count} copies recorded.", count)
        case CarrierReportOutcome.OUTDATED:
            text = ngettext(
                "{count} copy recorded, but the address has been changed since.",
                "{count} copies recorded, but the addresses have been changed since.",
                count,
            )
        case CarrierReportOutcome.UNCHANGED:
            text = ngettext(
                "{count} copy was recorded before.", "{count} copies were recorded before.", count
            )
        case _other:
            return []
    return [text.format(count=count)]
