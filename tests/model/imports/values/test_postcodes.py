"""Tests which postcodes may have lost their zeros."""

import pytest

from masthead.model.imports.values.postcodes import has_lost_zero, restore_zeros


@pytest.mark.parametrize(
    "country, lost, whole",
    [
        ("DE", "1067 D-1067 067", "01067 D-01067 28195"),
        ("US", "2134 2134-0123 21340123 501", "02134 02134-0123 021340123 90210"),
        ("FR", "1000", "01000 75001"),
        ("ES", "8001", "08001"),
        ("IT", "184", "00184"),
        ("PL", "0-001 1234", "00-001 01234"),
        ("AU", "800", "0800 2000"),
        ("JP", "60-0001 600001", "060-0001 0600001"),
        ("BR", "1000-000", "01000-000 01000000"),
        ("RO", "10011", "010011"),
        ("GB", "", "E1 1AA 1234"),
        ("CH", "", "8001 801"),
        ("", "", "1067"),
    ],
)
def test_a_postcode_with_too_few_digits_may_have_lost_a_zero(
    country: str, lost: str, whole: str
) -> None:
    assert [each for each in lost.split() if not has_lost_zero(each, country)] == []
    assert [each for each in whole.split() if has_lost_zero(each, country)] == []


@pytest.mark.parametrize(
    "country, lost, whole",
    [
        ("DE", "1067", "01067"),
        ("DE", "D-1067", "D-01067"),
        ("DE", "067", None),
        ("DE", "28195", None),
        ("US", "501", "00501"),
        ("US", "2134-0123", "02134-0123"),
        ("US", "21340123", "021340123"),
        ("US", "213401", None),
        ("IT", "184", "00184"),
        ("PL", "0-001", "00-001"),
        ("JP", "60-0001", "060-0001"),
        ("CH", "801", None),
        (None, "1067", None),
        ("DE", None, None),
    ],
)
def test_lost_zeros_are_restored(country: str | None, lost: str | None, whole: str | None) -> None:
    assert restore_zeros(lost, country) == whole
