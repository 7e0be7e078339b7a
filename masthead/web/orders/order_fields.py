"""The fields of an order from a phone call or a letter."""

from wtforms import BooleanField, Field, HiddenField, RadioField, SelectField, StringField

from masthead.model.types.enums import Medium
from masthead.web.billing.payer_fields import PayerFields
from masthead.web.kit.forms import AddressFields, BaseForm, choices_of

MEDIA = choices_of((each.value, each.value) for each in Medium)
OFFERED = ("price", "length", "interval_months")  # what a product fills in
# The fields in the order of the page
PAGE_ORDER = """
is_gift gifter_id gifter_find new_giver gifter_salutation gifter_title gifter_first_name
gifter_last_name gifter_company gifter_email gifter_address1 gifter_address2 gifter_postcode
gifter_city gifter_state gifter_country subscriber_id subscriber_find first_name last_name company
email address1 postcode city country salutation title address2 state phone is_address_right
new_subscriber product medium copies order_date period_start interval_months start_issue length
price overlaps out is_billed is_debited sends_invoice due_days order_reference debit_iban
debit_holder debit_signed debit_bic debit_scheme is_other_payer payer_id payer_find new_payer
payer_company department payer_first_name payer_last_name payer_email payer_address1 payer_address2
payer_postcode payer_city payer_country payer_language payer_state vat_id bills_together
payment_method source is_comp send_welcome_email order_id discount_amount transaction_id promo_code
is_recurring notes offered_price offered_length offered_interval_months
""".split()


class OrderFields(AddressFields, PayerFields, BaseForm):
    """The fields of an order, and where they are on the page."""

    subscriber_id = HiddenField()
    subscriber_find = StringField("Find a subscriber")
    # the ids of the subscribers whom the order is not for; the id is the place of the question
    new_subscriber = StringField("Subscriber", id="duplicates")
    email = StringField("Email")
    salutation = SelectField("Salutation", validate_choice=False)
    title = StringField("Title")
    country = SelectField("Country", validate_choice=False)
    is_address_right = BooleanField("The address is right as it is")
    product = SelectField("Product", validate_choice=False)
    medium = SelectField("Medium", choices=MEDIA, validate_choice=False)
    start_issue = SelectField("Start issue", validate_choice=False)
    length = StringField("Number of issues")
    period_start = StringField("First day of the membership")
    interval_months = StringField("Number of months")
    out = RadioField("Copies of issues that are out", validate_choice=False)
    # the ids of the subscriptions beside which it is added
    overlaps = StringField("Add it as well")
    price = StringField("Price paid")
    # what was filled in, to tell it from what the user typed
    offered_price = HiddenField()
    offered_length = HiddenField()
    offered_interval_months = HiddenField()
    payment_method = SelectField("How it was paid", validate_choice=False)
    order_date = StringField("Order date")
    is_comp = BooleanField("Complimentary: free of charge, price 0")
    is_gift = BooleanField("For someone else, as a gift")
    gifter_id = HiddenField()
    gifter_find = StringField("Find the giver")
    gifter_salutation = SelectField("Salutation", validate_choice=False)
    gifter_title = StringField("Title")
    gifter_first_name = StringField("First name")
    gifter_last_name = StringField("Last name")
    gifter_company = StringField("Company")
    gifter_email = StringField("Email")
    gifter_address1 = StringField("Street and number")
    gifter_address2 = StringField("Second line of the address")
    gifter_postcode = StringField("Postcode")
    gifter_city = StringField("Town")
    gifter_state = StringField("State or region")
    gifter_country = SelectField("Country", validate_choice=False)
    new_giver = StringField("Giver", id="givers")
    copies = StringField("Copies of each issue")
    discount_amount = StringField("Discount included in the price")
    source = SelectField("Source", validate_choice=False)
    order_id = StringField("Order ID")
    transaction_id = StringField("Transaction ID of the payment")
    promo_code = StringField("Promo code")
    is_recurring = BooleanField("Recurring: renewals are charged elsewhere")
    send_welcome_email = BooleanField("Send the welcome email")

    @property
    def wrong_fields(self) -> list[Field]:
        """The fields with an error, in the order of the page."""
        return sorted(super().wrong_fields, key=lambda field: PAGE_ORDER.index(field.name))
