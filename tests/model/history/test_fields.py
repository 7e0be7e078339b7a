"""The entries of the audit log in words: every entry type, with the fields that it records."""

import re
from datetime import date, datetime
from typing import Any

import pytest

from masthead.model.audit_entries import EntryType
from masthead.model.history.entries import RecordNames
from masthead.model.history.fields import changes_in_log
from masthead.model.history.labels import LABELS
from masthead.model.ids import new_id
from masthead.model.translations import in_language
from tests.support.cases import for_each

ID, OTHER = new_id(1), new_id(1)
NAMES = RecordNames(
    actors={},
    records={
        ("copy", "7"): "Ada Byron, issue 21",
        ("issue", ID): "21",
        ("subscriber", ID): "Ada Byron",
        ("subscriber", OTHER): "Ann Lee",
    },
)
MOMENT = "2026-05-04T12:00:00+00:00"
Fields = dict[str, Any] | None


def settings_of(**changes: Any) -> dict[str, Any]:
    """The settings of an export profile, as the trail has them."""
    return {
        "formats": ["csv", "pdf"],
        "columns": [{"field": "name", "header": "Name"}],
        "separator": ";",
        "encoding": "utf-8",
        "formulas": "space",
        "block": {"lines": 7, "width": 35, "shortening": "arrange"},
        "contents": "csv",
        "includes_digital": False,
        "own_sheet": None,
        **changes,
    }


