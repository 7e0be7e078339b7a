"""The texts of renewal letters by stage, and which stages are sent by rule."""

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.emails import EmailTemplate, read_translations, write_translations
from masthead.model.letters.stage_texts import StageText
from masthead.model.renewals.lapsed import RenewalStage
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.update_statement import upsert_row


class ChangedStage(Struct, frozen=True):
    """A stage whose letter was changed. is_automatic: whether it is sent by rule.

    translations: its texts in other languages as JSON; empty for none.
    """

    stage: RenewalStage
    subject: str
    text: str
    is_automatic: bool
    translations: str

    @property
    def translated(self) -> dict[str, EmailTemplate]:
        """Its texts in other languages, by language."""
        return read_translations(self.translations)


async def list_stages(db: Connection, account_id: int) -> dict[RenewalStage, ChangedStage]:
    """The stages whose letters were changed. Queries: one."""
    found = await fetch_all(
        db,
        """
        SELECT stage, subject, text, is_automatic, translations
        FROM renewal_stage
        WHERE account_id = :account_id
        """,
        {"account_id": account_id},
        into=ChangedStage,
    )
    return {each.stage: each for each in found}


async def list_automatic(db: Connection) -> list[tuple[int, RenewalStage]]:
    """The stages of all accounts that are sent by rule, with the id of the account."""
    rows = await db.fetch_all(
        """
        SELECT account_id, stage
        FROM renewal_stage
        WHERE is_automatic
        ORDER BY account_id, stage
        """,
        {},
    )
    return [(row["account_id"], RenewalStage(row["stage"])) for row in rows]


async def upsert_stage(tx: Transaction, account_id: int, text: StageText) -> None:
    """Store the text of a stage in all languages, and whether it is sent by rule."""
    await upsert_row(
        tx,
        account_id,
        "renewal_stage",
        ["stage"],
        stage=text.stage,
        subject=text.template.subject,
        text=text.template.text,
        is_automatic=text.is_automatic,
        translations=write_translations(text.translations),
        updated_at=now(),
    )
