"""The vocabulary: structs of what is asked and answered, and the pure rules. Knows nobody."""
