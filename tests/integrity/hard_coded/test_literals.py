"""Literals of all languages have one form, in which different numbers stay different."""

import pytest

from untildone.integrity.hard_coded.literals import normalize_literal


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("1_234_567", "1234567", id="seven digits"),
        pytest.param("1234568.0", "1234568", id="its neighbour"),
        pytest.param("0x12D687", "1234567", id="hexadecimal"),
        pytest.param("999_999_999_999_999", "999999999999999", id="fifteen digits"),
        pytest.param("1234.5678", "1234.5678", id="fraction"),
        pytest.param("0.30000000000000004", "0.3", id="rounding error"),
        pytest.param("1e3", "1000", id="exponent"),
        pytest.param("3_600u64", "3600", id="suffix"),
        pytest.param("- 3", "-3", id="sign"),
        pytest.param('"abc"', "'abc'", id="string"),
        pytest.param("True", "true", id="boolean"),
        pytest.param("None", None, id="no literal"),
    ],
)
def test_a_literal_has_one_form(text: str, expected: str | None) -> None:
    assert normalize_literal(text) == expected
