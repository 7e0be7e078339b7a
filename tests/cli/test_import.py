"""`masthead import`: its output, and the report of rejected rows."""

import contextlib
import csv
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine
from tests.support.replica import settings_of
from tests.support.waiting import PATIENCE

HEADER = "order_id,first_name,country,order_date,price,start_issue,length,postcode,notes"
NOTHING = {"read": 0, "imported": 0, "skipped": 0, "rejected": 0}


def row(order_id: str, **cells: str) -> str:
    """A valid row, with some cells changed."""
    values = {
        "first_name": "Ada",
        "country": "DE",
        "order_date": "2026-01-15",
        "price": "42",
        "start_issue": "1",
        "length": "4",
        "postcode": "00501",
        "notes": "",
        **cells,
    }
    return ",".join([order_id, *values.values()])


def rejects(path: Path) -> list[dict[str, str]]:
    """The rows of the report of rejected rows."""
    with Path(f"{path}.rejects.csv").open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


class Shop:
    """An account with issue 1, and a file to import into it."""

    def __init__(self, masthead: CommandLine, folder: Path) -> None:
        self.masthead, self.path = masthead, folder / "list.csv"
        self.account = masthead.account()
        self.source = masthead.source(self.account)
        masthead(f"issue create --account {self.account} --number 1")

    def write(self, *rows: str, header: str = HEADER) -> None:
        """Write the file."""
        self.path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")

    def run(self, *options: str, code: int = 0, path: Path | None = None) -> dict[str, Any]:
        """Import the file; the summary."""
        summary = self.full(*options, code=code, path=path)
        return {name: summary[name] for name in NOTHING}

    def full(self, *options: str, code: int = 0, path: Path | None = None) -> dict[str, Any]:
        """Import the file; all that is said."""
        words = f"import --account {self.account} --source {self.source} --json"
        found: dict[str, Any] = self.masthead(
            words, *options, str(path or self.path), code=code
        ).json
        return found


@pytest.fixture
def shop(masthead: CommandLine, tmp_path: Path) -> Shop:
    """An account to import into."""
    return Shop(masthead, tmp_path)


def test_an_encoding_that_is_not_clear_is_given_by_an_option(shop: Shop) -> None:
    shop.path.write_bytes(f"{HEADER}\n{row('A1', first_name='Győr')}\n".encode("cp1250"))
    words = f"import --account {shop.account} --source {shop.source} --dry-run {shop.path}"
    assert "Windows-1250, Central Europe: `Győr`" in (said := shop.masthead(words, code=1).said)
    assert "--encoding" in said
    notes = shop.full("--encoding", "windows-1250", "--dry-run")["notes"]
    assert any("`Győr`" in note for note in notes)
    assert shop.run("--encoding", "windows-1250")["imported"] == 1


def test_the_summary_is_one_field_per_line(shop: Shop) -> None:
    shop.write(row("A1"), row("A2"))
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    ended = shop.masthead(words)
    assert ended.out == (
        "read      2\nimported  2\nskipped   0\nrejected  0\nleft_out  0\nbatch     1\n"
    )
    assert ended.err.startswith("Read as UTF-8")


def test_an_inactive_product_stops_the_import(shop: Shop) -> None:
    shop.write(row("A1"))
    words = f"import --account {shop.account} --source {shop.source} --product NOSUCH {shop.path}"
    assert "`NOSUCH` is not an active product" in shop.masthead(words, code=1).said


def test_existing_rows_are_skipped_when_a_file_is_imported_again(shop: Shop) -> None:
    shop.write(row("A1"), row("A2"))
    assert shop.run() == {**NOTHING, "read": 2, "imported": 2}
    shop.write(row("A1"), row("A2"), row("A3"))
    assert shop.run() == {"read": 3, "imported": 1, "skipped": 2, "rejected": 0}


