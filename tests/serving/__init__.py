"""The server: sockets, limits, and how a worker stops."""
