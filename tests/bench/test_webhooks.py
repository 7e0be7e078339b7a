"""The benchmark of webhooks, with a few events."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.serving import ROOT

pytestmark = pytest.mark.slow


def test_each_figure_is_measured(backend: str) -> None:
    with TemporaryDirectory() as cache:
        Path(cache).chmod(0o755)  # PostgreSQL runs as another user if we are root
        words = "--events 30 --rounds 1 --seconds 0.5 --subscriptions 50 --databases".split()
        ended = subprocess.run(
            [sys.executable, "-m", "bench.webhooks", *words, backend, "--cache", cache],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )
    lines = [line for line in ended.stderr.splitlines() if line.startswith(f"{backend}: ")]
    assert [line for line in lines if "messages/s" in line]
    assert len([line for line in lines if "p99 of a list" in line]) == 2
