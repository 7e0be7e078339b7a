"""Report copies by the keys that somebody types or scans."""

from datetime import date
from http import HTTPStatus

from starlette.responses import Response

from masthead.model.carriers.report_inputs import (
    CarrierReportKind,
    CarrierReportOutcome,
    CarrierReportResult,
    DeliveryReportCreate,
)
from masthead.model.clock import now
from masthead.model.errors import Invalid
from masthead.model.translations import ngettext
from masthead.services.carriers.reports import record_reports
from masthead.web.kit.context import PageContext
from masthead.web.returns.forms import KeysForm
from masthead.web.returns.overview import render_returns

SAID = {
    CarrierReportOutcome.MARKED: "marked as sent",
    CarrierReportOutcome.ALREADY_SENT: "were sent before",
    CarrierReportOutcome.RECORDED: "recorded",
    CarrierReportOutcome.OUTDATED: "recorded, but the address was changed since",
    CarrierReportOutcome.UNCHANGED: "were recorded before",
}


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
                raise Invalid("Give one copy key at a time if a reader moved.", field="keys")
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
    for outcome, words in SAID.items():
        if count := sum(result.result is outcome for result in results):
            parts.append(f"{count} {ngettext('copy', 'copies', count)} {words}")
    return f"{'; '.join(parts)}." if parts else "Nothing was changed."
