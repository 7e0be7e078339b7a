"""The copies of an issue, counted."""

from masthead.store.dispatch.candidates import count_copies
from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription


async def test_equal_counts_have_one_order_on_both_databases(acme: Cast) -> None:
    issue = await make_issue(acme)
    countries = ["AT", "BE", "CH", "DE", "FR", "GB", "IT", "NL", "PL", "SE"]
    for country in reversed(countries):
        await make_subscription(acme, length=1, country=country)
    async with acme.db.read() as db:
        if db.dialect == "postgres":  # which counts many rows in a hash table, in any order
            await db.fetch_all("SET LOCAL enable_sort = off", {})
        found = await count_copies(db, acme.account_id, issue["number"])
    assert [row.country for row in found] == countries
