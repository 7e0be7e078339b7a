"""The files of an export about issues, subscriptions and what was paid."""

from masthead.model.exports.export_files import ExportFile, columns

_COUNTER = "a counter of the search index, which is made again"

ISSUES = (
    ExportFile(
        name="issues",
        table="issue",
        about="An issue of the magazine.",
        key=("number",),
        columns=columns(
            "id number name release_date_actual release_date_fuzzy date_as_start_issue "
            "recurring_charge_date newsstand_ean created_at"
        ),
        left_out={"changed_at": "it belongs to the writes of this server"},
    ),
    ExportFile(
        name="covers",
        table="issue_cover",
        about="The picture of an issue; `content` is the file in base64.",
        key=("issue_id",),
        columns=columns("issue_id media_type width height sha256 content created_at"),
    ),
)

SUBSCRIPTIONS = (
    ExportFile(
        name="subscriptions",
        table="subscription",
        about="A subscription or membership with the address that it goes to now.",
        columns=columns(
            "id subscriber_id source_id product_id type status medium first_name last_name "
            "company address1 address2 city state postcode country phone notes is_recurring "
            "is_comp is_gift gifter_id gifter_name gifter_email bundle_id start_issue last_issue "
            "total_length created_at"
        ),
        left_out={"n": _COUNTER},
    ),
    ExportFile(
        name="periods",
        table="period",
        about="An order, and the issues or days that it pays for. `orders.csv` has the same "
        "orders in the format of the import.",
        columns=columns(
            "id subscription_id order_id order_date source_id product_id is_complete first_issue "
            "last_issue length interval_months period_start period_end price discount_amount "
            "refunded currency promo_code payment_method transaction_id is_billed created_at"
        ),
        amounts={"price": "currency", "discount_amount": "currency", "refunded": "currency"},
    ),
    ExportFile(
        name="copies",
        table="copy",
        about="A copy: one issue for one subscription.",
        columns=columns(
            "id subscription_id period_id subscriber_id issue_id issue_number status date_sent "
            "country dispatch_id"
        ),
    ),
    ExportFile(
        name="refunds",
        table="refund",
        about="Money that was paid back for an order.",
        source="refund t JOIN period p ON p.account_id = t.account_id AND p.id = t.period_id",
        expressions={"currency": "p.currency"},
        columns=columns(
            "id subscription_id period_id refund_date amount currency reason created_at "
            "actor_kind actor_id"
        ),
        amounts={"amount": "currency"},
    ),
    ExportFile(
        name="cancellations",
        table="cancellation",
        about="When a subscription was cancelled and why, and when it was reopened.",
        columns=columns(
            "id subscription_id cancelled_date reason notes status_before reopened_date "
            "reopened_at created_at actor_kind actor_id"
        ),
    ),
    ExportFile(
        name="skipped_issues",
        table="skipped_issue",
        about="An issue that a subscription leaves out. Instead, it has one more at its end "
        "(`added`), or the money went back (`credited`).",
        key=("subscription_id", "issue_number"),
        columns=columns(
            "subscription_id issue_number instead refund_id created_at actor_kind actor_id"
        ),
    ),
    ExportFile(
        name="address_changes",
        table="address_change",
        about="A planned address: from an issue on, or from one issue to another. With days, its "
        "issues are those that come out in them.",
        columns=columns(
            "id group_id subscriber_id subscription_id first_issue last_issue first_name "
            "last_name company address1 address2 city state postcode country phone status "
            "created_at actor_kind actor_id ended_at move_first_issue first_day last_day"
        ),
    ),
)
