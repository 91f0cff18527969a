"""Each rule with unsafe code and with similar safe code, run by the real program."""

import re
from pathlib import Path

import pytest

from checks.security import case_files as cases
from checks.security.case_files import FOLDER, Found, list_marked_lines
from untildone.checks.security.engine import RULES

DOCS = Path(__file__).parents[3] / "docs" / "security-rules.md"
FEWEST_VARIANTS = 3


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project")
    cases.lay_out(folder)
    return folder


@pytest.fixture(scope="module")
def found(project: Path) -> Found:
    return cases.scan_project(project)


def below(found: Found, folder: str) -> Found:
    return {one for one in found if one[0].startswith(f"{folder}/")}


@pytest.mark.parametrize("case", cases.cases())
def test_the_marked_lines_and_no_others_are_found(case: str, project: Path, found: Found) -> None:
    assert below(found, case) == cases.list_expected(project, case)


@pytest.mark.parametrize(("language", "suffix"), [("typescript", ".ts"), ("tsx", ".tsx")])
@pytest.mark.parametrize("rule", sorted(path.stem for path in RULES.glob("javascript/*.yml")))
def test_what_holds_for_javascript_holds_for_its_dialects(
    rule: str, language: str, suffix: str, found: Found
) -> None:
    folder = f"{language}/as-{suffix[1:]}/{rule}"

    assert below(found, folder) == {
        (f"{folder}/bad{suffix}", line, f"{language}-{rule}")
        for line in list_marked_lines(FOLDER / "javascript" / rule / "bad.js")
    }


def test_every_rule_has_its_cases() -> None:
    assert [case for case in cases.cases() if not case.startswith("typescript/")] == cases.rules()


@pytest.mark.parametrize("case", cases.rules())
def test_every_case_has_several_variants_and_safe_code(case: str) -> None:
    (bad,) = FOLDER.joinpath(case).glob("bad.*")
    good = bad.with_stem("good")

    assert len(list_marked_lines(bad)) >= FEWEST_VARIANTS
    assert list_marked_lines(good) == []
    assert len(good.read_text(encoding="utf-8").splitlines()) > FEWEST_VARIANTS


@pytest.mark.parametrize("rule", cases.rules())
def test_a_rule_goes_by_its_place(rule: str) -> None:
    text = RULES.joinpath(f"{rule}.yml").read_text(encoding="utf-8")
    language, _, name = rule.partition("/")

    heads = dict(re.findall(r"^(id|language|severity): (.+)$", text, re.MULTILINE))
    assert (heads["id"], heads["language"].lower(), heads["severity"]) == (
        f"{language}-{name}",
        language,
        "error",
    )


def test_the_table_of_the_documentation_names_every_rule() -> None:
    named = re.findall(r"`((?:python|javascript|go|rust|java)-[a-z-]+)`", DOCS.read_text("utf-8"))

    assert sorted(set(named)) == sorted(rule.replace("/", "-") for rule in cases.rules())
