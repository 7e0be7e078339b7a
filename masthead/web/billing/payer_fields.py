"""The fields that say whether an order is paid or billed, and who gets the invoice."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from wtforms import BooleanField, HiddenField, RadioField, SelectField, StringField
from wtforms.widgets import DateInput

from masthead.model.billing.payer_entry import PREFIX, PayerEntry, list_typed_refusals
from masthead.model.billing.settings import BillingSettings
from masthead.model.billing.tax_ids import check_iban, check_vat_id
from masthead.model.debits.mandates import Mandate, MandateScheme, NewMandate, check_mandate
from masthead.model.errors import Invalid
from masthead.model.orders.known_subscribers import KnownSubscriber
from masthead.model.subscribers.corrections import NAMES
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import one_line
from masthead.model.types.fields import MAX_DUE_DAYS
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.model.types.text import is_digits, short_text
from masthead.model.validation import decode_each, decode_input
from masthead.store.accounts import Account
from masthead.store.billing.payers import StoredPayer
from masthead.store.subscribers.corrections import StoredSubscriber
from masthead.web.kit.forms import BaseForm, errors_of, read_date
from masthead.web.kit.typed_searches import fields_to_take, taken_texts

TYPED = tuple(f"{PREFIX}{name}" for name in (*NAMES, "email", *ADDRESS_FIELDS, "language"))
_NUMBER = "order_reference"
# What only the page reads: the rest are fields of an order
OF_MANDATE = {
    "iban": "debit_iban",
    "bic": "debit_bic",
    "holder": "debit_holder",
    "signed_date": "debit_signed",
    "scheme": "debit_scheme",
}
OF_THE_PAGE = frozenset(
    {
        "is_other_payer",
        "bills_together",
        "sends_invoice",
        "payer_find",
        "new_payer",
        "vat_id",
        "department",
        *TYPED,
        *OF_MANDATE.values(),
    }
)
OF_INVOICES = frozenset({"is_billed", "is_debited", "payer_id", "due_days", _NUMBER})


class PayerFields(BaseForm):
    """How an order is billed. payer: the one who is chosen; known: what is known of them."""

    is_billed = BooleanField("How is it paid?")
    is_debited = BooleanField("By direct debit")  # read from the choice of `is_billed`
    debit_iban = StringField("IBAN of the payer")
    debit_bic = StringField("BIC of the payer")
    debit_holder = StringField("Account holder")
    debit_signed = StringField("Mandate signed on", widget=DateInput())
    debit_scheme = RadioField("Kind of mandate", validate_choice=False, default=MandateScheme.CORE)
    sends_invoice = BooleanField("Email the invoice now")
    due_days = StringField("Due in days")
    order_reference = StringField("Order number of the payer")
    vat_id = StringField("VAT ID")
    department = StringField("Department or attention")
    is_other_payer = BooleanField("Someone else pays")
    bills_together = BooleanField("One invoice for all orders of this payer")
    payer_id = HiddenField()
    payer_find = StringField("Find the payer")
    payer_company = StringField("Company or authority")
    payer_first_name = StringField("First name")
    payer_last_name = StringField("Last name")
    payer_email = StringField("Email")
    payer_address1 = StringField("Street and number")
    payer_address2 = StringField("Second line of the address")
    payer_postcode = StringField("Postcode")
    payer_city = StringField("Town")
    payer_state = StringField("State or region")
    payer_country = SelectField("Country", validate_choice=False)
    payer_language = SelectField("Language of the invoice", validate_choice=False)
    new_payer = StringField("Payer", id="payers")  # the place of the question
    # replaced by what the account and the user have
    settings: BillingSettings | None = None
    may_bill = False
    may_open = False  # whether the user may open invoices
    payer: KnownSubscriber | None = None
    known: StoredPayer | None = None
    record: StoredSubscriber | None = None  # of who gets the invoice, unless they are new
    account: Account | None = None
    collects = False  # whether the account collects by direct debit
    mandate: Mandate | None = None
    has_mail = False
    today = date.min
    has_exact = True  # whether the search for a payer found what was typed, not only similar names
    is_unanswered = False  # whether neither "paid" nor "by invoice" was sent

    def add_error(self, reason: Invalid) -> None:
        """Show an error, one about a mandate at the field that this form has for it."""
        reason.field = OF_MANDATE.get(reason.field or "", reason.field)
        super().add_error(reason)

    @property
    def can_bill(self) -> bool:
        """Whether the page offers an invoice; without the right to bill, one that waits."""
        return self.settings is not None

    def invoice_locale(self, country: str = "") -> str:
        """The locale of the invoice; empty if there is none.

        country: of the address that is typed of who gets it, if they are not an other payer.
        """
        if self.account is None or not self.is_billed.data:
            return ""
        own, known = (self.payer_language.data, self.payer_country.data), self.record
        if known is not None:
            own = known.language, known.country or country or known.latest_country
        elif not self.is_other_payer.data:
            own = None, country
        return self.account.locale_for(own[0] or None, own[1] or None)

    @property
    def can_send(self) -> bool:
        """Whether the invoice can be emailed at once, as far as it is known who gets it."""
        waits = self.waits or (self.known is not None and self.known.bills_together)
        has_address = self.record is None or self.record.shown_email is not None
        is_issued = self.is_billed.data and self.may_bill and not waits
        return bool(is_issued and self.has_mail and has_address)

    @property
    def asks_payment(self) -> bool:
        """Whether the user still has to say how it is paid."""
        return self.can_bill and self.is_unanswered and not self.is_billed.data

    def payment_errors(self) -> list[Invalid]:
        """The errors of how it is paid, for forms that ask, and of the fields of an invoice."""
        if self.asks_payment:
            text = _("Choose how it is paid. Without a payment, choose “By invoice”.")
            return [Invalid(text, field="is_billed")]
        return self.payer_errors()

    @property
    def is_net(self) -> bool:
        """Whether VAT is added to the price that is typed."""
        return bool(self.is_billed.data and self.settings and self.settings.adds_vat_on(self.today))

    def payer_errors(self) -> list[Invalid]:
        """The errors of the fields of an invoice; none if the order is paid."""
        if not self.is_billed.data:
            return []
        if not self.can_bill:
            return [Invalid(_("Orders can be billed once the settings of invoices are filled in."))]
        read = self.read_due_days, self.read_reference, self.read_vat_id, self.read_department
        found = errors_of(*read, self.read_mandate)
        if self.payer_id.data and self.payer is None:
            text = _("The payer that you chose no longer exists. Find the payer again.")
            found.append(Invalid(text, field="payer_find"))
        elif self.is_other_payer.data and self.payer is None:
            found += self._new_payer_errors()
        return found

    def _new_payer_errors(self) -> list[Invalid]:
        """The errors of a payer who is typed."""
        is_named = any((self[PREFIX + name].data or "").strip() for name in NAMES)
        if (self.payer_find.data or "").strip() and not is_named:
            text = _("Choose the payer from the list, or type a new one.")
            return [Invalid(text, field="payer_find")]
        given, refusals = decode_each(PayerEntry, self._typed())
        refused = {each.field for each in refusals}
        found = list_typed_refusals(given)
        return refusals + [each for each in found if each.field not in refused]

    def _typed(self) -> dict[str, Any]:
        names = (*TYPED, "new_payer")
        return {name: text for name in names if (text := (self[name].data or "").strip())}

    def read_due_days(self) -> int | None:
        """The days; None for those of the settings. Raises: Invalid."""
        text = (self.due_days.data or "").strip()
        if not text:
            return None
        if not is_digits(text, at_most=4) or int(text) > MAX_DUE_DAYS:
            message = _("Type a whole number from 0 to {most}.").format(most=MAX_DUE_DAYS)
            raise Invalid(message, field="due_days")
        return int(text)

    def read_reference(self) -> str:
        """The payer's own order number. Raises: Invalid."""
        return short_text(_NUMBER, (self.order_reference.data or "").strip())

    def read_vat_id(self) -> str:
        """The VAT ID without blanks; empty to leave it as it is. Raises: Invalid."""
        text = (self.vat_id.data or "").strip()
        try:
            return check_vat_id("vat_id", short_text("vat_id", text)) if text else ""
        except Invalid as reason:
            advice = _(
                "If you have to ask the customer, leave it empty. When you know it, choose "
                "“Replace this invoice” on the page of the invoice, and type it there."
            )
            message = " ".join((str(reason), advice))
            raise Invalid(message, field="vat_id", value=text) from None

    def read_department(self) -> str:
        """The department; empty to leave it as it is. Raises: Invalid."""
        return one_line(short_text("department", (self.department.data or "").strip()))

    def read_mandate(self) -> NewMandate | None:
        """The mandate that is typed; None if the payer has one, or pays. Raises: Invalid."""
        if not (self.is_billed.data and self.is_debited.data):
            return None
        if not self.collects:
            text = _("This account collects nothing by direct debit. Choose another way to pay.")
            raise Invalid(text)
        if not (self.debit_iban.data or "").strip():
            if self.mandate is not None:
                return None
            text = _("The payer has no mandate yet. Type the IBAN of the mandate.")
            raise Invalid(text, field="debit_iban")
        check_iban("iban", self.debit_iban.data or "", is_debited=True)
        if not (self.debit_holder.data or "").strip():
            text = _("Type the account holder, as on the mandate.")
            raise Invalid(text, field="debit_holder")
        asked = NewMandate(
            iban=self.debit_iban.data or "",
            bic=(self.debit_bic.data or "").strip(),
            holder=self.debit_holder.data or "",
            is_b2b=self.debit_scheme.data == MandateScheme.B2B,
            signed_date=read_date("debit_signed", self.debit_signed.data),
        )
        return check_mandate(asked, today=self.today)

    def read_new_payer(self) -> PayerEntry | None:
        """The payer who is typed; None if it is a known one. Raises: Invalid."""
        if not (self.is_billed.data and self.is_other_payer.data) or self.payer is not None:
            return None
        return decode_input(PayerEntry, self._typed())

    @property
    def typed_payer(self) -> Mapping[str, str]:
        """The fields of a new payer that take over what was typed to find one."""
        return fields_to_take(PREFIX, self.payer_find.data or "")

    @property
    def taken_of_payer(self) -> str:
        """What the fields of a new payer have from that search."""
        return taken_texts(self, PREFIX, self.payer_find.data or "")

    @property
    def chosen_payer_id(self) -> str | None:
        """The id of the payer who is chosen; None for the one whom the order itself names."""
        return self.payer.id if self.is_other_payer.data and self.payer else None

    @property
    def waits(self) -> bool:
        """Whether a payer who is chosen gets one invoice for all orders from now on."""
        is_other = self.is_billed.data and self.is_other_payer.data
        return bool(self.may_bill and is_other and self.bills_together.data)

    def bill_values(self) -> dict[str, Any]:
        """The fields of an order that is billed; none if it is paid. Raises: Invalid."""
        if not self.is_billed.data:
            return {}
        given = {
            "is_billed": True,
            "payer_id": self.chosen_payer_id,
            "due_days": self.read_due_days(),
            _NUMBER: self.read_reference() or None,
            "is_debited": self.is_debited.data or None,
        }
        return {name: value for name, value in given.items() if value is not None}
