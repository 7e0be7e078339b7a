# ruff: noqa: S608 - our own names and numbers
"""Runs, renewal letters, claims, what subscribers did, emails, and the audit trail, by SQL."""

from collections.abc import Iterator

import msgspec

from bench.data import COUNTRIES, RARE_COUNTRY
from bench.large.billing import Statement
from bench.large.statements import Sizes
from masthead.model.dispatch.address_layout import build_layout
from masthead.store.dispatch.fingerprints import MARK

BATCH = 500  # letters of a batch
OLD_ADDRESS = (
    '{"address1": "1 Mill Lane", "address2": null, "city": "Ulm", "state": null, '
    '"postcode": "89073", "country": "DE"}'
)
RUN_ISSUES = 10  # whose runs have their lines


def statements(sizes: Sizes, newest_sent: int) -> Iterator[Statement]:
    """All statements, in their order. newest_sent: the number of the newest issue that is out."""
    for each in (_letters, _returns, _requests, _trail):
        for sql in each(sizes):
            yield sql, {"account_id": sizes.account_id}
    for sql in _runs(sizes, newest_sent - RUN_ISSUES):
        layout = {"layout": _layout()} if ":layout" in sql else {}
        yield sql, {"account_id": sizes.account_id, **layout}


def _layout() -> str:
    """The address formats of all countries that the data has, as a run keeps them."""
    countries = build_layout([*COUNTRIES, RARE_COUNTRY], "DE")
    return msgspec.json.encode(countries).decode()


def _letters(sizes: Sizes) -> Iterator[str]:
    yield f"""
        INSERT INTO letter_batch (
            account_id, id, stage, channel, issue_number, letters, created_at, actor_kind, actor_id
        )
        SELECT
            :account_id, {sizes.id("7", "(v.n - 1)")},
            CASE WHEN v.n % 2 = 0 THEN 'before' ELSE 'last' END, 'email', 1 + v.n % 34, {BATCH},
            d.made_at, {sizes.by}
        FROM bench_number v
        JOIN bench_day d ON d.n = v.n * {sizes.days} / {sizes.letters // BATCH + 1}
        WHERE v.n <= {sizes.letters // BATCH + 1}
    """
    yield f"""
        INSERT INTO renewal_letter (
            account_id, id, batch_id, period_id, stage, channel, status, subscription_id,
            subscriber_id, subject, body, created_at, ended_at
        )
        SELECT
            :account_id, {sizes.id("8", "b.n")}, {sizes.id("7", f"(b.n / {BATCH})")}, b.period_id,
            CASE WHEN b.n / {BATCH} % 2 = 1 THEN 'before' ELSE 'last' END, 'email', 'sent',
            b.subscription_id, b.subscriber_id, 'Renew your subscription',
            'Dear reader, your subscription ends soon.', d.made_at, d.made_at
        FROM bench_person b
        JOIN bench_day d ON d.n = b.n % {sizes.days}
        WHERE b.n <= {sizes.letters}
    """
    yield f"""
        INSERT INTO outbox (
            account_id, id, letter_id, message_id, recipient, subject, body, status, attempts,
            created_at, next_attempt_at, sent_at, subscriber_id
        )
        SELECT
            :account_id, {sizes.id("8", "b.n")}, {sizes.id("8", "b.n")},
            'm' || CAST(b.n AS text), 'reader@example.test',
            'Renew your subscription', 'Dear reader, your subscription ends soon.', 'sent', 1,
            d.made_at, d.made_at, d.made_at, b.subscriber_id
        FROM bench_person b
        JOIN bench_day d ON d.n = b.n % {sizes.days}
        WHERE b.n <= {sizes.letters}
    """
    yield """
        UPDATE letter_batch
        SET letters = (
            SELECT count(*)
            FROM renewal_letter l
            WHERE l.account_id = :account_id AND l.batch_id = letter_batch.id
        )
        WHERE account_id = :account_id
    """


def _returns(sizes: Sizes) -> Iterator[str]:
    """Of one copy in 50, a claim; of one in 200, a delivery report. Few are open."""
    yield f"""
        INSERT INTO claim (
            account_id, id, copy_id, subscription_id, subscriber_id, issue_number, country, reason,
            wants_replacement, status, created_at, actor_kind, actor_id, closed_at
        )
        SELECT
            :account_id, {sizes.id("C", "(c.id % 1000000000)")}, c.id, c.subscription_id,
            c.subscriber_id, c.issue_number, c.country,
            CASE WHEN c.id % 3 = 0 THEN 'damaged' ELSE 'never_arrived' END, c.id % 5000 = 0,
            CASE WHEN c.id % 5000 = 0 THEN 'open' ELSE 'closed' END, d.made_at, {sizes.by},
            CASE WHEN c.id % 5000 <> 0 THEN d.made_at END
        FROM copy c
        JOIN bench_day d ON d.n = c.id % {sizes.days}
        WHERE c.account_id = :account_id AND c.id % 50 = 0 AND c.status = 'Sent'
    """
    yield f"""
        INSERT INTO delivery_report (
            account_id, id, kind, status, copy_id, subscription_id, subscriber_id, issue_number,
            reason, old_address, created_at, actor_kind, actor_id, resolved_at
        )
        SELECT
            :account_id, {sizes.id("E", "(c.id % 1000000000)")}, 'undeliverable',
            CASE WHEN c.id % 4000 = 3 THEN 'open' ELSE 'corrected' END, c.id, c.subscription_id,
            c.subscriber_id, c.issue_number, 'unknown', '{OLD_ADDRESS}', d.made_at, {sizes.by},
            CASE WHEN c.id % 4000 <> 3 THEN d.made_at END
        FROM copy c
        JOIN bench_day d ON d.n = c.id % {sizes.days}
        WHERE c.account_id = :account_id AND c.id % 200 = 3 AND c.status = 'Sent'
    """


