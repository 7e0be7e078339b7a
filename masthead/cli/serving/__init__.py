"""What `masthead serve` listens on."""
