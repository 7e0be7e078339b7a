"""Write down the API's description as it is now: `python -m tests.golden`."""

from tests.golden import OPENAPI, openapi_now

OPENAPI.write_text(openapi_now())
