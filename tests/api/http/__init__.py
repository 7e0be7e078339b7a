"""HTTP: framing, limits, bodies, headers and errors."""
