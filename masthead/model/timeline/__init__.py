"""The issues of a subscriber: whether they got each one, and why not."""
