"""Settings: the renewal letters, one for each stage, and which are sent by rule."""

from functools import partial

from starlette.responses import Response

from masthead.model.emails import EmailTemplate
from masthead.model.letters.texts import placeholders
from masthead.model.translations import gettext as _
from masthead.services.letters import texts as service
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.email_form import handle_email_form
from masthead.web.kit.letter_form import RenewalLetterForm, stage_of, without_offer


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
    back = context.fields.get("back", "")
    after = ("letters", stage) if back == "stage" else ("settings", "renewal-letters")

    async def save(form: RenewalLetterForm, db: Database, **given: str) -> None:
        automatic, by = form.is_automatic.data, context.actor
        await service.update_text(
            db, context.account_id, stage, **given, is_automatic=automatic, by=by
        )

    async def preview(db: Database, *, subject: str, text: str) -> service.LetterPreview:
        seen = without_offer(context, EmailTemplate(subject, text))
        return await service.preview_text(
            db, context.account_id, stage, subject=seen.subject, text=seen.text
        )

    return await handle_email_form(
        context,
        RenewalLetterForm,
        "settings/renewal_letter.html",
        initial={
            "subject": known.template.subject,
            "text": known.template.text,
            "is_automatic": known.is_automatic,
        },
        preview=preview,
        test=partial(service.send_test, stage=stage, public_url=context.web.public_url),
        save=save,
        saved=(context.url(*after), _("The letter is saved.")),
        stage=stage,
        placeholders=placeholders(),
        is_default=known.is_default,
        back=back,
    )
