"""Signing in: by e-mail address and password, or by a one-time link that sets the password."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import EmailField, HiddenField, PasswordField
from wtforms.validators import DataRequired, InputRequired

from masthead.model.errors import Invalid, TooManyAttempts, excerpt
from masthead.model.identity.relying_party import relying_party
from masthead.services.identity import invitations, sign_in
from masthead.store.identity.sign_in import Invitation
from masthead.web.forms import PaperForm, trimmed
from masthead.web.session_start import destination, let_in, start, wanted
from masthead.web.visit import Visit

DONE = "Your password is set."


class SignInForm(PaperForm):
    """Who asks to come in, and where they wanted to go."""

    email = EmailField(
        "E-mail address", [DataRequired("Type your e-mail address.")], filters=[trimmed]
    )
    password = PasswordField("Password", [InputRequired("Type your password.")])
    next = HiddenField()


class LinkForm(PaperForm):
    """The password that somebody takes."""

    password = PasswordField("New password", [InputRequired("Type the password that you take.")])


async def open_door(visit: Visit) -> Response:
    """Ask for e-mail address and password, and let in whoever has them."""
    form = SignInForm(visit.fields if visit.is_post else None, {"next": visit.query.get("next")})
    form.next.data = wanted(visit)
    inside = destination(visit)
    if not visit.is_post:
        return visit.go(inside) if visit.known else _show(visit, form, HTTPStatus.OK)
    status, headers = HTTPStatus.BAD_REQUEST, {}
    if form.validate():
        try:
            verified = await sign_in.sign_in(
                visit.db,
                email=form.email.data or "",
                password=form.password.data or "",
                client=visit.client,
                post=visit.post,
            )
            return await start(visit, verified, inside)
        except Invalid as reason:
            visit.log_refusal("sign-in failed", reason="wrong password")
            form.refuse(reason)
        except TooManyAttempts as reason:
            visit.log_refusal("sign-in failed", reason="too many attempts")
            form.refusals.append(str(reason))
            status = HTTPStatus.TOO_MANY_REQUESTS
            headers = {"Retry-After": str(reason.retry_after)}
    form.email.data = excerpt(form.email.data or "")
    response = _show(visit, form, status)
    response.headers.update(headers)
    return response


async def open_link(visit: Visit) -> Response:
    """Let whoever has a one-time link set their password, which signs them in."""
    token = visit.path["token"]
    email = await sign_in.find_link(visit.db, token)
    if email is None and (invitation := await invitations.find_invitation(visit.db, token)):
        return await _answer_invitation(visit, invitation)
    if email is None:
        visit.log_refusal("bad link")
        return _link_over(visit)
    form = LinkForm(visit.fields if visit.is_post else None)
    if visit.is_post and form.validate():
        try:
            session = await sign_in.use_link(
                visit.db,
                token,
                form.password.data or "",
                client=visit.client,
                post=visit.post,
            )
        except Invalid as reason:
            if not reason.field:  # somebody was faster
                return _link_over(visit)
            form.refuse(reason)
        except sign_in.SecondStepNeeded as needed:
            return await start(visit, needed.verified, "/desk/", said=DONE)
        else:
            visit.log_access("password set", user=email)
            return await let_in(visit, session, "/desk/", said=DONE)
    status = HTTPStatus.BAD_REQUEST if visit.is_post else HTTPStatus.OK
    return visit.page("link.html", status=status, form=form, email=email)


async def _answer_invitation(visit: Visit, invitation: Invitation) -> Response:
    """Ask an existing user of this server to accept, after they have signed in."""
    path = visit.request.url.path
    if visit.known is None:
        return visit.go(f"/sign-in/?next={path}", said="Sign in to accept the invitation.")
    if visit.is_post and visit.known.user_id == invitation.user_id:
        token = visit.path["token"]
        subdomain = await invitations.accept_invitation(visit.db, visit.visitor, token)
        return visit.go(f"/desk/{subdomain}/", said=f"You are in {invitation.name} now.")
    return visit.page("invitation.html", invitation=invitation)


def _link_over(visit: Visit) -> Response:
    """Say what to do; a form that was sent twice has let its person in already."""
    if visit.is_post and visit.known:
        return visit.go("/desk/", said="This link has been used. You are signed in.")
    return visit.page("link_over.html", status=HTTPStatus.NOT_FOUND)


def refuse_sign_in(visit: Visit, why: str) -> Response:
    """Show the sign-in page again, with the reason why the passkey was refused."""
    form = SignInForm(None, {"next": visit.fields.get("next")})
    form.refusals.append(why)
    return _show(visit, form, HTTPStatus.BAD_REQUEST)


def _show(visit: Visit, form: SignInForm, status: HTTPStatus) -> Response:
    party = relying_party(visit.web.public_url)
    return visit.page("sign_in.html", status=status, form=form, party=party)
