"""The table of docs/agents.md is made of results of the tests."""

import xml.etree.ElementTree as ElementTree

from clients.matrix import build_table, list_changes, read_results
from clients.pages import AGENTS_PAGE, README
from clients.short_table import build_short_table, find_claude_version, read_table

REPORT = """\
<testsuite>
 <testcase classname="tests.clients.test_codex" name="test_trusted_hooks_run"/>
 <testcase name="test_held_until_green[codex]"/>
 <testcase name="test_held_until_green[gemini]"><failure/></testcase>
 <testcase name="test_words_do_not_release[codex-DONE]"/>
 <testcase name="test_words_do_not_release[codex-EXIT]"><skipped/></testcase>
 <testcase name="test_words_do_not_release[gemini]"/>
 <testcase name="test_of_no_client"/>
</testsuite>
"""


def test_a_scenario_works_with_a_client_if_all_its_cases_pass() -> None:
    root = ElementTree.fromstring(REPORT)  # noqa: S314  our own text
    assert build_table(read_results(root)).splitlines()[1:] == [
        "| --- | --- | --- |",
        "| held until green | yes | **no** |",
        "| words do not release | **no** | yes |",
        "",
        "codex 0.166.0 alone: trusted hooks run.",
    ]


def test_a_table_is_read_as_it_was_written() -> None:
    results = {
        ("held", "codex"): True,
        ("held", "gemini"): False,
        ("run", "codex"): False,
        ("trusted", "codex"): True,
    }
    assert read_table(build_table(results)) == results


def test_the_readme_says_what_the_table_of_the_agents_says() -> None:
    results = read_table(AGENTS_PAGE.read_table())
    assert README.read_table() == build_short_table(results, find_claude_version())


def test_what_failed_or_was_not_played_is_no_yes() -> None:
    lines = build_short_table({("held until green", "codex"): False}, "1").splitlines()
    (codex,) = [line for line in lines if line.startswith("| Codex |")]
    assert codex.split(" | ")[2:] == ["**no**", *["not tried"] * 3, "not tried |"]


def test_only_what_changed_is_said() -> None:
    assert list_changes("a\nb\n", "a\nc\n") == ["- b", "+ c"]
