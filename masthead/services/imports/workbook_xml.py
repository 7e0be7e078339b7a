"""Read the XML of a workbook in pieces, without the prefixes of its names."""

from collections.abc import Callable, Iterator
from typing import IO
from xml.parsers import expat

_CHUNK = 1024 * 1024  # bytes

Attributes = dict[str, str]


def parse(
    stream: IO[bytes],
    start: Callable[[str, Attributes], None],
    end: Callable[[str], None] = lambda name: None,
    text: Callable[[str], None] = lambda text: None,
) -> Iterator[None]:
    """Call the functions for what a document has; yields after each piece. Memory: constant.

    Raises: expat.ExpatError.
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, given: start(local_name(name), given)
    parser.EndElementHandler = lambda name: end(local_name(name))
    parser.CharacterDataHandler = text
    while chunk := stream.read(_CHUNK):
        parser.Parse(chunk)
        yield


def local_name(name: str) -> str:
    """A name without its prefix."""
    return name.rpartition(":")[2]


def local_names(given: Attributes) -> Attributes:
    """Attributes by their names without prefixes."""
    return {local_name(name): value for name, value in given.items()}
