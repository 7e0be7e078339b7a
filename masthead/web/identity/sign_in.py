"""Signing in: by e-mail address and password, or by a one-time link that sets the password."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import EmailField, HiddenField, PasswordField
from wtforms.validators import DataRequired, InputRequired

from masthead.model.errors import Invalid, TooManyAttempts, excerpt
from masthead.model.identity.relying_party import relying_party
from masthead.services.identity import invitations, sign_in
from masthead.store.identity.sign_in import Invitation
from masthead.web.identity.session_start import destination, requested_address, set_session, start
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm, trimmed

DONE = "Your password is set."


class SignInForm(BaseForm):
    """Who asks to come in, and where they wanted to go."""

    email = EmailField(
        "E-mail address", [DataRequired("Type your e-mail address.")], filters=[trimmed]
    )
    password = PasswordField("Password", [InputRequired("Type your password.")])
    next = HiddenField()


class LinkForm(BaseForm):
    """The password that somebody takes."""

    password = PasswordField("New password", [InputRequired("Type the password that you take.")])


async def show_sign_in(context: PageContext) -> Response:
    """Ask for e-mail address and password, and let in whoever has them."""
    form = SignInForm(
        context.fields if context.is_post else None, {"next": context.query.get("next")}
    )
    form.next.data = requested_address(context)
    inside = destination(context)
    if not context.is_post:
        return (
            context.redirect(inside)
            if context.optional_user
            else _show(context, form, HTTPStatus.OK)
        )
    status, headers = HTTPStatus.BAD_REQUEST, {}
    if form.validate():
        try:
            verified = await sign_in.sign_in(
                context.db,
                email=form.email.data or "",
                password=form.password.data or "",
                client=context.client,
                post=context.post,
            )
            return await start(context, verified, inside)
        except Invalid as reason:
            context.log_refusal("sign-in failed", reason="wrong password")
            form.add_error(reason)
        except TooManyAttempts as reason:
            context.log_refusal("sign-in failed", reason="too many attempts")
            form.form_errors.append(str(reason))
            status = HTTPStatus.TOO_MANY_REQUESTS
            headers = {"Retry-After": str(reason.retry_after)}
    form.email.data = excerpt(form.email.data or "")
    response = _show(context, form, status)
    response.headers.update(headers)
    return response


async def open_link(context: PageContext) -> Response:
    """Let whoever has a one-time link set their password, which signs them in."""
    token = context.path["token"]
    email = await sign_in.find_link(context.db, token)
    if email is None and (invitation := await invitations.find_invitation(context.db, token)):
        return await _answer_invitation(context, invitation)
    if email is None:
        context.log_refusal("bad link")
        return _link_over(context)
    form = LinkForm(context.fields if context.is_post else None)
    if context.is_post and form.validate():
        try:
            session = await sign_in.use_link(
                context.db,
                token,
                form.password.data or "",
                client=context.client,
                post=context.post,
            )
        except Invalid as reason:
            if not reason.field:  # somebody was faster
                return _link_over(context)
            form.add_error(reason)
        except sign_in.SecondStepNeeded as needed:
            return await start(context, needed.verified, "/desk/", message=DONE)
        else:
            context.log_access("password set", user=email)
            return await set_session(context, session, "/desk/", message=DONE)
    status = HTTPStatus.BAD_REQUEST if context.is_post else HTTPStatus.OK
    return context.render("identity/link.html", status=status, form=form, email=email)


async def _answer_invitation(context: PageContext, invitation: Invitation) -> Response:
    """Ask an existing user of this server to accept, after they have signed in."""
    path = context.request.url.path
    if context.optional_user is None:
        return context.redirect(
            f"/sign-in/?next={path}", message="Sign in to accept the invitation."
        )
    if context.is_post and context.optional_user.user_id == invitation.user_id:
        token = context.path["token"]
        subdomain = await invitations.accept_invitation(context.db, context.user, token)
        return context.redirect(f"/desk/{subdomain}/", message=f"You are in {invitation.name} now.")
    return context.render("identity/invitation.html", invitation=invitation)


def _link_over(context: PageContext) -> Response:
    """Say what to do; a form that was sent twice has let its person in already."""
    if context.is_post and context.optional_user:
        return context.redirect("/desk/", message="This link has been used. You are signed in.")
    return context.render("identity/link_expired.html", status=HTTPStatus.NOT_FOUND)


def refuse_sign_in(context: PageContext, why: str) -> Response:
    """Show the sign-in page again, with the reason why the passkey was refused."""
    form = SignInForm(None, {"next": context.fields.get("next")})
    form.form_errors.append(why)
    return _show(context, form, HTTPStatus.BAD_REQUEST)


def _show(context: PageContext, form: SignInForm, status: HTTPStatus) -> Response:
    party = relying_party(context.web.public_url)
    return context.render("identity/sign_in.html", status=status, form=form, party=party)
