"""The texts of reminders that come with masthead follow a new language of the account."""

from msgspec import structs

from masthead.model.reminders.stages import ReminderStage
from masthead.model.reminders.texts import default_stages
from masthead.model.translations import in_language
from masthead.store.engine.interface import Transaction
from masthead.store.reminders import stages as store


async def translate_own_texts(tx: Transaction, account_id: int, *, before: str, after: str) -> None:
    """Put the stages whose texts no user changed into another language. Queries: one, and one each.

    before, after: the locales of the account.
    """
    old = {(each.subject, each.text): each for each in _defaults_in(before)}
    new = {each.stage: each for each in _defaults_in(after)}
    for stage in await store.list_stages(tx, account_id):
        if known := old.get((stage.subject, stage.text)):
            there = new[known.stage]
            name = there.name if stage.name == known.name else stage.name
            texts = structs.replace(stage, name=name, subject=there.subject, text=there.text)
            await store.save_stage(tx, account_id, texts)


def _defaults_in(locale: str) -> list[ReminderStage]:
    with in_language(locale):
        return default_stages()
