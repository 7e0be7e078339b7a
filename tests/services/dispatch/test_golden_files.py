"""A small fixed run in each format: a change of its bytes is intended, or a library made it.

Stored files keep their bytes. But if a hash changes, the same profile gives other bytes for new
runs, so look at the file before you change the hash here. Compressed formats are hashed without
their compression, which differs between systems.
"""

import hashlib
import io
import re
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from zipfile import ZipFile

import pytest
import time_machine

from masthead.model.dispatch.address_layout import build_layout
from masthead.model.dispatch.built_in_profiles import BUILT_IN
from masthead.model.dispatch.files import FileTotals
from masthead.model.dispatch.profiles import FileFormat
from masthead.model.dispatch.runs import (
    Dispatch,
    DispatchLine,
    DispatchSelection,
    DispatchStatus,
    LineStatus,
)
from masthead.model.types.enums import Medium
from masthead.services.dispatch.writers.contents import FileContents, count_lines
from masthead.services.dispatch.writers.formats import open_writer

ACCOUNT = 7
SUBSCRIBERS: Sequence[tuple[str | None, ...]] = (
    # first name, last name, company, address 1, address 2, town, state, postcode, country
    ("Ada", "Müller", "Söhne; & Co", "Am Markt 3", "Postfach 12", "Köln", None, "01067", "DE"),
    ("Zoé", "Roy", None, "3 rue de l’Église", None, "Paris", None, "75001", "FR"),
    ("Mia", "O'Brien", '=A "1"', "12 Main Street", "Apt. 4", "Springfield", "IL", "62701", "US"),
    (None, None, "Nur Firma", None, None, None, None, None, "DE"),
)


def make_run() -> Dispatch:
    return Dispatch(
        id="0000701RUN",
        issue_id="0000701ISSUE",
        issue_number=12,
        issue_name="Winter",
        number=2,
        status=DispatchStatus.FROZEN,
        selection=DispatchSelection(),
        layout=build_layout({"DE", "FR", "US"}, "DE"),
        first_line=101,
        lines=len(SUBSCRIBERS),
        copies=len(SUBSCRIBERS),
        replacements=0,
        fingerprint="f" * 64,
        date_sent=None,
        created_at=datetime(2026, 5, 1, 12, 30, 7, tzinfo=UTC),
        actor_kind="command",
        actor_id="tests",
        marked_at=None,
        undone_at=None,
        discarded_at=None,
    )


def make_line(number: int, subscriber: tuple[str | None, ...]) -> DispatchLine:
    first_name, last_name, company, address1, address2, city, state, postcode, country = subscriber
    assert country is not None
    return DispatchLine(
        id=101 + number,
        dispatch_id="0000701RUN",
        copy_id=30064771072 + number,
        claim_id="0000701CLAIM" if number == 1 else None,
        subscription_id=f"0000701SUBSCRIPTION{number}",
        subscriber_id=f"0000701SUBSCRIBER{number}",
        issue_number=12,
        medium=Medium.PRINT,
        first_name=first_name,
        last_name=last_name,
        company=company,
        address1=address1,
        address2=address2,
        city=city,
        state=state,
        postcode=postcode,
        country=country,
        status=LineStatus.IN_RUN,
        left_reason=None,
        left_at=None,
        shipped_date=None,
    )


def content_of(format: FileFormat, profile: str) -> bytes:
    contents = FileContents(
        account_id=ACCOUNT,
        dispatch=make_run(),
        format=format,
        profile_name=BUILT_IN[profile].name,
        settings=BUILT_IN[profile].settings,
    )
    totals = FileTotals()
    writer = open_writer(contents, totals)
    try:
        lines = [make_line(number, subscriber) for number, subscriber in enumerate(SUBSCRIBERS)]
        written = writer.write(count_lines(totals, contents, lines))
        return written + b"".join(writer.finish())
    finally:
        writer.close()


def uncompressed(format: FileFormat, content: bytes) -> bytes:
    """The content without compression, and without the offsets that depend on it."""
    if format in (FileFormat.XLSX, FileFormat.ZIP):
        with ZipFile(io.BytesIO(content)) as archive:
            return b"".join(
                f"{entry.filename} {entry.date_time}\n".encode() + archive.read(entry)
                for entry in archive.infolist()
            )
    if format is FileFormat.PDF:
        streams = re.findall(rb"stream\n(.*?)\nendstream", content, re.DOTALL)
        return b"".join(zlib.decompress(stream) for stream in streams if stream[:1] == b"\x78")
    return content


GOLDEN = {  # the beginning of the SHA-256
    (
        FileFormat.CSV,
        "mailing-house",
    ): "8a9c09c2497602769dfb2766",
    (
        FileFormat.CSV,
        "mailing-house-windows",
    ): "381ff81b4a7d6ed6e6a4d85d",
    (
        FileFormat.CSV,
        "lines-7x35",
    ): "9d009ebe0372cadaae3e43c4",
    (
        FileFormat.XLSX,
        "spreadsheet",
    ): "a0921af23b484edaf9d541af",
    (
        FileFormat.PDF,
        "labels-l7160",
    ): "3dead87661b2142b5882ec1e",
    (
        FileFormat.PDF,
        "labels-5163",
    ): "0dce3608efb41cd59b38421a",
    (
        FileFormat.ZIP,
        "mailing-house",
    ): "2d147283a88b0c3a11be9772",
}


@pytest.mark.parametrize("format, profile", GOLDEN)
def test_a_fixed_run_gives_the_same_bytes(format: FileFormat, profile: str) -> None:
    content = uncompressed(format, content_of(format, profile))
    assert hashlib.sha256(content).hexdigest().startswith(GOLDEN[format, profile])


@pytest.mark.parametrize("format", list(FileFormat))
def test_a_file_does_not_depend_on_when_it_is_made(
    format: FileFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = "labels-l7160" if format is FileFormat.PDF else "mailing-house"
    now = content_of(format, profile)
    with time_machine.travel(datetime(2031, 2, 3, tzinfo=UTC)):
        assert content_of(format, profile) == now
