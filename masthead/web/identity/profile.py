"""The profile page of the signed-in user: password, keyboard shortcuts and sessions."""

from http import HTTPStatus

from starlette.responses import Response

from masthead.model.errors import Invalid, NotFound
from masthead.model.ids import token_digest
from masthead.model.translations import gettext as _, gettext_noop, is_translated, set_language
from masthead.model.types.regional_formats import LOCALES
from masthead.services.identity import preferences, sessions as session_service, sign_in
from masthead.web.identity.session_start import destination, requested_address
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form
from masthead.web.kit.forms import BaseForm, password_field
from masthead.web.kit.language_notes import note_of_pages

CHANGED = gettext_noop("Your password is changed. You are signed out everywhere else.")


class PasswordForm(BaseForm):
    """A new password, confirmed by the current one."""

    current = password_field("Current password", gettext_noop("Type your current password."))
    new = password_field("New password", gettext_noop("Type a new password."))


async def show_profile(context: PageContext) -> Response:
    """Show the user and their sessions, and change the password."""
    form = PasswordForm(context.form_data)

    async def save() -> Response:
        try:
            session = await sign_in.change_password(
                context.db,
                context.user,
                current=form.current.data or "",
                new=form.new.data or "",
                client=context.client,
                site=context.site,
            )
        except Invalid as reason:
            if reason.field == "current":
                context.log_refusal("sign-in failed", reason="wrong current password")
            raise
        context.log_access("password set", user=context.user.email)
        response = context.redirect("/you/", message=_(CHANGED))
        context.cookies.set_session(response, session.token)
        context.cookies.set_device(response, session.device)
        return response

    async def show(status: HTTPStatus) -> Response:
        here = token_digest(context.session)
        sessions = await session_service.list_sessions(context.db, context.user.user_id)
        template = "identity/profile.html"
        return context.render(
            template,
            status=status,
            form=form,
            sessions=sessions,
            here=here,
            locales=LOCALES,
            is_translated=is_translated,
        )

    return await process_form(context, form, save, show)


async def set_shortcuts(context: PageContext) -> Response:
    """Turn the keyboard shortcuts on or off."""
    is_on = context.fields.get("has_shortcuts") == "yes"
    await preferences.set_shortcuts(context.db, context.user.user_id, has_shortcuts=is_on)
    message = _("Keyboard shortcuts are on.") if is_on else _("Keyboard shortcuts are off.")
    return context.redirect("/you/", message=message)


async def set_name(context: PageContext) -> Response:
    """Set the name of the user, or remove it. Raises: Invalid."""
    name = str(context.fields.get("full_name", ""))
    await preferences.set_name(context.db, context.user.user_id, name)
    return context.redirect("/you/", message=_("Your name is saved."))


async def set_locale(context: PageContext) -> Response:
    """Choose the language and formats of the pages for the user, on the page where they are."""
    chosen = context.fields.get("locale", "")
    await preferences.set_locale(context.db, context.user.user_id, str(chosen))
    shown = str(chosen) or (context.desk.account_locale if context.desk else context.locale)
    set_language(shown)
    location = destination(context) if requested_address(context) else "/you/"
    return context.redirect(location, **note_of_pages(context, shown))


async def end_session(context: PageContext) -> Response:
    """End one of the user's sessions."""
    digest = context.path["digest"]
    try:
        await session_service.end_session(context.db, context.user.user_id, digest)
    except NotFound:
        return context.redirect("/you/", message=_("That session has already ended."))
    context.log_access("session ended", user=context.user.email)
    return context.redirect("/you/", message=_("The session is ended. That browser is signed out."))


async def sign_out_everywhere(context: PageContext) -> Response:
    """End all sessions of the user, including this one."""
    await session_service.sign_out_everywhere(context.db, context.user.user_id)
    context.log_access("signed out everywhere", user=context.user.email)
    response = context.redirect("/sign-in/", message=_("You are signed out everywhere."))
    context.cookies.clear_session(response)
    return response
