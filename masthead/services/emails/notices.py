"""Emails that tell a user about a change to their sign-in or their API keys."""

from collections.abc import Sequence

from babel.dates import format_datetime

from masthead.model.clock import now
from masthead.model.emails import EmailTemplate, Site, filled
from masthead.model.identity.browsers import describe_browser
from masthead.model.translations import gettext as _, gettext_noop, in_language
from masthead.services.identity.own_accounts import list_own_accounts
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction
from masthead.store.identity import people

NEW_SIGN_IN = EmailTemplate(
    gettext_noop("New sign-in to masthead"),
    gettext_noop(
        "Hello,\n\nThere was a sign-in as {email} from a new browser:\n\n"
        "Browser: {browser}\nNetwork: {address}\nTime: {moment} ({zone})\n\n"
        "If this was you, you do not need to do anything. If it was not you, change your password "
        "now. This also signs out all other browsers:\n\n{public_url}/you/\n"
    ),
)
PASSWORD_CHANGED = EmailTemplate(
    gettext_noop("Your password for masthead was changed"),
    gettext_noop(
        "Hello,\n\nThe password of {email} was changed:\n\nBrowser: {browser}\nNetwork: {address}\n"
        "Time: {moment} ({zone})\n\nAll other browsers are signed out. If this was not you, ask an "
        "owner "
        "of your account for a link to set a new password.\n"
    ),
)
NEW_KEY = EmailTemplate(
    gettext_noop("New API key for masthead"),
    gettext_noop(
        "Hello,\n\nA new API key was created for {email}:\n\nName: {name}\n"
        "Starts with: {prefix}\nScope: {scope}\nTime: {moment} ({zone})\n\nIf you did not expect "
        "this, "
        "ask an owner of the account to revoke the key, under API keys in the settings:\n\n"
        "{public_url}/desk/\n"
    ),
)
ATTACK = EmailTemplate(
    gettext_noop("Many failed sign-ins to masthead"),
    gettext_noop(
        "Hello,\n\nThere were many attempts to sign in as {email} with wrong passwords. All of "
        "them failed, and you can sign in as usual.\n\nTime: {moment} ({zone})\n\nA long password "
        "that you use nowhere else is the best protection. You can change yours here:\n\n"
        "{public_url}/you/\n"
    ),
)

SECOND_FACTORS = EmailTemplate(
    gettext_noop("Two-step sign-in to masthead was changed"),
    gettext_noop(
        "Hello,\n\nTwo-step sign-in of {email} was changed:\n\n{event}\n\nTime: {moment} "
        "({zone})\n\nIf this "
        "was not you, change your password now, and check the settings of two-step sign-in:\n\n"
        "{public_url}/you/two-step/\n"
    ),
)
FAILED_SECOND_STEP = EmailTemplate(
    gettext_noop("Failed two-step sign-in to masthead"),
    gettext_noop(
        "Hello,\n\nSomeone entered the correct password of {email}, and then {count} wrong codes. "
        "They "
        "were not signed in.\n\nTime: {moment} ({zone})\n\nIf this was not you, someone else knows "
        "your "
        "password. Change it now:\n\n{public_url}/you/\n"
    ),
)


async def notify(
    tx: Transaction,
    user_id: str,
    notice: EmailTemplate,
    site: Site | None,
    *,
    events: Sequence[str] = (),
    **words: str,
) -> None:
    """Add a notice to the outbox of the user's first account, rather none that is a sandbox.

    Does nothing without `site`.

    It is in the language of the user. events: sentences for `{event}`, with words in braces.
    """
    accounts = await list_own_accounts(tx, user_id) if site else []
    if site is None or not accounts:
        return
    person = await people.get_person(tx, user_id)
    first = min(accounts, key=lambda each: each.is_sandbox)
    locale = person.locale or first.locale
    with in_language(locale):
        known = {name: word or _("unknown") for name, word in words.items()}
        if "browser" in known:
            known["browser"] = describe_browser(known["browser"])
        known["event"] = " ".join(filled(_(event), known) for event in events)
        moment = format_datetime(now(), "medium", tzinfo=first.zone, locale=locale)
        known |= {"email": person.email, "moment": moment, "zone": first.time_zone}
        known["public_url"] = site.public_url
        subject, body = filled(_(notice.subject), known), filled(_(notice.text), known)
    await outbox.insert_email(
        tx,
        first.account_id,
        recipient=person.email,
        subject=subject,
        body=body,
        domain=site.domain,
        is_to_user=True,
    )
