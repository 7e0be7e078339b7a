"""`masthead export`, and `masthead import` of a whole export."""
