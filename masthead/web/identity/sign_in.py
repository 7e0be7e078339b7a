"""Sign in by email and password, or set a password with a one-time link."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import HiddenField, StringField

from masthead.model.errors import Invalid, excerpt
from masthead.model.identity.relying_party import relying_party
from masthead.model.translations import gettext as _, gettext_noop, language_of
from masthead.services.identity import invitations, preferences, sessions, sign_in
from masthead.store.identity.one_time_links import Invitation
from masthead.web.identity.session_start import destination, requested_address, set_session, start
from masthead.web.kit.client_request import preferred_locale
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form
from masthead.web.kit.forms import BaseForm, email_field, password_field

DONE = gettext_noop("Your password is set.")


class SignInForm(BaseForm):
    """Email, password and the page to open after the sign-in."""

    email = email_field("Type your email address.")
    password = password_field()
    next = HiddenField()


class LinkForm(BaseForm):
    """The new password, and the name of a user who has none yet."""

    full_name = StringField("Name")
    password = password_field("New password", gettext_noop("Type a new password."))


async def show_sign_in(context: PageContext) -> Response:
    """Ask for email and password, and sign the user in if they are correct."""
    form = SignInForm(context.form_data, {"next": context.query.get("next")})
    form.next.data = requested_address(context)
    location = destination(context)
    if not context.is_post and context.optional_user:
        return context.redirect(location)

    async def save() -> Response:
        try:
            verified = await sign_in.sign_in(
                context.db,
                email=form.email.data or "",
                password=form.password.data or "",
                client=context.client,
                site=context.site,
            )
            return await start(context, verified, location)
        except Invalid:
            context.log_refusal("sign-in failed", reason="wrong password")
            raise

    async def show(status: HTTPStatus) -> Response:
        form.email.data = excerpt(form.email.data or "")
        return _show(context, form, status)

    return await process_form(context, form, save, show)


async def open_link(context: PageContext) -> Response:
    """Set a password with a one-time link, and sign the user in; or accept an invitation."""
    token = context.path["token"]
    person = await sign_in.find_linked(context.db, token)
    email = person.email if person else None
    if email is None and (invitation := await invitations.find_invitation(context.db, token)):
        return await _answer_invitation(context, invitation)
    if email is None:
        context.log_refusal("bad link")
        return _show_expired(context)
    form = LinkForm(context.form_data)

    async def save() -> Response:
        try:
            session = await sign_in.use_link(
                context.db,
                token,
                form.password.data or "",
                name=form.full_name.data or "",
                client=context.client,
                site=context.site,
            )
        except Invalid as reason:
            if not reason.field:  # the link no longer works
                return _show_expired(context)
            raise
        except sign_in.SecondStepNeeded as needed:
            return await start(context, needed.verified, "/desk/", message=DONE)
        context.log_access("password set", user=email)
        if person and not person.password_hash:
            await _keep_language(context, session.token)
        return await set_session(context, session, "/desk/", message=DONE)

    async def show(status: HTTPStatus) -> Response:
        return context.render("identity/link.html", status=status, form=form, person=person)

    return await process_form(context, form, save, show)


async def _keep_language(context: PageContext, token: str) -> None:
    """Store the language of the page for a new user, if their account has another.

    token: of their session.
    """
    shown = preferred_locale(context.request.headers.get("Accept-Language", ""), "")
    user = await sessions.find_signed_in_user(context.db, token)
    if not shown or user is None or user.locale:
        return
    if language_of(user.own_locale or shown) != language_of(shown):
        await preferences.set_locale(context.db, user.user_id, shown)


async def _answer_invitation(context: PageContext, invitation: Invitation) -> Response:
    """Ask a user of this server to accept the invitation, after they have signed in."""
    path = context.request.url.path
    if context.optional_user is None:
        return context.redirect(
            f"/sign-in/?next={path}", message=_("Sign in to accept the invitation.")
        )
    if context.is_post and context.optional_user.user_id == invitation.user_id:
        token = context.path["token"]
        subdomain = await invitations.accept_invitation(
            context.db, context.user, token, session=context.session
        )
        return context.redirect(
            f"/desk/{subdomain}/",
            message=_("You are now a user of {account}.").format(account=invitation.name),
        )
    return context.render("identity/invitation.html", invitation=invitation)


def _show_expired(context: PageContext) -> Response:
    """Explain that the link is used or expired; redirect if this user has just used it."""
    if context.is_post and context.optional_user:
        return context.redirect("/desk/", message=_("This link has been used. You are signed in."))
    return context.render("identity/link_expired.html", status=HTTPStatus.NOT_FOUND)


def refuse_sign_in(context: PageContext, why: str) -> Response:
    """Show the sign-in page again, with the reason why the passkey was refused."""
    form = SignInForm(None, {"next": context.fields.get("next")})
    form.form_errors.append(why)
    return _show(context, form, HTTPStatus.BAD_REQUEST)


def _show(context: PageContext, form: SignInForm, status: HTTPStatus) -> Response:
    party = relying_party(context.web.public_url)
    return context.render("identity/sign_in.html", status=status, form=form, party=party)
