"""YAML of a project."""

import pytest
import yaml

from untildone.syntax.yaml_text import load_yaml


def test_small_documents_are_read_as_by_the_slow_loader() -> None:
    text = "on: [push]\njobs:\n  test:\n    steps:\n      - run: pytest -q\n        env: {A: 1.0}\n"

    assert load_yaml(text) == yaml.safe_load(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[" * 100_000, id="brackets"),
        pytest.param("- " * 100_000, id="a line of sequences"),
        pytest.param("".join(f"{' ' * n}a:\n" for n in range(3_000)), id="indentation"),
    ],
)
def test_deep_documents_are_an_error_and_no_crash(text: str) -> None:
    with pytest.raises((yaml.YAMLError, RecursionError)):
        load_yaml(text)


def test_what_is_no_yaml_is_an_error() -> None:
    with pytest.raises(yaml.YAMLError):
        load_yaml("a: [1")
