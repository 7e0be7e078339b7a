"""`masthead invoice`, and payments that are recorded by hand."""

from tests.cli.conftest import CommandLine

ADDRESS = "--name Acme --street Lindenallee --postcode 10117 --city Berlin --country DE"


def test_an_operator_sets_up_invoices(masthead: CommandLine) -> None:
    account = masthead.account()
    refused = masthead(f"invoice settings --account {account}", code=1)
    assert "no settings of invoices yet" in refused.said
    line = f"invoice settings --account {account} {ADDRESS} --json"
    assert "VAT id or the tax number" in masthead(line, code=1).said
    made = masthead(f"{line} --vat-id DE136695976").json
    assert (made["city"], made["due_days"]) == ("Berlin", 14)
    changed = masthead(f"invoice settings --account {account} --due-days 30 --json").json
    assert (changed["city"], changed["due_days"]) == ("Berlin", 30)
    rate = f"invoice rate --account {account} --from 2026-01-01 --place home --json"
    assert masthead(f"{rate} --percent 5.5").json["rate"] == 550
    assert "is no rate" in masthead(f"{rate} --percent x", code=1).said
    done = masthead(f"invoice create --account {account} --json").json
    assert done == {"issued": 0, "problems": {}}
    assert masthead(f"invoice list --account {account} --json").json == {"items": []}
    credit = masthead(f"invoice credit --account {account} 2026-1 --reason Late", code=1)
    assert "There is no invoice" in credit.said
    record = f"payments record --account {account} --amount 60"
    assert "one of them" in masthead(record, code=1).said
    assert "There is no invoice 2026-1" in masthead(f"{record} --invoice 2026-1", code=1).said
