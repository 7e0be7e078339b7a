"""Find and delete the uploaded files that contain a subscriber."""

from collections.abc import Collection, Mapping, Sequence

from masthead.model.privacy.redaction import encoded_forms
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.privacy import uploaded_files as store

ZIP = b"PK\x03\x04"  # the first bytes of XLSX and ODS, whose texts are compressed
FILE_DELETED = (
    "The file may contain the data of a subscriber who was erased, so it was deleted. "
    "Upload it again."
)


TABLES = ("import_file_part", "carrier_file_part")  # with the parts of files

Parts = Mapping[str, Mapping[str, int]]  # how many parts each file has, by table


async def count_parts(db: Connection, account_id: int) -> dict[str, dict[str, int]]:
    """The number of parts of each uploaded file, by table. Parts are added, but never replaced."""
    return {table: await store.count_parts(db, account_id, table) for table in TABLES}


async def find_files(
    db: Connection,
    account_id: int,
    terms: Collection[str],
    *,
    is_sure: bool = False,
    searched: Parts | None = None,
) -> dict[str, list[str]]:
    """The ids of the uploaded files in which a term occurs, by the table of their parts.

    is_sure: whether to leave out files that cannot be searched, because they are compressed.
    searched: files to leave out, unless they have more parts now.
    """
    forms, known = encoded_forms(terms), searched or {}
    return {
        table: [
            id
            for id, count in files.items()
            if known.get(table, {}).get(id) != count
            and await _has_any(db, account_id, table, id, forms, is_sure=is_sure)
        ]
        for table, files in (await count_parts(db, account_id)).items()
    }


async def delete_files(tx: Transaction, account_id: int, files: Mapping[str, list[str]]) -> None:
    """Delete the content of uploaded files. files: ids by the table of their parts."""
    for table, found in files.items():
        await store.delete_parts(tx, account_id, table, found)
        if table == "import_file_part":
            await store.fail_batches(tx, account_id, found, error=FILE_DELETED)


async def _has_any(
    db: Connection, account_id: int, table: str, id: str, forms: Sequence[bytes], *, is_sure: bool
) -> bool:
    """Whether a file has one of the forms, also across the border of two parts."""
    longest = max(map(len, forms), default=1)
    before, place = b"", 0
    while (part := await store.find_part(db, account_id, table, id, place)) is not None:
        text = before + part
        if not before and part.startswith(ZIP):
            return not is_sure
        if any(form in text for form in forms):
            return True
        before, place = text[-longest:], place + 1
    return False
