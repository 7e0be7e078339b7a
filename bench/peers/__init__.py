"""Other frameworks: the same responses from the same database, by an ORM.

Small, and tuned as their documents advise. Rules that are pure (names of countries, amounts, the
dates of charges, cursors) are masthead's own: what is compared is how rows become answers.
"""
