"""The table of docs/agents.md is made of results of the tests."""

import xml.etree.ElementTree as ElementTree

from clients.matrix import build_table, list_changes, read_results

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


def test_only_what_changed_is_said() -> None:
    assert list_changes("a\nb\n", "a\nc\n") == ["- b", "+ c"]
