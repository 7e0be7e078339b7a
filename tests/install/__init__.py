"""What an operator installs: distributions, the image and the Compose files."""
