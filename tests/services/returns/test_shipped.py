"""Files of shipped copies: every row is marked, already sent, or said to be unmatched."""

from datetime import date, timedelta

import pytest

from masthead.model.clock import now
from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.dispatch.runs import DispatchStatus
from masthead.model.errors import Invalid, NotFound
from masthead.model.returns.columns import CarrierField
from masthead.model.returns.dates import DateOrder
from masthead.model.returns.uploads import UploadKind
from masthead.services.dispatch import runs as service
from masthead.services.returns import carrier_files, uploads
from masthead.services.returns.carrier_files import UnmatchedRow
from masthead.services.returns.shipped import ShippedSummary, import_shipped
from masthead.store.dispatch import runs
from masthead.store.engine.interface import Transaction
from masthead.store.returns import uploads as upload_store
from tests.conftest import BY, Cast
from tests.support.audit import list_entries
from tests.support.factories import copies_of, make_issue, make_subscription
from tests.support.returns import Sending, carrier_file

DAY = date(2026, 5, 1)


async def ship(
    cast: Cast, content: str | bytes, *, day: date | None = DAY
) -> tuple[ShippedSummary, dict[int, str]]:
    """Import a file; the summary, and the reasons of the unmatched rows by line."""
    unmatched: list[UnmatchedRow] = []
    summary = await import_shipped(
        cast.db,
        cast.account_id,
        carrier_file(content, needs_dates=day is None),
        day=day,
        by=BY,
        on_unmatched=unmatched.append,
    )
    return summary, {each.row.number: each.reason for each in unmatched}


async def test_shipped_copies_stay_in_their_run(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 3)
    keys = await sending.keys()
    content = f"key;date\n{keys[0]};01.05.2026\n{keys[1]};02.05.2026\n"
    summary, unmatched = await ship(acme, content, day=None)
    assert (summary, unmatched) == (ShippedSummary(read=2, marked=2), {})
    assert await sending.copies() == [
        ("Sent", "2026-05-01"),
        ("Sent", "2026-05-02"),
        ("Not sent", None),
    ]
    states = [(line.status, line.shipped_date) for line in await sending.lines()]
    assert states == [("sent", DAY), ("sent", date(2026, 5, 2)), ("held", None)]
    run = await runs.get_dispatch(acme.db, acme.account_id, sending.run.id)
    assert run.status is DispatchStatus.FROZEN
    again, unmatched = await ship(acme, content, day=None)
    assert (again, unmatched) == (ShippedSummary(read=2, already_sent=2), {})
    with pytest.raises(Invalid, match="has reported copies of it as shipped"):
        await service.discard_dispatch(acme.db, acme.account_id, run.id, by=BY)


async def test_the_rest_of_a_run_can_be_marked_and_undone(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 2)
    keys = await sending.keys()
    await ship(acme, keys[0])
    _, marked, _ = await service.mark_dispatch(
        acme.db, acme.account_id, sending.run.id, date(2026, 5, 9), by=BY
    )
    assert marked == 1
    assert await sending.copies() == [("Sent", "2026-05-01"), ("Sent", "2026-05-09")]
    _, undone = await service.undo_dispatch(acme.db, acme.account_id, sending.run.id, by=BY)
    assert undone == 1
    assert await sending.copies() == [("Sent", "2026-05-01"), ("Not sent", None)]
    await acme.post(
        f"/v1/subscriptions/{sending.subscriptions[1]['id']}/cancel/", {"mode": "cancel"}
    )
    run, marked, _completed = await service.mark_dispatch(
        acme.db, acme.account_id, sending.run.id, DAY, by=BY
    )
    assert (run.status, marked) == (DispatchStatus.MARKED, 0)


async def test_a_run_that_was_shipped_as_a_whole_is_marked(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 2, length=1)
    keys = await sending.keys()
    await ship(acme, f"key;date\n{keys[0]};2026-05-01\n{keys[1]};2026-05-04\n", day=None)
    run = await runs.get_dispatch(acme.db, acme.account_id, sending.run.id)
    assert (run.status, run.date_sent) == (DispatchStatus.MARKED, date(2026, 5, 4))
    got = (await acme.get(f"/v1/subscriptions/{sending.subscriptions[0]['id']}/")).json()
    assert got["status"] == "Complete"
    with pytest.raises(Invalid, match="No copy can be taken back"):
        await service.undo_dispatch(acme.db, acme.account_id, run.id, by=BY)
    entries = await list_entries(acme.db, acme.account_id, "dispatch", run.id)
    assert entries[-1]["after"] == {
        "shipped": 2,
        "marked": 2,
        "status": "marked",
        "date_sent": "2026-05-04",
    }


