"""The whole benchmark runs on very little data; the tests ignore its figures."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bench.measure.peers import NEEDED
from bench.options import PARTS, ROOT
from tests.support.postgres import PLACE

pytestmark = pytest.mark.slow
SAME = ("memory", "workers", "writes")  # the same on each database but for its address


@pytest.mark.timeout(960)
@pytest.mark.skipif(shutil.which("wrk") is None, reason="wrk is not installed: apt-get install wrk")
def test_every_part_is_measured_and_reported(backend: str, tmp_path: Path) -> None:
    has_peers = all(find_spec(name) for name in NEEDED)
    left_out = {"against"} if has_peers else {"against", "peers"}  # the first needs a commit
    parts = [part for part in PARTS if part not in left_out]
    if backend == "postgres":
        parts = [part for part in parts if part not in SAME]
    page = tmp_path / "performance.md"
    # PostgreSQL runs as another user if we are root, who cannot read the folders of pytest
    with TemporaryDirectory(dir=PLACE) as cache:
        Path(cache).chmod(0o755)
        words = [sys.executable, "-m", "bench", "--preset", "smoke", "--databases", backend]
        words += ["--cache", cache, "--results", str(tmp_path), "--page", str(page)]
        subprocess.run([*words, "--only", *parts], cwd=ROOT, check=True, timeout=900)
    for part in parts:
        assert json.loads((tmp_path / f"{part}-{backend}.json").read_text())["data"]
    text = page.read_text()
    assert "## Targets" in text
    for plot in page.with_suffix("").glob("*.svg"):
        assert f"({page.stem}/{plot.name})" in text
