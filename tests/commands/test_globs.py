"""Shell patterns over paths."""

import pytest

from untildone.commands.globs import expand_braces, match_glob

PATHS = ["a.js", "src/a.js", "src/b.ts", "src/deep/c.js"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.js", ["a.js"]),
        ("./src/*", ["src/a.js", "src/b.ts"]),
        ("src/**/*.js", ["src/a.js", "src/deep/c.js"]),
        ("src/?.{js,ts}", ["src/a.js", "src/b.ts"]),
    ],
)
def test_match_glob(pattern: str, expected: list[str]) -> None:
    assert match_glob(pattern, PATHS) == expected


def test_nested_braces() -> None:
    assert expand_braces("{a,{b,c}}.js") == ["a.js", "b.js", "a.js", "c.js"]


def test_the_number_of_patterns_is_bounded() -> None:
    assert len(expand_braces("{a,b}" * 30)) == 100
