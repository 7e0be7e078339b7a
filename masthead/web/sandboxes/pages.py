"""Settings: create a sandbox, or move the clock of this one; reset and delete it."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import BooleanField, DateField, RadioField, StringField
from wtforms.validators import DataRequired, Optional

from masthead.model.emails import Site
from masthead.model.errors import Invalid, PageNotFound
from masthead.model.sandboxes import SandboxData, SandboxMove, SandboxNext
from masthead.model.translations import gettext as _, gettext_noop
from masthead.services.account_deletion import delete_sandbox as delete
from masthead.services.sandboxes import clock
from masthead.services.sandboxes.create import create_sandbox, reset_sandbox
from masthead.store.accounts import get_account
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.formatting import day_in, get_locale
from masthead.web.kit.forms import BaseForm, choices_of, name_field

DATA = choices_of(
    [
        (
            SandboxData.DEMO.value,
            gettext_noop("A made-up quarterly with issues, subscribers and gifts"),
        ),
        (
            SandboxData.SETTINGS.value,
            gettext_noop("The settings of this account, without subscribers and issues"),
        ),
    ]
)
TO, SAVE = "to", "save"


class SandboxForm(BaseForm):
    """A new sandbox."""

    name = name_field("Give the sandbox a name.")
    subdomain = StringField("Subdomain", [DataRequired("Type a subdomain.")])
    begins_with = RadioField("It begins with", choices=DATA, default=SandboxData.DEMO.value)


class ClockForm(BaseForm):
    """The day to which the clock moves."""

    to = DateField("Day", [Optional()])
    is_automatic = BooleanField("It sends letters and reminders, and collects direct debits")


async def edit_sandbox(context: PageContext) -> Response:
    """Create a sandbox or, in one, move its clock."""
    return await (_move if context.membership.is_sandbox else _create)(context)


async def _create(context: PageContext) -> Response:
    own = context.membership
    initial = {
        "name": _("{name}, sandbox").format(name=own.name),
        "subdomain": f"{own.subdomain[:55]}-sandbox",
    }

    async def save(form: SandboxForm, db: Database) -> Response:
        copies = form.begins_with.data == SandboxData.SETTINGS.value
        made = await create_sandbox(
            db,
            name=form.name.data or "",
            subdomain=(form.subdomain.data or "").strip(),
            currency=own.currency,
            owner=context.user.email,
            copied=await get_account(db, own.account_id) if copies else None,
            placeholder_domain=context.web.placeholder_domain,
            by=context.actor,
        )
        return context.redirect(
            f"/desk/{made.subdomain}/settings/sandbox/",
            message=_("{name} is created.").format(name=made.name),
        )

    return await handle_form(
        context, SandboxForm, "sandboxes/create.html", save, initial=initial, in_transaction=False
    )


async def _move(context: PageContext) -> Response:
    """Store where the clock moves to, and do everything up to then before the redirect."""
    shown = await clock.get_clock(context.db, context.account_id)

    async def save(form: ClockForm, db: Database) -> Response:
        chosen = str(context.fields.get("do") or TO)
        next = SandboxNext(chosen) if chosen in tuple(SandboxNext) else None
        to = None if next or chosen == SAVE else form.to.data
        if to is None and next is None and chosen != SAVE:
            raise Invalid(_("Choose a day."), field=TO)
        move = SandboxMove(to=to, next=next, is_automatic=bool(form.is_automatic.data))
        moved = await clock.set_goal(db, context.account_id, move, by=context.actor)
        return context.redirect(
            context.url("settings", "sandbox"),
            message=_("It is {day} now.").format(day=day_in(moved.day, get_locale(context.locale))),
        )

    if context.is_post:  # a move that was interrupted ends first
        await _finish(context)
    response = await handle_form(
        context,
        ClockForm,
        "sandboxes/clock.html",
        save,
        initial={"is_automatic": shown.is_automatic},
        is_long=True,
        clock=shown,
    )
    if response.status_code == HTTPStatus.SEE_OTHER:
        await _finish(context)
    return response


async def _finish(context: PageContext) -> None:
    site = Site(context.web.public_url, context.web.placeholder_domain)
    await clock.move_to_goal(context.db, context.account_id, site=site, by=context.actor)


def require_sandbox(context: PageContext) -> None:
    """Raises: PageNotFound in an account with real time, which has none of this."""
    if not context.membership.is_sandbox:
        raise PageNotFound


async def reset(context: PageContext) -> Response:
    """Delete all records of the sandbox, and begin again. Raises: PageNotFound."""
    require_sandbox(context)
    shown = await clock.get_clock(context.db, context.account_id)

    async def save(form: BaseForm, db: Database) -> Response:
        day = await reset_sandbox(
            db,
            context.account_id,
            placeholder_domain=context.web.placeholder_domain,
            by=context.actor,
        )
        text = _("The sandbox is as it was on {day}.")
        return context.redirect(
            context.url("settings", "sandbox"),
            message=text.format(day=day_in(day, get_locale(context.locale))),
        )

    return await handle_form(
        context, BaseForm, "sandboxes/reset.html", save, is_long=True, clock=shown
    )


async def delete_sandbox(context: PageContext) -> Response:
    """Delete the sandbox. Raises: PageNotFound."""
    require_sandbox(context)

    async def save(form: BaseForm, db: Database) -> Response:
        await delete(db, context.account_id, by=context.actor)
        return context.redirect("/desk/", message=_("The sandbox is deleted."))

    return await handle_form(context, BaseForm, "sandboxes/delete.html", save, in_transaction=False)
