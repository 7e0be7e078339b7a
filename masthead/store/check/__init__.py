"""The SQL of `masthead check`: for each invariant, a query for the rows that break it."""