def test_rejected_rows_are_reported_with_line_column_value_and_reason(shop: Shop) -> None:
    shop.write(
        row("A1"),
        row("A2", country="XX"),
        row("A3", notes='"two\nlines"'),
        row("A4", length="0"),
        row("A5", start_issue="7"),
        row("A6") + ",surplus",
        row(""),
    )
    assert shop.run(code=1) == {"read": 7, "imported": 2, "skipped": 0, "rejected": 5}
    report = rejects(shop.path)
    assert [(each["line"], each["column"], each["value"]) for each in report] == [
        ("3", "country", "XX"),
        ("6", "length", "0"),
        ("7", "start_issue", "7"),
        ("8", "", ""),
        ("9", "order_id", ""),
    ]
    for each, message in zip(
        report, ("`XX`", "1 to 1000", "no issue", "too many", "`order_id`"), strict=True
    ):
        assert message in each["reason"]
    assert report[0]["order_id"] == "A2"
    assert report[0]["postcode"] == "00501"


def test_import_says_where_the_rejected_rows_are_and_exits_with_1(shop: Shop) -> None:
    shop.write(row("A1", country="XX"))
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    ended = shop.masthead(words, code=1)
    assert f"1 row was rejected; `{shop.path}.rejects.csv`" in ended.err


def test_only_the_owner_can_read_rejected_rows(shop: Shop) -> None:
    report = Path(f"{shop.path}.rejects.csv")
    shop.write(row("A1", country="XX"))
    before = os.umask(0)
    try:
        shop.run(code=1)
    finally:
        os.umask(before)
    assert report.stat().st_mode & 0o777 == 0o600
    assert len(rejects(shop.path)) == 1


def test_the_report_can_be_corrected_and_imported(shop: Shop) -> None:
    shop.write(row("A1"), row("A2", country="XX", notes='"a, ""b""\nc"'))
    shop.run(code=1)
    report = Path(f"{shop.path}.rejects.csv")
    report.write_text(report.read_text().replace(",XX,2026", ",GB,2026"))
    assert shop.run(path=report) == {**NOTHING, "read": 1, "imported": 1}
    assert not Path(f"{report}.rejects.csv").exists()


def test_rejected_rows_that_are_being_corrected_are_never_overwritten(shop: Shop) -> None:
    shop.write(row("A1", country="XX"))
    shop.run(code=1)
    report = Path(f"{shop.path}.rejects.csv")
    report.write_text("half corrected")
    shop.run("--dry-run", code=1)
    assert sorted(path.name for path in shop.path.parent.iterdir()) == [
        "list.csv",
        "list.csv.rejects.csv",
    ]
    assert shop.full(code=1)["rejects"] == str(report.with_name("list.csv.rejects-2.csv"))
    shop.write(row("A1"))
    shop.run()
    assert report.read_text() == "half corrected"


def test_a_failed_import_keeps_the_earlier_report(shop: Shop) -> None:
    shop.write(row("A1", country="XX"))
    shop.run(code=1)
    words = f"import --account {shop.account} --source 1 {shop.path}"
    assert "`source` `1`" in shop.masthead(words, code=1).said
    assert len(rejects(shop.path)) == 1


def test_a_dry_run_prints_the_same_report_and_writes_only_the_file_that_is_named(
    shop: Shop, tmp_path: Path
) -> None:
    shop.write(row("A1"), row("A2", country="XX"), row("A1"), row("A4", start_issue="7"))
    expected = {"read": 4, "imported": 1, "skipped": 1, "rejected": 2}
    told = tmp_path / "told.csv"
    for number in (1, 2):
        said = shop.full("--dry-run", "--rejects", str(told), code=1)
        assert {name: said[name] for name in NOTHING} == expected
        assert said["batch"] is None
        assert Path(said["rejects"]).name == ("told.csv" if number == 1 else "told-2.csv")
    assert not Path(f"{shop.path}.rejects.csv").exists()
    assert shop.run(code=1) == expected
    assert Path(f"{shop.path}.rejects.csv").read_text() == told.read_text()


def test_a_dry_run_creates_no_issues(shop: Shop) -> None:
    shop.write(row("A1", start_issue="7"))
    assert shop.run("--dry-run", "--create-issues")["imported"] == 1
    issues = shop.masthead(f"issue list --account {shop.account} --json").json["items"]
    assert [issue["number"] for issue in issues] == [1]


