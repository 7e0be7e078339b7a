"""The source for orders by hand, which masthead names, has a name in each language."""

import pytest

from masthead.model.translations import in_language
from masthead.model.types.enums import SourceType
from masthead.model.types.source_names import shown_source
from masthead.services import sources
from tests.conftest import BY, Cast
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.test_language import use_locale


@pytest.mark.parametrize("stored", ["By hand", "Manuell"])
async def test_the_source_by_hand_is_shown_in_the_language_of_the_page(
    owner: Person, acme: Cast, stored: str
) -> None:
    made = await sources.create_source(
        acme.db, acme.account_id, name=stored, type=SourceType.IMPORT, by=BY
    )
    await make_issue(acme)
    sub = await make_subscription(acme, source=made.id)
    pages = (
        ("subscriptions", sub["id"]),
        ("subscriptions",),
        ("subscriptions", "new"),
        ("subscriptions", sub["id"], "renew"),
        ("subscribers", sub["subscriber"]["id"]),
        ("settings", "sources"),
        ("settings", "sources", made.id, "edit"),
        ("money",),
        ("imports", "new"),
    )
    for locale, shown, other in (("de_DE", "Manuell", "By hand"), ("en_GB", "By hand", "Manuell")):
        await use_locale(acme, locale)
        for page in pages:
            text = await owner.text(*page)
            assert other not in text, page
            assert shown in text or page[0] == "money", page


def test_a_source_that_was_renamed_keeps_its_name() -> None:
    with in_language("de_DE"):
        assert shown_source("By hand, old") == "By hand, old"
        assert shown_source("By hand") == "Manuell"
