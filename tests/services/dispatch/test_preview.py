"""The preview of a dispatch run, and of a run that is frozen."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Any

import pytest
import time_machine

from masthead.model.dispatch.fitting import AddressSpace
from masthead.model.dispatch.labels import OwnSheet, Paper
from masthead.model.dispatch.preview import DispatchPreview, LineProblem
from masthead.model.dispatch.profiles import Encoding, FileFormat, ProfileSettings
from masthead.model.dispatch.runs import CountryGroup, Dispatch, DispatchSelection, LeftReason
from masthead.model.errors import NotFound
from masthead.model.orders.entry import OrderEntry
from masthead.model.orders.order import OrderDefaults
from masthead.model.types.enums import Medium
from masthead.services.child_process import SMALL
from masthead.services.dispatch import address_problems, label_problems, preview, runs
from masthead.services.orders.enter import enter_order
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_subscription, plan_address

ALL = DispatchSelection()


async def look(cast: Cast, issue_id: str, selection: DispatchSelection = ALL) -> DispatchPreview:
    return await preview.preview_dispatch(cast.db, cast.account_id, issue_id, selection)


async def freeze(cast: Cast, issue_id: str, selection: DispatchSelection = ALL) -> Dispatch:
    return await runs.freeze_dispatch(cast.db, cast.account_id, issue_id, selection, by=BY)


async def test_the_preview_counts_what_freezing_would_take(acme: Cast, rival: Cast) -> None:
    issue = await make_issue(acme, name="Spring", release_date_actual="2020-01-01")
    await make_issue(rival)
    await make_subscription(rival)
    for fields in (
        {"country": "DE"},
        {"country": "DE", "medium": "Digital"},
        {"country": "AT"},
        {"country": "US", "medium": "Print + digital"},
    ):
        await make_subscription(acme, **fields)
    found = await look(acme, issue["id"])
    assert (found.lines, found.copies, found.replacements) == (4, 4, 0)
    assert (found.postal, found.digital) == (3, 1)
    assert (found.issue.number, found.issue.name, found.number) == (1, "Spring", 1)
    assert found.is_released
    assert found.home == "DE"  # with the most lines
    assert [(each.country, each.lines, each.digital) for each in found.countries] == [
        ("DE", 2, 1),
        ("AT", 1, 0),
        ("US", 1, 0),
    ]
    assert found.groups[0].group is CountryGroup.HOME
    assert sum(each.lines for each in found.groups) == 4
    assert {each.medium: each.lines for each in found.media} == {
        Medium.PRINT: 2,
        Medium.DIGITAL: 1,
        Medium.PRINT_AND_DIGITAL: 1,
    }
    assert (await freeze(acme, issue["id"])).lines == found.lines


@pytest.mark.parametrize(
    "chosen, lines",
    [
        ({"countries": ("AT", "DE")}, 3),
        ({"media": (Medium.DIGITAL,)}, 1),
        ({"sources": ("other",)}, 0),
        ({"countries": ("DE",), "media": (Medium.PRINT,)}, 1),
    ],
)
async def test_the_preview_and_the_run_take_the_same_selection(
    acme: Cast, chosen: dict[str, Any], lines: int
) -> None:
    issue = await make_issue(acme)
    for fields in (
        {"country": "DE"},
        {"country": "DE", "medium": "Digital"},
        {"country": "AT"},
        {"country": "US"},
    ):
        await make_subscription(acme, **fields)
    found = await look(acme, issue["id"], DispatchSelection(**chosen))
    assert (found.lines, found.not_taken.not_selected) == (lines, 4 - lines)
    if lines:
        run = await freeze(acme, issue["id"], DispatchSelection(**chosen))
        assert run.lines == lines


async def test_the_preview_counts_each_copy_once_and_says_why_it_is_not_taken(acme: Cast) -> None:
    issue = await make_issue(acme)
    austrian, german = [await make_subscription(acme, country=code) for code in ("AT", "DE")]
    sent, cancelled = [await make_subscription(acme) for _ in range(2)]
    (copy,) = await copies_of(acme, sent["id"])
    await acme.post("/v1/copies/mark-sent/", {"ids": [copy["id"]], "date": "2026-05-01"})
    await acme.post(f"/v1/subscriptions/{cancelled['id']}/cancel/", {"mode": "cancel"})
    run = await freeze(acme, issue["id"], DispatchSelection(countries=("AT",)))
    late = await make_subscription(acme, country="CH")
    found = await look(acme, issue["id"], DispatchSelection(countries=("DE",)))
    assert (found.number, found.lines) == (2, 1)
    assert (found.not_taken.sent, found.not_taken.cancelled) == (1, 1)
    assert (found.not_taken.on_hold, found.not_taken.not_selected) == (0, 1)
    [holding] = found.not_taken.runs
    assert (holding.id, holding.number, holding.copies) == (run.id, 1, 1)
    assert {austrian["id"], german["id"], late["id"]}
    empty = await look(acme, issue["id"], DispatchSelection(only_replacements=True))
    assert (empty.lines, empty.home, empty.countries, empty.not_taken.not_selected) == (
        0,
        None,
        [],
        2,
    )


async def test_an_issue_that_is_not_out_or_unknown(acme: Cast) -> None:
    future = await make_issue(acme, release_date_actual="2099-01-01")
    without_date = await make_issue(acme, 2)
    assert not (await look(acme, future["id"])).is_released
    assert not (await look(acme, without_date["id"])).is_released
    with pytest.raises(NotFound):
        await look(acme, "unknown")


async def test_the_preview_names_subscribers_whose_address_changed_in_seven_days(
    acme: Cast,
) -> None:
    issue = await make_issue(acme)
    moved = await make_subscription(acme, first_name="Ada", last_name="Lovelace")
    long_ago = await make_subscription(acme)
    renamed = await make_subscription(acme)
    other = await make_subscription(acme, country="FR")
    with time_machine.travel(date(2026, 1, 1), tick=False):
        await acme.patch(f"/v1/subscriptions/{long_ago['id']}/", {"city": "Berlin"})
    await acme.patch(f"/v1/subscriptions/{moved['id']}/", {"city": "Berlin"})
    await acme.patch(f"/v1/subscriptions/{moved['id']}/", {"city": "Bonn"})
    await acme.patch(f"/v1/subscriptions/{renamed['id']}/", {"first_name": '"city":'})
    await acme.patch(f"/v1/subscriptions/{other['id']}/", {"city": "Paris"})
    found = await look(acme, issue["id"], DispatchSelection(countries=("DE",)))
    [changed] = found.changed.first
    assert found.changed.count == 1
    assert (changed.subscription_id, changed.name) == (moved["id"], "Ada Lovelace")
    assert changed.changed_at is not None
    assert (await look(acme, issue["id"])).changed.count == 2


async def test_the_preview_names_subscribers_with_another_address_for_its_issue(
    acme: Cast,
) -> None:
    issues = [await make_issue(acme, number) for number in (1, 2, 3)]
    planned = (await make_subscription(acme, length=3))["id"]
    await plan_address(acme, planned, 2, last_issue=2)
    found = [(await look(acme, issue["id"])).changed.first for issue in issues]
    assert [[each.subscription_id for each in named] for named in found] == [[], [planned], []]


async def test_the_preview_of_a_frozen_run_says_what_changed_since(acme: Cast) -> None:
    issue = await make_issue(acme)
    moved, cancelled, _ = [await make_subscription(acme, city="Bonn") for _ in range(3)]
    run = await freeze(acme, issue["id"])
    await make_subscription(acme)
    await acme.patch(f"/v1/subscriptions/{moved['id']}/", {"city": "Berlin"})
    await acme.post(f"/v1/subscriptions/{cancelled['id']}/cancel/", {"mode": "cancel"})
    found = await preview.preview_run(acme.db, acme.account_id, run.id)
    assert (found.dispatch.id, found.held, found.sent, found.late) == (run.id, 2, 0, 1)
    assert [(each.reason, each.lines) for each in found.left] == [(LeftReason.CANCELLED, 1)]
    assert [each.subscription_id for each in found.changed.first] == [moved["id"]]
    assert (found.postal, found.digital, found.on_hold) == (2, 0, 0)
    with pytest.raises(NotFound):
        await preview.preview_run(acme.db, acme.account_id, "unknown")


GOOD = {"address1": "Hauptstr. 5", "city": "Bonn", "postcode": "53111", "last_name": "Lovelace"}


def settings(block: AddressSpace | None, encoding: Encoding) -> ProfileSettings:
    return ProfileSettings(formats=(FileFormat.CSV,), block=block, encoding=encoding)


def kinds(problems: Sequence[LineProblem]) -> dict[str, int]:
    return {each.kind: each.count for each in problems}


async def test_the_preview_names_problems_of_addresses(acme: Cast) -> None:
    issue = await make_issue(acme)
    polish = await make_subscription(acme, **{**GOOD, "first_name": "Łucja"})
    homeless = await make_subscription(acme, **{**GOOD, "address1": None})
    await make_subscription(acme, **{**GOOD, "address1": None, "medium": "Digital"})
    twin = await make_subscription(acme, **{**GOOD, "first_name": "Łucja"})
    unprintable = await make_subscription(acme, **{**GOOD, "first_name": "ཀ", "city": "Köln"})
    found = await look(acme, issue["id"])
    assert kinds(found.problems) == {"missing_street": 1, "duplicate": 1, "missing_glyph": 1}
    [missing, duplicate, glyph] = found.problems
    assert missing.label == "No street or PO box"
    assert [each.subscription_id for each in missing.first] == [homeless["id"]]
    assert "no street" in missing.first[0].message
    [first] = await copies_of(acme, polish["id"])
    assert duplicate.first[0].subscription_id == twin["id"]
    assert duplicate.first[0].other_copy_id == first["id"]
    assert glyph.first[0].subscription_id == unprintable["id"]
    message = glyph.first[0].message
    assert message.startswith(
        "ཀ Lovelace, Köln: the first name is `ཀ`; the font of PDF labels has no"
    )
    narrow = settings(AddressSpace(lines=2, width=10), Encoding.WINDOWS_1252)
    strict = await preview.preview_dispatch(
        acme.db, acme.account_id, issue["id"], ALL, settings=narrow
    )
    assert kinds(strict.problems) == {
        "missing_street": 1,
        "too_long": 4,
        "missing_character": 3,
        "duplicate": 1,
        "missing_glyph": 1,
    }


async def test_the_preview_names_addresses_that_do_not_fit_on_the_label(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue = await make_issue(acme)
    sheet = OwnSheet(paper=Paper.A4, columns=3, rows=10, width=40, height=22, left=10, top=10)
    settings = ProfileSettings(formats=(FileFormat.ZIP,), contents=FileFormat.PDF, own_sheet=sheet)
    place = {"address1": "Weg 1", "city": "Ulm", "postcode": "89073"}
    await make_subscription(acme, last_name="Ng", **place)
    too_long = {**place, "last_name": "Long", "address2": "Hof " * 60}
    long = await make_subscription(acme, **too_long)
    await make_subscription(acme, **too_long, medium="Digital")
    look_in = partial(
        preview.preview_dispatch, acme.db, acme.account_id, issue["id"], ALL, settings=settings
    )
    (problem,) = (await look_in()).problems
    assert (problem.kind, problem.count) == ("label_too_small", 1)
    assert problem.first[0].subscription_id == long["id"]
    assert problem.first[0].message.endswith(
        " Long, Ulm: the address does not fit, even at 6 points."
    )
    with monkeypatch.context() as patched:
        patched.setattr(label_problems, "LABEL", SMALL + 1)  # many are measured in a process
        assert (await look_in()).problems == [problem]
    monkeypatch.setattr(address_problems, "KEEP", 1)
    await make_subscription(acme, **too_long | {"address1": "Weg 2"})
    (problem,) = (await look_in()).problems
    assert (problem.count, len(problem.first)) == (2, 1)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
async def test_addresses_are_read_in_parts(
    acme: Cast, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(address_problems, "READ", size)
    issue = await make_issue(acme)
    media = ("Digital", "Digital", "Print", "Print", "Digital", "Print")
    made = [await make_subscription(acme, **GOOD, medium=medium) for medium in media]
    found = await look(acme, issue["id"])
    [twins] = found.problems
    assert (twins.kind, twins.count) == ("duplicate", 2)
    assert [each.subscription_id for each in twins.first] == [made[3]["id"], made[5]["id"]]


async def test_only_the_first_lines_with_a_problem_are_named(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(address_problems, "KEEP", 1)
    issue = await make_issue(acme)
    for name in ("ཀ", "ཁ"):
        await make_subscription(acme, **{**GOOD, "first_name": name, "address1": f"{name} 1"})
    found = await look(acme, issue["id"])
    (glyph,) = [each for each in found.problems if each.kind == "missing_glyph"]
    assert (glyph.count, len(glyph.first)) == (2, 1)


async def test_several_copies_of_one_order_are_no_duplicates(acme: Cast) -> None:
    issue = await make_issue(acme)
    where: dict[str, Any] = {"address1": "Weg 1", "city": "Ulm", "country": "DE"}
    where["postcode"] = "89073"
    entry = OrderEntry(
        source=acme.shop,
        start_issue=1,
        length=1,
        company="Library",
        price="100",
        order_id="X",
        order_date=date(2026, 1, 15),
        copies=3,
        **where,
    )
    defaults = OrderDefaults("EUR", placeholder_domain="masthead.invalid")
    await enter_order(acme.db, acme.account_id, entry, defaults=defaults, by=BY)
    assert kinds((await look(acme, issue["id"])).problems) == {}
    await make_subscription(acme, first_name=None, company="Library", **where)
    assert kinds((await look(acme, issue["id"])).problems) == {"duplicate": 1}
