"""Confirm the password before a person changes how they sign in."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import PasswordField
from wtforms.validators import InputRequired

from masthead.model.errors import Invalid, TooManyAttempts
from masthead.services.identity.password_confirmation import confirm_password
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.router import CONFIRM


class ConfirmForm(BaseForm):
    """The current password."""

    password = PasswordField("Password", [InputRequired("Type your password.")])


async def confirm(context: PageContext) -> Response:
    """Ask for the password, and lead back to two-step sign-in."""
    form = ConfirmForm(context.fields if context.is_post else None)
    status, headers = HTTPStatus.OK, {}
    if context.is_post:
        status = HTTPStatus.BAD_REQUEST
        if form.validate():
            try:
                await confirm_password(
                    context.db,
                    context.user,
                    password=form.password.data or "",
                    session=context.session,
                    client=context.client,
                )
            except Invalid as reason:
                context.log_refusal("sign-in failed", reason="wrong current password")
                form.add_error(reason)
            except TooManyAttempts as reason:
                context.log_refusal("sign-in failed", reason="too many attempts")
                form.form_errors.append(str(reason))
                status = HTTPStatus.TOO_MANY_REQUESTS
                headers = {"Retry-After": str(reason.retry_after)}
            else:
                return context.redirect(
                    "/you/two-step/", message="Thank you. You can make changes now."
                )
    response = context.render(
        "identity/password_confirmation.html", status=status, form=form, here=CONFIRM
    )
    response.headers.update(headers)
    return response
