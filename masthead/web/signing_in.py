"""Signing in: by e-mail address and password, or by a one-time link that sets the password."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import EmailField, HiddenField, PasswordField
from wtforms.validators import DataRequired, InputRequired

from masthead.model.errors import Invalid, TooManyAttempts, excerpt
from masthead.services import sign_in
from masthead.web.forms import PaperForm, trimmed
from masthead.web.visit import Visit

MAX_NEXT = 2_000  # characters of an address


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
    wanted = form.next.data = _wanted(form)
    inside = wanted if wanted.startswith(("/desk/", "/you/", "/help/")) else "/desk/"
    if not visit.is_post:
        return visit.go(inside) if visit.known else visit.page("sign_in.html", form=form)
    status, headers = HTTPStatus.BAD_REQUEST, {}
    if form.validate():
        try:
            token = await sign_in.sign_in(
                visit.db,
                email=form.email.data or "",
                password=form.password.data or "",
                address=visit.address,
            )
        except Invalid as reason:
            form.refuse(reason)
        except TooManyAttempts as reason:
            form.refusals.append(str(reason))
            status = HTTPStatus.TOO_MANY_REQUESTS
            headers = {"Retry-After": str(reason.retry_after)}
        else:
            return await _let_in(visit, token, inside)
    form.email.data = excerpt(form.email.data or "")
    response = visit.page("sign_in.html", status=status, form=form)
    response.headers.update(headers)
    return response


def _wanted(form: SignInForm) -> str:
    """The page that somebody wanted to see; empty for what is longer than its address."""
    wanted = form.next.data or ""
    return wanted if len(wanted) <= MAX_NEXT else ""


async def open_link(visit: Visit) -> Response:
    """Let whoever has a one-time link set their password, which signs them in."""
    token = visit.path["token"]
    email = await sign_in.find_link(visit.db, token)
    if email is None:
        return _link_over(visit)
    form = LinkForm(visit.fields if visit.is_post else None)
    if visit.is_post and form.validate():
        try:
            session = await sign_in.use_link(
                visit.db, token, form.password.data or "", address=visit.address
            )
        except Invalid as reason:
            if not reason.field:  # somebody was faster
                return _link_over(visit)
            form.refuse(reason)
        else:
            return await _let_in(visit, session, "/desk/", said="Your password is set.")
    status = HTTPStatus.BAD_REQUEST if visit.is_post else HTTPStatus.OK
    return visit.page("link.html", status=status, form=form, email=email)


def _link_over(visit: Visit) -> Response:
    """Say what to do; a form that was sent twice has let its person in already."""
    if visit.is_post and visit.known:
        return visit.go("/desk/", said="This link has been used. You are signed in.")
    return visit.page("link_over.html", status=HTTPStatus.NOT_FOUND)


async def _let_in(visit: Visit, token: str, inside: str, *, said: str = "") -> Response:
    """Begin a session in this browser, and end the one that it had."""
    if before := visit.cookies.read_session(visit.request):
        await sign_in.sign_out(visit.db, before)
    response = visit.go(inside, said=said)
    visit.cookies.begin(response, token)
    return response
