"""Imports that a Go file no longer uses get a blank name."""

import pytest

from snippets import snippet
from untildone.syntax.go_imports import blank_unused_imports

ORIGINAL = snippet("""
    package fares

    import (
    \t"errors"
    \tyaml "gopkg.in/yaml.v3"
    \t"example.com/go-rates/v2"
    \t_ "embed"
    )

    func Fare() error {
    \trates.Load(yaml.Node{})
    \treturn errors.New("closed")
    }
""")
BODY = '\trates.Load(yaml.Node{})\n\treturn errors.New("closed")\n'


@pytest.mark.parametrize(
    ("body", "changed"),
    [
        pytest.param(BODY, {}, id="all used"),
        pytest.param(
            "\trates.Load(yaml.Node{})\n\treturn nil\n", {'"errors"': '_ "errors"'}, id="one unused"
        ),
        pytest.param(
            '\treturn errors.New("no rates")\n',
            {
                'yaml "gopkg.in/yaml.v3"': '_ "gopkg.in/yaml.v3"',
                '"example.com/go-rates/v2"': '_ "example.com/go-rates/v2"',
            },
            id="a name and a version",
        ),
    ],
)
def test_unused_imports(body: str, changed: dict[str, str]) -> None:
    text = expected = ORIGINAL.replace(BODY, body)
    for before, after in changed.items():
        expected = expected.replace(f"\t{before}\n", f"\t{after}\n")

    assert blank_unused_imports(text, original=ORIGINAL) == expected


def test_a_single_import() -> None:
    original = 'package fares\n\nimport "math"\n\nvar Most = math.MaxInt\n'
    text = original.replace("math.MaxInt", "12")

    assert blank_unused_imports(text, original=original) == text.replace('"math"', '_ "math"')
