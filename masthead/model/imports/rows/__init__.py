"""A row of a table becomes the fields of an order, by a mapping that is compiled once."""
