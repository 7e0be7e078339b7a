"""The example plays a year of a sandbox: the shop under test renews what it sold."""

import asyncio

from sandbox_year import own_source, play_year, subscribe

from masthead.model.types.enums import SourceType
from masthead.services.sources import create_source
from masthead.store.engine.interface import Database
from masthead_client import Masthead, types
from tests.conftest import BY, Client
from tests.support.bridge import Bridge
from tests.support.sandboxes import make_sandbox


async def test_the_example_renews_its_own_subscription_after_a_year(
    client: Client, db: Database
) -> None:
    sandbox = await make_sandbox(client, db)
    id = sandbox.account.id
    await create_source(db, id, name="Web shop", type=SourceType.SHOP, by=BY)
    loop = asyncio.get_running_loop()

    def play() -> tuple[list[str], types.Subscription]:
        transport = Bridge(sandbox, loop)
        with Masthead("http://test", sandbox.key, transport=transport) as masthead:
            source = own_source(masthead)
            made = subscribe(masthead, source, "ada@reader.test")
            assert made["start_issue"] is not None
            assert made["start_issue"]["number"] == 5
            assert made["next_charge_date"] == "2027-02-01"
            renewed = play_year(masthead, source)
            renewed += play_year(masthead, source)
            return renewed, masthead.subscriptions.get(made["id"])

    renewed, subscription = await asyncio.to_thread(play)
    assert renewed == ["2027-02-01"]
    assert subscription["issue_list"] == [*range(5, 13)]
