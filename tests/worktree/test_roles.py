"""What a file is for, by its name and place."""

import pytest

from untildone.worktree.roles import Role, classify_file


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/shop.py", "product"),
        ("tests/data/prices.csv", "test"),
        ("features/login.feature", "test"),
        ("lefthook.yml", "config"),
        ("mise.toml", "config"),
        ("bunfig.toml", "config"),
        ("phpunit.xml.dist", "config"),
        ("phpstan.neon", "config"),
        ("taskfile.dist.yaml", "script"),
        ("dodo.py", "script"),
        ("docs/guide.md", "document"),
    ],
)
def test_a_file_goes_by_its_name_and_place(path: str, expected: Role) -> None:
    assert classify_file(path) == expected
