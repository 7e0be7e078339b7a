"""Marking a mailing says how many subscriptions are Complete now: Home counts fewer active ones."""

from tests.conftest import Cast
from tests.support.factories import make_issue, make_subscription
from tests.web.conftest import Person
from tests.web.dispatch.test_runs import follow, freeze
from tests.web.subscriptions.test_renew import make_bundle

ENDED = "2 subscriptions ended with this issue: they no longer count as active."


async def test_the_message_counts_subscriptions_whose_last_issue_was_sent(
    acme: Cast, owner: Person
) -> None:
    issue = await make_issue(acme)
    await make_subscription(acme, length=1)
    await make_subscription(acme, length=1, first_name="Ben")
    await make_subscription(acme, length=2, first_name="Kim")
    address = await freeze(owner, issue)
    page = await follow(owner, address, "mark", {"date": "2026-05-03"})
    assert f"3 copies are marked as sent. {ENDED}" in page


async def test_several_copies_for_one_address_are_one_subscription(
    acme: Cast, owner: Person
) -> None:
    issues = [await make_issue(acme, number) for number in (1, 2)]
    await make_bundle(acme, 3)  # with two issues
    for issue, said in zip(issues, ("", " 1 subscription ended with this issue"), strict=True):
        address = await freeze(owner, issue)
        page = await follow(owner, address, "mark", {"date": "2026-05-03"})
        assert f"3 copies are marked as sent.{said}" in page
        assert ("ended with this issue" in page) is bool(said)
