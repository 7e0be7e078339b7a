"""Find the problems of many addresses without delaying other requests.

The checks are Python, about 5 µs a line. They run on the event loop in slices of a millisecond: a
thread of pure Python would delay each request by several.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

from masthead.model.dispatch.address_checks import (
    AddressChecker,
    AddressReport,
    ProblemKind,
    addressee,
    explain_characters,
    fields_of,
)
from masthead.model.dispatch.address_layout import address_lines
from masthead.model.dispatch.fitting import AddressSpace
from masthead.model.dispatch.preview import CheckableLine, LineProblem, ProblemLine
from masthead.model.dispatch.profiles import ProfileSettings, prints_labels
from masthead.model.dispatch.runs import Dispatch, DispatchSelection, Layout, LineStatus
from masthead.model.ids import LAST_NUMBER
from masthead.model.translations import gettext as _
from masthead.services.dispatch.label_problems import LabelProblems
from masthead.services.dispatch.writers.fonts import is_simple, uncovered_characters
from masthead.store.dispatch import grace_candidates, lines
from masthead.store.dispatch.candidate_lists import find_bound, list_claims, list_copies
from masthead.store.engine.interface import Connection
from masthead.store.subscriptions import bundles

READ = 2_000  # copies read at a time; each read takes 1 ms besides
SLICE = 200  # lines checked at a time, about 1 ms
KEEP = 20  # lines named for each problem
MISSING_GLYPH = "missing_glyph"


class AddressProblems:
    """The problems of the addresses of lines. settings: of the profile of the files.

    Without them, any length and all characters are right.
    """

    def __init__(
        self, layout: Layout, settings: ProfileSettings | None, bundled: Mapping[str, str]
    ) -> None:
        space: AddressSpace | None = settings.block if settings else None
        encoding = settings.encoding.value if settings else "utf-8"
        self._checker = AddressChecker(
            layout, space=space, encoding=encoding, keep=KEEP, bundles=bundled
        )
        self._glyphs = _GlyphCheck(layout)
        has_labels = settings is not None and prints_labels(settings)
        self._labels = LabelProblems(layout, settings) if settings and has_labels else None

    async def check(self, batches: AsyncIterator[Sequence[CheckableLine]]) -> None:
        """Check batches of lines; labels are only collected."""
        async for batch in batches:
            for start in range(0, len(batch), SLICE):
                part = batch[start : start + SLICE]
                self._checker.check(part)
                self._glyphs.check(part)
                if self._labels:
                    self._labels.add(part)
                await asyncio.sleep(0)

    async def report(self, account_id: int) -> list[LineProblem]:
        """All problems, after measuring the labels. Call it once, after the reads.

        Raises: Invalid if measuring takes too much time; Busy.
        """
        labels = await self._labels.report(account_id, keep=KEEP) if self._labels else []
        return [*_problems(self._checker.report), *labels, *self._glyphs.problems()]


async def find_candidate_problems(
    db: Connection,
    account_id: int,
    issue_number: int,
    selection: DispatchSelection,
    layout: Layout,
    settings: ProfileSettings | None,
) -> AddressProblems:
    """The problems of the lines that a run would take now. Queries: four, and two for 2,000 copies.

    layout: with all countries of the lines.
    """

    which = db, account_id, issue_number

    async def read() -> AsyncIterator[Sequence[CheckableLine]]:
        yield await list_claims(*which, selection)
        yield await grace_candidates.list_candidates(*which, selection)
        after, bound = 0, await find_bound(*which, after=0, size=READ)
        while bound:
            yield await list_copies(*which, selection, after=after, until=bound)
            after, bound = bound, await find_bound(*which, after=bound, size=READ)
        yield await list_copies(*which, selection, after=after, until=LAST_NUMBER)

    problems = AddressProblems(layout, settings, await bundles.list_bundled(db, account_id))
    await problems.check(read())
    return problems


async def find_line_problems(
    db: Connection,
    account_id: int,
    layout: Layout,
    batches: AsyncIterator[Sequence[CheckableLine]],
) -> list[LineProblem]:
    """The problems of lines of runs, at the addresses that their files have.

    layout: with all countries of the lines. Queries: one, and those of the batches; read aside.
    """
    problems = AddressProblems(layout, None, await bundles.list_bundled(db, account_id))
    await problems.check(batches)
    return await problems.report(account_id)


async def find_run_problems(db: Connection, account_id: int, run: Dispatch) -> list[LineProblem]:
    """The problems of the lines of a run that are to be sent by post.

    Queries: one, and one for 2,000 lines; read aside.
    """

    async def read() -> AsyncIterator[Sequence[CheckableLine]]:
        after = 0
        while found := await lines.list_lines(
            db, account_id, run.id, after=after, limit=READ, status=LineStatus.IN_RUN
        ):
            after = found[-1].id
            yield [line for line in found if line.is_postal]

    return await find_line_problems(db, account_id, run.layout, read())


class _GlyphCheck:
    """Finds lines with characters that the fonts of PDF labels lack."""

    def __init__(self, layout: Layout) -> None:
        self._layout, self._count, self._first = layout, 0, list[ProblemLine]()
        own = "".join(country.name + country.format for country in layout.countries.values())
        self._only_fields_count = not uncovered_characters(own)

    def check(self, part: Sequence[CheckableLine]) -> None:
        for line in part:
            if self._only_fields_count and is_simple("".join(filter(None, fields_of(line)))):
                continue
            text = "".join(address_lines(line, self._layout))
            missing = uncovered_characters(text)
            if missing:
                self._count += 1
                if self._count <= KEEP:
                    font = _("the font of PDF labels")
                    why = explain_characters(line, self._layout, missing, font)
                    self._first.append(_named(line, f"{addressee(line)}: {why}."))

    def problems(self) -> list[LineProblem]:
        if not self._count:
            return []
        label = _("Characters that PDF labels cannot show")
        return [LineProblem(kind=MISSING_GLYPH, label=label, count=self._count, first=self._first)]


def _problems(report: AddressReport) -> list[LineProblem]:
    """In the order in which pages show them."""
    return [
        LineProblem(
            kind=kind.value,
            label=kind.label,
            count=report.counts[kind],
            first=[
                _named(each.line, each.message, each.other_copy_id)
                for each in report.problems[kind]
            ],
        )
        for kind in ProblemKind
        if kind in report.counts
    ]


def _named(line: CheckableLine, message: str, other_copy_id: int | None = None) -> ProblemLine:
    return ProblemLine(
        copy_id=line.copy_id,
        subscription_id=line.subscription_id,
        subscriber_id=line.subscriber_id,
        message=message,
        other_copy_id=other_copy_id,
    )
