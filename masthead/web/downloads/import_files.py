"""The files of the lists of imports and of their rows."""

from collections.abc import Mapping
from typing import Any

from msgspec import structs

from masthead.model.file_names import file_name_noop
from masthead.model.imports.batches import ImportBatch, ImportRow
from masthead.model.inputs import ListQuery
from masthead.model.pagination import Page, PageRequest
from masthead.model.translations import gettext_noop
from masthead.store.engine.interface import Connection
from masthead.store.imports import batch_rows, batches
from masthead.web.downloads.list_file import ListFile, Parts, read_pages, read_query
from masthead.web.imports.batch import ImportRowQuery
from masthead.web.imports.upload import find_importers
from masthead.web.kit.context import PageContext

_IMPORTS = (
    "import name status imported already_here refused who created_at ended_at sha256"
).split()
_ROWS = "line order_id what reason subscriber_id subscription_id".split()


def _read_imports(context: PageContext) -> Parts:
    read_query(context, ListQuery)
    names: Mapping[str, str] = {}

    async def list_page(db: Connection, request: PageRequest) -> Page[ImportBatch]:
        nonlocal names
        page = await batches.list_batches(db, context.account_id, request)
        names = await find_importers(db, context.account_id, page.items)
        return page

    def row(item: ImportBatch) -> dict[str, Any]:
        common = structs.asdict(item)
        return {
            **common,
            "import": item.number,
            "status": item.status.words,
            "imported": item.counts.imported,
            "already_here": item.counts.skipped,
            "refused": item.counts.rejected,
            "who": names[item.id],
            "ended_at": item.finished_at,
        }

    return read_pages(context, list_page, row)


def _read_rows(context: PageContext) -> Parts:
    query, _is_ascending = read_query(context, ImportRowQuery)
    batch = context.query.get("batch", "")

    async def list_page(db: Connection, request: PageRequest) -> Page[ImportRow]:
        return await batch_rows.list_rows(db, context.account_id, batch, query.outcome, request)

    def row(item: ImportRow) -> dict[str, Any]:
        return {
            **structs.asdict(item),
            "what": item.outcome.words,
            "reason": " ".join(problem.text for problem in item.reasons),
        }

    return read_pages(context, list_page, row)


IMPORT_FILES = {
    "imports": ListFile(
        gettext_noop("Imports"), file_name_noop("imports-{day}.{ending}"), _IMPORTS, _read_imports
    ),
    "import-rows": ListFile(
        gettext_noop("Imports"), file_name_noop("import-rows-{day}.{ending}"), _ROWS, _read_rows
    ),
}
