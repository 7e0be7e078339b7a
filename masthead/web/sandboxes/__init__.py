"""Pages of sandboxes: create one, move its clock, reset and delete it; the emails that it kept."""
