"""The version of the package for Debian."""

import shutil
import subprocess

import pytest

from masthead import __version__
from tools.deb import DEBIAN_VERSION


@pytest.mark.skipif(not shutil.which("dpkg"), reason="needs dpkg, of Debian")
def test_a_release_replaces_the_version_in_development_before_it() -> None:
    release = __version__.partition(".dev")[0]
    is_development = release != __version__
    older = subprocess.run(
        ("dpkg", "--compare-versions", f"{DEBIAN_VERSION}-1", "lt", f"{release}-1")
    )
    assert (older.returncode == 0) == is_development
    assert DEBIAN_VERSION.startswith(release)
