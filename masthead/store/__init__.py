"""The SQL of the service, a module for each resource. Functions take the id of the account."""
