"""Count the rows of an import by what became of them, and group the reasons."""

import re
from collections.abc import Iterable

import msgspec

from masthead.model.imports.batches import MOST_REASONS, Counts, ReasonCount, RowOutcome
from masthead.model.imports.plan import Problem
from masthead.model.imports.values.postcodes import restore_zeros
from masthead.model.translations import gettext as _
from masthead.services.imports.work.placed import PlacedRow

_QUOTED = re.compile(r"`[^`]*`")
_MAX_TEXT = 500
_PARTS = {
    RowOutcome.IMPORTED: "imported",
    RowOutcome.LIKELY: "imported",
    RowOutcome.SKIPPED: "skipped",
    RowOutcome.REFUSED: "rejected",
    RowOutcome.LEFT_OUT: "left_out",
}
_Key = tuple[RowOutcome, str, str]  # outcome, column, text without the quoted values


class Tally:
    """The counts of an import so far, and its reasons."""

    def __init__(self, counts: Counts, reasons: Iterable[ReasonCount]) -> None:
        self.counts = msgspec.structs.replace(counts, copies_out={**counts.copies_out})
        self._reasons = {
            self._key(each.outcome, each.column, each.text): msgspec.structs.replace(each)
            for each in reasons
        }

    @property
    def reasons(self) -> list[ReasonCount]:
        """The reasons, most frequent first."""
        return sorted(self._reasons.values(), key=lambda each: -each.count)

    def plus(self, rows: Iterable[PlacedRow]) -> "Tally":
        """The counts with more rows. This one does not change: a transaction may run again."""
        tally = Tally(self.counts, self._reasons.values())
        for row in rows:
            tally._add(row)
        return tally

    def _add(self, row: PlacedRow) -> None:
        counts, stored = self.counts, row.stored
        part = _PARTS[stored.outcome]
        counts.read += 1
        setattr(counts, part, getattr(counts, part) + 1)
        if stored.reasons:
            self._add_reasons(stored.outcome, stored.line, stored.reasons)
        if part != "imported":
            return
        made = stored.made
        assert made is not None
        counts.warned += bool(stored.reasons)
        counts.likely += stored.outcome is RowOutcome.LIKELY
        counts.subscribers_made += made.subscriber + bool(made.giver) + bool(made.payer)
        counts.billed += made.billed
        counts.mandates += bool(made.mandate)
        counts.subscribers_matched += not made.subscriber
        counts.subscriptions += made.subscription
        counts.renewals += not made.subscription
        counts.copies += row.copies
        if row.order and restore_zeros(row.order.postcode, row.order.country):
            counts.lost_zeros += 1
        for number in row.out:
            counts.copies_out[number] = counts.copies_out.get(number, 0) + 1
        through = (row.order.sent_through if row.order else None) or 0
        counts.copies_sent += sum(number <= through for number in row.out)

    def _add_reasons(self, outcome: RowOutcome, line: int, reasons: list[Problem]) -> None:
        once = {self._key(outcome, each.column, each.text): each for each in reasons}
        for key, reason in once.items():
            known = self._reasons.get(key)
            if known is None and len(self._reasons) >= MOST_REASONS:
                key = self._key(outcome, "", _("Other reasons."))
                known = self._reasons.get(key)
            if known is None:
                text = reason.text if len(self._reasons) < MOST_REASONS else _("Other reasons.")
                known = ReasonCount(
                    outcome, key[1], text[:_MAX_TEXT], 0, line, reason.value[:_MAX_TEXT]
                )
                self._reasons[key] = known
            known.count += 1

    @staticmethod
    def _key(outcome: RowOutcome, column: str, text: str) -> _Key:
        """What reasons that are counted together have in common. `…` are values of the row."""
        return outcome, column, _QUOTED.sub("`…`", text)[:_MAX_TEXT]
