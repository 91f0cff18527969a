"""Changes of tests that only add lines are read after a run, if that settles nothing."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.core.evidence import ConcernKind
from untildone.integrity.registry import find_concerns
from untildone.integrity.tests.added_lines import find_concerns_about_additions, only_gains

TEST = "def test_a():\n    x = 1\n    assert f(x) == 1\n    assert f(2) == 2\n"
MORE = "\n\ndef test_b():\n    if f(3):\n        return\n"
ROWS = "ROWS = [\n    (1, 2),\n]\n"
JAVASCRIPT = "it('adds', () => {\n  equal(add(1, 2), 3);\n});\n"
GO = "func TestA(t *testing.T) {\n\tif f(1) != 1 {\n\t\tt.Fatal()\n\t}\n}\n"


@pytest.mark.parametrize(
    ("old", "new", "gains"),
    [
        pytest.param(TEST, TEST + MORE, True, id="a test behind"),
        pytest.param(TEST, MORE + TEST, True, id="a test before"),
        pytest.param(TEST, f"import m\nimport n as o\n{TEST}", True, id="imports"),
        pytest.param(
            ROWS,
            ROWS.replace("(1, 2),", "(1, 2),\n    # more\n    (3, 'a', None),"),
            True,
            id="rows",
        ),
        pytest.param(
            JAVASCRIPT, JAVASCRIPT + JAVASCRIPT.replace("adds", "also"), True, id="titled"
        ),
        pytest.param(TEST, f"{TEST}\n@skipped\ndef test_b():\n    pass\n", True, id="decorated"),
        pytest.param("", "def helper():\n    return 1\n", True, id="a new file"),
        pytest.param(GO, GO + GO.replace("TestA", "TestB"), True, id="a test in Go"),
        pytest.param(TEST, TEST.replace("x = 1\n", "x = 1\n    return\n"), False, id="an end"),
        pytest.param(TEST, TEST.replace("x = 1\n", "x = 1\n    x = 2\n"), False, id="a value"),
        pytest.param(TEST, f"{TEST}\ndef test_a():\n    pass\n", False, id="a name again"),
        pytest.param(TEST, f"{TEST}{MORE}\ntest_a = test_b\n", False, id="a name for another"),
        pytest.param(TEST, f"from fakes import f\n{TEST}", False, id="an import of a known name"),
        pytest.param(JAVASCRIPT, f"{JAVASCRIPT}it.only('adds', add);\n", False, id="only one"),
        pytest.param(
            TEST, TEST.replace("x = 1\n", "x = 1\n\ndef unused():\n"), False, id="a test cut in two"
        ),
        pytest.param(
            GO, GO.replace("{\n\tif", "{\n}\n\nfunc unused() {\n\tif"), False, id="cut in Go"
        ),
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
    too_long = f"{TEST}# {1_000_000 * chr(120)}\n"
    old = {"m.py": "def f(x):\n    return x\n", "test_m.py": too_long}
    comparison = compare_projects(tmp_path, old, {**old, "test_m.py": too_long + MORE})

    assert find_concerns(comparison) == ()
    (concern,) = find_concerns_about_additions(comparison)
    assert (concern.kind, concern.path) == (ConcernKind.EDIT_TEST, "test_m.py")


def test_other_changes_are_read_at_once(tmp_path: Path) -> None:
    old, new = ({"test_m.py": TEST}, {"test_m.py": TEST.replace("    assert f(2) == 2\n", "")})
    comparison = compare_projects(tmp_path, old, new)

    (concern,) = find_concerns(comparison)
    assert concern.kind == ConcernKind.EDIT_TEST
    assert find_concerns_about_additions(comparison) == ()
