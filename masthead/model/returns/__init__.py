"""What carriers send back: their files, and their reports on copies. Pure, without a database."""
