"""How long a test waits for an event that always comes, such as the start of a server."""

# Ends a wait in which something hangs, before pytest ends the test. It is no deadline: no test
# judges masthead by it, and a machine on which everything takes ten times as long keeps to it
PATIENCE = 240.0  # seconds
