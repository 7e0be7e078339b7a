"""Making an issue and changing it."""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct
from starlette.responses import Response
from wtforms import BooleanField, HiddenField, StringField
from wtforms.validators import InputRequired
from wtforms.widgets import DateInput, NumberInput

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.inputs import IssueCreate, IssueUpdate
from masthead.model.pagination import PageRequest
from masthead.model.resources import Issue
from masthead.model.types.fields import MAX_NUMBER
from masthead.model.types.text import is_digits
from masthead.model.validation import decode_input
from masthead.services import issues as service
from masthead.store import issues
from masthead.store.engine.interface import Connection, Database
from masthead.store.reports import forecasts, fulfilment
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm, dump_original_values, load_original_values

FIELDS = (
    "name release_date_actual release_date_fuzzy date_as_start_issue recurring_charge_date"
    " newsstand_ean"
).split()
_ONE = PageRequest(limit=1, after=None, binding=b"")


class IssueForm(BaseForm):
    """The fields of an issue. They are checked where those of the API are."""

    name = StringField("Name")
    release_date_actual = StringField("Release date", widget=DateInput())
    release_date_fuzzy = StringField("Release in words")
    date_as_start_issue = StringField("New subscriptions begin with it from", widget=DateInput())
    recurring_charge_date = StringField("Renewals are charged on", widget=DateInput())
    newsstand_ean = StringField("Newsstand EAN")

    def typed(self) -> dict[str, str]:
        """What stands in the fields, without blanks around it."""
        return {name: (self[name].data or "").strip() for name in FIELDS}


class NewIssueForm(IssueForm):
    """An issue to be: it has a number too."""

    is_meant = BooleanField("Yes, leave these numbers out")
    number = StringField(
        "Number",
        [InputRequired("Give the issue a number, such as 12.")],
        widget=NumberInput(min=1, max=MAX_NUMBER),
    )


class ChangedIssueForm(IssueForm):
    """An issue that is there. was: its fields as they were when the form was filled."""

    was = HiddenField()

    def shown(self) -> dict[str, str | None]:
        """The fields as they were. Raises: Invalid if that is not what the page wrote."""
        return load_original_values(self.was.data, FIELDS)


class Preview(Struct, frozen=True):
    """What a number and a day of release would come to.

    taken: the id of the issue that has the number. owed: how many copies it would make. later: an
    issue with a lower number that is released later.
    """

    taken: str | None = None
    owed: int = 0
    later: Issue | None = None


async def create_issue(context: PageContext) -> Response:
    """Show the form, with how many copies the issue will make; make it."""
    latest = (await issues.list_issues(context.db, context.account_id, _ONE)).items
    last = latest[0].number if latest else MAX_NUMBER  # the first issue leaves nothing out
    number = str(min(last + 1, MAX_NUMBER)) if latest else "1"
    asked = context.fields if context.is_post else context.query
    initial = {name: str(asked.get(name, "")) for name in FIELDS}
    initial["number"] = str(asked.get("number", number))

    async def save(form: NewIssueForm, db: Database) -> Response:
        typed: dict[str, object] = {name: text for name, text in form.typed().items() if text}
        text = (form.number.data or "").strip()
        typed["number"] = int(text) if _is_number(text) else text
        body = decode_input(IssueCreate, typed)
        if body.number > last + 1 and not form.is_meant.data:
            raise Invalid(
                f"The last issue is {last}, and the number cannot be changed later. Take"
                f" {last + 1}, or say that {body.number} is meant.",
                field="number",
            )
        issue = await service.create_issue(db, context.account_id, body, by=context.actor)
        made = await fulfilment.count_unsent(context.db, context.account_id, [issue.number])
        count = made[issue.number]
        said = f"{issue.name} is made, with {count} {'copy' if count == 1 else 'copies'} to send."
        return context.redirect(context.url("issues", issue.id), message=said)

    wanted = initial["number"].strip()
    return await context.handle_form(
        NewIssueForm,
        "desk/issue_create.html",
        save,
        initial=initial,
        preview=await _look_ahead(context, initial),
        wanted=initial,
        last=last,
        is_far=_is_number(wanted) and last + 1 < int(wanted) <= MAX_NUMBER,
    )


async def _look_ahead(context: PageContext, typed: Mapping[str, str]) -> Preview | None:
    """What the issue would come to, None as long as that cannot be told."""
    number, day = typed["number"].strip(), typed["release_date_actual"].strip()
    if not _is_number(number):
        return None
    try:
        released = date.fromisoformat(day) if day else None
    except ValueError:
        return None
    async with context.db.read(aside=True) as db:
        if taken := await issues.find_issue_id(db, context.account_id, int(number)):
            return Preview(taken=taken)
        owed = await forecasts.count_future_copies(db, context.account_id, int(number), released)
        return Preview(owed=owed, later=await released_later(context, db, int(number), released))


async def released_later(
    context: PageContext, db: Connection, number: int, released: date | None
) -> Issue | None:
    """An issue with a lower number that is released later, which is odd."""
    if released is None:
        return None
    return await issues.find_released_later(db, context.account_id, number, released)


def _is_number(text: str) -> bool:
    return is_digits(text, at_most=len(str(MAX_NUMBER)))


def _as_text(issue: Issue) -> dict[str, str]:
    """The fields of the form as they are stored."""
    return {name: str(getattr(issue, name) or "") for name in FIELDS}


async def edit_issue(context: PageContext) -> Response:
    """Show the form; save the fields that were changed in it. Raises: NotFound."""
    issue = await issues.get_issue(context.db, context.account_id, context.path["id"])
    held = _as_text(issue)

    async def save(form: ChangedIssueForm, db: Database) -> Response:
        shown, typed = form.shown(), form.typed()
        changed = {
            name: text for name, text in typed.items() if text != (shown[name] or "").strip()
        }
        emptied = {name: text or None for name, text in changed.items() if name != "name"}
        body = decode_input(IssueUpdate, {**changed, **emptied})
        seen = {name: shown[name] or "" for name in changed}
        try:
            await service.update_issue(
                db, context.account_id, issue.id, body, seen=seen, by=context.actor
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                now = await issues.get_issue(context.db, context.account_id, issue.id)
                form.was.data = dump_original_values(_as_text(now))
            raise
        said = "The changes are saved." if changed else "Nothing was changed."
        return context.redirect(context.url("issues", issue.id), message=said)

    initial = {**held, "was": dump_original_values(held)}
    return await context.handle_form(
        ChangedIssueForm, "desk/issue_edit.html", save, initial=initial, issue=issue
    )
