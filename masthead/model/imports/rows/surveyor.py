"""Collects what all rows of a table say: column facts, questions and values without a match."""

from datetime import date

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.mapping import ASK, LEAVE_OUT, NOT_PAID, NOT_RECURRING, ImportMapping
from masthead.model.imports.plan import Choice, Question, Survey, ask_start_issue
from masthead.model.imports.rows.column_facts import AmountColumnFacts, ColumnFacts, DateColumnFacts
from masthead.model.imports.rows.compiled import CompiledMapping
from masthead.model.imports.rows.items import ItemOffers
from masthead.model.imports.rows.rules import LeftOut
from masthead.model.imports.rows.status import Statuses, describe_unpaid
from masthead.model.imports.rows.unknown_values import UnknownValues
from masthead.model.imports.tabular_data import Line
from masthead.model.imports.targets import TARGETS
from masthead.model.imports.values.days import DAY_OF_MONTH, FIRST, LAST
from masthead.model.imports.values.texts import clean
from masthead.model.translations import format_number, gettext as _
from masthead.model.types.enums import SubscriptionStatus
from masthead.model.types.text import casefold

MAX_VALUES = 200
# Fields that say that orders are for months
_OF_MONTHS = "type interval_months period_start period_end billing_period next_payment_date".split()


class Surveyor:
    """Takes the rows of a table, one after the other; its memory does not grow with them."""

    def __init__(
        self, mapping: ImportMapping, compiled: CompiledMapping, day_zero: date | None = None
    ) -> None:
        self._mapping, self._compiled, self._day_zero = mapping, compiled, day_zero
        self._rows = self._gifts = 0
        kinds = {target: TARGETS[target].kind for target in compiled.names}
        self._dates = {
            target: DateColumnFacts()
            for target, kind in kinds.items()
            if kind == "day" or target == "sent_dates"
        }
        self._amounts = {
            target: AmountColumnFacts() for target, kind in kinds.items() if kind == "money"
        }
        self._checked: list[tuple[str, DateColumnFacts | AmountColumnFacts]] = [
            *self._dates.items(),
            *self._amounts.items(),
        ]
        self._statuses = dict[str, int]()
        self._items = dict[str, int]()
        self._items_of_order = list[str]()
        self._unmatched = dict[str, dict[str, int]]()
        self._above: list[str] = [""] * compiled.width
        self._is_left_out = False
        self._offers = ItemOffers(mapping.products)
        self._unknown = UnknownValues(compiled)

    def add(self, line: Line) -> None:
        """Take a row into account."""
        self._rows += 1
        cells, above = line.cells, self._above
        if line.problem or len(cells) > self._compiled.width:
            return
        self._above = cells
        continues = self._compiled.continues(cells, above)
        if continues and self._is_left_out:
            return
        self._is_left_out = False
        try:
            if not continues:
                self._finish_order()
                self._compiled.check_filters(cells)
                self._add_values(cells)
            self._add_items(cells)
        except LeftOut as out:
            self._is_left_out = True
            self._items_of_order.clear()
            _count(self._unmatched.setdefault(out.column, {}), out.value)

    def _add_values(self, cells: list[str]) -> None:
        """Take the values of a row into account. Raises: LeftOut."""
        compiled = self._compiled
        for target, facts in self._checked:
            text = compiled.text(target, cells)
            if text:
                for part in text.split("|") if target == "sent_dates" else (text,):
                    facts.add(part.strip())
        if status := compiled.text("status", cells):
            _count(self._statuses, status)
        self._unknown.add(cells)
        if self._mapping.gifts == ASK and self._has_other_name(cells):
            self._gifts += 1

    def _add_items(self, cells: list[str]) -> None:
        if "product" in self._compiled.lists:
            names = [texts[0] for texts in self._compiled.item_texts(cells)]
            for name in names:
                _count(self._items, name)
            self._items_of_order += names

    def _finish_order(self) -> None:
        """Count an order without any product of the mapping."""
        names = self._items_of_order
        if self._mapping.products and names and not any(map(self._offers.is_sold, names)):
            column = self._compiled.names.get("product", "product")
            value = " + ".join(dict.fromkeys(names))
            _count(self._unmatched.setdefault(column, {}), value)
        self._items_of_order = []

    def _has_other_name(self, cells: list[str]) -> bool:
        """Whether billing and shipping names differ."""

        def name(prefix: str) -> str:
            parts = ("first_name", "last_name", "full_name")
            texts = (clean(self._compiled.text(f"{prefix}{part}", cells)) for part in parts)
            return casefold(" ".join(text for text in texts if text)[:500])

        return bool(name("")) and bool(name("billing_")) and name("") != name("billing_")

    def survey(self) -> Survey:
        """What all rows said."""
        self._finish_order()
        names = self._compiled.names
        orders, marks = (
            {names[it]: v for it, each in facts.items() if (v := each.verdict) is not None}
            for facts in (self._dates, self._amounts)
        )
        adopted = _adopt(orders)
        _adopt(marks)
        return Survey(
            rows=self._rows,
            date_orders=orders,
            decimal_marks=marks,
            unix_columns=tuple(names[each] for each, facts in self._dates.items() if facts.is_unix),
            day_zero=self._day_zero,
            questions=tuple(self._questions(orders, marks)),
            unmatched=self._unmatched,
            statuses=self._statuses,
            items=self._items,
            notes=(
                *self._notes_on_orders(orders, adopted),
                *self._notes_on_days(),
                *describe_unpaid(self._statuses, self._mapping),
            ),
        )

    def _notes_on_orders(self, orders: dict[str, str], adopted: list[str]) -> list[str]:
        """Whether the day or the month is first in dates."""
        found = dict[str, str]()
        for target, facts in self._dates.items():
            column = self._compiled.names[target]
            if facts.verdict is not None and (order := orders[column]):
                like = " " + _("It is read like the other columns.") if column in adopted else ""
                found[column] = facts.describe_order(column, order) + like
        return list(found.values())

    def _notes_on_days(self) -> list[str]:
        """How Unix times and months are read."""
        unix = _(
            "Numbers in `{column}` are read as Unix times: seconds or milliseconds since 1970."
        )
        months = {
            FIRST: _("A month in `{column}`, such as `05/2026`, is read as its first day."),
            LAST: _("A month in `{column}`, such as `05/2026`, is read as its last day."),
        }
        names, found = self._compiled.names, []
        for target, facts in self._dates.items():
            if facts.is_unix:
                found.append(unix.format(column=names[target]))
            if facts.has_months and target in DAY_OF_MONTH:
                found.append(months[DAY_OF_MONTH[target]].format(column=names[target]))
        return list(dict.fromkeys(found))

    def _questions(self, orders: dict[str, str], marks: dict[str, str]) -> list[Question]:
        found = []
        if not self._mapping.date_order and (doubtful := _doubtful(orders)):
            choices = (
                Choice("day_first", _("The day is first: 01/02/2026 is 1 February")),
                Choice("month_first", _("The month is first: 01/02/2026 is January 2")),
            )
            text = _("Is the day or the month first in the dates?")
            found.append(self._ask("date_order", text, choices, doubtful, self._dates))
        if not self._mapping.decimal_mark and (doubtful := _doubtful(marks)):
            choices = (
                Choice(".", _("A point: 1.234 is a bit more than one")),
                Choice(",", _("A comma: 1.234 is more than a thousand")),
            )
            text = _("Which sign is the decimal mark of the amounts?")
            found.append(self._ask("decimal_mark", text, choices, doubtful, self._amounts))
        others = self._other_questions()
        return [*found, *others, *self._status_questions(), *self._unknown.questions()]

    def _ask(
        self,
        id: str,
        text: str,
        choices: tuple[Choice, ...],
        doubtful: list[str],
        facts: "dict[str, DateColumnFacts] | dict[str, AmountColumnFacts]",
    ) -> Question:
        names = self._compiled.names
        all_facts: dict[str, ColumnFacts] = dict(facts)
        examples = [
            each for t, fact in all_facts.items() if names[t] in doubtful for each in fact.examples
        ]
        return Question(
            id=id,
            text=text,
            choices=choices,
            columns=tuple(doubtful),
            examples=tuple(dict.fromkeys(examples))[:5],
        )

    def _other_questions(self) -> list[Question]:
        found, mapping, gets = [], self._mapping, self._compiled.gets
        is_counted = "length" in gets or any(offer.length for offer in mapping.products.values())
        if "last_issue" in gets:
            is_counted = not is_counted  # together they say with which issue an order begins
        is_open = "product" in gets and not mapping.products and gets.keys().isdisjoint(_OF_MONTHS)
        if (is_counted or is_open) and "start_issue" not in gets and not mapping.start_issue_rule:
            found.append(ask_start_issue("current"))
        if self._gifts:
            choices = (
                Choice("by_name", _("Yes: the buyer gives them to the recipient")),
                Choice("no", _("No: they are for the recipient's own account")),
            )
            text = _(
                "Billing and shipping names differ in some orders ({count}). Are they gifts?"
            ).format(count=format_number(self._gifts))
            found.append(Question(id="gifts", text=text, choices=choices, default="by_name"))
        return found

    def _status_questions(self) -> list[Question]:
        """A question for each status without a meaning."""
        statuses, found = Statuses(self._mapping), []
        for text, count in self._statuses.items():
            try:
                statuses.find(text)
            except Invalid:
                question = _("What does the status `{status}` mean? Rows with it: {count}.")
                found.append(
                    Question(
                        id=f"status:{text}",
                        text=question.format(status=text, count=format_number(count)),
                        choices=_meanings(),
                        default=_translated_status(text),
                        columns=(self._compiled.names.get("status", "status"),),
                        examples=(text,),
                    )
                )
        return found


