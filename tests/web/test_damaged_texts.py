"""Forms repair texts of names and addresses that programs left, and refuse what is lost."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import TypeVar

from starlette.datastructures import FormData

from masthead.model.billing.settings import BillingInput, BillingSettings
from masthead.model.imports.subscription_row import SubscriptionRow
from masthead.model.input_fields import postal_names
from masthead.model.inputs import Body
from masthead.model.subscribers.corrections import CORRECTABLE
from masthead.model.types.damaged_texts import is_checked
from masthead.store.subscribers.corrections import get_subscriber
from masthead.web.addresses.change_form import AddressChangeForm
from masthead.web.billing.invoice_actions import ReplaceForm
from masthead.web.billing.payer_fields import PayerFields
from masthead.web.debits.mandates import MandateForm
from masthead.web.identity.sign_in import LinkForm
from masthead.web.kit.forms import BaseForm, dump_original_values
from masthead.web.orders.order_fields import OrderFields
from masthead.web.orders.order_form import OrderForm
from masthead.web.returns.forms import MappingForm
from masthead.web.returns.moved import MovedForm
from masthead.web.routes import ROUTES
from masthead.web.settings.billing import BillingForm
from masthead.web.subscriber_pages.address import OwnAddressForm
from masthead.web.subscriber_pages.person import NameForm
from masthead.web.subscribers.edit import SubscriberForm
from masthead.web.subscriptions.edit import FIELDS as EDITED, SubscriptionEditForm
from masthead.web.subscriptions.move import MoveForm
from masthead.web.subscriptions.renew_form import RenewForm
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.debits import IBAN
from tests.support.factories import make_issue
from tests.web.conftest import Person
from tests.web.subscriptions.test_copies import move

T = TypeVar("T")
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
# Columns of a file, the publisher's own address, what its service checks, bases of forms, and the
# name that a user types for themselves
OTHERS = {MappingForm, BillingForm, MandateForm, PayerFields, OrderFields, LinkForm}
# A row, which the import repairs with its remarks, and the publisher's own address
BODIES_OF_OTHERS = {SubscriptionRow, BillingInput}
SETTINGS = BillingSettings(name="Acme", street="Weg 1", postcode="89073", city="Ulm", country="DE")


@for_each("form, originals, field", FORMS, ids=str)
def test_a_form_refuses_what_is_lost_and_takes_what_is_repaired(
    form: type[BaseForm], originals: tuple[str, ...], field: str
) -> None:
    def errors(text: str, **was: str | None) -> list[str]:
        known = dump_original_values({**dict.fromkeys(originals), **was})
        given = {field: text, "last_name": "NULL", "is_gift": "y", "was": known}
        given |= {"is_billed": "y", "is_other_payer": "y", "is_debited": "y"}
        given |= {"debit_iban": IBAN, "debit_signed": "2026-01-02", "currency": "EUR"}
        filled = form(FormData(given))
        if isinstance(filled, PayerFields):
            filled.settings, filled.may_bill, filled.collects = SETTINGS, True, True
            filled.today = date(2026, 1, 2)
        filled.validate()
        assert "last_name" not in filled.errors
        return [str(each) for each in filled.errors.get(field, [])]

    [message] = errors("#REF!")
    assert message.endswith(
        " is #REF!, which is an error of a spreadsheet. Correct it, or leave it empty."
    )
    assert errors("Kel&#039;s") == []
    if originals:
        assert errors("#REF!", **{field: "#REF!"}) == []  # what was there before


def test_every_form_with_a_part_of_an_address_is_tested() -> None:
    assert ROUTES  # all forms are imported
    found = {form for form in _subclasses(BaseForm) if any(map(is_checked, _fields(form)))}
    assert found == {form for form, _originals, _field in FORMS} | OTHERS


def _subclasses(base: type[T]) -> Iterator[type[T]]:
    for each in base.__subclasses__():
        yield each
        yield from _subclasses(each)


def _fields(form: type[BaseForm]) -> set[str]:
    """The fields of a form, but names of things."""
    return {name for name in dir(form) if getattr(form, name, None) is not None} - {"name"}


def test_each_field_of_a_name_or_an_address_is_repaired() -> None:
    for body in _subclasses(Body):
        checked = {name for name in body.__struct_fields__ if is_checked(name)} - {"name"}
        if body not in BODIES_OF_OTHERS:
            assert checked == {*postal_names(body)}, body


TYPED = {"company": "Kel&#039;s", "address1": "Stra&szlig;e 1", "city": "MÃ¼nchen", "state": "n/a"}
STORED = {"company": "Kel's", "address1": "Straße 1", "city": "München", "state": None}


async def test_the_pages_of_orders_and_subscriptions_store_what_was_meant(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    place = {"first_name": "Ada", "postcode": "80331", "country": "DE"}
    new = await owner.send(
        owner.address("subscriptions", "new"),
        {**place, **TYPED, "email": "ada@example.test", "length": "4", "price": "42.00"},
    )
    assert new.status_code == 303, new.text
    [made] = (await acme.get("/v1/subscriptions/")).json()["items"]
    assert parts_of(made["shipping_address"]) == STORED

    page = owner.address("subscribers", made["subscriber"]["id"], "address")
    await move(owner, page, {"city": "Kiel", "state": "SH"})
    await move(owner, page, TYPED)
    assert parts_of(await address_of(acme, made["id"])) == STORED
    lost = await owner.send(page, {"address1": "-", "action": "preview"})  # is emptied
    assert "Type the street or the PO box of the new address." in lost.text
    name = owner.address("subscriptions", made["id"], "edit")
    assert (await owner.send(name, {"company": "Kel&#039;s"})).status_code == 303
    assert parts_of(await address_of(acme, made["id"])) == STORED

    person = owner.address("subscribers", made["subscriber"]["id"], "edit")
    own = {"postcode": "80331", "country": "DE", **TYPED}
    assert (await owner.send(person, own)).status_code == 303
    async with acme.db.read() as db:
        subscriber = await get_subscriber(db, acme.account_id, made["subscriber"]["id"])
    assert parts_of(subscriber.shown) == STORED


def parts_of(address: Mapping[str, object]) -> dict[str, object]:
    """The fields of an address that the tests fill in."""
    return {name: address[name] for name in STORED}


async def address_of(cast: Cast, id: str) -> dict[str, object]:
    """The address of a subscription."""
    found: dict[str, object] = (await cast.get(f"/v1/subscriptions/{id}/")).json()
    return found["shipping_address"]  # type: ignore[return-value]
