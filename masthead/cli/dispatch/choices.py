"""The options of `dispatch preview` and `dispatch freeze`: the copies that a run takes."""

from typing import Annotated

from cyclopts import Parameter

from masthead.cli.command import CommandError
from masthead.store.engine.interface import Connection
from masthead.store.issues import records as issues

IssueOption = Annotated[int, Parameter(name="--issue", help="number of the issue")]
CountryOption = Annotated[
    list[str] | None,
    Parameter(name="--country", negative="", help="only this country (ISO code); can be repeated"),
]
MediumOption = Annotated[
    list[str] | None,
    Parameter(
        name="--medium",
        negative="",
        help="only Print, Digital or `Print + digital`; can be repeated",
    ),
]
SourceOption = Annotated[
    list[str] | None,
    Parameter(name="--source", negative="", help="only the source with this id; can be repeated"),
]
OnlyReplacements = Annotated[
    bool,
    Parameter(name="--only-replacements", negative="", help="take replacements, and no copies"),
]


async def find_issue(db: Connection, account_id: int, number: int) -> str:
    """The id of the issue with this number. Raises: CommandError."""
    id = await issues.find_issue_id(db, account_id, number)
    if id is None:
        raise CommandError(
            f"There is no issue {number} in this account; `masthead issue list` shows the issues."
        )
    return id
