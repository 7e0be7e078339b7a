"""How the tests log, unless a test sets it otherwise."""

import structlog


def reset_logs() -> None:
    """Log to standard output, as structlog does by itself, but with tracebacks as Python has them.

    Its own ones show the code and all variables in colours, and each takes a fifth of a second.
    """
    structlog.reset_defaults()
    *others, _ = structlog.get_config()["processors"]
    plain = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*others, plain])
