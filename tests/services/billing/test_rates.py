"""The rates of VAT that an account has."""

import pytest
from msgspec import structs

from masthead.model.errors import Invalid
from masthead.services.billing.settings import delete_rate, save_rate
from tests.conftest import BY, Cast
from tests.services.test_audit import count, trail
from tests.support.billing import RATES, turn_on_billing


async def test_a_corrected_rate_is_noted_with_the_one_before(acme: Cast) -> None:
    await turn_on_billing(acme)
    _home, printed = RATES
    await save_rate(acme.db, acme.account_id, structs.replace(printed, rate=500), by=BY)
    entries = await trail(acme, "account", acme.account_id)
    changes = [
        (each["before"], each["after"]["rate"])
        for each in entries
        if each["action"] == "account.update_vat"
    ]
    assert changes == [({"rate": None}, 1900), ({"rate": None}, 700), ({"rate": 700}, 500)]


async def test_a_rate_is_deleted_once(acme: Cast) -> None:
    await turn_on_billing(acme)
    before = await count(acme)
    for _ in range(2):
        await delete_rate(acme.db, acme.account_id, RATES[0], by=BY)
    assert await count(acme) == before + 1


async def test_a_rate_is_for_a_product_that_exists(acme: Cast) -> None:
    await turn_on_billing(acme)
    gone = structs.replace(RATES[0], product_id="GONE")
    with pytest.raises(Invalid, match="does not exist any more") as refusal:
        await save_rate(acme.db, acme.account_id, gone, by=BY)
    assert refusal.value.field == "product_id"
