"""The figures of the workers for `/metrics`: counted in shared memory, written as text."""
