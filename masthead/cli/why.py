"""`masthead why`."""

from typing import Annotated

import msgspec
from cyclopts import Parameter

from masthead.cli.command import Json, format_examples, on_account
from masthead.cli.output import print_data, print_json
from masthead.model.timeline.codes import WhyCode
from masthead.services.claims.why import answer_why
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database

EXAMPLES = {
    "why": format_examples(
        "masthead why --account acme --subscriber ann@example.com --issue 12",
    )
}


@on_account
async def why(
    db: Database,
    account: Account,
    *,
    subscriber: Annotated[str, Parameter(name="--subscriber")],
    issue: Annotated[int, Parameter(name="--issue")],
    json: Json = False,
) -> int:
    """Tell whether a subscriber got an issue: in which run, where and when; or why not.

    The exit code is 1 if there is no such subscriber.

    Parameters
    ----------
    subscriber
        id or email address of the subscriber
    issue
        number of the issue
    """
    async with db.read() as connection:
        answer = await answer_why(connection, account.id, subscriber, number=issue)
    if json:
        print_json(msgspec.to_builtins(answer))
    else:
        is_name = answer.code is WhyCode.UNKNOWN_SUBSCRIBER and "@" not in subscriber
        print_data(answer.sentence + (" Give an email address or an ID." if is_name else ""))
        if len(answer.subscriptions) > 1:
            for each in answer.subscriptions:
                print_data(f"  {each.subscription_id}: {each.sentence}")
    return 1 if answer.code is WhyCode.UNKNOWN_SUBSCRIBER else 0


COMMANDS = {"why": why}
