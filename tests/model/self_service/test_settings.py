"""What an owner can set for the page of the subscribers."""

import pytest

from masthead.model.errors import Invalid
from masthead.model.self_service.settings import (
    Action,
    SelfService,
    checked,
    checked_colour,
    contrast_with_white,
    read_actions,
    renewal_link,
    store_actions,
)

SHOP = "https://shop.example/renew?ref={reference}"


def test_at_first_everything_is_off() -> None:
    settings = SelfService()
    assert not any(settings.allows(action) for action in Action)
    assert not SelfService(actions=frozenset(Action)).allows(Action.ADDRESS)
    assert SelfService(is_open=True, actions=frozenset(Action)).allows(Action.ADDRESS)


def test_actions_are_stored_and_those_of_a_later_version_ignored() -> None:
    assert store_actions([Action.NAME, Action.ADDRESS]) == "address name"
    assert read_actions("address later name") == {Action.NAME, Action.ADDRESS}


def test_white_text_can_be_read_on_the_colour() -> None:
    assert round(contrast_with_white("#000000")) == 21
    assert checked_colour(" #1D4ED8 ") == "#1d4ed8"
    assert checked_colour("") == "#1d4ed8"


@pytest.mark.parametrize("text", ["blue", "#12345", "#ffff00", "#777777", "#1d4ed8;}"])
def test_another_colour_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        checked_colour(text)
    assert refused.value.field == "colour"


def test_the_reference_is_part_of_the_address_of_the_shop() -> None:
    settings = checked(SelfService(renewal_url=SHOP))
    assert renewal_link(settings, "ABC") == "https://shop.example/renew?ref=ABC"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "shop.example",
        "javascript:alert(1)",
        "https://",
        "https://a b",
        "https://[::1",
        "https://a/{other}",
    ],
)
def test_renewing_needs_the_address_of_a_shop(text: str) -> None:
    settings = SelfService(renewal_url=text, actions=frozenset({Action.RENEW}))
    with pytest.raises(Invalid) as refused:
        checked(settings)
    assert refused.value.field == "renewal_url"
