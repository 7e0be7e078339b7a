"""Check that the lines and files of dispatch runs are those that were frozen."""

import hashlib
from collections.abc import AsyncIterator

from masthead.model.dispatch.files import FileStatus
from masthead.services.dispatch.fingerprints import compute_fingerprint
from masthead.services.privacy.fingerprints import MARK
from masthead.store.check import rows as checks
from masthead.store.dispatch import files
from masthead.store.engine.interface import Connection


async def check_dispatches(db: Connection, account_id: int) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the id of a run or a file.

    Reads all lines and files of the account. Queries: one for 5,000 lines and for 1 MiB of files.
    """
    for run in await checks.list_fingerprints(db, account_id):
        known = run["fingerprint"]  # marked after an erasure, until `finish_erasures`
        if not known.startswith(MARK) and known != await compute_fingerprint(
            db, account_id, run["id"]
        ):
            yield "the frozen addresses of a run do not change", run["id"]
        for file in await files.list_files(db, account_id, run["id"]):
            if file.status is not FileStatus.READY:
                continue
            digest, size, part = hashlib.sha256(), 0, 0
            while content := await files.find_part(db, account_id, file.id, part):
                digest.update(content)
                size, part = size + len(content), part + 1
            if (digest.hexdigest(), size) != (file.sha256, file.bytes):
                yield "the bytes of a file match its hash", file.id
