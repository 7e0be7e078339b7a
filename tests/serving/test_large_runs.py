"""A run of 100,000 copies, from its preview to the carrier's report, while others use the API."""

import asyncio
import csv
import hashlib
import io
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest
from pypdf import PdfReader
from starlette.responses import Response

from masthead.model.dispatch.files import DispatchFile, FileStatus
from masthead.model.ids import new_token, token_digest
from masthead.services.identity.server_secrets import get_secret
from masthead.store.dispatch import files
from masthead.store.engine.interface import Transaction
from masthead.store.identity import people, sessions
from masthead.web.kit.cookies import Cookies
from tests.conftest import Cast
from tests.support.replica import settings_of
from tests.support.serving import ROOT, Server, account_at, read_process_file, serve
from tests.web.conftest import Person
from tests.web.returns.test_returns import import_shown, upload

COPIES = 100_000
SHAPED = 500  # one address in so many has Chinese letters
TOO_LONG = 1_001  # the order whose address does not fit on its label
LABELS = 21  # on a page
LEAST = 20  # requests of others that are answered during a step; if it blocks them, it is one
WORKER, CHILD = 400, 400  # megabytes; an idle worker uses 75
SECONDS = 3_600.0


def write_orders(path: Path) -> None:
    """Write a file with an order for each copy."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        names = "order_id last_name address1 address2 city postcode country order_date price"
        writer.writerow([*names.split(), "start_issue", "length"])
        for n in range(COPIES):
            name, second = f"Reader {n}", ""
            if n % SHAPED == 0:
                name = f"王小明 {n}"
            elif n == TOO_LONG:
                second = "Gartenhaus" * 12
            street = [f"Street {n % 977}", second, "Ulm", f"{n % 89_999 + 10_000}", "DE"]
            writer.writerow([f"L-{n}", name, *street, "2026-01-15", "42", "1", "1"])


async def run(url: str, *words: str) -> None:
    """Run a command of masthead."""
    command = [sys.executable, "-m", "masthead", *words]
    environment = {**os.environ, **settings_of(url)}
    ended = await asyncio.to_thread(
        subprocess.run, command, cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr[-2000:]


class Others:
    """Requests of the API, one after the other, and meanwhile the memory of the server.

    worker, child: the most megabytes of its worker, and of a process that the worker started.
    """

    def __init__(self, cast: Cast, server: Server) -> None:
        self._cast, self._server = cast, server
        self._answered, self.worker, self.child = 0, 0.0, 0.0

    async def ask(self) -> None:
        """Ask until the task is cancelled."""
        while True:
            answer = await self._cast.get("/v1/subscriptions/?limit=50")
            assert answer.status_code == 200, answer.text
            self._answered += 1
            (worker,) = self._server.workers()
            self.worker = max(self.worker, megabytes(worker))
            self.child = max([self.child, *map(megabytes, children_of(worker))])
            await asyncio.sleep(0.02)

    @asynccontextmanager
    async def answered(self, step: str) -> AsyncIterator[None]:
        """A step, as a block; it fails if others get too few answers meanwhile."""
        before = self._answered
        yield
        assert self._answered - before >= LEAST, f"{step} blocks other requests"


def children_of(pid: int) -> list[int]:
    """The process ids of the children of a process."""
    paths = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in paths for child in read_process_file(path).split()]


def megabytes(pid: int) -> float:
    """The peak memory of a process; 0 if it has ended."""
    status = read_process_file(Path(f"/proc/{pid}/status")).decode()
    _before, found, rest = status.partition("VmHWM:")
    return int(rest.split()[0]) / 1024 if found else 0.0


@asynccontextmanager
async def asking(cast: Cast, server: Server) -> AsyncIterator[Others]:
    """Others who ask during the block; their failures are raised at its end."""
    others = Others(cast, server)
    task = asyncio.create_task(others.ask())
    try:
        yield others
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def owner_at(cast: Cast, server: Server) -> AsyncIterator[Person]:
    """The owner, signed in."""
    token = new_token()

    async def work(tx: Transaction) -> None:
        person = await people.find_person(tx, cast.owner)
        assert person is not None
        await sessions.insert_session(tx, token_digest(token), person.id, "127.0.0.1")

    await cast.db.write(work)
    response = Response()
    Cookies(await get_secret(cast.db), is_secure=False).set_session(response, token)
    headers = {"Accept": "text/html", "Cookie": response.headers["Set-Cookie"].partition(";")[0]}
    async with httpx.AsyncClient(
        base_url=server.url, headers=headers, timeout=SECONDS, trust_env=False
    ) as http:
        yield Person(http, cast.subdomain)


async def build(cast: Cast, owner: Person, run_id: str, choice: str) -> tuple[DispatchFile, bytes]:
    """Request a file on the page of the run, and download it when it is ready."""
    address = owner.address("dispatches", run_id)
    sent = await owner.send(f"{address}files/", {"file": choice}, opened=address)
    assert sent.status_code == 303, sent.text
    (file,) = [
        each
        for each in await files.list_files(cast.db, cast.account_id, run_id)
        if f"{each.format.value}:{each.profile_id}" == choice
    ]
    while file.status in (FileStatus.WAITING, FileStatus.BUILDING):
        await asyncio.sleep(0.2)
        file = await files.get_file(cast.db, cast.account_id, file.id)
    assert file.status is FileStatus.READY, file.error
    content = (await owner.http.get(f"{address}files/{file.id}/")).content
    assert hashlib.sha256(content).hexdigest() == file.sha256
    return file, content


@pytest.mark.slow
@pytest.mark.timeout(SECONDS)
async def test_a_run_of_100_000_copies_with_labels_delays_nobody(
    scratch_url: str, tmp_path: Path
) -> None:
    orders = tmp_path / "orders.csv"
    write_orders(orders)
    with serve(scratch_url, tmp_path / "log") as server:
        async with account_at(server, scratch_url) as cast, owner_at(cast, server) as owner:
            import_it = ("--account", cast.subdomain, "--source", cast.imported, "--create-issues")
            await run(scratch_url, "import", str(orders), *import_it)
            (issue,) = (await cast.get("/v1/issues/")).json()["items"]
            async with asking(cast, server) as others:
                async with others.answered("the preview"):
                    where = "issues", issue["id"], "dispatch"
                    page = await owner.text(*where, profile="labels-l7160", check="1")
                assert "Reader 1001" in page.partition("Too long for the label")[2]
                query = f"/v1/subscriptions/?order_id=L-{TOO_LONG}"
                (found,) = (await cast.get(query)).json()["items"]
                mended = await cast.patch(f"/v1/subscriptions/{found['id']}/", {"address2": ""})
                assert mended.status_code == 200, mended.text
                async with others.answered("freezing"):
                    made = (await cast.post("/v1/dispatches/", {"issue": issue["id"]})).json()
                async with others.answered("the PDF"):
                    file, labels = await build(cast, owner, made["id"], "pdf:labels-l7160")
                pages = PdfReader(io.BytesIO(labels)).pages
                assert (file.lines, len(pages)) == (COPIES, -(-COPIES // LABELS))
                async with others.answered("the CSV"):
                    file, table = await build(cast, owner, made["id"], "csv:mailing-house")
                rows = list(csv.DictReader(io.StringIO(table.decode("utf-8-sig")), delimiter=";"))
                keys = {row["key"] for row in rows}
                assert len(keys) == COPIES
                report = "".join(f"{key};2026-05-03\n" for key in keys)
                async with others.answered("the carrier's report"):
                    shown = await upload(owner, "shipped", f"key;date\n{report}".encode())
                    result = await import_shown(owner, shown)
                assert f"{COPIES:,}" in result.text
            run_now = (await cast.get(f"/v1/dispatches/{made['id']}/")).json()
            assert run_now["status"] == "marked"
            assert others.worker < WORKER
            assert 0 < others.child < CHILD
