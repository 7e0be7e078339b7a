"""The benchmark: ratios within one run, on the same data and machine. See docs/performance.md."""

import os

# Where this variable is set, Python compiles each module again for each process that is measured
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
