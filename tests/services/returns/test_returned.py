"""Files of undeliverable and moved copies, holds, and what is decided about them."""

from datetime import date

import pytest

from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.errors import Invalid, NotFound
from masthead.model.pagination import PageRequest
from masthead.model.returns.delivery_reports import DeliveryReport, ReportKind, ReportStatus
from masthead.services.check.accounts import check_account
from masthead.services.dispatch import runs as service
from masthead.services.returns.carrier_files import UnmatchedRow
from masthead.services.returns.decisions import accept_report, dismiss_report
from masthead.services.returns.returned import ReturnedSummary, import_returned
from masthead.store.engine.interface import Transaction
from masthead.store.returns import delivery_reports as store
from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.support.returns import ADDRESS, Sending, carrier_file

HEADER = "key;reason;date;new street;new number;new postcode;new town;new country\n"
FIRST = PageRequest(50, None, b"")


async def import_file(cast: Cast, content: str) -> tuple[ReturnedSummary, dict[int, str]]:
    """Import a file; the summary, and the reasons of the unmatched rows by line."""
    unmatched: list[UnmatchedRow] = []
    summary = await import_returned(
        cast.db, cast.account_id, carrier_file(content), by=BY, on_unmatched=unmatched.append
    )
    return summary, {each.row.number: each.reason for each in unmatched}


async def list_open(cast: Cast, kind: ReportKind) -> list[DeliveryReport]:
    page = await store.list_open(cast.db, cast.account_id, kind, FIRST)
    return list(page.items)


async def move(cast: Cast, key: str, street: str = "Neuer Weg") -> DeliveryReport:
    """Report that the subscriber of a copy moved; the open report."""
    summary, unmatched = await import_file(
        cast, HEADER + f"{key};Umzug;01.05.2026;{street};7a;1010;Wien;Österreich\n"
    )
    assert summary.moved == 1, unmatched
    return (await list_open(cast, ReportKind.MOVED))[0]


async def address_of(cast: Cast, id: str) -> dict[str, str | None]:
    address: dict[str, str | None] = (await cast.get(f"/v1/subscriptions/{id}/")).json()[
        "shipping_address"
    ]
    return address


async def freeze_again(cast: Cast, issue_id: str) -> int:
    """Freeze another run of an issue; how many lines it has."""
    run = await service.freeze_dispatch(
        cast.db, cast.account_id, issue_id, DispatchSelection(), by=BY
    )
    await service.discard_dispatch(cast.db, cast.account_id, run.id, by=BY)
    return run.lines


async def test_copies_to_an_undeliverable_address_wait(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 2)
    keys = await sending.keys()
    content = HEADER + f"{keys[0]};unbekannt;01.05.2026;;;;;\n"
    summary, unmatched = await import_file(acme, content)
    assert (summary, unmatched) == (ReturnedSummary(read=1, undeliverable=1), {})
    again, _ = await import_file(acme, content)
    assert again == ReturnedSummary(read=1, unchanged=1)
    assert await store.count_open_addresses(acme.db, acme.account_id) == {
        ReportKind.UNDELIVERABLE: 1,
        ReportKind.MOVED: 0,
    }
    await service.discard_dispatch(acme.db, acme.account_id, sending.run.id, by=BY)
    assert await freeze_again(acme, sending.issue["id"]) == 1
    (report,) = await list_open(acme, ReportKind.UNDELIVERABLE)
    assert (report.reason, report.report_date, report.full_name) == (
        "unbekannt",
        date(2026, 5, 1),
        "Ada Reader 000",
    )
    await dismiss_report(acme.db, acme.account_id, report.id, by=BY)
    assert await freeze_again(acme, sending.issue["id"]) == 2


async def test_the_hold_is_on_all_subscriptions_at_that_address(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1, email="ann@example.test")
    same = await make_subscription(acme, **{**ADDRESS, "email": "ann@example.test"})
    other = await make_subscription(acme, city="Bonn", email="ann@example.test")
    (key,) = await sending.keys()
    await import_file(acme, HEADER + f"{key};refused;;;;;;\n")
    held = {each.subscription_id for each in await list_open(acme, ReportKind.UNDELIVERABLE)}
    assert held == {sending.subscriptions[0]["id"], same["id"]}
    assert [fault async for fault in check_account(acme.db, acme.subdomain)] == []
    assert await freeze_again(acme, sending.issue["id"]) == 1  # the one in Bonn
    assert other["id"] not in held
    await acme.patch(f"/v1/subscriptions/{same['id']}/", {"address1": "Weg 2"})
    assert await freeze_again(acme, sending.issue["id"]) == 2
    (left,) = await list_open(acme, ReportKind.UNDELIVERABLE)
    await dismiss_report(acme.db, acme.account_id, left.id, by=BY)
    assert await list_open(acme, ReportKind.UNDELIVERABLE) == []


