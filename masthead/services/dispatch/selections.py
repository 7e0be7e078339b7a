"""Check what a dispatch run is frozen for."""

from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.errors import Invalid, excerpt
from masthead.store import sources
from masthead.store.engine.interface import Connection


async def require_sources(db: Connection, account_id: int, selection: DispatchSelection) -> None:
    """Raises: Invalid `invalid_source` if a source does not exist. Queries: one per source.

    A run for an unknown source next to a known one would leave out copies without a message.
    """
    for id in selection.sources:
        if await sources.find_source(db, account_id, id) is None:
            raise Invalid(
                f"There is no source `{excerpt(id)}` in this account. Use the id of a source from "
                "the list of sources.",
                code="invalid_source",
                field="sources",
                value=id,
            )
