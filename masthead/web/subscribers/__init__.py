"""The pages of subscribers: lists, corrections, merges, duplicates and notes."""
