"""What the errors of PostgreSQL and of its driver mean."""

import asyncpg

from masthead.store.engine.postgres.pool import PoolExhausted

# Two transactions were in the way of each other, or Citus moved the rows: the next attempt may work
CONFLICTS = asyncpg.DeadlockDetectedError, asyncpg.SerializationError
# A write is tried again, even if another transaction was faster: it then sees the other's rows
RETRIED = (*CONFLICTS, asyncpg.UniqueViolationError)


class ConnectionFailed(Exception):
    """The connection failed during a statement. reason: the error of the operating system."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(str(reason) or type(reason).__name__)


# The server has stopped or does not answer, so idle connections are useless too
CONNECTION_LOST = (
    OSError,  # TimeoutError too: while it connects, begins or commits
    ConnectionFailed,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # the server closed a new connection; a standby
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
)
BROKEN = (
    *CONNECTION_LOST,
    PoolExhausted,
    asyncpg.OperatorInterventionError,  # such as a statement timeout
    asyncpg.InsufficientResourcesError,  # disk, memory, connections
    asyncpg.PostgresSystemError,  # such as a disk that cannot be read
    asyncpg.IdleInTransactionSessionTimeoutError,
    # raised for new connections while the database is closed, deleted or not accessible
    asyncpg.ObjectNotInPrerequisiteStateError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidAuthorizationSpecificationError,
)
# The server refuses writes: it is read-only or no longer the primary, or the user may only read
READ_ONLY = (asyncpg.ReadOnlySQLTransactionError, asyncpg.InsufficientPrivilegeError)

# Citus copies the rows of an INSERT from a query to their node. If the node refuses them, Citus
# tells only the text of its error, as an internal error: these texts are those of an English server
_TEXTS: dict[str, type[asyncpg.PostgresError]] = {
    "canceling statement due to lock timeout": asyncpg.LockNotAvailableError,
    "canceling statement due to statement timeout": asyncpg.QueryCanceledError,
    "deadlock": asyncpg.DeadlockDetectedError,
    "duplicate key value violates unique constraint": asyncpg.UniqueViolationError,
    "violates check constraint": asyncpg.CheckViolationError,
    "violates foreign key constraint": asyncpg.ForeignKeyViolationError,
    "violates not-null constraint": asyncpg.NotNullViolationError,
}


def restore_kind(error: asyncpg.InternalServerError) -> asyncpg.PostgresError:
    """The error of a node of Citus by its text; the same error if the text is another one."""
    text = str(error)
    kind = next((kind for known, kind in _TEXTS.items() if known in text), None)
    return kind(text) if kind else error


def is_broken(error: BaseException) -> bool:
    """Whether a connection must not be used again after the error."""
    if isinstance(error, asyncpg.LockNotAvailableError):  # a subclass of an error in `BROKEN`
        return False
    return isinstance(error, BROKEN) or not isinstance(error, Exception)