ADDRESS = {"first_name": "Ada", "address2": None, "city": "Bonn", "country": "NZ"}
COVER = {"sha256": "ab12", "width": 600, "height": 800}
ISSUE = {"id": ID, "number": 21, "name": "Spring", "release_date_actual": "2026-05-04"}
ISSUE |= {"newsstand_ean": None, "copies": 4320}
POLICY = {"max_replacements": 2, "max_replacements_issues": 6}
PRODUCT = {"name": "Year", "benefits": ["Map"], "type": "membership", "interval_months": 12}
SIGN_IN = {"browser": "Firefox", "address": "192.0.2.1", "is_new_browser": True}
HOOK = {"url": "https://example.org/", "types": ["issue.updated"]}
COLLECTED = {"number": 3, "day": "2026-03-02", "total": "120.00", "currency": "EUR", "debits": 2}
RETENTION = {"kind": "import_rows", "months": 6}
RUN = {"issue": ID, "number": 2, "copies": 564, "replacements": 1}
BILLING: dict[str, object] = {
    "name": "Acme",
    "street": "1 Mill Lane",
    "postcode": "10117",
    "city": "Berlin",
}
BILLING |= {"country": "NZ", "vat_id": "", "tax_number": "12", "email": "", "phone": ""}
BILLING |= {"bank": "Bank", "bic": "", "footer": "Court", "is_small_business": False}
BILLING |= {"prices_include_vat": True, "digital_percent": 30, "due_days": 14, "series": "R-"}
INVOICE = {"number": "2026-00012", "payer": "Ada Byron", "total": "60.00", "currency": "EUR"}
PAYMENT = {"amount": "60.00", "currency": "EUR", "payment_date": "2026-05-04"}
PAYMENT |= {"method": "bank transfer"}
BANK_LINE = {"amount": "60.00", "currency": "EUR", "booking_date": "2026-05-04"}
COUNTS = ("lines", "new", "known", "outgoing", "pending", "returns")
ACTIVE = {"is_active": True}, {"is_active": False}
# What each entry type records, before and after
INVOICE = {"number": "2026-00001", "payer": "Town of Ulm", "total": "60.00", "currency": "EUR"}
PAYMENT = {
    "amount": "60.00",
    "currency": "EUR",
    "payment_date": "2026-07-01",
    "method": "bank transfer",
}
RECORDED: dict[str, tuple[Fields, Fields]] = {
    "account.activate": ACTIVE,
    "account.confirm_clock": ({"seen_at": MOMENT}, {"confirmed_at": MOMENT}),
    "account.change_retention": (
        {**RETENTION, "is_active": False},
        {**RETENTION, "is_active": True},
    ),
    "account.create": (None, {"name": "Acme", "subdomain": "acme", "owner": "ada@example.test"}),
    "account.deactivate": ACTIVE,
    "account.download": (None, {"file": "renewals.csv"}),
    "account.delete_old_data": (None, {**RETENTION, "number": 12}),
    "account.download_export": (None, {"file": "acme.zip"}),
    "account.download_list": (None, {"file": "issues.csv"}),
    "account.export": (None, {}),
    "account.load": (None, {"export": "acme", "moment": MOMENT, "rows": 1000}),
    "account.move_clock": ({"daily_date": "2026-05-03"}, {"daily_date": "2026-05-04"}),
    "account.reset": ({"daily_date": "2026-05-04"}, {"daily_date": "2026-01-01"}),
    "account.redo_daily_pass": ({"daily_date": "2026-05-04"}, {"daily_date": "2026-05-03"}),
    "account.select_letters": (None, {"stage": "last", "left_out": 2, "included": 1}),
    "account.test_reminder": (None, {"reminder": "Notice", "recipient": "ada@example.test"}),
    "account.test_renewal_letter": (None, {"stage": "before", "recipient": "ada@example.test"}),
    "account.test_welcome_email": (None, {"recipient": "ada@example.test"}),
    "account.update": (
        {"locale": "en_GB", "country": None, "requires_second_factor": False, **POLICY},
        {"locale": "de_DE", "country": "NZ", "requires_second_factor": True, **POLICY},
    ),
    "account.update_reminders": (
        {"days": 7, "fee": "0.00", "encloses_invoices": False, "is_printed": False}
        | {"hold_stage": 0, "least_amount": "0.00", "stages": None},
        {"days": 8, "fee": "2.50", "encloses_invoices": True, "is_printed": True}
        | {"hold_stage": 2, "least_amount": "5.00", "stages": "Notice", "reminder": "Notice"}
        | {"currency": "EUR"},
    ),
    "account.update_renewal_letter": (
        {"stage": "after_1", "is_automatic": False, "subject": "Old"},
        {"is_automatic": True, "subject": "New"},
    ),
    "account.update_self_service": (
        {"is_open": False, "actions": "", "has_logo": False},
        {"is_open": True, "actions": "address claim", "has_logo": True},
    ),
    "account.update_billing": (BILLING, {**BILLING, "is_small_business": True}),
    "account.update_debits": (
        {"creditor_id": None, "notice_days": None},
        {"creditor_id": "DE98ZZZ09999999999", "notice_days": 14},
    ),
    "account.update_vat": (
        {"rate": None},
        {"first_day": "2027-01-01", "product_id": None, "medium": "Print", "place": "eu"}
        | {"rate": 700},
    ),
    "account.update_welcome_email": ({"text": "Old"}, {"text": "New"}),
    "bank_line.ignore": (None, BANK_LINE),
    "bank_line.reopen": (None, BANK_LINE),
    "bank_statement.import": (None, dict.fromkeys(COUNTS, 3)),
    "claim.close": ({"status": "open"}, {"status": "closed"}),
    "claim.create": (
        None,
        {"copy_id": 7, "country": "NZ", "reason": "never_arrived", "wants_replacement": True},
    ),
    "collection.cancel": (None, COLLECTED),
    "collection.create": (None, COLLECTED),
    "collection.download": (None, COLLECTED),
    "collection.send": (None, COLLECTED),
    "copy.mark_sent": (
        {"status": "Not sent", "date_sent": None},
        {"status": "Sent", "date_sent": "2026-05-04"},
    ),
    "delivery_report.accept": ({"status": "open"}, {"status": "accepted", "subscriptions": [ID]}),
    "delivery_report.create": (
        None,
        {"kind": "undeliverable", "status": "open", "copy": 7, "reason": "refused"},
    ),
    "delivery_report.dismiss": ({"status": "open"}, {"status": "dismissed"}),
    "dispatch.discard": ({"status": "frozen"}, {"status": "discarded"}),
    "dispatch.download": (None, {"file": "run.csv", "profile": "Post", "sha256": "ab12"}),
    "dispatch.freeze": (None, RUN),
    "dispatch.mark": (
        {"status": "frozen"},
        {"status": "marked", "date_sent": None, "marked": 564},
    ),
    "dispatch.shipped": (None, {"shipped": 5, "marked": 5, "status": "marked"}),
    "dispatch.undo": (
        {"status": "marked", "date_sent": "2026-05-04"},
        {"status": "frozen", "date_sent": None, "undone": 564},
    ),
    "email.retry": (None, None),
    "export_profile.activate": ACTIVE,
    "export_profile.create": (None, {"name": "Post", "settings": settings_of()}),
    "export_profile.deactivate": ACTIVE,
    "export_profile.update": (
        {"settings": settings_of()},
        {"settings": settings_of(separator=",", includes_digital=True)},
    ),
    "import_batch.delete": ({"file": "orders.csv"}, None),
    "import_batch.run": (None, {"number": 3, "file": "orders.csv", "sha256": "ab12"}),
    "import_batch.undo": (None, {"number": 3, "file": "orders.csv", "undone": 12, "kept": 1}),
    "invoice.agree_term": (
        {"promised_date": None, "is_stopped": True, "is_disputed": True, "reason": "Damaged"},
        {"promised_date": "2026-07-01", "is_stopped": False, "is_disputed": False, "reason": ""},
    ),
    "invoice.charge_fee": (None, INVOICE),
    "invoice.remind": (None, {"reminder": "Notice", "fee": "2.50", "currency": "EUR"}),
    "invoice.waive_fee": (None, {"amount": "2.50", "currency": "EUR", "reason": "Friend"}),
    "invoice.credit": (None, {**INVOICE, "corrects": "2026-00011", "reason": "Moved"}),
    "invoice.debit": (None, {"reference": "M10001-1", "day": "2026-03-02"}),
    "invoice.debit_collect": (None, {"collection": 3, "day": "2026-03-02"}),
    "invoice.debit_return": (None, {"reason": "AC04", "day": "2026-03-05"}),
    "invoice.debit_stop": (None, {}),
    "invoice.email": (None, {"number": "2026-00012", "recipient": "ada@example.test"}),
    "invoice.email_stop": (None, {"number": "2026-00012", "recipient": "ada@example.test"}),
    "invoice.email_test": (None, {"number": "2026-00012", "recipient": "ada@example.test"}),
    "invoice.issue": (None, INVOICE),
    "invoice.post": (None, {"number": "2026-00012"}),
    "invoice.post_undo": (None, {"number": "2026-00012"}),
    "invoice.print": (None, {"invoices": 3, "first": "2026-00012", "last": "2026-00014"}),
    "invoice.use_credit": (None, {"amount": "60.00", "currency": "EUR"}),
    "invoice.write_off": (None, {"amount": "60.00", "currency": "EUR", "reason": "Died"}),
    "issue.create": (None, {**ISSUE, "import_number": 3}),
    "issue.delete": (ISSUE, {"deleted_copies": 0}),
    "issue.delete_cover": ({"sha256": "ab12"}, {"sha256": None}),
    "issue.download": (None, {"file": "issue.csv"}),
    "issue.renumber": ({"number": 21}, {"number": 22, "added_copies": 1, "deleted_copies": 0}),
    "issue.set_cover": ({"sha256": "cd34"}, COVER),
    "issue.update": ({"date_as_start_issue": None}, {"date_as_start_issue": "2026-05-04"}),
    "key.create": (
        None,
        {"prefix": "mh_ab", "scope": "read_only", "user": "a@example.test", "expires_at": MOMENT},
    ),
    "key.revoke": ({"is_revoked": False}, {"is_revoked": True}),
    "key.roll": ({"expires_at": None}, {"expires_at": MOMENT, "replaced_by": "mh_ab"}),
    "letter_batch.download": (None, {"part": 1, "letters": 40}),
    "letter_batch.print": (None, {"letters": 40}),
    "letter_batch.retry": (None, {"letters": 4}),
    "letter_batch.stop": (None, {"letters": 4}),
    "letter_batch.undo_print": (None, {"letters": 40}),
    "letter_batch.write": (
        None,
        {"stage": "after_2", "channel": "email", "issue_number": 21, "letters": 4},
    ),
    "payment.pay_back": (None, PAYMENT),
    "payment.record": (None, PAYMENT),
    "payment.return": (None, {**PAYMENT, "reason": "AC04"}),
    "payment.undo": (PAYMENT, None),
    "product.activate": ACTIVE,
    "product.create": (None, {**PRODUCT, "prices": {"Digital, home": "40.00 EUR"}}),
    "product.deactivate": ACTIVE,
    "product.update": (
        {"length": 4, "prices": {"Print, europe": "48.00 EUR", "Print, home": "40.00 EUR"}},
        {
            "length": None,
            "prices": {"Print, europe": "52.00 EUR", "Print, home": "40.00 EUR"},
            "prices_from": "2027-01-01",
        },
    ),
    "reminder_round.download": (None, {"letters": 3}),
    "reminder_round.print": (None, {"reminder": "Notice", "letters": 3}),
    "reminder_round.stop": (None, {"reminder": "Notice", "letters": 3}),
    "reminder_round.undo_print": (None, {"reminder": "Notice", "letters": 3}),
    "reminder_round.write": (None, {"reminder": "Notice", "letters": 3}),
    "revenue_statement.create": (None, {"statement_date": "2026-05-04"}),
    "source.activate": ACTIVE,
    "source.create": (None, {"name": "Shop", "type": "import"}),
    "source.deactivate": ACTIVE,
    "source.rename": ({"name": "Shop"}, {"name": "Kiosk"}),
    "subscriber.create": (None, {**ADDRESS, "company": "Town of Ulm"}),
    "subscriber.update_payer": (
        {"vat_id": "", "bills_together": False},
        {"vat_id": "DE136695976", "bills_together": True},
    ),
    "subscriber.stop_reminders": ({"reminders_stopped": None}, {"reminders_stopped": "Author"}),
    "subscriber.clear_bounce": ({"email": "ada@example.test", "bounce_reason": "full"}, None),
    "subscriber.mark_bounced": (None, {"email": "ada@example.test", "bounce_reason": "full"}),
    "subscriber.resubscribe": (None, None),
    "subscriber.unsubscribe": (None, None),
    "subscriber.add_mandate": (None, {"reference": "M10001-1", "signed_date": "2026-01-02"}),
    "subscriber.revoke_mandate": (
        None,
        {"reference": "M10001-1", "day": "2026-03-05", "reason": "AC04"},
    ),
    "subscriber.update_mandate": (None, {"reference": "M10001-1"}),
    "subscriber.add_note": (None, {"note": ID}),
    "subscriber.delete_note": ({"note": ID}, None),
    "subscriber.erase": (None, {"erasure": ID}),
    "subscriber.export": (None, None),
    "subscriber.dismiss_duplicate": (None, {"subscriber": ID}),
    "subscriber.request": (None, {"request": "erasure"}),
    "subscriber.restore_duplicate": (None, {"subscriber": ID}),
    "subscriber.merge": (None, {"merged": ID, "email": None, "subscriptions": [ID, OTHER]}),
    "subscriber.undo_merge": ({"merged_into": OTHER}, None),
    "subscriber.update": ({"last_name": None}, {"last_name": "Byron"}),
    "subscription.cancel": (
        {"status": "Active"},
        {"status": "Cancelled", "cancelled_copies": [7, 8], "reason": "too expensive"},
    ),
    "subscription.cancel_address": (
        {"status": "planned", "first_issue": 21, "last_issue": None, **ADDRESS},
        {"status": "cancelled"},
    ),
    "subscription.change_price": (
        {"price": "60.00"},
        {"price": "48.00", "currency": "EUR", "order_id": "A-1", "reason": "Students pay less"},
    ),
    "subscription.change_terms": (
        {"medium": "Print", "length": 4, "start_issue": 20},
        {"medium": "Print + digital", "length": 6, "start_issue": 21, "added_copies": 2},
    ),
    "subscription.create": (
        None,
        {"type": "subscription", **ADDRESS, "status": "Active", "order_id": "A-1"},
    ),
    "subscription.plan_address": (None, {"first_issue": 21, "last_issue": 22, **ADDRESS}),
    "subscription.delete_refund": (
        {"refunded": "4.00"},
        {"refunded": "0.00", "amount": "4.00", "currency": "EUR", "refund_date": "2026-05-04"},
    ),
    "subscription.refund": (
        {"refunded": "0.00"},
        {"refunded": "4.00", "amount": "4.00", "currency": "EUR", "refund_date": "2026-05-04"},
    ),
    "subscription.hold": (None, {"invoice": "2026-00012"}),
    "subscription.release": (None, {"invoice": "2026-00012", "reminder_stopped": True}),
    "subscription.move": ({"subscriber": ID}, {"subscriber": OTHER}),
    "subscription.renew": (
        {"status": "Past due"},
        {"status": "Active", "order_id": "A-2", "import_number": 3},
    ),
    "subscription.reopen": ({"status": "Complete"}, {"status": "Active"}),
    "subscription.skip": (
        {"last_issue": 4},
        {"issues": "2–3", "instead": "added", "last_issue": 6},
    ),
    "subscription.stop_renewals": (
        {"status": "Active"},
        {"status": "Active - Renewals stopped"},
    ),
    "subscription.take_back": (
        {"status": "Active"},
        {"status": "Complete", "order_id": "A-1", "import_number": 3},
    ),
    "subscription.take_back_skip": (
        {"last_issue": 4},
        {"issues": "3", "last_issue": 4, "amount": "2.50", "currency": "EUR"},
    ),
    "subscription.undo_cancel": (
        {"status": "Cancelled"},
        {"status": "Active", "restored_copies": 2, "copies": 1},
    ),
    "subscription.update": ({**ADDRESS, "is_gift": False}, {"city": "Ulm", "is_gift": True}),
    "subscription.update_status": ({"status": "Active"}, {"status": "Complete"}),
    "user.accept_invitation": (None, None),
    "user.add": (None, {"email": "ada@example.test", "role": "staff"}),
    "user.add_app": (None, None),
    "user.add_passkey": (None, {"name": "Laptop"}),
    "user.attack": (None, {"failed_sign_ins": 100}),
    "user.change_rights": ({"rights": ["see_money", "download"]}, {"rights": ["download"]}),
    "user.change_role": ({"role": "staff"}, {"role": "owner"}),
    "user.create_recovery_codes": (None, None),
    "user.fail_second_step": (None, {"attempts": 5}),
    "user.invite": (
        None,
        {"email": "ada@example.test", "role": "staff", "rights": ["download"]},
    ),
    "user.remove": ({"email": "ada@example.test", "role": "owner"}, None),
    "user.remove_app": (None, None),
    "user.remove_passkey": (None, {"name": "Laptop"}),
    "user.rename_passkey": (None, {"name": "Laptop"}),
    "user.reset": (None, {"email": "ada@example.test"}),
    "user.reset_factors": (None, {"email": "ada@example.test"}),
    "user.set_password": (None, SIGN_IN),
    "user.sign_in": (None, SIGN_IN),
    "user.sign_out": (None, None),
    "user.sign_out_everywhere": (None, None),
    "user.use_recovery_code": (None, {"left": 9}),
    "webhook.create": (None, HOOK),
    "webhook.delete": (HOOK, None),
    "webhook.disable": ({"status": "enabled"}, {"status": "disabled", "disabled_reason": "gone"}),
    "webhook.enable": ({"status": "disabled"}, {"status": "enabled"}),
    "webhook.resend": (None, {"first": "12", "last": "14"}),
    "webhook.rotate": (None, {"old_secret_until": MOMENT}),
    "webhook.send_test": (None, {}),
    "webhook.update": (HOOK, {**HOOK, "types": []}),
}
# Words of the code that pages do not show, neither as a label nor as a value
CODE = re.compile(
    rf"\b(None|True|False|null|true|false|never_arrived|read_only|import_rows|after_[12]"
    rf"|{ID}|{OTHER}|\w+_\w+)\b|[{{}}\[\]]"
)
AMOUNT = re.compile(r"\b\d+\.\d{2}\b")  # as programs write it, without a currency
NOT_ENGLISH = re.compile(r"\b(Active|Print \+ digital|Complete|gone|yes|no|enabled|New Zealand)\b")


