"""How rates are written."""

from masthead.model.billing.resources import percent_text


def test_a_rate_has_two_decimals() -> None:
    rates = {0: "0.00", 255: "2.55", 700: "7.00", 1900: "19.00"}
    assert {rate: percent_text(rate) for rate in rates} == rates
