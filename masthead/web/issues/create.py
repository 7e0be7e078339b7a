"""The page that creates an issue; it previews how many copies the issue will have."""

from collections.abc import Mapping

from msgspec import Struct
from starlette.responses import Response
from wtforms import BooleanField, StringField
from wtforms.validators import InputRequired
from wtforms.widgets import NumberInput

from masthead.model.errors import Invalid
from masthead.model.inputs import IssueCreate
from masthead.model.pagination import PageRequest
from masthead.model.resources import Issue
from masthead.model.translations import gettext as _, ngettext
from masthead.model.types.fields import MAX_NUMBER
from masthead.model.types.issue_names import shown_name
from masthead.model.types.text import is_digits
from masthead.model.validation import decode_input
from masthead.services.issues import records as service
from masthead.services.issues.numbers import taken_error
from masthead.store.engine.interface import Database
from masthead.store.issues import records as issues
from masthead.store.reports import forecasts, fulfilment
from masthead.web.issues.form import FIELDS, IssueForm
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.formatting import get_locale, number_in

_ONE = PageRequest(limit=1, after=None, binding=b"")


class IssueCreateForm(IssueForm):
    """The fields of a new issue. skips_numbers: whether the user agrees to skip numbers."""

    skips_numbers = BooleanField("Yes, skip these numbers")
    number = StringField(
        "Number",
        [InputRequired("Give the issue a number, such as 12.")],
        widget=NumberInput(min=1, max=MAX_NUMBER),
    )


class IssuePreview(Struct, frozen=True):
    """The preview of an issue with the typed number and release date.

    existing: the issue that already has the number. copies: how many the issue would have.
    later: an issue with a lower number that is released later.
    """

    existing: Issue | None = None
    copies: int = 0
    later: Issue | None = None


async def create_issue(context: PageContext) -> Response:
    """Show the form with a preview of the number of copies; create the issue."""
    latest = (await issues.list_issues(context.db, context.account_id, _ONE)).items
    last = latest[0].number if latest else None
    typed = context.given
    initial = {name: str(typed.get(name, "")) for name in FIELDS}
    initial["number"] = str(typed.get("number", _next_number(last)))

    async def save(form: IssueCreateForm, db: Database) -> Response:
        text = (form.number.data or "").strip()
        body = decode_input(
            IssueCreate,
            {name: value for name, value in form.trimmed_values().items() if value}
            | {"number": int(text) if _is_number(text) else text},
        )
        if _skips_numbers(body.number, last) and not form.skips_numbers.data:
            raise Invalid(
                _("The last issue is {last}. Use {next}, or tick the box to keep {number}.").format(
                    last=last, next=_next_number(last), number=body.number
                ),
                field="number",
            )
        try:
            issue = await service.create_issue(db, context.account_id, body, by=context.actor)
        except Invalid as reason:
            raise await _named(context, db, reason, body.number) from None
        counts = await fulfilment.count_unsent(db, context.account_id, [issue.number])
        count = counts[issue.number]
        message = ngettext(
            "{name} is created, with {count} copy to send.",
            "{name} is created, with {count} copies to send.",
            count,
        ).format(
            name=shown_name(issue.name, issue.number),
            count=number_in(count, get_locale(context.locale)),
        )
        return context.redirect(context.url("issues", issue.id), message=message)

    number = initial["number"].strip()
    return await handle_form(
        context,
        IssueCreateForm,
        "issues/create.html",
        save,
        is_long=True,
        initial=initial,
        preview=await _preview_issue(context, initial),
        typed=initial,
        last=last,
        skips_numbers=_is_number(number) and _skips_numbers(int(number), last),
    )


async def _named(context: PageContext, db: Database, reason: Invalid, number: int) -> Invalid:
    """The error with the name of the issue that has the number, instead of its id."""
    if reason.code != "duplicate_issue_number":
        return reason
    existing = await issues.find_by_number(db, context.account_id, number)
    return taken_error(existing) if existing else reason


def _next_number(last: int | None) -> int:
    """The number that a new issue is given, unless the user types another."""
    return 1 if last is None else min(last + 1, MAX_NUMBER)


def _skips_numbers(number: int, last: int | None) -> bool:
    """Whether a new issue would skip numbers after the last issue."""
    return last is not None and last + 1 < number <= MAX_NUMBER


async def _preview_issue(context: PageContext, typed: Mapping[str, str]) -> IssuePreview | None:
    """The preview of an issue, None until the number and the release date are valid."""
    number, release_date = typed["number"].strip(), typed["release_date_actual"].strip()
    if not _is_number(number):
        return None
    try:
        body = decode_input(
            IssueCreate, {"number": int(number), "release_date_actual": release_date or None}
        )
    except Invalid:
        return None
    released = body.release_date_actual
    async with context.db.read(aside=True) as db:
        if existing := await issues.find_by_number(db, context.account_id, body.number):
            return IssuePreview(existing=existing)
        count = await forecasts.count_future_copies(db, context.account_id, body.number, released)
        later = None
        if released is not None:
            later = await issues.find_released_later(db, context.account_id, body.number, released)
        return IssuePreview(copies=count, later=later)


def _is_number(text: str) -> bool:
    return is_digits(text, at_most=len(str(MAX_NUMBER)))
