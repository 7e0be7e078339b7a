"""Run `masthead`, and kill it in a request or form with an idempotency key.

DIE is `before` or `after`. before: the answer is stored, and the transaction is not committed.
after: it is committed, and the client has no answer. Each worker imports this module too.
"""

import os
import signal

from starlette.responses import Response

from masthead.api.http.response import JsonResponse
from masthead.api.idempotency.requests import IdempotentRequests, KeyedRequest, Respond
from masthead.cli import main
from masthead.store import idempotency
from masthead.store.engine.interface import Database, Transaction
from masthead.store.idempotency import StoredAnswer
from masthead.web.kit import form_handling
from masthead.web.kit.idempotency import Save, save_once


def die() -> None:
    """Kill the supervisor and all workers at once."""
    os.killpg(0, signal.SIGKILL)


async def insert_and_die(
    tx: Transaction, account_id: int, key_digest: str, answer: StoredAnswer
) -> None:
    """Store the answer, but commit nothing."""
    await INSERT(tx, account_id, key_digest, answer)
    die()


async def update_and_die(tx: Transaction, account_id: int, digest: str, result: str) -> None:
    """The same for a form."""
    await UPDATE(tx, account_id, digest, result)
    die()


async def save_and_die(
    db: Database, account_id: int, key: str, content: str, save: Save, *, is_long: bool
) -> Response:
    """Commit a form, but send no answer."""
    response = await SAVE(db, account_id, key, content, save, is_long=is_long)
    die()
    return response


async def respond_and_die(
    self: IdempotentRequests, keyed: KeyedRequest, respond: Respond, *, is_long: bool
) -> JsonResponse:
    """Commit, but send no answer."""
    response = await RESPOND(self, keyed, respond, is_long=is_long)
    die()
    return response


INSERT, RESPOND = idempotency.insert_answer, IdempotentRequests.respond
UPDATE, SAVE = idempotency.update_result, save_once
if os.environ["DIE"] == "before":
    setattr(idempotency, "insert_answer", insert_and_die)  # noqa: B010 - for mypy
    setattr(idempotency, "update_result", update_and_die)  # noqa: B010 - for mypy
else:
    setattr(IdempotentRequests, "respond", respond_and_die)  # noqa: B010 - for mypy
    setattr(form_handling, "save_once", save_and_die)  # noqa: B010 - for mypy

if __name__ == "__main__":
    main()
