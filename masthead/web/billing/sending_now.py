"""Email the invoice of an order as it is saved, or say how it is sent later."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.identity.rights import Right
from masthead.model.translations import gettext as _
from masthead.services.billing.emails import compose_email, email_invoice
from masthead.store.billing import invoices
from masthead.store.engine.interface import Database
from masthead.web.billing.payer_fields import PayerFields
from masthead.web.kit.context import PageContext


async def send_now(
    context: PageContext, db: Database, form: PayerFields, ids: Sequence[str]
) -> str:
    """Queue the emails of invoices just issued, if the user ticked it; returns what to say.

    Queries: a few for each invoice. Raises: Invalid without an address.
    """
    if not form.sends_invoice.data or not ids:
        return ""
    async with db.read() as connection:
        made = await invoices.list_invoices(connection, context.account_id, ids)
    recipient, domain = "", context.web.placeholder_domain
    for each in made:
        email = compose_email(each, context.membership.name, placeholder_domain=domain)
        recipient = email.recipient
        if not recipient:
            text = _("The payer has no email address. Type one, or untick “Email the invoice now”.")
            raise Invalid(text, field="sends_invoice")
        await email_invoice(
            db,
            context.account_id,
            each.id,
            recipient=recipient,
            site=context.site,
            by=context.actor,
        )
    return _("It goes to {recipient} in a minute.").format(recipient=recipient)


class NextStep(Struct, frozen=True):
    """How an invoice that is not sent can be sent: a text, and a link and a button after it.

    link, button: their addresses and texts. is_slow_file: whether the link is to one.
    """

    text: str = ""
    link: tuple[str, str] = ("", "")
    button: tuple[str, str] = ("", "")
    is_slow_file: bool = False


async def offer_to_send(
    context: PageContext, db: Database, form: PayerFields, ids: Sequence[str]
) -> NextStep:
    """How to send an invoice just issued that is not sent. If it has no email, print it.

    Queries: one.
    """
    if form.sends_invoice.data or not ids or not context.membership.may(Right.SEE_MONEY):
        return NextStep()
    async with db.read() as connection:
        [made] = await invoices.list_invoices(connection, context.account_id, ids[:1])
    domain = context.web.placeholder_domain
    email = compose_email(made, context.membership.name, placeholder_domain=domain)
    if context.has_mail and email.recipient:
        page = context.url("money", "invoices", ids[0])
        return NextStep(link=(page, _("Send it by email or print it")))
    return NextStep(
        _("Print the invoice and post it, then mark it as sent by post:"),
        link=(context.url("money", "invoices", ids[0], "pdf"), _("Print it (PDF)")),
        button=(context.url("money", "invoices", ids[0], "posted"), _("Mark as sent by post")),
        is_slow_file=True,
    )
