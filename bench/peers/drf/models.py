"""masthead's tables for Django's ORM: the columns that the four endpoints need."""

from typing import Any

from django.db import models


def to(model: str, column: str, **more: Any) -> Any:
    """A reference to a record of the same account."""
    return models.ForeignObject(
        model,
        on_delete=models.DO_NOTHING,
        from_fields=["account_id", column],
        to_fields=["account_id", more.pop("to_field", "id")],
        related_name=more.pop("related_name", "+"),
        **more,
    )


def text(**more: Any) -> Any:
    """A text that may be null."""
    return models.TextField(null=True, **more)


class Table(models.Model):
    """A table that masthead made."""

    class Meta:
        """No table of its own."""

        abstract = True


class Account(Table):
    """A publisher."""

    id = models.BigIntegerField(primary_key=True)
    name = models.TextField()
    subdomain = models.TextField()
    is_active = models.BooleanField()

    class Meta:
        """Its table."""

        db_table, managed = "account", False


class User(Table):
    """The user of an API key."""

    id = models.TextField(primary_key=True)
    email = models.TextField()

    class Meta:
        """Its table."""

        db_table, managed = "app_user", False


class AccountState(Table):
    """An account's counters; every write locks its row."""

    account_id = models.BigIntegerField(primary_key=True)
    last_entry = models.BigIntegerField()

    class Meta:
        """Its table."""

        db_table, managed = "account_state", False


class ApiKey(Table):
    """A key's digest."""

    pk = models.CompositePrimaryKey("account_id", "id")
    account = models.ForeignKey(Account, on_delete=models.DO_NOTHING)
    id = models.TextField()
    user = models.ForeignKey(User, on_delete=models.DO_NOTHING)
    scope = models.TextField()
    digest = models.TextField()
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        """Its table."""

        db_table, managed = "api_key", False


class Source(Table):
    """Where orders come from."""

    pk = models.CompositePrimaryKey("account_id", "id")
    account_id = models.BigIntegerField()
    id = models.TextField()
    name = models.TextField()

    class Meta:
        """Its table."""

        db_table, managed = "source", False


class Product(Table):
    """What was bought."""

    pk = models.CompositePrimaryKey("account_id", "id")
    account_id = models.BigIntegerField()
    id = models.TextField()
    name = models.TextField()
    benefits = models.TextField()

    class Meta:
        """Its table."""

        db_table, managed = "product", False


class Issue(Table):
    """An issue of the magazine."""

    pk = models.CompositePrimaryKey("account_id", "id")
    account_id = models.BigIntegerField()
    id = models.TextField()
    number = models.BigIntegerField()
    name = models.TextField()
    recurring_charge_date = models.DateField(null=True)

    class Meta:
        """Its table."""

        db_table, managed = "issue", False


class Subscriber(Table):
    """A reader."""

    pk = models.CompositePrimaryKey("account_id", "id")
    account_id = models.BigIntegerField()
    id = models.TextField()
    email = models.TextField()
    first_name = text()
    last_name = text()
    company = text()

    class Meta:
        """Its table."""

        db_table, managed = "subscriber", False


class Subscription(Table):
    """A subscription with all fields that are shown."""

    pk = models.CompositePrimaryKey("account_id", "id")
    account_id = models.BigIntegerField()
    id = models.TextField()
    subscriber_id = models.TextField()
    source_id = models.TextField()
    product_id = models.TextField()
    type = models.TextField()
    status = models.TextField()
    medium = models.TextField()
    first_name = text()
    last_name = text()
    company = text()
    address1 = text()
    address2 = text()
    city = text()
    state = text()
    postcode = text()
    country = models.TextField()
    phone = text()
    notes = text()
    is_recurring = models.BooleanField()
    is_comp = models.BooleanField()
    is_gift = models.BooleanField()
    gifter_name = text()
    gifter_email = text()
    start_number = models.BigIntegerField(null=True, db_column="start_issue")
    last_number = models.BigIntegerField(null=True, db_column="last_issue")
    total_length = models.BigIntegerField()
    subscriber = to("Subscriber", "subscriber_id")
    source = to("Source", "source_id")
    product = to("Product", "product_id")
    start_issue = to("Issue", "start_number", to_field="number", null=True)

    class Meta:
        """Its table."""

        db_table, managed = "subscription", False


class Period(Table):
    """An order and the issues or days that it covers."""

    pk = models.CompositePrimaryKey("account_id", "id")
    account_id = models.BigIntegerField()
    id = models.BigIntegerField()
    subscription_id = models.TextField()
    order_date = models.DateField(null=True)
    is_complete = models.BooleanField()
    first_issue = models.BigIntegerField(null=True)
    last_issue = models.BigIntegerField(null=True)
    length = models.BigIntegerField(null=True)
    interval_months = models.BigIntegerField(null=True)
    period_start = models.DateField(null=True)
    period_end = models.DateField(null=True)
    price = models.BigIntegerField()
    discount_amount = models.BigIntegerField()
    refunded = models.BigIntegerField()
    currency = models.TextField()
    promo_code = text()
    source_id = models.TextField(null=True)
    order_id = models.TextField()
    transaction_id = text()
    subscription = to("Subscription", "subscription_id", related_name="periods")
    source = to("Source", "source_id", null=True)

    class Meta:
        """Its table."""

        db_table, managed, ordering = "period", False, ("id",)


class Copy(Table):
    """One issue for one subscription."""

    pk = models.CompositePrimaryKey("account_id", "id")
    account_id = models.BigIntegerField()
    id = models.BigIntegerField()
    subscription_id = models.TextField()
    period_id = models.BigIntegerField()
    subscriber_id = models.TextField()
    issue_id = models.TextField()
    issue_number = models.BigIntegerField()
    status = models.TextField()
    date_sent = models.DateField(null=True)
    country = models.TextField()
    issue = to("Issue", "issue_id")

    class Meta:
        """Its table."""

        db_table, managed = "copy", False


class Audit(Table):
    """An entry of the audit trail."""

    pk = models.CompositePrimaryKey("account_id", "id")
    account_id = models.BigIntegerField()
    id = models.BigIntegerField()
    happened_at = models.DateTimeField()
    actor_kind = models.TextField()
    actor_id = models.TextField()
    action = models.TextField()
    subject_type = models.TextField()
    subject_id = models.TextField()
    before = models.TextField()
    after = models.TextField()

    class Meta:
        """Its table."""

        db_table, managed = "audit", False
