"""The steps from an empty database to today's; `store.migrate` runs them."""
