"""Pure rules of `masthead.model`, table-driven: no database, no clock."""
