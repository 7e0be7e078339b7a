"""From results to docs/performance.md and its plots."""
