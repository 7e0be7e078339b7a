"""The migrations, which `store.engine.migrate` runs."""
