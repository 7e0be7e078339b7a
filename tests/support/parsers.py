"""Every parser of what comes from outside, with inputs that are expensive to parse.

`text_inputs` has the inputs of the API and the forms, by field. This table has the parsers
themselves: of headers, bodies, files and codes.
"""

import random
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import DecodeError
from starlette.requests import Request
from webauthn.helpers import (
    parse_authentication_credential_json,
    parse_registration_credential_json,
)

from masthead.api.http.codec import decode_json_body, decode_query_string
from masthead.api.http.json_body import parse_object
from masthead.api.http.request import HOST, REQUEST_ID, TRACE_PARENT, HttpRequest
from masthead.api.idempotency import header as idempotency_header
from masthead.api.preconditions import entity_tags
from masthead.model import emails, ids, inputs, pagination, queries, search
from masthead.model.billing import bank_lines, named_numbers, names as bank_names
from masthead.model.billing.bank_lines import MAX_BANK_TEXT
from masthead.model.errors import MastheadError
from masthead.model.identity import totp
from masthead.model.identity.browsers import browser_named
from masthead.model.identity.ip_addresses import TrustedProxies
from masthead.model.imports import guesses, mapping_files
from masthead.model.imports.rows.items import length_in
from masthead.model.imports.rows.rules import unpack
from masthead.model.imports.values import amounts, country_names, days, texts
from masthead.model.returns import copy_references, dates, reasons
from masthead.model.returns.report_inputs import DeliveryReportsCreate
from masthead.model.types import email_addresses
from masthead.model.types.json_texts import decode_json
from masthead.model.types.text import MAX_TEXT
from masthead.model.webhooks import addresses
from masthead.services.billing.bank_statements import bank_csv, camt, mt940, read as bank_files
from masthead.services.child_process import SMALL
from masthead.services.exports import folder
from masthead.services.exports.write import MANIFEST
from masthead.services.identity import webauthn_answers
from masthead.services.imports import csv_table, text_files, workbook
from masthead.services.issues.covers import make_picture
from masthead.services.privacy.moved_erasures import decode_erasures
from masthead.services.returns import carrier_files
from masthead.serving import compression
from masthead.serving.requests import MAX_BODY
from masthead.settings import WEB_ADDRESS
from masthead.web.imports import items_form
from masthead.web.kit import cookies, form_data, forms
from masthead.web.kit.client_request import preferred_locale
from masthead.web.kit.form_data import MalformedForm
from masthead.web.subscriptions.terms import Seen

