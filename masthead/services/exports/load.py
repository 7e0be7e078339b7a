"""Import a whole export into an empty account, so that it has the same records as before.

All rows are written in one transaction: an import that is interrupted leaves nothing.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.exports.contents import EXPORT_FILES
from masthead.model.exports.export_files import ExportFile
from masthead.model.exports.ids import IdChange
from masthead.services.check.accounts import Fault, check_account
from masthead.services.debits.file_checks import require_own_files
from masthead.services.exports.cells import Reader, row_reader
from masthead.services.exports.erased import (
    erase_loaded,
    erasures_here,
    erasures_of_folder,
    read_erasures,
)
from masthead.services.exports.folder import (
    read_manifest,
    require_real,
    require_unchanged,
    with_columns,
)
from masthead.services.exports.pictures import PICTURES, picture_columns
from masthead.services.exports.row_checks import check_row, tidy
from masthead.services.exports.write import ExportManifest
from masthead.services.search_index import rewrite_search
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.background import leases
from masthead.store.check import rows as checks
from masthead.store.dispatch.fingerprints import compute_fingerprint
from masthead.store.engine.interface import Database, Row, Transaction
from masthead.store.engine.refused_rows import REFUSED_ROWS
from masthead.store.engine.table_columns import list_columns
from masthead.store.engine.wrapped import OneTransaction
from masthead.store.exports import loading
from masthead.store.identity import people
from masthead.store.read_model import subscription_json
from masthead.store.reminders.last import update_all_last

BATCH = 2_000  # rows that are written together
FEW = 10  # rows with bytes
MANY = 100_000  # rows, which take some seconds
MOST_FAULTS = 100  # that are named
SERVER, SERVER_LASTS = "background", timedelta(seconds=30)  # the lease that a server holds

_CELL = 2**31 - 1  # longest cell: covers are in base64
_LOADED = [
    exported for exported in EXPORT_FILES if not exported.stays and exported.table != "account"
]
# What an account keeps as its operator made it
_KEPT_SETTINGS = (
    "id",
    "subdomain",
    "is_active",
    "requires_second_factor",
    "created_at",
    "is_sandbox",
)

Progress = Callable[[int], None]


class _Rehearsed(Exception):
    """Rolls back the transaction of a rehearsal. loaded: what it would have written."""

    def __init__(self, loaded: "Loaded") -> None:
        self.loaded = loaded


class Loaded(Struct, frozen=True):
    """The result of importing an export: rows, and the subscribers that were erased again.

    faults: the first rows that break a rule of the data, as `masthead check` would name them.
    """

    rows: int
    erased: int
    faults: Sequence[Fault]


async def load_export(
    db: Database,
    account_id: int,
    folder: Path,
    *,
    erasures: bytes | None = None,
    placeholder_domain: str,
    by: Actor,
    is_rehearsal: bool = False,
    on_progress: Progress = lambda rows: None,
) -> Loaded:
    """Write all records of an export into an account; returns what was written.

    A rehearsal does the same and takes it back: it costs as much, and leaves nothing.
    Subscribers who were erased since are erased again: those of the export, of the exported
    account if it is in this database, and of a file of erasures. Other writes wait until it ends;
    on SQLite, also those of other accounts, so that a large export needs a stopped server.
    Raises: Invalid if the account has data, or the folder is not an unchanged export; or if it is
    one of a sandbox, and the account is none.
    """
    manifest = read_manifest(folder)
    await _require_time(db, manifest)
    require_unchanged(folder, manifest)
    names = manifest.account, manifest.number
    moved = erasures_of_folder(folder, *names)
    moved += read_erasures(erasures, *names) if erasures is not None else []

    async def work(tx: Transaction) -> Loaded:
        account = await accounts.lock_account(tx, account_id)
        if not account.is_sandbox:
            require_real(folder)
        if table := await loading.find_used_table(tx, account_id):
            raise Invalid(
                f"The account already has rows in `{table}`. Import an export into an account that "
                "is empty: make one with `masthead account create`. To add orders to this one, "
                "import `csv/orders.csv`."
            )
        await loading.delete_first_rows(tx, account_id)
        load = _Load(tx, account_id, folder, on_progress)
        with _long_cells():
            rows, change = await load.run(manifest, by)
        here = await erasures_here(tx, account_id, *names, change)
        erased = await erase_loaded(
            tx, account_id, [*moved, *here], change, placeholder_domain=placeholder_domain, by=by
        )
        loaded = Loaded(rows, erased, await _list_faults(db, tx, account_id))
        if is_rehearsal:
            raise _Rehearsed(loaded)
        return loaded

    try:
        return await db.write(work, account_id=account_id, is_long=True)
    except _Rehearsed as rehearsed:
        return rehearsed.loaded


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let Python's reader of CSV, whose limit is one for the process, take long cells."""
    limit = csv.field_size_limit(_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


async def _require_time(db: Database, manifest: ExportManifest) -> None:
    """Raises: Invalid if the writes of a server would have to wait for many rows."""
    rows = sum(file.rows for file in manifest.files if file.name.startswith("csv/"))
    if db.dialect != "sqlite" or rows <= MANY:
        return
    if await leases.is_held(db, name=SERVER, duration=SERVER_LASTS):
        raise Invalid(
            f"`masthead serve` uses this database, and could write nothing while the {rows:,} rows "
            "of the export are imported. Stop it, import the export, and start it again."
        )


class _Load:
    """One import of an export, in a transaction."""

    def __init__(
        self, tx: Transaction, account_id: int, folder: Path, on_progress: Progress
    ) -> None:
        self._tx, self._account_id, self._folder = tx, account_id, folder
        self._on_progress, self._rows = on_progress, 0

    async def run(self, manifest: ExportManifest, by: Actor) -> tuple[int, IdChange]:
        """Write everything; returns the number of rows, and how ids were changed."""
        tx, id = self._tx, self._account_id
        own_entries = await trail.get_last_entry(tx, id)
        change = IdChange(manifest.number, id, await self._match_users())
        [settings] = self._read("account")
        await self._update_settings(settings)
        dispatches = list[str]()
        written = {file.name for file in manifest.files}
        for exported in _LOADED:
            if exported.path not in written:
                continue  # of an older masthead
            ids = await self._load(exported, change, own_entries)
            if exported.name == "dispatches":
                dispatches = ids
        await require_own_files(tx, id)
        await loading.number_searchable_records(tx, id)
        await _write_search_index(tx, id)
        await update_all_last(tx, id)
        await loading.update_counters(tx, id, daily_date=date.fromisoformat(settings["daily_date"]))
        for dispatch_id in dispatches:  # their lines have other ids than in the export
            fingerprint = await compute_fingerprint(tx, id, dispatch_id)
            await loading.update_fingerprint(tx, id, dispatch_id, fingerprint)
        after = {"export": manifest.account, "moment": manifest.moment, "rows": self._rows}
        entry = NewEntry(EntryType.ACCOUNT_LOAD, id, None, after)
        await trail.record(tx, id, by, [entry])
        return self._rows, change

    def _read(self, name: str) -> Iterator[dict[str, str]]:
        path = self._folder / "csv" / f"{name}.csv"
        with path.open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)

    async def _match_users(self) -> dict[str, str]:
        """The users of the export here, without access to the account; created if not found."""
        return {
            row["user_id"]: await people.match_or_insert_user(self._tx, row["email"])
            for row in list(self._read("users"))
        }

    async def _reader_of(self, exported: ExportFile) -> Reader:
        return row_reader(exported, await list_columns(self._tx, exported.table))

    async def _update_settings(self, settings: Mapping[str, str]) -> None:
        exported = next(each for each in EXPORT_FILES if each.table == "account")
        values = await self._reader_of(with_columns(exported, list(settings)))
        row = values(list(settings.values()))
        check_row(exported, row)
        kept = {name: value for name, value in row.items() if name not in _KEPT_SETTINGS}
        await accounts.update_account(self._tx, self._account_id, kept)

    async def _load(self, exported: ExportFile, change: IdChange, own_entries: int) -> list[str]:
        """Write the rows of a file; returns the ids of dispatch runs.

        The file of an older masthead has fewer columns; the others then have their defaults.
        """
        has_bytes = "content" in exported.columns
        ids = list[str]()
        with (self._folder / exported.path).open(encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            exported = with_columns(exported, next(lines))
            change_ids, values = change.of_file(exported), await self._reader_of(exported)
            while batch := list(islice(lines, FEW if has_bytes else BATCH)):
                rows = []
                for cells in batch:
                    change_ids(cells)
                    rows.append(row := values(cells))
                    check_row(exported, row)
                rows = [tidy(exported, row) for row in rows]
                if exported.table == "audit":
                    for row in rows:
                        row["id"] = int(row["id"]) + own_entries
                if exported.table in PICTURES:
                    rows = [{**row, **picture_columns(exported, row)} for row in rows]
                await self._insert(exported, rows, has_bytes=has_bytes)
                if exported.table == "dispatch":
                    ids += [row["id"] for row in rows]
                self._rows += len(rows)
                self._on_progress(self._rows)
        return ids

    async def _insert(self, exported: ExportFile, rows: Sequence[Row], *, has_bytes: bool) -> None:
        try:
            await loading.insert_rows(
                self._tx, self._account_id, exported.table, rows, has_bytes=has_bytes
            )
        except REFUSED_ROWS:
            raise Invalid(
                f"`{exported.path}` has two rows with one key, or a row that names a record which "
                "the export does not have. Nothing was imported. Use the export as masthead has "
                "made it."
            ) from None


async def _list_faults(db: Database, tx: Transaction, account_id: int) -> list[Fault]:
    """The rows that break a rule, as the transaction would leave them."""
    account = await accounts.get_account(tx, account_id)
    found = list[Fault]()
    async for fault in check_account(OneTransaction(db, tx, is_long=True), account.subdomain):
        found.append(fault)
        if len(found) == MOST_FAULTS:
            break
    return found


async def _write_search_index(tx: Transaction, account_id: int) -> None:
    """Write the search texts and let the stored JSON be rendered, some subscribers at a time."""
    after = ""
    while ids := await checks.list_ids(tx, account_id, "subscriber", after=after, limit=BATCH):
        after = ids[-1]
        await rewrite_search(tx, account_id, ids)
    await subscription_json.mark_all_outdated(tx, account_id)
