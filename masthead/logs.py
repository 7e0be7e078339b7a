"""Log to stderr: one JSON line an event, or text on a terminal."""

import logging
import sys
from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Protocol, TextIO, cast

import structlog


class LoggedRequest(Protocol):
    """A request whose log lines tell that they belong to it."""

    def log_fields(self) -> Mapping[str, object]:
        """What each of these lines tells about it."""
        ...


current_request: ContextVar[LoggedRequest | None] = ContextVar("current_request", default=None)


def _add_request(
    _logger: object, _method: str, event: structlog.types.EventDict
) -> structlog.types.EventDict:
    """Add the fields of the request that a line belongs to."""
    request = current_request.get()
    return event if request is None else {**event, **request.log_fields(), **event}


class _LogStream:
    """A stream that ignores errors: the log may be on the same full disk that it reports."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        """Write, if possible."""
        with suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        """Flush the buffer, if possible."""
        with suppress(OSError):
            self._stream.flush()


def configure_logging(level: str) -> None:
    """Log to stderr, including the logs of libraries: as text on a terminal, otherwise as JSON."""
    renderer: structlog.types.Processor = (
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
        if sys.stderr.isatty()
        else structlog.processors.JSONRenderer()
    )
    processors: list[structlog.types.Processor] = [
        _add_request,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*processors, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _LogStream(sys.stderr))),
        cache_logger_on_first_use=False,
    )
    libraries = logging.StreamHandler(sys.stderr)
    libraries.setFormatter(
        structlog.stdlib.ProcessorFormatter(processor=renderer, foreign_pre_chain=processors)
    )
    logging.basicConfig(handlers=[libraries], level=logging.WARNING)
