"""The catalogues, and the program that updates them."""

import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).parents[3]
# tools/ is no package; the program has no state
messages: Any = SimpleNamespace(**runpy.run_path(str(ROOT / "tools" / "messages.py")))
