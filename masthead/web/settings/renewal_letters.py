"""Settings: the renewal letters, one for each stage, and which are sent by rule."""

from functools import partial

from starlette.responses import Response

from masthead.model.identity.rights import Right
from masthead.model.letters.texts import placeholders
from masthead.model.translations import gettext as _
from masthead.services.letters import texts as service
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.email_form import TextLanguage, handle_email_form
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
    language, sees_money = TextLanguage(context, known), context.membership.may(Right.SEE_MONEY)
    back = context.given.get("back", "")
    after = ("letters", stage) if back == "stage" else ("settings", "renewal-letters")

    async def save(form: RenewalLetterForm, db: Database, **given: str) -> None:
        by = context.actor
        if language.code:
            text = language.typed(given)
            await service.update_translation(
                db, context.account_id, stage, language.code, text, by=by
            )
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
            locale=language.locale,
        )

    return await handle_email_form(
        context,
        RenewalLetterForm,
        "settings/renewal_letter.html",
        initial={
            "subject": language.text.subject,
            "text": language.text.text,
            "is_automatic": known.is_automatic,
        },
        preview=preview,
        test=partial(
            service.send_test,
            stage=stage,
            has_amounts=sees_money,
            locale=language.locale,
            public_url=context.web.public_url,
        ),
        save=save,
        saved=(context.url(*after), _("The letter is saved.")),
        stage=stage,
        placeholders=placeholders(),
        text_language=language,
        back=back,
    )
