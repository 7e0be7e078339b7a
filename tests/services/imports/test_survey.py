"""One pass over all rows decides what single rows leave open, or asks."""

from datetime import date

from msgspec import structs

from masthead.model.imports.mapping import ImportMapping, ItemOffer, Rule, answer_mapping
from masthead.model.imports.plan import ImportPlan, Survey
from masthead.model.imports.tabular_data import Line
from masthead.services.imports.reading import prepare, survey
from tests.support.import_tables import FACTS, ROW, mapping_of, prepared, table_of


def surveyed(column: str, *texts: str, mapping: ImportMapping | None = None) -> Survey:
    """The survey of rows with these cells in a column."""
    return survey(table_of([{**ROW, column: text} for text in texts]), mapping or mapping_of())


def ids(found: Survey) -> list[str]:
    """The ids of the questions."""
    return [question.id for question in found.questions]


QUIET = mapping_of(start_issue_rule="current")


def test_the_order_of_days_and_months_is_decided_from_the_whole_column() -> None:
    found = surveyed("Date", "01/02/2026", "13/02/2026", "2/2/2026", mapping=QUIET)
    assert (found.rows, found.date_orders) == (3, {"Date": "day_first"})
    assert found.questions == ()
    assert found.notes == ("Dates in `Date` have the day first, such as `13/02/2026`.",)
    found = surveyed("Date", "01/02/2026", "02/13/2026", mapping=QUIET)
    assert found.date_orders == {"Date": "month_first"}
    assert found.notes == ("Dates in `Date` have the month first, such as `02/13/2026`.",)
    assert surveyed("Date", "2026-01-02", "2/2/2026").date_orders == {}


def test_dates_with_points_have_the_day_first_beside_others_with_the_month_first() -> None:
    dates = ("03.11.2025", "2025-11-12", "12/15/2025", "7.1.26", "32.03.2026")
    found = surveyed("Date", *dates, mapping=QUIET)
    assert found.notes == (
        "Dates in `Date` such as `12/15/2025` have the month first; those with points, such as "
        "`03.11.2025`, have the day first.",
    )
    assert surveyed("Date", "03.11.2025", "2025-11-12", "12.5", mapping=QUIET).notes == ()


def test_what_a_column_of_numbers_or_months_means_is_said() -> None:
    found = surveyed("Date", "1782000000", "0", "1782000000000", "", mapping=QUIET)
    assert found.unix_columns == ("Date",)
    assert "are read as Unix times" in found.notes[0]
    assert surveyed("Date", "1782000000", "2026-05-03", "x", mapping=QUIET).unix_columns == ()
    rows = [{**ROW, "Date": text} for text in ("1782000000", "1782000000000")]
    assert [row.order.order_date for row in prepared(rows, QUIET) if row.order] == [
        *(date(2026, 6, 21), date(2026, 6, 21))
    ]

    mapping = mapping_of({"cancelled_date": "End"}, start_issue_rule="current")
    found = surveyed("Date", "2026-05", "05/2026", mapping=mapping)
    assert found.notes == ("A month in `Date`, such as `05/2026`, is read as its first day.",)
    assert surveyed("End", "2026-05", mapping=mapping).notes == ()
    [row] = prepared([{**ROW, "Date": "May 2026", "End": "05/2026"}], mapping)
    assert [reason.column for reason in row.reasons] == ["End"]

    table = structs.replace(table_of([{**ROW, "Date": "44683"}]), day_zero=date(1904, 1, 1))
    found = survey(table, QUIET)
    [row] = prepare(table, ImportPlan(mapping=QUIET), found, FACTS)
    assert row.order is not None
    assert row.order.order_date == date(2026, 5, 3)


def test_doubtful_dates_are_asked_about_and_refused_until_they_are_answered() -> None:
    rows = [{**ROW, "Date": text} for text in ("01/02/2026", "03/04/2026")]
    found = survey(table_of(rows), QUIET)
    [question] = found.questions
    assert (question.id, question.columns) == ("date_order", ("Date",))
    assert question.examples == ("01/02/2026", "03/04/2026")
    assert [row.reasons[0].column for row in prepared(rows, QUIET)] == ["Date", "Date"]
    answered = prepared(rows, QUIET, answers={"date_order": "month_first"})
    assert [row.order.order_date for row in answered if row.order] == [date(2026, 3, 4)]
    assert ids(survey(table_of(rows), answer_mapping(QUIET, {"date_order": "day_first"}))) == []


