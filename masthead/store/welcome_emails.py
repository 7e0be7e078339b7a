"""The welcome email of an account."""

from masthead.model.emails import (
    STORED_WELCOME_TEXT,
    WELCOME,
    EmailTemplate,
    WelcomeText,
    default_welcome,
    read_translations,
)
from masthead.model.translations import in_language
from masthead.store.engine.interface import Connection


async def get_welcome(db: Connection, account_id: int) -> WelcomeText:
    """The welcome email of the account. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT welcome_subject, welcome_text, welcome_translations, locale
        FROM account
        WHERE id = :account_id
        """,
        {"account_id": account_id},
    )
    assert row is not None
    with in_language(row["locale"]):
        default = default_welcome()
    subject, text = row["welcome_subject"], row["welcome_text"]
    template = EmailTemplate(
        default.subject if subject == WELCOME.subject else subject,
        default.text if text in (STORED_WELCOME_TEXT, WELCOME.text) else text,
    )
    return WelcomeText(
        template=template,
        own=row["locale"],
        is_default=template == default,
        translations=read_translations(row["welcome_translations"]),
    )
