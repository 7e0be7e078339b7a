"""What rows of an import are read with."""

from datetime import date
from functools import partial

import pytest

from masthead.model.orders.order import OrderDefaults
from masthead.model.pagination import all_pages
from masthead.model.types.enums import SourceType
from masthead.services import sources
from masthead.services.accounts import update_account
from masthead.services.imports import facts
from masthead.services.imports.facts import load_facts
from tests.conftest import BY, Cast
from tests.support.factories import make_issue


async def test_the_facts_of_an_account_are_loaded(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts, "all_pages", partial(all_pages, limit=2))
    for number in range(1, 6):
        await make_issue(acme, number=number, date_as_start_issue=f"2026-0{number}-01")
    for name in ("Shop", "Fair", "Kiosk"):
        await sources.create_source(
            acme.db, acme.account_id, name=name, type=SourceType.SHOP, by=BY
        )
    await update_account(
        acme.db, acme.account_id, country="DE", time_zone="Pacific/Kiritimati", by=BY
    )
    async with acme.db.read() as db:
        found = await load_facts(db, acme.account_id, OrderDefaults("EUR", "none.test"))
    assert [issue.number for issue in found.issues] == [5, 4, 3, 2, 1]
    assert found.issues[0].date_as_start_issue == date(2026, 5, 1)
    assert {"Shop", "Fair", "Kiosk"} <= found.sources.keys()
    assert found.sources["Shop"] == found.sources[found.sources["Shop"]]
    assert (found.country, found.time_zone) == ("DE", "Pacific/Kiritimati")
    assert set(found.products.values()) <= found.products.keys()
