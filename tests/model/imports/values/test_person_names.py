"""Names of persons in one cell."""

from masthead.model.imports.values.person_names import split_name
from tests.support.cases import for_each


@for_each(
    "name, first, last",
    [
        ("Ada Lovelace", "Ada", "Lovelace"),
        ("Ada King Lovelace", "Ada King", "Lovelace"),
        ("Lovelace, Ada", "Ada", "Lovelace"),
        ("van Beethoven, Ludwig", "Ludwig", "van Beethoven"),
        (", Ada", "Ada", None),
        ("Ludwig van Beethoven", "Ludwig", "van Beethoven"),
        ("Anna von der Leyen", "Anna", "von der Leyen"),
        ("van Gogh", None, "van Gogh"),
        ("Al Gore", "Al", "Gore"),
        ("Sammy Davis Jr.", "Sammy", "Davis Jr."),
        ("Sammy Davis, Jr.", "Sammy", "Davis, Jr."),
        ("Davis, Jr.", None, "Davis, Jr."),
        ("Davis, Sammy, Jr.", "Sammy", "Davis, Jr."),
        ("Ursula von der Leyen, MdEP", "Ursula", "von der Leyen, MdEP"),
        ("Ada Lovelace, Ph.D., MBA", "Ada", "Lovelace, Ph.D., MBA"),
        ("Ada Lovelace, M. Sc.", "Ada", "Lovelace, M. Sc."),
        ("Jan Maas, Dipl.-Ing. (FH)", "Jan", "Maas, Dipl.-Ing. (FH)"),
        ("Anna Maas, Bürgermeisterin", "Anna", "Maas, Bürgermeisterin"),
        ("Anna Maas, Bundesministerin a. D.", "Anna", "Maas, Bundesministerin a. D."),
        ("Cem Maas, MdB a.D.", "Cem", "Maas, MdB a.D."),
        ("Acme Books, Inc.", None, "Acme Books, Inc."),
        ("Anna Maas, Rechtsanwältin und Notarin", "Anna", "Maas, Rechtsanwältin und Notarin"),
        ("Maas, Dr. Anna", "Dr. Anna", "Maas"),
        ("Anna Maas, Dr.", "Anna", "Maas, Dr."),
        ("Tolkien, J. R. R.", "J. R. R.", "Tolkien"),
        ("Nguyen, Ba", "Ba", "Nguyen"),
        ("NGUYEN, BA", "BA", "NGUYEN"),
        ("Ma, Mag", "Mag", "Ma"),
        ("García Márquez, Gabriel", "Gabriel", "García Márquez"),
        ("Cher", None, "Cher"),
        ("  ", None, None),
    ],
)
def test_a_name_is_split_into_first_and_last_name(
    name: str, first: str | None, last: str | None
) -> None:
    assert split_name(name) == (first, last)
