"""ZIP files: one file for each country group, and a manifest with their totals and hashes."""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from msgspec.structs import replace

from masthead.model.dispatch.files import FileTotals, run_file_name
from masthead.model.dispatch.runs import CountryGroup, DispatchLine
from masthead.model.errors import Invalid
from masthead.model.translations import in_language
from masthead.services.dispatch.writers.contents import CHUNK, FileContents, count_lines
from masthead.services.dispatch.writers.formats import open_writer

MANIFEST = "manifest.json"
_MODE = 0o600 << 16  # permissions of a member, when it is unpacked


class _Member:
    """The file of a country group; a temporary file until the ZIP is written."""

    def __init__(self, contents: FileContents, group: CountryGroup) -> None:
        format = contents.settings.contents
        self.group = group
        with in_language(contents.locale):
            self.name = run_file_name(
                contents.dispatch,
                contents.profile_name,
                format.value,
                zone=contents.zone,
                group=group,
            )
        self.totals = FileTotals()
        self._contents = replace(contents, format=format)
        self.writer = open_writer(self._contents, self.totals)
        self.file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self.digest = hashlib.sha256()

    def write(self, lines: Sequence[DispatchLine]) -> None:
        """Add lines."""
        self._add(self.writer.write(count_lines(self.totals, self._contents, lines)))

    def finish(self) -> None:
        """Write the rest of the file. Raises: Invalid."""
        for chunk in self.writer.finish():
            self._add(chunk)

    def _add(self, content: bytes) -> None:
        self.digest.update(content)
        self.file.write(content)

    def close(self) -> None:
        """Delete the temporary files."""
        self.writer.close()
        self.file.close()


class ZipWriter:
    """Writes the lines of a run as one file for each country group that occurs."""

    def __init__(self, contents: FileContents, totals: FileTotals) -> None:
        self._contents, self._totals = contents, totals
        self._members: dict[CountryGroup, _Member] = {}

    def write(self, lines: Sequence[DispatchLine]) -> bytes:
        """Add lines to the files of their groups; returns nothing."""
        layouts = self._contents.dispatch.layout.countries
        by_group: dict[CountryGroup, list[DispatchLine]] = {}
        for line in lines:
            by_group.setdefault(layouts[line.country].group, []).append(line)
        for group, part in by_group.items():
            member = self._members.get(group)
            if member is None:
                member = self._members[group] = _Member(self._contents, group)
            member.write(part)
        return b""

    def finish(self) -> Iterator[bytes]:
        """The bytes of the ZIP. Raises: Invalid with the lines of all groups."""
        members = [self._members[group] for group in CountryGroup if group in self._members]
        problems: list[str] = []
        for member in members:
            try:
                member.finish()
            except Invalid as reason:
                problems.append(f"{member.name}: {reason}")
            self._totals.shortened += member.totals.shortened
            self._totals.too_long += member.totals.too_long
            for note in member.totals.notes:
                self._totals.add_note(note)
        if problems:
            raise Invalid("\n".join(problems), code="unsuitable_profile")
        with tempfile.TemporaryFile() as file:
            self._pack(file, members)
            file.seek(0)
            while chunk := file.read(CHUNK):
                yield chunk

    def _pack(self, file: IO[bytes], members: Sequence[_Member]) -> None:
        created_at = self._contents.dispatch.created_at.astimezone(UTC)
        moment = (*created_at.timetuple()[:5], created_at.second // 2 * 2)
        with ZipFile(file, "w") as archive:

            def start(name: str) -> IO[bytes]:
                entry = ZipInfo(name, date_time=moment)
                entry.compress_type, entry.external_attr = ZIP_DEFLATED, _MODE
                entry.create_system = 3  # the same on every system
                return archive.open(entry, "w", force_zip64=True)

            with start(MANIFEST) as target:
                target.write(self._manifest(members))
            for member in members:
                member.file.seek(0)
                with start(member.name) as target:
                    while chunk := member.file.read(CHUNK):
                        target.write(chunk)

    def _manifest(self, members: Sequence[_Member]) -> bytes:
        dispatch = self._contents.dispatch
        issues = self._contents.issues
        manifest = {
            "issue": dispatch.issue_number,
            **({"issues": list(issues)} if issues else {}),
            "run": dispatch.number,
            "dispatch": dispatch.id,
            "fingerprint": dispatch.fingerprint,
            "profile": self._contents.profile_name,
            "lines": self._totals.lines,
            "addresses": self._totals.addresses,
            "digital": self._totals.digital,
            "files": [
                {
                    "name": member.name,
                    "group": member.group.value,
                    "lines": member.totals.lines,
                    "addresses": member.totals.addresses,
                    "bytes": member.file.tell(),
                    "sha256": member.digest.hexdigest(),
                    "totals": member.totals.by_section(),
                }
                for member in members
            ],
        }
        return (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()

    def close(self) -> None:
        """Delete the temporary files."""
        for member in self._members.values():
            member.close()
