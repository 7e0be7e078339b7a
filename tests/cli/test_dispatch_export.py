"""`masthead dispatch export`: write the addresses of a run to a file."""

import hashlib
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

ROWS = """\
order_id,first_name,last_name,address1,city,postcode,country,order_date,price,start_issue,length,medium
1,Ada,Ng,Am Markt 3,Berlin,01067,DE,2026-01-15,42.00,1,4,Print
2,Bo,Li,Rue 4,Paris,75001,FR,2026-01-15,42.00,1,4,Print
3,Cy,Po,,,,DE,2026-01-15,42.00,1,4,Digital
"""


@pytest.fixture
def run(masthead: CommandLine, tmp_path: Path) -> tuple[str, str]:
    """The subdomain of an account, and the id of a run of its issue 1."""
    account = masthead.account()
    orders = tmp_path / "orders.csv"
    orders.write_text(ROWS)
    source = masthead.source(account)
    masthead(f"import --account {account} --source {source} {orders} --create-issues")
    frozen = masthead(f"dispatch freeze --account {account} --issue 1 --json").json
    return account, frozen["id"]


def test_export_writes_a_private_file_and_prints_its_totals(
    masthead: CommandLine, run: tuple[str, str], tmp_path: Path
) -> None:
    account, id = run
    output = tmp_path / "addresses.csv"
    line = f"dispatch export --account {account} {id} --format csv --output {output} --json"
    made = masthead(line).json
    content = output.read_bytes()
    assert content.startswith(b"\xef\xbb\xbf")
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    assert made["sha256"] == hashlib.sha256(content).hexdigest()
    assert (made["lines"], made["digital"], made["bytes"]) == (2, 1, len(content))
    assert made["totals"]["countries"] == {"DE": 1, "FR": 1}
    assert made["profile"] == "Mailing house (CSV)"
    other = tmp_path / "again.csv"
    again = masthead(f"dispatch export --account {account} {id} --format csv --output {other}")
    assert other.read_bytes() == content
    assert made["sha256"] in again.out
    assert "1 Digital copy of the run is not in the file." in again.said


def test_export_replaces_an_existing_file_and_leaves_nothing_else(
    masthead: CommandLine, run: tuple[str, str], tmp_path: Path
) -> None:
    account, id = run
    folder = tmp_path / "files"
    folder.mkdir()
    output = folder / "addresses.csv"
    output.write_text("old")
    line = f"dispatch export --account {account} {id} --format csv --output {output}"
    masthead(line, "--profile", "mailing house (windows-1252)")
    assert output.read_bytes().startswith(b"sequence;")
    assert list(folder.iterdir()) == [output]


@pytest.mark.parametrize(
    "options, said",
    [
        (("--format", "csv", "--profile", "Maling house (CSV)"), "Did you mean `Mailing house"),
        (("--format", "csv", "--profile", "labels-l7160"), "is for `pdf`, `zip`, not for `csv`"),
    ],
)
def test_an_unsuitable_profile_is_refused(
    masthead: CommandLine, run: tuple[str, str], tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    account, id = run
    output = tmp_path / "addresses.csv"
    line = f"dispatch export --account {account} {id} --output {output}"
    assert said in masthead(line, *options, code=1).said
    assert not output.exists()


def test_labels_start_where_the_sheet_is_unused(
    masthead: CommandLine, run: tuple[str, str], tmp_path: Path
) -> None:
    account, id = run
    output = tmp_path / "labels.pdf"
    line = f"dispatch export --account {account} {id} --output {output} --first-label"
    assert masthead(f"{line} 5 --format pdf --json").json["lines"] == 2
    assert output.read_bytes().startswith(b"%PDF")
    assert "expected a number from 1 to" in masthead(f"{line} 99 --format pdf", code=1).said
    assert "for `--format pdf`" in masthead(f"{line} 5 --format csv", code=1).said


def test_the_output_must_be_a_file_in_an_existing_folder(
    masthead: CommandLine, run: tuple[str, str], tmp_path: Path
) -> None:
    account, id = run
    line = f"dispatch export --account {account} {id} --format csv --output"
    assert "is not a file" in masthead(f"{line} {tmp_path}", code=1).said
    assert "There is no folder" in masthead(f"{line} {tmp_path}/no/x.csv", code=1).said


def test_a_run_that_does_not_exist_is_refused(masthead: CommandLine, tmp_path: Path) -> None:
    account = masthead.account()
    line = f"dispatch export --account {account} 123 --format csv --output {tmp_path}/x.csv"
    assert "There is no dispatch run" in masthead(line, code=1).said or "123" in line


def test_addresses_that_were_shortened_are_counted_and_named(
    masthead: CommandLine, tmp_path: Path
) -> None:
    account, orders, output = masthead.account(), tmp_path / "orders.csv", tmp_path / "x.csv"
    long = ROWS.splitlines()[1].replace("Am Markt 3", "Donaudampfschifffahrtsgesellschaftsweg 3")
    rows = [f"{number}{long[1:]}" for number in range(1, 24)]
    orders.write_text("\n".join([ROWS.splitlines()[0], *rows]))
    source = masthead.source(account)
    masthead(f"import --account {account} --source {source} {orders} --create-issues")
    id = masthead(f"dispatch freeze --account {account} --issue 1 --json").json["id"]
    line = f"dispatch export --account {account} {id} --format csv --profile lines-4x30"
    made = masthead(f"{line} --output {output} --json")
    assert (made.json["shortened"], made.json["too_long"]) == (23, 0)
    assert len(made.json["notes"]) == 20
    assert "23 addresses were shortened to fit into the file. Line 1 (Ada Ng): `Donau" in made.said
    assert "… and 3 more." in made.said
