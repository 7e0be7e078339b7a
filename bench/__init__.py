"""The benchmark: ratios within one run, on the same data and machine. See docs/performance.md."""
