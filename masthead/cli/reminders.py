"""`masthead invoice remind`: the reminders that are due, and sending them."""

from typing import Annotated, Any

from cyclopts import Parameter

from masthead.cli.command import CommandError, Json, command_actor, email_site, on_account
from masthead.cli.output import print_data, print_json
from masthead.model.reminders.due import PlannedReminder
from masthead.model.types.money import money_text
from masthead.services.reminders.plan import MOST, ReminderPlan, plan_reminders
from masthead.services.reminders.write import send_round
from masthead.store.accounts import Account
from masthead.store.engine.interface import Database

Stage = Annotated[int | None, Parameter(help="only this stage, from 1 on")]
Send = Annotated[
    bool, Parameter(name="--send", negative="", help="send them; without it, they are only listed")
]


@on_account
async def remind(
    db: Database, account: Account, *, stage: Stage = None, send: Send = False, json: Json = False
) -> None:
    """List the reminders that are due today, or send them.

    Emails go into the outbox; letters to print are on the page Reminders. Without a mail server,
    all reminders are letters.
    """
    async with db.read(aside=True) as connection:
        plan = await plan_reminders(
            connection, account, account.daily_date, has_mail=email_site() is not None
        )
    known = [each.stage for each in plan.stages]
    if not known:
        raise CommandError("This account has no stages of reminders. Set them up in the settings.")
    if stage is not None and stage not in known:
        raise CommandError(f"There is no stage {stage}. The stages are 1 to {known[-1]}.")
    wanted = known if stage is None else [stage]
    letters = [each for place in wanted for each in plan.of_stage(place)]
    rounds = await _send(db, account, plan, wanted) if send else []
    if json:
        print_json({"due": [_shown(each) for each in letters], "rounds": rounds})
        return
    for each in letters:
        shown = _shown(each)
        numbers = " ".join(each.invoice.number for each in each.items)
        owed = f"{shown['total']} {each.currency}"
        print_data(f"{shown['stage']}  {owed}  {shown['channel']}  {numbers}")
    for made in rounds:
        print_data(f"round {made['id']}: {made['by_email']} by email, {made['to_print']} to print")
    print_data(f"due: {len(letters)}" if not send else f"sent: {len(letters)}")


async def _send(
    db: Database, account: Account, plan: ReminderPlan, stages: list[int]
) -> list[dict[str, Any]]:
    """Send the reminders of some stages, the highest first; returns the rounds."""
    site, by, made = email_site(), command_actor("invoice remind"), []
    for stage in reversed(stages):
        letters = plan.of_stage(stage)
        for start in range(0, len(letters), MOST):
            keys = [each.key for each in letters[start : start + MOST]]
            done = await send_round(db, account.id, stage, keys, site=site, by=by)
            made.append(
                {
                    "id": done.id,
                    "stage": stage,
                    "by_email": done.by_email,
                    "to_print": done.to_print,
                    "held": done.held,
                }
            )
    return made


def _shown(letter: PlannedReminder) -> dict[str, Any]:
    """A reminder as the command prints it."""
    return {
        "stage": letter.stage.stage,
        "payer": letter.payer_id,
        "channel": letter.channel,
        "currency": letter.currency,
        "amount": money_text(letter.amount, letter.currency),
        "fee": money_text(letter.fee, letter.currency),
        "total": money_text(letter.total, letter.currency),
        "invoices": [
            {
                "number": each.invoice.number,
                "due_date": each.invoice.due_date,
                "open_amount": money_text(each.invoice.open_amount, letter.currency),
                "stage": each.stage,
            }
            for each in letter.items
        ],
    }
