"""The page that changes the medium, the start issue or the number of issues."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import structs
from starlette.datastructures import FormData
from starlette.responses import Response
from wtforms import BooleanField, HiddenField, SelectField, StringField

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.entry_checks import list_new_doubts
from masthead.model.orders.offers import MAX_LENGTH
from masthead.model.translations import counted, gettext as _
from masthead.model.types.enums import CopyStatus, Medium
from masthead.model.types.fields import MAX_NUMBER
from masthead.model.types.text import is_digits
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.terms import (
    ChangedTerms,
    SubscriptionTerms,
    change_terms,
    terms_of,
)
from masthead.store.billing.balances import list_of_orders
from masthead.store.engine.interface import Database
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscriptions import periods, records as subscriptions, subscription_copies
from masthead.web.kit.context import PageContext
from masthead.web.kit.form_handling import handle_form
from masthead.web.kit.forms import BaseForm, choices_of, errors_of, read_hidden
from masthead.web.subscriptions.together import ChosenCopies


class Seen(msgspec.Struct, frozen=True):
    """The terms, and the number of orders, when the form was opened."""

    terms: SubscriptionTerms
    orders: int


class TermsForm(BaseForm):
    """The terms. seen: those when the form was opened, as JSON."""

    medium = SelectField("Medium", validate_choice=False)
    start_issue = StringField("Start issue")
    length = StringField("Number of issues of the last order")
    is_address_right = BooleanField("The address is right as it is")
    seen = HiddenField()
    address: Mapping[str, Any] = MappingProxyType({})  # replaced by that of the subscription
    doubts_address = False  # whether the user is asked if the address is right

    def find_errors(self) -> Sequence[Invalid]:
        """The errors of each field."""
        try:
            seen = self.read_seen()
        except Invalid as reason:
            return [reason]
        return [*errors_of(self._medium, lambda: self._numbers(seen)), *self._list_doubts(seen)]

    def _list_doubts(self, seen: Seen) -> list[Invalid]:
        """The error of the medium if the address may not be right for it."""
        if self.medium.data not in set(Medium):
            return []
        doubts = list_new_doubts(
            {**self.address, "medium": seen.terms.medium},
            {**self.address, "medium": Medium(self.medium.data)},
        )
        self.doubts_address = bool(doubts)
        if self.is_address_right.data or not doubts:
            return []
        hint = _("Edit the address first.")
        return [Invalid(" ".join([*map(str, doubts), hint]), field="medium")]

    def read_seen(self) -> Seen:
        """The terms when the form was opened. Raises: Invalid if they were altered."""
        return read_hidden(self.seen.data, Seen)

    def read(self) -> SubscriptionTerms:
        """The wanted terms. Raises: Invalid."""
        start_issue, length = self._numbers(self.read_seen())
        return SubscriptionTerms(medium=self._medium(), start_issue=start_issue, length=length)

    def _medium(self) -> Medium:
        if self.medium.data not in set(Medium):
            raise Invalid(_("Choose a medium."), field="medium")
        return Medium(self.medium.data)

    def _numbers(self, seen: Seen) -> tuple[int | None, int | None]:
        """The start issue and the number of issues; None for memberships. Raises: Invalid."""
        if seen.terms.length is None:
            return None, None
        return self._number("start_issue", MAX_NUMBER), self._number("length", MAX_LENGTH)

    def _number(self, name: str, most: int) -> int:
        text = (self[name].data or "").strip()
        if not is_digits(text, at_most=10) or not 1 <= int(text) <= most:
            message = _("Type a whole number from 1 to {most}.").format(most=most)
            raise Invalid(message, field=name)
        return int(text)


async def change_subscription_terms(context: PageContext) -> Response:
    """Show the form; change the terms. Raises: NotFound."""
    id = context.path["id"]
    async with context.db.read(aside=True) as db:
        subscription = await get_subscription(db, context.account_id, id)
        row = (await subscriptions.find_rows(db, context.account_id, [id]))[id]
        orders = (await periods.list_periods(db, context.account_id, [id]))[id]
        copies = await subscription_copies.list_with_runs(db, context.account_id, [id])
        bundle = await get_bundle(db, context.account_id, id)
        newest = orders[-1].id
        invoiced = (await list_of_orders(db, context.account_id, [newest])).get(newest)
    chosen = ChosenCopies(context, bundle)
    current = Seen(terms_of(row, orders), len(orders))

    def make(formdata: FormData | None, data: Mapping[str, Any] | None) -> TermsForm:
        form = TermsForm(formdata, data)
        for name in ("medium", "start_issue", "length"):
            form[name].flags.required = True
        form.address = structs.asdict(row)
        form.medium.choices = choices_of((medium.value, _(medium.value)) for medium in Medium)
        return form

    async def save(form: TermsForm, db: Database) -> Response:
        chosen.require_same()
        seen = form.read_seen()
        try:
            outcome = await change_terms(
                db,
                context.account_id,
                id,
                form.read(),
                also=chosen.others,
                seen=seen.terms,
                seen_orders=seen.orders,
                by=context.actor,
            )
        except Invalid as reason:
            if reason.code == CHANGED_MEANWHILE:
                form.seen.data = _dump(current)
            raise
        message = _message(seen.terms == form.read(), outcome)
        if invoiced is not None and invoiced.invoice_id is not None and seen.terms != form.read():
            message = f"{message} " + _(
                "Invoice {number} stays as it was issued. If it is to say what holds now, replace "
                "it on its page."
            ).format(number=invoiced.number)
        return context.redirect(context.url("subscriptions", id), message=message)

    return await handle_form(
        context,
        make,
        "subscriptions/terms.html",
        save,
        initial={
            "medium": current.terms.medium.value,
            "start_issue": str(current.terms.start_issue or ""),
            "length": str(current.terms.length or ""),
            "seen": _dump(current),
        },
        subscription=subscription,
        copies=chosen,
        order=orders[-1],
        current=current.terms,
        is_started=any(copy.status is CopyStatus.SENT for copy in copies),
        in_runs=[
            copy for copy in copies if copy.run is not None and copy.status is CopyStatus.NOT_SENT
        ],
    )


def _dump(seen: Seen) -> str:
    return msgspec.json.encode(seen).decode()


def _message(is_same: bool, outcome: ChangedTerms) -> str:
    """What the next page says."""
    if is_same:
        return _("Nothing was changed.")
    parts = [_("The changes are saved.")]
    if outcome.added:
        parts.append(
            counted("{count} copy was added.", "{count} copies were added.", outcome.added)
        )
    if outcome.removed:
        parts.append(
            counted("{count} copy was removed.", "{count} copies were removed.", outcome.removed)
        )
    return " ".join(parts)
