"""The entry types of the audit trail: each has a label, is recorded, and is written only once."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import masthead
from masthead.model.audit_entries import EntryType, label_of
from masthead.model.timeline.changes import describe_subscription_event
from masthead.model.timeline.sending import describe_sending
from tests.support.cases import for_each

ROOT = Path(masthead.__file__).parent
VOCABULARY = ROOT / "model" / "audit_entries.py"
MIGRATIONS = ROOT / "store" / "engine" / "migrations"
READERS = (
    ROOT / "store" / "audit",
    ROOT / "store" / "reports",
    ROOT / "services" / "timeline.py",
)
QUOTED = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, EntryType))})(?![\w.])")


def sources() -> Iterator[Path]:
    """Every module of masthead except the list of entry types and the migrations."""
    for path in ROOT.rglob("*.py"):
        if path != VOCABULARY and MIGRATIONS not in path.parents:
            yield path


def test_no_text_outside_the_list_of_entry_types_contains_one() -> None:
    found = [
        (str(path.relative_to(ROOT)), node.lineno, match[1])
        for path in sources()
        if QUOTED.search(text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for match in QUOTED.finditer(node.value)
    ]
    found += [
        (str(path.relative_to(ROOT)), 0, match[1])
        for path in ROOT.rglob("*.html")
        for match in QUOTED.finditer(path.read_text())
    ]
    assert found == []


def test_the_check_for_entry_types_finds_them_in_sql() -> None:
    assert QUOTED.search("WHERE action = 'subscription.cancel'")
    assert QUOTED.search("key.revoke")
    assert not QUOTED.search("masthead.key.revoke")
    assert not QUOTED.search("SELECT account.created_at FROM account")


def test_every_entry_type_is_recorded_somewhere() -> None:
    recorded = {
        name
        for path in sources()
        if not any(reader == path or reader in path.parents for reader in READERS)
        for name in re.findall(r"\bEntryType\.([A-Z_]+)\b", path.read_text())
    }
    assert recorded == set(EntryType.__members__)


@for_each("entry", EntryType)
def test_every_entry_type_has_a_name_and_a_label(entry: EntryType) -> None:
    assert entry.name == entry.value.replace(".", "_").upper()
    assert re.fullmatch(r"[A-Z][\w -]+[a-z]", entry.label)
    assert label_of(entry.value) == entry.label


def test_labels_are_unique() -> None:
    assert len({entry.label for entry in EntryType}) == len(EntryType)


def test_an_unknown_entry_type_is_its_own_label() -> None:
    assert label_of("copy.recall") == "copy.recall"


def test_the_value_of_an_entry_type_names_the_type_of_record() -> None:
    assert EntryType.KEY_REVOKE.subject_type == "key"
    assert str(EntryType.KEY_REVOKE) == "key.revoke"


@for_each(
    "action, after, lines",
    [
        ("subscription.create", {"status": "Active"}, ["Ordered"]),
        ("subscription.renew", {"status": "Active"}, ["Renewed"]),
        ("subscription.reopen", {"status": "Active"}, ["Status corrected"]),
        ("subscription.cancel", {"status": "Cancelled"}, ["Cancelled"]),
        ("subscription.skip", {"issues": "2–3"}, ["Skipped: issue 2–3"]),
        ("subscription.take_back_skip", {"issues": "3"}, ["Included again: issue 3"]),
        ("subscription.stop_renewals", {}, ["Renewals stopped"]),
        ("subscription.update_status", {"status": "Complete"}, ["Complete"]),
        ("subscription.update_status", {"status": "Past due"}, ["Past due"]),
        ("subscription.update_status", {"status": "Active"}, ["Changed"]),
        ("subscription.update", {"city": "Ulm"}, ["Address changed"]),
        ("subscription.update", {"last_name": "Byron"}, ["Name changed"]),
        (
            "subscription.update",
            {"first_name": "Ada", "company": "Acme", "notes": "x"},
            ["Name changed", "Address changed", "Notes changed"],
        ),
        ("subscription.change_terms", {"medium": "Digital"}, ["Medium or issues changed"]),
        ("subscription.refund", {"amount": "4.00"}, ["Refunded"]),
        ("subscription.delete_refund", {"amount": "4.00"}, ["Refund deleted"]),
        ("subscription.refund", {"amount": "4.00", "is_billed": True}, ["Credited"]),
        ("subscription.undo_cancel", {"status": "Active"}, ["Reopened"]),
        ("subscription.hold", {"reason": "moving"}, ["Copies held: moving"]),
        ("subscription.hold", {"invoice": "R-7"}, ["Copies held: invoice R-7 is not paid"]),
        ("subscription.release", {"invoice": "R-7"}, ["Copies released: invoice R-7 is settled"]),
        (
            "subscription.release",
            {"invoice": "R-7", "reminder_stopped": True},
            ["Copies released: the reminder of invoice R-7 did not go out"],
        ),
        ("subscription.unknown", {}, ["Changed"]),
    ],
)
def test_the_history_of_a_subscription_describes_each_event(
    action: str, after: dict[str, str], lines: list[str]
) -> None:
    assert describe_subscription_event(action, after) == lines


def test_the_history_of_a_subscription_names_the_issue_of_a_sent_copy() -> None:
    assert describe_subscription_event("copy.mark_sent", {"status": "Sent"}, issue=24) == [
        "Copy of issue 24 marked as sent"
    ]


@pytest.mark.parametrize(
    "action, day, words",
    [
        ("dispatch.mark", None, "sent"),
        ("dispatch.mark", "2026-05-03", "sent on 3.5."),
        ("dispatch.undo", None, "is no longer marked as sent"),
    ],
)
@pytest.mark.parametrize(
    "kind, noun",
    [({}, "Copy"), ({"is_replacement": True}, "Replacement"), ({"is_grace": True}, "Grace copy")],
)
def test_the_history_of_a_subscription_describes_runs(
    action: str, day: str | None, words: str, kind: dict[str, bool], noun: str
) -> None:
    described = describe_sending(
        action,
        {"date_sent": day},
        issue=24,
        run=3,
        day=lambda day: f"{day.day}.{day.month}.",
        **{"is_replacement": False, **kind},
    )
    assert described == f"{noun} of issue 24 {words} (mailing 3)"
