"""Freeze runs in tests, and build their files."""

import csv
import io
from typing import Any

from masthead.model.dispatch.files import DispatchFile
from masthead.model.dispatch.profiles import FileFormat
from masthead.model.dispatch.runs import Dispatch, DispatchSelection
from masthead.services.dispatch import file_builds, files
from masthead.services.dispatch.runs import freeze_dispatch
from tests.conftest import BY, Cast
from tests.support.factories import make_issue, make_subscription


async def freeze_run(cast: Cast, *subscribers: dict[str, Any], number: int = 1) -> Dispatch:
    """A run of a new issue with a copy for each. subscribers: fields of subscriptions."""
    issue = await make_issue(cast, number)
    for subscriber in subscribers:
        await make_subscription(cast, start_issue=number, **subscriber)
    return await freeze_dispatch(cast.db, cast.account_id, issue["id"], DispatchSelection(), by=BY)


async def request(
    cast: Cast, run: Dispatch, format: FileFormat, profile: str | None = None
) -> DispatchFile:
    """The file of a run, which may still have to be built."""
    return await files.request_file(cast.db, cast.account_id, run.id, format, profile, by=BY)


async def build(
    cast: Cast, run: Dispatch, format: FileFormat, profile: str | None = None
) -> tuple[DispatchFile, bytes]:
    """A file of a run, and its bytes."""
    file = await request(cast, run, format, profile)
    file = await file_builds.prepare_file(cast.db, cast.account_id, file.id)
    return file, await content_of(cast, file)


async def content_of(cast: Cast, file: DispatchFile) -> bytes:
    """The bytes of a file."""
    parts = files.read_file(cast.db, cast.account_id, file.id)
    return b"".join([part async for part in parts])


def rows_of(content: bytes, *, encoding: str = "utf-8-sig", separator: str = ";") -> list[Any]:
    """The rows of a CSV file, by header."""
    text = io.StringIO(content.decode(encoding), newline="")
    return list(csv.DictReader(text, delimiter=separator, strict=True))
