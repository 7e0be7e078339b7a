"""An issue goes out: the addresses to post it to, and all copies that wait marked as sent."""

import time
from collections.abc import AsyncIterator
from datetime import date
from http import HTTPStatus

from starlette.responses import Response
from wtforms import HiddenField, StringField
from wtforms.widgets import DateInput

from masthead.model.errors import Invalid
from masthead.model.inputs import MarkSentDate
from masthead.model.resources import Issue
from masthead.model.types.enums import CopyStatus
from masthead.model.types.text import is_digits
from masthead.model.validation import decode_input
from masthead.services.copies import mark_some_of_issue
from masthead.services.downloads import record_address_download
from masthead.store import issues
from masthead.store.engine.interface import Database, Row
from masthead.store.reports import fulfilment
from masthead.web.kit import csv_export
from masthead.web.kit.context import PageContext
from masthead.web.kit.csv_export import csv_file
from masthead.web.kit.formatting import country_in, get_locale
from masthead.web.kit.forms import BaseForm

SLICE_SECONDS = 0.4  # of marking, before the page shows how far it is
LISTED = (CopyStatus.NOT_SENT, CopyStatus.SENT)
COLUMNS = (
    "copy_id subscription_id medium first_name last_name company address1 address2 city state"
    " postcode country country_name"
).split()


class SendForm(BaseForm):
    """When the copies went out. done: how many have been marked so far."""

    date = StringField("Sent on", widget=DateInput())
    done = HiddenField(default="0")


async def send_issue(context: PageContext) -> Response:
    """Say how many copies wait; mark them, in slices that each show how far it is.

    Raises: NotFound.
    """
    issue = await issues.get_issue(context.db, context.account_id, context.path["id"])

    async def count() -> int:
        async with context.db.read(aside=True) as db:
            states = await fulfilment.count_by_status(db, context.account_id, issue.number)
        return states[CopyStatus.NOT_SENT]

    async def save(form: SendForm, db: Database) -> Response:
        day = (form.date.data or "").strip() or None
        sent_on = decode_input(MarkSentDate, {"date": day}).date
        assert sent_on is None or isinstance(sent_on, date)
        told = form.done.data or ""
        done = int(told) if is_digits(told, at_most=10) else 0
        until, writer = time.monotonic() + SLICE_SECONDS, db
        while marked := await mark_some_of_issue(
            writer, context.account_id, issue.id, sent_on, by=context.actor
        ):
            done, writer = done + marked, context.db  # the form's mark is taken
            if time.monotonic() > until and (left := await count()):
                following = SendForm(None, {"date": form.date.data, "done": str(done)})
                return context.render(
                    "desk/fulfilment_status.html",
                    issue=issue,
                    form=following,
                    done=done,
                    total=done + left,
                )
        return _lead_on(context, context.url("issues", issue.id), _said(done))

    async def on_repeat(form: SendForm) -> Response:
        return _lead_on(context, context.url("issues", issue.id), "That was done already.")

    return await context.handle_form(
        SendForm,
        "desk/fulfilment_confirm.html",
        save,
        initial={"date": str(context.membership.daily_date)},
        on_repeat=on_repeat,
        issue=issue,
        waiting=await count(),
        is_early=await _is_early(context, issue),
    )


async def _is_early(context: PageContext, issue: Issue) -> bool:
    """Whether the issue is not out yet, as far as its days tell."""
    today = context.membership.daily_date
    if issue.release_date_actual is not None:
        return issue.release_date_actual > today
    current = await issues.find_current(context.db, context.account_id, today)
    return current is None or issue.number > current.number


def _said(done: int) -> str:
    return "1 copy is marked as sent." if done == 1 else f"{done} copies are marked as sent."


def _lead_on(context: PageContext, location: str, said: str) -> Response:
    """Lead to a page; what htmx asked for is put into a page, so it is told where to go."""
    response = context.redirect(location, message=said)
    if context.request.headers.get("HX-Request") == "true":
        response.status_code = HTTPStatus.OK
        response.headers["HX-Redirect"] = response.headers["Location"]
        del response.headers["Location"]
    return response


async def download_addresses(context: PageContext) -> Response:
    """The addresses of the printed copies that wait, or were sent, as CSV.

    Raises: NotFound, Invalid.
    """
    asked = context.query.get("status", "") or CopyStatus.NOT_SENT
    if asked not in LISTED:
        raise Invalid(f"status is “{asked[:80]}”; expected Not sent or Sent.", field="status")
    issue = await issues.get_issue(context.db, context.account_id, context.path["id"])
    kind = "sent-to" if asked == CopyStatus.SENT else "addresses"
    rows = _addresses(context, issue.number, CopyStatus(asked))
    name = f"issue-{issue.number}-{kind}.csv"
    await record_address_download(
        context.db, context.account_id, issue.id, file=name, by=context.actor
    )
    context.log_download(name)
    return csv_file(name, COLUMNS, rows)


async def _addresses(
    context: PageContext, number: int, status: CopyStatus
) -> AsyncIterator[list[Row]]:
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
