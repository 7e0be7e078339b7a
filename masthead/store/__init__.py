"""The SQL of the service: one module for each resource. Functions take the id of the account."""
