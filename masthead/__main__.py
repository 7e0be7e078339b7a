"""Run the command line: `python -m masthead`."""

from masthead.cli import main

main()
