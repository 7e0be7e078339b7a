"""The files of a dispatch run, with their status and totals."""

from collections.abc import Mapping
from datetime import datetime, tzinfo
from enum import StrEnum

from msgspec import Struct

from masthead.model.dispatch.built_in_profiles import profile_name
from masthead.model.dispatch.profiles import FileFormat, ProfileSettings
from masthead.model.dispatch.runs import CountryGroup, Dispatch
from masthead.model.file_names import file_name, file_name_noop, words_of_name
from masthead.model.identity.rights import Right
from masthead.model.translations import ngettext

_NAMES = {
    None: file_name_noop("issue-{issue}-mailing-{number}{profile}.{ending}"),
    CountryGroup.HOME: file_name_noop("issue-{issue}-mailing-{number}{profile}-home.{ending}"),
    CountryGroup.EUROPE: file_name_noop("issue-{issue}-mailing-{number}{profile}-europe.{ending}"),
    CountryGroup.REST: file_name_noop("issue-{issue}-mailing-{number}{profile}-rest.{ending}"),
}
_GROUP_NAMES = {
    None: file_name_noop("several-issues-{day}{profile}.{ending}"),
    CountryGroup.HOME: file_name_noop("several-issues-{day}{profile}-home.{ending}"),
    CountryGroup.EUROPE: file_name_noop("several-issues-{day}{profile}-europe.{ending}"),
    CountryGroup.REST: file_name_noop("several-issues-{day}{profile}-rest.{ending}"),
}
PART_BYTES = 2**20
MAX_ATTEMPTS = 3  # to build a file
MAX_ADDRESS_NOTES = 20  # in the totals of a file
MEDIA_TYPES = {
    FileFormat.CSV: "text/csv",
    FileFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    FileFormat.PDF: "application/pdf",
    FileFormat.ZIP: "application/zip",
}


def rights_for(format: FileFormat) -> tuple[Right, ...]:
    """The rights that a file of a run needs. Labels are to be stuck on; all others are lists."""
    if format is FileFormat.PDF:
        return (Right.DISPATCH,)
    return (Right.DOWNLOAD, Right.DISPATCH)


class FileStatus(StrEnum):
    """The status of a file. Only a ready file can be downloaded."""

    WAITING = "waiting"
    BUILDING = "building"
    READY = "ready"
    FAILED = "failed"


class FileTotals(Struct, kw_only=True):
    """What a file contains. lines: the copies, also of addresses with several.

    addresses: the rows or labels, less than the copies if several for one address are joined; 0 in
    files of older versions. digital: the Digital copies of the run that it leaves out.

    shortened, too_long: the addresses that were shortened, or are longer than the profile allows.
    notes: about some of them. countries: by ISO code. media, groups, kinds: by their names.
    """

    lines: int = 0
    addresses: int = 0
    digital: int = 0
    shortened: int = 0
    too_long: int = 0
    notes: list[str] = []
    countries: dict[str, int] = {}
    media: dict[str, int] = {}
    groups: dict[CountryGroup, int] = {}
    kinds: dict[str, int] = {}

    def add_note(self, text: str) -> None:
        """Add a note, unless there are many."""
        if len(self.notes) < MAX_ADDRESS_NOTES:
            self.notes.append(text)

    def warnings(self) -> list[str]:
        """What to say about addresses that are not in the file as they were recorded."""
        shortened = ngettext(
            "{count} address was shortened to fit into the file.",
            "{count} addresses were shortened to fit into the file.",
            self.shortened,
        )
        too_long = ngettext(
            "{count} address is longer than the export profile allows.",
            "{count} addresses are longer than the export profile allows.",
            self.too_long,
        )
        found = ((self.shortened, shortened), (self.too_long, too_long))
        return [text.format(count=count) for count, text in found if count]

    @property
    def more_notes(self) -> int:
        """How many notes were left out, because there are many."""
        return self.shortened + self.too_long - len(self.notes)

    def by_section(self) -> Mapping[str, Mapping[str, int]]:
        """The numbers of lines, by section and then by name, sorted by name."""
        return {
            "groups": {
                group.value: self.groups[group] for group in CountryGroup if group in self.groups
            },
            "countries": dict(sorted(self.countries.items())),
            "media": dict(sorted(self.media.items())),
            "kinds": dict(sorted(self.kinds.items())),
        }


class DispatchFile(Struct, frozen=True, kw_only=True):
    """A file of a run. settings: of the profile, when the file was requested.

    name: for the download. progress: how many lines are done. lines: of the run until the file is
    ready, then of the file. error: why it failed. attempts: how often its building was started.
    """

    id: str
    dispatch_id: str
    format: FileFormat
    profile_id: str
    profile_name: str
    settings: ProfileSettings
    name: str
    status: FileStatus
    progress: int
    lines: int
    bytes: int
    totals: FileTotals | None
    sha256: str | None
    error: str | None
    attempts: int
    created_at: datetime
    actor_kind: str
    actor_id: str
    ready_at: datetime | None

    @property
    def media_type(self) -> str:
        """The media type for the download."""
        return MEDIA_TYPES[self.format]


def no_failures(attempts: int) -> int:
    """The number of attempts from which none counts as a failure. It never falls."""
    return -(-attempts // MAX_ATTEMPTS) * MAX_ATTEMPTS


def run_file_name(
    dispatch: Dispatch,
    profile: str,
    ending: str,
    *,
    zone: tzinfo,
    group: CountryGroup | None = None,
) -> str:
    """A name in the current language: `issue-12-mailing-1-labels.csv`, or that of a part of a ZIP.

    profile: the name of a profile. Runs of several issues are named by the day in the zone.
    """
    words = words_of_name(profile_name(profile))
    return file_name(
        (_GROUP_NAMES if dispatch.group_id else _NAMES)[group],
        day=dispatch.created_at.astimezone(zone).date().isoformat(),
        issue=dispatch.issue_number,
        number=dispatch.number,
        profile=f"-{words}" if words else "",
        ending=ending,
    )


def shown_name(dispatch: Dispatch, file: DispatchFile, zone: tzinfo) -> str:
    """The name of a file of a run or its group in the current language, for pages and downloads.

    The stored one, which the API and the history have, is in the language of the account.
    """
    return run_file_name(dispatch, file.profile_name, file.format.value, zone=zone)
