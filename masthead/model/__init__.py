"""Structs of requests and responses, types, and pure rules; no database and no HTTP."""
