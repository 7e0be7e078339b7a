"""The test suite: the cast in `conftest`, what it makes in `factories`, one file per subject."""
