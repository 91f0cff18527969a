"""A bare file name is replaced by the path of the only file of that name."""

import subprocess
from pathlib import Path

import pytest

from untildone.checks.findings import Diagnostic, make_findings


@pytest.mark.parametrize(
    ("reported", "folder", "path"),
    [
        ("cart_test.go", "", "api/shop/cart_test.go"),
        ("cart_test.go", "api", "api/shop/cart_test.go"),
        ("cart_test.go", "web", "web/cart_test.go"),
        ("twice.go", "", "twice.go"),
        ("twice.go", "web", "web/twice.go"),
        ("main.go", "", "main.go"),
        ("nowhere.go", "", "nowhere.go"),
        ("shop/cart_test.go", "", "shop/cart_test.go"),
        ("ignored.go", "", "ignored.go"),
        ("", "", ""),
    ],
)
def test_a_bare_name_is_the_only_file_of_that_name(
    tmp_path: Path, reported: str, folder: str, path: str
) -> None:
    files = ("api/shop/cart_test.go", "api/twice.go", "web/twice.go", "main.go", "out/ignored.go")
    for file in files:
        tmp_path.joinpath(file).parent.mkdir(parents=True, exist_ok=True)
        tmp_path.joinpath(file).touch()
    tmp_path.joinpath(".gitignore").write_text("out\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)

    (found,) = make_findings(
        "test", [Diagnostic(path=reported, text="bad")], folder=folder, project=tmp_path
    )

    assert found.path == path
