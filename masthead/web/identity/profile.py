"""A person's own page: password, shortcuts, and where they are signed in."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import PasswordField
from wtforms.validators import InputRequired

from masthead.model.errors import Invalid, NotFound, TooManyAttempts
from masthead.model.ids import token_digest
from masthead.services.identity import sessions as session_service
from masthead.services.identity import sign_in
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm


class PasswordForm(BaseForm):
    """Another password, by whoever knows the current one."""

    current = PasswordField("Current password", [InputRequired("Type your current password.")])
    new = PasswordField("New password", [InputRequired("Type the password that you take.")])


async def show_profile(context: PageContext) -> Response:
    """Who is signed in and where; a sent form changes the password."""
    form = PasswordForm(context.fields if context.is_post else None)
    status = HTTPStatus.OK
    if context.is_post:
        status = HTTPStatus.BAD_REQUEST
        if form.validate():
            try:
                session = await sign_in.change_password(
                    context.db,
                    context.user,
                    current=form.current.data or "",
                    new=form.new.data or "",
                    client=context.client,
                    post=context.post,
                )
            except Invalid as reason:
                if reason.field == "current":
                    context.log_refusal("sign-in failed", reason="wrong current password")
                form.add_error(reason)
            except TooManyAttempts as reason:
                context.log_refusal("sign-in failed", reason="too many attempts")
                form.form_errors.append(str(reason))
                status = HTTPStatus.TOO_MANY_REQUESTS
            else:
                context.log_access("password set", user=context.user.email)
                response = context.redirect(
                    "/you/",
                    message="Your password is changed. You are signed out everywhere but here.",
                )
                context.cookies.set_session(response, session.token)
                context.cookies.set_device(response, session.device)
                return response
    here = token_digest(context.cookies.read_session(context.request) or "")
    sessions = await session_service.list_sessions(context.db, context.user.user_id)
    return context.render(
        "identity/profile.html", status=status, form=form, sessions=sessions, here=here
    )


async def set_shortcuts(context: PageContext) -> Response:
    """Switch single keys on or off."""
    wanted = context.fields.get("has_shortcuts") == "yes"
    await sign_in.set_shortcuts(context.db, context.user.user_id, has_shortcuts=wanted)
    return context.redirect("/you/", message=f"Single keys are {'on' if wanted else 'off'}.")


async def end_session(context: PageContext) -> Response:
    """End one of the person's sessions."""
    digest = context.path["digest"]
    try:
        await session_service.end_session(context.db, context.user.user_id, digest)
    except NotFound:
        return context.redirect("/you/", message="That session has ended already.")
    context.log_access("session ended", user=context.user.email)
    return context.redirect("/you/", message="The session is ended. That browser is signed out.")


async def sign_out_everywhere(context: PageContext) -> Response:
    """End all sessions of the person, this one too."""
    await session_service.sign_out_everywhere(context.db, context.user.user_id)
    context.log_access("signed out everywhere", user=context.user.email)
    response = context.redirect("/sign-in/", message="You are signed out everywhere.")
    context.cookies.clear_session(response)
    return response
