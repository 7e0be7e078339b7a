"""Confirm the password before a person changes how they sign in."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import PasswordField
from wtforms.validators import InputRequired

from masthead.model.errors import Invalid, TooManyAttempts
from masthead.services.identity.password_confirmation import confirm_password
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import PaperForm
from masthead.web.kit.router import CONFIRM


class ConfirmForm(PaperForm):
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
                    context.visitor,
                    password=form.password.data or "",
                    session=context.session,
                    client=context.client,
                )
            except Invalid as reason:
                context.log_refusal("sign-in failed", reason="wrong current password")
                form.refuse(reason)
            except TooManyAttempts as reason:
                context.log_refusal("sign-in failed", reason="too many attempts")
                form.refusals.append(str(reason))
                status = HTTPStatus.TOO_MANY_REQUESTS
                headers = {"Retry-After": str(reason.retry_after)}
            else:
                return context.go("/you/two-step/", said="Thank you. You can make changes now.")
    response = context.page(
        "identity/password_confirmation.html", status=status, form=form, here=CONFIRM
    )
    response.headers.update(headers)
    return response
