"""The issues that come out in a span of days: the first for a new address, and the last."""

from collections.abc import Callable, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.subscriptions.lifecycle import next_day
from masthead.model.translations import gettext as _
from masthead.model.types.fields import MAX_NUMBER

MAX_EXPECTED = 200  # issues after the last one with a release date


class Release(Struct, frozen=True):
    """The day on which an issue comes out. is_expected: from the intervals of other issues."""

    number: int
    day: date
    is_expected: bool = False


class IssueSpan(Struct, frozen=True):
    """The issues that come out in a span of days. last: None for all that follow."""

    first: Release
    last: Release | None


def find_span(
    releases: Sequence[Release],
    first_day: date,
    last_day: date | None,
    *,
    write: Callable[[date], str] = date.isoformat,
) -> IssueSpan:
    """The issues that come out from one day to another, both included.

    releases: of issues with a release date, by number. Issues without one are expected at the
    intervals of the others. last_day: None for all issues from the first day on.
    write: a day for messages. Raises: Invalid (`unknown_release_dates`, `no_issue_in_span`).
    """
    if last_day is not None and last_day < first_day:
        raise Invalid(
            _("The last day, {last}, is before the first one, {first}.").format(
                last=write(last_day), first=write(first_day)
            ),
            field="last_day",
            value=str(last_day),
        )
    first, _before = _first_from(releases, first_day, "first_day", write)
    after = next_day(last_day) if last_day else None
    if last_day is None or after is None:
        return IssueSpan(first, None)
    _back, last = _first_from(releases, after, "last_day", write)
    if last is None or last.number < first.number:
        raise Invalid(
            _(
                "No issue comes out from {first} to {last}: the next one is issue {issue}, on "
                "{day}. So there is nothing to change, unless you choose a later last day."
            ).format(
                first=write(first_day),
                last=write(last_day),
                issue=first.number,
                day=write(first.day),
            ),
            code="no_issue_in_span",
            field="last_day",
            value=str(last_day),
        )
    return IssueSpan(first, last)


def _first_from(
    releases: Sequence[Release], day: date, field: str, write: Callable[[date], str]
) -> tuple[Release, Release | None]:
    """The first issue from a day on, and the one before it, if any. Raises: Invalid."""
    known = {each.number: each for each in releases}
    before = max((each.number for each in releases if each.day < day), default=None)
    if before is None and releases:
        return releases[0], None
    interval = _interval(releases)
    anchor = found = known.get(before or 0)
    for number in range((before or 0) + 1, (before or 0) + 1 + MAX_EXPECTED):
        following = known.get(number)
        if following is None:
            if anchor is None or interval is None:
                break
            expected = anchor.day.toordinal() + round((number - anchor.number) * interval)
            if number > MAX_NUMBER or expected > date.max.toordinal():
                break
            following = Release(number, date.fromordinal(expected), is_expected=True)
        if following.day >= day:
            return following, found
        found = following
    raise Invalid(
        _(
            "It is not known which issue is the first one from {day} on: too few issues have a "
            "release date. Type the release dates of the next issues, or choose an issue instead "
            "of a day."
        ).format(day=write(day)),
        code="unknown_release_dates",
        field=field,
        value=str(day),
    )


def _interval(releases: Sequence[Release]) -> float | None:
    """The days from one issue to the next; None if they are not known."""
    if len(releases) < 2:
        return None
    first, last = releases[0], releases[-1]
    days = (last.day - first.day).days / (last.number - first.number)
    return days if days >= 1 else None
