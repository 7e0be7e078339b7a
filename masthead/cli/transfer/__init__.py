"""Commands that move the data of an account in and out."""
