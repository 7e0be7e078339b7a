"""Record claims of copies that were sent."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from msgspec import Struct, structs
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import BooleanField, RadioField, SelectMultipleField, TextAreaField
from wtforms.validators import InputRequired, Optional

from masthead.model.claims.inputs import ClaimCreate
from masthead.model.claims.rules import ClaimReason
from masthead.model.errors import Invalid, NotFound
from masthead.model.identity.rights import Right
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import counted, gettext as _, ngettext
from masthead.model.validation import decode_input
from masthead.services.claims import claimable, records as service
from masthead.services.claims.claimable import ClaimPreview, OtherCopies
from masthead.store.engine.interface import Connection, Database
from masthead.store.issues import records as issues
from masthead.store.subscriptions import records as subscriptions
from masthead.web.kit.context import PageContext
from masthead.web.kit.day_words import day_words
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, labels_of, trimmed

TEMPLATE = "claims/create.html"
MAILING, LABEL = "mailing", "label"  # how a replacement goes out


class ClaimForm(BaseForm):
    """Claims of a copy and of others of the same subscriber."""

    reason = RadioField(
        "What does the subscriber say?",
        [InputRequired("Choose a reason.")],
        choices=choices_of(labels_of(ClaimReason)),
    )
    others = SelectMultipleField("Other copies", validate_choice=False)
    notes = TextAreaField("Notes", filters=[trimmed])
    replacement = BooleanField("Send a replacement")
    how = RadioField("How does the replacement go out?", [Optional()], validate_choice=False)
    is_confirmed = BooleanField("Yes, send a replacement nevertheless")


class _FoundCopy(Struct, frozen=True, kw_only=True):
    """What the page shows. owner: the subscription of the copy. ticked: keys of other copies.

    is_past: whether a later issue is out, so that a mailing of this one may never come.
    """

    preview: ClaimPreview
    owner: StoredSubscription
    others: Sequence[OtherCopies]
    ticked: Sequence[str]
    is_past: bool

    @property
    def chosen(self) -> list[OtherCopies]:
        """The other copies that are ticked."""
        return [each for each in self.others if each.key in self.ticked]


async def record_claim(context: PageContext) -> Response:
    """Record a claim of the copy in the query string, which has its id or its key.

    It ends on the page of the subscriber, who may be on the telephone, or on that of the label.
    """
    reference = context.query.get("copy", "").strip()
    if not reference:
        return context.render(TEMPLATE, found=None, problem="", reference="")
    try:
        async with context.db.read(aside=True) as db:
            found = await _find(context, db, reference)
    except (Invalid, NotFound) as reason:
        if context.is_post and isinstance(reason, Invalid) and reason.code == "claim_exists":
            message = _("The copy already has this claim, whose replacement is not sent yet.")
            async with context.db.read() as db:
                id = await claimable.find_subscriber(db, context.account_id, reference)
            return context.redirect(context.url("subscribers", id), message=message)
        status = HTTPStatus.NOT_FOUND if isinstance(reason, NotFound) else HTTPStatus.BAD_REQUEST
        return context.render(
            TEMPLATE, status=status, found=None, problem=str(reason), reference=reference
        )
    may_print = context.membership.may(Right.DISPATCH) and not found.preview.waits

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> ClaimForm:
        form = ClaimForm(formdata, data)
        text = _("With the next mailing of issue {number}")
        by_mailing = text.format(number=found.preview.copy.issue_number)
        at_once = _("At once: you print its label on the next page")
        form.how.choices = choices_of([(MAILING, by_mailing), (LABEL, at_once)])
        if found.preview.waits:
            form.is_confirmed.label.text = _("Yes, record a replacement that waits")
        return form

    return await handle_form(
        context,
        make,
        TEMPLATE,
        lambda form, db: _save(context, form, db, found),
        initial={
            "replacement": True,
            "reason": ClaimReason.NEVER_ARRIVED.value,
            "how": LABEL if found.is_past else MAILING,
        },
        may_print=may_print,
        found=found,
        problem="",
        reference=reference,
    )


async def _find(context: PageContext, db: Connection, reference: str) -> _FoundCopy:
    """What the page shows. Raises: NotFound, Invalid."""
    account_id = context.account_id
    preview = await claimable.preview_claim(db, account_id, reference, day=day_words(context))
    copy = preview.copy
    current = await issues.find_current(db, account_id, context.membership.daily_date)
    rows = await subscriptions.find_rows(db, account_id, [copy.subscription_id])
    found = _FoundCopy(
        preview=preview,
        owner=rows[copy.subscription_id],
        others=await claimable.list_others(db, account_id, copy),
        ticked=ClaimForm(context.form_data).others.data or (),
        is_past=current is not None and copy.issue_number < current.number,
    )
    ids = [id for each in found.chosen for id in each.copy_ids]
    if not ids:
        return found
    warnings = await claimable.warn_of_several(db, account_id, copy, ids)
    return structs.replace(found, preview=structs.replace(preview, warnings=warnings))


async def _save(context: PageContext, form: ClaimForm, db: Database, found: _FoundCopy) -> Response:
    preview, chosen = found.preview, found.chosen
    if len(chosen) < len(form.others.data or ()):
        raise Invalid(
            _("One of these copies cannot be claimed any more. Check the others, and record them."),
            field="others",
        )
    if form.replacement.data and preview.warnings and not form.is_confirmed.data:
        raise Invalid(_("Read the warning, and confirm it."), field="is_confirmed")
    given = {
        "reason": form.reason.data,
        "notes": form.notes.data,
        "replacement": bool(form.replacement.data),
    }
    ids = [preview.copy.id, *(id for each in chosen for id in each.copy_ids)]
    bodies = [decode_input(ClaimCreate, {**given, "copy": id}) for id in ids]
    claims = await service.create_claims(db, context.account_id, bodies, by=context.actor)
    numbers = sorted({preview.copy.issue_number, *(each.issue_number for each in chosen)})
    message = recorded = counted("The claim is recorded.", "{n} claims are recorded.", len(claims))
    link = ("", "")
    if claims[0].replacement:
        message += " " + (preview.waits or _replaced(numbers, len(claims)))
    if claims[0].replacement and not preview.waits and context.membership.may(Right.DISPATCH):
        printed = context.url("claims", "print", claim=" ".join(claim.id for claim in claims))
        if form.how.data == LABEL:
            return context.redirect(printed, message=recorded)
        link = printed, _("Print the label now")
        message = f"{message} {_('You can also send now.')}"
    elif preview.copy.hold_id is not None and context.membership.may(Right.CORRECT):
        edited = context.url(
            "subscribers",
            preview.copy.subscriber_id,
            "address",
            begin=preview.copy.subscription_id,
        )
        link = edited, _("Change the address")
    subscriber = context.url("subscribers", preview.copy.subscriber_id)
    return context.redirect(subscriber, message=message, link=link)


def _replaced(numbers: Sequence[int], count: int) -> str:
    """When the replacements go out. numbers: of their issues."""
    if len(numbers) == 1:
        return ngettext(
            "The replacement is in the next mailing of issue {number}.",
            "The replacements are in the next mailing of issue {number}.",
            count,
        ).format(number=numbers[0])
    return _("The replacements are in the next mailings of issues {numbers}.").format(
        numbers=", ".join(map(str, numbers))
    )
