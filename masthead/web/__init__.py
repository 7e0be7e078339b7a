"""The web door: the publisher's own pages, written as HTML by the server."""
