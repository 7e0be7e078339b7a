"""Write the copies that are to be sent into CSV files for the mailing house, each night.

    15 2 * * * MASTHEAD_URL=… MASTHEAD_KEY=… python mailing_house.py /srv/mailing-house

Each file has the copies of a dispatch run, which is then marked as sent. If the program stops in
the middle, start it again: it goes on with the same run, so nobody is forgotten, and nobody gets
two copies. Late orders are in the file of the next night. The first files have all copies of the
newest issues that are not marked as sent yet: mark what you have sent before.
"""

import csv
import datetime
import json
import os
import sys
import uuid
from pathlib import Path

from masthead_client import BadRequest, Masthead, types

NEWEST = 4  # the issues that late orders can begin with
COLUMNS = [
    *("key", "name", "company", "address1", "address2", "postcode", "city", "state"),
    *("country", "country_name"),
]


def export(client: Masthead, folder: Path, today: datetime.date) -> list[Path]:
    """Write a file for each of the newest issues that has copies to send. Returns their paths."""
    issues = [
        issue
        for issue in client.issues.list()
        if issue["release_date_actual"] and issue["release_date_actual"] <= today.isoformat()
    ]
    written = [send(client, folder, issue, today) for issue in issues[:NEWEST]]
    return [path for path in written if path]


def send(client: Masthead, folder: Path, issue: types.Issue, today: datetime.date) -> Path | None:
    """Write the file of a new run, or of the one that was begun; None if nothing is to be sent."""
    note = folder / f".issue-{issue['number']}.json"
    begun = json.loads(note.read_text()) if note.exists() else {"key": str(uuid.uuid4())}
    replace(note, json.dumps(begun))  # before the request, to send it again with the same key
    if "run" not in begun:
        try:
            run = client.dispatches.create(
                issue=issue["id"], media=["Print", "Print + digital"], idempotency_key=begun["key"]
            )
        except BadRequest as error:
            if error.code != "nothing_to_send":
                raise
            note.unlink()
            return None
        begun["run"] = run["id"]
        replace(note, json.dumps(begun))
    run = client.dispatches.get(begun["run"])
    path = folder / f"issue-{issue['number']}-run-{run['number']}.csv"
    write_lines(client, run, path)
    if run["status"] == "frozen":
        client.dispatches.mark_sent(run["id"], date=today)
    note.unlink()
    return path


def write_lines(client: Masthead, run: types.DispatchRunDetail, path: Path) -> None:
    """Write the lines of a run; they are the same each time."""
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8-sig", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, extrasaction="ignore")
        table.writeheader()
        for line in client.dispatches.list_lines(run["id"]):
            if line["status"] != "left":
                table.writerow(line)
    part.replace(path)  # the mailing house sees only complete files


def replace(path: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)


if __name__ == "__main__":
    with Masthead(os.environ["MASTHEAD_URL"], os.environ["MASTHEAD_KEY"]) as masthead:
        for file in export(masthead, Path(sys.argv[1]), datetime.datetime.now(datetime.UTC).date()):
            print(file)
