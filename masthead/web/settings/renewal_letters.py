"""Settings: the renewal letters, one for each stage, and which are sent by rule."""

from functools import partial

from starlette.responses import Response

from masthead.model.emails import EmailTemplate
from masthead.model.identity.rights import Right
from masthead.model.letters.stage_texts import StageText
from masthead.model.letters.texts import default_template, placeholders
from masthead.model.translations import gettext as _, in_language, language_of, list_languages
from masthead.model.types.recipient_languages import locale_in
from masthead.services.letters import texts as service
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.web.kit.choices import list_languages_of_texts
from masthead.web.kit.context import PageContext
from masthead.web.kit.email_form import handle_email_form
from masthead.web.kit.letter_form import RenewalLetterForm, stage_of


async def list_letters(context: PageContext) -> Response:
    """The letters of all stages."""
    account = await accounts.get_account(context.db, context.account_id)
    texts = await service.list_texts(context.db, account)
    return context.render("settings/renewal_letters.html", texts=texts.values())


async def edit_letter(context: PageContext) -> Response:
    """Edit the letter of a stage: save it, preview it, or send a test. Raises: NotFound."""
    stage = stage_of(context)
    account = await accounts.get_account(context.db, context.account_id)
    known = (await service.list_texts(context.db, account))[stage]
    language, sees_money = _language_of(context, known), context.membership.may(Right.SEE_MONEY)
    locale = locale_in(language, account.locale) if language else account.locale
    shown = known.template
    if language:
        with in_language(locale):
            shown = known.translations.get(language) or default_template(stage)
    back = (context.fields if context.is_post else context.query).get("back", "")
    after = ("letters", stage) if back == "stage" else ("settings", "renewal-letters")

    async def save(form: RenewalLetterForm, db: Database, **given: str) -> None:
        by = context.actor
        if language:
            is_deleted = context.fields.get("do") == "delete"
            text = None if is_deleted else EmailTemplate(**given)
            await service.update_translation(db, context.account_id, stage, language, text, by=by)
            return
        automatic = form.is_automatic.data
        await service.update_text(
            db, context.account_id, stage, **given, is_automatic=automatic, by=by
        )

    async def preview(db: Database, *, subject: str, text: str) -> service.LetterPreview:
        return await service.preview_text(
            db,
            context.account_id,
            stage,
            subject=subject,
            text=text,
            has_amounts=sees_money,
            locale=locale,
        )

    return await handle_email_form(
        context,
        RenewalLetterForm,
        "settings/renewal_letter.html",
        initial={
            "subject": shown.subject,
            "text": shown.text,
            "is_automatic": known.is_automatic,
        },
        preview=preview,
        test=partial(
            service.send_test,
            stage=stage,
            has_amounts=sees_money,
            locale=locale,
            public_url=context.web.public_url,
        ),
        save=save,
        saved=(context.url(*after), _("The letter is saved.")),
        stage=stage,
        placeholders=placeholders(),
        is_default=known.is_default,
        is_translated=language in known.translations,
        text_language=language,
        own=language_of(account.locale),
        languages=list_languages_of_texts(),
        back=back,
    )


def _language_of(context: PageContext, text: StageText) -> str:
    """The language of the text on the page; empty for that of the account.

    The page opens with the language of the user, if recipients with it get a text of their own.
    """
    source = context.fields if context.is_post else context.query
    asked = str(source.get("language", ""))
    own = language_of(text.own)
    if not asked and not context.is_post:
        mine = language_of(context.locale)
        asked = mine if mine in text.languages else own
    return asked if asked in list_languages() - {own} else ""
