"""How long things took, counted by duration."""

from bisect import bisect_left

from masthead.metrics.text import sample

BOUNDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SUM = len(BOUNDS) + 1  # the cell of the sum, after those of the bounds and of what took longer
WIDTH = SUM + 1  # cells of a histogram
LABELS = (*(f"{bound:g}" for bound in BOUNDS), "+Inf")


class Histogram:
    """Durations in seconds, counted in this process by one thread."""

    def __init__(self) -> None:
        self.cells = [0.0] * WIDTH

    def observe(self, seconds: float) -> None:
        """Count one."""
        self.cells[bisect_left(BOUNDS, seconds)] += 1
        self.cells[SUM] += seconds


def histogram_samples(name: str, cells: "list[float]", **labels: str) -> dict[str, float]:
    """The samples of a histogram; its buckets include the smaller ones."""
    samples, count = dict[str, float](), 0.0
    for bound, found in zip(LABELS, cells, strict=False):
        count += found
        samples[sample(f"{name}_bucket", **labels, le=bound)] = count
    samples[sample(f"{name}_sum", **labels)] = cells[SUM]
    samples[sample(f"{name}_count", **labels)] = count
    return samples
