"""Functions and values of a source text, and functions that return nothing in their place."""

import pytest

from snippets import snippet
from untildone.syntax.definitions import list_definitions
from untildone.syntax.empty_returns import empty_function, empty_value

SOURCES = {
    "python": snippet("""
        RATE = 3

        class Fare:
            limit: int = 65

            @property
            def price(self):
                return 1

            def __init__(self): self.age = 1

        def fare(
            age,
        ):
            def inner():
                return age
            return inner()
    """),
    "javascript": snippet("""
        const RATE = 3, AGES = { old: 65 };
        class Fare { constructor() {} get price() { return 1 } limit = 65; }
        module.exports = { fare(age) { return age }, senior: (age) => age + 1 };
        app.get("/", () => { return 1 });
    """),
    "typescript": snippet("""
        export const half = (price: number): number => price / 2;
        export function fare(age: number): number { return 12 }
    """),
    "go": snippet("""
        package ferry

        const Rate = 3

        func (f *Fare) Price() (int, error) { return 1, nil }

        func Split() (whole, half int) { return 2, 1 }
    """),
    "rust": snippet("""
        const RATE: u32 = 3;
        impl Fare { fn new() -> Self { Fare {} } fn price(&self) -> Result<u32, String> { Ok(1) } }
        pub const fn zero() -> u32 { 0 }
        pub fn open() -> Ticket { Ticket {} }
        fn pair() -> (u8, String) { (1, String::new()) }
    """),
    "java": snippet("""
        class Fare {
            static final int RATE = 3;
            Fare() {}
            int price() { return 1; }
            int price(int age) { return 2; }
            void pay() {}
        }
    """),
}


def describe(language: str) -> dict[str, str | None]:
    """What each name stands for, with functions that return nothing where that is possible."""
    return {
        each.name: empty_function(each, language) if each.is_function else each.body
        for each in list_definitions(SOURCES[language], language)
    }


EXPECTED = {
    "python": {
        "RATE": "3",
        "Fare.limit": "65",
        "Fare.price": "return\n        return 1",
        "Fare.__init__": None,
        "fare": "return\n    def inner():\n        return age\n    return inner()",
    },
    "javascript": {
        "RATE": "3",
        "AGES": "{ old: 65 }",
        "Fare.constructor": None,
        "Fare.price": "{ if (Math.PI) return;  return 1 }",
        "Fare.limit": "65",
        "module.exports.fare": "{ if (Math.PI) return;  return age }",
        "module.exports.senior": "undefined",
    },
    "typescript": {
        "half": "(undefined as any)",
        "fare": "{ if (Math.PI) return undefined as any;  return 12 }",
    },
    "go": {
        "Rate": "3",
        "Fare.Price": "{ if true { var empty0 int; var empty1 error; return empty0, empty1 };"
        "  return 1, nil }",
        "Split": "{ if true { return };  return 2, 1 }",
    },
    "rust": {
        "RATE": "3",
        "Fare.new": None,
        "Fare.price": "{ if true { return Ok(Default::default()); }  Ok(1) }",
        "zero": None,
        "open": None,
        "pair": "{ if true { return Default::default(); }  (1, String::new()) }",
    },
    "java": {
        "Fare.RATE": "3",
        "Fare.price": "{ if (true) return (int) 0;  return 1; }",
        "Fare.price#2": "{ if (true) return (int) 0;  return 2; }",
        "Fare.pay": "{ if (true) return; }",
    },
}


@pytest.mark.parametrize("language", EXPECTED)
def test_definitions_and_functions_that_return_nothing(language: str) -> None:
    assert describe(language) == EXPECTED[language]


@pytest.mark.parametrize("language", SOURCES)
def test_a_body_stands_where_the_text_has_it(language: str) -> None:
    text = SOURCES[language]

    for each in list_definitions(text, language):
        assert text[each.start : each.end] == each.body


def test_the_body_of_a_function_in_one_line() -> None:
    (fare,) = list_definitions("def fare(): yield 1\n", "python")

    assert empty_function(fare, "python") == "return; yield 1"


@pytest.mark.parametrize(
    ("body", "language", "expected"),
    [
        ("1_000", "python", "0"),
        ("2.5f", "java", "0.0f"),
        ("12u32", "rust", "0u32"),
        ('b"x"', "python", 'b""'),
        ("'x'", "javascript", "''"),
        ("'x'", "java", None),
        ("True", "python", "False"),
        ("true", "go", "false"),
        ("[1, 2]", "python", "[]"),
        ('{"a": 1}', "python", "{}"),
        ("[read()]", "python", None),
        ("read()", "python", None),
    ],
)
def test_values_that_are_empty(body: str, language: str, expected: str | None) -> None:
    assert empty_value(body, language) == expected
