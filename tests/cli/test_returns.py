"""`masthead dispatch shipped` and `masthead dispatch returned`."""

import csv
from pathlib import Path
from typing import Any

import pytest

from masthead.model.dispatch.copy_keys import key_of, printed
from masthead.model.ids import account_of
from tests.cli.conftest import CommandLine

HEADER = "order_id,first_name,country,order_date,price,start_issue,length,address1,city"


class Publisher:
    """An account with a frozen run of three copies, and a file about them."""

    def __init__(self, masthead: CommandLine, folder: Path) -> None:
        self.masthead, self.path = masthead, folder / "list.csv"
        self.account = masthead.account()
        source = masthead.source(self.account)
        masthead(f"issue create --account {self.account} --number 1")
        rows = [f"A{n},Ada,DE,2026-01-15,42,1,1,Weg {n},Berlin" for n in range(3)]
        orders = folder / "orders.csv"
        orders.write_text("\n".join([HEADER, *rows]), encoding="utf-8")
        masthead(f"import --account {self.account} --source {source} {orders}")
        self.run_id = masthead(f"dispatch freeze --account {self.account} --issue 1 --json").json[
            "id"
        ]
        account_id = account_of(self.run_id)
        assert account_id is not None
        self.keys = [printed(key_of(account_id, line)) for line in (1, 2, 3)]

    def run(self, command: str, content: str, *options: str, code: int = 0) -> dict[str, Any]:
        """Write the file and import it; the summary."""
        self.path.write_text(content, encoding="utf-8")
        words = f"dispatch {command} --account {self.account} --json"
        return self.masthead(words, *options, str(self.path), code=code).json

    def shown(self) -> dict[str, Any]:
        """The run."""
        return self.masthead(f"dispatch show --account {self.account} {self.run_id} --json").json


@pytest.fixture
def publisher(masthead: CommandLine, tmp_path: Path) -> Publisher:
    """An account with a run."""
    return Publisher(masthead, tmp_path)


def unmatched(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_shipped_copies_are_marked_with_the_dates_of_the_file(publisher: Publisher) -> None:
    first, second, third = publisher.keys
    content = f"Title\nkey;Versanddatum\n{first};31.05.2026\n{second};30.05.2026\n"
    assert publisher.run("shipped", content) == {
        "read": 2,
        "marked": 2,
        "already_sent": 0,
        "unmatched": 0,
        "report": None,
    }
    assert (publisher.shown()["status"], publisher.shown()["held"]) == ("frozen", 1)
    assert publisher.run("shipped", f"{third}\n", "--date", "2026-06-01")["marked"] == 1
    shown = publisher.shown()
    assert (shown["status"], shown["date_sent"]) == ("marked", "2026-06-01")


def test_unmatched_rows_are_written_to_a_new_file_each_time(publisher: Publisher) -> None:
    content = f"key,=2+2\n{publisher.keys[0]},\n{publisher.keys[0]},\n=1+1,\n"
    summary = publisher.run("shipped", content, "--date", "2026-05-01", code=1)
    path = Path(f"{publisher.path}.unmatched.csv")
    assert summary["report"] == str(path)
    rows = unmatched(path)
    assert [row["problem_line"] for row in rows] == ["3", "4"]
    assert "already in line 2" in rows[0]["problem"]
    assert (rows[1]["key"], rows[1]["'=2+2"]) == ("'=1+1", "")
    assert path.stat().st_mode & 0o077 == 0
    summary = publisher.run("shipped", content, "--date", "2026-05-01", code=1)
    assert summary["report"] == f"{publisher.path}.unmatched-2.csv"
    assert len(unmatched(path)) == 2


def test_messages_say_how_the_file_is_read(publisher: Publisher) -> None:
    publisher.path.write_bytes(f"Schlüssel\t\n{publisher.keys[0]}\t\n".encode("cp1252"))
    ended = publisher.masthead(f"dispatch shipped --account {publisher.account} {publisher.path}")
    assert "Read as Windows-1252, one column, column names in line 1." in ended.said
    assert "today's date" in ended.said
    assert ended.out.splitlines()[1].split() == ["marked", "1"]
    cut = f"key;x\n{publisher.keys[1]};€".encode()[:-1]
    publisher.path.write_bytes(cut)
    ended = publisher.masthead(f"dispatch shipped --account {publisher.account} {publisher.path}")
    assert "ends in the middle of a character" in ended.said


def test_returned_copies_are_recorded(publisher: Publisher) -> None:
    content = (
        "Nr,Grund,Strasse neu,Ort neu\n"
        f"{publisher.keys[0]},unbekannt,,\n"
        f"{publisher.keys[1]},Umzug,Neuer Weg 1,Wien\n"
        "ABC,unbekannt,,\n"
    )
    summary = publisher.run("returned", content, "--column", "key=Nr", code=1)
    assert summary["report"] == f"{publisher.path}.unmatched.csv"
    assert summary["undeliverable"] == summary["moved"] == summary["unmatched"] == 1
    assert publisher.run("returned", content, code=1)["unchanged"] == 2


@pytest.mark.parametrize(
    "content, options, message",
    [
        ("a,b\nc,d\n", [], "no column with copy keys"),
        ("", [], "The file is empty"),
        ("key,date\n#K7M2Q4D9X#,03/04/2026\n", [], "--dates day-first"),
        ("key\nx\n", ["--column", "nix"], "must be FIELD=NAME"),
        ("key\nx\n", ["--column", "nix=key"], "must be FIELD=NAME"),
        ("key\nx\n", ["--date", "31.5.2026"], "expected YYYY-MM-DD"),
        ("key\nx\n", ["--date", "2999-05-01"], "too far in the future"),
    ],
)
def test_files_and_options_that_are_wrong_are_refused(
    publisher: Publisher, content: str, options: list[str], message: str
) -> None:
    publisher.path.write_text(content, encoding="utf-8")
    words = f"dispatch shipped --account {publisher.account}"
    ended = publisher.masthead(words, *options, str(publisher.path), code=1)
    assert message in ended.said


def test_the_user_says_which_number_of_a_date_is_the_day(publisher: Publisher) -> None:
    content = "".join(f"{key},03/04/2026\n" for key in publisher.keys)
    publisher.run("shipped", "key,date\n" + content, "--dates", "month-first")
    assert publisher.shown()["date_sent"] == "2026-03-04"


def test_a_missing_file_is_said(publisher: Publisher) -> None:
    words = f"dispatch returned --account {publisher.account} {publisher.path}-no"
    assert "There is no file" in publisher.masthead(words, code=1).said
