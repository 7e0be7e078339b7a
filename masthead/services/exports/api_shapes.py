"""Write records as the API returns them: one JSON object on each line."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from typing import Any

import msgspec

from masthead.model.pagination import Page, PageRequest, all_pages
from masthead.model.resources import IssueRef
from masthead.services.exports.csv_files import Folder, WrittenFile
from masthead.store import sources
from masthead.store.engine.interface import Connection
from masthead.store.exports.subscriptions import list_subscriptions
from masthead.store.issues import records as issues
from masthead.store.subscribers import records as subscriber_store

List = Callable[[Connection, int, PageRequest], Awaitable[Page[Any]]]
_encoder = msgspec.json.Encoder()

# The lists of the API that are read page by page
_LISTS: dict[str, List] = {
    "sources": sources.list_sources,
    "issues": issues.list_issues,
    "subscribers": subscriber_store.list_subscribers,
}


async def write_lists(
    db: Connection, account_id: int, folder: Folder
) -> AsyncIterator[tuple[int, WrittenFile | None]]:
    """Write the records of the API except copies; yields the rows of each step, and its file."""
    for name, list_page in _LISTS.items():
        file = folder.open(f"json/{name}.ndjson")
        async for items in all_pages(partial(list_page, db, account_id)):
            file.write(_encoder.encode_lines(items), len(items))
            yield len(items), None
        yield 0, file.close()
    file = folder.open("json/subscriptions.ndjson")
    after = ""
    while found := await list_subscriptions(db, account_id, after=after):
        after = found.keys[-1]
        file.write(found.lines + b"\n", len(found.keys))
        yield len(found.keys), None
    yield 0, file.close()


class CopyLines:
    """Writes copies as the API returns them, from rows of `csv/copies.csv`."""

    def __init__(self, folder: Folder, issue_names: dict[str, tuple[int, str]]) -> None:
        self._file = folder.open("json/copies.ndjson")
        self._issues = {
            id: _encoder.encode(IssueRef(id=id, number=number, name=name)).decode()
            for id, (number, name) in issue_names.items()
        }

    def write(self, rows: Sequence[Sequence[object]]) -> None:
        """Add copies. Takes less than a microsecond each: their values need no escapes."""
        known = self._issues
        lines = [
            f'{{"id":{id},"date_sent":{f"{chr(34)}{day}{chr(34)}" if day else "null"},'
            f'"status":"{status}","country":"{country}","issue":{known[str(issue)]},'
            f'"subscriber_id":"{subscriber}","subscription_id":"{subscription}"}}\n'
            for (
                id,
                subscription,
                _period,
                subscriber,
                issue,
                _number,
                status,
                day,
                country,
                _run,
            ) in rows
        ]
        self._file.write("".join(lines).encode(), len(rows))

    def close(self) -> WrittenFile:
        """End the file."""
        return self._file.close()
