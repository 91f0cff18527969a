"""Changes of tests that only add lines are read after a run, if that settles nothing."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.core.evidence import ConcernKind
from untildone.integrity.registry import find_concerns
from untildone.integrity.tests.added_lines import find_concerns_about_additions, only_gains

TEST = "def test_a():\n    x = 1\n    assert f(x) == 1\n    assert f(2) == 2\n"
MORE = "\n\ndef test_b():\n    if f(3):\n        return\n"
GO = "func TestA(t *testing.T) {\n\tif f(1) != 1 {\n\t\tt.Fatal()\n\t}\n}\n"


@pytest.mark.parametrize(
    ("old", "new", "gains"),
    [
        pytest.param(TEST, TEST + MORE, True, id="a test behind"),
        pytest.param(TEST, MORE + TEST, True, id="a test before"),
        pytest.param(TEST, TEST.replace("x = 1\n", "x = 1\n    y = 2\n"), True, id="a line inside"),
        pytest.param("", "def helper():\n    return 1\n", True, id="a new file"),
        pytest.param(GO, GO + GO.replace("TestA", "TestB"), True, id="a test in Go"),
        pytest.param(TEST, TEST.replace("x = 1\n", "x = 1\n    return\n"), False, id="an end"),
        pytest.param(TEST, f"@pytest.mark.skip\n{TEST}", False, id="a mark"),
        pytest.param(GO, f"//go:build never\n{GO}", False, id="a build constraint"),
        pytest.param(TEST, TEST.replace("== 2", "== 3"), False, id="another value"),
        pytest.param(TEST, "", False, id="nothing left"),
        pytest.param("a\nb\n", "b\na\n", False, id="another order"),
    ],
)
def test_which_changes_only_add(old: str, new: str, gains: bool) -> None:
    assert only_gains(old, new) is gains


def test_they_are_read_when_no_run_settles_them(tmp_path: Path) -> None:
    shadowed = TEST + "\n\ndef test_a():\n    pass\n"
    comparison = compare_projects(
        tmp_path,
        {"m.py": "def f(x):\n    return x\n", "test_m.py": TEST},
        {"m.py": "def f(x):\n    return x\n", "test_m.py": shadowed},
    )

    assert find_concerns(comparison) == ()
    (concern,) = find_concerns_about_additions(comparison)
    assert (concern.kind, concern.path) == (ConcernKind.EDIT_TEST, "test_m.py")


def test_other_changes_are_read_at_once(tmp_path: Path) -> None:
    old, new = ({"test_m.py": TEST}, {"test_m.py": TEST.replace("    assert f(2) == 2\n", "")})
    comparison = compare_projects(tmp_path, old, new)

    (concern,) = find_concerns(comparison)
    assert concern.kind == ConcernKind.EDIT_TEST
    assert find_concerns_about_additions(comparison) == ()
