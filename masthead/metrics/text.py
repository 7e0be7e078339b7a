"""The text format of Prometheus, version 0.0.4."""

from collections.abc import Iterable, Mapping
from typing import Literal

from msgspec import Struct

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Samples = Mapping[str, float]  # by their names with labels


class Metric(Struct, frozen=True):
    """A metric: its name, its type, and a line that explains it."""

    name: str
    type: Literal["counter", "gauge", "histogram"]
    help: str


def sample(name: str, **labels: str) -> str:
    """The name of a sample with its labels, as the format has it."""
    if not labels:
        return name
    pairs = ",".join(f'{key}="{_escaped(value)}"' for key, value in labels.items())
    return f"{name}{{{pairs}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def write_text(metrics: Iterable[tuple[Metric, Samples]]) -> str:
    """The text of metrics; those without samples are left out."""
    lines = []
    for metric, samples in metrics:
        if samples:
            lines.append(f"# HELP {metric.name} {metric.help}")
            lines.append(f"# TYPE {metric.name} {metric.type}")
            lines += [f"{name} {_number(value)}" for name, value in samples.items()]
    return "".join(f"{line}\n" for line in lines)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(float(value))
