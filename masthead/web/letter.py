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
from masthead.web.forms import PaperForm
from masthead.web.once import new_mark
from masthead.web.visit import Visit

TEMPLATE = "settings/letter.html"
MOST_LETTERS = 50


class LetterForm(PaperForm):
    """The wording of the welcome letter."""

    subject = StringField("Subject", [DataRequired("Write a subject.")])
    text = TextAreaField("Text", [DataRequired("Write a text.")])


async def edit_letter(visit: Visit) -> Response:
    """Word the welcome letter: save it, look at it filled in, or send it to oneself."""
    subject, text = await get_welcome(visit.db, visit.account_id)
    around: dict[str, Any] = {
        "placeholders": PLACEHOLDERS,
        "failed": await outbox.list_failed(visit.db, visit.account_id, MOST_LETTERS),
        "preview": None,
        "sent_to": "",
    }

    async def save(form: LetterForm, db: Database) -> Response:
        given = {"subject": form.subject.data or "", "text": form.text.data or ""}
        wanted = visit.fields.get("do")
        if wanted == "preview":
            around["preview"] = service.preview(**given, magazine=visit.membership.name)
            return visit.page(TEMPLATE, form=form, **around)
        if wanted == "test":
            await service.send_test(
                db,
                visit.account_id,
                **given,
                recipient=visit.visitor.email,
                placeholder_domain=visit.web.placeholder_domain,
                by=visit.actor,
            )
            return await again(form)
        await service.update_welcome(db, visit.account_id, **given, by=visit.actor)
        return await again(form)

    async def again(form: LetterForm) -> Response:
        if visit.fields.get("do") != "test":
            return visit.go(visit.at("settings", "letter"), said="The welcome letter is saved.")
        form.mark.data = new_mark()  # it is still to be saved
        return visit.page(TEMPLATE, form=form, **{**around, "sent_to": visit.visitor.email})

    initial = {"subject": subject, "text": text}
    return await visit.answer(LetterForm, TEMPLATE, save, initial=initial, again=again, **around)


async def retry_letter(visit: Visit) -> Response:
    """Try again to send a letter that was given up. Raises: NotFound."""
    await service.retry_letter(visit.db, visit.account_id, visit.path["id"], by=visit.actor)
    return visit.go(visit.at("settings", "letter"), said="The letter is on its way again.")
