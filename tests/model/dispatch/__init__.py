"""The pure rules of sending out an issue."""
