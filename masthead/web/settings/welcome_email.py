"""Settings: the welcome email, and the emails that could not be sent."""

from starlette.responses import Response
from wtforms import StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.model.emails import PLACEHOLDERS
from masthead.model.translations import gettext as _, language_of
from masthead.model.types.recipient_languages import locale_in
from masthead.services.emails import messages as service
from masthead.store import accounts
from masthead.store.accounts import get_welcome_email
from masthead.store.background import outbox
from masthead.store.engine.interface import Database
from masthead.store.self_service.settings import find_page_url
from masthead.web.kit.choices import list_languages_of_texts
from masthead.web.kit.context import PageContext
from masthead.web.kit.email_form import handle_email_form
from masthead.web.kit.forms import BaseForm

MAX_FAILED_EMAILS = 50


class WelcomeEmailForm(BaseForm):
    """The subject and the text of the welcome email."""

    subject = StringField("Subject", [DataRequired("Type the subject of the email.")])
    text = TextAreaField("Text", [DataRequired("Type the text of the email.")])


async def edit_welcome_email(context: PageContext) -> Response:
    """Edit the welcome email: save it, preview it, or send a test to the signed-in user."""
    subject, text = await get_welcome_email(context.db, context.account_id)

    async def preview(db: Database, **given: str) -> object:
        return service.preview(
            **given,
            magazine=context.membership.name,
            locale=context.membership.locale,
            my_page=await find_page_url(db, context.account_id),
        )

    async def save(_form: WelcomeEmailForm, db: Database, **given: str) -> None:
        await service.update_welcome(db, context.account_id, **given, by=context.actor)

    account = await accounts.get_account(context.db, context.account_id)
    own = language_of(account.locale)
    others = {}
    for language, _name in list_languages_of_texts():
        if language != own:
            locale = locale_in(language, account.locale)
            template, used = await service.find_welcome(context.db, account, locale)
            if used == locale:
                others[language] = template

    return await handle_email_form(
        context,
        WelcomeEmailForm,
        "settings/welcome_email.html",
        initial={"subject": subject, "text": text},
        preview=preview,
        test=service.send_test,
        save=save,
        saved=(context.url("settings", "welcome-email"), _("The welcome email is saved.")),
        placeholders=PLACEHOLDERS,
        own=own,
        others=others,
        failed=await outbox.list_failed(context.db, context.account_id, MAX_FAILED_EMAILS),
        tried_again=await outbox.list_failed(
            context.db, context.account_id, MAX_FAILED_EMAILS, is_tried_again=True
        ),
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
