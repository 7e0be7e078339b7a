"""Test your shop against a sandbox: play a year, and compare what masthead says with your shop.

    MASTHEAD_URL=… MASTHEAD_KEY=mh_test_… python sandbox_year.py

Create the sandbox with `masthead account create --sandbox`. `renew` stands for the part of your
shop that charges a customer and sends the renewal: replace it by a call of your own code.
"""

import os
import sys
from datetime import date, timedelta

from masthead_client import Masthead, types


def own_source(client: Masthead) -> str:
    """The id of the source of your shop. The sandbox does not charge its subscriptions itself."""
    found = [each["id"] for each in client.sources.list() if each["name"] == "Web shop"]
    if not found:
        sys.exit('Create it: masthead source create --account … --name "Web shop" --type shop')
    return found[0]


def subscribe(client: Masthead, source: str, email: str) -> types.Subscription:
    """An order of your shop: four issues from the next one on."""
    today = client.sandbox.get_clock()["day"]
    upcoming = [
        each for each in client.issues.list() if (each["release_date_actual"] or "") > today
    ]
    return client.subscriptions.create(
        source=source,
        order_id=f"test-{email}",
        order_date=today,
        start_issue=min(each["number"] for each in upcoming),
        length=4,
        email=email,
        first_name="Ada",
        country="DE",
        price="40.00",
        is_recurring=True,
    )


def renew(client: Masthead, source: str, due: types.Subscription, today: str) -> None:
    """What your shop does on the next charge date: charge, then send the renewal."""
    client.subscriptions.renew(
        due["id"],
        source=source,
        order_id=f"test-{due['id']}-{today}",  # the same if it is sent again
        order_date=today,
        price=due["price"] or "0.00",
    )


def play_year(client: Masthead, source: str) -> list[str]:
    """Move from charge to charge for a year; the days on which your shop renewed something."""
    day = date.fromisoformat(client.sandbox.get_clock()["day"])
    last, renewed = day + timedelta(days=365), list[str]()
    while day < last:
        tomorrow = (day + timedelta(days=1)).isoformat()
        for due in client.subscriptions.list(source=source, next_charge_before=tomorrow):
            renew(client, source, due, day.isoformat())
            renewed.append(day.isoformat())
        clock = client.sandbox.move_clock(next="charge")
        day = date.fromisoformat(clock["day"])
    return renewed


def main() -> None:
    """Play a year, and print what masthead has then."""
    with Masthead(os.environ["MASTHEAD_URL"], os.environ["MASTHEAD_KEY"]) as client:
        source = own_source(client)
        made = subscribe(client, source, "test@reader.test")
        renewed = play_year(client, source)
        now = client.subscriptions.get(made["id"])
        print(f"{now['status']}: {len(now['periods'])} orders, renewed on {', '.join(renewed)}")
        for email in client.sandbox.list_emails():
            print(f"{email['created_at'][:10]}  {email['recipient']}  {email['subject']}")
        sys.exit(0 if len(now["periods"]) == 2 else "The renewal is missing.")


if __name__ == "__main__":
    main()
