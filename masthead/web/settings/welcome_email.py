"""Settings: the welcome email, and the emails that could not be sent."""

from functools import partial

from starlette.responses import Response
from wtforms import StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.model.emails import PLACEHOLDERS
from masthead.model.translations import gettext as _
from masthead.services.emails import welcome as service
from masthead.services.emails.messages import retry_email as retry
from masthead.store.background import outbox
from masthead.store.engine.interface import Database
from masthead.store.self_service.settings import find_page_url
from masthead.store.welcome_emails import get_welcome
from masthead.web.kit.context import PageContext
from masthead.web.kit.email_form import TextLanguage, handle_email_form
from masthead.web.kit.forms import BaseForm

MAX_FAILED_EMAILS = 50


class WelcomeEmailForm(BaseForm):
    """The subject and the text of the welcome email."""

    subject = StringField("Subject", [DataRequired("Type the subject of the email.")])
    text = TextAreaField("Text", [DataRequired("Type the text of the email.")])


async def edit_welcome_email(context: PageContext) -> Response:
    """Edit the welcome email: save it, preview it, or send a test to the signed-in user."""
    known = await get_welcome(context.db, context.account_id)
    language = TextLanguage(context, known)

    async def preview(db: Database, **given: str) -> object:
        return service.preview(
            **given,
            magazine=context.membership.name,
            locale=language.locale,
            my_page=await find_page_url(db, context.account_id),
        )

    async def save(_form: WelcomeEmailForm, db: Database, **given: str) -> None:
        id, by = context.account_id, context.actor
        if language.code:
            text = language.typed(given)
            await service.update_translation(db, id, language.code, text, by=by)
        else:
            await service.update_welcome(db, id, **given, by=by)

    shown = {"language": language.code} if language.code else {}
    return await handle_email_form(
        context,
        WelcomeEmailForm,
        "settings/welcome_email.html",
        initial={"subject": language.text.subject, "text": language.text.text},
        preview=preview,
        test=partial(service.send_test, locale=language.locale),
        save=save,
        saved=(context.url("settings", "welcome-email", **shown), _("The welcome email is saved.")),
        placeholders=PLACEHOLDERS,
        text_language=language,
        failed=await outbox.list_failed(context.db, context.account_id, MAX_FAILED_EMAILS),
        tried_again=await outbox.list_failed(
            context.db, context.account_id, MAX_FAILED_EMAILS, is_tried_again=True
        ),
    )


async def retry_email(context: PageContext) -> Response:
    """Try again to send an email that failed. Raises: NotFound."""
    await retry(context.db, context.account_id, context.path["id"], by=context.actor)
    return context.redirect(
        context.url("settings", "welcome-email"), message=_("The email will be sent again.")
    )


async def redirect_to_welcome_email(context: PageContext) -> Response:
    """Redirect from the former path of the page."""
    return context.redirect(context.url("settings", "welcome-email"))
