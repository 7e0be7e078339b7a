"""The names of uploaded files are texts like others: on one line, and without what is not seen."""

from pathlib import Path

from masthead.model.returns.uploads import UploadKind
from masthead.services.billing.bank_statements.import_file import read_file
from masthead.services.imports import batches
from masthead.services.returns import uploads
from masthead.store.imports.batches import get_batch
from masthead.store.returns.uploads import get_upload
from tests.conftest import BY, Cast

SENT, STORED = "\u202eli\x07st\u200b\n.csv ", "li st .csv"


async def test_names_of_files_are_one_line_that_can_be_seen(acme: Cast) -> None:
    id = await batches.upload_file(acme.db, acme.account_id, SENT, b"order_id\n1\n", by=BY)
    async with acme.db.read() as db:
        assert (await get_batch(db, acme.account_id, id)).name == STORED
    id = await uploads.save_upload(
        acme.db, acme.account_id, UploadKind.SHIPPED, SENT, b"key\n1\n", by=BY
    )
    assert (await get_upload(acme.db, acme.account_id, id)).name == STORED
    path = Path(__file__).parents[1] / "files" / "bank" / "camt_02.xml"
    assert read_file(path, SENT, "EUR").name == STORED
