"""Files of vendored Go modules that were edited by hand."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.integrity.environment.vendored_files import find_concerns

MODULES = "# example.com/assert v1.0.0\nexample.com/assert\n"
OLD = {"vendor/modules.txt": MODULES, "vendor/example.com/assert/assert.go": "package assert"}
CHANGED = {"vendor/example.com/assert/assert.go": "package assert // weaker"}


@pytest.mark.parametrize(
    ("new", "reported"),
    [
        pytest.param(CHANGED, ["vendor/example.com/assert/assert.go"], id="edited"),
        pytest.param(
            {"vendor/example.com/assert/more.go": "package assert"},
            ["vendor/example.com/assert/more.go"],
            id="added",
        ),
        pytest.param(
            {**CHANGED, "vendor/modules.txt": MODULES.replace("v1.0.0", "v1.1.0")},
            [],
            id="another version",
        ),
        pytest.param({"shop.go": "package shop"}, [], id="the product"),
    ],
)
def test_a_changed_file_of_the_same_version(
    tmp_path: Path, new: dict[str, str], reported: list[str]
) -> None:
    comparison = compare_projects(tmp_path, OLD, {**OLD, **new})

    assert [concern.path for concern in find_concerns(comparison)] == reported
