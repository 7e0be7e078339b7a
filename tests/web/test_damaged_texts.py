"""Forms refuse texts that nobody typed, and say what to type."""

from collections.abc import Iterator
from datetime import date

from starlette.datastructures import FormData

from masthead.model.billing.settings import BillingSettings
from masthead.model.subscribers.corrections import CORRECTABLE
from masthead.model.types.damaged_texts import is_checked
from masthead.web.addresses.change_form import FIELDS, AddressChangeForm
from masthead.web.billing.invoice_actions import ReplaceForm
from masthead.web.billing.payer_fields import PayerFields
from masthead.web.debits.mandates import MandateForm
from masthead.web.kit.forms import BaseForm, dump_original_values
from masthead.web.orders.order_form import OrderForm
from masthead.web.returns.forms import MappingForm
from masthead.web.returns.moved import MovedForm
from masthead.web.routes import ROUTES
from masthead.web.settings.billing import BillingForm
from masthead.web.subscriber_pages.address import OwnAddressForm
from masthead.web.subscriber_pages.person import NameForm
from masthead.web.subscribers.edit import SubscriberForm
from masthead.web.subscriptions.edit import SubscriptionEditForm
from masthead.web.subscriptions.move import MoveForm
from masthead.web.subscriptions.renew_form import RenewForm
from tests.support.cases import for_each
from tests.support.debits import IBAN

EDITED = (*FIELDS, "notes")
# A form, what it must know of before, and a field
FORMS: list[tuple[type[BaseForm], tuple[str, ...], str]] = [
    (OrderForm, (), "company"),
    (OrderForm, (), "gifter_company"),
    (OrderForm, (), "payer_company"),
    (AddressChangeForm, (), "company"),
    (OwnAddressForm, (), "company"),
    (NameForm, (), "company"),
    (MovedForm, (), "city"),
    (MoveForm, (), "payer_company"),
    (RenewForm, (), "payer_company"),
    (ReplaceForm, (), "payer_company"),
    (OrderForm, (), "debit_holder"),
    (SubscriberForm, CORRECTABLE, "company"),
    (SubscriptionEditForm, EDITED, "company"),
]
# Columns of a file, the publisher's own address, what its service checks, and a base of forms
OTHERS = {MappingForm, BillingForm, MandateForm, PayerFields}
SETTINGS = BillingSettings(name="Acme", street="Weg 1", postcode="89073", city="Ulm", country="DE")


@for_each("form, originals, field", FORMS, ids=str)
def test_a_form_refuses_codes_of_html(
    form: type[BaseForm], originals: tuple[str, ...], field: str
) -> None:
    def errors(**was: str | None) -> list[str]:
        known = dump_original_values({**dict.fromkeys(originals), **was})
        given = {field: "Kel&#039;s", "last_name": "NULL", "is_gift": "y", "was": known}
        given |= {"is_billed": "y", "is_other_payer": "y", "is_debited": "y"}
        given |= {"debit_iban": IBAN, "debit_signed": "2026-01-02", "currency": "EUR"}
        filled = form(FormData(given))
        if isinstance(filled, PayerFields):
            filled.settings, filled.may_bill, filled.collects = SETTINGS, True, True
            filled.today = date(2026, 1, 2)
        filled.validate()
        assert "last_name" not in filled.errors
        return [str(each) for each in filled.errors.get(field, [])]

    [message] = errors()
    assert message.endswith("is Kel&#039;s, which has codes of HTML. Type Kel's.")
    if originals:
        assert errors(**{field: "Kel&#039;s"}) == []  # what was there before


def test_every_form_with_a_part_of_an_address_is_tested() -> None:
    assert ROUTES  # all forms are imported
    found = {form for form in _forms(BaseForm) if any(map(is_checked, _fields(form)))}
    assert found == {form for form, _originals, _field in FORMS} | OTHERS


def _forms(base: type[BaseForm]) -> Iterator[type[BaseForm]]:
    for form in base.__subclasses__():
        yield form
        yield from _forms(form)


def _fields(form: type[BaseForm]) -> set[str]:
    """The fields of a form, but names of things."""
    return {name for name in dir(form) if getattr(form, name, None) is not None} - {"name"}
