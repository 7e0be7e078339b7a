"""Sending an issue: download the addresses, then mark the copies as sent."""

import time
from collections.abc import AsyncIterator
from datetime import date
from http import HTTPStatus

from starlette.responses import Response
from wtforms import HiddenField, StringField
from wtforms.widgets import DateInput

from masthead.model.errors import Invalid
from masthead.model.inputs import MarkSentDate
from masthead.model.types.enums import CopyStatus
from masthead.model.types.text import is_digits
from masthead.model.validation import decode_input
from masthead.services.copies import mark_issue_batch_sent
from masthead.services.downloads import record_address_download
from masthead.services.issues import is_issue_released
from masthead.store import issues
from masthead.store.engine.interface import Database, Row
from masthead.store.reports import fulfilment
from masthead.web.kit import csv_export
from masthead.web.kit.context import PageContext
from masthead.web.kit.csv_export import csv_file
from masthead.web.kit.formatting import country_in, get_locale, ngettext
from masthead.web.kit.forms import BaseForm

MAX_SECONDS = 0.4  # to mark copies in one request; then the page shows the progress
DOWNLOADABLE = (CopyStatus.NOT_SENT, CopyStatus.SENT)
COLUMNS = (
    "copy_id subscription_id medium first_name last_name company address1 address2 city state"
    " postcode country country_name"
).split()


class MarkSentForm(BaseForm):
    """The day on which the copies were sent. done: how many are marked so far."""

    date = StringField("Sent on", widget=DateInput())
    done = HiddenField(default="0")


async def mark_issue_sent(context: PageContext) -> Response:
    """Show the number of copies to send; mark them all as sent.

    A large issue takes several requests; between them the page shows the progress.
    Raises: NotFound.
    """
    issue = await issues.get_issue(context.db, context.account_id, context.path["id"])
    issue_url = context.url("issues", issue.id)

    async def count_to_send() -> int:
        async with context.db.read(aside=True) as db:
            counts = await fulfilment.count_by_status(db, context.account_id, issue.number)
        return counts[CopyStatus.NOT_SENT]

    async def save(form: MarkSentForm, db: Database) -> Response:
        day = (form.date.data or "").strip() or None
        sent_on = decode_input(MarkSentDate, {"date": day}).date
        assert sent_on is None or isinstance(sent_on, date)
        typed = form.done.data or ""
        done = int(typed) if is_digits(typed, at_most=10) else 0
        deadline, writer = time.monotonic() + MAX_SECONDS, db
        while marked := await mark_issue_batch_sent(
            writer, context.account_id, issue.id, sent_on, by=context.actor
        ):
            # The first write used the form's idempotency key; later writes do not need one.
            done, writer = done + marked, context.db
            if time.monotonic() > deadline and (left := await count_to_send()):
                return context.render(
                    "desk/fulfilment_status.html",
                    issue=issue,
                    form=MarkSentForm(None, {"date": form.date.data, "done": str(done)}),
                    done=done,
                    total=done + left,
                )
        message = f"{done} {ngettext('copy is', 'copies are', done)} marked as sent."
        return _redirect(context, issue_url, message)

    async def on_repeat(form: MarkSentForm) -> Response:
        return _redirect(context, issue_url, "The copies were already marked as sent.")

    return await context.handle_form(
        MarkSentForm,
        "desk/fulfilment_confirm.html",
        save,
        initial={"date": str(context.membership.daily_date)},
        on_repeat=on_repeat,
        issue=issue,
        to_send=await count_to_send(),
        is_out=await is_issue_released(
            context.db, context.account_id, issue, day=context.membership.daily_date
        ),
    )


def _redirect(context: PageContext, location: str, message: str) -> Response:
    """Redirect the browser. A request from htmx needs a different header."""
    response = context.redirect(location, message=message)
    if context.request.headers.get("HX-Request") == "true":
        response.status_code = HTTPStatus.OK
        response.headers["HX-Redirect"] = response.headers["Location"]
        del response.headers["Location"]
    return response


async def download_addresses(context: PageContext) -> Response:
    """A CSV file with the addresses of the printed copies that are Not sent, or Sent.

    Raises: NotFound, Invalid.
    """
    status = context.query.get("status", "") or CopyStatus.NOT_SENT
    if status not in DOWNLOADABLE:
        raise Invalid(f"status is “{status[:80]}”; expected Not sent or Sent.", field="status")
    issue = await issues.get_issue(context.db, context.account_id, context.path["id"])
    kind = "sent-to" if status == CopyStatus.SENT else "addresses"
    name = f"issue-{issue.number}-{kind}.csv"
    await record_address_download(
        context.db, context.account_id, issue.id, file=name, by=context.actor
    )
    context.log_download(name)
    return csv_file(name, COLUMNS, _read_addresses(context, issue.number, CopyStatus(status)))


async def _read_addresses(
    context: PageContext, number: int, status: CopyStatus
) -> AsyncIterator[list[Row]]:
    """The rows of the file, in batches."""
    after, locale = 0, get_locale(context.membership.locale)
    while True:
        async with context.db.read(aside=True) as db:
            rows = await fulfilment.list_addresses(
                db, context.account_id, number, status, after=after, limit=csv_export.ROWS
            )
        if not rows:
            return
        after = rows[-1]["id"]
        yield [
            {**row, "copy_id": row["id"], "country_name": country_in(row["country"], locale)}
            for row in rows
        ]
