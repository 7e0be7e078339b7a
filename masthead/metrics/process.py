"""The numbers of this process, and which masthead it runs."""

import os
import platform
import resource
import time
from contextlib import suppress
from pathlib import Path

from masthead import __version__
from masthead.metrics.text import Metric, Samples, sample

BUILD = Metric(
    "masthead_build_info",
    "gauge",
    "Always 1; the labels are the versions of masthead and Python, and the kind of database.",
)

_STARTED = time.time()
_STATM, _OPEN_FILES = Path("/proc/self/statm"), Path("/proc/self/fd")


def build_samples(database: str) -> Samples:
    """The sample of this masthead. database: its kind."""
    python = platform.python_version()
    return {sample(BUILD.name, version=__version__, python=python, database=database): 1}


def process_figures() -> Samples:
    """The numbers of this process; those of memory and files only where there is `/proc`."""
    most_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    figures: dict[str, float] = {
        "masthead_process_cpu_seconds_total": time.process_time(),
        "masthead_process_start_time_seconds": _STARTED,
        "masthead_process_max_fds": most_files,
    }
    with suppress(OSError):
        pages = int(_STATM.read_text().split()[1])
        figures["masthead_process_resident_memory_bytes"] = pages * resource.getpagesize()
        figures["masthead_process_open_fds"] = len(os.listdir(_OPEN_FILES))
    return figures
