"""`masthead issue`: create and list issues."""

from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

DATES = {
    "release_date_actual": "2026-12-01",
    "date_as_start_issue": "2026-10-01",
    "recurring_charge_date": "2026-11-01",
}


def test_create_stores_every_field(masthead: CommandLine) -> None:
    account = masthead.account()
    options = [f"--{name.replace('_', '-')}={day}" for name, day in DATES.items()]
    options += ["--name=Winter", "--release-date-fuzzy=early winter", "--newsstand-ean=97700"]
    made = masthead(f"issue create --account {account} --number 12 --json", *options).json
    assert made.pop("id")
    assert made == {
        **DATES,
        "number": 12,
        "name": "Winter",
        "release_date_fuzzy": "early winter",
        "newsstand_ean": "97700",
    }


def test_the_name_of_an_issue_defaults_to_its_number(masthead: CommandLine) -> None:
    account = masthead.account()
    made = masthead(f"issue create --account {account} --number 3")
    fields = dict(line.partition(" ")[::2] for line in made.out.splitlines())
    assert fields["name"].strip() == "Issue 3"
    assert fields["release_date_actual"].strip() == ""


def test_an_issue_number_must_be_unique(masthead: CommandLine) -> None:
    account = masthead.account()
    masthead(f"issue create --account {account} --number 3")
    ended = masthead(f"issue create --account {account} --number 3", code=1)
    assert "`number` 3 is taken" in ended.said
    assert ended.out == ""


@pytest.mark.parametrize(
    "option, message",
    [
        ("--number=0", "`number` is 0"),
        ("--number=2147483648", "2147483647"),
        ("--release-date-actual=soon", "YYYY-MM-DD"),
        ("--release-date-actual=1899-01-01", "1900"),
        ("--name=" + "x" * 256, "255"),
    ],
)
def test_an_invalid_value_is_refused(masthead: CommandLine, option: str, message: str) -> None:
    account = masthead.account()
    words = [] if "number" in option else ["--number=1"]
    ended = masthead(f"issue create --account {account}", *words, option, code=1)
    assert message in ended.said
    assert masthead(f"issue list --account {account} --json").json == {"items": []}


def test_text_instead_of_a_number_is_a_usage_error(masthead: CommandLine) -> None:
    account = masthead.account()
    assert '"one"' in masthead(f"issue create --account {account} --number one", code=2).said


def test_the_list_is_sorted_by_number_highest_first(masthead: CommandLine) -> None:
    account = masthead.account()
    for number in (2, 10, 1):
        masthead(f"issue create --account {account} --number {number}")
    listed = masthead(f"issue list --account {account} --json").json["items"]
    assert [issue["number"] for issue in listed] == [10, 2, 1]
    lines = masthead(f"issue list --account {account}").out.splitlines()
    assert [line.split()[1] for line in lines[1:]] == ["10", "2", "1"]


def test_the_list_has_all_pages(masthead: CommandLine, tmp_path: Path) -> None:
    account = masthead.account()
    rows = [f"A{n},Ada,DE,2026-01-15,42,{n},1" for n in range(1, 202)]
    file = tmp_path / "list.csv"
    header = "order_id,first_name,country,order_date,price,start_issue,length"
    file.write_text("\n".join([header, *rows]))
    source = masthead.source(account)
    masthead(f"import --account {account} --source {source} --create-issues {file}")
    listed = masthead(f"issue list --account {account} --json").json["items"]
    assert [issue["number"] for issue in listed] == list(range(201, 0, -1))
