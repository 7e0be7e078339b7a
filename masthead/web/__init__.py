"""The web area: the HTML pages for publishers and their staff."""
