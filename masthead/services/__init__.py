"""The functions that change data. Each checks its rules and writes in one transaction."""
