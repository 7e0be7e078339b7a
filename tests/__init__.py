"""The test suite: fixtures in `conftest`, records in `factories`, and one file per subject."""
