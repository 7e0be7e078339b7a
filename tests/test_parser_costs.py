"""Every parser of what comes from outside is fast, and needs time in proportion to its input.

Costs are processor time of this thread: other processes and tests do not count. A measurement is
repeated only while it is over a bound, and the least one counts. The bounds are those of a
processor that adds up 100,000 squares in `REFERENCE` seconds; for a slower one, they are longer in
proportion.
"""

import gc
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import masthead
from tests.support.parsers import PARSERS, Parser, cost_of

MASTHEAD = Path(masthead.__file__).parent
LEAST = 0.02  # seconds; what takes less is not compared
TIMES = 8  # how much longer the input is than the one that it is compared with
MOST_TIMES = 24  # how much longer that may take; a quadratic parser takes 64 times as long
REPEATED = 5
REFERENCE = 0.006  # seconds
SHORT_REPEATED = 2  # of the shorter input: chance makes it look slow once, hardly twice


@pytest.fixture(autouse=True)
def without_collection() -> Iterator[None]:
    """No garbage collection: it would look at the objects of all tests of this process."""
    gc.disable()
    yield
    gc.enable()


def least(
    parse: Callable[[Any], object], sent: Any, bound: float, repeated: int = REPEATED
) -> float:
    """The seconds that an input takes: the first time under the bound, or the least one."""
    run, found = cost_of(parse), float("inf")
    for _ in range(repeated):
        began = time.thread_time()
        run(sent)
        found = min(found, time.thread_time() - began)
        if found < bound:
            break
    return found


def slowness() -> float:
    """How many times as long the processor needs now as the one for which the bounds are."""
    took = least(lambda size: sum(each * each for each in range(size)), 100_000, 0.0)
    return max(1.0, took / REFERENCE)


def require_cheap(parser: Parser) -> None:
    """Fail if an input takes too long, or more than in proportion to its length."""
    bound = parser.seconds
    pairs = zip(parser.inputs(parser.size // TIMES), parser.inputs(parser.size), strict=True)
    for short, long in pairs:
        took = least(parser.parse, long, bound)
        assert took < bound or took < bound * slowness(), f"{long[:40]!r}: {took:.3f} s"
        if took > LEAST:
            before = least(parser.parse, short, took / MOST_TIMES, SHORT_REPEATED)
            limit = max(before, LEAST / TIMES) * MOST_TIMES
            again = took if took < limit else least(parser.parse, long, limit)
            assert again < limit, f"{long[:40]!r}: not linear"


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_is_fast_and_linear(name: str) -> None:
    parser = PARSERS[name]
    for sent in parser.inputs(1_000):
        cost_of(parser.parse)(sent)  # loads what it needs
    require_cheap(parser)


@pytest.mark.parametrize("seconds, found", [(0.01, "s$"), (1_000, "not linear")])
def test_a_parser_of_cubic_time_is_found(seconds: float, found: str) -> None:
    backtracking = re.compile("a+a+$").search
    with pytest.raises(AssertionError, match=rf"(?m){found}"):
        require_cheap(Parser("tests", backtracking, ["a"], 800, [("", "b")], seconds))


# --- Every parser is in the table ----------------------------------------------------------------

LAYERS = ("api", "model", "services", "web")  # the others read what the operator gives
DECODERS = re.compile(
    r"\b(json\.loads|json\.decode|decode_json|tomllib\.loads|csv\.reader|ZipFile\(|load_workbook|"
    r"Image\.open|MultipartParser|b64decode|a2b_qp|unquote(?:_to_bytes)?|parse_qs|parse_qsl|"
    r"etree\.fromstring|etree\.parse|etree\.iterparse|decompress|getaddresses|ip_address|validate_email|parse_client_data_json)\("
)
PARTS = {  # of a parser in the table, which calls them
    "api.http.paths": "path",
    "model.types.json_texts": "original values",
    "services.debits.file_checks": "manifest of an export",
    "services.exports.load": "manifest of an export",
    "services.exports.row_checks": "manifest of an export",
    "services.imports.csv_rows": "CSV file",
    "services.imports.workbook_rows": "workbook",
    "services.moving.backups": "manifest of an export",
    "services.pictures": "picture",
}
# They read what masthead itself wrote: its rows, files, pages and messages to its own processes
OWN = set(
    "api.openapi.schemas api.openapi.texts.__init__ model.returns.uploads model.imports.mapping "
    "model.identity.relying_party model.privacy.redaction model.revenue.statement_files "
    "model.webhooks.signatures "
    "services.imports.work.reader_process services.privacy.erase "
    "services.privacy.everything services.privacy.mentions "
    "services.self_service.reading "
    "web.imports.proposals web.returns.carrier_files".split()
)


def test_every_module_that_decodes_is_in_the_table() -> None:
    paths = [path for layer in LAYERS for path in (MASTHEAD / layer).rglob("*.py")]
    found = {
        ".".join(path.relative_to(MASTHEAD).with_suffix("").parts)
        for path in paths
        if DECODERS.search(path.read_text(encoding="utf-8"))
    }
    tested = {parser.module for parser in PARSERS.values()}
    assert found - tested == PARTS.keys() | OWN
    assert set(PARTS.values()) <= PARSERS.keys()
