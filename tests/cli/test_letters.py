"""`masthead letters`: how many subscribers would get a letter, and sending it."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

ROWS = """\
order_id,email,country,first_name,address1,city,start_issue,length,order_date,price
A1,ada@example.test,DE,Ada,,,1,1,2026-01-15,42.00
A2,,DE,Bob,Hafenweg 1,Hamburg,1,1,2026-01-15,42.00
A3,,DE,Cleo,,,1,1,2026-01-15,42.00
"""


def account_with_subscribers(masthead: CommandLine, tmp_path: Path) -> str:
    """An account whose current issue is the last one of three subscribers."""
    account = masthead.account()
    today = datetime.now(UTC).date().isoformat()
    masthead(f"issue create --account {account} --number 1 --date-as-start-issue {today}")
    file = tmp_path / "rows.csv"
    file.write_text(ROWS)
    masthead(f"import --account {account} --source {masthead.source(account)}", str(file))
    return account


def test_preview_counts_the_letters_of_a_stage(masthead: CommandLine, tmp_path: Path) -> None:
    account = account_with_subscribers(masthead, tmp_path)
    shown = masthead(f"letters preview --account {account} --stage last --json").json
    assert shown == {
        "stage": "last",
        "issue_number": 1,
        "email": 1,
        "print": 1,
        "written": 0,
        "ended": 3,
        "memberships": 0,
        "automatic": 0,
        "skipped": {"no_address": 1},
    }
    said = masthead(f"letters preview --account {account} --stage last").out
    assert said.splitlines() == [
        "end with issue 1: 3",
        "memberships to renew: 0",
        "renew automatically: 0",
        "by email: 1",
        "to print: 1",
        "written already: 0",
        "no letter, no_address: 1",
    ]


def test_an_unknown_stage_names_the_stages(masthead: CommandLine) -> None:
    account = masthead.account()
    said = masthead(f"letters preview --account {account} --stage later", code=2).said
    assert "before" in said
    assert "after-2" in said or "after_2" in said


def test_without_a_mail_server_nothing_is_sent(masthead: CommandLine) -> None:
    said = masthead(f"letters send --account {masthead.account()} --stage last", code=1).said
    assert "MASTHEAD_SMTP_HOST" in said


def test_send_queues_the_emails_once(
    masthead: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MASTHEAD_SMTP_HOST", "mail.test")
    monkeypatch.setenv("MASTHEAD_MAIL_FROM", "Acme <hello@acme.test>")
    account = account_with_subscribers(masthead, tmp_path)
    send = f"letters send --account {account} --stage last"
    assert masthead(f"{send} --json").json["letters"] == 1
    assert "No emails are left to send for this stage." in masthead(send, code=1).said
    shown = masthead(f"letters preview --account {account} --stage last --json").json
    assert (shown["email"], shown["written"]) == (0, 1)


def test_send_says_how_many_letters_wait(
    masthead: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MASTHEAD_SMTP_HOST", "mail.test")
    monkeypatch.setenv("MASTHEAD_MAIL_FROM", "Acme <hello@acme.test>")
    account = account_with_subscribers(masthead, tmp_path)
    sent = masthead(f"letters send --account {account} --stage last")
    said, batch = sent.out.splitlines()
    assert said == "letters queued: 1; `masthead serve` sends them"
    id = batch.removeprefix("batch: ")
    stopped = masthead(f"letters stop --account {account} --batch {id}")
    assert stopped.out.splitlines() == ["stopped: 1", "went out before: 0", "just being sent: 0"]
    again = masthead(f"letters stop --account {account} --batch {id} --json").json
    assert again == {"stopped": 0, "sent": 0, "on_their_way": 0}
    assert masthead(f"letters send --account {account} --stage last --json").json["letters"] == 1
