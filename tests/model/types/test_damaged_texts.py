"""Texts that nobody typed, and texts that only look like them."""

from masthead.model.types.damaged_texts import (
    Damage,
    DamageKind,
    find_damage,
    list_suspects,
    may_be_damaged,
    repair_texts,
)
from tests.support.cases import for_each

ENTITIES, TWICE, EMPTY = DamageKind.ENTITIES, DamageKind.ENCODED_TWICE, DamageKind.EMPTY
ERROR, LOST, DATE = DamageKind.ERROR, DamageKind.LOST, DamageKind.DATE
TIME = DamageKind.TIME
NOTHING, INVISIBLE = DamageKind.NOTHING, DamageKind.INVISIBLE


DAMAGED: list[tuple[str, str, DamageKind, str | None]] = [
    ("company", "Kel&#039;s Guitars", ENTITIES, "Kel's Guitars"),
    ("city", "K&OUML;LN", ENTITIES, "KÖLN"),
    ("city", "K&ouml;ln", ENTITIES, "Köln"),
    ("address1", "Stra&szlig;e 1", ENTITIES, "Straße 1"),
    ("last_name", "O&#8217;Brien", ENTITIES, "O’Brien"),
    ("last_name", "Jones &amp;amp; Co", ENTITIES, "Jones & Co"),
    ("address1", "St James&#x27;s", ENTITIES, "St James's"),
    ("address1", "1 &nbsp;High St", ENTITIES, "1 High St"),
    ("company", "Smith &quot;Best&quot; Ltd", ENTITIES, 'Smith "Best" Ltd'),
    ("city", "KÃ¶ln", TWICE, "Köln"),
    ("city", "KÃƒÂ¶ln", TWICE, "Köln"),
    ("city", "KÃ–LN", TWICE, "KÖLN"),
    ("last_name", "Oâ€™Brien", TWICE, "O’Brien"),
    ("last_name", "Ã–sterberg", TWICE, "Österberg"),
    ("city", "Ã…rhus", TWICE, "Århus"),
    ("address1", "StraÃŸe 1 â€“ Hof", TWICE, "Straße 1 – Hof"),
    ("city", "Å\x81Ã³dÅº", TWICE, "Łódź"),
    ("city", "citÃ\xa0", TWICE, "cità"),
    ("city", "citÃ", TWICE, "cità"),
    ("company", "NULL", EMPTY, ""),
    ("phone", "null", EMPTY, ""),
    ("address2", r"\N", EMPTY, ""),
    ("last_name", r"\N", EMPTY, ""),
    ("first_name", "undefined", EMPTY, ""),
    ("address1", "[object Object]", EMPTY, ""),
    ("full_name", "undefined undefined", EMPTY, ""),
    ("phone", "NaN", EMPTY, ""),
    ("address2", "#N/A", EMPTY, ""),
    ("address2", "#NV", EMPTY, ""),
    ("last_name", "NULL", EMPTY, None),
    *(("last_name", text, EMPTY, None) for text in ("null", "None", "none", "nan")),
    *(("city", text, EMPTY, "") for text in ("none", "nan", "N/A", "n/a")),
    *((field, "None", EMPTY, "") for field in ("address1", "state", "phone", "company")),
    ("last_name", "n/a", EMPTY, ""),
    ("city", "#REF!", ERROR, None),
    ("city", "#BEZUG!", ERROR, None),
    ("city", "#NAME?", ERROR, None),
    ("company", "#¡VALOR!", ERROR, None),
    *(("city", f"#{error}", ERROR, None) for error in "NÁZEV? ARG! ИМЯ? GETAL! ÉRTÉK!".split()),
    *(("address2", f"#{error}", EMPTY, "") for error in "SAKNAS! I/T Н/Д N/D!".split()),
    ("address1", "#######", ERROR, None),
    ("address1", "Err:502", ERROR, None),
    ("city", "K\ufffdln", LOST, None),
    ("address1", "2026-01-15", DATE, None),
    ("city", "2026-01-15 10:00:00", DATE, None),
    ("last_name", "15.01.2026", DATE, None),
    ("phone", "1/15/2026 9:30 PM", DATE, None),
    ("address1", "15-Jan", DATE, None),
    ("city", "28-Feb-26", DATE, None),
    ("address1", "May-12", DATE, None),
    ("address1", "05. Dez", DATE, None),
    ("address1", "12:00:00", TIME, None),
    ("city", "9:05:00 am", TIME, None),
    ("last_name", "M\xfcl\xadler", INVISIBLE, "Müller"),
    ("last_name", "Schu\u200bster", INVISIBLE, "Schuster"),
    ("last_name", "\u202eKlein", INVISIBLE, "Klein"),
    ("last_name", "Ro\x1bt", INVISIBLE, "Ro t"),
    ("address1", "Weg 1\x0bHof", INVISIBLE, "Weg 1\nHof"),
    *(("city", f"Bad{sign}Ems", INVISIBLE, "Bad Ems") for sign in "\x0b\x0c\x1d\x85\u2028\u2029"),
    ("city", "--", NOTHING, ""),
    ("address1", ".", NOTHING, ""),
    ("address1", "____", NOTHING, ""),
    ("address1", "– …", NOTHING, ""),
]


