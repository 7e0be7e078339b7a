"""The steps from an empty database to today's; `store.engine.migrate` runs them."""
