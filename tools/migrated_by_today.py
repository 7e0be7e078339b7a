"""A plugin for pytest: another masthead upgrades every database that the tests create.

`LAST_RELEASE_TODAY` is the folder of its code. Used by last_release.py.
"""

import os
import subprocess
import sys
from typing import Any

from masthead.store.engine import migrate as module

TODAY = os.environ["LAST_RELEASE_TODAY"]
migrate = module.migrate


def migrate_twice(url: str, **options: Any) -> tuple[str | None, str]:
    """Migrate a database to the version of the tests, and then with the other masthead."""
    versions = migrate(url, **options)
    own = {name: value for name, value in os.environ.items() if not name.startswith("MASTHEAD_")}
    ended = subprocess.run(
        [sys.executable, "-m", "masthead", "migrate"],
        cwd=TODAY,
        env=own | {"PYTHONPATH": TODAY, "MASTHEAD_DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise RuntimeError(f"today's `masthead migrate` fails: {ended.stderr}")
    return versions


module.migrate = migrate_twice  # before the tests import it
