"""A subscriber of whom masthead keeps something in every place, and a search for traces."""

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from masthead.model.addresses.changes import NewAddress
from masthead.model.clock import now
from masthead.model.dispatch.profiles import FileFormat
from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.ids import new_id
from masthead.model.privacy.erasures import Erasure
from masthead.model.returns.uploads import UploadKind
from masthead.model.types.enums import Salutation
from masthead.services.dispatch.runs import freeze_dispatch
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.returns.uploads import save_upload
from masthead.services.subscribers.notes import add_note
from masthead.services.subscriptions.refunds import Refund, refund_order
from masthead.store import idempotency
from masthead.store.engine.interface import Database, Transaction
from masthead.store.idempotency import StoredAnswer
from tests.conftest import BY, Cast
from tests.support.addresses import move
from tests.support.dispatch_files import build
from tests.support.factories import PLACEHOLDER_DOMAIN, import_row, make_claim, make_issues
from tests.support.letters import execute
from tests.support.read_model import render_all
from tests.support.subscribers import correct, make_gift, make_subscriber, merge, set_columns

# The parts of the names and addresses that nothing else contains
TRACES = ("quuxley", "zebedee", "xylophon", "99999", "171555123", "secretword", "otherville")
ADDRESS = {
    "first_name": "Zebedee",
    "last_name": "Quuxley",
    "address1": "Xylophonweg 7",
    "city": "Otherville",
    "postcode": "99999",
    "phone": "0171555123",
}
EMAIL = "zebedee.quuxley@secretword.test"
FILE = f"email,name\n{EMAIL},Zebedee Quuxley\n".encode()


class Known(Struct, frozen=True):
    """The subscriber, and a bystander who keeps everything."""

    id: str
    subscription: dict[str, Any]
    other: str


async def make_known(cast: Cast) -> Known:
    """A subscriber with records in all tables, whose copies are all sent or cancelled."""
    await make_issues(cast, 1, 2)
    made = await import_row(
        cast,
        **ADDRESS,
        email=EMAIL,
        start_issue="1",
        length="2",
        notes="secretword in the notes",
        is_gift="true",
        gifter_name="Uncle Quuxley",
        gifter_email="uncle@secretword.test",
    )
    id = str(made["subscriber"]["id"])
    other = await make_subscriber(cast, "bystander@example.test", last_name="Bystander", length=1)
    (noted,) = await _subscriptions(cast, other)
    await set_columns(cast, "subscription", noted, notes="A friend of Quuxley, Zebedee")
    earlier = await make_subscriber(
        cast, "old@secretword.test", length=1, first_name="Zeb", last_name="Quuxley"
    )
    await merge(cast, id, earlier)
    await correct(cast, id, email="now@secretword.test")
    own: dict[str, Any] = {"address1": "Xylophonweg 9", "city": "Otherville", "country": "DE"}
    await correct(cast, id, salutation=Salutation.MS, title="Secretword", **own)
    await correct(cast, id, email=EMAIL)
    await make_gift(cast, giver=id, email="niece@example.test")
    await add_note(cast.db, cast.account_id, id, "secretword about Zebedee", by=BY)
    await add_note(cast.db, cast.account_id, other, "A friend of Zebedee Quuxley.", by=BY)
    await make_claim(cast, made, notes="secretword, says Quuxley")
    to = NewAddress(address1="Xylophonplatz 1", city="Otherville", postcode="99999", country="AT")
    await move(cast, made, first=2, last=2, to=to)
    issue = (await cast.get("/v1/issues/", limit=1)).json()["items"][0]
    run = await freeze_dispatch(cast.db, cast.account_id, issue["id"], DispatchSelection(), by=BY)
    await build(cast, run, FileFormat.CSV)
    await _store_texts(cast, id, made)
    [paid] = await cast.db.fetch_all(
        "SELECT id FROM period WHERE account_id = :account_id AND subscription_id = :id",
        {"account_id": cast.account_id, "id": made["id"]},
    )
    back = Refund(amounts={paid["id"]: 100}, day=now().date(), reason="secretword of Quuxley")
    await refund_order(cast.db, cast.account_id, made["id"], back, seen={paid["id"]: 0}, by=BY)
    for subscription in (made["id"], *await _subscriptions(cast, id)):
        await cast.post(f"/v1/subscriptions/{subscription}/cancel/", {"mode": "cancel"})
    await execute(
        cast, "UPDATE cancellation SET notes = 'secretword' WHERE account_id = :account_id"
    )
    await render_all(cast)
    return Known(id, made, other)


