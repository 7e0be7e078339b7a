"""What the page says after a mandate is added."""

import pytest

from tests.conftest import Cast
from tests.support.billing import bill_one
from tests.support.debits import IBAN, turn_on_debits
from tests.support.factories import make_subscription
from tests.web.conftest import Person


@pytest.mark.parametrize("has_open", [True, False])
async def test_an_open_invoice_is_not_collected_by_a_new_mandate(
    owner: Person, acme: Cast, has_open: bool
) -> None:
    await turn_on_debits(acme)
    if has_open:
        payer = (await bill_one(acme)).payer_id
    else:
        payer = (await make_subscription(acme))["subscriber"]["id"]
    address = owner.address("subscribers", payer, "account", "mandates", "new")
    typed = {"holder": "Ann Lee", "iban": IBAN, "signed_date": "2026-01-02", "is_signed": "y"}
    added = await owner.send(address, typed)
    assert added.status_code == 303, added.text
    page = await owner.text("subscribers", payer, "account")
    assert "The mandate is added." in page
    assert ("is not collected by itself" in page) is has_open
