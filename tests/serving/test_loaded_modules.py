"""What a worker has in memory: not the libraries that few requests need."""

import subprocess
import sys

from tests.support.serving import ROOT

# What they are for; together they take 40 MB of each worker
RARE = {
    "PIL": "pictures",
    "babel.messages": "compiling translations, in a process of its own",
    "cryptography": "signatures of webhooks, and passkeys",
    "drafthorse": "invoices in XML",
    "fpdf": "PDF",
    "lxml": "bank statements in XML",
    "openpyxl": "none",
    "python_calamine": "workbooks",
    "schwifty": "IBANs",
    "segno": "QR codes",
    "stdnum": "VAT ids",
    "uharfbuzz": "PDF",
    "webauthn": "passkeys",
}
SCRIPT = """
import asyncio, sys
from masthead.settings import Settings
from tests.conftest import make_account, serving
from tests.support.factories import make_issue, make_subscription

async def work(url):
    async with serving(Settings(database_url=url)) as (app, client):
        print(*sys.modules)
        cast = await make_account(client, app.state.db, "Acme")
        await make_issue(cast, 1)
        made = await make_subscription(cast)
        paths = ["me/", "sources/", "subscribers/", "subscriptions/", "issues/"]
        for path in [*paths, f"subscriptions/{made['id']}/"]:
            found = await cast.get(f"/v1/{path}")
            assert found.status_code == 200, (path, found.status_code)
        assert (await client.get("/sign-in/")).status_code == 200
        print(*sys.modules)

asyncio.run(work(sys.argv[1]))
"""


def test_a_worker_loads_rare_libraries_only_when_they_are_needed(scratch_url: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, scratch_url],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    at_start, after_requests = (set(line.split()) for line in ended.stdout.splitlines())
    assert {"masthead.app", "masthead.web.routes"} <= at_start
    assert at_start & RARE.keys() == set()
    assert after_requests & RARE.keys() == set()
