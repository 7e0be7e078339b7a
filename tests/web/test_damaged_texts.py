"""Forms refuse texts that nobody typed, and say what to type."""

from starlette.datastructures import FormData

from masthead.model.subscribers.corrections import CORRECTABLE
from masthead.web.addresses.change_form import FIELDS, AddressChangeForm
from masthead.web.kit.forms import BaseForm, dump_original_values
from masthead.web.orders.order_form import OrderForm
from masthead.web.returns.moved import MovedForm
from masthead.web.subscribers.edit import SubscriberForm
from masthead.web.subscriptions.edit import SubscriptionEditForm
from tests.support.cases import for_each

EDITED = (*FIELDS, "notes")


@for_each(
    "form, originals, field",
    [
        (OrderForm, (), "company"),
        (OrderForm, (), "gifter_company"),
        (AddressChangeForm, (), "company"),
        (MovedForm, (), "city"),
        (SubscriberForm, CORRECTABLE, "company"),
        (SubscriptionEditForm, EDITED, "company"),
    ],
    ids=str,
)
def test_a_form_refuses_codes_of_html(
    form: type[BaseForm], originals: tuple[str, ...], field: str
) -> None:
    def errors(**was: str | None) -> list[str]:
        known = dump_original_values({**dict.fromkeys(originals), **was})
        given = {field: "Kel&#039;s", "last_name": "NULL", "is_gift": "y", "was": known}
        filled = form(FormData(given))
        filled.validate()
        assert "last_name" not in filled.errors
        return [str(each) for each in filled.errors.get(field, [])]

    [message] = errors()
    assert message.endswith("is Kel&#039;s, which has codes of HTML. Type Kel's.")
    if originals:
        assert errors(**{field: "Kel&#039;s"}) == []  # what was there before
