"""The SQL of dispatch runs: what they can take, their lines, files and export profiles."""
