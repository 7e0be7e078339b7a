"""How an order is billed: who pays, until when, and with which number of their own."""

from msgspec import Struct

from masthead.model.billing.settings import BillingSettings
from masthead.model.debits.mandates import NewMandate
from masthead.model.errors import Invalid, all_of
from masthead.model.orders.entry import OrderCreate
from masthead.model.orders.field_rules import list_billing_conflicts
from masthead.model.subscriptions.renewals import RenewalCreate
from masthead.model.translations import gettext as _

BILLING_OFF = "billing_off"  # the code if the account has no settings for invoices


class BillingTerms(Struct, frozen=True, kw_only=True):
    """How an order is billed.

    payer_id: the subscriber who pays; None for the giver of a gift, or else the subscriber.
    due_days: None for those of the settings. order_reference: the payer's own order number.
    vat_id: that of the payer, which replaces the one that is known; empty for no change.
    bills_together: whether the payer gets one invoice for all orders from now on; False for no
    change. department: of the payer; empty for no change. is_debited: whether it is collected by
    direct debit. mandate: of the payer, to add before.
    """

    payer_id: str | None = None
    due_days: int | None = None
    order_reference: str = ""
    vat_id: str = ""
    bills_together: bool = False
    department: str = ""
    is_debited: bool = False
    mandate: NewMandate | None = None


def terms_of(body: OrderCreate | RenewalCreate) -> BillingTerms | None:
    """How an order is billed; None if it was paid.

    Raises: Invalid if it is billed and paid at the same time, or neither, but has terms.
    """
    if conflicts := list(list_billing_conflicts(body.given)):
        raise all_of(conflicts)
    if not body.is_billed:
        return None
    return BillingTerms(
        payer_id=body.payer_id,
        due_days=body.due_days,
        order_reference=body.order_reference or "",
        is_debited=bool(body.is_debited),
    )


def require_settings(settings: BillingSettings | None) -> BillingSettings:
    """Raises: Invalid `billing_off` if the account has no settings for invoices."""
    if settings is None:
        raise Invalid(
            _(
                "This account writes no invoices yet. An owner can fill in the publisher's name, "
                "address and tax number in the settings, under Invoices."
            ),
            code=BILLING_OFF,
        )
    return settings