def _translated_status(text: str) -> str:
    """The status of ours that has this name in the current language; "" if none has."""
    name = casefold(text)
    return next((each.value for each in SubscriptionStatus if casefold(_(each.value)) == name), "")


def _meanings() -> tuple[Choice, ...]:
    return (
        *(Choice(each.value, _(each.value)) for each in SubscriptionStatus),
        Choice(NOT_RECURRING, _("It does not renew")),
        Choice(NOT_PAID, _("It is not paid")),
        Choice(LEAVE_OUT, _("Leave these rows out")),
    )


def _count(counts: dict[str, int], text: str) -> None:
    value = excerpt(text)
    if value in counts or len(counts) < MAX_VALUES:
        counts[value] = counts.get(value, 0) + 1


def _doubtful(verdicts: dict[str, str]) -> list[str]:
    return [column for column, verdict in verdicts.items() if not verdict]


def _adopt(verdicts: dict[str, str]) -> list[str]:
    """Let doubtful columns follow the others if these all agree; returns the doubtful ones.

    One program or person wrote all columns of a file.
    """
    clear = {verdict for verdict in verdicts.values() if verdict}
    doubtful = _doubtful(verdicts)
    if len(clear) == 1:
        verdicts.update(dict.fromkeys(doubtful, clear.pop()))
    return doubtful
