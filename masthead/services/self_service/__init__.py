"""What subscribers do themselves, by the services of the desk."""