def test_a_dry_run_says_why_rows_would_be_rejected(shop: Shop) -> None:
    shop.write(row("A1"), row("A2", country="XX"), row("A3", country="XY"))
    words = f"import --account {shop.account} --source {shop.source} --dry-run {shop.path}"
    said = shop.masthead(words, code=1).err
    assert "2 × rejected, first in line 3: `country` is `XX`" in said
    assert "2 rows were rejected; `--rejects FILE` writes them with the reasons." in said


def test_a_dry_run_says_that_it_is_a_dry_run(shop: Shop) -> None:
    shop.write(row("A1"))
    words = f"import --account {shop.account} --source {shop.source} --dry-run {shop.path}"
    assert "dry run" in shop.masthead(words).err


def test_missing_issues_are_created_on_request(shop: Shop) -> None:
    shop.write(row("A1", start_issue="7"))
    assert shop.run(code=1)["rejected"] == 1
    assert shop.run("--create-issues")["imported"] == 1
    issues = shop.masthead(f"issue list --account {shop.account} --json").json["items"]
    assert [(issue["number"], issue["name"]) for issue in issues] == [
        (7, "Issue 7"),
        (1, "Issue 1"),
    ]


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "empty"),
        (b"order_id,first_name\n", "no rows"),
        (b"\x89PNG\r\n\x1a\n", "picture"),
    ],
)
def test_an_invalid_csv_file_is_refused_as_a_whole(
    shop: Shop, content: bytes, message: str
) -> None:
    shop.path.write_bytes(content)
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    ended = shop.masthead(words, code=1)
    assert ended.out == ""
    assert ended.said.startswith("masthead: ")
    assert message in ended.said
    assert not Path(f"{shop.path}.rejects.csv").exists()


@pytest.mark.parametrize("type", ["checkout", "closed", "unknown"])
def test_a_source_that_accepts_no_orders_is_refused(shop: Shop, type: str) -> None:
    shop.write(row("A1"))
    shop.source = "0" * 31
    if type != "unknown":
        shop.source = shop.masthead.source(shop.account, "shop" if type == "closed" else type)
    if type == "closed":
        shop.masthead(f"source deactivate --account {shop.account} {shop.source}")
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    assert f"`source` `{shop.source}`" in shop.masthead(words, code=1).said


def test_a_source_of_another_account_is_refused(shop: Shop) -> None:
    shop.write(row("A1"))
    other = shop.masthead.account()
    shop.source = shop.masthead.source(other)
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    assert "not a source of this account" in shop.masthead(words, code=1).said


def test_an_account_without_sources_is_told_how_to_add_one(shop: Shop) -> None:
    shop.write(row("A1"))
    words = f"import --account {shop.masthead.account()} --source nothing {shop.path}"
    said = shop.masthead(words, code=1).said
    assert "None are allowed" not in said
    assert "`masthead source create` adds one." in said


def test_a_missing_file_or_a_folder_is_refused(shop: Shop, tmp_path: Path) -> None:
    words = f"import --account {shop.account} --source {shop.source}"
    missing = tmp_path / "nowhere.csv"
    assert f"no file `{missing}`" in shop.masthead(f"{words} {missing}", code=1).err
    said = shop.masthead(f"{words} {tmp_path}", code=1).err
    assert f"`{tmp_path}` is a folder. Name the CSV file or the workbook in it." in said


def test_days_without_a_start_issue_are_counted_as_one_reason(shop: Shop) -> None:
    header = "Name,Street,City,Country,Number of issues,Order date,Price"
    rows = [f"Ann,Kai {n},Ely,GB,4,2026-01-0{n},9" for n in (1, 2, 3)]
    shop.write(*rows, header=header)
    reasons = shop.full("--dry-run", code=1)["reasons"]
    assert reasons == [
        "3 × rejected, first in line 2: No issue has a release date, so `2026-01-01` has no start "
        "issue. Set the release dates of the issues, or map a column to the start issue."
    ]


