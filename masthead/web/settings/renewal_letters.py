"""Settings: the renewal letters, one for each stage, and which are sent by rule."""

from typing import Any

from starlette.responses import Response

from masthead.model.letters.texts import placeholders
from masthead.model.translations import gettext as _
from masthead.services.emails.messages import no_mail_server
from masthead.services.letters import texts as service
from masthead.store import accounts
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.idempotency import NotSaved, new_idempotency_key
from masthead.web.kit.letter_form import RenewalLetterForm, stage_of

TEMPLATE = "settings/renewal_letter.html"


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
    variables: dict[str, Any] = {
        "stage": stage,
        "placeholders": placeholders(),
        "is_default": known.is_default,
        "back": context.fields.get("back", ""),
        "preview": None,
        "sent_to": "",
    }

    async def save(form: RenewalLetterForm, db: Database) -> Response:
        given = {"subject": form.subject.data or "", "text": form.text.data or ""}
        action = context.fields.get("do")
        if action == "preview":
            variables["preview"] = await service.preview_text(
                db, context.account_id, stage, subject=given["subject"], text=given["text"]
            )
            raise NotSaved(context.render(TEMPLATE, form=form, **variables))
        if action == "test":
            if not context.has_mail:
                raise no_mail_server()
            await service.send_test(
                db,
                context.account_id,
                stage,
                **given,
                recipient=context.user.email,
                public_url=context.web.public_url,
                placeholder_domain=context.web.placeholder_domain,
                by=context.actor,
            )
            return await on_repeat(form)
        await service.update_text(
            db,
            context.account_id,
            stage,
            **given,
            is_automatic=form.is_automatic.data,
            by=context.actor,
        )
        return await on_repeat(form)

    async def on_repeat(form: RenewalLetterForm) -> Response:
        if context.fields.get("do") != "test":
            address = (
                context.url("letters", stage)
                if context.fields.get("back") == "stage"
                else context.url("settings", "renewal-letters")
            )
            return context.redirect(address, message=_("The letter is saved."))
        form.idempotency_key.data = new_idempotency_key()  # the form is not saved yet
        return context.render(TEMPLATE, form=form, **{**variables, "sent_to": context.user.email})

    initial = {
        "subject": known.template.subject,
        "text": known.template.text,
        "is_automatic": known.is_automatic,
    }
    return await handle_form(
        context,
        RenewalLetterForm,
        TEMPLATE,
        save,
        initial=initial,
        on_repeat=on_repeat,
        **variables,
    )
