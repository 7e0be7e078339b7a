"""`masthead dispatch`: preview, freeze, mark, undo, discard, show and list runs."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CommandLine
from tests.support.cases import for_each

ROWS = """\
order_id,first_name,last_name,address1,city,postcode,country,order_date,price,start_issue,length,medium
1,Ada,Ng,Am Markt 3,Berlin,01067,DE,2026-01-15,42.00,1,4,Print
2,Bo,Li,Rue 4,Paris,75001,FR,2026-01-15,42.00,1,4,Print + digital
3,Cy,Po,,,,DE,2026-01-15,42.00,1,4,Digital
"""
LATE = """\
order_id,first_name,country,order_date,price,start_issue,length
4,Dee,DE,2026-01-15,42.00,1,4
"""


class Publisher:
    """An account with three copies of issue 1, and its command line."""

    def __init__(self, masthead: CommandLine, folder: Path) -> None:
        self.masthead, self.folder = masthead, folder
        self.account = masthead.account()
        self.source = masthead.source(self.account)
        self.sell(ROWS)

    def sell(self, rows: str) -> None:
        """Import orders."""
        file = self.folder / "orders.csv"
        file.write_text(rows)
        options = f"--account {self.account} --source {self.source} --create-issues"
        self.masthead(f"import {options} {file}")

    def run(self, command: str, *words: str) -> dict[str, Any]:
        """The object that a command prints with `--json`; it prints nothing else."""
        ended = self.masthead(f"dispatch {command} --account {self.account} --json", *words)
        assert ended.err == ""
        return ended.json

    def fails(self, command: str, *words: str) -> str:
        """The message of a command that fails with exit code 1."""
        ended = self.masthead(f"dispatch {command} --account {self.account}", *words, code=1)
        assert ended.out == ""
        assert len(ended.err.splitlines()) == 1
        return ended.said


@pytest.fixture
def acme(masthead: CommandLine, tmp_path: Path) -> Publisher:
    """An account with three copies of issue 1."""
    return Publisher(masthead, tmp_path)


# --- freeze ---------------------------------------------------------------------------------------


def test_freeze_prints_the_run_as_one_object(acme: Publisher) -> None:
    run = acme.run("freeze --issue 1")
    assert list(run)[:2] == ["id", "issue"]
    assert (run["issue"], run["number"], run["status"]) == (1, 1, "frozen")
    assert (run["copies"], run["replacements"], run["lines"]) == (3, 0, 3)
    assert (run["held"], run["sent"], run["left"]) == (3, 0, 0)
    assert run["by_country"] == {"DE": 2, "FR": 1}
    assert run["by_medium"] == {"Digital": 1, "Print": 1, "Print + digital": 1}
    assert (run["countries"], run["media"], run["sources"]) == ([], [], [])
    assert len(run["fingerprint"]) == 64
    assert run["marked_at"] is run["undo_until"] is run["date_sent"] is None


def test_freeze_prints_the_object_and_a_message_without_json_too(acme: Publisher) -> None:
    ended = acme.masthead(f"dispatch freeze --account {acme.account} --issue 1")
    assert ended.json["copies"] == 3
    assert "Run 1 of issue 1 is frozen (copies: 3, replacements: 0)." in ended.said


def test_freeze_exits_with_1_if_nothing_is_left_to_send(acme: Publisher) -> None:
    acme.run("freeze --issue 1")
    said = acme.fails("freeze --issue 1")
    assert "Nothing is left to send of issue 1" in said
    assert len(acme.run("list")["items"]) == 1


def test_a_late_order_is_in_the_next_run_and_nobody_is_twice(acme: Publisher) -> None:
    first = acme.run("freeze --issue 1")
    acme.sell(LATE)
    assert acme.run(f"mark {first['id']}") == {"marked": 3}
    second = acme.run("freeze --issue 1")
    assert (second["number"], second["copies"]) == (2, 1)
    assert acme.run(f"mark {second['id']}") == {"marked": 1}


@pytest.mark.parametrize(
    "options, copies",
    [
        (("--country", "de"), 2),
        (("--country", "DE", "--country", "FR"), 3),
        (("--medium", "print"), 1),
        (("--medium", "PRINT", "--medium", "print + Digital"), 2),
        (("--medium", "print+digital"), 1),
        (("--country", "DE", "--medium", "Digital"), 1),
    ],
)
def test_freeze_takes_the_chosen_copies(
    acme: Publisher, options: tuple[str, ...], copies: int
) -> None:
    assert acme.run("preview --issue 1", *options)["copies"] == copies
    assert acme.run("freeze --issue 1", *options)["copies"] == copies
    assert acme.run("preview --issue 1")["copies"] == 3 - copies


def test_freeze_takes_the_copies_of_the_chosen_sources(acme: Publisher) -> None:
    other = acme.masthead.source(acme.account, "shop")
    assert "not selected" in acme.fails(f"freeze --issue 1 --source {other}")
    run = acme.run(f"freeze --issue 1 --source {other} --source {acme.source}")
    assert (run["copies"], run["sources"]) == (3, [other, acme.source])


def test_freeze_of_replacements_takes_no_copies(acme: Publisher) -> None:
    assert acme.run("preview --issue 1 --only-replacements")["lines"] == 0
    assert "Nothing is left to send" in acme.fails("freeze --issue 1 --only-replacements")


@for_each("command", ["preview", "freeze"])
@for_each(
    "options, said",
    [
        (("--issue", "2147483648"), "There is no issue 2147483648"),
        (("--issue", "9"), "There is no issue 9 in this account; `masthead issue list`"),
        (("--issue", "1", "--country", "UK"), "`country` is `UK`"),
        (("--issue", "1", "--country", ""), "`country` is ``"),
        (("--issue", "1", "--medium", "Paper"), "one of `Print`, `Digital`, `Print + digital`"),
        (("--issue", "1", "--source", "1"), "There is no source `1` in this account"),
    ],
)
def test_a_wrong_choice_is_refused(
    acme: Publisher, command: str, options: tuple[str, ...], said: str
) -> None:
    assert said in acme.fails(command, *options)
    assert acme.run("list") == {"items": []}


def test_the_source_of_another_account_is_unknown(acme: Publisher) -> None:
    foreign = acme.masthead.source(acme.masthead.account())
    assert "There is no source" in acme.fails(f"freeze --issue 1 --source {foreign}")


# --- preview --------------------------------------------------------------------------------------


def test_preview_shows_what_a_run_would_take_and_changes_nothing(acme: Publisher) -> None:
    preview = acme.run("preview --issue 1 --country DE")
    assert (preview["issue"], preview["number"]) == (1, 1)
    assert (preview["copies"], preview["replacements"], preview["lines"]) == (2, 0, 2)
    assert (preview["postal"], preview["digital"]) == (1, 1)
    assert preview["by_country"] == {"DE": 2}
    assert preview["by_medium"] == {"Digital": 1, "Print": 1}
    assert preview["not_taken"]["not_selected"] == 1
    assert preview["countries"] == ["DE"]
    assert acme.run("list") == {"items": []}


def test_preview_names_the_runs_that_hold_copies(acme: Publisher) -> None:
    run = acme.run("freeze --issue 1")
    preview = acme.run("preview --issue 1")
    assert (preview["number"], preview["lines"], preview["not_taken"]["in_runs"]) == (2, 0, 3)
    problems = {each["code"]: each for each in preview["problems"]}
    assert problems["in_frozen_runs"]["count"] == 3
    assert run["id"] in problems["in_frozen_runs"]["message"]
    assert "Nothing is left to send" in problems["nothing_to_send"]["message"]


@pytest.mark.parametrize(
    "country, message", [("FR", "1 copy is already in a "), ("DE", "2 copies are already in ")]
)
def test_preview_says_one_copy_or_more_copies(acme: Publisher, country: str, message: str) -> None:
    acme.run(f"freeze --issue 1 --country {country}")
    problems = {each["code"]: each for each in acme.run("preview --issue 1")["problems"]}
    assert problems["in_frozen_runs"]["message"].startswith(message)


@pytest.mark.parametrize("released", [None, "2099-01-01", "2026-01-01"])
def test_preview_says_that_an_issue_is_not_out(acme: Publisher, released: str | None) -> None:
    options = [f"--release-date-actual={released}"] if released else []
    acme.masthead(f"issue create --account {acme.account} --number 9", *options)
    codes = [each["code"] for each in acme.run("preview --issue 9")["problems"]]
    assert ("not_released" in codes) == (released != "2026-01-01")


def test_preview_names_the_addresses_with_a_problem(acme: Publisher) -> None:
    acme.sell(LATE)
    problems = {each["code"]: each for each in acme.run("preview --issue 1")["problems"]}
    assert problems["missing_street"]["count"] == 1
    (line,) = problems["missing_street"]["first"]
    ended = acme.masthead(f"dispatch preview --account {acme.account} --issue 1")
    assert "- No street or PO box: 1" in ended.out.splitlines()
    assert f"    copy {line['copy_id']}: {line['message']}" in ended.out.splitlines()
    assert problems["not_released"]["first"] == []


def test_preview_finds_what_does_not_fit_into_the_files_of_a_profile(acme: Publisher) -> None:
    name = "Mailing house (Windows-1252)"
    acme.sell(LATE.replace("4,Dee,", "5,Łucja,"))

    def codes(*options: str) -> set[str]:
        return {each["code"] for each in acme.run("preview --issue 1", *options)["problems"]}

    assert "missing_character" not in codes()
    assert "missing_character" in codes("--profile", name.lower())
    said = acme.fails("preview --issue 1", "--profile", "Mailing hose")
    assert "There is no export profile `Mailing hose`. Did you mean `Mailing house" in said


def test_preview_is_readable_without_json(acme: Publisher) -> None:
    ended = acme.masthead(f"dispatch preview --account {acme.account} --issue 1 --country FR")
    lines = dict(line.partition(" ")[::2] for line in ended.out.splitlines())
    assert lines["by_country"].strip() == "FR 1"
    assert lines["countries"].strip() == "FR"
    assert "- The issue is not out yet." in ended.out.splitlines()


# --- mark, undo, discard --------------------------------------------------------------------------


def test_mark_prints_how_many_copies_and_uses_today(acme: Publisher) -> None:
    run = acme.run("freeze --issue 1")
    before = datetime.now(UTC)
    assert acme.run(f"mark {run['id']}") == {"marked": 3}
    shown = acme.run(f"show {run['id']}")
    assert shown["status"] == "marked"
    assert shown["date_sent"] in {str(before.date()), str(datetime.now(UTC).date())}
    assert (shown["held"], shown["sent"]) == (0, 3)
    until = datetime.fromisoformat(shown["undo_until"])
    assert (until - datetime.fromisoformat(shown["marked_at"])).days == 1


def test_mark_takes_a_date(acme: Publisher) -> None:
    run = acme.run("freeze --issue 1")
    line = f"dispatch mark --account {acme.account} {run['id']} --date 2026-05-03"
    ended = acme.masthead(line)
    assert ended.json == {"marked": 3}
    assert ended.said == "The run is marked as sent on 2026-05-03 (copies: 3)."
    assert acme.run(f"show {run['id']}")["date_sent"] == "2026-05-03"


@pytest.mark.parametrize(
    "day", ["soon", "", "03.05.2026", "2026-02-30", "1899-01-01", "2999-01-01"]
)
def test_mark_refuses_a_wrong_date(acme: Publisher, day: str) -> None:
    run = acme.run("freeze --issue 1")
    said = acme.fails(f"mark {run['id']}", "--date", day)
    assert "date" in said
    assert acme.run(f"show {run['id']}")["status"] == "frozen"


def test_undo_makes_a_marked_run_frozen_again(acme: Publisher) -> None:
    run = acme.run("freeze --issue 1")
    assert "nothing to undo" in acme.fails(f"undo {run['id']}")
    acme.run(f"mark {run['id']}")
    assert "already marked" in acme.fails(f"mark {run['id']}")
    assert "already marked" in acme.fails(f"discard {run['id']}")
    assert acme.run(f"undo {run['id']}") == {"undone": 3}
    shown = acme.run(f"show {run['id']}")
    assert shown == run
    ended = acme.masthead(f"dispatch mark --account {acme.account} {run['id']}")
    assert ended.json == {"marked": 3}
    ended = acme.masthead(f"dispatch undo --account {acme.account} {run['id']}")
    assert ended.said == "The run is frozen again (copies that are no longer sent: 3)."


def test_discard_frees_the_copies_for_the_next_run(acme: Publisher) -> None:
    run = acme.run("freeze --issue 1")
    gone = acme.run(f"discard {run['id']}")
    assert (gone["id"], gone["status"]) == (run["id"], "discarded")
    assert (gone["copies"], gone["held"], gone["left"]) == (3, 0, 3)
    for command in ("mark", "discard"):
        assert "was discarded" in acme.fails(f"{command} {run['id']}")
    assert acme.run("freeze --issue 1")["copies"] == 3


def test_discard_says_what_happened(acme: Publisher) -> None:
    run = acme.run("freeze --issue 1")
    ended = acme.masthead(f"dispatch discard --account {acme.account} {run['id']}")
    assert ended.json["status"] == "discarded"
    assert ended.said == "The run is discarded. Its copies are free for the next run."


@pytest.mark.parametrize("command", ["show", "mark", "undo", "discard"])
def test_the_run_of_another_account_is_unknown(acme: Publisher, command: str) -> None:
    run = acme.run("freeze --issue 1")
    rival = acme.masthead.account()
    for account, id in ((rival, run["id"]), (acme.account, "1")):
        ended = acme.masthead(f"dispatch {command} --account {account} {id}", code=1)
        assert f"There is no dispatch run `{id}` in this account" in ended.said
    assert acme.run(f"show {run['id']}") == run


# --- show and list --------------------------------------------------------------------------------


def test_show_is_readable_without_json(acme: Publisher) -> None:
    run = acme.run("freeze --issue 1 --country DE --country FR")
    ended = acme.masthead(f"dispatch show --account {acme.account} {run['id']}")
    lines = dict(line.partition(" ")[::2] for line in ended.out.splitlines())
    assert lines["id"].strip() == run["id"]
    assert lines["countries"].strip() == "DE, FR"
    assert lines["by_country"].strip() == "DE 2, FR 1"
    assert lines["media"].strip() == ""


def test_the_list_has_the_newest_run_first(acme: Publisher) -> None:
    for number in (2, 3):
        acme.masthead(f"issue create --account {acme.account} --number {number}")
    first = acme.run("freeze --issue 1 --country DE")
    second = acme.run("freeze --issue 1")
    other = acme.run("freeze --issue 2")
    listed = acme.run("list")["items"]
    assert [run["id"] for run in listed] == [other["id"], second["id"], first["id"]]
    assert listed[2].items() <= first.items()
    assert [run["id"] for run in acme.run("list --issue 2")["items"]] == [other["id"]]
    assert acme.run("list --issue 3") == {"items": []}
    assert "There is no issue 9" in acme.fails("list --issue 9")


def test_the_list_is_a_table_without_json(acme: Publisher) -> None:
    run = acme.run("freeze --issue 1")
    head, row = acme.masthead(f"dispatch list --account {acme.account}").out.splitlines()
    names = "id issue number status copies replacements grace_copies date_sent created_at"
    assert head.split() == names.split()
    assert row.split()[:7] == [run["id"], "1", "1", "frozen", "3", "0", "0"]


def test_the_list_has_all_pages(acme: Publisher) -> None:
    for _ in range(3):
        run = acme.run("freeze --issue 1")
        acme.run(f"discard {run['id']}")
    assert [run["number"] for run in acme.run("list")["items"]] == [3, 2, 1]
