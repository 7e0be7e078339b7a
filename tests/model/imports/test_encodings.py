"""Tests the choice of an encoding by the letters that it makes of bytes."""

import pytest

from masthead.model.errors import Invalid
from masthead.model.imports.encodings import ENCODINGS, MAX_LETTERS, choose_encoding, encoding_named

FILES = {
    "cp1252": (
        "Jérémie;Bäcker",
        "Señorita Castañeda",
        "Åhlén;Løvås",
        "Hélène Prévôt",
        "Conceição",
        "refusé",
    ),
    "cp1250": ("Jiří;Černý;Dlouhá", "Łukasz;Wiśniewski;Żółta;Łódź", "Vondráček", "Bőrönd Szilárd"),
    "cp1251": ("Иван;Петров;Ленина;Москва", "Кирилл Лавров", "Олександр Київ", "Хуснутдинов;Уфа"),
    "cp1253": ("Γιάννης;Παπάς;Αθήνα", "Τσίπρας", "Άρης Ήβος;Ύδρας 3", "ΕΛΕΝΗ ΓΕΩΡΓΙΟΥ"),
    "cp1254": ("İbrahim;Şahin;Bağdat;İstanbul", "Barış;Kışla", "Güngör Taşkın"),
    "iso8859-2": ("Tomáš Dvořák;Nádražní 5", "Łukasz Żółć;ul. Ścieżka", "Ľubomír Kováč;Košice"),
    "iso8859-7": ("Άννα Ωνάση;Πλάκα", "Άρης Ήβος;Ύδρας 3", "Γιάννης;Παπάς;Αθήνα"),
    "iso8859-9": ("İbrahim;Şahin;Bağdat;İstanbul", "Barış;Kışla"),
    "mac-cyrillic": ("Иван;Петров;Ленина;Москва", "Ольга Кузнецова;Казань"),
    "mac-roman": ("Jürgen;Müßig;Große;Köln", "Zoé;Éric", "Lübeck;Böhme;Weiß"),
    "cp850": ("Jürgen;Müßig;Große;Köln", "Hélène;Gérard"),
    "iso8859-15": ("Zoë;Œuvre;40,00 €",),
    "cp1255": ("משה;כהן;הרצל;תל אביב", "שרה לוי;רחוב ויצמן 5;חיפה"),
    "cp1256": ("محمد;أحمد;شارع الملك فيصل;القاهرة", "فاطمة حسن;بيروت"),
    "cp1257": ("Jānis Bērziņš;Rīga", "Šarūnas Žukauskas;Klaipėda", "Kęstutis;Šilų gatvė"),
    "koi8-r": ("Иван;Петров;Ленина;Москва", "Кирилл Лавров"),
    "koi8-u": ("Олександр Київ;Їжак Євген",),
    "cp737": ("Γιάννης;Παπάς;Αθήνα", "ΕΛΕΝΗ ΓΕΩΡΓΙΟΥ"),
    "cp852": ("Łukasz;Wiśniewski;Żółta;Łódź", "Jiří;Černý;Dlouhá", "Đorđe Šimić;Čakovec"),
    "cp857": ("İbrahim;Şahin;Bağdat;İstanbul", "Barış Yıldız;Kışla"),
    "cp866": ("Иван;Петров;Ленина;Москва", "Кирилл Лавров"),
    "cp932": ("村上;春樹;千代田区千代田1-1;東京",),
}


def test_every_encoding_that_can_be_chosen_is_found() -> None:
    assert {*map(encoding_named, FILES)} == ENCODINGS.keys() - {"utf-8", "utf-16"}


@pytest.mark.parametrize("encoding", FILES)
def test_a_few_names_show_the_encoding(encoding: str) -> None:
    for text in FILES[encoding]:
        content = text.encode(encoding)
        assert content.decode(choose_encoding([content])) == text


@pytest.mark.parametrize(
    "text, encoding", [("Győr", "cp1250"), ("Müller", "cp850"), ("Æ", "cp1252")]
)
def test_an_encoding_that_is_not_clear_is_asked_with_the_words_of_each(
    text: str, encoding: str
) -> None:
    with pytest.raises(Invalid, match="Choose the encoding") as refusal:
        choose_encoding([text.encode(encoding)])
    assert f"`{text}`" in str(refusal.value)
    assert refusal.value.field == "encoding"


def test_lines_after_very_many_letters_are_not_compared() -> None:
    lines = ["Bäcker".encode("cp1252")] * (MAX_LETTERS + 1)
    assert choose_encoding([*lines, "Дом".encode("koi8-r"), b"\x81"]) == "cp1252"
    with pytest.raises(Invalid):
        choose_encoding([*lines[:3], "Дом".encode("koi8-r"), b"\x81"])


def test_an_encoding_has_its_usual_names() -> None:
    names = (
        "windows-1250 CP1250 latin9 macroman Shift_JIS latin-1 utf-8-sig utf8 latin2 greek latin5 "
        "KOI8-R KOI8_U ibm852 windows-1257"
    )
    assert [encoding_named(name) for name in names.split()] == [
        *("cp1250", "cp1250", "iso8859-15", "mac-roman", "cp932", "cp1252", "utf-8", "utf-8"),
        *("iso8859-2", "iso8859-7", "cp1254", "koi8-u", "koi8-u", "cp852", "cp1257"),
    ]
    for name in ("klingon", "rot13", "", "a\0b"):
        with pytest.raises(Invalid, match="use one of `utf-8`"):
            encoding_named(name)


@pytest.mark.parametrize(
    "text, encoding",
    [
        ("Иван;Петров;Ленина;Москва", "iso8859-5"),
        ("Γιάννης;Παπάς;Αθήνα", "mac-greek"),
    ],
)
def test_an_encoding_that_is_not_known_is_not_taken_for_another(text: str, encoding: str) -> None:
    with pytest.raises(Invalid, match="save the file as CSV UTF-8"):
        choose_encoding([text.encode(encoding)])
