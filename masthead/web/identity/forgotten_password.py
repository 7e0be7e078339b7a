"""Ask for a link to set a new password, by email."""

from http import HTTPStatus

from starlette.responses import Response

from masthead.model.errors import excerpt
from masthead.model.translations import gettext as _
from masthead.services.identity.forgotten_password import email_link
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import process_form
from masthead.web.kit.forms import BaseForm, email_field


class ForgottenPasswordForm(BaseForm):
    """The email address of the user."""

    email = email_field("Type your email address.")


async def ask_for_link(context: PageContext) -> Response:
    """Email a link to the user with an address. The answer is the same if there is none."""
    form = ForgottenPasswordForm(context.form_data if context.site else None)

    async def save() -> Response:
        assert context.site is not None
        email = form.email.data or ""
        await email_link(context.db, email, client=context.client, site=context.site)
        context.log_access("password link requested", user=excerpt(email))
        text = _(
            "If {email} can sign in here, an email with a link is on its way. It works once, "
            "within a day. Look into your spam folder, too."
        )
        return context.redirect("/sign-in/", message=text.format(email=excerpt(email)))

    async def show(status: HTTPStatus) -> Response:
        return context.render("identity/forgotten_password.html", status=status, form=form)

    return await process_form(context, form, save, show)
