"""Disks that fail, files that disappear and power that is cut: what was answered stays."""
