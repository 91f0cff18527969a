"""Settings of a file are parsed once per tree."""

from pathlib import Path

from integrity.trees import tree
from untildone.integrity.settings.parsing import list_configurations, read_settings


def test_a_file_is_parsed_once(tmp_path: Path) -> None:
    project = tree(tmp_path, {"ruff.toml": 'select = ["E"]\n', "a.py": ""})

    first = read_settings(project, "ruff.toml")
    assert first == {"ruff.lint.select": ("E",)}
    assert read_settings(project, "ruff.toml") is first
    assert list_configurations(project) == ("ruff.toml",)
