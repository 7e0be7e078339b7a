"""The emails to owners about webhooks."""

from masthead.model.emails import EmailTemplate
from masthead.model.translations import gettext_noop

FAILED = EmailTemplate(
    gettext_noop("Events could not be sent to a webhook"),
    gettext_noop(
        "Hello,\n\nmasthead has tried for days to send events to a webhook, and does not try again "
        "by itself:\n\nAddress: {url}\nLast error: {error}\nTime: {moment} ({zone})\n\nCorrect the "
        "cause, then send them again in the settings under Webhooks.\n"
    ),
)
DISABLED = EmailTemplate(
    gettext_noop("A webhook was disabled"),
    gettext_noop(
        "Hello,\n\nmasthead has disabled a webhook, because it asked for no more events or failed "
        "for days:\n\nAddress: {url}\nLast error: {error}\nTime: {moment} ({zone})\n\nThe events "
        "since then wait. Correct the cause, then enable the webhook in the settings under "
        "Webhooks. There you can also send events again that have failed.\n"
    ),
)
