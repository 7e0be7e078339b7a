"""Settings: the welcome letter, and letters that were given up."""

from typing import Any

from starlette.responses import Response
from wtforms import StringField, TextAreaField
from wtforms.validators import DataRequired

from masthead.model.emails import PLACEHOLDERS
from masthead.services.emails import messages as service
from masthead.store.accounts import get_welcome
from masthead.store.background import outbox
from masthead.store.engine.interface import Database
from masthead.web.kit.context import PageContext
from masthead.web.kit.forms import PaperForm
from masthead.web.kit.idempotency import new_mark

TEMPLATE = "settings/welcome_email.html"
MOST_LETTERS = 50


class LetterForm(PaperForm):
    """The wording of the welcome letter."""

    subject = StringField("Subject", [DataRequired("Write a subject.")])
    text = TextAreaField("Text", [DataRequired("Write a text.")])


async def edit_letter(context: PageContext) -> Response:
    """Word the welcome letter: save it, look at it filled in, or send it to oneself."""
    subject, text = await get_welcome(context.db, context.account_id)
    around: dict[str, Any] = {
        "placeholders": PLACEHOLDERS,
        "failed": await outbox.list_failed(context.db, context.account_id, MOST_LETTERS),
        "preview": None,
        "sent_to": "",
    }

    async def save(form: LetterForm, db: Database) -> Response:
        given = {"subject": form.subject.data or "", "text": form.text.data or ""}
        wanted = context.fields.get("do")
        if wanted == "preview":
            around["preview"] = service.preview(**given, magazine=context.membership.name)
            return context.page(TEMPLATE, form=form, **around)
        if wanted == "test":
            await service.send_test(
                db,
                context.account_id,
                **given,
                recipient=context.visitor.email,
                placeholder_domain=context.web.placeholder_domain,
                by=context.actor,
            )
            return await again(form)
        await service.update_welcome(db, context.account_id, **given, by=context.actor)
        return await again(form)

    async def again(form: LetterForm) -> Response:
        if context.fields.get("do") != "test":
            return context.go(context.at("settings", "letter"), said="The welcome letter is saved.")
        form.mark.data = new_mark()  # it is still to be saved
        return context.page(TEMPLATE, form=form, **{**around, "sent_to": context.visitor.email})

    initial = {"subject": subject, "text": text}
    return await context.answer(LetterForm, TEMPLATE, save, initial=initial, again=again, **around)


async def retry_letter(context: PageContext) -> Response:
    """Try again to send a letter that was given up. Raises: NotFound."""
    await service.retry_letter(context.db, context.account_id, context.path["id"], by=context.actor)
    return context.go(context.at("settings", "letter"), said="The letter is on its way again.")