def _requests(sizes: Sizes) -> Iterator[str]:
    yield f"""
        INSERT INTO subscriber_request (
            account_id, id, subscriber_id, action, status, created_at, closed_at
        )
        SELECT
            :account_id, {sizes.id("Q", "b.n")}, b.subscriber_id,
            CASE WHEN b.n % 250 = 0 THEN 'erasure' ELSE 'address' END,
            CASE WHEN b.n % 250 = 0 THEN 'waiting' ELSE 'done' END, d.made_at,
            CASE WHEN b.n % 250 <> 0 THEN d.made_at END
        FROM bench_person b
        JOIN bench_day d ON d.n = b.n * {sizes.days} / {sizes.requests}
        WHERE b.n < {sizes.requests}
    """


def _trail(sizes: Sizes) -> Iterator[str]:
    """An entry for every invoice, and changes of subscriptions."""
    last = "(SELECT {} FROM account_state WHERE account_id = :account_id)"
    yield f"""
        INSERT INTO audit (
            account_id, id, happened_at, actor_kind, actor_id, action, subject_type, subject_id,
            before, after
        )
        SELECT
            :account_id, {last.format("last_entry")} + v.n, d.made_at, {sizes.by},
            CASE WHEN v.n % 2 = 0 THEN 'invoice.issue' ELSE 'subscription.update' END,
            CASE WHEN v.n % 2 = 0 THEN 'invoice' ELSE 'subscription' END,
            CASE WHEN v.n % 2 = 0 THEN {sizes.id("V", "v.n")} ELSE b.subscription_id END,
            CASE WHEN v.n % 2 = 1 THEN '{{"notes": null}}' END,
            CASE WHEN v.n % 2 = 0 THEN '{{"number": "B-1"}}' ELSE '{{"notes": "called"}}' END
        FROM bench_number v
        JOIN bench_person b ON b.n = 1 + v.n % {sizes.persons}
        JOIN bench_day d ON d.n = v.n * {sizes.days} / {sizes.entries}
        WHERE v.n <= {sizes.entries}
    """
    yield f"""
        INSERT INTO event (
            account_id, number, type, record_id, happened_at, actor_kind, actor_id
        )
        SELECT
            :account_id, {last.format("last_event")} + v.n,
            CASE WHEN v.n % 2 = 0 THEN 'invoice.created' ELSE 'subscription.updated' END,
            CASE WHEN v.n % 2 = 0 THEN {sizes.id("V", "v.n")} ELSE b.subscription_id END,
            d.made_at, {sizes.by}
        FROM bench_number v
        JOIN bench_person b ON b.n = 1 + v.n % {sizes.persons}
        JOIN bench_day d ON d.n = v.n * {sizes.days} / {sizes.entries}
        WHERE v.n <= {sizes.entries}
    """
    yield f"""
        UPDATE account_state
        SET last_entry = last_entry + {sizes.entries}, last_event = last_event + {sizes.entries}
        WHERE account_id = :account_id
    """


def _runs(sizes: Sizes, after: int) -> Iterator[str]:
    """Runs of the newest issues that are out, with their lines."""
    yield f"""
        INSERT INTO dispatch (
            account_id, id, issue_id, issue_number, number, status, selection, layout, first_line,
            lines, copies, replacements, fingerprint, date_sent, created_at, actor_kind, actor_id,
            marked_at
        )
        SELECT
            :account_id, {sizes.id("9", "i.number")}, i.id, i.number, 1, 'marked', '{{}}',
            :layout, 1, 0, 0, 0, '{MARK}', i.release_date_actual,
            d.made_at, {sizes.by}, d.made_at
        FROM issue i
        JOIN bench_day d ON d.n = i.number % 36 * 29
        WHERE i.account_id = :account_id
          AND i.number > {after}
          AND i.number <= {after + RUN_ISSUES}
    """
    of_run = f"""
        c.account_id = :account_id
        AND c.issue_number > {after}
        AND c.issue_number <= {after + RUN_ISSUES}
        AND c.status = 'Sent'
    """
    yield f"""
        UPDATE copy AS c
        SET dispatch_id = {sizes.id("9", "c.issue_number")}
        WHERE {of_run}
    """
    yield f"""
        INSERT INTO dispatch_line (
            account_id, id, dispatch_id, copy_id, claim_id, subscription_id, subscriber_id,
            issue_number, medium, first_name, last_name, company, address1, address2, city, state,
            postcode, country, status
        )
        SELECT
            :account_id, row_number() OVER (ORDER BY c.issue_number, c.id), c.dispatch_id, c.id, '',
            c.subscription_id, c.subscriber_id, c.issue_number, s.medium, s.first_name, s.last_name,
            s.company, s.address1, s.address2, s.city, s.state, s.postcode, s.country, 'sent'
        FROM copy c
        JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
        WHERE {of_run}
    """
    yield """
        UPDATE account_state
        SET last_line = (SELECT count(*) FROM dispatch_line WHERE account_id = :account_id)
        WHERE account_id = :account_id
    """
    counted = """
        SELECT count(*)
        FROM dispatch_line l
        WHERE l.account_id = :account_id AND l.dispatch_id = dispatch.id
    """
    yield f"""
        UPDATE dispatch
        SET lines = ({counted}),
            copies = ({counted}),
            first_line = coalesce((
                SELECT min(l.id)
                FROM dispatch_line l
                WHERE l.account_id = :account_id AND l.dispatch_id = dispatch.id
            ), 1)
        WHERE account_id = :account_id
    """
