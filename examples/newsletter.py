"""Keep an audience of Mailchimp in step with the subscribers, through events.

    MASTHEAD_URL=… MASTHEAD_KEY=… MAILCHIMP_KEY=…-us6 MAILCHIMP_LIST=… python newsletter.py a.json

All subscribers become members; those with an active subscription have the tag "Subscriber".
"""

import hashlib
import json
import os
import sys
from pathlib import Path

import httpx

from masthead_client import CursorExpired, Gone, Masthead, NotFound, types

NEW = '{"cursor": null, "emails": {}}'
PLACEHOLDER = "@placeholder.example"  # the addresses of those who have none


class Newsletter:
    """The audience, and a file with the cursor and the address of each subscriber."""

    def __init__(self, client: Masthead, mailchimp: httpx.Client, file: Path) -> None:
        self.client, self.mailchimp, self.file = client, mailchimp, file
        self.state = json.loads(file.read_text() if file.exists() else NEW)

    def follow(self, poll: float | None = 60) -> None:
        """Handle the events since the last start, and new ones each `poll` seconds, if not None."""
        cursor = self.state["cursor"]
        if cursor is None:
            listed = {each["id"]: each for each in self.client.subscribers.list()}
            for id, subscriber in listed.items():
                self.put(id, subscriber)
            for id in self.state["emails"].keys() - listed.keys():
                self.delete(id)
        try:
            for event in self.client.events(cursor, save=self.save, poll_seconds=poll):
                self.handle(event)
        except CursorExpired:  # this program did not run for a month
            self.state["cursor"] = None
            self.follow(poll)

    def handle(self, event: types.Event) -> None:
        """Bring the subscriber of an event up to date. What they are now counts, not the event."""
        if event["record"]["type"] not in {"subscriber", "subscription"}:
            return
        id = (event["data"] or {}).get("subscriber", event["record"])["id"]
        try:
            subscriber = self.client.subscribers.get(id)
        except (NotFound, Gone):
            self.delete(id)
        else:
            if subscriber["id"] != id and self.state["emails"].get(id) != subscriber["email"]:
                self.delete(id)  # they were merged
            self.put(subscriber["id"], subscriber)

    def put(self, id: str, subscriber: types.Subscriber) -> None:
        """Add a member, or change their address, name and tag."""
        email, known = subscriber["email"], self.state["emails"].get(id)
        if email.endswith(PLACEHOLDER):
            self.delete(id)
            return
        names = {"FNAME": subscriber["first_name"] or "", "LNAME": subscriber["last_name"] or ""}
        member = {"email_address": email, "status_if_new": "subscribed", "merge_fields": names}
        self.send("PUT", known or email, "", member)
        self.state["emails"][id] = email
        if known not in {None, email}:
            self.save(self.state["cursor"])  # Mailchimp knows the old address no longer
        status = "active" if subscriber["has_active_subscription"] else "inactive"
        self.send("POST", email, "/tags", {"tags": [{"name": "Subscriber", "status": status}]})

    def delete(self, id: str) -> None:
        """Delete a member for good, as after an erasure."""
        if email := self.state["emails"].pop(id, None):
            self.send("POST", email, "/actions/delete-permanent", None)

    def send(self, method: str, email: str, path: str, body: object) -> None:
        """A request about a member, who is identified by a digest of the address."""
        digest = hashlib.md5(email.lower().encode(), usedforsecurity=False).hexdigest()
        answer = self.mailchimp.request(method, f"/members/{digest}{path}", json=body)
        if answer.status_code not in {400, 404}:  # an address that it refuses, or does not know
            answer.raise_for_status()

    def save(self, cursor: str | None) -> None:
        """Store the place after the events that are handled."""
        self.state["cursor"] = cursor
        part = self.file.with_suffix(".part")
        part.write_text(json.dumps(self.state))
        part.replace(self.file)


if __name__ == "__main__":
    key, server = os.environ["MAILCHIMP_KEY"], os.environ["MAILCHIMP_KEY"].rpartition("-")[2]
    address = f"https://{server}.api.mailchimp.com/3.0/lists/{os.environ['MAILCHIMP_LIST']}"
    with Masthead(os.environ["MASTHEAD_URL"], os.environ["MASTHEAD_KEY"]) as masthead:
        mailchimp = httpx.Client(base_url=address, auth=("key", key), timeout=30)
        Newsletter(masthead, mailchimp, Path(sys.argv[1])).follow()
