"""The servers that masthead is compared with: the same server without masthead's work."""
