"""Write down the API's description as it is now: `python -m tests.golden`."""

from tests.golden import OPENAPI, openapi_now
from tests.golden.reference import PAGE, rewritten

OPENAPI.write_text(openapi_now())
PAGE.write_text(rewritten(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
