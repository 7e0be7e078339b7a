"""Copies that a user names by the key on the label, or by the id of the copy."""

from masthead.model.errors import Invalid
from masthead.model.returns.copy_references import read_reference
from masthead.store import copies
from masthead.store.dispatch import lines
from masthead.web.kit.context import PageContext


async def is_of_copy(context: PageContext, text: str) -> bool:
    """Whether a text is the key or the id of a copy of the account. Queries: one at most."""
    try:
        reference = read_reference(context.account_id, text)
    except Invalid:
        return False
    async with context.db.read() as db:
        if reference.copy:
            return await copies.find_issue_id(db, context.account_id, reference.copy) is not None
        return await lines.find_line(db, context.account_id, reference.line) is not None
