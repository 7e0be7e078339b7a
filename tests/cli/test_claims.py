"""`masthead dispatch claim`, `claims` and `close-claim`."""

from pathlib import Path

from tests.cli.conftest import CommandLine

ROWS = """\
order_id,email,first_name,country,start_issue,length,order_date,price
A1,anna@example.com,Anna,SE,1,1,2026-01-15,42.00
"""


def sent(masthead: CommandLine, tmp_path: Path) -> tuple[str, dict[str, str]]:
    """An account with an issue that was sent to somebody; her answer has the copy and its key."""
    account = masthead.account()
    masthead(f"issue create --account {account} --number 1")
    file = tmp_path / "rows.csv"
    file.write_text(ROWS)
    masthead(f"import --account {account} --source {masthead.source(account)}", str(file))
    run = masthead(f"dispatch freeze --account {account} --issue 1 --json").json
    masthead(f"dispatch mark --account {account} {run['id']} --date 2026-05-03")
    return account, answer(masthead, account)


def answer(masthead: CommandLine, account: str) -> dict[str, str]:
    line = f"why --account {account} --subscriber anna@example.com --issue 1 --json"
    found: dict[str, str] = masthead(line).json["subscriptions"][0]
    return found


def test_a_claim_by_id_and_the_run_of_its_replacement(
    masthead: CommandLine, tmp_path: Path
) -> None:
    account, copy = sent(masthead, tmp_path)
    line = f"dispatch claim --account {account} --copy {copy['copy_id']} --reason damaged --json"
    claim = masthead(line, "--notes", "Wet").json
    assert (claim["status"], claim["notes"], claim["warnings"]) == ("open", "Wet", [])
    refused = masthead(line, code=1)
    assert f"Claim `{claim['id']}` of this copy is open" in refused.said
    run = masthead(f"dispatch freeze --account {account} --issue 1 --only-replacements --json").json
    masthead(f"dispatch mark --account {account} {run['id']} --date 2026-05-20")
    assert answer(masthead, account)["code"] == "replaced"
    listed = masthead(f"dispatch claims --account {account} --json").json["items"]
    assert [(each["id"], each["status"]) for each in listed] == [(claim["id"], "sent")]
    assert masthead(f"dispatch claims --account {account} --status open --json").json == {
        "items": []
    }
    table = masthead(f"dispatch claims --account {account}").out
    assert "damaged" in table


def test_a_claim_by_key_is_withdrawn(masthead: CommandLine, tmp_path: Path) -> None:
    account, copy = sent(masthead, tmp_path)
    made = masthead(
        f"dispatch claim --account {account} --copy #{copy['key']}# --reason never_arrived"
    )
    fields = dict(line.split(maxsplit=1) for line in made.out.splitlines() if " " in line)
    assert fields["status"].strip() == "open"
    id = fields["id"].strip()
    ended = masthead(f"dispatch close-claim --account {account} {id}")
    assert "no replacement will be sent" in ended.said
    again = masthead(f"dispatch close-claim --account {account} {id} --json").json
    assert again["status"] == "closed"


def test_warnings_go_to_stderr_and_into_the_json(masthead: CommandLine, tmp_path: Path) -> None:
    account, copy = sent(masthead, tmp_path)
    line = f"dispatch claim --account {account} --copy {copy['copy_id']} --reason other --json"
    for _ in range(2):
        masthead(line)
        freeze = f"dispatch freeze --account {account} --issue 1 --only-replacements --json"
        run = masthead(freeze).json
        masthead(f"dispatch mark --account {account} {run['id']}")
    ended = masthead(line)
    (warning,) = ended.json["warnings"]
    assert "This is replacement 3" in warning
    assert "Warning: This is replacement 3" in ended.said
    closed = masthead(
        f"dispatch claim --account {account} --copy K7 --reason other --no-replacement", code=1
    )
    assert "has 2 characters" in closed.said
