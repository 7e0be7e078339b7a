"""The log lines on stderr."""

import json
import subprocess
import sys
from pathlib import Path

from masthead.model.types.enums import Role
from masthead.services.users import invite_user
from masthead.store.engine.migrate import migrate
from tests.conftest import BY
from tests.support.serving import account_at, serve
from tests.support.waiting import PATIENCE

LIBRARY_SPEAKS = """
import logging
from masthead.logs import configure_logging

configure_logging("info")
try:
    raise OSError("the line is dead")
except OSError:
    logging.getLogger("asyncpg.pool").warning("retrying", exc_info=True)
logging.getLogger("asyncpg.pool").info("of no interest")
"""


def test_logs_of_libraries_are_json_lines_too() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LIBRARY_SPEAKS],
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    said = json.loads(line)
    assert (said["event"], said["level"]) == ("retrying", "warning")
    assert "the line is dead" in said["exception"]
    assert said["timestamp"]


WRITES = """
import logging
import sys
import structlog
from masthead.logs import configure_logging


class Recorder:
    def write(self, text):
        print(text.count("\\n"), text.endswith("\\n"))

    def flush(self):
        pass

    def isatty(self):
        return False


sys.stderr = Recorder()
configure_logging("info")
structlog.get_logger().info("from masthead")
logging.getLogger("asyncpg.pool").warning("from a library")
"""


def test_each_line_is_one_write() -> None:
    """Otherwise the lines of two threads, or of two processes, get mixed."""
    ended = subprocess.run(
        [sys.executable, "-c", WRITES], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert ended.stdout == "1 True\n1 True\n"


MASTHEAD_SPEAKS = """
import structlog
from masthead.logs import configure_logging

configure_logging("info")
for number in range(1_000):
    structlog.get_logger().error("database unavailable", reason="disk full" * 100)
print("still here")
"""


def test_masthead_continues_if_its_log_cannot_be_written() -> None:
    with open("/dev/full", "w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", MASTHEAD_SPEAKS],
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
    assert ended.stdout == "still here\n"


# --- Lines of requests ----------------------------------------------------------------------------


async def test_lines_of_a_run_of_requests_tell_them_apart_and_contain_no_secret(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path / 'masthead.db'}"
    migrate(url)
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    secrets = {
        "token": "metr1cs-t0ken",
        "smtp": "smtp-passw0rd",
        "password": "l0ng-passw0rd-of-ann",
    }
    environment = {
        "MASTHEAD_ACCESS_LOG": "true",
        "MASTHEAD_LOG_LEVEL": "debug",
        "MASTHEAD_METRICS_TOKEN": secrets["token"],
        "MASTHEAD_SMTP_PASSWORD": secrets["smtp"],
    }
    log = tmp_path / "log"
    with serve(url, log, environment=environment) as server:
        async with account_at(server, url) as acme:
            secrets |= {"key": acme.key, "read-only key": acme.read_only_key}
            invited = await invite_user(
                acme.db, acme.account_id, email="ann@acme.test", role=Role.OWNER, by=BY
            )
            assert invited.token is not None
            secrets["link"] = link = invited.token
            http = acme.client
            await http.get(
                "/v1/issues/",
                key=acme.key,
                headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-01"},
            )
            await acme.post("/v1/issues/", {"number": 1})
            await http.get("/v1/issues/?search=ann@acme.test", key=acme.key)
            await http.get("/v1/issues/", key=acme.key[:-3] + "ZZZ")
            await http.get("/v1/issues/", key=secrets["token"])
            await http.get(f"/{acme.key}", key=acme.key)
            await http.get(f"/v1/issues/{acme.key}/", key=acme.key)
            await http.get("/metrics", key=secrets["token"])
            await http.get("/metrics", key=acme.key)
            await http.get(f"/link/{link}/")
            form = f"password={secrets['password']}&email=ann@acme.test"
            typed = {"Content-Type": "application/x-www-form-urlencoded"}
            answered = await http.post(f"/link/{link}/", content=form, headers=typed)
            await http.post("/sign-in/", content=form, headers=typed)
            await http.get(f"/sign-in/?next=/link/{link}/")
            cookies = [value.split(";")[0] for value in answered.headers.get_list("set-cookie")]
            assert cookies
            secrets |= {f"cookie {each}": each.partition("=")[2] for each in cookies}
            await http.get(
                f"/desk/{acme.subdomain}/issues/", headers={"Cookie": "; ".join(cookies)}
            )
    text = log.read_text()
    assert {name for name, value in secrets.items() if value and value in text} == set()

    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    requests = [line for line in lines if line["event"] == "request"]
    first = next(line for line in requests if line["operation"] == "list_issues")
    assert first["account"] == acme.subdomain
    assert (first["trace_id"], first["status"], first["method"]) == (trace, 200, "GET")
    assert first["duration_ms"] > 0
    assert {"request_id", "address", "path", "level", "timestamp"} <= first.keys()
    of_link = next(line for line in requests if line["operation"].startswith("GET /link/"))
    assert of_link["path"] == "/link"
    refused = next(line for line in lines if line["event"] == "bad key")
    assert refused["operation"] == "list_issues"
    assert refused["request_id"] in {line["request_id"] for line in requests}