MIB = 1_048_576
HEAD = 65_536  # bytes of a request's head
CELL = 131_072  # characters of a cell of a table
TABLE = 16_384  # bytes of a table; its rows cost more than the bytes of other inputs
SECONDS = 0.1  # for 1 MiB, or the largest input
NOW = datetime(2026, 1, 1, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")


class Parser(NamedTuple):
    """A parser. parse: parses bytes or a text. units: what expensive inputs are repeated from.

    size: of an input. before, after: what is around the repeated units, one pair for each form.
    seconds: of processor time that the largest input may take. module: where the parser is.
    """

    module: str
    parse: Callable[[Any], object]
    units: Sequence[str | bytes]
    size: int = MIB
    around: Sequence[tuple[str, str]] = (("", ""),)
    seconds: float = SECONDS

    def inputs(self, size: int) -> Iterator[str | bytes]:
        """The expensive inputs, of a size."""
        for unit in self.units:
            for before, after in self.around:
                count = max((size - len(before) - len(after)) // len(unit), 1)
                if isinstance(unit, str):
                    yield before + unit * count + after
                else:
                    yield before.encode() + unit * count + after.encode()


def cost_of(parse: Callable[[Any], object]) -> Callable[[Any], None]:
    """The parser, whose refusals count as results."""

    def run(sent: Any) -> None:
        with suppress(MastheadError, ValueError, MalformedForm, DecodeError):
            parse(sent)

    return run


def request(headers: Mapping[str, str | bytes], query: bytes = b"", path: str = "/") -> HttpRequest:
    """A request of the API."""
    raw = [
        (name.lower().encode(), value if isinstance(value, bytes) else value.encode())
        for name, value in headers.items()
    ]
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "headers": raw,
    }
    unused: Any = None
    return HttpRequest(scope, unused, unused, unused)


def cookie(value: str) -> object:
    """All cookies of a page."""
    scope = {"type": "http", "headers": [(b"cookie", value.encode())]}
    read = cookies.Cookies(b"secret", is_secure=False)
    page = Request(scope)
    return (
        read.read_session(page),
        read.read_device(page),
        read.read_desk(page),
        read.read_step(page),
        read.read_message(page, "acme"),
    )


def sent_form(content_type: str, body: bytes) -> object:
    """The fields of a form with files."""
    form = form_data.MultipartForm(content_type)
    try:
        form.feed(body)
        form.close()
        return form.fields
    finally:
        form.discard()


def in_a_file(suffix: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    """A parser of files."""

    def parse(content: bytes) -> object:
        with tempfile.NamedTemporaryFile(suffix=suffix) as file:
            file.write(content)
            file.flush()
            return read(Path(file.name))

    return parse


def in_its_encoding(path: Path) -> object:
    """What a file is, whose bytes are not those of UTF-8."""
    with path.open("ab") as file:
        file.write(b"\n\xe4\n")
    return text_files.inspect_text(path)


def all_lines(path: Path) -> int:
    """The number of rows of a CSV file."""
    return sum(1 for _ in csv_table.open_csv(path, name="a.csv").lines())


def carrier_rows(path: Path) -> int:
    """The number of rows of the file of a carrier."""
    file = carrier_files.inspect_file(path, chosen={})
    return sum(1 for _ in carrier_files.read_rows(file))


def directory(count: int, extra: bytes = b"") -> bytes:
    """An archive whose directory has so many entries, each with so many extra fields."""
    numbers = (20, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 1, len(extra), 0, 0, 0, 0, 0)
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", *numbers) + b"a" + extra
    end = (0, 0, count & 0xFFFF, count & 0xFFFF, len(entry) * count, 30, 0)
    return b"PK\3\4" + bytes(26) + entry * count + struct.pack("<4s4H2LH", b"PK\5\6", *end)


def png_part(name: bytes, content: bytes = b"") -> bytes:
    """A part of a PNG file."""
    check = zlib.crc32(name + content)
    return struct.pack(">L", len(content)) + name + content + struct.pack(">L", check)


def read_folder(content: bytes) -> object:
    """The manifest of an export."""
    with tempfile.TemporaryDirectory() as path:
        (Path(path) / MANIFEST).write_bytes(content)
        return folder.read_manifest(Path(path))


def body(content: Any) -> object:
    """A JSON body."""
    return parse_object(content)


def refused_body(struct: Any, unit: bytes, before: str, after: str) -> Parser:
    """The parser of a body, whose errors are told; a unit is one of many values of a list."""
    around = (("{" + before, after + "}"),)
    parse = partial(decode_json_body, content_type=None, struct=struct)
    return Parser("model.validation", parse, (unit,), MAX_BODY, around)


HEADERS = ("a", ",", ";", " ", "=", '"', "\\", "%41", "a,", ";q=1,", "1.", "::", "a;b=", "(", "\t;")
WORDS = (
    *("a", "1", " ", "-", ".", ",", ";", ":", "@", '"', "'", "=", "(", "+", "/", "\n", "0:", "a."),
    *("\u0315\u0316", "\uff9e\u0301", "1-1-20 ", "1 jan ", "and ", "a@", "#a", "12 ", "(DE)"),
)
JSON: tuple[bytes, ...] = (
    *(b"[", b'{"a":', b'"[",', b'"\\"",', b"[],", b"{},", b"1,", b"1e9,", b"9", b"\\", b'"'),
)
JSON += (b"\\u0061", b"\\ud800", b'"a":1,', b"true,", b" ", b"\n", b"\xff", b"-", b"1.0,", b"\0")
IN_JSON = (("", ""), ('{"ids": [', "1]}"), ('{"a": "', '"}'), ("{", '"b": 1}'), ('{"a": ', "}"))
ROWS = (
    *(b'x",x,"y\n', b'x";x;"y\n', b'"a\n', b"a\n", b"\n", b",\n", b";", b'"', b'""', b"a,b,c,d\n"),
    *(b'"a\\"b"\n', b"\r", b"\0", b"\xff", b"\xff\n", "é".encode(), b'"\n\n"a', b"1-1-20,"),
    *(b', "', b', """', b'" ,', b' "a" ,'),
    *(b"1 Jan 2026;" * 99 + b"\n", b"a1b2c3d4e;" * 99 + b"\n", b"123456789 ;" * 99 + b"\n"),
)
PNG = b"\x89PNG\r\n\x1a\n" + png_part(b"IHDR", b"\0\0\0\x64\0\0\0\x64\x08\2\0\0\0")
UNPACKED = png_part(b"iCCP", b"a\0\0" + zlib.compress(bytes(1_000_000)))
CAMT_START = "<Document><BkToCstmrStmt><Stmt>"
# Letters outside ASCII of which hardly three come twice together
LETTERS = bytes(each | 0x80 for each in random.Random(1).randbytes(4_096))
CAMT_LINE = (
    b"<Ntry><Amt Ccy='EUR'>1</Amt><CdtDbtInd>CRDT</CdtDbtInd>"
    b"<BookgDt><Dt>2026-11-03</Dt></BookgDt></Ntry>"
)
MT940_START = ":20:A\n:25:B\n:60F:C261102EUR1,00\n"
MT940_PAGE = b":20:A\n:25:B\n:60F:C261102EUR1,00\n:62F:C261102EUR1,00\n"
MT940_PAGES = MT940_START + ":61:2611031103D0,00NTRF\n" * 300 + ":62F:C261102EUR1,00\n"
FORM = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'


def cell(
    module: str, parse: Callable[[str], object], units: Sequence[str] = WORDS, size: int = CELL
) -> Parser:
    """The parser of a cell of a table, or of a short text."""
    return Parser(module, parse, units, size)


def head(module: str, parse: Callable[[str], object], units: Sequence[str] = HEADERS) -> Parser:
    """The parser of a part of a request's head."""
    return Parser(module, parse, units, HEAD)


PARSERS = {
    # Heads of requests
    "X-Forwarded-For": head(
        "model.identity.ip_addresses",
        lambda text: TrustedProxies("127.0.0.0/8").client_address("127.0.0.1", [text]),
    ),
    "Accept-Language": head("web.kit.client_request", preferred_locale),
    "User-Agent": head("model.identity.browsers", browser_named),
    "Cookie": head(
        "web.kit.cookies",
        cookie,
        (*HEADERS, "masthead_session=a.", "masthead_message=a.", "; masthead_session"),
    ),
    "Idempotency-Key": head(
        "api.idempotency.header",
        lambda text: idempotency_header.read_key(request({"Idempotency-Key": text})),
    ),
    "Host": head("api.http.request", lambda text: HOST.fullmatch(text.encode())),
    "X-Request-Id": head("api.http.request", lambda text: REQUEST_ID.fullmatch(text.encode())),
    "traceparent": head("api.http.request", lambda text: TRACE_PARENT.fullmatch(text.encode())),
    "If-Match": head(
        "api.preconditions.entity_tags",
        lambda text: entity_tags.read_if_none_match([text.encode("latin-1")]),
        (*HEADERS, '"a", ', ',"', "W/", '"a" '),
    ),
    "Accept-Encoding": head(
        "serving.compression",
        lambda text: compression.accepted_coding.__wrapped__(text),
        (*HEADERS, "gzip;q=0.1,", "gzip;q=", "x-"),
    ),
    "path": head("api.http.request", lambda text: request({}, path="/" + text).path_for_log),
    "query": head(
        "api.http.codec",
        lambda text: decode_query_string(text.encode(), queries.SubscriberQuery),
        (*HEADERS, "search=%41&", "search=a&", "&", "%"),
    ),
    "cursor": head("model.pagination", partial(pagination.decode_cursor, b"x"), WORDS),
    "id": head("model.ids", ids.account_of, WORDS),
    "key": head("model.ids", ids.account_of_key, (*WORDS, "mh_")),
    "search": cell("model.search", search.search_terms, size=MAX_TEXT),
    # Bodies
    "JSON body": Parser("api.http.json_body", body, JSON, MAX_BODY, IN_JSON),
    "ids that are refused": refused_body(inputs.MarkSent, b'"z",', '"ids": [', "1]"),
    "objects that are refused": refused_body(
        DeliveryReportsCreate, b'{"kye": "K", "kind": 1},', '"reports": [', "{}]"
    ),
    "a value that is refused": refused_body(
        inputs.SubscriptionCreate, b'{"a": [1]},', '"city": [', "{}]"
    ),
    "form": Parser(
        "web.kit.form_data",
        form_data.parse_form,
        (b"a=%41", b"=", b"&", b"a=&", b"%", b"+", b"\xff", b"\0", b"%41", "é".encode()),
        MAX_BODY,
        (("", ""), ("a=", "")),
    ),
    "form with files": Parser(
        "web.kit.form_data",
        partial(sent_form, "multipart/form-data; boundary=x"),
        (FORM, b"--x\r\n", b"\r\n--", b"\r\n--x", b"a:b\r\n", b"\r\n", b"(", b'"\\', b';a="b"'),
        around=(("", ""), ("--x\r\n", ""), (FORM.decode()[:-4], ""), (FORM.decode(), "")),
    ),
    "type of a form": head(
        "web.kit.form_data", lambda text: sent_form("multipart/form-data; boundary=" + text, b"")
    ),
    "original values": cell(
        "web.kit.forms", lambda text: forms.load_original_values(text, ["name"])
    ),
    "terms when a form was opened": Parser(
        "web.subscriptions.terms", lambda sent: decode_json(sent, Seen), JSON, around=IN_JSON
    ),
    "passkey": cell(
        "services.identity.webauthn_answers",
        partial(webauthn_answers.parsed, parse_authentication_credential_json),
        ('{"id":', '"', "[", "a", "\\", "\\u0061"),
    ),
    "new passkey": cell(
        "services.identity.webauthn_answers",
        partial(webauthn_answers.parsed, parse_registration_credential_json),
        ('{"id":', '"', "[", "a", "\\", "\\u0061"),
    ),
    "code of an app": cell(
        "model.identity.totp", lambda text: totp.matching_step("A" * 32, text, NOW)
    ),
    "email address": cell(
        "model.types.email_addresses", partial(email_addresses.email_address, "email")
    ),
    "URL of a webhook": cell(
        "model.webhooks.addresses",
        lambda text: addresses.check_url("https://" + text, allow_private=False),
        (*WORDS, "[", "a@", "%41", ".", ":"),
    ),
    "letter": cell("model.emails", partial(emails.text_template, "text"), (*WORDS, "{", "{a}")),
    # Cells of tables
    "amount": cell("model.imports.values.amounts", partial(amounts.split_amount, "price")),
    "whole number": cell(
        "model.imports.values.texts", lambda text: texts.read_whole("length", text, most=9)
    ),
    "code": cell("model.imports.values.texts", partial(texts.read_code, "order_id")),
    "digits": cell("model.imports.values.texts", partial(texts.read_digits, "phone")),
    "billing period": cell("model.imports.values.texts", partial(texts.read_period, "period")),
    "status": cell("model.imports.values.texts", partial(texts.read_status, "status")),
    "clean cell": cell("model.imports.values.texts", texts.clean, (*WORDS, '="')),
    "day": cell(
        "model.imports.values.days",
        lambda text: days.read_day("day", text, order="", zone=BERLIN, written_in=BERLIN),
    ),
    "order of a day": cell("model.imports.values.days", days.date_order_of),
    "country": cell(
        "model.imports.values.country_names", partial(country_names.read_country, "country")
    ),
    "items": cell(
        "model.imports.rows.rules",
        lambda text: unpack(text, "name"),
        (*WORDS, "a:b|", "; a", ";a:", ";a:b|c"),
    ),
    "length of an item": cell("model.imports.rows.items", length_in),
    "offer of an item": cell(
        "web.imports.items_form", lambda text: items_form._proposed_offer(text, {})
    ),
    "names of columns": cell("model.imports.guesses", lambda text: guesses.guess_mapping([text])),
    "many columns": cell(
        "model.imports.guesses",
        lambda text: guesses.guess_mapping(
            [text[at : at + 200] for at in range(0, len(text), 200)][:500]
        ),
    ),
    "date of a carrier": cell("model.returns.dates", lambda text: dates.read_date(text, None)),
    "reference of a carrier": cell(
        "model.returns.copy_references",
        partial(copy_references.read_reference, 1),
        (*WORDS, "#12345678"),
    ),
    "reason of a carrier": cell(
        "model.returns.reasons",
        lambda text: reasons.classify(text, text, has_new_address=False),
        (*WORDS, "not ", "un"),
    ),
    # Files. A thread of the server reads those of up to SMALL bytes, eight times as much as here;
    # larger ones are read by a child process with limits of memory and time, one for an account
    # at a time. A row costs more than its bytes, however short it is: 1 MiB of rows of two bytes
    # takes longer than 100 ms, so each parser of rows has its own bound.
    "encoding of a file": Parser(
        "services.imports.text_files",
        in_a_file(".csv", in_its_encoding),
        (b"a", b"a ", b"a\n", b"\xe4", b"\xe4 ", LETTERS),
        TABLE,
        (("", ""),),
    ),
    "CSV file": Parser(
        "services.imports.csv_table",
        in_a_file(".csv", all_lines),
        ROWS,
        32_768,
        (("order_id,email,a\n", ""), ("", "")),
        seconds=0.25,  # up to 5 microseconds a row, of which these are 11,000
    ),
    "file of a carrier": Parser(
        "services.returns.carrier_files",
        in_a_file(".csv", carrier_rows),
        ROWS,
        TABLE,
        (("copy_key;date;kind\n", ""),),
        seconds=0.25,  # read twice, up to 7 microseconds a row each time; these are 5,500 and more
    ),
    "bank statement in CAMT": Parser(
        "services.billing.bank_statements.camt",
        camt.read_camt,
        (
            b"<Ntry>",
            b"<Ntry/>",
            b"<!-- -->",
            b"&amp;",
            b"<a b='c'/>",
            b"<![CDATA[]]>",
            b"\n",
            CAMT_LINE,
        ),
        MIB,
        (("", ""), (CAMT_START, "")),
    ),
    "bank statement in MT940": Parser(
        "services.billing.bank_statements.mt940",
        lambda content: mt940.read_mt940(content.decode("latin-1")),
        (
            b":61:2611031103C1,00NTRF\n:86:/EREF/a\n",
            MT940_PAGE,
            b":86:166?20a?21b",
            b"?20",
            b"{1:",
            b"{3:{108:a}",
            b"/EREF/",
            b"a\n",
            b":",
        ),
        SMALL,
        (("", ""), (MT940_START, ""), (MT940_PAGES, "")),
    ),
    "bank statement in CSV": Parser(
        "services.billing.bank_statements.bank_csv",
        in_a_file(".csv", partial(bank_csv.read_csv, name="a.csv", currency="EUR")),
        (*ROWS, b"2026-11-03;1,00;a\n"),
        TABLE,
        (("date;amount;name\n", ""),),
        seconds=0.25,  # read twice, up to 4 microseconds a row each time; these are 8,200
    ),
    "archive of bank statements": Parser(
        "services.billing.bank_statements.read",
        in_a_file(".zip", partial(bank_files.read_bank_file, name="a.zip", currency="EUR")),
        (directory(2_700), b"PK\5\6", b"PK\1\2"),
    ),
    "text of a payment": Parser(
        "model.billing.named_numbers",
        lambda text: named_numbers.find_references([text], ["2026-", "2025-", "R/"]),
        (*WORDS, "2026-", "2026-00012, ", "RE ", "KD 1 ", "2 0 2 6 ", "20"),
        MAX_BANK_TEXT,
    ),
    "IBANs in a text": Parser(
        "model.billing.bank_lines",
        bank_lines.mask_ibans,
        (*WORDS, "DE12", "DE89 3704 0044 0532 0130 01 ", "IBAN", "A1"),
        MAX_BANK_TEXT,
    ),
    "name at a bank": Parser("model.billing.names", bank_names.name_words, WORDS, MAX_BANK_TEXT),
    "workbook": Parser(
        "services.imports.workbook",
        in_a_file(".xlsx", workbook._check_archive),
        (
            *(directory(2_700), directory(22_000), b"PK\5\6", b"PK\1\2"),
            *(directory(count, b"\xff\xff\0\0" * 16_000) for count in (2, 16)),
        ),
    ),
    "picture": Parser(
        "services.issues.covers",
        make_picture,
        (b"a", b"\x89PNG\r\n\x1a\n", b"\xff\xd8", b"\xff\xd8\xff\xe1\0\2", b"RIFF"),
    ),
    "picture of parts": Parser(
        "services.issues.covers",
        lambda parts: make_picture(PNG + parts),
        [png_part(b"tEXt"), png_part(b"aaAa"), png_part(b"IDAT"), UNPACKED],
    ),
    "mapping": Parser(
        "model.imports.mapping_files",
        mapping_files.decode_mapping,
        ("a.", "a=1\n", "[", "a={", "1,", "[[a]]\n", "#", '"', "\\\\", "[a.b]\n", "\n"),
        mapping_files.MAX_FILE,
        (("", ""), ("a=[", "]"), ('a="', '"')),
    ),
    "mapping of many values": Parser(
        "model.imports.mapping_files",
        mapping_files.decode_mapping,
        ("a=1\n", "[a.b]\n", "[[a]]\n", "1,", '\\"', "\n", "a={},"),
        mapping_files.MAX_PARTS * 2 - 1_000,
        (("", ""), ("a=[", "]"), ('a="', '"')),
    ),
    "manifest of an export": Parser("services.exports.folder", read_folder, JSON),
    "file of erasures": Parser(
        "services.privacy.moved_erasures", decode_erasures, JSON, around=IN_JSON
    ),
    "web address": cell("settings", WEB_ADDRESS.fullmatch, (*WORDS, "http://", "[")),
}
