"""The types of the entries of the audit trail, with the label that pages show for each."""

from collections.abc import Mapping

from msgspec import Struct

from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import LabelledEnum


class EntryType(LabelledEnum):
    """The type of an audit entry: the value that the database stores, and its label."""

    @property
    def subject_type(self) -> str:
        """The type of the record that changed: the part before the dot, such as `subscription`."""
        return self.value.partition(".")[0]

    ACCOUNT_ACTIVATE = "account.activate", gettext_noop("Account activated")
    ACCOUNT_CONFIRM_CLOCK = "account.confirm_clock", gettext_noop("Server clock confirmed")
    ACCOUNT_CHANGE_RETENTION = (
        "account.change_retention",
        gettext_noop("Retention of personal data changed"),
    )
    ACCOUNT_CREATE = "account.create", gettext_noop("Account created")
    ACCOUNT_DEACTIVATE = "account.deactivate", gettext_noop("Account deactivated")
    ACCOUNT_DOWNLOAD = "account.download", gettext_noop("Renewal list downloaded")
    ACCOUNT_DELETE_OLD_DATA = "account.delete_old_data", gettext_noop("Old personal data deleted")
    ACCOUNT_DOWNLOAD_EXPORT = "account.download_export", gettext_noop("Export downloaded")
    ACCOUNT_DOWNLOAD_LIST = "account.download_list", gettext_noop("File downloaded")
    ACCOUNT_EXPORT = "account.export", gettext_noop("Everything exported")
    ACCOUNT_LOAD = "account.load", gettext_noop("Export of another masthead imported")
    ACCOUNT_MOVE_CLOCK = "account.move_clock", gettext_noop("Clock of the sandbox moved")
    ACCOUNT_REDO_DAILY_PASS = "account.redo_daily_pass", gettext_noop("Daily pass repeated")
    ACCOUNT_RESET = "account.reset", gettext_noop("Sandbox reset")
    ACCOUNT_SELECT_LETTERS = (
        "account.select_letters",
        gettext_noop("Recipients of renewal letters selected"),
    )
    ACCOUNT_TEST_REMINDER = "account.test_reminder", gettext_noop("Test reminder sent")
    ACCOUNT_TEST_RENEWAL_LETTER = "account.test_renewal_letter", gettext_noop("Test letter sent")
    ACCOUNT_TEST_WELCOME_EMAIL = "account.test_welcome_email", gettext_noop("Test email sent")
    ACCOUNT_UPDATE = "account.update", gettext_noop("Settings of the account changed")
    ACCOUNT_UPDATE_BILLING = "account.update_billing", gettext_noop("Settings of invoices changed")
    ACCOUNT_UPDATE_REMINDERS = (
        "account.update_reminders",
        gettext_noop("Settings of reminders changed"),
    )
    ACCOUNT_UPDATE_RENEWAL_LETTER = (
        "account.update_renewal_letter",
        gettext_noop("Renewal letter changed"),
    )
    ACCOUNT_UPDATE_SELF_SERVICE = (
        "account.update_self_service",
        gettext_noop("Self-service of subscribers changed"),
    )
    ACCOUNT_UPDATE_DEBITS = "account.update_debits", gettext_noop("Direct debit settings changed")
    ACCOUNT_UPDATE_VAT = "account.update_vat", gettext_noop("VAT rates changed")
    ACCOUNT_UPDATE_WELCOME_EMAIL = (
        "account.update_welcome_email",
        gettext_noop("Welcome email changed"),
    )
    BANK_LINE_IGNORE = "bank_line.ignore", gettext_noop("Bank line left out")
    BANK_LINE_REOPEN = "bank_line.reopen", gettext_noop("Decision about a bank line undone")
    BANK_STATEMENT_IMPORT = "bank_statement.import", gettext_noop("Bank statement imported")
    CLAIM_CLOSE = "claim.close", gettext_noop("Claim closed")
    CLAIM_CREATE = "claim.create", gettext_noop("Claim recorded")
    COLLECTION_CANCEL = "collection.cancel", gettext_noop("Collection cancelled")
    COLLECTION_CREATE = "collection.create", gettext_noop("Collection made")
    COLLECTION_DOWNLOAD = "collection.download", gettext_noop("File of a collection downloaded")
    COLLECTION_SEND = "collection.send", gettext_noop("Collection marked as sent to the bank")
    COPY_MARK_SENT = "copy.mark_sent", gettext_noop("Copy marked as sent")
    DELIVERY_REPORT_ACCEPT = "delivery_report.accept", gettext_noop("New address accepted")
    DELIVERY_REPORT_CREATE = "delivery_report.create", gettext_noop("Delivery problem recorded")
    DELIVERY_REPORT_DISMISS = "delivery_report.dismiss", gettext_noop("Delivery problem dismissed")
    DISPATCH_DISCARD = "dispatch.discard", gettext_noop("Mailing discarded")
    DISPATCH_DOWNLOAD = "dispatch.download", gettext_noop("Addresses of a mailing downloaded")
    DISPATCH_FREEZE = "dispatch.freeze", gettext_noop("Mailing prepared")
    DISPATCH_MARK = "dispatch.mark", gettext_noop("Mailing marked as sent")
    DISPATCH_SHIPPED = "dispatch.shipped", gettext_noop("Shipped copies reported")
    DISPATCH_UNDO = "dispatch.undo", gettext_noop("Marking of a mailing undone")
    EMAIL_RETRY = "email.retry", gettext_noop("Email sent again")
    EXPORT_PROFILE_ACTIVATE = "export_profile.activate", gettext_noop("Export profile activated")
    EXPORT_PROFILE_CREATE = "export_profile.create", gettext_noop("Export profile created")
    EXPORT_PROFILE_DEACTIVATE = (
        "export_profile.deactivate",
        gettext_noop("Export profile deactivated"),
    )
    EXPORT_PROFILE_UPDATE = "export_profile.update", gettext_noop("Export profile changed")
    IMPORT_BATCH_DELETE = "import_batch.delete", gettext_noop("Uploaded file deleted")
    IMPORT_BATCH_RUN = "import_batch.run", gettext_noop("File imported")
    IMPORT_BATCH_UNDO = "import_batch.undo", gettext_noop("Import undone")
    INVOICE_AGREE_TERM = "invoice.agree_term", gettext_noop("Reminders of an invoice changed")
    INVOICE_CHARGE_FEE = "invoice.charge_fee", gettext_noop("Reminder fee charged")
    INVOICE_CREDIT = "invoice.credit", gettext_noop("Credit note issued")
    INVOICE_DEBIT = "invoice.debit", gettext_noop("Invoice marked for direct debit")
    INVOICE_DEBIT_COLLECT = "invoice.debit_collect", gettext_noop("Put into a collection")
    INVOICE_DEBIT_RETURN = "invoice.debit_return", gettext_noop("Direct debit came back")
    INVOICE_DEBIT_STOP = "invoice.debit_stop", gettext_noop("Direct debit taken out")
    INVOICE_EMAIL = "invoice.email", gettext_noop("Invoice emailed")
    INVOICE_EMAIL_STOP = "invoice.email_stop", gettext_noop("Email of an invoice stopped")
    INVOICE_EMAIL_TEST = "invoice.email_test", gettext_noop("Test of an invoice sent")
    INVOICE_ISSUE = "invoice.issue", gettext_noop("Invoice issued")
    INVOICE_POST = "invoice.post", gettext_noop("Marked as sent by post")
    INVOICE_POST_UNDO = "invoice.post_undo", gettext_noop("Marked as not sent by post")
    INVOICE_PRINT = "invoice.print", gettext_noop("Invoices printed")
    INVOICE_REMIND = "invoice.remind", gettext_noop("Reminder written")
    INVOICE_USE_CREDIT = "invoice.use_credit", gettext_noop("Credit used for an invoice")
    INVOICE_WAIVE_FEE = "invoice.waive_fee", gettext_noop("Reminder fee waived")
    INVOICE_WRITE_OFF = "invoice.write_off", gettext_noop("Invoice written off")
    ISSUE_CREATE = "issue.create", gettext_noop("Issue created")
    ISSUE_DELETE = "issue.delete", gettext_noop("Issue deleted")
    ISSUE_DELETE_COVER = "issue.delete_cover", gettext_noop("Cover deleted")
    ISSUE_DOWNLOAD = "issue.download", gettext_noop("Addresses downloaded")
    ISSUE_RENUMBER = "issue.renumber", gettext_noop("Issue renumbered")
    ISSUE_SET_COVER = "issue.set_cover", gettext_noop("Cover uploaded")
    ISSUE_UPDATE = "issue.update", gettext_noop("Issue changed")
    KEY_CREATE = "key.create", gettext_noop("API key created")
    KEY_REVOKE = "key.revoke", gettext_noop("API key revoked")
    KEY_ROLL = "key.roll", gettext_noop("API key rolled")
    LETTER_BATCH_DOWNLOAD = "letter_batch.download", gettext_noop("Renewal letters downloaded")
    LETTER_BATCH_PRINT = "letter_batch.print", gettext_noop("Renewal letters printed")
    LETTER_BATCH_RETRY = "letter_batch.retry", gettext_noop("Renewal letters sent again")
    LETTER_BATCH_STOP = "letter_batch.stop", gettext_noop("Renewal letters stopped")
    LETTER_BATCH_UNDO_PRINT = (
        "letter_batch.undo_print",
        gettext_noop("Renewal letters marked as not printed"),
    )
    LETTER_BATCH_WRITE = "letter_batch.write", gettext_noop("Renewal letters written")
    PAYMENT_PAY_BACK = "payment.pay_back", gettext_noop("Money paid back")
    PAYMENT_RECORD = "payment.record", gettext_noop("Payment recorded")
    PAYMENT_RETURN = "payment.return", gettext_noop("Payment came back")
    PAYMENT_UNDO = "payment.undo", gettext_noop("Payment undone")
    PRODUCT_ACTIVATE = "product.activate", gettext_noop("Product activated")
    PRODUCT_CREATE = "product.create", gettext_noop("Product created")
    PRODUCT_DEACTIVATE = "product.deactivate", gettext_noop("Product deactivated")
    PRODUCT_UPDATE = "product.update", gettext_noop("Product changed")
    REMINDER_ROUND_DOWNLOAD = "reminder_round.download", gettext_noop("Reminders downloaded")
    REMINDER_ROUND_PRINT = "reminder_round.print", gettext_noop("Reminders printed")
    REMINDER_ROUND_STOP = "reminder_round.stop", gettext_noop("Reminders stopped")
    REMINDER_ROUND_UNDO_PRINT = (
        "reminder_round.undo_print",
        gettext_noop("Reminders marked as not printed"),
    )
    REMINDER_ROUND_WRITE = "reminder_round.write", gettext_noop("Reminders written")
    REVENUE_STATEMENT_CREATE = "revenue_statement.create", gettext_noop("Revenue statement made")
    SOURCE_ACTIVATE = "source.activate", gettext_noop("Source activated")
    SOURCE_CREATE = "source.create", gettext_noop("Source created")
    SOURCE_DEACTIVATE = "source.deactivate", gettext_noop("Source deactivated")
    SOURCE_RENAME = "source.rename", gettext_noop("Source renamed")
    SUBSCRIBER_CREATE = "subscriber.create", gettext_noop("Payer or giver added")
    SUBSCRIBER_CLEAR_BOUNCE = "subscriber.clear_bounce", gettext_noop("Email address works again")
    SUBSCRIBER_MARK_BOUNCED = "subscriber.mark_bounced", gettext_noop("Email address bounced")
    SUBSCRIBER_REVOKE_MANDATE = "subscriber.revoke_mandate", gettext_noop("Mandate revoked")
    SUBSCRIBER_RESUBSCRIBE = "subscriber.resubscribe", gettext_noop("Gets letters again")
    SUBSCRIBER_UNSUBSCRIBE = "subscriber.unsubscribe", gettext_noop("Unsubscribed from letters")
    SUBSCRIBER_ADD_MANDATE = "subscriber.add_mandate", gettext_noop("Mandate added")
    SUBSCRIBER_ADD_NOTE = "subscriber.add_note", gettext_noop("Note added")
    SUBSCRIBER_DELETE_NOTE = "subscriber.delete_note", gettext_noop("Note deleted")
    SUBSCRIBER_DISMISS_DUPLICATE = (
        "subscriber.dismiss_duplicate",
        gettext_noop("Not the same person"),
    )
    SUBSCRIBER_ERASE = "subscriber.erase", gettext_noop("Subscriber erased")
    SUBSCRIBER_EXPORT = "subscriber.export", gettext_noop("Everything about a subscriber exported")
    SUBSCRIBER_MERGE = "subscriber.merge", gettext_noop("Subscribers merged")
    SUBSCRIBER_REQUEST = "subscriber.request", gettext_noop("Request of the subscriber")
    SUBSCRIBER_RESTORE_DUPLICATE = (
        "subscriber.restore_duplicate",
        gettext_noop("Perhaps the same person after all"),
    )
    SUBSCRIBER_STOP_REMINDERS = (
        "subscriber.stop_reminders",
        gettext_noop("Reminders to a payer changed"),
    )
    SUBSCRIBER_UNDO_MERGE = "subscriber.undo_merge", gettext_noop("Merge undone")
    SUBSCRIBER_UPDATE_MANDATE = "subscriber.update_mandate", gettext_noop("Signed mandate stored")
    SUBSCRIBER_UPDATE_PAYER = "subscriber.update_payer", gettext_noop("VAT ID or billing changed")
    SUBSCRIBER_UPDATE = "subscriber.update", gettext_noop("Subscriber corrected")
    SUBSCRIPTION_CANCEL = "subscription.cancel", gettext_noop("Subscription cancelled")
    SUBSCRIPTION_CANCEL_ADDRESS = (
        "subscription.cancel_address",
        gettext_noop("Change of address cancelled"),
    )
    SUBSCRIPTION_CHANGE_PRICE = (
        "subscription.change_price",
        gettext_noop("Price of an order changed"),
    )
    SUBSCRIPTION_CHANGE_TERMS = (
        "subscription.change_terms",
        gettext_noop("Medium or issues changed"),
    )
    SUBSCRIPTION_CREATE = "subscription.create", gettext_noop("Subscription created")
    SUBSCRIPTION_DELETE_REFUND = "subscription.delete_refund", gettext_noop("Refund deleted")
    SUBSCRIPTION_HOLD = "subscription.hold", gettext_noop("Copies held")
    SUBSCRIPTION_PLAN_ADDRESS = (
        "subscription.plan_address",
        gettext_noop("Change of address planned"),
    )
    SUBSCRIPTION_REFUND = "subscription.refund", gettext_noop("Order refunded")
    SUBSCRIPTION_MOVE = (
        "subscription.move",
        gettext_noop("Subscription moved from one subscriber to another"),
    )
    SUBSCRIPTION_RELEASE = "subscription.release", gettext_noop("Copies released")
    SUBSCRIPTION_RENEW = "subscription.renew", gettext_noop("Subscription renewed")
    SUBSCRIPTION_REOPEN = "subscription.reopen", gettext_noop("Status of a subscription corrected")
    SUBSCRIPTION_SKIP = "subscription.skip", gettext_noop("Issues skipped")
    SUBSCRIPTION_STOP_RENEWALS = "subscription.stop_renewals", gettext_noop("Renewals stopped")
    SUBSCRIPTION_TAKE_BACK = "subscription.take_back", gettext_noop("Imported order taken back")
    SUBSCRIPTION_TAKE_BACK_SKIP = (
        "subscription.take_back_skip",
        gettext_noop("Skipped issue included again"),
    )
    SUBSCRIPTION_UNDO_CANCEL = "subscription.undo_cancel", gettext_noop("Subscription reopened")
    SUBSCRIPTION_UPDATE = "subscription.update", gettext_noop("Subscription changed")
    SUBSCRIPTION_UPDATE_STATUS = "subscription.update_status", gettext_noop("Status updated")
    USER_ACCEPT_INVITATION = "user.accept_invitation", gettext_noop("Invitation accepted")
    USER_ADD = "user.add", gettext_noop("User added")
    USER_ADD_APP = "user.add_app", gettext_noop("Authenticator app added")
    USER_ADD_PASSKEY = "user.add_passkey", gettext_noop("Passkey added")
    USER_ATTACK = "user.attack", gettext_noop("Many failed sign-ins")
    USER_CHANGE_RIGHTS = "user.change_rights", gettext_noop("Rights changed")
    USER_CHANGE_ROLE = "user.change_role", gettext_noop("Role changed")
    USER_CREATE_RECOVERY_CODES = (
        "user.create_recovery_codes",
        gettext_noop("Recovery codes created"),
    )
    USER_FAIL_SECOND_STEP = "user.fail_second_step", gettext_noop("Two-step sign-in failed")
    USER_INVITE = "user.invite", gettext_noop("User invited")
    USER_REMOVE = "user.remove", gettext_noop("User removed")
    USER_REMOVE_APP = "user.remove_app", gettext_noop("Authenticator app removed")
    USER_REMOVE_PASSKEY = "user.remove_passkey", gettext_noop("Passkey removed")
    USER_RENAME_PASSKEY = "user.rename_passkey", gettext_noop("Passkey renamed")
    USER_RESET = "user.reset", gettext_noop("Password link created")
    USER_RESET_FACTORS = "user.reset_factors", gettext_noop("Two-step sign-in reset")
    USER_SET_PASSWORD = "user.set_password", gettext_noop("Password set")
    USER_SIGN_IN = "user.sign_in", gettext_noop("Signed in")
    USER_SIGN_OUT = "user.sign_out", gettext_noop("Signed out")
    USER_SIGN_OUT_EVERYWHERE = "user.sign_out_everywhere", gettext_noop("Signed out everywhere")
    USER_USE_RECOVERY_CODE = "user.use_recovery_code", gettext_noop("Recovery code used")
    WEBHOOK_CREATE = "webhook.create", gettext_noop("Webhook created")
    WEBHOOK_DELETE = "webhook.delete", gettext_noop("Webhook deleted")
    WEBHOOK_DISABLE = "webhook.disable", gettext_noop("Webhook disabled")
    WEBHOOK_ENABLE = "webhook.enable", gettext_noop("Webhook enabled")
    WEBHOOK_RESEND = "webhook.resend", gettext_noop("Events sent to a webhook again")
    WEBHOOK_ROTATE = "webhook.rotate", gettext_noop("Secret of a webhook replaced")
    WEBHOOK_SEND_TEST = "webhook.send_test", gettext_noop("Test sent to a webhook")
    WEBHOOK_UPDATE = "webhook.update", gettext_noop("Webhook changed")


class NewEntry(Struct, frozen=True):
    """A change to record. before, after: the fields that changed, or None if there are none.

    `subject_id` is the id of a record of the type in `type`.
    """

    type: EntryType
    subject_id: str | int
    before: Mapping[str, object] | None
    after: Mapping[str, object] | None


_LABELS: Mapping[str, str] = {each: each.label for each in EntryType}


def label_of(action: str) -> str:
    """The label of a stored entry type in the current language; of an unknown one, the type."""
    return _(_LABELS.get(action, action))
