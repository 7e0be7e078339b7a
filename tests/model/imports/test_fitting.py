"""Tests how a mapping is fitted to the columns of a file."""

from masthead.model.imports.fitting import fit_mapping
from masthead.model.imports.mapping import ImportMapping, Rule


def test_columns_that_a_file_does_not_have_are_left_out() -> None:
    mapping = ImportMapping(
        columns={
            "email": Rule(columns=("billing_email", "customer_email")),
            "notes": Rule(columns=("Note",)),
            "type": Rule(constant="membership"),
        }
    )
    fitted = fit_mapping(mapping, ["customer_email"])
    assert fitted.columns == {
        "email": Rule(columns=("customer_email",)),
        "type": Rule(constant="membership"),
    }


def test_what_an_empty_cell_means_holds_for_a_file_without_the_column() -> None:
    rule = Rule(columns=("Land",), otherwise="DE")
    mapping = ImportMapping(columns={"country": rule})
    assert fit_mapping(mapping, ["land"]).columns["country"].otherwise == "DE"
    assert fit_mapping(mapping, ["Ort"]).columns == {"country": Rule(constant="DE")}


def test_names_are_spelled_as_in_the_file() -> None:
    mapping = ImportMapping(
        continues="Financial Status",
        groups=("order_id",),
        order_id_from=("Email", "Gone"),
        only={"Status": ("paid",), "Gone": ("x",)},
        never={"Type": ("refund",), "Gone": ("x",)},
        columns={
            "product": Rule(packed="Items", part="name"),
            "first_name": Rule(split="Full  name", part="first"),
            "address1": Rule(join=("Street", "Number")),
            "medium": Rule(lookup="plan", table={"a": "Digital"}),
        },
    )
    fitted = fit_mapping(
        mapping,
        ["FINANCIAL STATUS", "mail", "EMAIL", "status", "type", "items", "Full name", "street"],
    )
    assert fitted == ImportMapping(
        continues="FINANCIAL STATUS",
        order_id_from=("EMAIL",),
        only={"status": ("paid",)},
        never={"type": ("refund",)},
        columns={
            "product": Rule(packed="items", part="name"),
            "first_name": Rule(split="Full name", part="first"),
            "address1": Rule(join=("street",)),
        },
    )


def test_an_exact_name_wins_over_a_similar_one() -> None:
    mapping = ImportMapping(columns={"order_id": Rule(columns=("Id",))})
    assert fit_mapping(mapping, ["ID", "Id"]) == mapping
