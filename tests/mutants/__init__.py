"""tools/mutants, a package."""
