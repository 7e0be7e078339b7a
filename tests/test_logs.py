"""The log lines on stderr."""

import json
import subprocess
import sys

from tests.support.serving import PATIENCE

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
