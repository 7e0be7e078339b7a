"""`masthead init`: the settings, the units of systemd and the first account."""
