"""Record a claim of a copy that was sent."""

from http import HTTPStatus

from starlette.responses import Response
from wtforms import BooleanField, RadioField, TextAreaField
from wtforms.validators import InputRequired

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.errors import Invalid, NotFound
from masthead.model.translations import gettext as _
from masthead.model.validation import decode_input
from masthead.services.claims import records as service
from masthead.services.claims.records import ClaimPreview
from masthead.store.engine.interface import Database
from masthead.store.subscriptions import records as subscriptions
from masthead.web.claims.words import day_words
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, trimmed

TEMPLATE = "claims/create.html"


class ClaimForm(BaseForm):
    """A claim."""

    reason = RadioField(
        "What does the subscriber say?",
        [InputRequired("Choose a reason.")],
        choices=choices_of((reason.value, reason.label) for reason in ClaimReason),
    )
    notes = TextAreaField("Notes", filters=[trimmed])
    replacement = BooleanField("Send a replacement with the next mailing of this issue")
    is_confirmed = BooleanField("Yes, send a replacement nevertheless")


async def record_claim(context: PageContext) -> Response:
    """Record a claim of the copy in the query string, which has its id or its key."""
    reference = context.query.get("copy", "").strip()
    if not reference:
        return context.render(TEMPLATE, preview=None, problem="", reference="")
    try:
        async with context.db.read(aside=True) as db:
            preview = await service.preview_claim(
                db, context.account_id, reference, day=day_words(context)
            )
            rows = await subscriptions.find_rows(db, context.account_id, [preview.subscription_id])
    except (Invalid, NotFound) as reason:
        if context.is_post and isinstance(reason, Invalid) and reason.code == "claim_exists":
            message = _("The copy already has this claim, whose replacement is not sent yet.")
            return context.redirect(context.url("claims"), message=message)
        status = HTTPStatus.NOT_FOUND if isinstance(reason, NotFound) else HTTPStatus.BAD_REQUEST
        return context.render(
            TEMPLATE, status=status, preview=None, problem=str(reason), reference=reference
        )

    async def save(form: ClaimForm, db: Database) -> Response:
        return await _save(context, form, db, preview)

    return await handle_form(
        context,
        ClaimForm,
        TEMPLATE,
        save,
        initial={"replacement": True},
        preview=preview,
        owner=rows[preview.subscription_id],
        problem="",
        reference=reference,
    )


async def _save(
    context: PageContext, form: ClaimForm, db: Database, preview: ClaimPreview
) -> Response:
    if form.replacement.data and preview.warnings and not form.is_confirmed.data:
        raise Invalid(_("Read the warning, and confirm it."), field="is_confirmed")
    body = decode_input(
        ClaimCreate,
        {
            "copy": preview.copy_id,
            "reason": form.reason.data,
            "notes": form.notes.data,
            "replacement": bool(form.replacement.data),
        },
    )
    claim = await service.create_claim(db, context.account_id, body, by=context.actor)
    message = _("The claim is recorded.")
    if claim.replacement:
        message = _(
            "The claim is recorded. The replacement is in the next mailing of issue {number}."
        ).format(number=preview.issue_number)
    return context.redirect(context.url("claims"), message=message)
