"""Each process of the tests imports all test files, and begins with a part of its own."""

from tests.support.quick_collection import in_own_order


def test_each_process_begins_with_its_own_part_and_leaves_nothing_out() -> None:
    names = list("abcdefgh")
    orders = [in_own_order(names, number, 3) for number in range(3)]
    assert ["".join(order) for order in orders] == ["abcdefgh", "cdefghab", "fghabcde"]
