"""Phone numbers in one form, so that different spellings of a number compare as equal.

`+49 30 123456`, `0049 30 123456`, `030/123456` and `(030) 12 34 56` are one number in Germany.
"""

import re
from collections.abc import Iterator

MIN_DIGITS = 7  # with fewer, it is no whole number
_NOT_DIGITS = re.compile("[^0-9]")
_INTERNATIONAL = re.compile(r"\s*\(?(?:\+|00)")
# Calling codes and their countries. No code is the beginning of another one
_CODES = {
    "1": "AG AI AS BB BM BS CA DM DO GD GU JM KN KY LC MP MS PR SX TC TT US VC VG VI",
    "7": "KZ RU",
    "20": "EG",
    "27": "ZA",
    "30": "GR",
    "31": "NL",
    "32": "BE",
    "33": "FR",
    "34": "ES",
    "36": "HU",
    "39": "IT VA",
    "40": "RO",
    "41": "CH",
    "43": "AT",
    "44": "GB GG IM JE",
    "45": "DK",
    "46": "SE",
    "47": "NO SJ",
    "48": "PL",
    "49": "DE",
    "51": "PE",
    "52": "MX",
    "53": "CU",
    "54": "AR",
    "55": "BR",
    "56": "CL",
    "57": "CO",
    "58": "VE",
    "60": "MY",
    "61": "AU CC CX",
    "62": "ID",
    "63": "PH",
    "64": "NZ",
    "65": "SG",
    "66": "TH",
    "81": "JP",
    "82": "KR",
    "84": "VN",
    "86": "CN",
    "90": "TR",
    "91": "IN",
    "92": "PK",
    "93": "AF",
    "94": "LK",
    "95": "MM",
    "98": "IR",
    "211": "SS",
    "212": "EH MA",
    "213": "DZ",
    "216": "TN",
    "218": "LY",
    "220": "GM",
    "221": "SN",
    "222": "MR",
    "223": "ML",
    "224": "GN",
    "225": "CI",
    "226": "BF",
    "227": "NE",
    "228": "TG",
    "229": "BJ",
    "230": "MU",
    "231": "LR",
    "232": "SL",
    "233": "GH",
    "234": "NG",
    "235": "TD",
    "236": "CF",
    "237": "CM",
    "238": "CV",
    "239": "ST",
    "240": "GQ",
    "241": "GA",
    "242": "CG",
    "243": "CD",
    "244": "AO",
    "245": "GW",
    "246": "IO",
    "248": "SC",
    "249": "SD",
    "250": "RW",
    "251": "ET",
    "252": "SO",
    "253": "DJ",
    "254": "KE",
    "255": "TZ",
    "256": "UG",
    "257": "BI",
    "258": "MZ",
    "260": "ZM",
    "261": "MG",
    "262": "RE YT",
    "263": "ZW",
    "264": "NA",
    "265": "MW",
    "266": "LS",
    "267": "BW",
    "268": "SZ",
    "269": "KM",
    "290": "SH",
    "291": "ER",
    "297": "AW",
    "298": "FO",
    "299": "GL",
    "350": "GI",
    "351": "PT",
    "352": "LU",
    "353": "IE",
    "354": "IS",
    "355": "AL",
    "356": "MT",
    "357": "CY",
    "358": "AX FI",
    "359": "BG",
    "370": "LT",
    "371": "LV",
    "372": "EE",
    "373": "MD",
    "374": "AM",
    "375": "BY",
    "376": "AD",
    "377": "MC",
    "378": "SM",
    "380": "UA",
    "381": "RS",
    "382": "ME",
    "383": "XK",
    "385": "HR",
    "386": "SI",
    "387": "BA",
    "389": "MK",
    "420": "CZ",
    "421": "SK",
    "423": "LI",
}
_CODE_OF = {country: code for code, countries in _CODES.items() for country in countries.split()}


def digits_of(phone: str | None) -> str:
    """The digits of a phone number."""
    return _NOT_DIGITS.sub("", phone or "")


def significant_digits(phone: str, *, least: int = MIN_DIGITS) -> str:
    """The digits that every spelling of a phone number has; empty if there are too few.

    These are the digits after the code of the country and the zero before that of the town.
    """
    digits = digits_of(phone)
    if len(digits) < least:
        return ""
    return _split(phone, digits)[1] if _INTERNATIONAL.match(phone) else digits.lstrip("0")


def phone_keys(phone: str | None, *countries: str | None) -> frozenset[str]:
    """The phone number with the code of its country, in digits only; empty if it is too short.

    countries: those that a number without a code may be of, such as that of the address and that
    of the publisher; there may be a key for each. If none is known, the key has no code.
    """
    digits = digits_of(phone)
    if phone is None or len(digits) < MIN_DIGITS:
        return frozenset()
    if _INTERNATIONAL.match(phone):
        return frozenset({"".join(_split(phone, digits))})
    codes = {_CODE_OF[country] for country in countries if country in _CODE_OF}
    return frozenset(f"{code}{_national(digits, code)}" for code in codes or {""})


def _split(phone: str, digits: str) -> tuple[str, str]:
    """The code of the country and the rest of a number that begins with a code."""
    whole = digits if "+" in phone else digits.removeprefix("00")
    code = next(
        (each for each in _beginnings(whole) if each in _CODES),
        whole[:3],  # all codes that are not listed have three digits
    )
    return code, _national(whole[len(code) :], code)


def _beginnings(digits: str) -> Iterator[str]:
    yield from (digits[:length] for length in (1, 2, 3))


def _national(digits: str, code: str) -> str:
    """The number without what is dialled before it within the country."""
    if code == "36" and digits.startswith("06"):
        return digits[2:]
    if code in ("1", "7") and len(digits) == len("18005551234") and digits[0] in "178":
        return digits[1:]
    is_whole = not digits.startswith("0") and code and digits.startswith(code)
    if is_whole and len(digits) >= len(code) + MIN_DIGITS + 1:
        return digits[len(code) :].lstrip("0")  # with the code, but without a plus
    return digits.lstrip("0")