def test_dates_that_contradict_each_other_are_asked_about() -> None:
    assert ids(surveyed("Date", "13/02/2026", "02/13/2026", mapping=QUIET)) == ["date_order"]


def test_a_doubtful_column_follows_the_others_if_they_agree() -> None:
    mapping = mapping_of({"cancelled_date": "End", "start_date": "Start"}, start_issue_rule="next")
    row = {**ROW, "Date": "13/02/2026", "End": "01/02/2026"}
    found = survey(table_of([{**row, "Start": "14/02/2026"}]), mapping)
    assert (found.date_orders["End"], found.questions) == ("day_first", ())
    note = "Dates in `End` have the day first, such as `01/02/2026`."
    assert f"{note} It is read like the other columns." in found.notes
    assert ids(survey(table_of([{**row, "Start": "02/14/2026"}]), mapping)) == ["date_order"]

    mapping = mapping_of({"refunded": "Refund"}, start_issue_rule="current")
    amounts = {**ROW, "Total": "12,50", "Refund": "1.234"}
    found = survey(table_of([amounts]), mapping)
    assert (found.decimal_marks, found.questions) == ({"Total": ",", "Refund": ","}, ())


def test_doubtful_decimal_marks_are_asked_about() -> None:
    found = surveyed("Total", "1.234", "12", "x", mapping=QUIET)
    assert ids(found) == ["decimal_mark"]
    assert found.questions[0].examples == ("1.234",)
    assert surveyed("Total", "1.234", "12,50", mapping=QUIET).decimal_marks == {"Total": ","}
    assert surveyed("Total", "12.50", "12,50", mapping=QUIET).questions == ()
    assert ids(surveyed("Total", "1.234", "12.5", "12,5", mapping=QUIET)) == ["decimal_mark"]
    rows = [{**ROW, "Total": "1.234"}]
    [answered] = prepared(rows, QUIET, answers={"decimal_mark": ","})
    assert answered.order is not None
    assert answered.order.price == 123_400


def test_the_rule_for_start_issues_is_asked_for_if_dates_give_them() -> None:
    [question] = surveyed("Date", "2026-05-01").questions
    assert (question.id, question.default) == ("start_issue_rule", "current")
    offers = {"Print": ItemOffer(length=4)}
    mapping = mapping_of({"product": "Item", "length": "Gone"}, products=offers)
    assert ids(surveyed("Item", "Print", mapping=mapping)) == ["start_issue_rule"]
    assert ids(surveyed("From", "1", mapping=mapping_of({"start_issue": "From"}))) == []
    assert ids(surveyed("To", "1", mapping=mapping_of({"last_issue": "To"}))) == []
    without = mapping_of({"last_issue": "To", "length": "Gone"})
    assert ids(surveyed("To", "1", mapping=without)) == ["start_issue_rule"]


def test_the_rule_is_asked_for_before_the_products_have_a_number_of_issues() -> None:
    columns = {"product": "Item", "length": "Gone"}
    assert ids(surveyed("Item", "Print", mapping=mapping_of(columns))) == ["start_issue_rule"]
    for months in ("period_end", "billing_period"):
        mapping = mapping_of({**columns, months: "Until"})
        assert ids(surveyed("Until", "", mapping=mapping)) == []
    offers = {"Print": ItemOffer(interval_months=12)}
    assert ids(surveyed("Item", "Print", mapping=mapping_of(columns, products=offers))) == []


def test_gifts_are_asked_about_if_names_differ() -> None:
    columns: dict[str, str | Rule] = {"full_name": "To", "billing_full_name": "By"}
    mapping = mapping_of(columns, gifts="ask", start_issue_rule="current")
    rows = [{**ROW, "To": "Mia", "By": by} for by in ("Ben", "mia", "")]
    rows = [{**row, "Last": ""} for row in rows]
    found = survey(table_of(rows), mapping)
    assert ids(found) == ["gifts"]
    assert "differ in some orders (1)" in found.questions[0].text
    assert ids(survey(table_of(rows[1:]), mapping)) == []


