"""Email notices to a person about changes of their sign-in or their keys."""

from msgspec import Struct

from masthead.model.clock import now
from masthead.model.emails import filled
from masthead.store import users
from masthead.store.background import outbox
from masthead.store.engine.interface import Transaction


class Post(Struct, frozen=True):
    """What emails need. public_url: what links begin with; domain: of Message-IDs."""

    public_url: str
    domain: str


class Notice(Struct, frozen=True):
    """The wording of a notice, with placeholders in braces."""

    subject: str
    text: str


NEW_SIGN_IN = Notice(
    "New sign-in to masthead",
    "Hello,\n\nthere was a sign-in as {email} from a new browser:\n\n"
    "Browser: {browser}\nNetwork: {address}\nTime: {moment} (UTC)\n\n"
    "If this was you, you do not need to do anything. If it was not, change your password now; "
    "this also signs out all other browsers:\n\n{public_url}/you/\n",
)
PASSWORD_CHANGED = Notice(
    "Your password for masthead was changed",
    "Hello,\n\nthe password of {email} was changed:\n\nBrowser: {browser}\nNetwork: {address}\n"
    "Time: {moment} (UTC)\n\nAll other browsers are signed out. If this was not you, ask an owner "
    "of your account for a link to set a new password.\n",
)
NEW_KEY = Notice(
    "New API key for masthead",
    "Hello,\n\na new API key was created for {email}:\n\nName: {name}\nBegins with: {prefix}\n"
    "Scope: {scope}\nTime: {moment} (UTC)\n\nIf you did not expect it, ask an owner of the account "
    "to revoke it, under API keys in the settings:\n\n{public_url}/desk/\n",
)
ATTACK = Notice(
    "Many failed sign-ins to masthead",
    "Hello,\n\nthere were many attempts to sign in as {email} with wrong passwords. They failed, "
    "and you can sign in as usual.\n\nTime: {moment} (UTC)\n\nA long password that you "
    "use nowhere else is the best protection. You can change yours here:\n\n{public_url}/you/\n",
)

SECOND_FACTORS = Notice(
    "Two-step sign-in to masthead was changed",
    "Hello,\n\nabout two-step sign-in as {email}: {event}\n\nTime: {moment} (UTC)\n\nIf this was "
    "not you, change your password now, and check two-step sign-in on your own page:\n\n"
    "{public_url}/you/two-step/\n",
)
FAILED_SECOND_STEP = Notice(
    "Failed second step of a sign-in to masthead",
    "Hello,\n\na person typed the right password for {email}, and then {count} wrong codes. They "
    "were not signed in.\n\nTime: {moment} (UTC)\n\nIf this was not you, another person knows your "
    "password. Change it now:\n\n{public_url}/you/\n",
)


async def notify(
    tx: Transaction, user_id: str, notice: Notice, post: Post | None, **words: str
) -> None:
    """Put a notice into the outbox of the person's first account; do nothing without `post`."""
    memberships = await users.list_memberships(tx, user_id) if post else []
    if post is None or not memberships:
        return
    person = await users.get_person(tx, user_id)
    known = {name: word or "unknown" for name, word in words.items()}
    moment = now().strftime("%Y-%m-%d %H:%M")
    known |= {"email": person.email, "moment": moment, "public_url": post.public_url}
    await outbox.insert_letter(
        tx,
        min(each.account_id for each in memberships),
        recipient=person.email,
        subject=notice.subject,
        body=filled(notice.text, known),
        domain=post.domain,
    )
