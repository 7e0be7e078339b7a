"""The page of a copy whose label was scanned, and the form for one that did not arrive."""

from starlette.responses import Response
from wtforms import RadioField, TextAreaField
from wtforms.validators import InputRequired

from masthead.model.claims.rules import ClaimReason
from masthead.model.errors import PageNotFound
from masthead.model.self_service.settings import Action
from masthead.model.types.text import MAX_LONG_TEXT, is_digits, short_text
from masthead.services.self_service import actions as service
from masthead.services.self_service.scanned import get_scanned
from masthead.store.engine.interface import Database
from masthead.web.kit.forms import BaseForm, choices_of, labels_of, trimmed
from masthead.web.subscriber_pages.context import MyContext
from masthead.web.subscriber_pages.forms import handle_form


class MissingCopyForm(BaseForm):
    """What is wrong with a copy."""

    reason = RadioField(
        "What happened?",
        [InputRequired("Choose a reason.")],
        choices=choices_of(labels_of(ClaimReason)),
        default=ClaimReason.NEVER_ARRIVED.value,
    )
    notes = TextAreaField("What else should we know?", filters=[trimmed])


async def show_label(context: MyContext) -> Response:
    """What can be done about the copy whose label was scanned. Raises: NotFound, PageNotFound."""
    async with context.db.read(aside=True) as db:
        copy = await get_scanned(db, context.caller, _copy_id(context))
    return context.render(
        "subscriber_pages/label.html",
        copy=copy,
        allows_address=context.settings.allows(Action.ADDRESS) and copy.has_address,
        allows_claim=context.settings.allows(Action.CLAIM) and copy.can_be_claimed,
        is_too_late=context.settings.allows(Action.CLAIM) and copy.is_too_late,
    )


def _copy_id(context: MyContext) -> int:
    """The copy in the path. Raises: PageNotFound."""
    if not is_digits(context.path["id"], at_most=16):
        raise PageNotFound
    return int(context.path["id"])


async def report_copy(context: MyContext) -> Response:
    """Show the form for a copy of the subscriber, and save it. Raises: NotFound, PageNotFound."""
    copy_id = _copy_id(context)
    async with context.db.read(aside=True) as connection:
        copy = await get_scanned(connection, context.caller, copy_id)

    async def save(form: MissingCopyForm, db: Database) -> Response:
        notes = short_text("notes", form.notes.data or "", MAX_LONG_TEXT)
        is_sent = await service.claim_copy(
            db, context.caller, copy_id, ClaimReason(form.reason.data), notes or None
        )
        return context.redirect(context.url(done="claim" if is_sent else "claim-waits"))

    form = MissingCopyForm(context.form_data)
    return await handle_form(context, form, "subscriber_pages/claim.html", save, copy=copy)
