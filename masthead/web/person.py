"""A person's own page: password, shortcuts, and where they are signed in."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import PasswordField
from wtforms.validators import InputRequired

from masthead.model.errors import Invalid, NotFound, TooManyAttempts
from masthead.model.ids import token_digest
from masthead.services.identity import sessions as session_service
from masthead.services.identity import sign_in
from masthead.web.forms import PaperForm
from masthead.web.visit import Visit


class PasswordForm(PaperForm):
    """Another password, by whoever knows the current one."""

    current = PasswordField("Current password", [InputRequired("Type your current password.")])
    new = PasswordField("New password", [InputRequired("Type the password that you take.")])


async def show_person(visit: Visit) -> Response:
    """Who is signed in and where; a sent form changes the password."""
    form = PasswordForm(visit.fields if visit.is_post else None)
    status = HTTPStatus.OK
    if visit.is_post:
        status = HTTPStatus.BAD_REQUEST
        if form.validate():
            try:
                session = await sign_in.change_password(
                    visit.db,
                    visit.visitor,
                    current=form.current.data or "",
                    new=form.new.data or "",
                    client=visit.client,
                    post=visit.post,
                )
            except Invalid as reason:
                if reason.field == "current":
                    visit.log_refusal("sign-in failed", reason="wrong current password")
                form.refuse(reason)
            except TooManyAttempts as reason:
                visit.log_refusal("sign-in failed", reason="too many attempts")
                form.refusals.append(str(reason))
                status = HTTPStatus.TOO_MANY_REQUESTS
            else:
                visit.log_access("password set", user=visit.visitor.email)
                response = visit.go(
                    "/you/",
                    said="Your password is changed. You are signed out everywhere but here.",
                )
                visit.cookies.begin(response, session.token)
                visit.cookies.remember(response, session.device)
                return response
    here = token_digest(visit.cookies.read_session(visit.request) or "")
    sessions = await session_service.list_sessions(visit.db, visit.visitor.user_id)
    return visit.page("you.html", status=status, form=form, sessions=sessions, here=here)


async def set_shortcuts(visit: Visit) -> Response:
    """Switch single keys on or off."""
    wanted = visit.fields.get("has_shortcuts") == "yes"
    await sign_in.set_shortcuts(visit.db, visit.visitor.user_id, has_shortcuts=wanted)
    return visit.go("/you/", said=f"Single keys are {'on' if wanted else 'off'}.")


async def end_session(visit: Visit) -> Response:
    """End one of the person's sessions."""
    digest = visit.path["digest"]
    try:
        await session_service.end_session(visit.db, visit.visitor.user_id, digest)
    except NotFound:
        return visit.go("/you/", said="That session has ended already.")
    visit.log_access("session ended", user=visit.visitor.email)
    return visit.go("/you/", said="The session is ended. That browser is signed out.")


async def sign_out_everywhere(visit: Visit) -> Response:
    """End all sessions of the person, this one too."""
    await session_service.sign_out_everywhere(visit.db, visit.visitor.user_id)
    visit.log_access("signed out everywhere", user=visit.visitor.email)
    response = visit.go("/sign-in/", said="You are signed out everywhere.")
    visit.cookies.end(response)
    return response
