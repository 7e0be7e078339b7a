"""The targets of a mapping: the fields of an order, and helpers that fields are made from."""

from msgspec import Struct

from masthead.model.imports.subscription_row import SubscriptionRow
from masthead.model.translations import gettext_noop

COLUMNS = SubscriptionRow.__struct_fields__  # of our own format
REPORT = ("line", "column", "value", "reason")  # the first columns in a file of rejects


class MappingTarget(Struct, frozen=True):
    """A field that a mapping can fill.

    kind: how its text is read: `text`, `email`, `money`, `day`, `flag`, `whole`, `country`,
    `currency`, `salutation`, `medium`, `type`, `status`, `list`, `period` or `item`. label: for
    pages. group: the heading that pages show it under.
    """

    name: str
    kind: str
    label: str
    group: str


ORDER = gettext_noop("Order")
SUBSCRIBER = gettext_noop("Subscriber")
ADDRESS = gettext_noop("Shipping address")
BILLING = gettext_noop("Billing address, used if the shipping address is empty")
PERIOD = gettext_noop("What was bought")
PRICE = gettext_noop("Price")
INVOICE = gettext_noop("Invoice, for orders that are not paid yet")
DEBIT = gettext_noop("SEPA mandate of who pays")

_ALL = (
    ("order_id", "text", gettext_noop("Order number"), ORDER),
    ("order_date", "day", gettext_noop("Order date"), ORDER),
    ("status", "status", gettext_noop("Status"), ORDER),
    ("cancelled_date", "day", gettext_noop("Cancelled on"), ORDER),
    ("paid_date", "text", gettext_noop("Paid on"), ORDER),
    ("renews", "text", gettext_noop("Renews the order"), ORDER),
    ("transaction_id", "text", gettext_noop("Payment reference"), ORDER),
    ("notes", "text", gettext_noop("Notes"), ORDER),
    ("email", "email", gettext_noop("Email"), SUBSCRIBER),
    ("salutation", "salutation", gettext_noop("Salutation"), SUBSCRIBER),
    ("title", "text", gettext_noop("Title"), SUBSCRIBER),
    ("first_name", "text", gettext_noop("First name"), SUBSCRIBER),
    ("last_name", "text", gettext_noop("Last name"), SUBSCRIBER),
    ("full_name", "text", gettext_noop("First and last name in one column"), SUBSCRIBER),
    ("company", "text", gettext_noop("Company"), SUBSCRIBER),
    ("phone", "phone", gettext_noop("Phone"), SUBSCRIBER),
    ("is_gift", "flag", gettext_noop("Gift"), SUBSCRIBER),
    ("gifter_name", "text", gettext_noop("Name of the giver"), SUBSCRIBER),
    ("gifter_email", "email", gettext_noop("Email of the giver"), SUBSCRIBER),
    ("address1", "text", gettext_noop("Street"), ADDRESS),
    ("address2", "text", gettext_noop("Address line 2"), ADDRESS),
    ("city", "text", gettext_noop("Town"), ADDRESS),
    ("state", "text", gettext_noop("State"), ADDRESS),
    ("postcode", "postcode", gettext_noop("Postcode"), ADDRESS),
    ("country", "country", gettext_noop("Country"), ADDRESS),
    ("billing_first_name", "text", gettext_noop("First name"), BILLING),
    ("billing_last_name", "text", gettext_noop("Last name"), BILLING),
    ("billing_full_name", "text", gettext_noop("First and last name in one column"), BILLING),
    ("billing_company", "text", gettext_noop("Company"), BILLING),
    ("billing_address1", "text", gettext_noop("Street"), BILLING),
    ("billing_address2", "text", gettext_noop("Address line 2"), BILLING),
    ("billing_city", "text", gettext_noop("Town"), BILLING),
    ("billing_state", "text", gettext_noop("State"), BILLING),
    ("billing_postcode", "postcode", gettext_noop("Postcode"), BILLING),
    ("billing_country", "country", gettext_noop("Country"), BILLING),
    ("billing_phone", "phone", gettext_noop("Phone"), BILLING),
    ("product", "item", gettext_noop("Product"), PERIOD),
    ("quantity", "whole", gettext_noop("Number of copies"), PERIOD),
    ("type", "type", gettext_noop("Type"), PERIOD),
    ("medium", "medium", gettext_noop("Medium"), PERIOD),
    ("start_issue", "whole", gettext_noop("Start issue"), PERIOD),
    ("start_date", "day", gettext_noop("Date that gives the start issue"), PERIOD),
    ("length", "whole", gettext_noop("Number of issues"), PERIOD),
    ("last_issue", "whole", gettext_noop("Last issue"), PERIOD),
    ("sent_issues", "list", gettext_noop("Issues already sent"), PERIOD),
    ("sent_dates", "list", gettext_noop("Dates on which they were sent"), PERIOD),
    ("is_recurring", "flag", gettext_noop("Renews automatically"), PERIOD),
    ("interval_months", "whole", gettext_noop("Months in a period"), PERIOD),
    ("billing_period", "period", gettext_noop("Billing period: day, week, month, year"), PERIOD),
    ("billing_interval", "whole", gettext_noop("Billed every\N{NO-BREAK SPACE}… periods"), PERIOD),
    ("period_start", "day", gettext_noop("First paid day"), PERIOD),
    ("period_end", "day", gettext_noop("Last paid day"), PERIOD),
    ("anniversary", "day", gettext_noop("Date that the periods are counted from"), PERIOD),
    ("last_payment_date", "day", gettext_noop("Last payment"), PERIOD),
    ("next_payment_date", "day", gettext_noop("Next payment"), PERIOD),
    ("price", "money", gettext_noop("Price paid"), PRICE),
    ("item_price", "money", gettext_noop("Price of one copy"), PRICE),
    ("currency", "currency", gettext_noop("Currency"), PRICE),
    ("discount_amount", "money", gettext_noop("Discount"), PRICE),
    ("promo_code", "text", gettext_noop("Promo code"), PRICE),
    ("refunded", "money", gettext_noop("Refunded"), PRICE),
    ("is_comp", "flag", gettext_noop("Complimentary"), PRICE),
    ("is_billed", "flag", gettext_noop("By invoice"), INVOICE),
    ("payer_number", "whole", gettext_noop("Customer number"), INVOICE),
    ("payer_name", "text", gettext_noop("First and last name in one column"), INVOICE),
    ("payer_company", "text", gettext_noop("Company"), INVOICE),
    ("payer_email", "email", gettext_noop("Email"), INVOICE),
    ("payer_address1", "text", gettext_noop("Street"), INVOICE),
    ("payer_address2", "text", gettext_noop("Address line 2"), INVOICE),
    ("payer_city", "text", gettext_noop("Town"), INVOICE),
    ("payer_state", "text", gettext_noop("State"), INVOICE),
    ("payer_postcode", "postcode", gettext_noop("Postcode"), INVOICE),
    ("payer_country", "country", gettext_noop("Country"), INVOICE),
    ("payer_vat_id", "text", gettext_noop("VAT ID"), INVOICE),
    ("due_days", "whole", gettext_noop("Due in days"), INVOICE),
    ("order_reference", "text", gettext_noop("Order number of the payer"), INVOICE),
    ("iban", "text", gettext_noop("IBAN"), DEBIT),
    ("bic", "text", gettext_noop("BIC"), DEBIT),
    ("account_holder", "text", gettext_noop("Account holder"), DEBIT),
    ("mandate_reference", "text", gettext_noop("Mandate reference"), DEBIT),
    ("mandate_date", "day", gettext_noop("Signed on"), DEBIT),
    ("mandate_last_used", "day", gettext_noop("Last direct debit"), DEBIT),
)
TARGETS = {each[0]: MappingTarget(*each) for each in _ALL}
ADDRESS_BLOCK = "address1 address2 city state postcode country".split()
NAMES = "first_name last_name full_name company".split()
assert TARGETS.keys() >= set(COLUMNS)