async def test_a_copy_that_is_sent_keeps_its_date(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    await service.mark_dispatch(acme.db, acme.account_id, sending.run.id, date(2026, 5, 9), by=BY)
    summary, _ = await ship(acme, key)
    assert summary == ShippedSummary(read=1, already_sent=1)
    assert await sending.copies() == [("Sent", "2026-05-09")]
    assert (await sending.lines())[0].shipped_date == DAY


async def test_unmatched_rows_are_said_line_by_line(acme: Cast, rival: Cast) -> None:
    sending = await Sending.freeze(acme, 4)
    foreign = await Sending.freeze(rival, 1)
    keys = await sending.keys()
    (foreign_line,) = await foreign.lines()
    cancelled = sending.subscriptions[1]["id"]
    await acme.post(f"/v1/subscriptions/{cancelled}/cancel/", {"mode": "cancel"})
    (cancelled_copy, *_) = await copies_of(acme, cancelled)
    rows = [
        "key;copy id",
        f"{keys[0]};",
        f"{keys[0].lower()};",
        f"{keys[1]};",
        f";{cancelled_copy['id']}",
        f"{(await foreign.keys())[0]};",
        f";{foreign_line.copy_id}",
        "#K7M2Q4D9X#;",
        ";",
        "x",
        f";{(await sending.lines())[0].copy_id}",
        f";{(await sending.lines())[0].copy_id + 999}",
        f'"{keys[2]};',
        f"{keys[3][:6]}",
    ]
    summary, unmatched = await ship(acme, "\n".join(rows))
    assert summary == ShippedSummary(read=12, marked=1, unmatched=11)
    expected = {
        3: "already in line 2",
        4: "is cancelled",
        5: "is cancelled",
        6: "No copy of this account",
        7: "not the id of a copy of this account",
        8: "wrong check digit",
        10: "has 1 character",
        11: "already in line 2",
        12: "There is no copy",
        13: "quotation mark is not closed",
        14: "The file ends in this row",
    }
    assert unmatched.keys() == expected.keys()
    for number, reason in expected.items():
        assert reason in unmatched[number], number
    assert [status for status, _ in await sending.copies()] == [
        "Sent",
        "Cancelled",
        "Not sent",
        "Not sent",
    ]
    assert await foreign.copies() == [("Not sent", None)]


async def test_labels_of_a_discarded_run_are_void(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    keys = await sending.keys()
    await service.discard_dispatch(acme.db, acme.account_id, sending.run.id, by=BY)
    summary, unmatched = await ship(acme, keys[0])
    assert summary.unmatched == 1
    assert "was discarded" in unmatched[1]
    copy_id = (await sending.lines())[0].copy_id
    summary, _ = await ship(acme, str(copy_id))
    assert summary.marked == 1
    assert await sending.copies() == [("Sent", "2026-05-01")]


async def test_a_copy_outside_any_run_is_marked_by_its_id(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme)
    (copy,) = await copies_of(acme, made["id"])
    assert (await ship(acme, str(copy["id"])))[0].marked == 1
    assert (await ship(acme, str(copy["id"])))[0].already_sent == 1
    (copy,) = await copies_of(acme, made["id"])
    assert (copy["status"], copy["date_sent"]) == ("Sent", "2026-05-01")


async def test_a_line_that_left_its_run_is_shipped_if_its_copy_is_sent(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (line,) = await sending.lines()
    await acme.post("/v1/copies/mark-sent/", {"ids": [line.copy_id], "date": "2026-04-30"})
    summary, _ = await ship(acme, (await sending.keys())[0])
    assert summary.already_sent == 1
    assert await sending.copies() == [("Sent", "2026-04-30")]


async def test_rows_without_a_plausible_date_change_nothing(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 3)
    keys = await sending.keys()
    far = now().date() + timedelta(days=90)
    content = f"key;date\n{keys[0]};\n{keys[1]};{far}\n{keys[2]};1999-01-01\n"
    summary, unmatched = await ship(acme, content, day=None)
    assert summary.unmatched == 3
    assert "has no date" in unmatched[2]
    assert "in the future" in unmatched[3]
    assert "in the past" in unmatched[4]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
async def test_any_common_encoding_is_read(acme: Cast, encoding: str) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()
    content = f"Schlüssel;Bemerkung\r\n{key};Übergrößenträger\r\n".encode(encoding)
    file = carrier_file(content)
    assert encoding.partition("-")[0] in (file.table.encoding or "")
    assert "Read as" in file.describe()
    assert (await ship(acme, content))[0].marked == 1


async def test_a_file_that_is_cut_is_imported_up_to_there(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 2)
    keys = await sending.keys()
    content = f"key;note\n{keys[0]};ok\n{keys[1][:5]}€".encode()[:-1]
    file = carrier_file(content)
    assert (file.table.is_cut, file.table.encoding) == (True, "utf-8")
    summary, unmatched = await ship(acme, content)
    assert (summary.marked, summary.unmatched) == (1, 1)
    assert list(unmatched) == [3]


async def test_files_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(Invalid, match="encoding of the file is not clear"):
        carrier_file(b"key\n\x81\xff")
    with pytest.raises(Invalid, match="is UTF-16, but line 2"):
        carrier_file(b"\xff\xfek\0e\0y\0\n\0\x00\xdc\x00\xdc")
    with pytest.raises(Invalid, match=r"Line 1: .* contains a NUL character"):
        carrier_file(b"key;" + b"x" * 40 + b"\0")
    with pytest.raises(Invalid, match="not a text file"):
        carrier_file(b"key;" + b"\1" * 40)
    with pytest.raises(Invalid, match="do not show"):
        carrier_file(f"key,date\n{printed(key_of(1, 1))},03/04/2026\n")
    for order, said in ((DateOrder.MONTH_FIRST, "month"), (DateOrder.DAY_FIRST, "day")):
        chosen = carrier_file(f"key,date\n{printed(key_of(1, 1))},03/04/2026\n", dates=order)
        assert f"dates with the {said} first" in chosen.describe()


async def test_long_lines_and_long_rows_are_said(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(carrier_files, "BATCH", 2)
    sending = await Sending.freeze(acme, 3)
    keys = await sending.keys()
    content = (
        f'key;note\n{keys[0]};{"x" * 200_000}\n{keys[1]};"two\nlines"\n'
        f'{keys[2]};"wrong"x\n' + "x;" * 250 + "\nlast\n"
    )
    summary, unmatched = await ship(acme, content)
    assert summary.marked == 1
    assert "The column `note` has a cell" in unmatched[2]
    assert "quotation marks are wrong" in unmatched[5]
    assert "has 250 cells, but there are 2 columns" in unmatched[6]
    assert "has 4 characters" in unmatched[7]
    assert [status for status, _ in await sending.copies()] == ["Not sent", "Sent", "Not sent"]


async def test_a_quote_that_takes_in_the_next_row_loses_neither(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 2)
    keys = await sending.keys()
    content = f'key;note\n{keys[0]};"open\n{keys[1]};ok;"\n'
    summary, unmatched = await ship(acme, content)
    assert (summary.read, summary.marked) == (2, 0)
    assert [reason for reason in unmatched.values() if "quotation mark" in reason]
    assert list(unmatched) == [2, 3]


async def test_a_header_is_one_of_the_first_lines() -> None:
    with pytest.raises(Invalid, match="no column with copy keys"):
        carrier_file("a;b\n" * 40 + "key;date\n")


async def test_a_line_that_left_its_run_unsent_is_reported(acme: Cast) -> None:
    sending = await Sending.freeze(acme, 1)
    (key,) = await sending.keys()

    async def work(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE dispatch_line SET status = 'left', left_reason = 'marked'"
            " WHERE account_id = :account AND dispatch_id = :run",
            {"account": acme.account_id, "run": sending.run.id},
        )

    await acme.db.write(work)
    _, unmatched = await ship(acme, f"key\n{key}\n")
    assert unmatched == {2: "The copy of issue 1 is no longer in its dispatch."}


def test_a_file_without_column_names_says_so() -> None:
    file = carrier_file("#Z2K4V7GK1#\n#Q9KSH361F#\n", {CarrierField.KEY: "1"}, needs_dates=False)
    assert "no line with column names" in file.describe()


async def test_an_empty_upload_is_refused_and_an_unknown_one_not_found(acme: Cast) -> None:
    with pytest.raises(Invalid, match="not empty"):
        await uploads.save_upload(acme.db, acme.account_id, UploadKind.SHIPPED, "x.csv", b"", by=BY)
    with pytest.raises(NotFound):
        await upload_store.get_upload(acme.db, acme.account_id, "none")
