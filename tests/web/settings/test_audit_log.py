"""The page of the audit log."""

import re
from datetime import UTC, date, datetime
from html import unescape
from zoneinfo import ZoneInfo

import pytest
from httpx import Response

from masthead.model.audit_entries import EntryType
from masthead.model.history.entries import RecordNames
from masthead.model.history.fields import changes_in_log
from masthead.model.ids import is_id
from masthead.model.queries import AuditLogQuery
from masthead.web.settings import audit_log
from masthead.web.settings.audit_log import KINDS, filter_of
from tests.conftest import Cast
from tests.support.billing import bill
from tests.support.factories import (
    make_claim,
    make_delivery_report,
    make_dispatch,
    make_issue,
    make_subscription,
)
from tests.support.privacy import erase
from tests.support.walk import walk
from tests.web.conftest import Person
from tests.web.nasty import NASTY, is_harmless
from tests.web.subscribers.test_pages import words


def rows_of(page: str | Response) -> list[str]:
    """The entries of a page, each as words on one line."""
    text = page if isinstance(page, str) else page.text
    body = re.search(r"<tbody>(.*?)</tbody>", text, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", body[1], re.DOTALL) if body else []
    return [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]


def test_every_kind_of_record_has_a_name() -> None:
    assert {event.subject_type for event in EntryType} == KINDS.keys()


async def test_actions_by_users_keys_and_commands_are_listed(owner: Person, acme: Cast) -> None:
    await owner.send(owner.address("settings", "sources", acme.shop, "edit"), {"name": "Kiosk"})
    await make_issue(acme, 1, name="Spring")
    rename, issue = None, None
    for row in rows_of(await owner.text("settings", "log")):
        rename = row if "Source renamed" in row else rename
        issue = row if "Issue created" in row else issue
    assert rename
    assert issue
    assert acme.owner in rename
    assert "name: Shop → Kiosk" in rename
    assert f"key: API key ({acme.key[:12]}…)" in issue
    assert "name: Spring" in issue
    assert "masthead tests" in rows_of(await owner.text("settings", "log"))[-1]


async def test_records_have_names_instead_of_ids(owner: Person, acme: Cast) -> None:
    issue = await make_issue(acme, 21, name="Spring")
    made = await make_subscription(acme, start_issue=21, first_name="Ada", last_name="Byron")
    run = await make_dispatch(acme, issue["id"])
    await acme.post(f"/v1/dispatches/{run['id']}/mark-sent/", {})
    await make_claim(acme, made)
    await make_delivery_report(acme, made["id"])
    rows = rows_of(await owner.text("settings", "log"))
    assert [word for row in rows for word in row.split() if is_id(word.strip(":;,"))] == []
    words = "\n".join(rows)
    for record in (
        "Issue 21 all entries",
        "Subscription Ada Byron all entries",
        "Mailing 1, issue 21 all entries",
        "Claim Ada Byron, issue 21 all entries",
        "Delivery problem Ada Byron, issue 21 all entries",
        "Source Shop all entries",
        "copy: Ada Byron, issue 21",
    ):
        assert record in words


async def test_an_erased_subscriber_is_called_so_in_the_language_of_the_page(
    owner: Person, acme: Cast
) -> None:
    await make_issue(acme)
    await make_subscription(acme, first_name="Ada", last_name="Byron")
    [subscriber] = await walk(acme, "/v1/subscribers/")
    await erase(acme, subscriber["id"])
    await owner.send(owner.address("settings", "account"), {"locale": "de_DE"})
    words = "\n".join(rows_of(await owner.text("settings", "log")))
    assert "Abonnent Gelöscht " in words
    assert "Erased" not in words


async def test_filters_select_entries(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    await owner.send(owner.address("settings", "sources", acme.shop, "edit"), {"name": "Kiosk"})

    async def found(**filters: str) -> list[str]:
        return rows_of(await owner.text("settings", "log", **filters))

    assert len(await found(record=made["id"])) == 1
    assert len(await found(kind="source", record=acme.shop)) == 2
    assert len(await found(kind="source")) == 6
    assert len(await found(action="source.rename")) == 1
    assert [row for row in await found(who=acme.key_id) if "key: API key" not in row] == []
    assert len(await found(who=acme.key_id)) == 2
    assert await found(who=acme.key_id, action="source.rename") == []
    others = await found(who="others")
    assert 0 < len(others) < len(await found())
    by_me = re.compile(rf"\d+ \w+ \d{{4}}, [\d:]+ {re.escape(owner.email)} ")
    assert [row for row in others if by_me.match(row)] == []
    assert any(by_me.match(row) for row in await found())
    assert len(await found(who="others", kind="source", record=acme.shop)) == 1  # its creation
    people = await found(who="people")
    assert 0 < len(people) < len(others)
    assert people == [row for row in others if "masthead tests" not in row]
    renamed = await found(who="others", action="source.rename")
    assert renamed == []
    assert await found(until="2020-01-01") == []
    assert await found(since="2020-01-01", until="9999-12-31") == await found()
    page = await owner.text("settings", "log", kind="source", since="2020-01-01")
    assert '<option value="source" selected>Source</option>' in page
    assert 'value="2020-01-01"' in page


def test_the_days_of_the_filter_are_those_of_the_account() -> None:
    day = AuditLogQuery(since=date(2026, 5, 4), until=date(2026, 5, 4))
    found = filter_of(day, ZoneInfo("Pacific/Kiritimati"), "", [])  # UTC+14
    assert found.since == datetime(2026, 5, 3, 10, tzinfo=UTC)
    assert found.until == datetime(2026, 5, 4, 10, tzinfo=UTC)


async def test_dates_are_shown_in_the_locale(owner: Person, acme: Cast) -> None:
    await make_issue(acme, 1, release_date_actual="2026-05-03")
    await owner.send(owner.address("settings", "keys", acme.key_id, "roll"))
    rows = rows_of(await owner.text("settings", "log"))
    [issue] = [row for row in rows if "Issue created" in row]
    assert "release date: 3 May 2026" in issue
    [rolled] = [row for row in rows if "API key rolled" in row]
    assert re.search(r"expires at: empty → \d+ \w+ \d{4}, \d\d:\d\d:\d\d ", rolled)


async def test_today_yesterday_me_and_others_are_one_click_away(owner: Person, acme: Cast) -> None:
    await owner.send(owner.address("settings", "sources", acme.shop, "edit"), {"name": "Kiosk"})
    page = await owner.text("settings", "log")
    today, yesterday, me, others = re.findall(r'<li><a href="([^"]*log/[^"]*)">', page)[:4]
    for link, count in ((today, len(rows_of(page))), (yesterday, 0)):
        shown = (await owner.http.get(link.replace("&amp;", "&"))).text
        assert len(rows_of(shown)) == count
        assert 'aria-current="true">' in shown
    assert "who=people" in others
    mine = (await owner.http.get(me.replace("&amp;", "&"))).text
    assert 0 < len(rows_of(mine)) < len(rows_of(page))
    assert {row.split(" ")[4] for row in rows_of(mine)} == {owner.email}
    assert re.search(r'aria-current="true">\s*✓ By me<', mine)


async def test_a_chip_filters_without_unfolding_the_filters(owner: Person) -> None:
    async def is_unfolded(query: str) -> bool:
        page = (await owner.http.get(f"{owner.address('settings', 'log')}?{query}")).text
        return '<details class="folded" open>' in page

    page = await owner.text("settings", "log")
    chips = re.findall(r'<li><a href="[^"]*?log/\?([^"]*)"', page)
    assert len(chips) == 4
    for chip in chips:
        assert not await is_unfolded(unescape(chip))
    assert not await is_unfolded("&".join(map(unescape, chips[1:3])))
    for query in ("record=x", "since=2026-01-01", "kind=issue", "who=others", "until=2026-01-01"):
        assert await is_unfolded(query)


async def test_chips_that_add_up_look_so_and_an_empty_result_names_them(
    owner: Person, acme: Cast
) -> None:
    page = await owner.text("settings", "log")
    [yesterday] = re.findall(r'href="([^"]*since=([\d-]+)[^"]*)">\s*Yesterday<', page)
    both = {"since": yesterday[1], "until": yesterday[1], "who": "people"}
    page = await owner.text("settings", "log", **both)
    chosen = ["Yesterday", "By others, without commands"]
    shown = re.findall(r'aria-current="true">\s*✓ ([\w, ]+)<', page)
    assert shown == chosen
    assert f"No entries match all of these: {', '.join(chosen)}." in words(page)
    without = dict(re.findall(r'href="([^"]*)">Without “<bdi>([^<]*)</bdi>”', page))
    assert list(without.values()) == chosen
    (one,) = [address for address, label in without.items() if label == "Yesterday"]
    assert "who=people" in one
    assert "since=2" not in one


async def test_the_entries_are_counted_up_to_a_limit(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = words(await owner.see("settings", "log"))
    [count] = re.findall(r"(\d+) entries, newest first", page)
    assert int(count) == len(rows_of(await owner.text("settings", "log")))
    monkeypatch.setattr(audit_log, "MAX_COUNTED", 1)
    page = words(await owner.see("settings", "log"))
    assert "More than 1 entries, newest first." in page


def test_changed_rights_are_shown_as_a_difference() -> None:
    chosen = [{"see_money", "dispatch", "import"}, {"dispatch", "download"}]
    before, after = [{"rights": sorted(rights)} for rights in chosen]
    names = RecordNames(actors={}, records={}, hides_money=False)
    found = changes_in_log("user.rights", before, after, names)
    assert [(each.label, each.before) for each in found] == [
        ("rights given", None),
        ("rights taken away", None),
    ]
    given, taken = [str(each.after) for each in found]
    assert "download lists" in given
    assert "See money" in taken
    assert "Import" in taken
    assert "Dispatch" not in given + taken


async def test_an_invalid_filter_shows_an_error_and_is_kept(owner: Person) -> None:
    answer = await owner.see("settings", "log", since="soon", record="X")
    assert answer.status_code == 400
    assert "since" in answer.text
    assert 'value="soon"' in answer.text
    assert 'value="X"' in answer.text


async def test_the_audit_log_is_paginated(owner: Person, acme: Cast) -> None:
    for number in range(1, 61):
        await make_issue(acme, number)
    seen: list[str] = []
    address = owner.address("settings", "log")
    while address:
        page = (await owner.http.get(address)).text
        seen += rows_of(page)
        following = re.search(r'href="([^"]+)" rel="next"', page)
        address = following[1].replace("&amp;", "&") if following else ""
    entries = len(seen)
    async with acme.db.read() as connection:
        row = await connection.fetch_one(
            "SELECT count(*) AS entries FROM audit WHERE account_id = :a", {"a": acme.account_id}
        )
    assert row
    assert entries == row["entries"] > 60


@pytest.mark.parametrize("cursor", ["x", "0", "AAAA"])
async def test_an_invalid_cursor_shows_an_error(owner: Person, cursor: str) -> None:
    assert (await owner.see("settings", "log", cursor=cursor)).status_code == 400


async def test_entries_of_other_accounts_are_not_shown(
    owner: Person, acme: Cast, rival: Cast
) -> None:
    assert rows_of(await owner.text("settings", "log", record=rival.shop)) == []
    page = await owner.text("settings", "log")
    assert rival.shop not in page
    assert rival.owner not in page


@pytest.mark.parametrize("name", NASTY)
async def test_entries_are_escaped(owner: Person, acme: Cast, name: str) -> None:
    await owner.send(owner.address("settings", "sources", acme.shop, "edit"), {"name": name})
    assert is_harmless(await owner.text("settings", "log"), name)
    assert is_harmless((await owner.see("settings", "log", record=name)).text, name)


async def test_a_request_of_htmx_gets_only_the_block_that_it_asks_for(owner: Person) -> None:
    answer = await owner.http.get(
        owner.address("settings", "log"), headers={"HX-Request": "true", "HX-Target": "results"}
    )
    assert "<html" not in answer.text
    assert rows_of(answer)


async def test_copies_of_one_order_are_one_entry(owner: Person, acme: Cast) -> None:
    await make_issue(acme)
    placed = await bill(acme, is_billed=False, copies=3, price="100.00", order_id="X")
    rows = rows_of(await owner.text("settings", "log", action="subscription.create"))
    assert len(rows) == 1
    assert "(3 copies)" in rows[0]
    assert rows[0].endswith("order: X")
    [subscriber] = {each.subscriber.id for each in placed.subscriptions}
    first, *others = [each.id for each in placed.subscriptions]
    for id in others:  # each record has its entry still
        [row] = rows_of(await owner.text("settings", "log", kind="subscription", record=id))
        assert "copies" not in row
    await acme.patch(f"/v1/subscriptions/{first}/", {"city": "Bonn"})
    rows = rows_of(await owner.text("settings", "log", action="subscription.update"))
    assert len(rows) == 1
    assert "copies" not in rows[0]  # only one of them changed
    history = await owner.text("subscribers", subscriber, "history")
    assert "Subscription ordered (3 copies)" in history
