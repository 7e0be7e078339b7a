"""The client in TypeScript compiles strictly, and its README and its retries work.

Needs node, and the compiler that `make openapi-checks` installs; CI has both.
"""

import datetime
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from masthead.model.webhooks.signatures import new_keys, sign
from masthead_client import __version__
from tests.support.factories import make_issues
from tests.support.serving import account_at, serve
from tests.support.waiting import PATIENCE
from tools.clients.files import ROOT

CLIENT = ROOT / "clients" / "typescript"
TSC = ROOT / "tools" / "openapi_checks" / "node_modules" / ".bin" / "tsc"
README = (CLIENT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```ts\n(.*?)^```", re.MULTILINE | re.DOTALL)

# A server that answers 503 first, then with what it was asked
RETRIES = """
import { Masthead, ApiError, Unreachable, NotModified } from "masthead-client";

const asked: string[] = [];
const answers = [
  () => Promise.reject(new TypeError("closed")),
  () => new Response("", { status: 503, headers: { "Retry-After": "0" } }),
  () => new Response('{"id": "1"}', { status: 201, headers: { ETag: '"t"' } }),
];
const client = new Masthead({
  address: "https://masthead.test/",
  key: "mh_1",
  fetch: async (url, request) => {
    const headers = new Headers(request?.headers);
    asked.push(`${request?.method} ${url} ${headers.get("Idempotency-Key")} ${request?.body}`);
    const answer = answers.shift();
    if (!answer) throw new Error("too many requests");
    return answer();
  },
});
await client.issues.create({ number: 1 });
console.log(asked.length, new Set(asked).size, asked[0]?.slice(0, 37));

answers.push(() => new Response("", { status: 429, headers: { "Retry-After": "61" } }));
await client.me.get().catch((error) => console.log(error instanceof ApiError, error.retryAfter));
answers.push(() => new Response(null, { status: 304 }));
await client.me
  .get({ ifNoneMatch: '"t"' })
  .catch((error) => console.log(error instanceof NotModified));
const lost = new Masthead({
  address: "https://masthead.test",
  retries: 0,
  fetch: () => Promise.reject(new TypeError("closed")),
});
await lost.issues
  .create({ number: 1 }, { idempotencyKey: "k" })
  .catch((error) => console.log(error instanceof Unreachable, error.idempotencyKey, error.name));
"""


def run(*command: str | Path, **variables: str) -> str:
    """The output of a command that succeeds."""
    done = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", **variables},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the compiled client, the compiled README, and a program of these tests."""
    if not (shutil.which("node") and TSC.exists()):
        pytest.skip("needs node, and its packages: make tools/openapi_checks/node_modules")
    folder = tmp_path_factory.mktemp("typescript")
    shutil.copytree(CLIENT / "src", folder / "src")
    for name, text in {"readme.ts": "".join(BLOCK.findall(README)), "retries.ts": RETRIES}.items():
        # The types of node are a package of their own
        declared = "declare const process: { env: Record<string, string | undefined> };"
        (folder / name).write_text(f"{declared}\n{text}")
    package = json.loads((CLIENT / "package.json").read_text())
    package["exports"] = {".": {"types": "./src/index.ts", "default": "./dist/src/index.js"}}
    (folder / "package.json").write_text(json.dumps(package))
    config = json.loads((CLIENT / "tsconfig.json").read_text())
    config["include"], config["compilerOptions"]["rootDir"] = ["*.ts", "src"], "."
    (folder / "tsconfig.json").write_text(json.dumps(config))
    run(TSC, "--project", folder)
    return folder / "dist"


def test_a_lost_request_is_repeated(programs: Path) -> None:
    printed = run("node", programs / "retries.js").splitlines()
    assert printed == [
        "3 1 POST https://masthead.test/v1/issues/",
        "true 61",
        "true",
        "true k Unreachable",
    ]


async def test_the_programs_of_the_readme_run(
    scratch_url: str, programs: Path, tmp_path: Path
) -> None:
    keys = new_keys()
    body = json.dumps({"type": "issue.created"})
    headers = dict(sign([keys], "m", datetime.datetime.now(datetime.UTC), body.encode()))
    calls = "".join(
        f"console.log(await receive({json.dumps(body)}, new Headers({json.dumps(headers)}), "
        f"{json.dumps(secret)}));\n"
        for secret in (keys.secret, new_keys().secret)
    )
    program = programs / "readme.js"
    (programs / "whole.js").write_text(program.read_text() + calls)
    with serve(scratch_url, tmp_path / "log") as server:
        async with account_at(server, scratch_url) as acme:
            await make_issues(acme, 1, 4)
        printed = run(
            "node", programs / "whole.js", MASTHEAD_URL=server.url, MASTHEAD_KEY=acme.key
        ).splitlines()
    assert printed[:3] == [acme.name, "Active", "London"]
    assert printed[3].startswith("next: 20")
    assert printed[4:7] == ["400 duplicate_issue_number number true", "true", "Spring"]
    assert "1 issue.created" in printed
    assert printed[-3:] == ["received issue.created", "204", "400"]


def test_the_version_is_that_of_the_api() -> None:
    assert json.loads((CLIENT / "package.json").read_text())["version"] == __version__
    assert f"this is {__version__}." in README