async def _subscriptions(cast: Cast, id: str) -> list[str]:
    rows = await cast.db.fetch_all(
        "SELECT id FROM subscription WHERE account_id = :account_id AND subscriber_id = :id",
        {"account_id": cast.account_id, "id": id},
    )
    return [row["id"] for row in rows]


async def _store_texts(cast: Cast, id: str, made: dict[str, Any]) -> None:
    """What other services would store: emails, letters, reports, refunds, imports and uploads."""
    await save_upload(
        cast.db, cast.account_id, kind=UploadKind.SHIPPED, name="returns.csv", content=FILE, by=BY
    )
    common = {"account_id": cast.account_id, "created_at": now()}
    actor = {"actor_kind": "command", "actor_id": "tests"}
    [copy] = await cast.db.fetch_all(
        "SELECT id, period_id FROM copy WHERE account_id = :id AND issue_number = 1"
        " AND subscription_id = :subscription",
        {"id": cast.account_id, "subscription": made["id"]},
    )
    address = (
        '{"address1":"Xylophonweg 7","address2":null,"city":"Otherville","state":null,'
        '"postcode":"99999","country":"DE"}'
    )
    ids = {"subscription_id": made["id"], "subscriber_id": id}
    letter, batch = new_id(cast.account_id), new_id(cast.account_id)
    upload = await make_batch(
        cast,
        reasons='[{"outcome":"refused","column":"","text":"","count":3,"line":2,'
        '"example":"Xylophonweg 7"}]',
    )
    rows: list[tuple[str, dict[str, object]]] = [
        (
            "delivery_report",
            {
                **ids,
                "kind": "moved",
                "status": "open",
                "copy_id": copy["id"],
                "issue_number": 1,
                "reason": "secretword",
                "old_address": address,
                "new_address": address,
                **actor,
            },
        ),
        (
            "letter_batch",
            {
                "id": batch,
                "stage": "last",
                "channel": "print",
                "issue_number": 1,
                "letters": 1,
                **actor,
            },
        ),
        (
            "renewal_letter",
            {
                **ids,
                "id": letter,
                "batch_id": batch,
                "period_id": copy["period_id"],
                "stage": "last",
                "channel": "print",
                "status": "to_print",
                "subject": "Dear Quuxley",
                "body": "Dear Zebedee",
                "address": "Xylophonweg 7",
            },
        ),
        (
            "outbox",
            {
                "message_id": "<1@example.test>",
                "recipient": EMAIL.upper(),
                "subject": "Zebedee",
                "body": "Dear Zebedee Quuxley",
                "status": "waiting",
                "attempts": 0,
                "last_error": "secretword",
                "next_attempt_at": now(),
                "unsubscribe_url": "https://example.test/?secretword",
                "is_secret": False,
            },
        ),
    ]

    async def work(tx: Transaction) -> None:
        for table, columns in rows:
            row = {"id": new_id(cast.account_id), **common, **columns}
            await tx.insert_rows(table, [row])
        await tx.execute(
            "INSERT INTO import_file_part (account_id, batch_id, part, content)"
            " VALUES (:account_id, :batch, 0, :content)",
            {"account_id": cast.account_id, "batch": upload, "content": FILE},
        )
        line = {"account_id": cast.account_id, "batch_id": upload, "part": 1, "outcome": "refused"}
        cells = ('[["Zebedee","Quuxley"]]', f'[["{EMAIL}"]]', '[["Somebody else"]]')
        await tx.insert_rows(
            "import_row",
            [
                {
                    **line,
                    "line": number,
                    "cells": text,
                    "reasons": '[{"column":"","value":"secretword","text":""}]',
                }
                if number < 4
                else {**line, "line": number, "cells": text, "reasons": None}
                for number, text in enumerate(cells, 2)
            ],
        )
        answer = StoredAnswer("0", 201, f'{{"email":"{EMAIL}","last_name":"Quuxley"}}')
        await idempotency.insert_answer(tx, cast.account_id, "0", answer)
        await tx.insert_rows(
            "submission",
            [
                {
                    "account_id": cast.account_id,
                    "digest": "0",
                    "result": f"/desk/?search={EMAIL}",
                    "made_at": now(),
                }
            ],
        )

    await cast.db.write(work)