def test_a_report_that_cannot_be_written_is_reported_without_traceback(
    shop: Shop, tmp_path: Path
) -> None:
    shop.write(row("A1", country="XX"))
    words = f"import --account {shop.account} --source {shop.source} {shop.path}"
    ended = shop.masthead(words, "--rejects", str(tmp_path / "no" / "rejects.csv"), code=1)
    assert "no/rejects.csv" in ended.err
    assert len(ended.err.splitlines()) == 1


def test_imported_data_passes_all_checks(alone: CommandLine, tmp_path: Path) -> None:
    shop = Shop(alone, tmp_path)
    shop.write(*(row(f"A{number}", length=str(number)) for number in range(1, 30)))
    assert shop.run()["imported"] == 29
    assert alone("check").out == ""


# --- progress -------------------------------------------------------------------------------------


def test_progress_is_shown_only_on_a_terminal_and_on_stderr(shop: Shop, cli_url: str) -> None:
    shop.write(*(row(f"A{number}") for number in range(1500)))
    terminal, end = pty.openpty()
    words = f"import --account {shop.account} --source {shop.source} --json {shop.path}"
    ended = subprocess.run(
        [sys.executable, "-m", "masthead", *words.split()],
        env={**os.environ, **settings_of(cli_url), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=end,
        check=True,
        timeout=PATIENCE,
    )
    os.close(end)
    parts = []
    with contextlib.suppress(OSError):  # the end of the terminal that is not used
        while part := os.read(terminal, 100_000):
            parts.append(part)
    drawn = b"".join(parts).decode()
    os.close(terminal)
    assert ended.stdout.startswith(b'{"read":1500,"imported":1500,"skipped":0,"rejected":0,')
    assert "rows" in drawn
    assert "1500/1500" in drawn


def test_copies_of_issues_that_are_out_count_as_sent_unless_an_option_says_otherwise(
    masthead: CommandLine, shop: Shop, tmp_path: Path
) -> None:
    for number, day in ((2, "2020-01-01"), (3, "2020-02-01"), (4, "2099-01-01")):
        words = f"issue create --account {shop.account} --number {number} --release-date-actual"
        masthead(f"{words} {day}")
    shop.write(row("A1", start_issue="2"), row("A2", start_issue="3"))
    mapping = tmp_path / "none.toml"
    mapping.write_text('sent_through = "none"\n', encoding="utf-8")
    for options, sent in (
        ((), 3),
        (("--sent-through", "released"), 3),
        (("--sent-through", "2"), 1),
        (("--sent-through", "none"), 0),
        (("--mapping", str(mapping)), 0),
        (("--mapping", str(mapping), "--sent-through", "3"), 3),
    ):
        would = shop.full("--dry-run", *options)
        assert (would["copies_out"], would["copies_sent"]) == ({"2": 1, "3": 2}, sent)
    done = shop.full("--sent-through", "2")
    assert (done["copies_out"], done["copies_sent"]) == ({"2": 1, "3": 2}, 1)
    [note] = [each for each in done["notes"] if "are out" in each]
    assert note.startswith("Issues up to 3 are out: 3 copies of 2 issues. 1 copy up to issue 2")
    assert "2 copies are still to send. `--sent-through`" in note


def test_an_issue_that_is_not_out_is_refused_before_anything_is_imported(
    masthead: CommandLine, shop: Shop
) -> None:
    words = f"issue create --account {shop.account} --number 2 --release-date-actual 2099-01-01"
    masthead(words)
    shop.write(row("A1"))
    start = f"import --account {shop.account} --source {shop.source} {shop.path} --sent-through"
    for value, said in (
        ("2", "`sent_through` is 2, but issue 2 is not out yet."),
        ("9", "`sent_through` is 9, but there is no issue with that number."),
        ("all", "`sent_through` is `all`; expected an issue number, `released` or `none`."),
    ):
        for more in ("", " --dry-run"):
            assert said in masthead(f"{start} {value}{more}", code=1).said
    assert shop.run()["imported"] == 1
