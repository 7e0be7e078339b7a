"""Symbols and words for currencies, as people write them beside amounts."""

from collections.abc import Collection

from masthead.model.types.money import CURRENCIES

_DOLLARS = "USD CAD AUD NZD SGD HKD MXN BRL ARS CLP COP TWD UYU JMD TTD BSD BBD FJD NAD"
# Symbols and words in lower case, without a point at the end, and the currencies that they can mean
_MEANINGS = (
    ("$ dollar dollars", _DOLLARS),
    ("€ euro euros €uro", "EUR"),
    ("£ pound pounds", "GBP EGP LBP SHP FKP GIP SSP"),
    ("¥ ￥", "JPY CNY"),
    ("₺ tl", "TRY"),
    ("zł zl złoty złotych zloty zlotych", "PLN"),
    ("kč kc", "CZK"),
    ("ft forint", "HUF"),
    ("kr kroner kronor", "SEK NOK DKK ISK"),
    ("fr sfr franken", "CHF"),
    ("lei leu", "RON MDL"),
    ("rs", "INR PKR LKR NPR MUR SCR"),
    ("us$ usdollar usdollars", "USD"),
    ("ca$ c$", "CAD"),
    ("a$ au$", "AUD"),
    ("nz$", "NZD"),
    ("hk$", "HKD"),
    ("mx$", "MXN"),
    ("s$", "SGD"),
    ("nt$", "TWD"),
    ("r$", "BRL"),
    ("r", "ZAR"),
    ("₹", "INR"),
    ("₽", "RUB"),
    ("₩", "KRW"),
    ("₪", "ILS"),
    ("₴", "UAH"),
    ("₫", "VND"),
    ("฿", "THB"),
)
_CURRENCIES = {word: codes.split() for words, codes in _MEANINGS for word in words.split()}


def currencies_of(symbol: str) -> Collection[str]:
    """The currencies that a symbol, a word or a code beside an amount can mean; maybe none.

    symbol: without blanks, as in `€`, `Euro`, `kr.` or `USD$`.
    """
    key = symbol.lower().rstrip(".")
    if found := _CURRENCIES.get(key):
        return found
    code = key.upper()
    if "$" in code and code.strip("$") in _DOLLARS.split():
        return [code.strip("$")]
    return [code] if code in CURRENCIES else []
