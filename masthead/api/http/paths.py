"""The paths of requests and routes."""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from masthead.model.types.text import MAX_TEXT


def plain_path(path: str) -> str:
    """The path of a route with the same name for each id."""
    return re.sub(r"\{\w+\}", "{id}", path)


def allowed_methods(methods: Iterable[str]) -> str:
    """The methods of a path, for the header `Allow`."""
    return ", ".join(m for name in methods for m in (name, "HEAD" if name == "GET" else "") if m)


def id_text(id: str) -> str:
    """The id in a path; characters that no text column can hold are replaced.

    A text that is longer than any id is truncated; no record has the truncated id either.
    """
    text = (unquote(id) if "%" in id else id)[:MAX_TEXT]
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