def test_statuses_without_a_meaning_are_asked_about() -> None:
    mapping = mapping_of(
        {"status": "State"}, status={"trial": "ask", "on": "Active"}, start_issue_rule="current"
    )
    found = surveyed("State", "on", "trial", "trial", "odd", "", mapping=mapping)
    assert found.statuses == {"on": 1, "trial": 2, "odd": 1}
    assert ids(found) == ["status:trial", "status:odd"]
    assert "`trial` mean? Rows with it: 2." in found.questions[0].text
    rows = [{**ROW, "State": "trial"}]
    [row] = prepared(rows, mapping, answers={"status:trial": "leave out"})
    assert row.left_out == "State"


def test_items_and_rows_without_a_match_are_counted() -> None:
    mapping = mapping_of(
        {"product": "Item", "sent_dates": "Sent"},
        products={"Print": ItemOffer()},
        only={"Land": ("DE",)},
        continues="Kind",
        start_issue_rule="current",
    )
    rows = [
        {**ROW, "Item": "Mug", "Kind": "paid", "Sent": "13/02/2026|"},
        {**ROW, "Item": "Print", "Kind": ""},
        {**ROW, "Item": "Mug", "Kind": "paid"},
        {**ROW, "Item": "Pen", "Kind": ""},
        {**ROW, "Item": "Mug", "Kind": "paid", "Land": "FR"},
        {**ROW, "Item": "Pen", "Kind": ""},
    ]
    found = survey(table_of(rows), mapping)
    assert found.items == {"Mug": 2, "Print": 1, "Pen": 1}
    assert found.unmatched == {"Item": {"Mug + Pen": 1}, "Land": {"FR": 1}}
    assert found.date_orders == {"Sent": "day_first"}
    [row] = prepared(rows[:1], mapping, answers={"product:Mug": "Print"})
    assert row.product_id == "PRINT"
    [row] = prepared(rows[:1], mapping, answers={"product:Mug": "leave out"})
    assert row.left_out == "Item"


def test_a_survey_has_at_most_200_values_of_a_column() -> None:
    rows = [{**ROW, "State": f"s{number}"} for number in range(300)]
    found = survey(table_of(rows), mapping_of({"status": "State"}))
    assert len(found.statuses) == 200


def test_rows_that_cannot_be_read_are_counted_only() -> None:
    table = structs.replace(
        table_of([ROW]), read=lambda: iter([Line(2, ["1"] * 6, "bad"), Line(3, ["1"] * 7)])
    )
    assert survey(table, QUIET) == Survey(rows=2)


def test_values_that_are_not_known_are_asked_about_and_refused_until_they_are_answered() -> None:
    mapping = mapping_of({"salutation": "Anrede", "is_comp": "Frei"}, start_issue_rule="next")
    texts = ("Danmrk", "*", "Danmrk", "Denmark", "", "Depot", "Übersee")
    rows = [{**ROW, "Land": text, "Anrede": "Käpt'n", "Frei": "nö"} for text in texts]
    found = survey(table_of(rows), mapping)
    assert {question.id: question.default for question in found.questions} == {
        "value:country:Danmrk": "DK",
        "value:country:*": "",
        "value:country:Depot": "",
        "value:country:Übersee": "",
        "value:salutation:Käpt'n": "",
        "value:is_comp:nö": "",
    }
    text, columns = found.questions[0].text, found.questions[0].columns
    assert (text, columns) == ("What does `Danmrk` in `Land` mean? Rows with it: 2.", ("Land",))
    answers = {
        "value:country:danmrk": "DK",
        "value:country:*": "AT",
        "value:country:Depot": "leave out",
        "value:country:Übersee": "",
        "value:salutation:Käpt'n": "mr",
        "value:is_comp:nö": "no",
    }
    made = prepared(rows, mapping, answers=answers)
    assert [row.order and row.order.country for row in made] == [
        *"DK AT DK DK".split(),
        *3 * [None],
    ]
    assert made[0].order
    assert (made[0].order.salutation, made[0].order.is_comp) == ("mr", False)
    assert [row.left_out_value for row in made] == [*5 * [""], "Depot", ""]
    assert [[each.column for each in row.reasons] for row in made[4:]] == [["Land"], [], ["Land"]]
    left = survey(table_of(rows), answer_mapping(mapping, answers))
    assert ids(left) == ["value:country:Übersee"]
    assert left.unmatched == {"Land": {"Depot": 1}}


def test_a_column_with_many_unknown_values_is_not_asked_about() -> None:
    names = [f"Nowhere {number}" for number in range(21)]
    assert len(surveyed("Land", *names[:20], mapping=QUIET).questions) == 20
    assert surveyed("Land", *names, mapping=QUIET).questions == ()
