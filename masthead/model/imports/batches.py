"""Imports: each is a batch with a number, which knows its file, its mapping and its counts."""

from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct, field

from masthead.model.actors import Actor
from masthead.model.imports.made_order_ids import is_made
from masthead.model.imports.plan import ImportPlan, Problem
from masthead.model.imports.tabular_data import FileLayout
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import LabelledEnum

PART_BYTES = 1024 * 1024  # of an uploaded file
MAX_UPLOAD = 256 * 1024 * 1024  # bytes; larger files are imported on the command line
KEPT_UNUSED = timedelta(days=7)  # afterwards an upload is deleted, imported or not
KEPT_BYTES = 16 * 1024 * 1024  # of a file that is kept after its import, to import it again
MOST_REASONS = 100  # different reasons that a batch counts; all others are counted as one


class BatchStatus(LabelledEnum):
    """What was done with a batch. The working ones wait for the background job at first."""

    UPLOADED = "uploaded", gettext_noop("Uploaded")
    REHEARSING = "rehearsing", gettext_noop("Being rehearsed")
    REHEARSED = "rehearsed", gettext_noop("Rehearsed")
    RUNNING = "running", gettext_noop("Being imported")
    IMPORTED = "imported", gettext_noop("Imported")
    UNDOING = "undoing", gettext_noop("Being undone")
    UNDONE = "undone", gettext_noop("Undone")
    FAILED = "failed", gettext_noop("Stopped")


WORKING = (BatchStatus.REHEARSING, BatchStatus.RUNNING, BatchStatus.UNDOING)
CHANGEABLE = (BatchStatus.UPLOADED, BatchStatus.REHEARSED, BatchStatus.FAILED)


class RowOutcome(LabelledEnum):
    """What became of a row.

    likely: it would make a subscriber who is likely the same as an existing one; only in the rows
    of a rehearsal, of which the rows that are imported without a question are not stored.
    kept: it was imported, and stays after an undo, because it was touched meanwhile.
    """

    IMPORTED = "imported", gettext_noop("Imported")
    SKIPPED = "skipped", gettext_noop("Already here, or twice in the file")
    REFUSED = "refused", gettext_noop("Refused")
    LEFT_OUT = "left_out", gettext_noop("Left out")
    LIKELY = "likely", gettext_noop("Likely duplicates")
    UNDONE = "undone", gettext_noop("Taken back")
    KEPT = "kept", gettext_noop("Kept")


class ReasonCount(Struct):
    """How many rows have the same reason. line, example: the first one's line and value."""

    outcome: RowOutcome
    column: str
    text: str
    count: int
    line: int
    example: str = ""


class OutThrough(Struct, frozen=True):
    """How many copies an import makes of issues that are out, and of how many issues.

    number: of the last one; those before it are included.
    """

    number: int
    issues: int
    copies: int


class Counts(Struct, kw_only=True):
    """The numbers of rows by result, and of what they made.

    read: rows that are done; of all of them, imported, skipped, rejected and left_out are the
    parts. lines: those of the file that were read. warned: imported rows with warnings.
    subscribers_matched: rows of known subscribers. likely: rows whose new subscriber is likely an
    existing one. billed: orders that wait for an invoice. mandates: those that are new. undone,
    kept: rows of an undo.
    lost_zeros: imported rows whose postcode can get the zeros that a spreadsheet removed.
    copies_out: how many of the copies are of issues that are out, and not sent or cancelled by
    what their rows say, by issue number. copies_sent: how many of these count as sent.
    """

    read: int = 0
    imported: int = 0
    skipped: int = 0
    rejected: int = 0
    left_out: int = 0
    warned: int = 0
    subscribers_made: int = 0
    subscribers_matched: int = 0
    likely: int = 0
    subscriptions: int = 0
    renewals: int = 0
    copies: int = 0
    billed: int = 0
    mandates: int = 0
    lost_zeros: int = 0
    copies_out: dict[int, int] = {}
    copies_sent: int = 0
    undone: int = 0
    kept: int = 0

    def out_through(self) -> list[OutThrough]:
        """What the copies of issues that are out are, up to each issue; highest number first."""
        found, copies = list[OutThrough](), 0
        for issues, number in enumerate(sorted(self.copies_out), 1):
            copies += self.copies_out[number]
            found.append(OutThrough(number, issues, copies))
        return found[::-1]

    @property
    def copies_out_unsent(self) -> int:
        """How many copies of issues that are out are still to send."""
        return sum(self.copies_out.values()) - self.copies_sent


