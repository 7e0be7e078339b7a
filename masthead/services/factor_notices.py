"""Notices by email: what changed in how a person signs in."""

from masthead.services.users import Post
from masthead.store import outbox, users
from masthead.store.connection import Transaction

SUBJECT = "Two-step sign-in was changed"
TEXT = (
    "Hello,\n\n{event}\n\nThis is about the sign-in of {email} at {url}\n\nIf this was not you: "
    'sign in, change your password, check the section "Two-step sign-in" on your own page, and '
    "tell an owner of your account.\n"
)


async def notify_person(tx: Transaction, user_id: str, event: str, *, post: Post | None) -> None:
    """Put a notice for a person into the outbox. event: what happened, in a sentence.

    post: None where the server sends no mail; nothing is written then, nor for somebody who is in
    no account.
    """
    memberships = await users.list_memberships(tx, user_id)
    if post is None or not memberships:
        return
    person = await users.get_person(tx, user_id)
    await outbox.insert_letter(
        tx,
        memberships[0].account_id,
        recipient=person.email,
        subject=SUBJECT,
        body=TEXT.format(event=event, email=person.email, url=post.public_url),
        domain=post.domain,
    )
