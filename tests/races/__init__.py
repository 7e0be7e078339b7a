"""Several writers at one thing, each race with a control that loses it."""
