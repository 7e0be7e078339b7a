"""One rule says what a renewal costs, whoever renews."""

from typing import Any

import pytest

from masthead.model.dispatch.runs import CountryGroup
from masthead.model.renewals.prices import PricedRenewal, RenewedCopies, price_renewal
from masthead.model.types.enums import Medium

PRICES = {(Medium.PRINT, CountryGroup.HOME): 48_00}


def renewed(**fields: Any) -> RenewedCopies:
    common = {"medium": Medium.PRINT, "country": "DE", "copies": 3, "last": 120_00}
    return RenewedCopies(**{**common, **fields})


@pytest.mark.parametrize(
    "fields, priced",
    [
        ({}, PricedRenewal(144_00, True)),
        ({"country": "CH"}, PricedRenewal(120_00, False)),
        ({"medium": Medium.DIGITAL}, PricedRenewal(120_00, False)),
        ({"is_comp": True}, PricedRenewal(0, True)),
    ],
)
def test_the_price_of_the_product_comes_before_that_of_the_last_orders(
    fields: dict[str, Any], priced: PricedRenewal
) -> None:
    assert price_renewal(PRICES, renewed(**fields), home="DE") == priced