def lines_of(action: str, names: RecordNames = NAMES) -> list[str]:
    changes = changes_in_log(action, *RECORDED[action], names)
    return [
        f"{each.label}: {each.after}"
        if each.before is None
        else f"{each.label}: {each.before or 'empty'} → {each.after or 'empty'}"
        for each in changes
    ]


def test_the_table_has_every_event_type() -> None:
    assert RECORDED.keys() == {str(event) for event in EntryType}


@for_each("action", sorted(RECORDED))
def test_an_entry_has_no_ids_and_no_words_of_the_code(action: str) -> None:
    before, after = RECORDED[action]
    hidden = {"id", "note", "erasure", "prices", "prices_from", "settings"}
    assert {**(before or {}), **(after or {})}.keys() - hidden <= LABELS.keys()
    for language in ("en", "de"):
        with in_language(language):
            text = "\n".join(lines_of(action)).replace("mh_ab", "")
        assert not CODE.search(text), text
        if language == "de":
            assert not NOT_ENGLISH.search(text), text
            assert not AMOUNT.search(text), text


@pytest.mark.parametrize(
    "language, action, lines",
    [
        ("en", "product.update", [
            "number of issues: 4 → empty",
            "Price Europe, print: €48.00 → €52.00 from 1 January 2027"]),
        ("de", "product.update", [
            "Anzahl Ausgaben: 4 → empty",
            "Preis Europa, Print: 48,00\xa0€ → 52,00\xa0€ ab 1. Januar 2027"]),
        ("en", "export_profile.update", [
            "Include digital copies: no → yes", "Separator of CSV files: Semicolon → Comma"]),
        ("en", "subscription.refund", [
            "refunded: €0.00 → €4.00", "amount: €4.00", "date of the refund: 2026-05-04"]),
        ("en", "account.update_vat", [
            "from: 2027-01-01", "medium: Print", "where: in other countries of the EU",
            "rate of VAT: empty → 7%"]),
        ("de", "payment.record", [
            "Betrag: 60,00\xa0€", "Zahlungsdatum: 2026-07-01", "Zahlungsweg: Überweisung"]),
        ("en", "subscription.move", ["subscriber: Ada Byron → Ann Lee"]),
        ("de", "subscription.stop_renewals", ["Status: Aktiv → Aktiv, nicht verlängert"]),
        ("en", "claim.create", [
            "copy: Ada Byron, issue 21", "country: New Zealand", "reason: Did not arrive",
            "wants a replacement: yes"]),
        ("en", "account.delete_old_data", [
            "kind: Refused rows of imports", "months: 6", "deleted: 12"]),
        ("en", "account.change_retention", [
            "kind: Refused rows of imports", "months: 6", "active: no → yes"]),
        ("en", "dispatch.freeze", ["issue: 21", "number: 2", "copies: 564", "replacements: 1"]),
        ("en", "subscriber.add_note", []),
    ],
)  # fmt: skip
def test_entries_in_words(language: str, action: str, lines: list[str]) -> None:
    with in_language(language):
        assert sorted(lines_of(action)) == sorted(lines)


