"""A file edited again and again that is what it was before."""

from pathlib import Path
from typing import Any

import pytest

from untildone.features.spec.thrashing import find_thrashed_files


def edits(path: Path, number: int, original: object = "one\n") -> list[dict[str, Any]]:
    """Edits as the client reports them, each reported twice."""
    first = {"filePath": str(path), "originalFile": original}
    later = {"filePath": str(path), "originalFile": "between\n"}
    calls = [
        {
            "tool_name": "Edit",
            "tool_use_id": f"{path.name}{at}",
            "tool_response": later if at else first,
        }
        for at in range(number)
    ]
    return [call for call in calls for _ in range(2)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.py"
    path.write_text("one\n", encoding="utf-8")
    return path


def test_five_edits_that_came_to_nothing(file: Path) -> None:
    assert find_thrashed_files(edits(file, 5)) == (str(file),)


@pytest.mark.parametrize(("number", "original"), [(4, "one\n"), (5, "other\n"), (5, None), (5, 7)])
def test_fewer_edits_a_changed_file_or_an_unknown_one_say_nothing(
    file: Path, number: int, original: object
) -> None:
    assert find_thrashed_files(edits(file, number, original)) == ()


def test_a_file_that_is_gone_and_calls_of_other_tools(tmp_path: Path) -> None:
    calls = [*edits(tmp_path / "gone.py", 5), {"tool_name": "Bash", "tool_response": {}}]

    assert find_thrashed_files([*calls, {"tool_name": "Write", "cut": True}]) == ()
