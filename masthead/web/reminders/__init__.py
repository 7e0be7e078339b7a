"""The pages of reminders: what is due, rounds to check and send, and what was agreed."""
