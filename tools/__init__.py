"""Programs for the development of masthead; the Makefile runs most of them."""
