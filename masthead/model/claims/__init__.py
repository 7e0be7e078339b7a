"""Claims of copies that never came, and the limit on replacements. Pure, without a database."""
