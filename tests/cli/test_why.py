"""`masthead why`: whether a subscriber got an issue, and why not."""

from pathlib import Path

from tests.cli.conftest import CommandLine

ROWS = """\
order_id,email,first_name,last_name,country,start_issue,length,order_date,price,sent_issues
A1,anna@example.com,Anna,Ek,SE,1,2,2026-01-15,42.00,1
A2,anna@example.com,Anna,Ek,SE,2,1,2026-01-15,42.00,
"""


def prepared(masthead: CommandLine, tmp_path: Path) -> str:
    """An account with two issues, and with a subscriber who has two subscriptions."""
    account = masthead.account()
    for number in (1, 2):
        masthead(f"issue create --account {account} --number {number}")
    file = tmp_path / "rows.csv"
    file.write_text(ROWS)
    masthead(f"import --account {account} --source {masthead.source(account)}", str(file))
    return account


def test_the_answer_is_a_sentence_and_one_line_for_each_subscription(
    masthead: CommandLine, tmp_path: Path
) -> None:
    account = prepared(masthead, tmp_path)
    first, *others = masthead(
        f"why --account {account} --subscriber ANNA@example.com --issue 1"
    ).out.splitlines()
    assert first.startswith(
        "Issue 1 was sent to Anna Ek: it was marked as sent without a date, outside"
    )
    assert len(others) == 2
    assert others[1].endswith(": No: Anna Ek's subscription starts with issue 2.")


def test_the_answer_is_one_json_object(masthead: CommandLine, tmp_path: Path) -> None:
    account = prepared(masthead, tmp_path)
    line = f"why --account {account} --subscriber anna@example.com --issue"
    answer = masthead(f"{line} 3 --json").json
    assert answer["code"] == "after_end"
    assert answer["issue"] is None
    assert [each["code"] for each in answer["subscriptions"]] == ["after_end", "after_end"]
    got = masthead(f"{line} 2 --json").json
    assert (got["code"], got["issue"]["number"]) == ("not_out", 2)
    by_id = masthead(
        f"why --account {account} --subscriber {got['subscriber']['id']} --issue 2 --json"
    ).json
    assert by_id == got


def test_an_unknown_subscriber_is_answered_with_exit_code_1(
    masthead: CommandLine, tmp_path: Path
) -> None:
    account = prepared(masthead, tmp_path)
    line = f"why --account {account} --subscriber bo@example.com --issue 1"
    ended = masthead(line, code=1)
    assert ended.out == "There is no subscriber bo@example.com in this account.\n"
    named = masthead(f"why --account {account} --subscriber Ek --issue 1", code=1)
    assert named.out == (
        "There is no subscriber Ek in this account. Give an email address or an ID.\n"
    )
    assert masthead(f"{line} --json", code=1).json["code"] == "unknown_subscriber"
    masthead("why --account none --subscriber bo@example.com --issue 1", code=1)
    masthead(f"why --account {account} --issue 1", code=2)
