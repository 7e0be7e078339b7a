"""The letter of a stage as it is read before it is sent: on its page, and as a test by email."""

from collections.abc import Collection

from masthead.model.identity.rights import Right
from masthead.model.letters.stage_texts import StageText
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.translations import list_languages
from masthead.services.emails.messages import no_mail_server
from masthead.services.letters import texts as service
from masthead.services.letters.first_letter import text_to_show
from masthead.services.letters.recipients import LetterPlan, leave_out, plan_letters
from masthead.services.letters.texts import LetterPreview
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Database
from masthead.web.kit.context import PageContext


def asked_language(context: PageContext) -> str:
    """The language in which the user wants to read the letter; empty for that of the first one."""
    asked = str(context.given.get("language", ""))
    return asked if asked in list_languages() else ""


async def send_test(
    context: PageContext, db: Database, stage: RenewalStage, language: str = ""
) -> None:
    """Send the saved letter of a stage to the signed-in user, as they may read it.

    Raises: Invalid.
    """
    if not context.has_mail:
        raise no_mail_server()
    account = await accounts.get_account(db, context.account_id)
    known = (await service.list_texts(db, account))[stage]
    plan = await plan_letters(db, account, stage, limit=service.MAX_LISTED)
    text, locale = text_to_show(account, plan, known, language)
    await service.send_test(
        db,
        context.account_id,
        stage,
        subject=text.subject,
        text=text.text,
        has_amounts=context.membership.may(Right.SEE_MONEY),
        locale=locale,
        recipient=context.user.email,
        public_url=context.web.public_url,
        placeholder_domain=context.web.placeholder_domain,
        by=context.actor,
    )


async def shown_preview(
    context: PageContext,
    db: Connection,
    account: Account,
    known: StageText,
    plan: LetterPlan | None,
    language: str = "",
    unticked: Collection[int] = (),
) -> LetterPreview:
    """The letter as a subscriber gets it. plan: as for `preview_text`.

    unticked: the ids of periods that will be left out, but are not yet.
    """
    stage = known.stage
    plan = plan or await plan_letters(db, account, stage, limit=service.MAX_LISTED)
    plan = leave_out(plan, unticked)
    text, locale = text_to_show(account, plan, known, language)
    return await service.preview_text(
        db,
        account.id,
        stage,
        subject=text.subject,
        text=text.text,
        has_amounts=context.membership.may(Right.SEE_MONEY),
        locale=locale,
        plan=plan,
    )
