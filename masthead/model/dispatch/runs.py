"""A dispatch run: the copies of one issue that go out together, at their frozen addresses."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from masthead.model.translations import gettext_noop
from masthead.model.types.enums import LabelledEnum, Medium
from masthead.model.types.postal_fields import EnvelopeFields

UNDO_PERIOD = timedelta(days=1)  # after this, only the newest marked run of an issue can be undone


class DispatchStatus(LabelledEnum):
    """The status of a run. The copies of a discarded run are free for the next one."""

    FROZEN = "frozen", gettext_noop("Prepared")
    MARKED = "marked", gettext_noop("Sent")
    DISCARDED = "discarded", gettext_noop("Discarded")


class LineStatus(StrEnum):
    """Whether a line is still part of its run, and whether its copy is sent."""

    IN_RUN = "held"
    SENT = "sent"
    LEFT = "left"


class LeftReason(StrEnum):
    """Why a line left its run.

    marked: its copy was marked as sent outside the run. cancelled: its subscription was cancelled.
    changed: after marking, the date of its copy was changed outside the run.
    discarded: its run was discarded.
    """

    MARKED = "marked"
    CANCELLED = "cancelled"
    CHANGED = "changed"
    DISCARDED = "discarded"


class CountryGroup(StrEnum):
    """The three groups of countries for which postage differs."""

    HOME = "home"
    EUROPE = "europe"
    REST = "rest"


class DispatchSelection(Struct, frozen=True, kw_only=True):
    """Which copies of an issue a run takes. An empty tuple means all.

    countries: ISO codes. sources: ids of sources. only_replacements: no copies, only replacements.
    """

    countries: tuple[str, ...] = ()
    media: tuple[Medium, ...] = ()
    sources: tuple[str, ...] = ()
    only_replacements: bool = False

    def takes_copy(self, country: str, medium: str, source_id: str) -> bool:
        """Whether a run takes the copies of a country, a medium and a source."""
        return (
            not self.only_replacements
            and (not self.countries or country in self.countries)
            and (not self.media or medium in self.media)
            and (not self.sources or source_id in self.sources)
        )


class CountryLayout(Struct, frozen=True, kw_only=True):
    """How addresses of a country are written, frozen with a run.

    format: the address format, for example `%N%n%O%n%A%n%Z %C`. name: of the country, as it is
    written on a letter from the home country; empty at home. upper: the fields in capitals.
    requires: the fields without which the post does not deliver. Both use the letters of `format`.
    """

    name: str
    group: CountryGroup
    format: str
    upper: str
    requires: str


class Layout(Struct, frozen=True, kw_only=True):
    """The rules for the addresses of a run. countries: by ISO code, those that occur in the run.

    home: the ISO code of the publisher's country, None if it is not known.
    """

    home: str | None
    countries: Mapping[str, CountryLayout]


class Dispatch(Struct, frozen=True, kw_only=True):
    """A dispatch run. number: 1 for the first run of its issue.

    lines: copies, replacements and grace copies together. first_line: the id of the first line; the
    others follow without a gap. fingerprint: SHA-256 over the frozen lines, in hexadecimal.
    date_sent: of a marked run, None if it was marked without a date. group_id: the id of the first
    of the runs of several issues that go out together; None if it goes out alone.
    """

    id: str
    issue_id: str
    issue_number: int
    issue_name: str
    number: int
    status: DispatchStatus
    selection: DispatchSelection
    layout: Layout
    first_line: int
    lines: int
    copies: int
    replacements: int
    fingerprint: str
    date_sent: date | None
    created_at: datetime
    actor_kind: str
    actor_id: str
    marked_at: datetime | None
    undone_at: datetime | None
    discarded_at: datetime | None
    grace_copies: int = 0
    group_id: str | None = None

    @property
    def is_live(self) -> bool:
        """Whether its copies are in the run: it is frozen or marked."""
        return self.status is not DispatchStatus.DISCARDED


class DispatchLine(EnvelopeFields, frozen=True, kw_only=True):
    """A line of a run: one copy, one replacement or one grace copy, at its frozen address.

    claim_id: of the claim that a replacement answers, None for others. is_grace: whether it was a
    grace copy when the run was frozen; `copy_id` is then an id that no copy has before a renewal.
    All fields are frozen except the status, the reason and moment of leaving, and `shipped_date`,
    the date on which the carrier reported it as shipped.
    quantity: how many copies a line of a file stands for; 1 for a line of a run.
    parts: in a file of several issues, the lines that it stands for. place: its number there.
    """

    id: int
    dispatch_id: str
    copy_id: int
    claim_id: str | None
    subscription_id: str
    subscriber_id: str
    issue_number: int
    medium: Medium
    status: LineStatus
    left_reason: LeftReason | None
    left_at: datetime | None
    shipped_date: date | None
    quantity: int = 1
    is_grace: bool = False
    parts: tuple["DispatchLine", ...] = ()
    place: int = 0

    @property
    def is_postal(self) -> bool:
        """Whether the copy goes by post; a Digital copy does not."""
        return self.medium is not Medium.DIGITAL
