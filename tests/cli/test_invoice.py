"""`masthead invoice`, and payments that are recorded by hand."""

from pathlib import Path

from tests.cli.conftest import CommandLine

ADDRESS = "--name Acme --street Lindenallee --postcode 10117 --city Berlin --country DE"


def test_an_operator_sets_up_invoices(masthead: CommandLine) -> None:
    account = masthead.account()
    refused = masthead(f"invoice settings --account {account}", code=1)
    assert "no settings of invoices yet" in refused.said
    line = f"invoice settings --account {account} {ADDRESS} --json"
    assert "VAT ID or the tax number" in masthead(line, code=1).said
    made = masthead(f"{line} --vat-id DE136695976").json
    assert (made["city"], made["due_days"]) == ("Berlin", 14)
    changed = masthead(f"invoice settings --account {account} --due-days 30 --json").json
    assert (changed["city"], changed["due_days"]) == ("Berlin", 30)
    settings = f"invoice settings --account {account} --json"
    known = masthead(f"{settings} --email desk@acme.test --phone", "+49 30 1234567").json
    assert (known["email"], known["phone"]) == ("desk@acme.test", "+49 30 1234567")
    for wrong, reason in (("--email desk", "email"), ("--phone soon", "not a phone number")):
        assert reason in masthead(f"{settings} {wrong}", code=1).said
    gone = masthead(f"{settings} --phone", "").json
    assert (gone["email"], gone["phone"]) == ("desk@acme.test", "")
    later = f"invoice vat --account {account} --from 2027-01-01 --json"
    made = masthead(f"{later} --small-business --digital-percent 30").json
    assert made == {"first_day": "2027-01-01", "is_small_business": True, "digital_percent": 30}
    assert masthead(f"{later} --no-small-business").json == made | {"is_small_business": False}
    masthead(f"{later} --digital-percent 101", code=2)
    listed = masthead(settings).json
    assert listed["vat_settings"] == [made | {"is_small_business": False}]
    rate = f"invoice rate --account {account} --from 2026-01-01 --place home --json"
    assert masthead(f"{rate} --percent 5.5").json["rate"] == 550
    assert "is no rate" in masthead(f"{rate} --percent x", code=1).said
    francs = f"invoice exchange-rate --account {account} --from 2026-11-01 --base EUR --json"
    assert masthead(f"{francs} --quote CHF --rate 0.9342").json == {
        "first_day": "2026-11-01",
        "base_currency": "EUR",
        "quote_currency": "CHF",
        "rate": "0.9342",
    }
    assert "must be EUR" in masthead(f"{francs} --quote EUR --rate 1", code=1).said
    done = masthead(f"invoice create --account {account} --json").json
    assert done == {"issued": 0, "problems": {}}
    assert masthead(f"invoice list --account {account} --json").json == {"items": []}
    credit = masthead(f"invoice credit --account {account} 2026-1 --reason Late", code=1)
    assert "There is no invoice" in credit.said
    record = f"payments record --account {account} --amount 60"
    assert "one of them" in masthead(record, code=1).said
    assert "There is no invoice 2026-1" in masthead(f"{record} --invoice 2026-1", code=1).said


def test_an_amount_that_credits_nothing_is_refused(masthead: CommandLine, tmp_path: Path) -> None:
    account = masthead.account()
    masthead(f"invoice settings --account {account} {ADDRESS} --vat-id DE136695976")
    masthead(f"invoice rate --account {account} --from 2020-01-01 --place home --percent 7")
    masthead(f"issue create --account {account} --number 1")
    path = tmp_path / "orders.csv"
    path.write_text(
        "order_id,first_name,address1,postcode,city,country,order_date,price,start_issue,length,"
        "is_billed\nA,Ada,Allee 1,10115,Berlin,DE,2026-01-15,42.00,1,4,yes\n"
    )
    masthead(f"import --account {account} --source {masthead.source(account)}", str(path))
    assert masthead(f"invoice create --account {account} --json").json["issued"] == 1
    [invoice] = masthead(f"invoice list --account {account} --json").json["items"]
    credit = f"invoice credit --account {account} {invoice['number']} --reason Late --json"
    for amount, why in (("0.00", "more than 0"), ("1.001", "2 decimals"), ("x", "decimal amount")):
        assert why in masthead(f"{credit} --amount {amount}", code=1).said
    assert masthead(f"{credit} --amount 2.00").json["total"] == "2.00"
    assert masthead(credit).json["total"] == "40.00"
