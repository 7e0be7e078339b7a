"""The page that asks for the password before a user changes their two-step sign-in."""

from http import HTTPStatus

from starlette.responses import Response

from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.identity.password_confirmation import confirm_password
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form
from masthead.web.kit.forms import BaseForm, password_field
from masthead.web.kit.router import CONFIRM


class ConfirmForm(BaseForm):
    """The current password."""

    password = password_field()


async def confirm(context: PageContext) -> Response:
    """Ask for the password, then redirect to two-step sign-in."""
    form = ConfirmForm(context.form_data)

    async def save() -> Response:
        try:
            await confirm_password(
                context.db,
                context.user,
                password=form.password.data or "",
                session=context.session,
                client=context.client,
            )
        except Invalid:
            context.log_refusal("sign-in failed", reason="wrong current password")
            raise
        return context.redirect("/you/two-step/", message=_("Thank you. You can make changes now."))

    async def show(status: HTTPStatus) -> Response:
        template = "identity/password_confirmation.html"
        return context.render(template, status=status, form=form, here=CONFIRM)

    return await process_form(context, form, save, show)
