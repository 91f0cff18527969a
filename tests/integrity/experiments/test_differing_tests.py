"""Tests that are the same in both trees do not run on the baseline's code."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.experiments.differing_tests import write_differing_tests

PATH = "test_ferry.py"
START = snippet("""
    import pytest
    from ferry import fare


    # Youths.
    @pytest.mark.parametrize("age", [13, 15])
    def test_youths(age):
        assert fare(age) == 6


    def test_adults():
        assert fare(20) == 12


    class TestDogs:
        def test_small(self):
            assert fare("dog") == 2
""")
EDITED = START.replace("== 12", "== 13")
GO_PATH = "ferry_test.go"
GO_START = """package ferry

import (
	"strings"
	"testing"
)

func TestMain(m *testing.M) { m.Run() }

func TestYouths(t *testing.T) {
	if Fare(strings.TrimSpace(" 15 ")) != 6 {
		t.Error("youths")
	}
}

func TestAdults(t *testing.T) {
	if Fare("20") != 12 {
		t.Error("adults")
	}
}
"""
GO_EDITED = GO_START.replace("!= 12", "!= 13")


def write(
    top: Path, old: dict[str, str], new: dict[str, str], command: str = "pytest"
) -> dict[str, str]:
    return write_differing_tests(compare_projects(top, old, new, command), sorted(new))


def test_only_the_edited_test_is_left(tmp_path: Path) -> None:
    text = write(tmp_path, {PATH: START}, {PATH: EDITED})[PATH]
    lines = text.split("\n")
    assert [line for line in lines if "def " in line] == ["def test_adults():"]
    # A failure is reported where it stands in the project.
    assert lines.index("def test_adults():") == EDITED.split("\n").index("def test_adults():")
    compile(text, PATH, "exec")


def test_in_go_the_others_stay_and_do_not_run(tmp_path: Path) -> None:
    """Without `TestYouths` nothing would use `strings`, and Go would not build the file."""
    text = write(tmp_path, {GO_PATH: GO_START}, {GO_PATH: GO_EDITED})[GO_PATH]
    assert text == GO_EDITED.replace("TestYouths", "leftOutTestYouths")


SAME = {PATH: START}
USER = "from test_ferry import test_youths\n\ndef test_again(): test_youths(14)\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(SAME, SAME, id="nothing changed"),
        pytest.param(SAME, {PATH: f"{START}# a comment\n"}, id="no test changed"),
        pytest.param({}, SAME, id="a new file"),
        pytest.param(SAME, {PATH: f"LIMIT = 3\n{EDITED}"}, id="a constant"),
    ],
)
def test_the_file_stays_whole(tmp_path: Path, old: dict[str, str], new: dict[str, str]) -> None:
    assert write(tmp_path, old, new) == {}


@pytest.mark.parametrize(
    ("others", "command"),
    [
        pytest.param({}, "pytest test_ferry.py::test_youths", id="by the command"),
        pytest.param({"test_user.py": USER}, "pytest", id="by another test"),
        pytest.param(
            {"Makefile": "test:\n\tpytest test_ferry.py::test_youths\n"}, "make", id="by a script"
        ),
    ],
)
def test_what_is_named_elsewhere_stays(
    tmp_path: Path, others: dict[str, str], command: str
) -> None:
    new = {PATH: EDITED, **others}
    text = write(tmp_path, {PATH: START, **others}, new, command)[PATH]
    assert ("def test_youths" in text, "TestDogs" in text) == (True, False)


def test_what_another_go_file_names_stays(tmp_path: Path) -> None:
    other = {"more_test.go": "package ferry\n\nvar all = []any{TestYouths}\n"}
    text = write(tmp_path, {GO_PATH: GO_START, **other}, {GO_PATH: GO_EDITED, **other})[GO_PATH]
    assert text == GO_EDITED


def test_a_file_that_is_no_utf8_stays_as_it_is(tmp_path: Path) -> None:
    comparison = compare_projects(tmp_path, {PATH: START}, {PATH: f"{EDITED}# caf\u00e9\n"})
    (tmp_path / "new" / PATH).write_bytes(f"{EDITED}# caf\u00e9\n".encode("latin-1"))
    assert write_differing_tests(comparison, [PATH]) == {}