async def test_send_anyway_ends_the_hold_for_all_of_them(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1, email="ann@example.test")
    await make_subscription(acme, **{**ADDRESS, "email": "ann@example.test"})
    (key,) = await sending.keys()
    await import_file(acme, HEADER + f"{key};refused;;;;;;\n")
    reports = await list_open(acme, ReportKind.UNDELIVERABLE)
    assert len(reports) == 2
    await dismiss_report(acme.db, acme.account_id, reports[0].id, by=BY)
    assert await list_open(acme, ReportKind.UNDELIVERABLE) == []


async def test_names_and_notes_do_not_end_a_hold(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    await import_file(acme, HEADER + f"{key};refused;;;;;;\n")
    path = f"/v1/subscriptions/{sending.subscriptions[0]['id']}/"
    await acme.patch(path, {"first_name": "Eve", "notes": "called"})
    assert len(await list_open(acme, ReportKind.UNDELIVERABLE)) == 1
    await acme.patch(path, {"company": "Acme"})
    assert await list_open(acme, ReportKind.UNDELIVERABLE) == []


async def test_an_accepted_address_is_used_for_all_subscriptions_with_the_old_one(
    acme: Cast,
) -> None:
    sending = await Sending.freeze(acme, 1, email="ann@example.test")
    same = await make_subscription(acme, **{**ADDRESS, "email": "ann@example.test"})
    other = await make_subscription(acme, city="Bonn", email="ann@example.test")
    (key,) = await sending.keys()
    await import_file(acme, HEADER + f"{key};refused;;;;;;\n")
    report = await move(acme, key)
    assert report.new_address is not None
    assert report.new_address.lines == ["Neuer Weg 7a", "1010 Wien", "AT"]
    accepted = await accept_report(acme.db, acme.account_id, report.id, by=BY)
    assert accepted.status is ReportStatus.ACCEPTED
    for id in (sending.subscriptions[0]["id"], same["id"]):
        assert (await address_of(acme, id))["country"] == "AT"
        assert (await address_of(acme, id))["address1"] == "Neuer Weg 7a"
    assert (await address_of(acme, other["id"]))["city"] == "Bonn"
    assert await list_open(acme, ReportKind.UNDELIVERABLE) == []  # their holds ended, too
    found = (await acme.get("/v1/subscriptions/", search="Neuer Weg")).json()["items"]
    assert {each["id"] for each in found} == {sending.subscriptions[0]["id"], same["id"]}
    (copy,) = (await copies_of(acme, same["id"]))[:1]
    assert copy["country"] == "AT"
    entries = await list_entries(acme.db, acme.account_id, "delivery_report", report.id)
    assert [each["action"] for each in entries] == [
        "delivery_report.create",
        "delivery_report.accept",
    ]
    for decide in (accept_report, dismiss_report):
        with pytest.raises(Invalid, match="is accepted; only an open one"):
            await decide(acme.db, acme.account_id, report.id, by=BY)
        with pytest.raises(NotFound):
            await decide(acme.db, acme.account_id, "NOSUCH", by=BY)


async def test_the_texts_of_a_new_address_are_repaired_or_refused(acme: Cast) -> None:
    keys = await (await Sending.freeze(acme, 2)).keys()
    rows = [
        f'{keys[0]};Umzug;01.05.2026;"M&uuml;hlweg";7a;1010;KÃ¶ln;AT\n',
        f"{keys[1]};Umzug;01.05.2026;Weg;1;1010;#REF!;AT\n",
    ]
    summary, unmatched = await import_file(acme, HEADER + "".join(rows))
    assert (summary.moved, summary.unmatched) == (1, 1)
    assert unmatched[3].startswith("`city` is `#REF!`, which is an error of a spreadsheet.")
    [report] = await list_open(acme, ReportKind.MOVED)
    assert report.new_address is not None
    assert (report.new_address.address1, report.new_address.city) == ("Mühlweg 7a", "Köln")


async def test_an_address_that_the_subscriber_changed_is_kept(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 3)
    keys, ids = await sending.keys(), [each["id"] for each in sending.subscriptions]
    early = await move(acme, keys[0])
    await acme.patch(f"/v1/subscriptions/{ids[0]}/", {"address1": "Eigener Weg 1"})
    assert await list_open(acme, ReportKind.MOVED) == []
    got = await store.get_report(acme.db, acme.account_id, early.id)
    assert got.status is ReportStatus.OUTDATED
    await acme.patch(f"/v1/subscriptions/{ids[1]}/", {"address1": "Eigener Weg 2"})
    rows = f"{keys[1]};Umzug;;Neuer Weg;7;1010;Wien;AT\n"
    summary, _ = await import_file(acme, HEADER + rows)
    assert summary == ReturnedSummary(read=1, outdated=1)
    new = {"address1": "Neuer Weg 7", "city": "Wien", "postcode": "1010", "country": "AT"}
    await acme.patch(f"/v1/subscriptions/{ids[2]}/", new)
    await import_file(acme, HEADER + f"{keys[2]};Umzug;;Neuer Weg;7;1010;Wien;AT\n")
    (report,) = (await store.list_of_subscriptions(acme.db, acme.account_id, [ids[2]]),)
    assert report == []  # it is accepted already


async def test_the_subscriber_who_types_the_new_address_has_accepted_it(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    report = await move(acme, (await sending.keys())[0])
    path = f"/v1/subscriptions/{sending.subscriptions[0]['id']}/"
    await acme.patch(path, {"company": "Acme"})
    assert len(await list_open(acme, ReportKind.MOVED)) == 1
    new = {"address1": "Neuer Weg 7a", "city": "WIEN", "postcode": "1010", "country": "AT"}
    await acme.patch(path, new)
    got = await store.get_report(acme.db, acme.account_id, report.id)
    assert got.status is ReportStatus.ACCEPTED


async def test_an_undeliverable_report_has_nothing_to_accept(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    await import_file(acme, HEADER + f"{(await sending.keys())[0]};refused;;;;;;\n")
    (report,) = await list_open(acme, ReportKind.UNDELIVERABLE)
    with pytest.raises(Invalid, match="gave no new address"):
        await accept_report(acme.db, acme.account_id, report.id, by=BY)


async def test_a_move_can_be_dismissed_alone(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    await import_file(acme, HEADER + f"{key};refused;;;;;;\n")
    report = await move(acme, key)
    await dismiss_report(acme.db, acme.account_id, report.id, by=BY)
    assert len(await list_open(acme, ReportKind.UNDELIVERABLE)) == 1


async def test_a_file_that_repeats_the_old_address_reports_no_move(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 3)
    keys = await sending.keys()
    content = (
        "key;reason;street;postcode;town\n"
        f"{keys[0]};unbekannt;Weg 99;10115;Berlin\n"
        f"{keys[1]};;WEG 1;10115;BERLIN\n"
        f"{keys[2]};verzogen;Weg 77;10115;Berlin\n"
    )
    summary, unmatched = await import_file(acme, content)
    assert (summary, unmatched) == (ReturnedSummary(read=3, undeliverable=2, moved=1), {})
    (report,) = await list_open(acme, ReportKind.MOVED)
    assert report.new_address is not None
    assert report.new_address.country == "DE"


async def test_a_copy_without_a_run_is_reported_by_its_id(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **ADDRESS)
    (copy,) = await copies_of(acme, made["id"])
    content = f"copy id;reason\n{copy['id']};refused\n"
    assert (await import_file(acme, content))[0].undeliverable == 1
    assert (await import_file(acme, content))[0].unchanged == 1
    (report,) = await list_open(acme, ReportKind.UNDELIVERABLE)
    assert (report.line_id, report.old_address.address1) == (None, "Weg 1")


async def test_unmatched_rows_are_said_line_by_line(acme: Cast, rival: Cast) -> None:
    sending = await Sending.freeze(acme, 3)
    foreign = await Sending.freeze(rival, 1)
    keys, (line, *_) = await sending.keys(), await sending.lines()
    content = HEADER + (
        f"{keys[0]};unbekannt;;;;;;\n"
        f"{keys[0]};unbekannt;;;;;;\n"
        f"{(await foreign.keys())[0]};unbekannt;;;;;;\n"
        "#K7M2Q4D9X#;unbekannt;;;;;;\n"
        f"{keys[1]};zugestellt;;;;;;\n"
        f"{keys[1]};verzogen;;Weg 2;;1010;Wien;Phantasien\n"
        f"{keys[1]};verzogen;;{'x' * 300};;1010;Wien;AT\n"
        f"{keys[1]};verzogen;31.02.2026;;;;;\n"
        f'{keys[1]};"verzogen;;;;;;\n'
        f"{line.copy_id + 999};unbekannt;;;;;;\n"
    )
    summary, unmatched = await import_file(acme, content)
    assert summary == ReturnedSummary(read=10, undeliverable=1, unmatched=9)
    expected = {
        3: "already in line 2",
        4: "No copy of this account",
        5: "wrong check digit",
        6: "is not a problem",
        7: "`country` is `Phantasien`; expected the name of a country",
        8: "has 300 characters",
        9: "`date` is `31.02.2026`, but there is no such day",
        10: "quotation mark",
        11: "There is no copy",
    }
    assert unmatched.keys() == expected.keys()
    for number, reason in expected.items():
        assert reason in unmatched[number]
    assert await list_open(rival, ReportKind.UNDELIVERABLE) == []


async def test_a_new_address_for_another_old_one_is_outdated(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    report = await move(acme, (await sending.keys())[0])

    async def work(tx: Transaction) -> None:  # a service ends the report with such a change
        await tx.execute(
            "UPDATE subscription SET city = 'Bonn' WHERE account_id = :account AND id = :id",
            {"account": acme.account_id, "id": report.subscription_id},
        )

    await acme.db.write(work)
    accepted = await accept_report(acme.db, acme.account_id, report.id, by=BY)
    assert accepted.status is ReportStatus.OUTDATED
    assert (await address_of(acme, report.subscription_id))["city"] == "Bonn"
