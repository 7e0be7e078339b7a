"""The types of single values: enums, money, text, countries, and fields made of them."""
