"""What must not change unseen, as it was when somebody last looked; `make openapi` renews it."""

from pathlib import Path

import msgspec

from masthead.api.openapi.document import document_bytes

OPENAPI = Path(__file__).parent / "openapi.json"


def openapi_now() -> str:
    """The API's description as it would be written down now."""
    return msgspec.json.format(document_bytes(), indent=2).decode() + "\n"
