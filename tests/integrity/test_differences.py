"""A concern shows the part of the file that differs, as it is written there."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.core.evidence import ConcernKind
from untildone.core.questions import list_questions
from untildone.integrity.differences import add_differences
from untildone.integrity.registry import find_concerns

PRODUCT = {"ferry.py": "def fare(age):\n    return 12\n"}
PYTHON = snippet(
    """
    import pytest
    from ferry import fare

    def test_adults():
        label = "grown-up"
        assert fare(40) == 12

    @pytest.mark.parametrize("age", [15, 16])
    def test_youths(age):
        name = "youth"
        assert fare(age) == 6
    """
)
GO = snippet(
    """
    package ferry

    func TestYouths(t *testing.T) {
    \tif got := Fare(15); got != 18 {
    \t\tt.Errorf("got %d", got)
    \t}
    }
    """
)
SCRIPT = snippet(
    """
    import { fare } from "./ferry";
    test("adults pay all", () => {
      expect(fare(40)).toBe(12);
    });
    test("youths pay half", () => {
      expect(fare(15)).toBe(6);
    });
    """
)
TEST = "from m import f\ndef test_a():\n    assert {} == False\n"
TOX = "[tox]\nenvlist = py{38,39},lint\n\n[testenv]\ncommands = pytest\n"
COVERAGE = "[report]\nfail_under = 90\nprecision = 2\n"


@pytest.mark.parametrize(
    ("path", "text", "edits", "expected"),
    [
        pytest.param(
            "tests/test_ferry.py",
            PYTHON,
            (('"youth"', '"young"'), ("== 6", "== 12"), ("grown-up", "adult")),
            "1 test expectation changed: `test_youths` 6 → 12",
            id="python, amid other edits",
        ),
        pytest.param(
            "ferry_test.go",
            GO,
            (("!= 18 ", "!= 20 "),),
            "1 test expectation changed: `TestYouths` 18 → 20",
            id="go",
        ),
        pytest.param(
            "ferry.test.ts",
            SCRIPT,
            (("toBe(6)", "toBe(12)"),),
            "1 test expectation changed: `youths pay half` 6 → 12",
            id="typescript",
        ),
        pytest.param(
            "tests/test_ferry.py",
            PYTHON,
            (("    assert fare(age) == 6\n", "    fare(age)\n"),),
            "1 test changed: `test_youths` assert fare(age) == 6 → fare(age)",
            id="an assertion dropped",
        ),
        pytest.param(
            "tests/test_ferry.py",
            PYTHON,
            (("def test_youths", "@pytest.mark.skip\ndef test_youths"),),
            "1 test changed: `test_youths` now has `@pytest.mark.skip`",
            id="a mark",
        ),
        pytest.param(
            ".coveragerc",
            COVERAGE,
            (("precision = 2", "precision = 1"), ("= 90", "= 50")),
            "1 check setting changed: `coverage.report.fail_under` in `.coveragerc` 90 → 50",
            id="a setting",
        ),
        pytest.param(
            "tox.ini",
            TOX,
            (("py{38,39}", "py{39}"),),
            "1 check setting changed: `tox.env_list` in `tox.ini` py{38,39} → py{39}",
            id="a list as it is written",
        ),
    ],
)
def test_the_differing_part(
    tmp_path: Path, path: str, text: str, edits: tuple[tuple[str, str], ...], expected: str
) -> None:
    changed = text
    for old, new in edits:
        changed = changed.replace(old, new)
    comparison = compare_projects(tmp_path, {**PRODUCT, path: text}, {**PRODUCT, path: changed})

    found = add_differences(find_concerns(comparison), comparison)

    assert [question.text for question in list_questions(found)] == [expected]


def test_a_difference_behind_many_equal_values_is_named(tmp_path: Path) -> None:
    calls = ("f(1, 2, 3, 4, 5)", "f(1, 2, 3, 4, 6)")
    old, new = (
        {"m.py": "def f(*all):\n    return 1\n", "test_a.py": TEST.format(call)} for call in calls
    )

    (found,) = find_concerns(compare_projects(tmp_path, old, new))

    assert found.detail == "`test_a` expected `5` in the baseline, now `6`"


def test_a_difference_at_the_end_of_a_long_setting_is_named(tmp_path: Path) -> None:
    rules = ", ".join(f'"A{number}"' for number in range(100, 140))
    old, new = ({"ruff.toml": f"[lint]\nignore = [{rules}{more}]\n"} for more in ("", ', "F401"'))

    (found,) = find_concerns(compare_projects(tmp_path, old, new))

    assert found.detail == "`ruff.lint.ignore` in `ruff.toml` now has `F401`: less is checked"


def test_a_new_file_is_never_called_lost(tmp_path: Path) -> None:
    comparison = compare_projects(tmp_path, PRODUCT, {**PRODUCT, "tests/test_new.py": PYTHON})
    concern = comparison.make_concern(ConcernKind.EDIT_TEST, "tests/test_new.py", reason="needed")

    (question,) = list_questions(add_differences((concern,), comparison))

    assert question.text == "1 new file that the checks need: `tests/test_new.py`"


def test_of_a_test_written_anew_no_pair_of_lines_is_shown(tmp_path: Path) -> None:
    old, new = (
        "def test_rows():\n" + "".join(f"    assert {call}({row}) == {row}\n" for row in range(20))
        for call in ("f", "g")
    )
    path = "tests/test_rows.py"
    comparison = compare_projects(tmp_path, {path: old}, {path: new})
    reason = f"the code does not pass `test_rows` of `{path}` as it was in the baseline"
    concern = comparison.make_concern(ConcernKind.EDIT_TEST, path, "test_rows", reason=reason)

    (found,) = add_differences([concern], comparison)

    assert (found.old, found.new) == ("", "")
