"""The reminders among the changes of a subscriber."""

from heapq import merge

from masthead.model.translations import gettext as _
from masthead.model.types.money import money_in_words
from masthead.services.subscribers.names import name_actors
from masthead.services.timeline import History, TimelineEvent
from masthead.store.engine.interface import Connection
from masthead.store.reminders.written import WrittenReminder, list_written


async def add_reminders(
    db: Connection, account_id: int, subscriber_id: str, history: History, *, before: int
) -> History:
    """A page of changes with the reminders to the subscriber in between.

    before: the id of the entry that the page starts before. Queries: three at most.
    """
    written = await list_written(
        db, account_id, subscriber_id, since=history.older or 0, before=before
    )
    names = await name_actors(db, account_id, {(it.actor_kind, it.actor_id) for it in written})
    reminders = [
        TimelineEvent(
            id=each.entry_id,
            at=each.happened_at,
            by=names[each.actor_kind, each.actor_id],
            what=[_describe(each)],
            reminder_id=each.id,
        )
        for each in written
    ]
    events = merge(history.events, reminders, key=lambda event: event.id, reverse=True)
    return History(list(events), history.older)


def _describe(it: WrittenReminder) -> str:
    """Such as `Reminder, stage 2: Second reminder, €62.50 (printed)`."""
    status = it.status.words
    return _("Reminder, stage {stage}: {name}, {amount} ({status})").format(
        stage=it.stage,
        name=it.stage_name,
        amount=money_in_words(it.total, it.currency),
        status=status[:1].lower() + status[1:],
    )
