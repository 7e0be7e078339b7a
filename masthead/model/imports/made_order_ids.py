"""Order ids that an import makes for rows without one. They tell people nothing."""

import re
from hashlib import sha256

# With the prefix of the import before it, and the number of a further order of the row after it
_MADE = re.compile(r"ROW-[0-9A-F]{16}(?:-[0-9]+)?$")


def make_order_id(text: str) -> str:
    """The id of the order that a text identifies; the same text has the same one."""
    return f"ROW-{sha256(text.encode()).hexdigest()[:16].upper()}"


def is_made(order_id: str | None) -> bool:
    """Whether an import made the id."""
    return order_id is not None and _MADE.search(order_id) is not None
