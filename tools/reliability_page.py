"""The tables of docs/reliability.md, which the tools write."""

from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/reliability.md"


def put_between(name: str, text: str) -> None:
    """Replace what the page has between `<!-- name: begin -->` and `<!-- name: end -->`."""
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(f"<!-- {name}: begin -->")
    _old, end, after = rest.partition(f"<!-- {name}: end -->")
    PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")


def put_row(name: str, head: str, row: str, order: Iterable[str]) -> None:
    """Put a row into a table of the page, in the place of the one with the same first cell.

    order: of the first cells; rows that have none of these go.
    """
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition(f"<!-- {name}: begin -->")[2].partition(f"<!-- {name}: end -->")[0]
    lines = [line for line in (*table.splitlines(), row) if line.startswith("| ")]
    rows = {line.split("|")[1].strip(): line for line in lines}
    put_between(name, head + "\n".join(rows[first] for first in order if first in rows))
