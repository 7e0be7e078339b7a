"""Settings: the welcome email, and the emails that could not be sent."""

from typing import Any

from starlette.responses import Response
from wtforms import StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.model.emails import PLACEHOLDERS
from masthead.model.translations import gettext as _
from masthead.services.emails import messages as service
from masthead.store.accounts import get_welcome_email
from masthead.store.background import outbox
from masthead.store.engine.interface import Database
from masthead.store.self_service.settings import find_page_url
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm
from masthead.web.kit.idempotency import NotSaved, new_idempotency_key

TEMPLATE = "settings/welcome_email.html"
MAX_FAILED_EMAILS = 50


class WelcomeEmailForm(BaseForm):
    """The subject and the text of the welcome email."""

    subject = StringField("Subject", [DataRequired("Type the subject of the email.")])
    text = TextAreaField("Text", [DataRequired("Type the text of the email.")])


async def edit_welcome_email(context: PageContext) -> Response:
    """Edit the welcome email: save it, preview it, or send a test to the signed-in user."""
    subject, text = await get_welcome_email(context.db, context.account_id)
    variables: dict[str, Any] = {
        "placeholders": PLACEHOLDERS,
        "failed": await outbox.list_failed(context.db, context.account_id, MAX_FAILED_EMAILS),
        "preview": None,
        "sent_to": "",
    }

    async def save(form: WelcomeEmailForm, db: Database) -> Response:
        given = {"subject": form.subject.data or "", "text": form.text.data or ""}
        action = context.fields.get("do")
        if action == "preview":
            variables["preview"] = service.preview(
                **given,
                magazine=context.membership.name,
                locale=context.membership.locale,
                my_page=await find_page_url(db, context.account_id),
            )
            raise NotSaved(context.render(TEMPLATE, form=form, **variables))
        if action == "test":
            if not context.has_mail:
                raise service.no_mail_server()
            await service.send_test(
                db,
                context.account_id,
                **given,
                recipient=context.user.email,
                placeholder_domain=context.web.placeholder_domain,
                by=context.actor,
            )
            return await on_repeat(form)
        await service.update_welcome(db, context.account_id, **given, by=context.actor)
        return await on_repeat(form)

    async def on_repeat(form: WelcomeEmailForm) -> Response:
        if context.fields.get("do") != "test":
            return context.redirect(
                context.url("settings", "welcome-email"), message=_("The welcome email is saved.")
            )
        form.idempotency_key.data = new_idempotency_key()  # the form is not saved yet
        return context.render(TEMPLATE, form=form, **{**variables, "sent_to": context.user.email})

    initial = {"subject": subject, "text": text}
    return await handle_form(
        context, WelcomeEmailForm, TEMPLATE, save, initial=initial, on_repeat=on_repeat, **variables
    )


async def retry_email(context: PageContext) -> Response:
    """Try again to send an email that failed. Raises: NotFound."""
    await service.retry_email(context.db, context.account_id, context.path["id"], by=context.actor)
    return context.redirect(
        context.url("settings", "welcome-email"), message=_("The email will be sent again.")
    )


async def redirect_to_welcome_email(context: PageContext) -> Response:
    """Redirect from the former path of the page."""
    return context.redirect(context.url("settings", "welcome-email"))
