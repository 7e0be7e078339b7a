"""The state of the work as metrics of Prometheus."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time

from masthead.metrics.text import Metric, Samples, sample
from masthead.services.monitoring.state import MOST, State

UP = Metric("masthead_database_up", "gauge", "1 if the database answers, else 0.")

_GAUGES: tuple[tuple[str, str, Callable[[State, datetime], float | None]], ...] = (
    ("masthead_accounts", "Active accounts.", lambda state, moment: state.accounts),
    (
        "masthead_copies_owed",
        "Copies of released issues that are not marked as sent.",
        lambda state, moment: state.copies_owed,
    ),
    (
        "masthead_copies_owed_age_seconds",
        "Seconds since the earliest release date of an issue with such copies.",
        lambda state, moment: _age(state.owed_since, moment) if state.copies_owed else 0,
    ),
    (
        "masthead_emails_waiting",
        f"Emails that wait or are being sent; counted up to {MOST}.",
        lambda state, moment: state.emails_waiting,
    ),
    (
        "masthead_emails_waiting_age_seconds",
        "Seconds since the first of them should have been sent.",
        lambda state, moment: _age(state.emails_due_at, moment) if state.emails_waiting else 0,
    ),
    (
        "masthead_emails_failed",
        f"Emails that masthead does not try to send again; counted up to {MOST}.",
        lambda state, moment: state.emails_failed,
    ),
    (
        "masthead_webhooks_waiting",
        "Events that wait to be sent, for each webhook, and messages that are tried again.",
        lambda state, moment: state.webhooks_waiting,
    ),
    (
        "masthead_webhooks_failed",
        f"Messages to webhooks that masthead does not try to send again; counted up to {MOST}.",
        lambda state, moment: state.webhooks_failed,
    ),
    (
        "masthead_daily_pass_timestamp_seconds",
        "The day of the last daily pass, of the account where it is the oldest, as Unix time.",
        lambda state, moment: _unix(state.daily_pass),
    ),
    (
        "masthead_verified_backup_timestamp_seconds",
        "When the newest backup was made that was found sound, as Unix time.",
        lambda state, moment: _unix(state.verified_backup),
    ),
    (
        "masthead_failed_backup_timestamp_seconds",
        "When a backup failed last, or was found damaged, as Unix time.",
        lambda state, moment: _unix(state.failed_backup),
    ),
    (
        "masthead_documents_outdated",
        f"Changes that the stored JSON of subscriptions does not show yet; counted up to {MOST}.",
        lambda state, moment: state.documents_outdated,
    ),
    (
        "masthead_database_size_bytes",
        "Size of the database on PostgreSQL's server; on Citus, of all nodes.",
        lambda state, moment: state.database_bytes,
    ),
    (
        "masthead_log_archived_timestamp_seconds",
        "When PostgreSQL last archived a file of its log, as Unix time.",
        lambda state, moment: _unix(state.log_archived),
    ),
    (
        "masthead_log_archive_failed_timestamp_seconds",
        "When PostgreSQL last failed to archive a file of its log, as Unix time.",
        lambda state, moment: _unix(state.log_not_archived),
    ),
    (
        "masthead_replica_lag_seconds",
        "Seconds by which the replica is behind the primary; none if it does not answer.",
        lambda state, moment: state.replica_lag,
    ),
)
LEASES = Metric(
    "masthead_lease_age_seconds",
    "gauge",
    "Seconds since the oldest lease of a kind of work should have been renewed; 0 while it is.",
)
NODES = Metric("masthead_citus_nodes", "gauge", "Nodes of Citus that have rows, by state.")
METRICS = (UP, *(Metric(name, "gauge", help) for name, help, _ in _GAUGES), LEASES, NODES)


def state_samples(state: State, moment: datetime) -> list[tuple[Metric, Samples]]:
    """The samples of the state; what is unknown has none."""
    found: list[tuple[Metric, Samples]] = [(UP, {UP.name: 1})]
    for name, help, value_of in _GAUGES:
        value = value_of(state, moment)
        found.append((Metric(name, "gauge", help), {} if value is None else {name: value}))
    found.append(
        (
            LEASES,
            {
                sample(LEASES.name, work=kind): _age(until, moment) or 0
                for kind, until in state.leases.items()
            },
        )
    )
    nodes = {sample(NODES.name, state=each): n for each, n in state.citus_nodes.items()}
    found.append((NODES, nodes))
    return found


def _age(since: date | datetime | None, moment: datetime) -> float | None:
    """Seconds since a moment, never negative; None if it is unknown."""
    began = _unix(since)
    return None if began is None else max(moment.timestamp() - began, 0.0)


def _unix(moment: date | datetime | None) -> float | None:
    """A moment, or the beginning of a day, as Unix time."""
    if moment is None or isinstance(moment, datetime):
        return None if moment is None else moment.timestamp()
    return datetime.combine(moment, time(), UTC).timestamp()
