"""The server is stopped or killed, and starts again."""
