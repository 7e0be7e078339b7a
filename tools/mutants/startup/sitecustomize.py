"""Python imports this at its start: each process of a test gets the same code as the test."""

import os

if "MUTANTS_SAMPLE" in os.environ:
    from tools.mutants.code import install

    install()