def test_a_record_that_is_deleted_has_no_id() -> None:
    assert lines_of("subscription.move", RecordNames(actors={}, records={})) == [
        "subscriber: no longer there"
    ]


def test_a_payment_is_named_by_its_day() -> None:
    names = RecordNames(actors={}, records={("payment", "p"): "2026-11-30"})
    with in_language("de"):
        assert names.of("payment", "p") == "30. November 2026"
    assert names.of("payment", "q") == "q"


def test_dates_and_moments_stay_what_they_are_until_the_page_writes_them() -> None:
    values = {each.label: each.after for each in changes_in_log("x.y", None, {
        "order_date": "2026-02-28",
        "expires_at": MOMENT,
        "name": "2026-02-30",
        "of_tomorrow": 1.5,
    }, NAMES)}  # fmt: skip
    assert values == {
        "order date": date(2026, 2, 28),
        "expires at": datetime.fromisoformat(MOMENT),
        "name": "2026-02-30",
        "of tomorrow": "1.5",
    }


def test_a_profile_without_a_space_for_addresses_has_no_lines_about_it() -> None:
    narrow, free = settings_of(), settings_of(block=None)
    [lines, long] = changes_in_log(
        "export_profile.update", {"settings": free}, {"settings": narrow}, NAMES
    )
    assert (lines.label, lines.before, lines.after) == (
        *("Address lines", "", "7 lines × 35 characters"),
    )
    assert (long.label, long.before) == ("An address that is too long", "")


def test_languages_by_country_are_in_words() -> None:
    names = RecordNames(actors={}, records={})
    was, now = {"country_languages": "*=en AT=de DE=de"}, {"country_languages": ""}
    [change] = changes_in_log("account.update", was, now, names)
    assert change.before == "Austria: German, Germany: German, All other countries: English"


def test_what_an_undone_merge_had_is_not_shown_as_a_change() -> None:
    names = RecordNames(actors={}, records={})
    [change] = changes_in_log("subscriber.undo_merge", {"subscriptions": [1]}, None, names)
    assert (change.before, change.after) == (None, "1")
