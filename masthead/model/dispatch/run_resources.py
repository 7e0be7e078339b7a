"""Dispatch runs as the API and the command line show them."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from msgspec import Struct, structs

from masthead.model.dispatch.runs import UNDO_PERIOD, Dispatch, DispatchStatus, LineStatus
from masthead.model.resources import IssueRef, Moment
from masthead.model.types.enums import Medium

LineCounts = Mapping[tuple[str, str, LineStatus], int]  # by country, medium and status


class DispatchRun(Struct, frozen=True):
    """A dispatch run: the copies of one issue that go out together, at frozen addresses.

    id: use it in paths.
    number: 1 for the first run of its issue.
    copies: number of copies that the run took when it was frozen.
    replacements: number of replacements that it took.
    grace_copies: number of grace copies that it took: issues after the last paid one.
    lines: `copies`, `replacements` and `grace_copies` together.
    countries: ISO codes of the countries that it was frozen for; empty for all.
    media: the media that it was frozen for; empty for all.
    sources: ids of the sources that it was frozen for; empty for all.
    only_replacements: whether it was frozen for replacements only.
    fingerprint: SHA-256 of the frozen lines; it never changes.
    date_sent: date on which its copies were sent; null if it is not marked, or has no date.
    created_at: when it was frozen, in UTC.
    marked_at: when it was marked as sent; null if it is not marked.
    undo_until: until then the marking can be undone in any case; later, only until a later run of
        the issue is marked. Null if the run is not marked.
    discarded_at: when it was discarded; null if it was not.
    """

    id: str
    issue: IssueRef
    number: int
    status: DispatchStatus
    copies: int
    replacements: int
    grace_copies: int
    lines: int
    countries: list[str]
    media: list[Medium]
    sources: list[str]
    only_replacements: bool
    fingerprint: str
    date_sent: date | None
    created_at: Moment
    marked_at: Moment | None
    undo_until: Moment | None
    discarded_at: Moment | None


class DispatchRunDetail(DispatchRun, frozen=True):
    """A dispatch run, with counts of its lines.

    held: number of lines that are in the run, but not sent.
    sent: number of lines that are sent.
    left: number of lines that are no longer in the run, for example because a subscription was
        cancelled.
    by_country: number of frozen lines by ISO code of the country, most first; as in its files.
    by_medium: number of frozen lines by medium, most first.
    """

    held: int
    sent: int
    left: int
    by_country: dict[str, int]
    by_medium: dict[str, int]


def run_resource(run: Dispatch) -> DispatchRun:
    """A run as the API returns it in lists."""
    return DispatchRun(**_run_fields(run))


def run_detail(run: Dispatch, counts: LineCounts) -> DispatchRunDetail:
    """A run with the counts of its lines."""
    by_status = dict.fromkeys(LineStatus, 0)
    by_country: dict[str, int] = {}
    by_medium: dict[str, int] = {}
    for (country, medium, status), count in counts.items():
        by_status[status] += count
        by_country[country] = by_country.get(country, 0) + count
        by_medium[medium] = by_medium.get(medium, 0) + count
    return DispatchRunDetail(
        **_run_fields(run),
        held=by_status[LineStatus.IN_RUN],
        sent=by_status[LineStatus.SENT],
        left=by_status[LineStatus.LEFT],
        by_country=_most_first(by_country),
        by_medium=_most_first(by_medium),
    )


def _run_fields(run: Dispatch) -> dict[str, Any]:
    selection = run.selection
    own = structs.asdict(run)
    shared = {name: own[name] for name in DispatchRun.__struct_fields__ if name in own}
    return shared | {
        "issue": IssueRef(id=run.issue_id, number=run.issue_number, name=run.issue_name),
        "countries": list(selection.countries),
        "media": list(selection.media),
        "sources": list(selection.sources),
        "only_replacements": selection.only_replacements,
        "undo_until": run.marked_at + UNDO_PERIOD if run.marked_at else None,
    }


def _most_first(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
