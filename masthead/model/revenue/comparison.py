"""Compare two statements of the same day, order by order."""

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from msgspec import Struct

from masthead.model.revenue.statement_files import NET_ORDER_COLUMNS, read_lines

_KEY = NET_ORDER_COLUMNS.index("order_number")


class OrderDifference(Struct, frozen=True):
    """An order whose lines differ. before, after: what differs, by column.

    Both are empty where a whole line is missing: see `is_new` and `is_gone`.
    """

    order_id: str
    subscription_id: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    is_new: bool = False
    is_gone: bool = False


def compare_orders(old: bytes, new: bytes) -> Iterator[OrderDifference]:
    """The orders that differ between two files of orders, in the order of the new file.

    Orders that only the old file has come last. Lines that are the same are not read.
    """
    before = _lines(old, without=new)
    after = _lines(new, without=old)
    for key, line in after.items():
        yield _difference(before.pop(key, {}), line)
    for line in before.values():
        yield _difference(line, {})


def _lines(content: bytes, *, without: bytes) -> dict[str, dict[str, str]]:
    """The lines of a file that another file does not have, by order. No cell has a line break."""
    known = set(without.splitlines(keepends=True))
    kept = b"".join(line for line in content.splitlines(keepends=True) if line not in known)
    return {
        cells[_KEY]: dict(zip_longest(NET_ORDER_COLUMNS, cells, fillvalue=""))
        for cells in read_lines(kept)
        if cells[_KEY].isdigit()  # no line of names, which older files have others of
    }


def _difference(before: dict[str, str], after: dict[str, str]) -> OrderDifference:
    """The cells that differ."""
    changed = [name for name in NET_ORDER_COLUMNS if before.get(name) != after.get(name)]
    return OrderDifference(
        order_id=(after or before)["order_id"],
        subscription_id=(after or before)["subscription_id"],
        before={name: before[name] for name in changed} if before and after else {},
        after={name: after[name] for name in changed} if before and after else {},
        is_new=not before,
        is_gone=not after,
    )