async def make_batch(cast: Cast, **columns: object) -> str:
    """An import whose file is uploaded; returns its id."""
    id = new_id(cast.account_id)
    row: dict[str, object] = {
        "account_id": cast.account_id,
        "id": id,
        "name": "orders.csv",
        "sha256": "0",
        "bytes": len(FILE),
        "status": "uploaded",
        **dict.fromkeys(("options", "counts", "decisions", "layout"), "{}"),
        "reasons": "[]",
        "created_at": now(),
        "actor_kind": "command",
        "actor_id": "tests",
        **columns,
    }

    async def work(tx: Transaction) -> None:
        await tx.insert_rows("import_batch", [row])

    await cast.db.write(work)
    return id


async def erase(cast: Cast, id: str, *, is_cancelling: bool = True) -> Erasure:
    """Erase a subscriber."""
    return await erase_subscriber(
        cast.db,
        cast.account_id,
        id,
        is_cancelling=is_cancelling,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )


async def text_columns(db: Database) -> dict[str, list[str]]:
    """The columns with texts and bytes of all tables, and `account_id` where there is one."""
    if db.dialect == "sqlite":
        rows = await db.fetch_all(
            """
            SELECT t.name AS "table", c.name AS "column"
            FROM sqlite_schema t
            JOIN pragma_table_info(t.name) c
            WHERE t.type = 'table'
              AND t.name NOT GLOB 'search_*'
              AND t.name NOT GLOB 'sqlite_*' -- statistics, which have no values
              AND (
                  c.name = 'account_id'
                  OR lower(c.type) NOT IN ('bigint', 'integer', 'boolean', 'date', 'timestamptz')
              )
            """,
            {},
        )
    else:
        rows = await db.fetch_all(
            """
            SELECT table_name AS "table", column_name AS "column"
            FROM information_schema.columns
            WHERE table_schema = current_schema()
              AND table_name NOT LIKE 'citus%' -- its views
              AND (
                  column_name = 'account_id'
                  OR data_type IN ('text', 'bytea', 'character varying')
              )
            """,
            {},
        )
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["table"], []).append(row["column"])
    return found


async def find_traces(cast: Cast, traces: Sequence[str] = TRACES) -> list[str]:
    """The places in the tables of the account where a trace is, as `table.column: trace`."""
    found = []
    for table, columns in (await text_columns(cast.db)).items():
        if "account_id" not in columns:
            continue
        for column in columns:
            rows = await cast.db.fetch_all(
                f'SELECT "{column}" AS value FROM "{table}" WHERE account_id = :account_id',  # noqa: S608 - names of the schema
                {"account_id": cast.account_id},
            )
            text = "\n".join(_text(row["value"]) for row in rows).lower()
            found += [f"{table}.{column}: {trace}" for trace in traces if has_trace(text, trace)]
    return found


def has_trace(text: str, trace: str) -> bool:
    """Whether a trace is in a text: digits as a word, as they are also a part of random ids."""
    if trace.isdigit() and len(trace) < 8:
        return bool(re.search(rf"(?<![0-9a-z]){trace}(?![0-9a-z])", text))
    return trace in text


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
