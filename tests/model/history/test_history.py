"""Audit entries in groups and in words."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from msgspec import structs

from masthead.model.audit_entries import EntryType
from masthead.model.history.entries import Entry, FieldChange, RecordNames
from masthead.model.history.fields import changes_of, records_in
from masthead.model.history.grouping import group_entries
from masthead.model.history.sentences import SENTENCES, sentence_of
from masthead.model.ids import new_id
from tests.support.cases import for_each

MOMENT = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
PAGE = ("subscription", "S1")
NAMES = RecordNames(
    actors={("user", "U"): "ada@example.test"}, records={("source", "X"): "Web shop"}
)


def entry(id: int, action: str = "subscription.update", **fields: Any) -> Entry:
    facts: dict[str, Any] = {
        "happened_at": MOMENT + timedelta(seconds=id),
        "actor": ("user", "U"),
        "record": PAGE,
        "before": {},
        "after": {},
        "subject": PAGE,
        **fields,
    }
    return Entry(id=id, oldest=id, action=action, **facts)


def texts(*entries: Entry, page: tuple[str, str] = PAGE) -> list[list[str]]:
    return [
        [line.text for line in group.lines] for group in group_entries(entries, NAMES, page=page)
    ]


def test_each_event_type_of_a_history_has_a_sentence() -> None:
    """A new entry type needs one in `model.history.sentences`; until then, pages show its label."""
    shown = {"claim", "copy", "delivery_report", "dispatch", "issue", "subscriber", "subscription"}
    needed = {event.value for event in EntryType if event.subject_type in shown}
    assert needed == {str(action) for action in SENTENCES}


@for_each("action", sorted(SENTENCES))
@for_each("issue", [None, 21])
def test_sentences_are_complete(action: str, issue: int | None) -> None:
    for count in (1, 564):
        text = sentence_of(action, count, after={}, issue=issue, run=3)
        assert text[0].isupper() or text.startswith("564 ")
        assert "{" not in text


@pytest.mark.parametrize(
    "action, count, after, issue, expected",
    [
        ("copy.mark_sent", 1, {}, 21, "Copy of issue 21 marked as sent"),
        ("copy.mark_sent", 564, {}, 21, "564 copies of issue 21 marked as sent"),
        ("dispatch.mark", 564, {}, 21, "564 copies of issue 21 marked as sent (mailing 3)"),
        ("subscription.update_status", 68, {"status": "Complete"}, None,
         "68 subscriptions completed"),
        ("subscription.update_status", 1, {"status": "Active"}, None, "Status changed"),
        ("claim.create", 1, {}, 21, "Claim for issue 21 recorded"),
        ("user.sign_in", 1, {}, None, "Signed in"),
        ("of.tomorrow", 2, {}, None, "of.tomorrow (2)"),
    ]
)  # fmt: skip
def test_sentences(
    action: str, count: int, after: Mapping[str, Any], issue: int | None, expected: str
) -> None:
    assert sentence_of(action, count, after=after, issue=issue, run=3) == expected


def test_what_one_actor_does_at_one_time_is_a_group() -> None:
    cancel = "subscription.cancel"
    assert texts(
        entry(9, actor=("key", "K")),
        entry(8, cancel),
        entry(5),
        entry(2)
    ) == [["Subscription changed"], ["Subscription changed", "Subscription cancelled"], [
        "Subscription changed"
    ]]  # fmt: skip


def test_similar_entries_share_a_line() -> None:
    page = ("issue", "I")
    marked = [
        entry(n, "copy.mark_sent", issue_number=21, subject=("subscription", f"S{n}"), count=count)
        for n, count in ((3, 1), (2, 500), (1, 63))
    ]
    done = entry(3, "subscription.update_status", after={"status": "Complete"}, count=68)
    assert texts(done, *marked, page=page) == [
        ["564 copies of issue 21 marked as sent", "68 subscriptions completed"]
    ]


def test_a_run_counts_its_copies_on_the_page_of_the_issue_only() -> None:
    run = entry(1, "dispatch.mark", issue_number=21, run=3, after={"marked": 564})
    assert texts(run) == [["Copy of issue 21 marked as sent (mailing 3)"]]
    assert texts(run, page=("issue", "I")) == [
        ["564 copies of issue 21 marked as sent (mailing 3)"]
    ]


def test_a_line_names_other_records_unless_there_are_many() -> None:
    others = [("subscription", f"O{n}") for n in range(4)]
    [group] = group_entries([entry(1, subject=each) for each in others[:3]], NAMES, page=PAGE)
    assert sorted(group.lines[0].subjects) == others[:3]
    [group] = group_entries([entry(1, subject=each) for each in others], NAMES, page=PAGE)
    assert group.lines[0].subjects == []
    assert group.lines[0].text == "4 subscriptions changed"


def test_different_changes_of_several_records_are_not_shown() -> None:
    one, two = ({"city": name} for name in ("Bonn", "Köln"))
    [group] = group_entries([entry(2, after=one), entry(1, after=two)], NAMES, page=PAGE)
    assert group.lines[0].changes == []
    [group] = group_entries([entry(2, after=one), entry(1, after=one)], NAMES, page=PAGE)
    assert group.lines[0].changes == [FieldChange("town", None, "Bonn")]


def test_changes_have_words_and_names() -> None:
    ids = [new_id(1), new_id(1)]
    assert changes_of(
        {"city": "Bonn", "source_id": "X", "is_gift": False, "order_date": None, "id": "I"},
        {
            "city": None,
            "source_id": "Y",
            "is_gift": True,
            "order_date": "2026-05-04",
            "id": "J",
            "cancelled_copies": [7, 8, 9],
            "subscriptions": ids,
            "of_tomorrow": "x",
            "unchanged": None,
        },
        NAMES,
    ) == [
        FieldChange("town", "Bonn", ""),
        FieldChange("source", "Web shop", "Y"),
        FieldChange("gift", "no", "yes"),
        FieldChange("order date", "", date(2026, 5, 4)),
        FieldChange("cancelled copies", None, "3"),
        FieldChange("subscriptions", None, "2"),
        FieldChange("of tomorrow", None, "x"),
    ]


def test_a_new_record_shows_the_fields_that_have_a_value() -> None:
    assert changes_of({}, {"city": None, "country": "DE"}, NAMES) == [
        FieldChange("country", None, "Germany")
    ]


def test_fields_name_their_records() -> None:
    id = new_id(1)
    assert records_in({"source_id": id, "city": id, "product": "X", "merged": None}) == {
        ("source", id)
    }


def test_a_sentence_writes_its_number_as_the_page_does() -> None:
    sent = sentence_of("copy.mark_sent", 12_345, after={}, issue=21, number=lambda n: f"{n:,}")
    assert sent == "12,345 copies of issue 21 marked as sent"
    assert sentence_of("x.y", 12_345, after={}, number=lambda n: f"{n:,}") == "x.y (12,345)"


@pytest.mark.parametrize(
    "field, value, expected",
    [
        ("reason", "too expensive", "Too expensive"),
        ("reason", "never_arrived", "Did not arrive"),
        ("reason", "as agreed", "as agreed"),
        ("kind", "moved", "moved"),
        ("status", "held", "in a prepared mailing"),
        ("status", "Past due", "Past due"),
        ("city", "open", "open"),
    ],
)
def test_words_of_the_code_are_shown_in_words(field: str, value: str, expected: str) -> None:
    (change,) = changes_of({}, {field: value}, NAMES)
    assert change.after == expected


def test_copies_of_a_bundle_are_one_order() -> None:
    made = [
        entry(
            number,
            "subscription.create",
            record=("subscription", id),
            subject=("subscription", id),
            after={"city": "Ulm", "order_id": order_id},
        )
        for number, id, order_id in [(3, "C", "X-3"), (2, "B", "X-2"), (1, "A", "X")]
    ]
    names = structs.replace(NAMES, bundles={"A": "A", "B": "A", "C": "A"})
    [group] = group_entries(made, names, page=("subscriber", "S"))
    [line] = group.lines
    assert line.text == "Subscription ordered (3 copies)"
    assert line.subjects == [("subscription", "A")]
    assert [each.after for each in line.changes] == ["Ulm", "X"]
    alone = entry(
        4, "subscription.create", record=("subscription", "D"), subject=("subscription", "D")
    )
    [group] = group_entries([alone, *made], names, page=("subscriber", "S"))
    [line] = group.lines
    assert line.text == "2 subscriptions ordered"
    assert line.subjects == [("subscription", "A"), ("subscription", "D")]
    assert line.changes == []
