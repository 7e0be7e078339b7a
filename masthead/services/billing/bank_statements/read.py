"""Read a file with statements, whatever its format."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

from masthead.model.billing.bank_lines import MAX_FILE, BankStatement, check_balance, check_currency
from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.archives import DAMAGED
from masthead.model.imports.file_kinds import ZIP
from masthead.model.translations import format_number, gettext as _
from masthead.services.billing.bank_statements.bank_csv import read_csv
from masthead.services.billing.bank_statements.camt import read_camt
from masthead.services.billing.bank_statements.mt940 import read_mt940
from masthead.services.billing.bank_statements.values import check_count, check_days, damaged
from masthead.services.imports.text_files import inspect_text
from masthead.temporary_files import TemporaryFile

MAX_UNPACKED = 4 * MAX_FILE  # bytes of all files of an archive
_MAX_ENTRIES = 1_000
_HEAD = 4096
_UTF_16 = (b"\xff\xfe<\0", b"\xfe\xff\0<")


def read_bank_file(path: Path, name: str, currency: str) -> list[BankStatement]:
    """The statements of a file, which are whole and in the currency of the account.

    name: of the file. It reads all of the file; call it in a thread or in a process of its own.
    Memory: about ten times the file. Raises: Invalid with a sentence that says what to do; OSError.
    """
    size = path.stat().st_size
    if size > MAX_FILE:
        raise _too_large(size, MAX_FILE)
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    if not head.strip():
        raise Invalid(
            _("The file is empty. Download the statement from the bank again."), code="empty_file"
        )
    statements = (
        [each for name, part in _unpack(path) for each in _read_inside(part, name, currency)]
        if head.startswith(ZIP) and _has_statements(path)
        else _read(path, name, currency)
    )
    check_count(sum(len(each.lines) for each in statements))
    check_currency(statements, currency)
    for each in statements:
        check_balance(each)
        for line in each.lines:
            check_days(line)
    if not any(each.lines or each.opening is not None for each in statements):
        raise Invalid(
            _("The file has no lines of a bank account. Use a statement with payments."),
            code="empty_file",
        )
    return statements


def _read(path: Path, name: str, currency: str) -> list[BankStatement]:
    with path.open("rb") as stream:
        head = stream.read(_HEAD)
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start.startswith((b"<?xml", b"<Document", b"<ns")) or head.startswith(_UTF_16):
        return read_camt(path.read_bytes())
    if start.startswith((b":20:", b"{1:", b":940:")) or b"\n:20:" in head or b"\n:61:" in head:
        file = inspect_text(path)
        if file.bad is not None:
            raise damaged(file.bad.line)
        return read_mt940(path.read_text(encoding=file.encoding))
    return read_csv(path, name=name, currency=currency)


def _read_inside(path: Path, name: str, currency: str) -> list[BankStatement]:
    """The statements of a file of an archive. Raises: Invalid with its name."""
    try:
        return _read(path, name, currency)
    except Invalid as reason:
        text = _("In `{name}`: {problem}").format(name=excerpt(name), problem=reason)
        raise Invalid(text, code=reason.code, field=reason.field) from None


def _has_statements(path: Path) -> bool:
    """Whether an archive is no workbook. Raises: Invalid."""
    with _open(path) as archive:
        names = {each.filename for each in archive.infolist()}
    return not names & {"xl/workbook.xml", "xl/workbook.bin", "mimetype", "Index.zip"}


def _unpack(path: Path) -> Iterator[tuple[str, Path]]:
    """The files of an archive with their names, in that order. Raises: Invalid.

    A path ends with the next one.
    """
    with _open(path) as archive:
        entries = sorted(
            (
                each
                for each in archive.infolist()
                if not each.is_dir() and not each.filename.startswith("__MACOSX/")
            ),
            key=lambda each: each.filename,
        )
        if not entries:
            raise Invalid(
                _("The archive is empty. Download the statements from the bank again."),
                code="empty_file",
            )
        left = MAX_UNPACKED
        for entry in entries:
            if entry.flag_bits & 1:
                raise Invalid(
                    _(
                        "The archive is protected by a password. Unpack it, and use the statements "
                        "that are inside."
                    ),
                    code="password",
                )
            file = TemporaryFile()
            try:
                with archive.open(entry) as stream:
                    content = stream.read(left + 1)  # whatever the list of entries says
            except DAMAGED:
                raise _damaged_archive(entry.filename) from None
            left -= len(content)
            if left < 0:
                raise _too_large(MAX_UNPACKED - left, MAX_UNPACKED)
            file.path.write_bytes(content)
            yield entry.filename, file.path


def _open(path: Path) -> zipfile.ZipFile:
    """Raises: Invalid if an archive is damaged or has too many files."""
    try:
        archive = zipfile.ZipFile(path)
    except DAMAGED:
        raise _damaged_archive("") from None
    if len(archive.infolist()) > _MAX_ENTRIES:
        archive.close()
        raise Invalid(
            _("The archive has more than {most} files. Unpack it, and import it in parts.").format(
                most=format_number(_MAX_ENTRIES)
            ),
            code="too_large",
        )
    return archive


def _damaged_archive(name: str) -> Invalid:
    text = _(
        "The archive is damaged, or part of it is missing. Nothing was imported. Download the "
        "statements from the bank again."
    )
    if name:
        text += " " + _("The file in it is `{name}`.").format(name=excerpt(name))
    return Invalid(text, code="damaged_file")


def _too_large(size: int, most: int) -> Invalid:
    return Invalid(
        _(
            "The file has {size} MB; at most {most} MB are allowed. Download the statement in "
            "parts, such as one for each month, and import these."
        ).format(size=format_number(size // 1024**2), most=format_number(most // 1024**2)),
        code="too_large",
    )
