"""Races: the two writers, their rounds, and what each must leave."""