@for_each("field, text, kind, meant", DAMAGED)
def test_text_that_nobody_typed_is_found(
    field: str, text: str, kind: DamageKind, meant: str | None
) -> None:
    damage = find_damage(field, text)
    assert damage is not None
    assert (damage.kind, damage.meant) == (kind, meant)
    assert kind in (DATE, TIME) or may_be_damaged(["Ada", text, "1"])


def test_the_suspects_among_many_rows_are_found() -> None:
    rows: list[list[str | None]] = []
    for _field, text, *_rest in DAMAGED:
        rows += [["Ada", None, "AT", "1"], ["Bo", text, None, "Weg 1", "10115"], [None, "", "Ulm"]]
    assert list(list_suspects(rows)) == list(range(1, len(rows), 3))
    assert list(list_suspects([])) == []


@for_each(
    "field, text",
    [
        *(("last_name", "Null"), ("last_name", "McNull"), ("company", "Null GmbH")),
        *(("city", "Nan"), ("first_name", "Nan"), ("last_name", "Nil"), ("address1", "NA")),
        *(("city", "NA"), ("state", "NA"), ("company", "None GmbH"), ("last_name", "Hernandez")),
        *(("company", "AT&T"), ("company", "R&D <Labs>"), ("company", "Marks & Spencer; Ltd")),
        *(
            ("company", "Copy &copy Street"),
            ("company", "Q&A;"),
            ("company", "P&QX; Ltd"),
            ("company", "Bar â™¥ Café"),
            ("company", "B&B; Hotel"),
        ),
        *(("city", "SÃO PAULO"), ("last_name", "IRMÃ\xa0JOSEFA"), ("company", "“SMÅ”")),
        *(("company", "CAFÉ’S"), ("company", "„MENÜ“"), ("city", "Köln"), ("city", "Łódź")),
        *(("city", "Åbenrå"), ("last_name", "Ängström"), ("company", "Ä–Z"), ("city", "Âu Cơ")),
        *(("city", "😀"), ("address1", "?!漢")),
        *(("company", "10.10.2010"), ("address1", "Straße des 8. Mai 45"), ("city", "1. Mai")),
        *(("company", "#MACHMIT!"), ("last_name", "Mai-Berg"), ("address1", "12. Maigasse")),
        *(("address1", "4-Jan-van-Eyck-Straat"), ("phone", "01.42.34.56.78"), ("address1", "#12")),
        *(
            ("phone", "030/1234567"),
            ("address1", "12/1-4"),
            ("last_name", "می\u200cرزا"),
            ("last_name", ""),
        ),
    ],
)
def test_what_a_person_may_have_typed_stays(field: str, text: str) -> None:
    assert find_damage(field, text) is None


@for_each(
    "country, damage",
    [("", Damage(EMPTY, None)), ("DE", Damage(EMPTY, "")), ("IT", None)],
)
def test_a_town_is_called_none(country: str, damage: Damage | None) -> None:
    assert find_damage("city", "None", country) == damage


def test_only_names_and_addresses_have_these_words_for_nothing() -> None:
    for text in ("None", "none", "nan", "N/A", "n/a"):
        assert find_damage("address2", text) == Damage(EMPTY, "")
        assert may_be_damaged(["Ada", f"{text} ", "1"])
        assert find_damage("promo_code", text) is None


def test_what_is_lost_is_refused_and_the_rest_repaired() -> None:
    given = {
        "first_name": " Kel&#039;s ",
        "city": "#REF!",
        "last_name": "NULL",
        "state": "A\xadB",
        "address1": "\xa015.01.2026",
        "address2": "&nbsp;\u200bNULL",
        "company": "NULL",
        "postcode": 1,
        "notes": "&amp;",
    }
    repaired, lost = repair_texts(given, [*given.keys() - {"notes"}])
    assert repaired.pop("company") == ""
    assert repaired == {"first_name": "Kel's", "last_name": "", "address2": "", "state": "AB"}
    assert sorted((each.field, str(each)) for each in lost) == [
        ("address1", "`address1` is `15.01.2026`, which is a date. Correct it, or leave it empty."),
        (
            "city",
            "`city` is `#REF!`, which is an error of a spreadsheet. Correct it, or leave it empty.",
        ),
    ]
    assert repair_texts({"first_name": "Ada", "last_name": "null"}, given) == ({}, [])


def test_a_quick_look_at_all_texts_finds_each_that_is_damaged() -> None:
    for field, text, kind, meant in DAMAGED:
        given = {field: f"\t{text} ", "phone2": "+49 30 12"}
        repaired, lost = repair_texts(given, given)
        if meant is not None:
            assert (repaired, lost) == ({field: meant}, [])
        else:
            assert len(lost) == (kind is not EMPTY), text
