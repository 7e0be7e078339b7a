"""The page that prepares what is left to send of several issues as one mailing."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import HiddenField, SelectMultipleField

from masthead.model.translations import counted, format_number, gettext as _
from masthead.services.dispatch import run_groups as service
from masthead.store.dispatch import groups
from masthead.store.engine.interface import Database
from masthead.store.issues import records as issues
from masthead.web.dispatch.addresses import address_of_run
from masthead.web.kit.context import PageContext
from masthead.web.kit.due import find_late
from masthead.web.kit.form_handling import save_or_show
from masthead.web.kit.forms import BaseForm


class GroupForm(BaseForm):
    """issue: the ids of the ticked issues. expected: what each showed, as `id:copies`."""

    issue = SelectMultipleField("Issues", validate_choice=False)
    expected = HiddenField()


async def freeze_group(context: PageContext) -> Response:
    """Show what is left to send of the issues that are out; prepare what is ticked."""
    form = GroupForm(context.form_data)

    async def save(form: GroupForm, db: Database) -> Response:
        chosen = form.issue.data or []
        run = await service.freeze_several(db, context.account_id, chosen, by=context.actor)
        members = await groups.list_members(db, context.account_id, run)
        count = sum(each.lines for each in members)
        message = counted(
            "{count} copy is prepared. Download its label.",
            "{count} copies are prepared. Download their labels.",
            count,
        )
        shown = _expected(form, set(chosen))
        if shown != count:
            text = _("The preview showed {count}: something changed in the meantime.")
            message = f"{message} {text.format(count=format_number(shown))}"
        return context.redirect(address_of_run(context, run), message=message)

    async def show(status: HTTPStatus) -> Response:
        return await _render(context, form, status)

    return await save_or_show(context, form, save, show, is_long=True)


def _expected(form: GroupForm, chosen: set[str]) -> int:
    """How many copies the preview showed of the chosen issues."""
    pairs = (each.partition(":") for each in (form.expected.data or "").split())
    return sum(
        int(count)
        for id, _colon, count in pairs
        if id in chosen and count.isascii() and count.isdigit() and len(count) < 10
    )


async def _render(context: PageContext, form: GroupForm, status: HTTPStatus) -> Response:
    async with context.db.read(aside=True) as db:
        today = context.membership.daily_date
        current = await issues.find_current(db, context.account_id, today)
        late = await find_late(context, db, current)
    ready = [each for each in late if each.lines]
    form.expected.data = " ".join(f"{each.issue_id}:{each.lines}" for each in ready)
    chosen = form.issue.data if context.is_post else None
    return context.render(
        "dispatch/freeze_group.html",
        status=status,
        form=form,
        ready=ready,
        waiting=sum(each.waiting for each in late),
        ticked={each.issue_id for each in ready if not each.is_apart}
        if chosen is None
        else set(chosen),
        max_issues=service.MAX_ISSUES,
    )