class Decisions(Struct, frozen=True, omit_defaults=True):
    """What was decided about a file, about likely duplicates, and about an undo.

    attach: whether orders go to the existing subscriber, unless decided otherwise.
    decided: by line, the id of the existing subscriber, or "" for a new one.
    keep_touched: whether rows that were touched since stay when the import is undone.
    had_failed: whether the run had failed before its undo, so that rows of the file are missing.
    sent_through: the last issue that is out whose copies count as sent; 0 for none, None until the
    work begins.
    corrects: the id of the import whose refused rows were corrected on its page to make the file.
    corrections: the cells that were corrected on its page before it ran; kept with the file.
    """

    attach: bool = False
    decided: dict[int, str] = {}
    keep_touched: bool = False
    had_failed: bool = False
    sent_through: int | None = None
    corrects: str = ""
    corrections: dict[int, list[list[str]]] = {}


class ImportBatch(Struct, frozen=True, kw_only=True):
    """An import. number: None until it runs.

    counts: of the rehearsal until it runs, then of the run. reasons: by their counts.
    total: about how many rows the file has; 0 if that is not known yet.
    layout: how the file was read (a sentence), its column names and its separator.
    issues: the numbers of those that it created; of an undone one, of those that stay.
    error: what stopped it, as a sentence.
    """

    id: str
    number: int | None
    name: str
    sha256: str
    bytes: int
    status: BatchStatus
    source_id: str | None
    plan: ImportPlan
    decisions: Decisions
    counts: Counts
    reasons: list[ReasonCount]
    layout: FileLayout
    issues: list[int] = []
    error: str | None
    created_at: datetime
    actor_kind: Literal["key", "user", "command"]
    actor_id: str
    started_at: datetime | None
    finished_at: datetime | None
    undone_at: datetime | None
    undone_by_kind: Literal["key", "user", "command"] | None
    undone_by_id: str | None

    @property
    def by(self) -> Actor:
        """Who uploaded or ran it."""
        return Actor(self.actor_kind, self.actor_id)

    @property
    def undone_by(self) -> Actor | None:
        """Who undid it, or asked for it; None if nobody did."""
        if self.undone_by_kind is None or self.undone_by_id is None:
            return None
        return Actor(self.undone_by_kind, self.undone_by_id)

    @property
    def is_working(self) -> bool:
        """Whether something is being done with it, or waits to be done."""
        return self.status in WORKING

    @property
    def is_half_undone(self) -> bool:
        """Whether its undo stopped before the end."""
        return self.status is BatchStatus.FAILED and self.undone_by_kind is not None

    @property
    def can_be_undone(self) -> bool:
        """Whether it made something that is not taken back, or its undo has to go on."""
        is_over = self.status in (BatchStatus.IMPORTED, BatchStatus.FAILED)
        is_left = self.counts.imported > self.counts.undone or self.is_half_undone
        return is_over and self.number is not None and is_left

    def repeats(self, other: "ImportBatch") -> bool:
        """Whether it takes the file of another batch again, from the same source."""
        return self.id != other.id and (self.sha256, self.source_id) == (
            other.sha256,
            other.source_id,
        )

    @property
    def done(self) -> int:
        """How many rows the work has done."""
        is_undo = self.status is BatchStatus.UNDOING
        return self.counts.undone + self.counts.kept if is_undo else self.counts.read

    @property
    def percent(self) -> int | None:
        """How much of the work is done; None if not known, as before an undo has begun."""
        is_undo = self.status is BatchStatus.UNDOING
        total = self.counts.imported if is_undo else self.layout.total
        if not total or (is_undo and not self.done):
            return None
        return min(100, 100 * self.done // total)


class MadeByRow(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a row made besides its period.

    subscriber, subscription: whether it made them. giver: the id of a giver that it made.
    sent: how many copies came as sent. status: that of a renewed subscription before.
    cancelled: whether it cancelled the subscription. billed: whether its order waits for an
    invoice. payer, mandate: the ids of those that it made.
    """

    subscriber: bool = False
    subscription: bool = False
    giver: str | None = None
    sent: int = 0
    status: str = ""
    cancelled: bool = False
    billed: bool = False
    payer: str | None = None
    mandate: str | None = None


class ImportRow(Struct, frozen=True, kw_only=True):
    """An order of a batch. line: the number of its first line in the file.

    part: 1; 2 and more for further orders of the same line.
    reasons: why it was refused, left out or skipped, or what it was warned about.
    cells: of a refused row, those of each of its lines; of a likely row, its name and address. A
    rehearsal also has those of rows with remarks, and of rows that are here already.
    subscriber_id: of a likely row, the existing subscriber. said: a digest of what an imported row
    said about its subscriber.
    """

    line: int
    part: int = 1
    outcome: RowOutcome
    order_id: str | None = None
    subscription_id: str | None = None
    subscriber_id: str | None = None
    period_id: int | None = None
    made: MadeByRow | None = None
    said: str | None = None
    reasons: list[Problem] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)

    @property
    def order_number(self) -> str:
        """The order id if the file has it; empty if the import made it."""
        return "" if is_made(self.order_id) else self.order_id or ""


class SavedMapping(Struct, frozen=True):
    """A mapping that was saved by name. mapping: as TOML or JSON, as it was given."""

    name: str
    mapping: str
    updated_at: datetime
