"""Say that a copy did not arrive."""

from starlette.responses import Response
from wtforms import RadioField, TextAreaField
from wtforms.validators import InputRequired

from masthead.model.claims.rules import ClaimReason
from masthead.model.errors import PageNotFound
from masthead.model.types.text import MAX_NOTES, is_digits, short_text
from masthead.services.self_service import actions as service
from masthead.store.engine.interface import Database
from masthead.web.kit.forms import BaseForm, choices_of, trimmed
from masthead.web.subscriber_pages.context import MyContext
from masthead.web.subscriber_pages.forms import handle_form


class MissingCopyForm(BaseForm):
    """What is wrong with a copy."""

    reason = RadioField(
        "What happened?",
        [InputRequired("Choose a reason.")],
        choices=choices_of((reason.value, reason.label) for reason in ClaimReason),
        default=ClaimReason.NEVER_ARRIVED.value,
    )
    notes = TextAreaField("What else should we know?", filters=[trimmed])


async def report_copy(context: MyContext) -> Response:
    """Show the form for a copy of the subscriber, and save it. Raises: NotFound."""
    if not is_digits(context.path["id"], at_most=16):
        raise PageNotFound
    copy_id = int(context.path["id"])
    issue = await service.require_own_copy(context.db, context.caller, copy_id)

    async def save(form: MissingCopyForm, db: Database) -> Response:
        notes = short_text("notes", form.notes.data or "", MAX_NOTES)
        is_sent = await service.claim_copy(
            db, context.caller, copy_id, ClaimReason(form.reason.data), notes or None
        )
        return context.redirect(context.url(done="claim" if is_sent else "claim-waits"))

    form = MissingCopyForm(context.form_data)
    return await handle_form(context, form, "subscriber_pages/claim.html", save, issue=issue)
